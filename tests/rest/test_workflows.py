"""Workflow executions over REST: started, waited for, looked at, signalled and ended."""

from typing import Any

import pytest

from tests.rest.clients import API, WORKFLOWS, Direct
from tests.rest.waiting import until, until_some


async def started(rest: Direct, kind: str, workflow_id: str = "w", **fields: object) -> None:
    reply = await rest.post(WORKFLOWS, {"kind": kind, "id": workflow_id, **fields})
    assert reply.status == 201, reply.body


async def test_a_start_is_201_and_the_same_start_again_200(idle: Direct) -> None:
    body = {"kind": "checkout", "id": "order/17", "input": {"cents": 999}}
    first, again = await idle.post(WORKFLOWS, body), await idle.post(WORKFLOWS, body)
    other = await idle.post(WORKFLOWS, body | {"input": None})
    assert (first.status, first.json["created"], first.json["status"]) == (201, True, "PENDING")
    assert (again.status, again.json["created"]) == (200, False)
    assert (other.status, other.code) == (409, "IDEMPOTENCY_CONFLICT")


async def test_a_start_may_wait_for_the_result(rest: Direct) -> None:
    reply = await rest.post(WORKFLOWS, {"kind": "doubled", "input": 4, "wait_seconds": 10})
    assert (reply.status, reply.json["status"], reply.json["output"]) == (201, "COMPLETED", 8)


async def test_a_wait_that_is_too_short_leaves_the_execution_alone(idle: Direct) -> None:
    reply = await idle.post(WORKFLOWS, {"kind": "doubled", "id": "w", "wait_seconds": 0.01})
    result = await idle.get(f"{WORKFLOWS}/w/result?wait_seconds=0.01")
    assert (reply.status, reply.json["status"], reply.json["output"]) == (201, "PENDING", None)
    assert (result.status, result.json["closed"]) == (202, False)


async def test_the_result_of_a_failed_execution_tells_the_error(rest: Direct) -> None:
    await started(rest, "broken")
    result = await rest.get(f"{WORKFLOWS}/w/result?wait_seconds=10")
    assert (result.status, result.json["status"], result.json["output"]) == (200, "FAILED", None)
    assert result.json["error"]["message"]


async def test_an_execution_shows_what_was_asked_for(idle: Direct) -> None:
    await started(idle, "checkout", input=[1], metadata={"who": "me"}, queue="slow", timeout_ms=60_000)
    shown = (await idle.get(f"{WORKFLOWS}/w")).json
    kept = {"kind": "checkout", "input": [1], "metadata": {"who": "me"}, "queue": "slow", "tenant_id": "default"}
    assert shown.items() >= kept.items()
    assert shown["deadline_at"] > shown["created_at"]


async def test_a_signal_with_start_reaches_a_new_and_an_old_execution(idle: Direct) -> None:
    body = {"kind": "greeted", "id": "w", "signal": {"name": "greeting", "value": "hello", "request_id": "1"}}
    assert [(await idle.post(WORKFLOWS, body)).status for _ in range(2)] == [201, 200]
    await idle.post(WORKFLOWS, body | {"signal": {"name": "greeting", "value": "again"}})
    events = (await idle.get(f"{WORKFLOWS}/w/history")).json["events"]
    assert [event["data"]["value"] for event in events if event["type"] == "SIGNAL_RECEIVED"] == ["hello", "again"]


async def test_a_signal_ends_the_wait_for_it(rest: Direct) -> None:
    await started(rest, "greeted")
    signalled = await rest.post(f"{WORKFLOWS}/w/signal", {"name": "greeting", "value": "hello"})
    result = await rest.get(f"{WORKFLOWS}/w/result?wait_seconds=10")
    assert (signalled.status, signalled.json, result.json["output"]) == (200, {"changed": True}, "hello")


async def test_history_comes_in_pages_without_gap(rest: Direct) -> None:
    await rest.post(WORKFLOWS, {"kind": "doubled", "input": 4, "id": "w", "wait_seconds": 10})
    sequences: list[int] = []
    page: Any = {"next_after": 0}
    while (after := page["next_after"]) is not None:
        page = (await rest.get(f"{WORKFLOWS}/w/history?limit=2&after={after}")).json
        sequences += [event["sequence"] for event in page["events"]]
    assert sequences == list(range(1, page["last_sequence"] + 1))
    assert page["events"][-1]["type"] == "WORKFLOW_COMPLETED"


async def test_children_are_listed_with_their_parent(rest: Direct) -> None:
    await rest.post(WORKFLOWS, {"kind": "parent", "input": 4, "id": "w", "wait_seconds": 10})
    [child] = (await rest.get(f"{WORKFLOWS}/w/children")).json["workflows"]
    assert (child["parent_id"], child["kind"], child["output"]) == ("w", "doubled", 8)


async def test_state_can_be_looked_at(rest: Direct) -> None:
    await started(rest, "greeted")
    await until(rest, f"{WORKFLOWS}/w", "WAITING")
    assert (await rest.get(f"{WORKFLOWS}/w/state")).json == {"state": {"step": "waiting"}}


async def test_cancel_asks_and_terminate_ends(rest: Direct) -> None:
    await started(rest, "asleep", "asked")
    await started(rest, "asleep", "ended")
    asked = await rest.post(f"{WORKFLOWS}/asked/cancel", {"reason": "enough", "requested_by": "me"})
    ended = await rest.post(f"{WORKFLOWS}/ended/terminate", {"reason": "enough"})
    assert (asked.status, ended.status) == (200, 200)
    assert (await rest.get(f"{WORKFLOWS}/asked/result?wait_seconds=10")).json["status"] == "CANCELLED"
    assert (await rest.get(f"{WORKFLOWS}/ended/result?wait_seconds=10")).json["status"] == "TERMINATED"


async def test_what_has_ended_cannot_be_ended(rest: Direct) -> None:
    await rest.post(WORKFLOWS, {"kind": "doubled", "input": 4, "id": "w", "wait_seconds": 10})
    replies = [await rest.post(f"{WORKFLOWS}/w/{verb}") for verb in ("cancel", "terminate", "retry")]
    assert [reply.status for reply in replies] == [409, 409, 409]


async def test_a_failed_execution_is_retried(rest: Direct) -> None:
    await rest.post(WORKFLOWS, {"kind": "broken", "id": "w", "wait_seconds": 10})
    retried = await rest.post(f"{WORKFLOWS}/w/retry", {"reason": "mended"})
    events = (await rest.get(f"{WORKFLOWS}/w/history")).json["events"]
    assert retried.status == 200
    assert "RETRY_REQUESTED" in {event["type"] for event in events}


async def test_an_execution_is_sent_back(rest: Direct) -> None:
    await rest.post(WORKFLOWS, {"kind": "doubled", "input": 4, "id": "w", "wait_seconds": 10})
    back = await rest.post(f"{WORKFLOWS}/w/reset", {"to_sequence": 1, "reason": "wrong"})
    events = (await rest.get(f"{WORKFLOWS}/w/history")).json["events"]
    refused = [(await rest.post(f"{WORKFLOWS}/w/reset", body)).status for body in ({}, {"to_sequence": 99})]
    assert (back.status, refused) == (200, [400, 400])
    assert "RESET_REQUESTED" in {event["type"] for event in events}


async def test_the_list_is_filtered_and_comes_in_pages(idle: Direct) -> None:
    for number in range(5):
        await started(idle, "checkout" if number else "other", f"w{number}")
    first = (await idle.get(f"{WORKFLOWS}?kind=checkout&limit=3&status=PENDING")).json
    second = (await idle.get(f"{WORKFLOWS}?kind=checkout&limit=3&cursor={first['cursor']}")).json
    assert [each["id"] for each in first["workflows"] + second["workflows"]] == ["w4", "w3", "w2", "w1"]
    assert second["cursor"] is None


async def test_the_list_is_bounded_in_time(idle: Direct) -> None:
    await started(idle, "checkout")
    early = await idle.get(f"{WORKFLOWS}?created_before=2020-01-01T00:00:00Z")
    late = await idle.get(f"{WORKFLOWS}?created_from=2020-01-01T00:00:00Z")
    assert (len(early.json["workflows"]), len(late.json["workflows"])) == (0, 1)


@pytest.mark.parametrize(
    "path", ["", "/history", "/result", "/events", "/children", "/tasks", "/state", "/promises", "/timers"]
)
async def test_an_unknown_execution_is_404(idle: Direct, path: str) -> None:
    replies = [await idle.get(f"{WORKFLOWS}/{each}{path}") for each in ("none", "%00", "-x")]
    assert {(reply.status, reply.code) for reply in replies} == {(404, "WORKFLOW_NOT_FOUND")}


@pytest.mark.parametrize("verb", ["signal", "cancel", "terminate", "retry"])
async def test_an_unknown_execution_cannot_be_changed(idle: Direct, verb: str) -> None:
    body = {"name": "s"} if verb == "signal" else {}
    assert (await idle.post(f"{WORKFLOWS}/none/{verb}", body)).code == "WORKFLOW_NOT_FOUND"


async def test_a_promise_is_resolved_by_its_id(rest: Direct) -> None:
    await started(rest, "approved")
    [promise] = (await until_some(rest, f"{WORKFLOWS}/w/promises", "promises")).json["promises"]
    resolved = await rest.post(f"{API}/promises/{promise['id']}/resolve", {"value": "yes"})
    assert (promise["name"], promise["status"], resolved.status) == ("approval", "PENDING", 200)
    assert (await rest.get(f"{WORKFLOWS}/w/result?wait_seconds=10")).json["output"] == "yes"


async def test_a_promise_is_resolved_and_rejected_by_its_name(rest: Direct) -> None:
    for workflow_id, verb, body in (("w", "resolve", {"value": "yes"}), ("v", "reject", {"message": "no"})):
        await started(rest, "approved", workflow_id)
        await until_some(rest, f"{WORKFLOWS}/{workflow_id}/promises", "promises")
        assert (await rest.post(f"{WORKFLOWS}/{workflow_id}/promises/approval/{verb}", body)).status == 200
    assert (await rest.get(f"{WORKFLOWS}/w/result?wait_seconds=10")).json["output"] == "yes"
    assert "no" in (await rest.get(f"{WORKFLOWS}/v/result?wait_seconds=10")).json["error"]["message"]


@pytest.mark.parametrize("verb", ["resolve", "reject"])
async def test_an_unknown_promise_is_404(idle: Direct, verb: str) -> None:
    await started(idle, "approved")
    places = ("promises/none", "promises/%00", "workflows/w/promises/none", "workflows/w/promises/%00")
    assert {(await idle.post(f"{API}/{place}/{verb}", {})).code for place in places} == {"PROMISE_NOT_FOUND"}


async def test_timers_are_listed_moved_and_fired(rest: Direct) -> None:
    await started(rest, "asleep")
    [timer] = (await until_some(rest, f"{WORKFLOWS}/w/timers", "timers")).json["timers"]
    place = f"{API}/timers/{timer['id']}"
    moved = await rest.post(f"{place}/reschedule", {"fire_at": "2090-01-01T00:00:00Z"})
    listed = (await rest.get(f"{API}/timers?workflow_id=w")).json
    fired = await rest.post(f"{place}/fire")
    assert (moved.status, fired.status, listed["total"]) == (200, 200, 1)
    assert listed["timers"][0]["fire_at"] == "2090-01-01T00:00:00.000Z"
    assert (await rest.get(f"{WORKFLOWS}/w/result?wait_seconds=10")).json["output"] == "awake"


async def test_a_cancelled_timer_fails_the_sleep(rest: Direct) -> None:
    await started(rest, "asleep")
    [timer] = (await until_some(rest, f"{API}/timers", "timers")).json["timers"]
    assert (await rest.post(f"{API}/timers/{timer['id']}/cancel")).status == 200
    assert (await rest.get(f"{WORKFLOWS}/w/result?wait_seconds=10")).json["status"] == "FAILED"


@pytest.mark.parametrize(
    ("verb", "body"), [("cancel", {}), ("fire", {}), ("reschedule", {"fire_at": "2090-01-01T00:00:00Z"})]
)
async def test_an_unknown_timer_is_404(idle: Direct, verb: str, body: dict[str, str]) -> None:
    for name in ("none", "%00"):
        assert (await idle.post(f"{API}/timers/{name}/{verb}", body)).code == "TIMER_NOT_FOUND"
