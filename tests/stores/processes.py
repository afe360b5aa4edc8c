"""What other processes do in the tests of stores."""

import asyncio
import os
import signal
import sqlite3
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import msgspec

from holdfast.ports.store import Changes, Rows, Wanted
from holdfast.stores.sqlite import SqliteStore
from holdfast.stores.sqlite.connections import Settings
from tests.stores.making import Decision, execution, key, keys, running_execution, write


def add_ones(path: Path, times: int) -> None:
    """Opens the file, makes the execution if it is not there, and adds one to it so many times."""
    asyncio.run(_add_ones(path, times))


async def _add_ones(path: Path, times: int) -> None:
    store = SqliteStore(path)
    await store.open()
    for _ in range(times):
        await store.commit(Decision(Wanted(executions=keys("order-1")), _add_one))
    await store.close()


def _add_one(rows: Rows) -> Changes:
    found = rows.executions.get(key("order-1"))
    if found is None:
        return Changes(new_executions=[execution(open_items=1)])
    return Changes(changed_executions=[msgspec.structs.replace(found, open_items=found.open_items + 1)])


def hold_work(path: Path, ready: Connection) -> None:
    """Claims an execution, says so, and waits to be killed."""
    asyncio.run(_hold_work(path, ready))


async def _hold_work(path: Path, ready: Connection) -> None:
    store = SqliteStore(path)
    await store.open()
    worker = f"{store.session}/worker"
    await write(store, Changes(new_executions=[running_execution("held", worker)]))
    ready.send(worker)
    await asyncio.sleep(600)


class Doomed(sqlite3.Connection):
    """Its process is killed in the middle of the first migration."""

    def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        if sql.startswith("CREATE TABLE task_attempt"):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().execute(sql, *parameters)


def die_while_migrating(path: Path) -> None:
    asyncio.run(SqliteStore(path, settings=Settings(factory=Doomed)).open())
