"""SQLite's store does not read again what it has written itself, unless somebody else may have changed it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from holdfast.model.errors import HoldfastError
from holdfast.model.ids import ClaimToken, WorkerId
from holdfast.model.instants import Instant
from holdfast.model.oversight import QueueSetting
from holdfast.model.statuses import ExecutionStatus
from holdfast.ports.store import Changes, Wanted
from holdfast.stores.sqlite import SqliteStore, recalling
from tests.stores.making import (
    ACME,
    QUEUE,
    Decision,
    execution,
    key,
    keys,
    load,
    promise,
    running_execution,
    running_task,
    task,
    timer,
    write,
)
from tests.stores.sqlite_making import Faults, error_of_sqlite, opened
from tests.stores.test_loading_by_key import FULL_EXECUTION, FULL_TASK

BUSY = 5
PAUSED = QueueSetting(ACME, QUEUE, Instant(7), "ada", "repairs")
ORDER = Wanted(executions=keys("order-1"))
OF_QUEUE = Wanted(queues={(ACME, QUEUE)})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "holdfast.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    async with opened(path) as store:
        yield store


async def rows_read(store: SqliteStore, wanted: Wanted) -> int:
    before = store.statistics.rows_read
    await load(store, wanted)
    return store.statistics.rows_read - before


async def test_what_was_written_is_not_read_again(store: SqliteStore) -> None:
    running = running_task("t", "w", execution_id=execution().id)
    await write(store, Changes(new_executions=[execution()], new_tasks=[running]))
    assert await rows_read(store, Wanted(tasks=keys("t"))) == 0
    rows = await load(store, Wanted(tasks=keys("t")))
    assert list(rows.tasks.values()) == [running]
    assert list(rows.executions.values()) == [execution()]


async def test_what_has_ended_or_waits_for_a_worker_is_not_kept(store: SqliteStore) -> None:
    ended = execution(status=ExecutionStatus.COMPLETED, closed_at=Instant(9))
    await write(store, Changes(new_executions=[ended], new_tasks=[task()]))
    assert await rows_read(store, Wanted(executions=keys("order-1"), tasks=keys("task-1"))) == 2


async def test_it_is_the_same_as_what_is_on_the_disk(store: SqliteStore, path: Path) -> None:
    family = [execution("parent", parent_id="grandparent"), execution("grandparent"), execution("owner")]
    changes = Changes(
        new_executions=[*family, execution("full", parent_id="parent")],
        new_tasks=[task("full"), running_task("t", "w", execution_id=execution("parent").id)],
        new_timers=[timer("r", "owner")],
        new_promises=[promise("p", "owner")],
    )
    await write(store, changes)
    await write(store, Changes(changed_executions=[FULL_EXECUTION], changed_tasks=[FULL_TASK]))
    wanted = Wanted(
        executions=keys("full", "nobody"), tasks=keys("full", "t", "none"), timers=keys("r"), promises=keys("p")
    )
    recalled = await load(store, wanted)
    async with opened(path) as other:
        read = await load(other, wanted)
    assert recalled == read


async def test_what_another_process_has_changed_is_read_again(store: SqliteStore, path: Path) -> None:
    await write(store, Changes(new_executions=[execution()], new_tasks=[running_task("t", "w")]))
    async with opened(path) as other:
        taken = running_execution("order-1", "theirs", claim_token=ClaimToken(4))
        await write(other, Changes(changed_executions=[taken], changed_tasks=[task("t", claim_token=ClaimToken(9))]))
    rows = await load(store, Wanted(executions=keys("order-1"), tasks=keys("t")))
    assert rows.executions[key("order-1")].worker_id == WorkerId("theirs")
    assert rows.tasks[key("t")].claim_token == 9


async def test_two_that_take_turns_see_each_other(store: SqliteStore, path: Path) -> None:
    await write(store, Changes(new_executions=[execution(open_items=0)]))
    async with opened(path) as other:
        for number in range(1, 9):
            turn = (store, other)[number % 2]
            rows = await load(turn, ORDER)
            assert rows.executions[key("order-1")].open_items == number - 1
            await write(turn, Changes(changed_executions=[execution(open_items=number)]))


async def test_a_transaction_that_fails_is_not_remembered(path: Path) -> None:
    faults = Faults()
    async with opened(path, settings=faults.settings) as store:
        await write(store, Changes(new_executions=[execution()]))
        for after in (False, True):
            faults.arm("COMMIT", error_of_sqlite(BUSY, "database is locked"), after=after)
            with pytest.raises(HoldfastError):
                await write(store, Changes(changed_executions=[execution(open_items=1 + after)]))
            assert await rows_read(store, ORDER) == 1
            rows = await load(store, ORDER)
            assert rows.executions[key("order-1")].open_items == (2 if after else 0)


async def test_a_plan_that_fails_leaves_nothing_behind(store: SqliteStore) -> None:
    await write(store, Changes(new_executions=[execution()]))
    broken = Decision(ORDER, lambda _: Changes(changed_executions=[execution("nobody")]))
    with pytest.raises(HoldfastError, match="rows were there"):
        await store.commit(broken)
    assert await rows_read(store, ORDER) == 1


async def test_other_writes_of_the_store_make_it_read_again(store: SqliteStore) -> None:
    await write(store, Changes(new_executions=[execution()]))
    assert await rows_read(store, ORDER) == 0
    await store.check_writable()
    assert await rows_read(store, ORDER) == 1


async def test_how_a_queue_is_set_is_read_once(store: SqliteStore, path: Path) -> None:
    assert (await load(store, OF_QUEUE)).queues == {}
    before = store.statistics.statements
    await write(store, Changes(queues=[PAUSED]))
    assert (await load(store, OF_QUEUE)).queues == {(ACME, QUEUE): PAUSED}
    begin_look_set_commit, begin_look_commit = 4, 3
    assert store.statistics.statements - before == begin_look_set_commit + begin_look_commit
    async with opened(path) as other:
        await write(other, Changes(queues=[QueueSetting(ACME, QUEUE, None, "bob", "repaired")]))
    assert (await load(store, OF_QUEUE)).queues[ACME, QUEUE].changed_by == "bob"


async def test_no_more_queues_are_kept_than_there_is_room_for(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recalling, "MOST_QUEUES", 1)
    names = [(ACME, QUEUE), (ACME, execution().queue.upper()), (ACME, "third")]
    for name in names:
        await load(store, Wanted(queues={name}))  # type: ignore[arg-type]
    before = store.statistics.statements
    await load(store, Wanted(queues={names[2]}))  # type: ignore[arg-type]
    assert store.statistics.statements - before == 3
    await load(store, OF_QUEUE)
    assert store.statistics.statements - before == 3 + 4


async def test_a_store_that_is_opened_again_knows_nothing_of_before(path: Path) -> None:
    """Its new connection counts versions from the same number as the one before did."""
    store = SqliteStore(path)
    await store.open()
    await write(store, Changes(new_executions=[execution()], queues=[PAUSED]))
    await store.close()
    async with opened(path) as other:
        await write(other, Changes(changed_executions=[execution(cancel_requested=True)]))
    await store.open()
    [found] = (await load(store, ORDER)).executions.values()
    assert found.cancel_requested
    await store.close()
