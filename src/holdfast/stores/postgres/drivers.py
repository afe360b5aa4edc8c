"""Connections of users, of whichever library: what is needed of them to write beside what they write.

Each is used as asyncpg's own would be. Those of sync libraries answer at once, so a coroutine over them never waits,
and can be run by whoever has no event loop.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final, Protocol

import asyncpg

from holdfast.model.errors import InvalidArgument


class Joined(Protocol):
    """A connection that is in a transaction."""

    async def fetch(self, statement: str, *parameters: object) -> list[Any]:
        """The rows that a statement answers."""

    async def fetchrow(self, statement: str, *parameters: object) -> Any:
        """The first of them."""

    async def execute(self, statement: str) -> object:
        """Run a statement without parameters."""


ONLY_POSTGRES: Final = (
    "in_transaction takes a connection to the PostgreSQL database of Holdfast: of asyncpg, psycopg 3, SQLAlchemy (a "
    "connection or session over one of these) or Django"
)
NEEDS_ASYNC: Final = "a connection of an async library needs async code; use one of a sync library here"
LOST: Final = "08000"
NO_TRANSACTION: Final = (
    "the connection is not in a transaction, so nothing could commit, or be undone, together with what is asked for; "
    "begin one first"
)


class PsycopgConnection:
    """A sync connection of psycopg."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def fetch(self, statement: str, *parameters: object) -> list[Any]:
        """The rows, with $1 for a parameter as PostgreSQL itself has it."""
        from psycopg import Error, RawCursor
        from psycopg.rows import tuple_row

        try:
            with RawCursor(self._connection, row_factory=tuple_row) as cursor:
                cursor.execute(statement, _plain(parameters))
                return cursor.fetchall() if cursor.description else []
        except Error as error:
            raise _as_asyncpg(error) from error

    async def fetchrow(self, statement: str, *parameters: object) -> Any:
        """The first row."""
        return next(iter(await self.fetch(statement, *parameters)), None)

    async def execute(self, statement: str) -> None:
        """Run it."""
        await self.fetch(statement)


class AsyncPsycopgConnection:
    """An async connection of psycopg."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def fetch(self, statement: str, *parameters: object) -> list[Any]:
        """The rows, with $1 for a parameter as PostgreSQL itself has it."""
        from psycopg import AsyncRawCursor, Error
        from psycopg.rows import tuple_row

        try:
            async with AsyncRawCursor(self._connection, row_factory=tuple_row) as cursor:
                await cursor.execute(statement, _plain(parameters))
                return await cursor.fetchall() if cursor.description else []
        except Error as error:
            raise _as_asyncpg(error) from error

    async def fetchrow(self, statement: str, *parameters: object) -> Any:
        """The first row."""
        return next(iter(await self.fetch(statement, *parameters)), None)

    async def execute(self, statement: str) -> None:
        """Run it."""
        await self.fetch(statement)


def _plain(parameters: Sequence[object]) -> list[object]:
    """A tuple is a row to psycopg, and a list an array."""
    return [list(each) if isinstance(each, tuple) else each for each in parameters]


def _as_asyncpg(error: Any) -> asyncpg.PostgresError:
    """The same error as the rest of this package knows it."""
    state = error.sqlstate or LOST
    return _errors_by_state().get(state, asyncpg.PostgresError)(f"{error} ({state})")


@cache
def _errors_by_state() -> dict[str, type[asyncpg.PostgresError]]:
    known = vars(asyncpg.exceptions).values()
    classes = [each for each in known if isinstance(each, type) and issubclass(each, asyncpg.PostgresError)]
    return {each.sqlstate: each for each in classes if each.sqlstate is not None}


async def joined(connection: object, *, can_wait: bool) -> Joined:
    """A user's connection, ready for statements; a refusal of one that has no transaction of its own, or that a caller
    who cannot wait would only have to wait for."""
    for library in _libraries_of(connection):
        if library in _OPENERS:
            if not can_wait and _is_async(connection, library):
                raise InvalidArgument(NEEDS_ASYNC)
            return await _OPENERS[library](connection)
    raise InvalidArgument(f"{ONLY_POSTGRES}, not {type(connection).__name__}")


def _libraries_of(connection: object) -> list[str]:
    return [each.__module__.partition(".")[0] for each in type(connection).__mro__]


def _is_async(connection: object, library: str) -> bool:
    if library == "asyncpg":
        return True
    if library == "psycopg":
        from psycopg import AsyncConnection

        return isinstance(connection, AsyncConnection)
    if library == "sqlalchemy":
        from sqlalchemy.ext.asyncio import AsyncConnection as AsyncOfSqlalchemy
        from sqlalchemy.ext.asyncio import AsyncSession

        return isinstance(connection, AsyncSession | AsyncOfSqlalchemy)
    return False


async def _of_asyncpg(connection: Any) -> Joined:
    if not connection.is_in_transaction():
        raise InvalidArgument(NO_TRANSACTION)
    return connection  # type: ignore[no-any-return]


async def _of_psycopg(connection: Any) -> Joined:
    from psycopg import AsyncConnection
    from psycopg.pq import TransactionStatus

    if connection.autocommit and connection.info.transaction_status == TransactionStatus.IDLE:
        raise InvalidArgument(NO_TRANSACTION)
    if isinstance(connection, AsyncConnection):
        return AsyncPsycopgConnection(connection)
    return PsycopgConnection(connection)


async def _of_sqlalchemy(connection: Any) -> Joined:
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession
    from sqlalchemy.orm import Session

    if isinstance(connection, AsyncSession):
        connection = await connection.connection()
    elif isinstance(connection, Session):
        connection = connection.connection()
    # It begins its transaction with the first statement that goes through it.
    if isinstance(connection, AsyncConnection):
        await connection.exec_driver_sql("SELECT 1")
        return await joined((await connection.get_raw_connection()).driver_connection, can_wait=True)
    connection.exec_driver_sql("SELECT 1")
    return await joined(connection.connection.driver_connection, can_wait=False)


async def _of_django(connection: Any) -> Joined:
    if connection.vendor != "postgresql":
        raise InvalidArgument(f"{ONLY_POSTGRES}; this one is to {connection.vendor}")
    if not connection.in_atomic_block:
        raise InvalidArgument(NO_TRANSACTION)
    connection.ensure_connection()
    return await joined(connection.connection, can_wait=False)


_OPENERS: Final = {"asyncpg": _of_asyncpg, "psycopg": _of_psycopg, "sqlalchemy": _of_sqlalchemy, "django": _of_django}
