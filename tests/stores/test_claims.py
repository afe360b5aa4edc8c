"""What may be claimed, in which order; what is due; what is held."""

import random
from typing import Any

from holdfast.model.ids import QueueName, WorkerId
from holdfast.model.instants import Instant
from holdfast.model.ranks import task_rank
from holdfast.model.records import Task
from holdfast.model.statuses import ExecutionStatus, TaskStatus
from holdfast.ports.store import SHORT_HISTORY, Changes, ClaimWanted, DueWanted, HeldWanted, Store, Wanted
from holdfast.stores.postgres.store import PostgresStore
from tests.stores.making import (
    ACME,
    OTHER,
    QUEUE,
    entry,
    execution,
    history,
    ids,
    key,
    keys,
    load,
    promise,
    running_execution,
    running_task,
    schedule,
    task,
    timer,
    write,
)


def claim(*kinds: str, limit: int = 10, queue: str = QUEUE) -> ClaimWanted:
    return ClaimWanted(ACME, QueueName(queue), frozenset(kinds), limit)


def at(instant: int) -> dict[str, Any]:
    return {"created_at": Instant(instant)}


async def test_executions_are_claimed_oldest_first_whatever_their_kind(store: Store) -> None:
    await write(
        store,
        Changes(
            new_executions=[
                execution("c", kind="x", **at(3)),
                execution("b", kind="y", **at(2)),
                execution("a", kind="x", **at(2)),
                execution("d", kind="y", **at(1)),
            ]
        ),
    )
    rows = await load(store, Wanted(execution_claims=[claim("x", "y"), claim("x", limit=1), claim("unknown")]))
    assert [ids(found) for found in rows.claimable_executions] == [["d", "a", "b", "c"], ["a"], []]
    assert set(rows.executions) == keys("a", "b", "c", "d")


async def test_only_pending_executions_of_the_queue_and_tenant_are_claimed(store: Store) -> None:
    others = [
        execution("queue", queue="other"),
        execution("kind", kind="other"),
        execution("tenant", tenant=OTHER),
        *(execution(status, status=status) for status in ExecutionStatus if status is not ExecutionStatus.PENDING),
    ]
    await write(store, Changes(new_executions=[*others, execution("mine")]))
    rows = await load(store, Wanted(execution_claims=[claim("checkout"), claim("checkout", queue="empty")]))
    assert [ids(found) for found in rows.claimable_executions] == [["mine"], []]


async def test_a_short_history_comes_whole_with_a_claim(store: Store) -> None:
    written = execution(last_sequence=SHORT_HISTORY, seen_sequence=SHORT_HISTORY - 1)
    await write(store, Changes(new_executions=[written], events=history(SHORT_HISTORY)))
    rows = await load(store, Wanted(execution_claims=[claim("checkout")]))
    assert [event.sequence for event in rows.events[key("order-1")]] == list(range(1, SHORT_HISTORY + 1))


async def test_a_claim_comes_without_the_events_of_another_tenants_execution_of_the_same_name(store: Store) -> None:
    foreign = [entry(number, tenant=OTHER) for number in (1, 2)]
    await write(store, Changes(new_executions=[execution(last_sequence=1)], events=[entry(1), *foreign]))
    rows = await load(store, Wanted(execution_claims=[claim("checkout")]))
    assert [event.sequence for event in rows.events[key("order-1")]] == [1]


async def test_of_a_long_history_comes_what_the_code_has_not_seen(store: Store) -> None:
    length = SHORT_HISTORY + 10
    written = execution(last_sequence=length, seen_sequence=length - 2)
    await write(store, Changes(new_executions=[written], events=history(length)))
    rows = await load(store, Wanted(execution_claims=[claim("checkout")]))
    assert [event.sequence for event in rows.events[key("order-1")]] == [length - 1, length]


async def test_of_very_many_unseen_events_the_last_come(store: Store) -> None:
    await write(store, Changes(new_executions=[execution(last_sequence=3_000)], events=history(3_000)))
    rows = await load(store, Wanted(execution_claims=[claim("checkout")]))
    sequences = [event.sequence for event in rows.events[key("order-1")]]
    assert 64 <= len(sequences) < 3_000
    assert sequences == list(range(3_001 - len(sequences), 3_001))


async def test_tasks_are_claimed_by_priority_then_time_then_age(store: Store) -> None:
    await write(
        store,
        Changes(
            new_tasks=[
                task("g", **at(3)),
                task("f", **at(2)),
                task("e", task_type="pack", **at(2)),
                task("late", scheduled_at=Instant(2_000), **at(0)),
                task("early", task_type="pack", scheduled_at=Instant(1_500), **at(9)),
                task("urgent", priority=9, **at(9)),
                task("lazy", priority=-9, **at(0)),
            ]
        ),
    )
    rows = await load(store, Wanted(task_claims=[claim("charge", "pack"), claim("pack", limit=1)]))
    assert ids(rows.claimable_tasks[0]) == ["urgent", "e", "f", "g", "early", "late", "lazy"]
    assert ids(rows.claimable_tasks[1]) == ["e"]
    assert len(rows.tasks) == 7


async def test_the_order_is_that_of_the_rank(store: Store) -> None:
    chance = random.Random(7)
    now = 1_800_000_000_000

    def some(number: int) -> Task:
        created = now + chance.randrange(90_000)
        due = Instant(created + chance.choice([-1, 1]) * chance.choice([0, 1, 999, 61_000, 10**9]))
        return task(
            f"t{number}", priority=chance.randrange(-1, 2), scheduled_at=chance.choice([None, due]), **at(created)
        )

    made = [some(number) for number in range(200)]
    await write(store, Changes(new_tasks=made))
    rows = await load(store, Wanted(task_claims=[claim("charge", limit=300)]))
    assert ids(rows.claimable_tasks[0]) == [each.id for each in sorted(made, key=lambda row: (task_rank(row), row.id))]


async def test_what_is_urgent_overtakes_but_not_for_ever(store: Store) -> None:
    """A step of priority is worth a minute."""
    waiting = [task("ten-minutes-ago", **at(0)), task("just-now", **at(600_000))]
    urgent = [task(f"urgent-{minute}", priority=5, **at(minute * 60_000)) for minute in (4, 6, 12)]
    await write(store, Changes(new_tasks=[*urgent, *waiting]))
    rows = await load(store, Wanted(task_claims=[claim("charge")]))
    assert ids(rows.claimable_tasks[0]) == ["urgent-4", "ten-minutes-ago", "urgent-6", "urgent-12", "just-now"]


async def test_a_tenant_with_much_pending_is_not_in_the_way_of_another(store: Store) -> None:
    flood = [task(f"flood-{number}", priority=9, tenant=OTHER, **at(0)) for number in range(2_000)]
    await write(store, Changes(new_tasks=[*flood, task("mine", **at(9))]))
    rows = await load(store, Wanted(task_claims=[claim("charge", limit=5)]))
    assert rows.claimable_tasks == [[key("mine")]]


async def test_only_ready_tasks_of_the_queue_and_tenant_are_claimed(store: Store) -> None:
    others = [
        task("queue", queue="other"),
        task("type", task_type="other"),
        task("tenant", tenant=OTHER),
        task("later", ready=False),
        running_task("held", "nobody/w"),
    ]
    mine = task("mine", execution_id="order-1")
    await write(store, Changes(new_executions=[execution()], new_tasks=[*others, mine]))
    rows = await load(store, Wanted(task_claims=[claim("charge")]))
    assert rows.claimable_tasks == [[key("mine")]]


async def test_the_limit_of_each_claim_holds(store: Store) -> None:
    await write(store, Changes(new_tasks=[task(f"t{number}", **at(number)) for number in range(9)]))
    rows = await load(store, Wanted(task_claims=[claim("charge", limit=2), claim("charge", limit=5)]))
    assert [ids(found) for found in rows.claimable_tasks] == [["t0", "t1"], ["t0", "t1", "t2", "t3", "t4"]]


async def test_what_is_due_comes_earliest_first_with_its_owners(store: Store) -> None:
    def wake(instant: int) -> dict[str, Any]:
        return {"wake_at": Instant(instant)}

    await write(
        store,
        Changes(
            new_executions=[execution("e2", **wake(20)), execution("e1", **wake(10)), execution("e3", **wake(31))],
            new_tasks=[task("t1", execution_id="e3", **wake(30)), task("t2", **wake(5)), task("never")],
            new_timers=[timer("r1", "e1", 30), timer("r2", "e1", 7), timer("r3", "e1", 31)],
            new_promises=[promise("p1", "e2", **wake(30)), promise("p2", "e2", **wake(40)), promise("p3", "e2")],
        ),
    )
    rows = await load(store, Wanted(due=DueWanted(Instant(30), 10)))
    assert [ids(due) for due in (rows.due_executions, rows.due_tasks)] == [["e1", "e2"], ["t2", "t1"]]
    assert [ids(due) for due in (rows.due_timers, rows.due_promises)] == [["r2", "r1"], ["p1"]]
    assert (len(rows.timers), len(rows.promises), len(rows.tasks)) == (2, 1, 2)
    assert set(rows.executions) == keys("e1", "e2", "e3")


async def test_no_more_is_due_than_asked_for(store: Store) -> None:
    made = [timer(f"t{number}", fire_at=number) for number in range(9)]
    await write(store, Changes(new_executions=[execution()], new_timers=made))
    rows = await load(store, Wanted(due=DueWanted(Instant(100), 3)))
    assert ids(rows.due_timers) == ["t0", "t1", "t2"]


async def test_held_is_what_these_workers_run(store: Store) -> None:
    closed = {"status": TaskStatus.COMPLETED}
    await write(
        store,
        Changes(
            new_executions=[
                running_execution("mine", "a/1"),
                running_execution("theirs", "b/1"),
                running_execution("over", "a/1", status=ExecutionStatus.COMPLETED),
                execution("owner"),
            ],
            new_tasks=[
                running_task("t1", "a/2", execution_id="owner"),
                running_task("t2", "a/3"),
                running_task("t3", "a/2", **closed),
            ],
        ),
    )
    workers = frozenset({WorkerId("a/1"), WorkerId("a/2")})
    rows = await load(store, Wanted(held=HeldWanted(workers, 10)))
    assert (ids(rows.held_executions), ids(rows.held_tasks)) == (["mine"], ["t1"])
    assert set(rows.executions) == keys("mine", "owner")


async def test_the_next_wake_is_the_earliest_of_all(store: Store) -> None:
    assert await store.next_wake() is None
    for changes, expected in (
        (Changes(new_executions=[execution(wake_at=Instant(40))]), 40),
        (Changes(new_promises=[promise(wake_at=Instant(30))]), 30),
        (Changes(new_timers=[timer(fire_at=20)]), 20),
        (Changes(new_tasks=[task(wake_at=Instant(10))]), 10),
        (Changes(changed_tasks=[task()]), 20),
    ):
        await write(store, changes)
        assert await store.next_wake() == expected


async def test_what_follows_is_the_earliest_that_is_not_due_yet_or_left_unsaid(store: Store) -> None:
    due = Wanted(due=DueWanted(Instant(30), 10))
    assert (await load(store, due)).following_wake is None
    for changes, expected in (
        (Changes(new_executions=[execution(wake_at=Instant(80))], new_timers=[timer("due", fire_at=30)]), 80),
        (Changes(new_promises=[promise(wake_at=Instant(70))]), 70),
        (Changes(new_timers=[timer("later", fire_at=60)]), 60),
        (Changes(new_tasks=[task(wake_at=Instant(50))]), 50),
        (Changes(schedules=[schedule(wake_at=Instant(40))]), 40),
    ):
        await write(store, changes)
        # Who passes over what others have locked cannot tell.
        tells = not isinstance(store, PostgresStore)
        assert (await load(store, due)).following_wake == (expected if tells else None)
