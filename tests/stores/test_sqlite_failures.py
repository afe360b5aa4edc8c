"""Bad days of the file: a full disk, a lock, a flush that fails, rows that cannot be read."""

import sqlite3
from pathlib import Path

import pytest

from holdfast.model.errors import HoldfastError, OutcomeUnknown, StoreDamaged, Unavailable
from holdfast.model.instants import Instant
from holdfast.model.queries import HistoryWanted
from holdfast.model.statuses import ExecutionStatus
from holdfast.ports.store import Changes, Wanted
from holdfast.stores.sqlite import SqliteStore
from holdfast.stores.sqlite.connections import Settings
from tests.stores.making import ACME, Decision, entry, execution, history, key, keys, load, task, timer, write
from tests.stores.sqlite_making import Faults, error_of_sqlite, of_small_texts, opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "app.db"


def many_tasks(prefix: str, count: int = 2_000) -> Changes:
    return Changes(new_tasks=[task(f"{prefix}-{number}") for number in range(count)])


def size_of(path: Path) -> int:
    return path.stat().st_size


async def on_writer(store: SqliteStore, statement: str) -> None:
    assert store._running is not None
    await store._running.writer.ask(lambda connection: connection.execute(statement).fetchall())


async def test_a_full_disk_is_said_so_and_nothing_is_written(path: Path) -> None:
    async with opened(path) as store:
        await write(store, Changes(new_executions=[execution()]))
        await on_writer(store, "PRAGMA max_page_count = 40")
        with pytest.raises(Unavailable, match="disk is full") as refused:
            await write(store, many_tasks("lost"))
        assert not isinstance(refused.value, OutcomeUnknown)
        assert await store.task(key("lost-0")) is None
        await on_writer(store, "PRAGMA max_page_count = 100000")
        await write(store, many_tasks("kept"))
        assert await store.task(key("kept-1999")) is not None


async def test_a_file_that_another_process_locks_is_unavailable(path: Path) -> None:
    async with opened(path, settings=Settings(busy_timeout_ms=20)) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match="locked by another process"):
            await write(store, many_tasks("lost", 1))
        assert await store.task(key("lost-0")) is None
        other.execute("ROLLBACK")
        other.close()
        await write(store, many_tasks("kept", 1))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (sqlite3.SQLITE_IOERR_FSYNC, OutcomeUnknown),
        (sqlite3.SQLITE_IOERR_WRITE, OutcomeUnknown),
        (sqlite3.SQLITE_FULL, Unavailable),
        (sqlite3.SQLITE_BUSY, Unavailable),
    ],
)
async def test_a_commit_that_fails_is_unclear_unless_nothing_can_have_been_written(
    path: Path, code: int, expected: type[HoldfastError]
) -> None:
    faults = Faults()
    async with opened(path, settings=faults.settings) as store:
        faults.arm("COMMIT", error_of_sqlite(code, "the disk is on fire"))
        with pytest.raises(Unavailable, match="on fire") as failed:
            await write(store, many_tasks("lost", 1))
        assert type(failed.value) is expected
        assert await store.task(key("lost-0")) is None
        await write(store, many_tasks("kept", 1))
        assert store.statistics.rollbacks == 1


async def test_a_commit_that_was_done_when_it_failed_is_unclear(path: Path) -> None:
    faults = Faults()
    async with opened(path, settings=faults.settings) as store:
        faults.arm("COMMIT", error_of_sqlite(sqlite3.SQLITE_IOERR, "no answer"), after=True)
        with pytest.raises(OutcomeUnknown, match="half-way"):
            await write(store, many_tasks("kept", 1))
        assert await store.task(key("kept-0")) is not None
        assert store.statistics.rollbacks == 0


@pytest.mark.parametrize(
    ("code", "expected", "named"),
    [
        (sqlite3.SQLITE_IOERR_READ, Unavailable, "does not read or write"),
        (sqlite3.SQLITE_CORRUPT, StoreDamaged, "backup"),
        (sqlite3.SQLITE_ERROR, HoldfastError, "refused a statement"),
    ],
)
async def test_errors_before_the_commit_are_told_apart(
    path: Path, code: int, expected: type[HoldfastError], named: str
) -> None:
    faults = Faults()
    async with opened(path, settings=faults.settings) as store:
        faults.arm("INSERT INTO task", error_of_sqlite(code, "bad day"))
        with pytest.raises(expected, match=named) as failed:
            await write(store, many_tasks("lost", 1))
        assert type(failed.value) is expected
        faults.arm("SELECT json", error_of_sqlite(code, "bad day"))
        with pytest.raises(expected, match=named):
            await store.tasks([key("lost-0")])


async def test_a_full_text_is_read_in_parts(path: Path) -> None:
    big = b'"' + b"x" * 20_000 + b'"'
    many = [execution(f"e{number}", input=big, last_sequence=4) for number in range(8)]
    events = [each for owner in many for each in history(4, owner.id)]
    async with opened(path, settings=of_small_texts(60_000)) as store:
        for each in many:
            await write(store, Changes(new_executions=[each]))
        await write(store, Changes(new_timers=[timer(owner="e0")], events=events))
        wanted = Wanted(executions=keys(*(each.id for each in many)), timers=keys("timer-1"), histories=keys("e1"))
        rows = await load(store, wanted)
    assert len(rows.executions) == 8
    assert (len(rows.timers), len(rows.events[key("e1")])) == (1, 4)


async def test_histories_that_are_too_long_for_one_text_are_read_in_parts(path: Path) -> None:
    events = history(300) + history(300, "order-2")
    asked = [HistoryWanted(ACME, execution(owner).id, 0, 1_000) for owner in ("order-1", "order-2")]
    async with opened(path, settings=of_small_texts(20_000)) as store:
        for start in range(0, len(events), 20):
            await write(store, Changes(events=events[start : start + 20]))
        pages = await store.histories(asked)
    assert [[event.sequence for event in page] for page in pages] == [list(range(1, 301))] * 2


async def test_a_row_that_is_too_large_by_itself_is_an_error(path: Path) -> None:
    async with opened(path) as store:
        await write(store, Changes(new_executions=[execution(input=b'"' + b"x" * 50_000 + b'"')], events=[entry(1)]))
        await on_writer(store, "UPDATE event SET data = zeroblob(50000)")
    async with opened(path, settings=of_small_texts(20_000)) as store:
        with pytest.raises(HoldfastError, match="too big"):
            await load(store, Wanted(executions=keys("order-1")))
        with pytest.raises(StoreDamaged, match="too large"):
            await store.histories([HistoryWanted(ACME, execution().id, 0, 1)])


async def test_a_row_that_cannot_be_read_is_damage(path: Path) -> None:
    async with opened(path) as store:
        await write(store, Changes(new_executions=[execution()]))
    async with opened(path) as store:
        await on_writer(store, "UPDATE execution SET status = 'NOVEL'")
        with pytest.raises(StoreDamaged, match="NOVEL"):
            await store.execution(key("order-1"))
        with pytest.raises(StoreDamaged, match="NOVEL"):
            await load(store, Wanted(executions=keys("order-1")))


async def test_an_unexpected_error_of_a_plan_reaches_the_one_who_asked(path: Path) -> None:
    async with opened(path) as store:
        with pytest.raises(ZeroDivisionError):
            await store.commit(Decision(Wanted(), lambda _: Changes(lines=[1 / 0])))  # type: ignore[list-item]
        await write(store, many_tasks("kept", 1))


async def test_the_log_is_copied_into_the_database_when_it_is_long(path: Path) -> None:
    async with opened(path, settings=Settings(checkpoint_pages=20)) as store:
        before = size_of(path)
        await write(store, many_tasks("a"))
        assert size_of(path) > before
        assert await store.changed_outside() is False


async def test_what_was_done_is_counted(path: Path) -> None:
    async with opened(path) as store:
        ended = execution(status=ExecutionStatus.COMPLETED, closed_at=Instant(9))
        await write(store, Changes(new_executions=[ended], events=history(3)))
        await load(store, Wanted(executions=keys("order-1")))
        counted = store.statistics
    assert (counted.commits, counted.empty_commits, counted.rows_written, counted.rows_read) == (1, 1, 4, 1)
    assert (counted.statements, counted.rounds, counted.rollbacks) == (5 + 4, 2, 0)
