"""A locked, full, corrupt or foreign file, a clock that jumps, a store that fails: refused, never pretended."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.app.holdfast import Opening
from holdfast.model.errors import (
    StoreRefused,
    TaskFailed,
    Unavailable,
)
from holdfast.model.statuses import AttemptStatus, ExecutionStatus, TaskStatus
from holdfast.server import wiring
from holdfast.server.host import EngineHost
from holdfast.stores.sqlite.connections import Settings
from holdfast.stores.sqlite.store import SqliteStore
from tests.app import programs
from tests.app.programs import WITHIN, doubled, sleeper, waiting
from tests.app.support import ManualClock, eventually, task_is, workflow_is

DAY = 24 * 3600 * 1000


def opened(file_url: str, clock: ManualClock | None = None) -> Opening:
    return Holdfast.open(file_url, workflows=programs.WORKFLOWS, tasks=programs.TASKS, clock=clock)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that waits for a lock for a moment only."""

    def open_store(file_url: str) -> SqliteStore:
        return SqliteStore(wiring.sqlite_path(file_url), settings=Settings(busy_timeout_ms=20))

    monkeypatch.setattr(wiring, "open_store", open_store)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another program writes to the file, and does not end."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.rollback()
        other.close()


async def test_while_the_file_is_locked_requests_are_refused_and_then_work_goes_on(
    file_url: str, tmp_path: Path, impatient: None
) -> None:
    async with opened(file_url) as hf:
        handle = await hf.start(waiting)
        await workflow_is(hf, handle.id, ExecutionStatus.WAITING)
        with locked(tmp_path / "app.db"):
            with pytest.raises(Unavailable, match="locked by another"):
                await hf.start(doubled, 1, id="refused")
            assert (await hf.list()).executions[0].id == handle.id
        await handle.signal("go", "after all")
        assert await handle.result(timeout=WITHIN) == "after all"
        assert await hf.run(doubled, 1, id="refused") == 2


async def test_the_end_of_a_task_is_told_once_the_file_is_free_again(
    file_url: str, tmp_path: Path, impatient: None
) -> None:
    async with opened(file_url) as hf:
        running = [await hf.start(sleeper, 0.02) for _ in range(5)]
        with locked(tmp_path / "app.db"):
            await asyncio.sleep(0.1)  # the timers come due, and cannot be fired
        assert [await handle.result(timeout=WITHIN) for handle in running] == ["awake"] * 5


async def test_a_file_that_is_locked_at_the_start_leaves_nothing_open(
    file_url: str, tmp_path: Path, impatient: None
) -> None:
    async with opened(file_url):
        pass
    with locked(tmp_path / "app.db"), pytest.raises(Unavailable, match="locked"):
        async with opened(file_url) as hf:
            await hf.run(doubled, 1)
    async with opened(file_url) as hf:
        assert await hf.run(doubled, 1) == 2


async def test_closing_does_not_wait_for_ever_for_a_locked_file(file_url: str, tmp_path: Path, impatient: None) -> None:
    settings = programs.HURRIED
    opening = Holdfast.open(file_url, workflows=programs.WORKFLOWS, tasks=[programs.gated], settings=settings)
    hf = await opening.__aenter__()
    programs.gate.clear()
    handle = await hf.submit_task(programs.gated)
    await task_is(hf, handle.id, TaskStatus.RUNNING)
    with locked(tmp_path / "app.db"):
        programs.gate.set()
        async with asyncio.timeout(WITHIN):
            await opening.__aexit__(None, None, None)
    async with Holdfast.open(file_url, tasks=[programs.gated]) as again:
        assert await again.task_handle(handle.id).result(timeout=WITHIN) == "open"


async def test_a_full_disk_refuses_and_keeps_what_was_acknowledged(file_url: str, tmp_path: Path) -> None:
    big = "x" * 1_000_000
    async with opened(file_url) as hf:
        await hf.run(doubled, 1, id="before")
        await limit_pages(hf, extra=50)
        with pytest.raises(Unavailable, match="disk is full"):
            await hf.signal_with_start(waiting, id="big", signal="other", value=big)
        await limit_pages(hf, extra=100_000)
        assert await hf.run(doubled, 2, id="after") == 4
        assert await hf.handle("before").result() == 2


async def limit_pages(hf: Holdfast, extra: int) -> None:
    """Let the file grow by so many pages more, as if the disk ended there."""

    def limit(connection: sqlite3.Connection) -> None:
        [pages] = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + extra}")

    assert isinstance(hf._engine, EngineHost)
    store = hf._engine.store
    assert isinstance(store, SqliteStore)
    assert store._running is not None
    await store._running.writer.ask(limit)


@pytest.mark.parametrize(
    "content", [b"this is no database" * 100, b"SQLite format 3\0" + b"x" * 5000], ids=["text", "a torn header"]
)
async def test_a_file_that_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "app.db").write_bytes(content)
    with pytest.raises(StoreRefused):
        async with opened(f"sqlite:///{tmp_path}/app.db"):
            pass
    assert (tmp_path / "app.db").read_bytes() == content


async def test_a_database_of_someone_else_is_refused(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "app.db")
    other.execute("CREATE TABLE customers (name TEXT)")
    other.commit()
    other.close()
    with pytest.raises(StoreRefused):
        async with opened(f"sqlite:///{tmp_path}/app.db"):
            pass


@pytest.mark.parametrize("path", ["missing/app.db", ""])
async def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(StoreRefused):
        async with opened(f"sqlite:///{tmp_path}/{path}"):
            pass


# Clocks.


async def test_a_sleep_ends_when_the_clock_says_so_and_not_before(file_url: str) -> None:
    clock = ManualClock()
    async with opened(file_url, clock) as hf:
        handle = await hf.start(sleeper, 3 * 24 * 3600.0)
        await workflow_is(hf, handle.id, ExecutionStatus.WAITING)
        clock.move(hf, 3 * DAY - 1)
        assert await hf.run(doubled, 1) == 2  # whatever was due has been fired by now
        assert not (await handle.describe()).closed
        clock.move(hf, 1)
        assert await handle.result(timeout=WITHIN) == "awake"


async def test_a_clock_that_is_set_back_delays_timers_and_nothing_else(file_url: str) -> None:
    clock = ManualClock()
    async with opened(file_url, clock) as hf:
        handle = await hf.start(sleeper, 60.0)
        await workflow_is(hf, handle.id, ExecutionStatus.WAITING)
        clock.move(hf, -DAY)
        assert await hf.run(doubled, 4) == 8
        times = [event.time for event in await hf.history((await hf.list(kind="doubled")).executions[0].id)]
        assert times == sorted(times)
        clock.move(hf, DAY + 60_000)
        assert await handle.result(timeout=WITHIN) == "awake"


async def test_a_clock_that_jumps_ahead_takes_leases_away_and_the_work_is_done_again(file_url: str) -> None:
    clock = ManualClock()
    programs.gate.clear()
    async with Holdfast.open(file_url, tasks=[programs.gated], clock=clock) as hf:
        handle = await hf.submit_task(programs.gated)
        await task_is(hf, handle.id, TaskStatus.RUNNING)
        clock.move(hf, DAY)

        async def is_second_try() -> bool:
            return (await handle.describe()).attempt == 2

        await eventually(is_second_try)
        programs.gate.set()
        assert await handle.result(timeout=WITHIN) == "open"
        attempts = [each.status for each in await handle.attempts()]
    assert attempts == [AttemptStatus.LOST, AttemptStatus.COMPLETED]


async def test_a_delayed_task_waits_for_the_clock(file_url: str) -> None:
    clock = ManualClock()
    async with opened(file_url, clock) as hf:
        handle = await hf.submit_task("double", 1, delay=60)
        await hf.run(doubled, 1)
        assert (await handle.describe()).status is TaskStatus.PENDING
        clock.move(hf, 60_000)
        assert await handle.result(timeout=WITHIN) == 2


async def test_a_task_out_of_retries_stays_failed_after_the_file_is_opened_again(file_url: str) -> None:
    async with opened(file_url) as hf:
        handle = await hf.submit_task("refuse", "no")
        with pytest.raises(TaskFailed):
            await handle.result()
    async with opened(file_url) as hf:
        with pytest.raises(TaskFailed, match="ValueError: no"):
            await hf.task_handle(handle.id).result()
