"""A plan is carried out as a whole or not at all, and nobody gets between its look and its deed."""

import asyncio
import threading
from typing import Any

import msgspec
import pytest

from holdfast.model.errors import HoldfastError, InvalidArgument, Stopped
from holdfast.model.instants import Instant
from holdfast.model.records import RequestKey
from holdfast.ports.store import Changes, Rows, Store, Wanted
from tests.stores.conftest import Make, Open
from tests.stores.making import ACME, Decision, entry, execution, key, keys, load, promise, schedule, task, timer, write


def everything() -> Changes:
    return Changes(
        new_executions=[execution()],
        new_tasks=[task()],
        new_timers=[timer()],
        new_promises=[promise()],
        events=[entry(1)],
        request_keys=[RequestKey(ACME, "task", "k", "task-1", Instant(1))],
    )


async def test_a_plan_that_raises_leaves_nothing(store: Store) -> None:
    def refuse(rows: Rows) -> Changes:
        raise InvalidArgument("no")

    with pytest.raises(InvalidArgument, match="no"):
        await store.commit(Decision(Wanted(), refuse))
    await write(store, everything())
    assert await store.execution(key("order-1")) is not None


@pytest.mark.parametrize(
    "broken",
    [
        Changes(changed_executions=[execution("missing")]),
        Changes(changed_tasks=[task("missing")]),
        Changes(moved_timers=[timer("missing")]),
        Changes(changed_promises=[promise("missing")]),
        Changes(new_executions=[execution("twice"), execution("twice")]),
        Changes(events=[entry(1), entry(1)]),
    ],
    ids=["execution", "task", "timer", "promise", "same id", "same sequence"],
)
async def test_changes_that_cannot_be_written_leave_nothing(store: Store, broken: Changes) -> None:
    whole = msgspec.structs.replace(broken, request_keys=[RequestKey(ACME, "s", "k", "x", Instant(1))])
    whole.new_tasks.append(task("witness"))
    with pytest.raises(HoldfastError):
        await write(store, whole)
    rows = await load(store, Wanted(tasks=keys("witness"), request_keys={(ACME, "s", "k")}))
    assert rows == Rows()


async def test_a_plan_may_want_more_and_sees_just_that(store: Store) -> None:
    await write(store, everything())
    seen: list[Rows] = []

    def decide(rows: Rows) -> Changes | Wanted:
        seen.append(rows)
        return Wanted(tasks=keys("task-1")) if len(seen) == 1 else Changes(new_executions=[execution("order-2")])

    await store.commit(Decision(Wanted(executions=keys("order-1")), decide))
    assert [(len(rows.executions), len(rows.tasks)) for rows in seen] == [(1, 0), (0, 1)]
    assert await store.execution(key("order-2")) is not None


async def test_a_plan_that_is_never_content_is_stopped(store: Store) -> None:
    with pytest.raises(HoldfastError, match="goes on asking"):
        await store.commit(Decision(Wanted(), lambda _: Wanted(executions=keys("order-1"))))
    await write(store, everything())


async def test_concurrent_commits_lose_no_update(open_store: Open) -> None:
    """Each adds one to what it sees: two stores, many at a time."""
    stores = [await open_store(), await open_store()]
    await write(stores[0], Changes(new_executions=[execution()]))

    def add_one(rows: Rows) -> Changes:
        [found] = rows.executions.values()
        return Changes(changed_executions=[msgspec.structs.replace(found, open_items=found.open_items + 1)])

    plans = [store.commit(Decision(Wanted(executions=keys("order-1")), add_one)) for store in stores * 25]
    await asyncio.gather(*plans)
    [counted] = await stores[1].executions([key("order-1")])
    assert counted.open_items == 50


async def test_concurrent_commits_lose_no_update_of_a_schedule(open_store: Open) -> None:
    """It is written as a whole, so whoever has not seen the last change would undo it."""
    stores = [await open_store(), await open_store()]
    await write(stores[0], Changes(schedules=[schedule()]))

    def add_one(rows: Rows) -> Changes:
        [found] = rows.schedules.values()
        return Changes(schedules=[msgspec.structs.replace(found, started=found.started + 1)])

    wanted = Wanted(schedules={(ACME, "nightly")})
    await asyncio.gather(*[store.commit(Decision(wanted, add_one)) for store in stores * 25])
    counted = await stores[1].schedule((ACME, "nightly"))
    assert counted is not None
    assert counted.started == 50


async def test_reads_neither_wait_for_a_commit_nor_see_half_of_it(database: Store, make_store: Make) -> None:
    """The commit is decided in a store of another thread, for some stores decide on the loop that they run on."""
    await write(database, Changes(new_executions=[execution("before")]))
    deciding, go_on = threading.Event(), threading.Event()

    def decide(rows: Rows) -> Changes:
        deciding.set()
        assert go_on.wait(30)
        return Changes(new_executions=[execution("after")])

    async def commit_elsewhere() -> None:
        other = make_store()
        await other.open()
        await other.commit(Decision(Wanted(executions=keys("before")), decide))
        await other.close()

    committing = asyncio.ensure_future(asyncio.to_thread(asyncio.run, commit_elsewhere()))
    await asyncio.to_thread(deciding.wait, 30)
    assert [each.id for each in await database.executions([key("before"), key("after")])] == ["before"]
    go_on.set()
    await committing
    assert len(await database.executions([key("before"), key("after")])) == 2


async def test_a_commit_goes_on_when_nobody_awaits_it_any_more(database: Store) -> None:
    loop = asyncio.get_running_loop()

    def decide(rows: Rows) -> Changes:
        loop.call_soon_threadsafe(committing.cancel)
        return everything()

    committing = asyncio.ensure_future(database.commit(Decision(Wanted(), decide)))
    with pytest.raises(asyncio.CancelledError):
        await committing
    assert (await load(database, Wanted(executions=keys("order-1")))).executions


async def test_closing_finishes_what_has_been_asked(open_store: Open) -> None:
    store = await open_store()
    commits = [asyncio.ensure_future(write(store, Changes(new_tasks=[task(f"t{number}")]))) for number in range(20)]
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(*commits)
    assert len(await (await open_store()).tasks([key(f"t{number}") for number in range(20)])) == 20


async def test_a_closed_store_says_so(store: Store) -> None:
    await store.close()
    await store.close()
    for question in (write(store, Changes()), store.next_wake(), store.changed_outside()):
        with pytest.raises(Stopped):
            await question


async def test_own_commits_are_not_from_outside(open_store: Open) -> None:
    mine, other = await open_store(), await open_store()
    await write(mine, everything())
    assert await mine.changed_outside() is False
    assert await other.changed_outside() is True
    assert await other.changed_outside() is False
    await write(other, Changes(new_tasks=[task("theirs")]))
    assert (await mine.changed_outside(), await other.changed_outside()) == (True, False)


async def test_what_is_written_is_there_after_reopening(open_store: Open) -> None:
    first = await open_store()
    await write(first, everything())
    await first.close()
    rows = await load(await open_store(), Wanted(executions=keys("order-1"), tasks=keys("task-1")))
    assert (len(rows.executions), len(rows.tasks)) == (1, 1)


async def test_an_empty_plan_is_nothing_to_write(store: Store) -> None:
    plans: list[Any] = [write(store, Changes()) for _ in range(3)]
    await asyncio.gather(*plans)
    assert await load(store, Wanted()) == Rows()
