"""Several processes on one file: opened, written, killed."""

import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from holdfast.stores.sqlite import SqliteStore
from tests.stores.making import key
from tests.stores.processes import add_ones, die_while_migrating, hold_work

pytestmark = [pytest.mark.processes, pytest.mark.slow]

SPAWN = multiprocessing.get_context("spawn")


def run_together(*processes: multiprocessing.process.BaseProcess) -> list[int | None]:
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    return [process.exitcode for process in processes]


async def test_processes_that_open_a_new_file_together_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    assert run_together(*(SPAWN.Process(target=add_ones, args=(path, 100)) for _ in range(3))) == [0, 0, 0]
    store = SqliteStore(path)
    await store.open()
    found = await store.execution(key("order-1"))
    await store.close()
    assert found is not None
    assert found.open_items == 300


async def test_a_killed_process_is_known_to_be_gone(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    here, there = SPAWN.Pipe()
    process = SPAWN.Process(target=hold_work, args=(path, there))
    process.start()
    worker = here.recv()
    store = SqliteStore(path)
    await store.open()
    assert await store.abandoned_workers() == ()
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join(60)
    assert await store.abandoned_workers() == (worker,)
    await store.close()


async def test_a_process_killed_while_migrating_leaves_a_file_that_can_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    assert run_together(SPAWN.Process(target=die_while_migrating, args=(path,))) == [-signal.SIGKILL]
    store = SqliteStore(path)
    await store.open()
    assert await store.damages() == []
    await store.close()
