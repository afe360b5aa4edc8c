"""One SQLite file as tables of plain rows. Nobody else may have it open, so it is read and written where one stands."""

import sqlite3
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from holdfast.model.errors import InvalidArgument
from holdfast.ports.copying import Row, Shelves
from holdfast.stores.sqlite.connections import Settings
from holdfast.stores.sqlite.errors import reading
from holdfast.stores.sqlite.opening import open_database
from holdfast.stores.sqlite.schema import known_migrations
from holdfast.stores.sqlite.sessions import Sessions
from holdfast.stores.sqlite.store import STATEMENTS
from holdfast.stores.statements import Statements

COPYING: Final = "holdfast.stores.sqlite.copy_statements"
ROWS_AT_ONCE: Final = 2_000
KINDS: Final = {"INTEGER": "number", "REAL": "number", "TEXT": "text", "BLOB": "bytes"}


class SqliteShelves:
    """The tables of a file (ports.copying.Shelves)."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._statements = Statements(COPYING)

    async def columns(self) -> Mapping[str, Mapping[str, str]]:
        """The columns of each table."""
        found: dict[str, dict[str, str]] = {}
        for table, column, sort in self._connection.execute(self._statements["list_columns"]):
            found.setdefault(table, {})[column] = KINDS[sort]
        return found

    async def count(self, table: str) -> int:
        """How many rows a table has."""
        [count] = self._connection.execute(self._statements["count_rows"].replace(":table", table)).fetchone()
        return int(count)

    async def rows(self, table: str, columns: Sequence[str]) -> AsyncIterator[Sequence[Row]]:
        """All rows of a table."""
        text = self._statements["copy_rows"].replace(":table", table).replace(":columns", ", ".join(columns))
        cursor = self._connection.execute(text)
        while found := cursor.fetchmany(ROWS_AT_ONCE):
            yield found

    async def put(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Add rows."""
        text = self._statements["put_rows"].replace(":table", table).replace(":columns", ", ".join(columns))
        self._connection.executemany(text.replace(":places", ", ".join("?" * len(columns))), rows)


class SqliteFile:
    """A file that is copied from or to (ports.copying.Copied)."""

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()

    @asynccontextmanager
    async def for_copying(self) -> AsyncIterator[Shelves]:
        """Open it; everything that is put into it is committed at the end, or nothing."""
        if Sessions(self._path).living():
            raise InvalidArgument(f"{self._path} is open in another process; stop it first")
        statements = Statements(STATEMENTS)
        opened = open_database(self._path, Settings(readers=0), statements, known_migrations())
        connection = opened.writer
        try:
            with reading(self._path):
                connection.execute(statements["begin"])
                yield SqliteShelves(connection)
                connection.execute(statements["commit"])
        finally:
            if connection.in_transaction:
                connection.execute(statements["rollback"])
            connection.close()
