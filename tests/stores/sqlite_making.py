"""SQLite stores and connections that fail where a test wants them to."""

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from holdfast.stores.sqlite import SqliteStore
from holdfast.stores.sqlite.connections import Settings

Fault = Callable[[str], None]


@asynccontextmanager
async def opened(path: Path, **options: Any) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path, **options)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


def error_of_sqlite(code: int, text: str) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(text)
    error.sqlite_errorcode = code
    return error


class Faults:
    """Makes connections raise before, or after, a statement that begins so; as often as armed."""

    def __init__(self) -> None:
        self._armed: list[tuple[str, sqlite3.Error, bool]] = []

    def arm(self, start: str, error: sqlite3.Error, *, after: bool = False) -> None:
        self._armed.append((start, error, after))

    def take(self, sql: str, *, after: bool) -> sqlite3.Error | None:
        for fault in self._armed:
            if sql.startswith(fault[0]) and fault[2] is after:
                self._armed.remove(fault)
                return fault[1]
        return None

    @property
    def settings(self) -> Settings:
        faults = self

        class Faulty(sqlite3.Connection):
            def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
                if before := faults.take(sql, after=False):
                    raise before
                cursor = super().execute(sql, *parameters)
                if after := faults.take(sql, after=True):
                    raise after
                return cursor

        return Settings(factory=Faulty)


def deaf_to(start: str) -> Settings:
    """Connections that do not do what statements ask that begin so."""

    class Deaf(sqlite3.Connection):
        def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
            return super().execute("SELECT 1" if sql.startswith(start) else sql, *parameters)

    return Settings(factory=Deaf)


def of_small_texts(size: int) -> Settings:
    """Connections that refuse texts above a size, as SQLite does above a gigabyte."""

    class Small(sqlite3.Connection):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, size)

    return Settings(factory=Small)
