"""The questions that people and workers ask beside the commits."""

import msgspec

from holdfast.model.events import Event
from holdfast.model.ids import QueueName
from holdfast.model.instants import Instant
from holdfast.model.queries import (
    Cursor,
    ExecutionFilter,
    HistoryWanted,
    QueueCount,
    StateSnapshot,
    TaskFilter,
    TimerPage,
)
from holdfast.model.records import Attempt, StateEntry, TaskLine
from holdfast.model.statuses import AttemptStatus, ExecutionStatus, TaskStatus
from holdfast.ports.store import Changes, Store
from tests.stores.making import (
    ACME,
    OTHER,
    QUEUE,
    WORKER,
    entry,
    execution,
    history,
    ids,
    key,
    promise,
    running_execution,
    running_task,
    task,
    timer,
    write,
)


def sequences(pages: list[list[Event]]) -> list[list[int]]:
    return [[event.sequence for event in page] for page in pages]


async def test_pages_of_several_histories_come_in_the_order_of_the_question(store: Store) -> None:
    await write(store, Changes(events=history(5) + history(2, "order-2") + [entry(1, tenant=OTHER)]))
    asked = [
        HistoryWanted(ACME, execution("order-2").id, 0, 10),
        HistoryWanted(ACME, execution("order-1").id, 1, 2),
        HistoryWanted(ACME, execution("missing").id, 0, 10),
        HistoryWanted(OTHER, execution("order-1").id, 0, 10),
        HistoryWanted(ACME, execution("order-1").id, 5, 2),
    ]
    assert sequences(await store.histories(asked)) == [[1, 2], [2, 3], [], [1], []]
    assert await store.histories([]) == []


async def test_one_record_or_none(store: Store) -> None:
    await write(store, Changes(new_executions=[execution()], new_tasks=[task()]))
    assert (await store.execution(key("order-1")), await store.task(key("task-1"))) == (execution(), task())
    assert (await store.execution(key("missing")), await store.task(key("task-1", OTHER))) == (None, None)
    assert ids(await store.tasks([key("task-1"), key("missing")])) == ["task-1"]


async def all_pages(store: Store, wanted: ExecutionFilter) -> list[list[str]]:
    pages: list[list[str]] = []
    after: Cursor | None = None
    while True:
        page = await store.list_executions(
            ExecutionFilter(
                wanted.tenant, kind=wanted.kind, parent_id=wanted.parent_id, after=after, limit=wanted.limit
            )
        )
        pages.append(ids(list(page.executions)))
        after = page.next
        if after is None:
            return pages


async def test_executions_are_listed_newest_first_page_by_page(store: Store) -> None:
    made = [execution(f"e{number}", created_at=Instant(number // 2)) for number in range(5)]
    await write(store, Changes(new_executions=[*made, execution("other", tenant=OTHER)]))
    assert await all_pages(store, ExecutionFilter(ACME, limit=2)) == [["e4", "e3"], ["e2", "e1"], ["e0"]]
    assert await all_pages(store, ExecutionFilter(ACME, limit=5)) == [["e4", "e3", "e2", "e1", "e0"]]


async def test_children_are_listed_page_by_page(store: Store) -> None:
    made = [execution(f"e{number}", parent_id="p", created_at=Instant(number)) for number in range(3)]
    foreign = execution("foreign", parent_id="p", tenant=OTHER)
    await write(store, Changes(new_executions=[*made, execution("orphan"), foreign]))
    wanted = ExecutionFilter(ACME, parent_id=execution("p").id, limit=2)
    assert await all_pages(store, wanted) == [["e2", "e1"], ["e0"]]


async def test_executions_are_filtered(store: Store) -> None:
    await write(
        store,
        Changes(
            new_executions=[
                execution("a", created_at=Instant(1), kind="x"),
                execution("b", created_at=Instant(2), status=ExecutionStatus.FAILED),
                execution("c", created_at=Instant(3), status=ExecutionStatus.COMPLETED),
            ]
        ),
    )
    failed = (ExecutionStatus.FAILED, ExecutionStatus.CANCELLED)
    for wanted, expected in (
        (ExecutionFilter(ACME, kind="x"), ["a"]),
        (ExecutionFilter(ACME, statuses=failed), ["b"]),
        (ExecutionFilter(ACME, created_from=Instant(2)), ["c", "b"]),
        (ExecutionFilter(ACME, created_before=Instant(2)), ["a"]),
        (ExecutionFilter(ACME, created_from=Instant(2), created_before=Instant(3)), ["b"]),
    ):
        assert ids(list((await store.list_executions(wanted)).executions)) == expected


async def test_tasks_are_listed_of_an_execution_or_standing_alone(store: Store) -> None:
    await write(
        store,
        Changes(
            new_tasks=[
                task("mine", execution_id="order-1"),
                task("theirs", execution_id="order-2"),
                task("alone", created_at=Instant(5)),
                task("packed", task_type="pack", queue="slow", created_at=Instant(6), status=TaskStatus.FAILED),
            ]
        ),
    )
    for wanted, expected in (
        (TaskFilter(ACME, execution_id=execution("order-1").id), ["mine"]),
        (TaskFilter(ACME), ["packed", "alone"]),
        (TaskFilter(ACME, task_type="charge"), ["alone"]),
        (TaskFilter(ACME, queue=QueueName("slow")), ["packed"]),
        (TaskFilter(ACME, statuses=(TaskStatus.FAILED,)), ["packed"]),
        (TaskFilter(OTHER), []),
    ):
        assert ids(list((await store.list_tasks(wanted)).tasks)) == expected
    first = await store.list_tasks(TaskFilter(ACME, limit=1))
    second = await store.list_tasks(TaskFilter(ACME, limit=1, after=first.next))
    assert (ids(list(first.tasks)), ids(list(second.tasks)), second.next) == (["packed"], ["alone"], None)


async def test_attempts_come_in_order(store: Store) -> None:
    start, end = Instant(1), Instant(2)
    failed = Attempt(ACME, task().id, 1, start, end, AttemptStatus.FAILED, WORKER, failure=b'{"type":"E"}')
    done = Attempt(ACME, task().id, 2, start, end, AttemptStatus.COMPLETED, None, output=b"1")
    await write(store, Changes(attempts=[done, failed]))
    assert await store.attempts(key("task-1")) == [failed, done]
    assert await store.attempts(key("task-1", OTHER)) == []


def line(body: bytes, owner: str = "task-1", level: str | None = None) -> TaskLine:
    return TaskLine(ACME, task(owner).id, 1, Instant(1), "log", level, body)


async def test_lines_are_numbered_by_the_store(store: Store) -> None:
    await write(store, Changes(lines=[line(b'"a"', level="INFO"), line(b'"x"', "task-2"), line(b'"b"')]))
    await write(store, Changes(lines=[line(b""), line(b'"y"', "task-2")]))
    found = await store.lines(key("task-1"), 0, 10)
    assert [(each.number, each.body, each.level) for each in found] == [
        (1, b'"a"', "INFO"),
        (2, b'"b"', None),
        (3, b"", None),
    ]
    assert [each.number for each in await store.lines(key("task-1"), 1, 1)] == [2]
    assert [each.body for each in await store.lines(key("task-2"), 0, 10)] == [b'"x"', b'"y"']


async def test_state_is_set_and_cleared_and_the_last_word_counts(store: Store) -> None:
    def entries(*values: tuple[str, bytes | None]) -> Changes:
        return Changes(state=[StateEntry(ACME, execution().id, name, value) for name, value in values])

    await write(store, entries(("a", b"1"), ("b", b"1"), ("b", b"2"), ("c", b"1"), ("c", None)))
    assert await store.state(key("order-1")) == StateSnapshot({"a": b"1", "b": b"2"})
    await write(store, entries(("a", None), ("b", b"3"), ("gone", None)))
    assert await store.state(key("order-1")) == StateSnapshot({"b": b"3"})
    assert await store.state(key("order-2")) == StateSnapshot({})


async def test_timers_are_listed_next_to_fire_first(store: Store) -> None:
    late, soon, other = timer("late", fire_at=9), timer("soon", fire_at=1), timer("other", "order-2", fire_at=5)
    await write(store, Changes(new_timers=[late, soon, other, timer("foreign", tenant=OTHER)]))
    assert await store.list_timers(ACME, None, 2) == TimerPage((soon, other), 3)
    assert await store.list_timers(ACME, execution("order-1").id, 10) == TimerPage((soon, late), 2)


async def test_promises_come_in_the_order_of_their_creation(store: Store) -> None:
    made = [promise("b", created_at=Instant(1)), promise("a", created_at=Instant(2)), promise("c", "order-2")]
    await write(store, Changes(new_promises=[*made[::-1], promise("d", tenant=OTHER)]))
    assert ids(await store.promises(key("order-1"))) == ["b", "a"]


async def test_open_work_is_counted_by_queue_and_kind(store: Store) -> None:
    await write(
        store,
        Changes(
            new_executions=[
                execution("a", created_at=Instant(5)),
                execution("b", created_at=Instant(4)),
                running_execution("c", "w/1"),
                execution("d", status=ExecutionStatus.WAITING),
                execution("e", tenant=OTHER),
            ],
            new_tasks=[task("f"), task("g", ready=False, wake_at=Instant(9)), running_task("h", "w/1")],
        ),
    )
    assert sorted(await store.queue_counts(ACME), key=msgspec.structs.astuple) == [
        QueueCount(QUEUE, "task", "charge", "DELAYED", 1, Instant(1_000)),
        QueueCount(QUEUE, "task", "charge", "PENDING", 1, Instant(1_000)),
        QueueCount(QUEUE, "task", "charge", "RUNNING", 1, Instant(1_000)),
        QueueCount(QUEUE, "workflow", "checkout", "PENDING", 2, Instant(4)),
        QueueCount(QUEUE, "workflow", "checkout", "RUNNING", 1, Instant(1_000)),
    ]
