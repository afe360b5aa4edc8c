"""Standalone tasks over REST: the fields, the statuses, the list, and what may be done when."""

from typing import Any

import pytest

from tests.rest.clients import API, TASKS, WORKFLOWS, Direct, Reply
from tests.rest.waiting import status_of, until, until_some

NAMED_FIELDS = {
    "task_type": "charge",
    "tenant_id": "default",
    "status": "PENDING",
    "input": {"cents": 999},
    "queue": "default",
    "execution_count": 0,
    "max_retries": 3,
    "progress": 0.0,
    "scheduled_at": None,
}
NO_TASK = f"{TASKS}/01a1f0ee-1cef-792c-ac5b-a55c9713eb7a"


async def submitted(rest: Direct, task_type: str = "charge", **fields: object) -> str:
    reply = await rest.post(TASKS, {"task_type": task_type, **fields})
    assert reply.status in (200, 201), reply.body
    return str(reply.json["id"])


async def test_a_new_task_is_answered_with_201_and_all_its_fields(idle: Direct) -> None:
    reply = await idle.post(TASKS, {"task_type": "charge", "input": {"cents": 999}})
    assert reply.status == 201
    assert reply.json.items() >= NAMED_FIELDS.items()
    assert reply.json["created_at"].endswith("Z")


async def test_what_the_client_asks_for_is_kept(idle: Direct) -> None:
    wishes: dict[str, Any] = {
        "queue": "slow",
        "max_retries": 7,
        "scheduled_at": "2030-01-01T01:00:00+01:00",
        "priority": 5,
        "idempotency_key": "once",
        "metadata": {"who": "me"},
        "timeout_ms": 1_000,
        "retry": {"backoff": 3, "non_retryable": ["ValueError"]},
    }
    task_id = await submitted(idle, **wishes)
    task = (await idle.get(f"{TASKS}/{task_id}")).json
    kept = {name: task[name] for name in ("queue", "max_retries", "priority", "idempotency_key", "metadata")}
    assert kept.items() <= wishes.items()
    assert task["scheduled_at"] == "2030-01-01T00:00:00.000Z"


async def test_the_same_idempotency_key_gives_the_same_task(idle: Direct) -> None:
    first = await idle.post(TASKS, {"task_type": "charge", "idempotency_key": "order-17"})
    again = await idle.post(TASKS, {"task_type": "charge", "idempotency_key": "order-17"})
    other = await idle.post(TASKS, {"task_type": "refund", "idempotency_key": "order-17"})
    assert (first.status, again.status, other.status) == (201, 200, 409)
    assert first.json == again.json
    assert other.code == "IDEMPOTENCY_CONFLICT"


async def test_a_bulk_is_made_as_a_whole(idle: Direct) -> None:
    reply = await idle.post(f"{TASKS}/bulk", {"tasks": [{"task_type": "a", "input": n} for n in range(1_000)]})
    assert reply.status == 201
    assert len({each["id"] for each in reply.json["tasks"] if each["created"]}) == 1_000
    assert (await idle.get(TASKS)).json["total"] == 1_000


async def test_one_bad_task_spoils_its_bulk_and_is_named(idle: Direct) -> None:
    reply = await idle.post(f"{TASKS}/bulk", {"tasks": [{"task_type": "a"}, {"task_type": "a", "max_retries": -1}]})
    assert (reply.status, reply.json["path"]) == (400, "$.tasks[1].max_retries")
    assert (await idle.get(TASKS)).json["total"] == 0


async def test_a_bulk_is_bounded(idle: Direct) -> None:
    reply = await idle.post(f"{TASKS}/bulk", {"tasks": [{"task_type": "a"}] * 1_001})
    assert (reply.status, reply.json["path"]) == (400, "$.tasks")


@pytest.mark.parametrize(
    ("query", "total"),
    [("", 6), ("?queue=slow", 2), ("?task_type=charge", 4), ("?status=PENDING", 5), ("?status=PENDING,CANCELLED", 6)],
)
async def test_the_list_is_filtered_and_counted(idle: Direct, query: str, total: int) -> None:
    for fields in ({}, {}, {"queue": "slow"}, {"queue": "slow"}):
        await submitted(idle, **fields)
    await submitted(idle, "refund")
    await idle.ask("DELETE", f"{TASKS}/{await submitted(idle, 'refund')}")
    listed = (await idle.get(f"{TASKS}{query}")).json
    assert (listed["total"], len(listed["tasks"])) == (total, total)
    assert (listed["limit"], listed["offset"], listed["cursor"]) == (50, 0, None)


async def test_pages_by_offset_and_by_cursor_show_every_task_once(idle: Direct) -> None:
    await idle.post(f"{TASKS}/bulk", {"tasks": [{"task_type": "a"}] * 25})
    by_offset = [(await idle.get(f"{TASKS}?limit=10&offset={n}")).json["tasks"] for n in (0, 10, 20)]
    by_cursor: list[Any] = []
    cursor: str | None = ""
    while cursor is not None:
        page = (await idle.get(f"{TASKS}?limit=10{cursor and '&cursor=' + cursor}")).json
        by_cursor.append(page["tasks"])
        cursor = page["cursor"]
    assert by_offset == by_cursor
    assert len({task["id"] for page in by_offset for task in page}) == 25


async def test_a_page_has_a_hundred_tasks_at_most(idle: Direct) -> None:
    await idle.post(f"{TASKS}/bulk", {"tasks": [{"task_type": "a"}] * 120})
    listed = (await idle.get(f"{TASKS}?limit=5000")).json
    assert (len(listed["tasks"]), listed["limit"], listed["total"]) == (100, 100, 120)


@pytest.mark.parametrize("query", ["limit=0", "limit=x", "offset=-1", "status=DONE", "colour=red", "limit=1&limit=2"])
async def test_a_bad_query_is_refused_with_the_parameter(idle: Direct, query: str) -> None:
    reply = await idle.get(f"{TASKS}?{query}")
    assert (reply.status, reply.json["path"]) == (400, f"?{query.partition('=')[0]}".replace("?status", "?status[0]"))


async def test_tasks_of_a_workflow_are_seen_through_it_only(rest: Direct) -> None:
    await rest.post(WORKFLOWS, {"kind": "doubled", "input": 4, "id": "w", "wait_seconds": 10})
    [task] = (await rest.get(f"{WORKFLOWS}/w/tasks")).json["tasks"]
    assert (task["workflow_id"], task["output"]) == ("w", 8)
    assert (await rest.get(TASKS)).json["total"] == 0


async def test_only_a_pending_task_can_be_deleted(rest: Direct) -> None:
    waiting = await submitted(rest, "nobody-runs-this")
    running = await submitted(rest, "hold")
    await until(rest, f"{TASKS}/{running}", "RUNNING")
    deleted = await rest.ask("DELETE", f"{TASKS}/{waiting}")
    refused = [await rest.ask("DELETE", f"{TASKS}/{each}") for each in (waiting, running)]
    assert (deleted.status, deleted.body) == (204, b"")
    assert [(each.status, each.code) for each in refused] == [(409, "ALREADY_CLOSED"), (409, "CONFLICT")]
    assert await status_of(rest, f"{TASKS}/{waiting}") == "CANCELLED"
    assert not (await rest.get(f"{TASKS}/{running}")).json["cancel_requested"]


async def test_a_running_task_is_cancelled(rest: Direct) -> None:
    task_id = await submitted(rest, "hold")
    await until(rest, f"{TASKS}/{task_id}", "RUNNING")
    reply = await rest.post(f"{TASKS}/{task_id}/cancel", {"reason": "no longer wanted"})
    assert (reply.status, reply.json) == (200, {"changed": True})
    await until(rest, f"{TASKS}/{task_id}", "CANCELLED")


async def test_a_failed_task_is_tried_again(rest: Direct) -> None:
    task_id = await submitted(rest, "refuse", max_retries=0)
    failed = await until(rest, f"{TASKS}/{task_id}", "FAILED")
    again = await rest.post(f"{TASKS}/{task_id}/retry")
    assert (failed.json["error"]["message"], again.status) == ("never", 200)
    await until_some(rest, f"{TASKS}/{task_id}/attempts", "attempts", count=2)


async def test_attempts_tell_what_happened_to_each_try(rest: Direct) -> None:
    good, bad = await submitted(rest, "double", input=4), await submitted(rest, "refuse", max_retries=0)
    await until(rest, f"{TASKS}/{good}", "COMPLETED")
    await until(rest, f"{TASKS}/{bad}", "FAILED")
    [done] = (await rest.get(f"{TASKS}/{good}/attempts")).json["attempts"]
    [failed] = (await rest.get(f"{TASKS}/{bad}/attempts")).json["attempts"]
    assert (done["attempt"], done["status"], done["output"], done["error"]) == (1, "COMPLETED", 8, None)
    assert (failed["status"], failed["error"]["type"], failed["output"]) == ("FAILED", "ValueError", None)
    assert done["duration_ms"] >= 0
    assert done["worker_id"]


async def test_lines_come_in_pages(rest: Direct) -> None:
    task_id = await submitted(rest, "tell", input=5)
    await until(rest, f"{TASKS}/{task_id}", "COMPLETED")
    first = (await rest.get(f"{TASKS}/{task_id}/lines?limit=3")).json["lines"]
    rest_of_them = (await rest.get(f"{TASKS}/{task_id}/lines?after={first[-1]['number']}")).json["lines"]
    assert [line["body"] for line in first + rest_of_them] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("path", ["", "/attempts", "/lines", "/stream"])
async def test_an_unknown_task_is_404(idle: Direct, path: str) -> None:
    replies: list[Reply] = [await idle.get(f"{each}{path}") for each in (NO_TASK, f"{TASKS}/%00", f"{TASKS}/x%2Fy")]
    assert {(reply.status, reply.code) for reply in replies} == {(404, "TASK_NOT_FOUND")}


@pytest.mark.parametrize("verb", ["cancel", "retry"])
async def test_an_unknown_task_cannot_be_changed(idle: Direct, verb: str) -> None:
    assert (await idle.post(f"{NO_TASK}/{verb}")).status == 404
    assert (await idle.ask("DELETE", NO_TASK)).status == 404


async def test_queues_are_counted(idle: Direct) -> None:
    await idle.post(f"{TASKS}/bulk", {"tasks": [{"task_type": "a", "queue": "slow"}] * 3})
    await submitted(idle, queue="slow", scheduled_at="2099-01-01T00:00:00Z")
    [queue] = (await idle.get(f"{API}/queues")).json["queues"]
    assert (queue["name"], queue["depth"], queue["delayed"], queue["running"]) == ("slow", 3, 1, 0)
    assert queue["oldest_age_ms"] >= 0
