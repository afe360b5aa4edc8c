"""What a plan asks for by key, it gets as it was written, with the rows that belong to it."""

import msgspec
import pytest

from holdfast.model.commands import TaskOptions
from holdfast.model.errors import InvalidArgument
from holdfast.model.events import SignalReceived, encode_event_data
from holdfast.model.flows import FlowValue, FrameStatus
from holdfast.model.ids import ClaimToken
from holdfast.model.instants import Instant, Milliseconds
from holdfast.model.oversight import QueueSetting
from holdfast.model.records import RequestKey
from holdfast.model.retries import RetryPolicy
from holdfast.model.statuses import ExecutionStatus, PromiseStatus, TaskStatus
from holdfast.ports.store import Changes, Rows, Store, Wanted
from tests.stores.making import (
    ACME,
    OTHER,
    QUEUE,
    WORKER,
    Decision,
    entry,
    execution,
    flow_version,
    frame,
    history,
    ids,
    key,
    keys,
    load,
    promise,
    schedule,
    scope,
    task,
    timer,
    write,
)

FULL_EXECUTION = execution(
    "full",
    parent_id="parent",
    child_name="leg",
    metadata=b'{"by":"me"}',
    deadline_at=Instant(7),
    status=ExecutionStatus.RUNNING,
    last_sequence=9,
    seen_sequence=8,
    open_items=7,
    claim_token=ClaimToken(6),
    worker_id=WORKER,
    lease_expires_at=Instant(5),
    wake_at=Instant(4),
    cancel_requested=True,
    output=b'"out"',
    failure=b'{"type":"E"}',
    failure_type="ERROR",
    closed_at=Instant(3),
)
FULL_TASK = task(
    "full",
    execution_id="order-1",
    priority=-5,
    options=TaskOptions(RetryPolicy(max_retries=1, non_retryable=("ValueError",)), heartbeat_ms=Milliseconds(5)),
    metadata=b"{}",
    idempotency_key="once",
    scheduled_at=Instant(2_000),
    status=TaskStatus.RUNNING,
    ready=False,
    attempt=3,
    claim_token=ClaimToken(4),
    worker_id=WORKER,
    lease_expires_at=Instant(5),
    wake_at=Instant(6),
    started_at=Instant(7),
    heartbeat_at=Instant(8),
    details=b"[1]",
    progress=0.1 + 0.2,
    progress_message="",
    cancel_requested=True,
    output=b"1",
    failure=b"2",
    closed_at=Instant(9),
)


@pytest.mark.parametrize("record", [execution("bare"), FULL_EXECUTION], ids=["bare", "full"])
async def test_an_execution_comes_back_as_it_was_written(store: Store, record: object) -> None:
    await write(store, Changes(new_executions=[record]))  # type: ignore[list-item]
    assert list((await load(store, Wanted(executions=keys("bare", "full")))).executions.values()) == [record]


@pytest.mark.parametrize("record", [task("bare"), FULL_TASK], ids=["bare", "full"])
async def test_a_task_comes_back_as_it_was_written(store: Store, record: object) -> None:
    await write(store, Changes(new_tasks=[record]))  # type: ignore[list-item]
    assert list((await load(store, Wanted(tasks=keys("bare", "full")))).tasks.values()) == [record]


async def test_an_execution_is_changed_in_every_field_that_can_change(store: Store) -> None:
    bare = execution("full", parent_id="parent", child_name="leg", metadata=b'{"by":"me"}', deadline_at=Instant(7))
    await write(store, Changes(new_executions=[bare]))
    await write(store, Changes(changed_executions=[FULL_EXECUTION]))
    assert await store.execution(key("full")) == FULL_EXECUTION
    await write(store, Changes(changed_executions=[bare]))
    assert await store.execution(key("full")) == bare


async def test_a_task_is_changed_in_every_field_that_can_change(store: Store) -> None:
    bare = task(
        "full",
        execution_id="order-1",
        priority=-5,
        options=FULL_TASK.options,
        metadata=b"{}",
        idempotency_key="once",
        scheduled_at=Instant(2_000),
    )
    await write(store, Changes(new_tasks=[bare]))
    await write(store, Changes(changed_tasks=[FULL_TASK]))
    assert await store.task(key("full")) == FULL_TASK
    await write(store, Changes(changed_tasks=[bare]))
    assert await store.task(key("full")) == bare


async def test_an_execution_brings_its_parent(store: Store) -> None:
    await write(store, Changes(new_executions=[execution("parent"), execution("child", parent_id="parent")]))
    assert set((await load(store, Wanted(executions=keys("child")))).executions) == keys("child", "parent")


async def test_a_parent_that_is_gone_is_not_missed(store: Store) -> None:
    await write(store, Changes(new_executions=[execution("child", parent_id="gone")]))
    assert set((await load(store, Wanted(executions=keys("child")))).executions) == keys("child")


async def test_a_task_brings_its_execution_and_that_ones_parent(store: Store) -> None:
    family = [execution("parent"), execution("child", parent_id="parent")]
    await write(store, Changes(new_executions=family, new_tasks=[task("a", execution_id="child"), task("b")]))
    rows = await load(store, Wanted(tasks=keys("a", "b", "missing")))
    assert (set(rows.tasks), set(rows.executions)) == (keys("a", "b"), keys("child", "parent"))


async def test_timers_and_promises_bring_their_executions(store: Store) -> None:
    owned = Changes(
        new_executions=[execution("one"), execution("two"), execution("three")],
        new_timers=[timer("t", "one")],
        new_promises=[promise("p", "two")],
    )
    await write(store, owned)
    rows = await load(store, Wanted(timers=keys("t"), promises=keys("p")))
    assert (rows.timers[key("t")], rows.promises[key("p")]) == (timer("t", "one"), promise("p", "two"))
    assert set(rows.executions) == keys("one", "two")


async def test_timers_are_moved_and_removed(store: Store) -> None:
    await write(store, Changes(new_timers=[timer("a"), timer("b"), timer("c")]))
    await write(store, Changes(moved_timers=[timer("a", fire_at=1)], gone_timers=[key("b"), key("missing")]))
    rows = await load(store, Wanted(timers=keys("a", "b", "c")))
    assert rows.timers == {key("a"): timer("a", fire_at=1), key("c"): timer("c")}


async def test_promises_are_settled(store: Store) -> None:
    settled = promise(status=PromiseStatus.RESOLVED, closed_at=Instant(2_000))
    await write(store, Changes(new_promises=[promise(wake_at=Instant(3_000))]))
    await write(store, Changes(changed_promises=[settled]))
    assert await store.promises(key("order-1")) == [settled]


async def test_a_name_means_the_promise_that_was_created_last(store: Store) -> None:
    promises = [promise("1"), promise("2", created_at=Instant(3_000)), promise("3"), promise("4", name="else")]
    await write(store, Changes(new_executions=[execution()], new_promises=promises))
    known, unknown = (ACME, execution().id, "approval"), (ACME, execution().id, "unknown")
    rows = await load(store, Wanted(promise_names={known, unknown}))
    assert (rows.promise_names, ids(list(rows.promises)), len(rows.executions)) == ({known: "2"}, ["2"], 1)


async def test_a_request_key_gives_its_subject_and_its_task(store: Store) -> None:
    used = [
        RequestKey(ACME, "task", "k", "task-1", Instant(1)),
        RequestKey(ACME, "signal", "k", "order-1", Instant(1)),
        RequestKey(OTHER, "task", "k", "task-2", Instant(1)),
    ]
    await write(store, Changes(request_keys=used, new_tasks=[task("task-1"), task("task-2", tenant=OTHER)]))
    asked = {(ACME, "task", "k"), (ACME, "signal", "k"), (ACME, "task", "new")}
    rows = await load(store, Wanted(request_keys=asked))
    assert rows.request_keys == {(ACME, "task", "k"): "task-1", (ACME, "signal", "k"): "order-1"}
    assert ids(list(rows.tasks)) == ["task-1"]


@pytest.mark.parametrize(
    "wanted",
    [
        Wanted(request_keys={(ACME, "task", "k\0x")}),
        Wanted(promise_names={(ACME, execution().id, "approval\0")}),
    ],
    ids=["request key", "promise"],
)
async def test_a_name_with_nul_is_refused_and_never_taken_for_another(store: Store, wanted: Wanted) -> None:
    with pytest.raises(InvalidArgument, match="NUL"):
        await load(store, wanted)


async def test_whole_histories_come_in_order(store: Store) -> None:
    events = history(200) + history(3, "order-2")
    await write(store, Changes(new_executions=[execution()], events=events[::-1]))
    rows = await load(store, Wanted(histories=keys("order-1", "missing")))
    assert [event.sequence for event in rows.events[key("order-1")]] == list(range(1, 201))
    assert rows.events[key("missing")] == []


async def test_another_tenants_rows_are_not_seen(store: Store) -> None:
    await write(
        store,
        Changes(
            new_executions=[execution(tenant=OTHER)],
            new_tasks=[task(tenant=OTHER)],
            new_timers=[timer(tenant=OTHER)],
            new_promises=[promise(tenant=OTHER)],
            events=[entry(1, tenant=OTHER)],
        ),
    )
    everything = Wanted(
        executions=keys("order-1"),
        tasks=keys("task-1"),
        timers=keys("timer-1"),
        promises=keys("promise-1"),
        promise_names={(ACME, execution().id, "approval")},
    )
    assert await load(store, everything) == Rows()


async def test_what_hangs_on_another_tenants_execution_of_the_same_name_is_not_seen(store: Store) -> None:
    owned = {"tenant": OTHER, "execution_id": "order-1"}
    await write(
        store,
        Changes(
            new_executions=[
                execution(tenant=OTHER),
                execution("child", tenant=OTHER, parent_id="order-1"),
                execution(),
            ],
            new_tasks=[task(**owned)],
            new_timers=[timer(tenant=OTHER)],
            new_promises=[promise(tenant=OTHER)],
            events=[entry(1, tenant=OTHER)],
            new_frames=[frame("r/1", 2, "order-1", tenant=OTHER, status=FrameStatus.SUCCESS, result=b"1")],
            new_scopes=[scope("r/1", "order-1", tenant=OTHER)],
            flow_values=[FlowValue(OTHER, execution().id, "large", b"1")],
            flow_versions=[flow_version(tenant=OTHER)],
            queues=[QueueSetting(OTHER, QUEUE, Instant(1), "", "")],
            schedules=[schedule(tenant=OTHER)],
        ),
    )
    here = key("order-1")
    everything = Wanted(
        open_items_of={here},
        histories={here},
        frames={(*here, "r/1", 2)},
        scopes={(*here, "r/1")},
        flow_values={(*here, "large")},
        item_results={(*here, "r/1")},
        newest_flows={(ACME, "order")},
        flow_versions={(ACME, "order", 1)},
        queues={(ACME, QUEUE)},
        schedules={(ACME, "nightly")},
    )
    assert await load(store, everything) == Rows(
        open_tasks={here: []},
        open_timers={here: []},
        open_promises={here: []},
        open_children={here: []},
        events={here: []},
        item_results={(*here, "r/1"): []},
    )


async def test_open_items_are_those_that_have_not_ended(store: Store) -> None:
    done = {"status": TaskStatus.COMPLETED, "ready": False}
    await write(
        store,
        Changes(
            new_executions=[
                execution("order-1"),
                execution("child", parent_id="order-1", status=ExecutionStatus.WAITING),
                execution("closed", parent_id="order-1", status=ExecutionStatus.FAILED),
                execution("stranger", parent_id="order-2"),
            ],
            new_tasks=[
                task("open", execution_id="order-1"),
                task("done", execution_id="order-1", **done),
                task("alone"),
            ],
            new_timers=[timer("timer"), timer("other", "order-2")],
            new_promises=[promise("promise"), promise("settled", status=PromiseStatus.REJECTED)],
        ),
    )
    rows = await load(store, Wanted(open_items_of=keys("order-1", "missing")))
    assert rows.open_tasks == {key("order-1"): [key("open")], key("missing"): []}
    assert rows.open_timers[key("order-1")] == [key("timer")]
    assert rows.open_promises[key("order-1")] == [key("promise")]
    assert rows.open_children[key("order-1")] == [key("child")]
    assert (ids(list(rows.tasks)), ids(list(rows.timers)), ids(list(rows.promises))) == (
        ["open"],
        ["timer"],
        ["promise"],
    )
    assert set(rows.executions) == keys("child", "order-1")


PAYLOADS = {
    "nul": b'"\\u0000"',
    "unicode": '"größe 😀 \u2028"'.encode(),
    "large": b'"' + b"x" * 3_000_000 + b'"',
    "spaces": b'[ 1 , {"a" : 2} ]',
}


@pytest.mark.parametrize("payload", [*PAYLOADS.values(), b'"\\ud800"'], ids=[*PAYLOADS, "surrogate"])
async def test_payloads_are_kept_to_the_byte(store: Store, payload: bytes) -> None:
    written = execution(input=payload, output=payload)
    await write(store, Changes(new_executions=[written], new_tasks=[task(input=payload)]))
    rows = await load(store, Wanted(executions=keys("order-1"), tasks=keys("task-1")))
    assert rows.executions[key("order-1")] == written
    assert rows.tasks[key("task-1")].input == payload


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
async def test_events_are_kept_to_the_byte(store: Store, payload: bytes) -> None:
    written = SignalReceived("größe", msgspec.Raw(payload))
    await write(store, Changes(events=[entry(1, data=written)]))
    rows = await load(store, Wanted(histories=keys("order-1")))
    assert encode_event_data(rows.events[key("order-1")][0].data) == encode_event_data(written)


async def test_hundreds_of_rows_are_loaded_and_written_at_once(store: Store) -> None:
    many = [execution(f"order-{number}") for number in range(2_500)]
    tasks = [task(f"task-{number}", execution_id=f"order-{number}") for number in range(2_500)]
    await write(store, Changes(new_executions=many, new_tasks=tasks))
    rows = await load(store, Wanted(tasks={key(each.id) for each in tasks}))
    assert rows.executions == {key(each.id): each for each in many}
    assert rows.tasks == {key(each.id): each for each in tasks}


async def test_of_a_key_that_is_used_again_the_last_use_counts(store: Store) -> None:
    wanted = Wanted(request_keys={(ACME, "workflow", "k")})
    for number in (1, 2):
        used = RequestKey(ACME, "workflow", "k", f"order-{number}", Instant(number))
        await store.commit(Decision(wanted, lambda _, used=used: Changes(request_keys=[used])))  # type: ignore[misc]
    found = await load(store, wanted)
    assert found.request_keys == {(ACME, "workflow", "k"): "order-2"}
