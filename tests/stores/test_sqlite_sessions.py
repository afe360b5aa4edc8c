"""A worker whose process is gone is known by the lock that it no longer holds."""

import sqlite3
from pathlib import Path

import pytest

from holdfast.model.errors import Stopped, StoreDamaged, StoreRefused
from holdfast.model.ids import WorkerId
from holdfast.ports.store import Changes
from holdfast.stores.sqlite import SqliteStore
from holdfast.stores.sqlite.sessions import Sessions, session_of
from tests.stores.making import execution, running_execution, running_task, write
from tests.stores.sqlite_making import Faults, error_of_sqlite, opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "app.db"


def lock_files(path: Path) -> list[str]:
    return sorted(file.name for file in path.with_name("app.db.sessions").glob("*.lock"))


async def crash(store: SqliteStore) -> None:
    """What the end of a process does to the lock of its session."""
    held = store._sessions._held
    assert held is not None
    held.close()
    store._sessions._held = None
    await store.close()


async def test_workers_of_open_stores_are_not_abandoned(path: Path) -> None:
    async with opened(path) as mine, opened(path) as other:
        held = [running_execution("a", f"{mine.session}/1"), running_execution("b", f"{other.session}/1")]
        await write(mine, Changes(new_executions=held, new_tasks=[running_task("t", f"{other.session}/2")]))
        assert mine.session != other.session
        assert (await mine.abandoned_workers(), await other.abandoned_workers()) == ((), ())


async def test_workers_of_a_store_that_crashed_are_abandoned(path: Path) -> None:
    async with opened(path) as mine:
        gone = SqliteStore(path)
        await gone.open()
        one, two = f"{gone.session}/1", f"{gone.session}/2"
        work = Changes(new_executions=[running_execution("a", one)], new_tasks=[running_task("t", two)])
        await write(gone, work)
        await crash(gone)
        assert set(await mine.abandoned_workers()) == {one, two}
        await write(mine, Changes(changed_executions=[execution("a")]))
        assert await mine.abandoned_workers() == (two,)


@pytest.mark.parametrize("worker", ["no-session", "0123456789abcdef/1", "../../etc/1", "/1"])
async def test_workers_without_a_known_session_are_left_to_their_leases(path: Path, worker: str) -> None:
    async with opened(path) as store:
        await write(store, Changes(new_executions=[running_execution("a", worker)]))
        assert await store.abandoned_workers() == ()


async def test_closing_removes_the_session_unless_it_still_holds_something(path: Path) -> None:
    async with opened(path):
        assert len(lock_files(path)) == 1
    assert lock_files(path) == []
    async with opened(path) as store:
        worker = WorkerId(f"{store.session}/1")
        await write(store, Changes(new_executions=[running_execution("a", worker)]))
    async with opened(path) as store:
        assert await store.abandoned_workers() == (worker,)


async def test_opening_removes_sessions_that_are_over_and_hold_nothing(path: Path) -> None:
    gone = SqliteStore(path)
    await gone.open()
    await crash(gone)
    (path.with_name("app.db.sessions") / f"{gone.session}.lock").touch()
    async with opened(path) as other, opened(path) as store:
        assert lock_files(path) == sorted([f"{other.session}.lock", f"{store.session}.lock"])


def test_a_session_whose_file_was_swept_while_it_was_taken_is_taken_again(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path / "app.db")
    file = sessions._file(sessions.own)
    removals = iter([True])

    class SweptOnce(Sessions):
        def _file(self, session: str) -> Path:
            if file.exists() and next(removals, False):
                file.unlink()
            return file

    swept = SweptOnce(tmp_path / "app.db")
    swept.open()
    assert file.exists()
    swept.close(forget=True)
    assert not file.exists()
    swept.close(forget=True)


async def test_a_place_where_no_lock_can_be_kept_is_refused_and_let_go(path: Path) -> None:
    path.with_name("app.db.sessions").symlink_to(path.parent / "missing" / "folder")
    store = SqliteStore(path)
    with pytest.raises(StoreRefused, match="cannot be made"):
        await store.open()
    with pytest.raises(Stopped):
        await store.next_wake()


async def test_a_store_that_cannot_read_any_more_can_still_be_closed(path: Path) -> None:
    faults = Faults()
    store = SqliteStore(path, settings=faults.settings)
    await store.open()
    faults.arm("SELECT json", error_of_sqlite(sqlite3.SQLITE_CORRUPT, "malformed"))
    with pytest.raises(StoreDamaged):
        await store.close()
    with pytest.raises(Stopped):
        await store.next_wake()


def test_a_session_is_what_comes_before_the_slash() -> None:
    assert [session_of(WorkerId(text)) for text in ("a/b/c", "a", "")] == ["a", "", ""]
