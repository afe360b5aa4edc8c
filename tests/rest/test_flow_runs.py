"""Flows are saved and run over REST, and a run is seen as the graph that it goes through."""

import asyncio
from typing import Any

import msgspec
import pytest

from holdfast.server.rest import run_streams, streams
from holdfast.server.rest.run_documents import InnerDocument
from tests.flow.sketches import Kind, sketch
from tests.rest.clients import API, WITHIN, WORKFLOWS, Connection, Direct, Reply
from tests.rest.waiting import until

FLOWS = f"{API}/flows"
DOUBLED = sketch(
    {
        "start": "manual",
        "each": ("split", {"items": "$trigger"}),
        "twice": ("task", {"task": "double"}),
        "pause": ("wait", {"amount": "{{ $json - 1 }}", "unit": "days"}),
        "all": ("aggregate", {"results": "values"}),
    },
    "start > each > twice > pause > all",
    name="doubled",
)


async def saved(rest: Direct, definition: object = DOUBLED) -> Any:
    return await rest.post(FLOWS, {"definition": definition})


async def started(rest: Direct, run: str, given: object) -> None:
    assert (await rest.post(f"{FLOWS}/doubled/runs", {"id": run, "input": given})).status == 201


async def in_item(rest: Direct, run: str, status: str, *, frame: str = "r~1.0", node: str = "pause") -> Any:
    """The item, once that node of it stands so."""
    path = f"{WORKFLOWS}/{run}/flow?frame={frame}"
    async with asyncio.timeout(WITHIN):
        while not _stands((reply := await rest.get(path)), node, status):  # noqa: ASYNC110 - it changes behind HTTP
            await asyncio.sleep(0.002)
    return reply.json


def _stands(reply: Reply, node: str, status: str) -> bool:
    visits = reply.json["frame"]["visits"] if reply.status == 200 else []
    return any((each["node"], each["status"]) == (node, status) for each in visits)


async def test_a_definition_becomes_the_next_version(rest: Direct) -> None:
    first, again = await saved(rest), await saved(rest)
    second = await saved(rest, {**DOUBLED, "description": "twice as much"})
    assert [(each.status, each.json["version"], each.json["created"]) for each in (first, again, second)] == [
        (201, 1, True),
        (200, 1, False),
        (201, 2, True),
    ]


async def test_a_definition_that_is_not_sound_is_not_kept(rest: Direct) -> None:
    reply = await saved(rest, sketch({"a": "lag"}))
    assert (reply.status, reply.code) == (400, "INVALID_FLOW")
    assert (await rest.get(FLOWS)).json["flows"] == []


async def test_a_run_is_started_once_under_its_id(rest: Direct) -> None:
    await saved(rest)
    body = {"id": "run-1", "input": []}
    first, again = [await rest.post(f"{FLOWS}/doubled/runs", body) for _ in range(2)]
    assert (first.status, first.json["kind"], first.json["created"]) == (201, "flow:doubled", True)
    assert (again.status, again.json["created"]) == (200, False)
    assert (await rest.post(f"{FLOWS}/doubled/runs", {**body, "input": [1]})).status == 409
    assert (await rest.post(f"{FLOWS}/nothing/runs", {})).code == "FLOW_NOT_FOUND"


async def test_a_run_shows_where_its_tokens_are(rest: Direct) -> None:
    await saved(rest)
    await started(rest, "run-1", [1, 2])
    item = await in_item(rest, "run-1", "waiting")
    run = (await rest.get(f"{WORKFLOWS}/run-1/flow")).json
    assert (run["flow"], run["version"], run["paused"]) == ("doubled", 1, False)
    visits = {each["node"]: each for each in run["frame"]["visits"]}
    assert (visits["start"]["status"], visits["each"]["scope"]["total"]) == ("success", 2)
    inside = {each["node"]: each for each in item["frame"]["visits"]}
    assert (inside["twice"]["status"], inside["pause"]["status"]) == ("success", "waiting")
    assert inside["pause"]["resume_at"] is not None
    assert (item["frame"]["item"], item["frame"]["status"]) == (1, "open")


async def test_the_items_of_a_split_are_listed_in_pages(rest: Direct) -> None:
    await saved(rest)
    await started(rest, "run-1", [1, 2, 3])
    await in_item(rest, "run-1", "waiting", frame="r~1.2")
    await in_item(rest, "run-1", "waiting")
    path = f"{WORKFLOWS}/run-1/flow/items?scope=r~1"
    first = (await rest.get(f"{path}&limit=2")).json
    second = (await rest.get(f"{path}&limit=2&after={first['next_after']}")).json
    assert first["scope"]["total"] == 3
    assert [(each["index"], each["frame"]) for each in first["items"] + second["items"]] == [
        (0, "r~1.0"),
        (1, "r~1.1"),
        (2, "r~1.2"),
    ]
    assert (first["items"][0]["nodes"], second["next_after"]) == (["pause"], None)
    assert first["items"][0]["resume_at"] is not None


async def test_the_items_that_have_failed_or_go_on_are_found_among_many(rest: Direct) -> None:
    nodes: dict[str, Kind] = {
        "each": ("split", {"items": "$trigger", "tolerated_failures": "100%"}),
        "divided": ("edit", {"value": "{{ 6 / ($item - 2) }}"}),
        "pause": ("wait", {"amount": 1, "unit": "days"}),
        "all": ("aggregate", {}),
    }
    await saved(rest, sketch(nodes, "each > divided > pause > all", name="doubled"))
    await started(rest, "run-1", [1, 2, 3, 2, 5])
    for index in (0, 2, 4):
        await in_item(rest, "run-1", "waiting", frame=f"r~0.{index}")

    path = f"{WORKFLOWS}/run-1/flow/items?scope=r~0"
    failed = (await rest.get(f"{path}&only=failed")).json
    assert [(each["index"], each["status"]) for each in failed["items"]] == [(1, "failed"), (3, "failed")]
    first = (await rest.get(f"{path}&only=open&limit=2")).json
    assert ([each["index"] for each in first["items"]], first["next_after"]) == ([0, 2], 2)
    second = (await rest.get(f"{path}&only=open&after=2")).json
    assert ([each["index"] for each in second["items"]], second["next_after"]) == ([4], None)


async def test_what_a_node_was_given_and_gave_is_shown(rest: Direct) -> None:
    await saved(rest)
    await started(rest, "run-1", [21])
    item = await in_item(rest, "run-1", "waiting")
    keys = {each["node"]: each["visit"] for each in item["frame"]["visits"]}
    path = f"{WORKFLOWS}/run-1/flow/visit?frame=r~1.0&visit="
    assert (await rest.get(path + keys["twice"])).json == {"input": 21, "output": 42}
    assert (await rest.get(path + keys["pause"])).json == {"input": 42, "output": None}


async def test_large_values_are_shown_from_where_they_are_kept(rest: Direct) -> None:
    definition = sketch({"a": "manual", "b": ("edit", {"value": "$trigger"}), "c": "log"}, "a > b > c", name="doubled")
    await saved(rest, definition)
    large = ["x" * 5_000]
    await started(rest, "run-1", large)
    await until(rest, f"{WORKFLOWS}/run-1", "COMPLETED")
    for node in ("0", "1", "2"):
        visit = (await rest.get(f"{WORKFLOWS}/run-1/flow/visit?visit={node}")).json
        assert (visit["input"], visit["output"]) == (large, large)


@pytest.mark.parametrize("path", ["flow?frame=r~1.7", "flow?frame=r~9.0", "flow/items?scope=r~9", "flow/visit?visit=9"])
async def test_parts_that_are_not_there_are_not_found(rest: Direct, path: str) -> None:
    await saved(rest)
    await started(rest, "run-1", [1])
    await in_item(rest, "run-1", "waiting")
    assert (await rest.get(f"{WORKFLOWS}/run-1/{path}")).status == 404


async def test_an_execution_of_code_has_no_graph(rest: Direct) -> None:
    await rest.post(WORKFLOWS, {"kind": "asleep", "id": "a"})
    for path in ("flow", "flow/items", "flow/visit", "flow/events"):
        assert (await rest.get(f"{WORKFLOWS}/a/{path}")).code == "FLOW_NOT_FOUND"


async def test_a_run_is_followed_until_its_end(rest: Direct, url: str) -> None:
    await saved(rest)
    await started(rest, "run-1", [1])
    await in_item(rest, "run-1", "waiting")
    connection = await Connection.to(url)
    connection.request("GET", f"{WORKFLOWS}/run-1/flow/events")
    assert (await connection.head())[0] == 200
    events = connection.events()
    assert (await anext(events))["event"] == "run"
    await fire_all(rest)
    told = [event async for event in events]
    assert {event["event"] for event in told} == {"change"}
    last = msgspec.json.decode(told[-1]["data"])
    assert (last["status"], last["frame"]["status"]) == ("COMPLETED", "success")
    assert "start" not in {visit["node"] for event in told for visit in visits_in(event)}
    assert "all" in {visit["node"] for event in told for visit in visits_in(event)}
    await connection.close()
    seen_all = await rest.get(f"{WORKFLOWS}/run-1/flow/events", last_event_id=told[-1]["id"])
    assert (seen_all.status, seen_all.body) == (204, b"")


def visits_in(event: dict[str, str]) -> list[dict[str, Any]]:
    visits: list[dict[str, Any]] = msgspec.json.decode(event["data"])["frame"].get("visits", [])
    return visits


async def fire_all(rest: Direct) -> None:
    for timer in (await rest.get(f"{WORKFLOWS}/run-1/timers")).json["timers"]:
        await rest.post(f"{API}/timers/{timer['id']}/fire")


async def test_nodes_of_a_split_are_summed_up_over_its_items(rest: Direct) -> None:
    await saved(rest)
    await started(rest, "run-1", [1, 2, 3])
    for index in range(3):
        await in_item(rest, "run-1", "waiting", frame=f"r~1.{index}")

    sums = (await rest.get(f"{WORKFLOWS}/run-1/flow?inside=true")).json["frame"]["inside"]

    assert [(each["node"], each["success"], each["waiting"]) for each in sums] == [("twice", 3, 0), ("pause", 0, 3)]
    assert sums[0]["resume_at"] is None
    timers = (await rest.get(f"{WORKFLOWS}/run-1/timers")).json["timers"]
    assert sums[1]["resume_at"] == min(timer["fire_at"] for timer in timers)
    assert (await rest.get(f"{WORKFLOWS}/run-1/flow")).json["frame"]["inside"] == []


async def test_sums_follow_behind_when_the_run_has_moved_on(rest: Direct, url: str) -> None:
    await saved(rest)
    await started(rest, "run-1", [1, 2])
    for index in range(2):
        await in_item(rest, "run-1", "waiting", frame=f"r~1.{index}")
    connection = await Connection.to(url)
    connection.request("GET", f"{WORKFLOWS}/run-1/flow/events?inside=true")
    await connection.head()
    events = connection.events()
    await anext(events)

    timers = (await rest.get(f"{WORKFLOWS}/run-1/timers")).json["timers"]
    await rest.post(f"{API}/timers/{timers[0]['id']}/fire")

    sums: list[dict[str, Any]] = []
    while not sums:
        sums = msgspec.json.decode((await anext(events))["data"])["frame"].get("inside", [])
    assert [(each["node"], each["success"], each["waiting"]) for each in sums] == [("pause", 1, 1)]
    await connection.close()


async def test_sums_are_made_anew_when_they_are_due_and_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Counting()
    monkeypatch.setattr(run_streams, "LEAST_PAUSE", 3_600)
    sums = run_streams.SlowSums(reader, wanted=True)  # type: ignore[arg-type]  # it only counts
    looked: Any = None
    assert await sums.take(looked, at_once=False) == [waiting(1)]
    assert sums.seconds_left is None

    sums.moved()
    assert await sums.take(looked, at_once=False) == [waiting(1)]
    assert (sums.seconds_left or 0) > 3_000
    assert await sums.take(looked, at_once=True) == [waiting(2)]


async def test_sums_that_nobody_wants_are_not_made() -> None:
    reader = Counting()
    sums = run_streams.SlowSums(reader, wanted=False)  # type: ignore[arg-type]  # it only counts
    sums.moved()
    looked: Any = None
    assert await sums.take(looked, at_once=True) == []
    assert (reader.made, sums.seconds_left) == (0, None)


class Counting:
    """Instead of a reader of runs."""

    made = 0

    async def sums(self, _: object) -> list[InnerDocument]:
        self.made += 1
        return [waiting(self.made)]


def waiting(number: int) -> InnerDocument:
    return InnerDocument("pause", 0, 0, number, 0, 0, 0, None)


async def test_a_run_that_stands_still_says_that_it_is_still_followed(
    rest: Direct, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_SECONDS", 0.01)
    await saved(rest)
    await started(rest, "run-1", [1])
    await in_item(rest, "run-1", "waiting")
    connection = await Connection.to(url)
    connection.request("GET", f"{WORKFLOWS}/run-1/flow/events")
    await connection.head()
    async with asyncio.timeout(WITHIN):
        while b"still here" not in await connection.reader.readline():
            pass
    await connection.close()


async def test_sums_are_followed_to_the_end(rest: Direct, url: str) -> None:
    await saved(rest)
    await started(rest, "run-1", [1, 2])
    for index in range(2):
        await in_item(rest, "run-1", "waiting", frame=f"r~1.{index}")
    connection = await Connection.to(url)
    connection.request("GET", f"{WORKFLOWS}/run-1/flow/events?inside=true")
    await connection.head()
    events = connection.events()
    first = msgspec.json.decode((await anext(events))["data"])
    assert [each["node"] for each in first["frame"]["inside"]] == ["twice", "pause"]

    await fire_all(rest)

    last = msgspec.json.decode([event async for event in events][-1]["data"])
    [pause] = last["frame"]["inside"]
    assert (pause["node"], pause["success"], pause["waiting"], pause["resume_at"]) == ("pause", 2, 0, None)
    await connection.close()
