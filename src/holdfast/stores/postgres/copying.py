"""A PostgreSQL database as tables of plain rows."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final

from holdfast.model.errors import InvalidArgument
from holdfast.ports.copying import Row, Shelves
from holdfast.stores.postgres.connections import Postgres, Settings, connect
from holdfast.stores.postgres.errors import reading
from holdfast.stores.postgres.store import STATEMENTS, PostgresStore
from holdfast.stores.statements import Statements

COPYING: Final = "holdfast.stores.postgres.copy_statements"
SCHEMA: Final = "holdfast"
ROWS_AT_ONCE: Final = 2_000
ALONE: Final = {"application_name": "holdfast-copy"}
KINDS: Final = {
    "bigint": "number", "integer": "number", "double precision": "number", "text": "text", "bytea": "bytes",
    "boolean": "truth",
}  # fmt: skip


class PostgresShelves:
    """The tables of a database (ports.copying.Shelves)."""

    def __init__(self, connection: Postgres, statements: Statements) -> None:
        self._connection = connection
        self._statements = statements

    async def columns(self) -> Mapping[str, Mapping[str, str]]:
        """The columns of each table."""
        found: dict[str, dict[str, str]] = {}
        for table, column, sort in await self._connection.fetch(self._statements["list_columns"]):
            found.setdefault(table, {})[column] = KINDS[sort]
        return found

    async def count(self, table: str) -> int:
        """How many rows a table has."""
        return int(await self._connection.fetchval(self._statements["count_rows"].replace(":table", table)))

    async def rows(self, table: str, columns: Sequence[str]) -> AsyncIterator[Sequence[Row]]:
        """All rows of a table."""
        text = self._statements["copy_rows"].replace(":table", table).replace(":columns", ", ".join(columns))
        cursor = await self._connection.cursor(text)
        while found := await cursor.fetch(ROWS_AT_ONCE):
            yield [tuple(row) for row in found]

    async def put(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Add rows, as COPY does."""
        await self._connection.copy_records_to_table(table, schema_name=SCHEMA, columns=columns, records=rows)


class PostgresDatabase:
    """A database that is copied from or to (ports.copying.Copied)."""

    def __init__(self, url: str) -> None:
        self._url = url

    @asynccontextmanager
    async def for_copying(self) -> AsyncIterator[Shelves]:
        """Open it; everything that is put into it is committed at the end, or nothing."""
        store = PostgresStore(self._url)
        statements = Statements(COPYING)
        await store.open()
        await store.close()
        with reading(store.address.shown):
            address, settings = store.address, Settings()
            connection = await connect(address.url, settings, kept=ALONE, pooled=address.pooled)
            try:
                await self._check_alone(connection, statements)
                async with connection.transaction(isolation="repeatable_read"):
                    # Elsewhere notices have their numbers from the beginning.
                    for row in await connection.fetch(statements["list_tenants_with_notices"]):
                        await connection.execute(Statements(STATEMENTS)["number_notices"], row["tenant"])
                    yield PostgresShelves(connection, statements)
            finally:
                await connection.close()

    async def _check_alone(self, connection: Postgres, statements: Statements) -> None:
        if await connection.fetchval(statements["count_other_connections"]):
            raise InvalidArgument("other processes of Holdfast are connected to the database; stop them first")
