"""Queues, workers, kinds and activity over REST, and tasks that an operator ends."""

import pytest

from holdfast.model.workers import Capability, Introduction
from holdfast.server.activity import recording
from holdfast.server.directory import KnownWorker
from holdfast.server.host import EngineHost
from tests.rest.clients import API, TASKS, WORKFLOWS, Direct
from tests.rest.test_tasks import submitted
from tests.rest.waiting import status_of, until, until_some


async def test_an_operator_completes_a_task_and_its_worker_has_lost_it(rest: Direct) -> None:
    task_id = await submitted(rest, "hold")
    await until(rest, f"{TASKS}/{task_id}", "RUNNING")
    reply = await rest.post(f"{TASKS}/{task_id}/complete", {"output": {"by": "hand"}})
    assert (reply.status, reply.json) == (200, {"changed": True})
    task = (await rest.get(f"{TASKS}/{task_id}")).json
    assert (task["status"], task["output"]) == ("COMPLETED", {"by": "hand"})
    [attempt] = (await rest.get(f"{TASKS}/{task_id}/attempts")).json["attempts"]
    assert attempt["status"] == "CANCELLED"


async def test_an_operator_fails_a_task_and_it_is_not_tried_again(idle: Direct) -> None:
    task_id = await submitted(idle, "nobody-runs-this")
    assert (
        await idle.post(f"{TASKS}/{task_id}/fail", {"message": "the shop is closed", "type": "Closed"})
    ).status == 200
    task = (await idle.get(f"{TASKS}/{task_id}")).json
    assert (task["status"], task["error"]["message"], task["error"]["type"]) == (
        "FAILED",
        "the shop is closed",
        "Closed",
    )
    assert task["completed_at"] is not None


@pytest.mark.parametrize("verb", ["complete", "fail"])
async def test_what_has_ended_is_not_ended_again(idle: Direct, verb: str) -> None:
    task_id = await submitted(idle)
    await idle.ask("DELETE", f"{TASKS}/{task_id}")
    reply = await idle.post(f"{TASKS}/{task_id}/{verb}", {})
    assert (reply.status, reply.code) == (409, "ALREADY_CLOSED")


async def test_a_paused_queue_gives_nothing_until_it_is_resumed(rest: Direct) -> None:
    assert (await rest.post(f"{API}/queues/default/pause", {"reason": "the bank is down"})).json == {"changed": True}
    assert (await rest.post(f"{API}/queues/default/pause", {})).json == {"changed": False}
    task_id = await submitted(rest, "double", input=4)
    [queue] = (await rest.get(f"{API}/queues")).json["queues"]
    assert (queue["paused"], queue["reason"], queue["changed_by"]) == (True, "the bank is down", "anyone")
    assert (queue["depth"], queue["oldest_age_ms"] >= 0) == (1, True)
    assert await status_of(rest, f"{TASKS}/{task_id}") == "PENDING"
    assert (await rest.post(f"{API}/queues/default/resume")).json == {"changed": True}
    await until(rest, f"{TASKS}/{task_id}", "COMPLETED")
    [queue] = (await rest.get(f"{API}/queues")).json["queues"]
    assert (queue["paused"], queue["paused_at"], queue["reason"]) == (False, None, "")


async def test_a_queue_has_a_name(idle: Direct) -> None:
    reply = await idle.post(f"{API}/queues/a%20b/pause", {})
    assert (reply.status, reply.code) == (400, "INVALID_ARGUMENT")


async def test_workers_say_what_they_can_run(rest: Direct) -> None:
    [worker] = (await rest.get(f"{API}/workers")).json["workers"]
    assert worker["queues"] == ["default"]
    assert {"name": "double", "version": ""}.items() <= {each["name"]: each for each in worker["tasks"]}[
        "double"
    ].items()
    assert "doubled" in {each["name"] for each in worker["workflows"]}
    assert worker["draining"] is False


async def test_a_worker_is_told_to_drain(idle_engine: EngineHost, idle: Direct) -> None:
    told = Introduction("w-1", ("default",), (), (Capability("charge"),))  # type: ignore[arg-type]  # plain text will do
    now = idle_engine.clock.now()
    idle_engine.directory.register(KnownWorker("default", told, "test", now, now))  # type: ignore[arg-type]  # the same
    replies = [(await idle.post(f"{API}/workers/{name}/drain")) for name in ("w-1", "w-1", "w-2")]
    assert [reply.status for reply in replies] == [200, 200, 404]
    assert [reply.json.get("changed") for reply in replies] == [True, False, None]
    assert idle_engine.directory.is_to_drain(("default", "w-1"))  # type: ignore[arg-type]  # the same


async def test_kinds_have_schemas(rest: Direct) -> None:
    kinds = {each["name"]: each for each in (await until_some(rest, f"{API}/kinds", "kinds")).json["kinds"]}
    assert (kinds["double"]["of"], kinds["doubled"]["of"]) == ("task", "workflow")
    assert kinds["double"]["input_schema"] == {"type": "integer"}
    assert kinds["double"]["output_schema"] == {"type": "integer"}


async def test_what_happens_is_counted_and_shown_as_rates(engine: EngineHost, rest: Direct) -> None:
    async with recording(engine, seconds=0.001):
        await rest.post(WORKFLOWS, {"kind": "doubled", "input": 4, "id": "w", "wait_seconds": 10})
        await rest.post(WORKFLOWS, {"kind": "broken", "id": "b", "wait_seconds": 10})
    activity = (await rest.get(f"{API}/activity?minutes=5")).json["activity"]
    counts = {(each["of"], each["kind"], each["what"]): each["count"] for each in activity}
    assert counts == {
        ("workflow", "doubled", "STARTED"): 1,
        ("workflow", "doubled", "COMPLETED"): 1,
        ("workflow", "broken", "STARTED"): 1,
        ("workflow", "broken", "FAILED"): 1,
        ("task", "double", "STARTED"): 1,
        ("task", "double", "COMPLETED"): 1,
        ("task", "refuse", "STARTED"): 1,
        ("task", "refuse", "FAILED"): 1,
    }
    await submitted(rest, "nobody-runs-this")
    [queue] = (await rest.get(f"{API}/queues")).json["queues"]
    assert queue["rates"] == {"started_per_minute": 0.8, "ended_per_minute": 0.8, "failed_per_minute": 0.4}


async def test_executions_are_found_by_text_and_metadata(idle: Direct) -> None:
    await idle.post(WORKFLOWS, {"kind": "a", "id": "one", "metadata": {"customer": "acme", "size": 3}})
    await idle.post(WORKFLOWS, {"kind": "a", "id": "two", "metadata": {"customer": "globex", "size": 3}})
    found = {
        query: [each["id"] for each in (await idle.get(f"{WORKFLOWS}?{query}")).json["workflows"]]
        for query in (
            "text=ACM",
            "metadata=customer:globex",
            "metadata=size:3",
            "metadata=size:3&metadata=customer:acme",
        )
    }
    assert list(found.values()) == [["one"], ["two"], ["two", "one"], ["one"]]


@pytest.mark.parametrize("query", ["metadata=customer", "metadata=:x", "text=", "parent_id=a&text=b"])
async def test_a_search_that_means_nothing_is_refused(idle: Direct, query: str) -> None:
    assert (await idle.get(f"{WORKFLOWS}?{query}")).status == 400


async def test_an_engine_in_this_process_keeps_no_audit_log(idle: Direct) -> None:
    assert (await idle.get(f"{API}/audit")).status == 400


async def test_a_worker_shows_what_it_is_busy_with(rest: Direct) -> None:
    task_id = await submitted(rest, "hold")
    await until(rest, f"{TASKS}/{task_id}", "RUNNING")
    [worker] = (await rest.get(f"{API}/workers")).json["workers"]
    [work] = worker["work"]
    assert (work["of"], work["id"], work["kind"], work["workflow_id"]) == ("task", task_id, "hold", None)
    assert work["since"] is not None


async def test_open_executions_are_counted_and_timers_foretold(rest: Direct) -> None:
    await rest.post(WORKFLOWS, {"kind": "asleep", "id": "a"})
    await until(rest, f"{WORKFLOWS}/a", "WAITING")
    assert (await rest.get(f"{API}/open-executions")).json == {"open": [{"kind": "asleep", "count": 1}]}
    assert (await rest.get(f"{API}/timer-forecast")).json == {"step_ms": 60_000, "due": []}
    month = (await rest.get(f"{API}/timer-forecast?minutes=57600&steps=40")).json
    assert (month["step_ms"], [each["count"] for each in month["due"]]) == (86_400_000, [1])
