"""Starts under an idempotency key, and the traces that starts and tasks are part of."""

import pytest

from holdfast.server.host import EngineHost
from holdfast.server.rest.tracing import trace_in
from tests.rest.clients import TASKS, WORKFLOWS, Direct, Reply

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


async def start(rest: Direct, **fields: object) -> Reply:
    return await rest.post(WORKFLOWS, {"kind": "greeted", **fields})


async def test_the_same_key_is_about_the_same_execution(idle: Direct) -> None:
    first, again = [await start(idle, idempotency_key="order-17") for _ in range(2)]
    assert [(each.status, each.json["created"]) for each in (first, again)] == [(201, True), (200, False)]
    assert first.json["id"] == again.json["id"]


async def test_whoever_repeats_a_key_hears_the_end_of_the_first(rest: Direct) -> None:
    first = await rest.post(WORKFLOWS, {"kind": "doubled", "input": 4, "idempotency_key": "k", "wait_seconds": 10})
    again = await rest.post(WORKFLOWS, {"kind": "doubled", "input": 4, "idempotency_key": "k", "wait_seconds": 10})
    assert (again.json["output"], again.json["id"]) == (8, first.json["id"])


async def test_a_key_that_may_not_be_used_again_is_409(idle: Direct) -> None:
    await start(idle, idempotency_key="k")
    reply = await start(idle, idempotency_key="k", reuse_policy="REJECT")
    assert (reply.status, reply.code) == (409, "ALREADY_STARTED")


async def test_one_that_is_open_is_ended_and_another_started(idle: Direct) -> None:
    first = await start(idle, idempotency_key="k")
    second = await start(idle, idempotency_key="k", reuse_policy="TERMINATE_AND_START")
    assert second.status == 201
    assert (await idle.get(f"{WORKFLOWS}/{first.json['id']}")).json["status"] == "TERMINATED"


async def test_another_one_follows_under_a_used_id(idle: Direct) -> None:
    await start(idle, id="order-17")
    refused = await start(idle, id="order-17", reuse_policy="ALLOW_AFTER_CLOSE")
    assert (refused.status, refused.code) == (409, "ALREADY_STARTED")
    await idle.post(f"{WORKFLOWS}/order-17/terminate", {})
    wanted = {"id": "order-17", "reuse_policy": "ALLOW_AFTER_FAILURE", "request_id": "r-1"}
    made = [await start(idle, **wanted) for _ in range(2)]
    assert [(each.status, each.json["id"]) for each in made] == [(201, "order-17~2")] * 2
    assert (await idle.get(f"{WORKFLOWS}/order-17~2")).json["status"] == "PENDING"
    newest = await start(idle, id="order-17")
    assert (newest.status, newest.json["id"]) == (200, "order-17~2")


@pytest.mark.parametrize(
    "fields", [{"reuse_policy": "MAYBE"}, {"request_id": "a\nb"}, {"key_ttl_ms": 0}, {"idempotency_key": "a\nb"}]
)
async def test_what_means_nothing_is_refused(idle: Direct, fields: dict[str, object]) -> None:
    assert (await start(idle, **fields)).status == 400


async def test_a_start_and_a_task_are_part_of_the_caller_s_trace(idle_engine: EngineHost, idle: Direct) -> None:
    headers = {"traceparent": TRACE, "tracestate": "vendor=1"}
    await idle.ask("POST", WORKFLOWS, b'{"kind": "greeted", "id": "w"}', headers=headers)
    task = (await idle.ask("POST", TASKS, b'{"task_type": "a"}', headers=headers)).json
    [event] = (await idle.get(f"{WORKFLOWS}/w/history")).json["events"]
    kept = await idle_engine.store.task(("default", task["id"]))  # type: ignore[arg-type]  # plain text will do
    assert event["data"]["trace"] == f"{TRACE} vendor=1"
    assert kept is not None
    assert kept.options.trace == f"{TRACE} vendor=1"


MALFORMED = ["", "x", TRACE.upper(), TRACE + "-00", TRACE.replace("b7ad6b7169203331", "0" * 16), "ff" + TRACE[2:]]


@pytest.mark.parametrize("given", MALFORMED)
def test_a_malformed_trace_counts_as_not_sent(given: str) -> None:
    assert trace_in([(b"traceparent", given.encode()), (b"tracestate", b"a=1")]) is None


def test_a_state_that_cannot_be_kept_is_left_out() -> None:
    headers = [(b"traceparent", TRACE.encode()), (b"tracestate", b"a=" + b"1" * 600)]
    assert trace_in(headers) == TRACE
    assert trace_in([*headers, headers[0]]) is None
