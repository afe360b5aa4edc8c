"""What people see and set beside single records: queues, kinds, the feed, activity, searches."""

import pytest

from holdfast.model.ids import QueueName, TenantId
from holdfast.model.instants import Instant
from holdfast.model.oversight import (
    Activity,
    DueCount,
    HeldWork,
    Kind,
    Notice,
    Notices,
    OpenCount,
    QueueSetting,
    WorkSort,
)
from holdfast.model.queries import Cursor, ExecutionFilter
from holdfast.model.statuses import ExecutionStatus
from holdfast.ports.store import KEPT_ACTIVITY_MINUTES, Changes, Rows, Store, Wanted
from tests.stores.conftest import Open
from tests.stores.making import (
    ACME,
    OTHER,
    QUEUE,
    Decision,
    execution,
    ids,
    load,
    running_execution,
    running_task,
    task,
    timer,
    write,
)

SLOW = QueueName("slow")


def setting(queue: QueueName = QUEUE, paused_at: int | None = 5, tenant: TenantId = ACME) -> QueueSetting:
    return QueueSetting(tenant, queue, None if paused_at is None else Instant(paused_at), "me", "because")


async def test_queues_are_set_and_set_again_and_loaded_where_they_are_set(store: Store) -> None:
    await write(store, Changes(queues=[setting(), setting(SLOW, None), setting(tenant=OTHER)]))
    await write(store, Changes(queues=[setting(SLOW, 7)]))
    wanted = Wanted(queues={(ACME, QUEUE), (ACME, SLOW), (ACME, QueueName("untouched"))})
    assert (await load(store, wanted)).queues == {(ACME, QUEUE): setting(), (ACME, SLOW): setting(SLOW, 7)}
    assert await store.queue_settings(ACME) == [setting(), setting(SLOW, 7)]
    assert await store.queue_settings(TenantId("nobody")) == []


async def test_a_queue_that_is_set_in_another_store_is_seen_by_the_next_plan(open_store: Open) -> None:
    mine, other = await open_store(), await open_store()
    seen: list[int] = []

    def look(rows: Rows) -> Changes:
        seen.append(len(rows.queues))
        return Changes(new_executions=[execution(f"e{len(seen)}")])

    wanted = Wanted(queues={(ACME, QUEUE)})
    for expected in (0, 1, 1):
        await mine.commit(Decision(wanted, look))
        assert seen[-1] == expected
        await write(other, Changes(queues=[setting()]))


def kind(name: str, schema: bytes | None = None, **fields: object) -> Kind:
    given = {"tenant": ACME, "of": WorkSort.TASK, "version": "1", "output_schema": None} | fields
    return Kind(name=name, input_schema=schema, registered_at=Instant(1), **given)  # type: ignore[arg-type]


async def test_the_last_word_about_a_kind_counts(store: Store) -> None:
    later = kind("charge", b'{"type":"object"}', output_schema=b"true")
    workflow = kind("charge", of=WorkSort.WORKFLOW)
    await write(store, Changes(kinds=[kind("charge", b"{}"), kind("alone"), workflow, kind("foreign", tenant=OTHER)]))
    await write(store, Changes(kinds=[kind("charge"), later]))
    assert await store.kinds(ACME) == [kind("alone"), later, workflow]


def notice(identity: str) -> Notice:
    return Notice("task", identity, "charge", "PENDING")


def told(*identities: str, time: int = 1, tenant: TenantId = ACME) -> Notices:
    return Notices(tenant, Instant(time), tuple(notice(each) for each in identities))


async def test_notices_are_numbered_by_tenant_in_the_order_of_the_commits(store: Store) -> None:
    assert (await store.feed(ACME, 0, 10)).newest == 0
    await write(store, Changes(feed=[told("a", "b"), told("x", tenant=OTHER), told("c")]))
    await write(store, Changes(feed=[told("d", time=2)]))
    page = await store.feed(ACME, 0, 10)
    assert (page.first, page.oldest, page.newest) == (1, 1, 4)
    assert [(time, each.id) for time, each in page.notices] == [(1, "a"), (1, "b"), (1, "c"), (2, "d")]
    assert [each.id for _, each in (await store.feed(OTHER, 0, 10)).notices] == ["x"]


async def test_the_feed_is_read_from_anywhere_in_pages(store: Store) -> None:
    for number in range(5):
        await write(store, Changes(feed=[told(f"{number}a", f"{number}b")]))
    found: list[str] = []
    after = 0
    while True:
        page = await store.feed(ACME, after, 3)
        if not page.notices:
            break
        assert page.first == after + 1
        found += [each.id for _, each in page.notices]
        after += len(page.notices)
    assert found == [f"{number}{letter}" for number in range(5) for letter in "ab"]
    assert (await store.feed(ACME, 99, 3)).notices == ()


async def test_what_nobody_has_read_of_a_feed_is_let_go_too(store: Store) -> None:
    for number in range(10):
        await write(store, Changes(feed=[told(f"{number}a", f"{number}b"), told("x", tenant=OTHER)]))
    await store.forget_notices(ACME, 4)
    page = await store.feed(ACME, 0, 100)
    assert (page.first, page.oldest, page.newest) == (17, 17, 20)
    assert [each.id for _, each in page.notices] == ["8a", "8b", "9a", "9b"]
    assert (await store.feed(OTHER, 0, 100)).oldest == 1
    await write(store, Changes(feed=[told("last")]))
    await store.forget_notices(ACME, 100)
    page = await store.feed(ACME, 18, 100)
    assert [each.id for _, each in page.notices] == ["9a", "9b", "last"]


async def test_followers_of_a_feed_in_two_stores_see_one_order(open_store: Open) -> None:
    first, second = await open_store(), await open_store()
    for number in range(4):
        await write((first, second)[number % 2], Changes(feed=[told(str(number))]))
    pages = [await each.feed(ACME, 0, 10) for each in (first, second)]
    assert pages[0] == pages[1]
    assert [each.id for _, each in pages[0].notices] == ["0", "1", "2", "3"]


def activity(minute: int, count: int, total_ms: int = 0, **fields: object) -> Activity:
    given = {"tenant": ACME, "of": WorkSort.TASK, "queue": QUEUE, "kind": "charge", "what": "COMPLETED", "size": 3}
    return Activity(minute=minute, count=count, total_ms=total_ms, **(given | fields))  # type: ignore[arg-type]


async def test_activity_is_added_up_and_old_one_is_forgotten(store: Store) -> None:
    now = 2 * KEPT_ACTIVITY_MINUTES
    await write(store, Changes(activity=[activity(now, 1, 10), activity(0, 9)]))
    await write(
        store, Changes(activity=[activity(now, 2, 5), activity(now, 1, size=4), activity(now, 1, tenant=OTHER)])
    )
    assert await store.activity(ACME, now) == [activity(now, 3, 15), activity(now, 1, size=4)]
    assert await store.activity(ACME, now + 1) == []


async def test_what_one_tenant_does_lets_nothing_of_another_be_forgotten(store: Store) -> None:
    now = 2 * KEPT_ACTIVITY_MINUTES
    theirs = activity(0, 5, tenant=OTHER)
    await write(store, Changes(activity=[activity(0, 9), theirs]))
    await write(store, Changes(activity=[activity(now, 1)]))
    assert await store.activity(ACME, 0) == [activity(now, 1)]
    assert await store.activity(OTHER, 0) == [theirs]


async def test_open_executions_are_counted_by_kind(store: Store) -> None:
    closed = execution("c", status=ExecutionStatus.COMPLETED, closed_at=Instant(5))
    others = [execution("b", kind="ship"), closed, execution("d", tenant=OTHER)]
    await write(store, Changes(new_executions=[execution("a"), execution("e"), *others]))
    assert await store.open_executions(ACME) == [OpenCount("checkout", 2), OpenCount("ship", 1)]


async def test_what_workers_are_busy_with_is_told_by_worker(store: Store) -> None:
    executions = [running_execution("a", "w2"), running_execution("foreign", "w1", tenant=OTHER), execution("b")]
    tasks = [
        running_task("t1", "w1", started_at=Instant(5), progress=0.5),
        running_task("t2", "w2", execution_id="a"),
        running_task("foreign", "w1", tenant=OTHER),
        task("t3"),
    ]
    await write(store, Changes(new_executions=executions, new_tasks=tasks))
    assert await store.held_work(ACME, 10) == [
        HeldWork("w1", WorkSort.TASK, "t1", "charge", None, Instant(5), 0.5),
        HeldWork("w2", WorkSort.TASK, "t2", "charge", "a", None, 0.0),
        HeldWork("w2", WorkSort.WORKFLOW, "a", "checkout", None, None, 0.0),
    ]
    assert [each.id for each in await store.held_work(ACME, 1)] == ["t1", "a"]


async def test_timers_are_counted_by_when_they_fire(store: Store) -> None:
    made = [timer(str(fire_at), fire_at=fire_at) for fire_at in (5, 9, 10, 35, 40)]
    await write(store, Changes(new_timers=[*made, timer("foreign", tenant=OTHER)]))
    steps = [DueCount(Instant(0), 2), DueCount(Instant(10), 1), DueCount(Instant(30), 1)]
    assert await store.timers_due(ACME, Instant(40), 10) == steps


SEARCHED = [
    execution("order-1", created_at=Instant(1), metadata=b'{"who":"Ada","n":1}'),
    execution("Order-2", created_at=Instant(2), metadata=b'{"who":"Bob","n":1}'),
    execution(
        "x", created_at=Instant(3), kind="reorder", status=ExecutionStatus.FAILED, failure=b'{"message":"Disk FULL"}'
    ),
    execution("y", created_at=Instant(4), metadata=b"[1]"),
    execution("z", created_at=Instant(5), tenant=OTHER, metadata=b'{"who":"Ada"}'),
]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"text": "ORDER"}, ["x", "Order-2", "order-1"]),
        ({"text": "order-1"}, ["order-1"]),
        ({"text": "disk full"}, ["x"]),
        ({"text": "ada"}, ["order-1"]),
        ({"text": "%"}, []),
        ({"text": "_"}, []),
        ({"text": "order", "kind": "checkout"}, ["Order-2", "order-1"]),
        ({"text": "order", "statuses": (ExecutionStatus.FAILED,)}, ["x"]),
        ({"metadata": (("who", b'"Ada"'),)}, ["order-1"]),
        ({"metadata": (("n", b"1"),)}, ["Order-2", "order-1"]),
        ({"metadata": (("n", b"1"), ("who", b'"Bob"'))}, ["Order-2"]),
        ({"metadata": (("n", b'"1"'),)}, []),
        ({"metadata": (("missing", b"null"),)}, []),
        ({"text": "order", "created_from": Instant(2), "created_before": Instant(3)}, ["Order-2"]),
    ],
)  # fmt: skip
async def test_executions_are_searched(store: Store, wanted: dict[str, object], expected: list[str]) -> None:
    await write(store, Changes(new_executions=SEARCHED))
    page = await store.list_executions(ExecutionFilter(ACME, **wanted))  # type: ignore[arg-type]
    assert (ids(list(page.executions)), page.next) == (expected, None)


async def test_a_search_comes_in_pages(store: Store) -> None:
    await write(store, Changes(new_executions=SEARCHED))
    first = await store.list_executions(ExecutionFilter(ACME, text="order", limit=2))
    second = await store.list_executions(ExecutionFilter(ACME, text="order", limit=2, after=first.next))
    assert (ids(list(first.executions)), ids(list(second.executions))) == (["x", "Order-2"], ["order-1"])
    assert (first.next, second.next) == (Cursor(Instant(2), SEARCHED[1].id), None)
