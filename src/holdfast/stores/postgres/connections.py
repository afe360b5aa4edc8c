"""Connections: how they are made, and a small pool of them that never hands out an open transaction."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import asyncpg
import msgspec

from holdfast.model.errors import Stopped, UnsafeSettings
from holdfast.stores.postgres.addresses import Address
from holdfast.stores.statements import Statements

if TYPE_CHECKING:
    Postgres = asyncpg.Connection[asyncpg.Record]
else:
    Postgres = asyncpg.Connection
Connect = Callable[[], Awaitable[Postgres]]

OLDEST_SERVER = 140_000
DURABLE = frozenset({"on", "remote_apply"})
MAX_STATEMENTS = 500
"""So many prepared statements are kept by a connection."""


class Settings(msgspec.Struct, frozen=True):
    """Bounds of time and number."""

    connect_seconds: float = 10.0
    statement_ms: int = 25_000
    answer_seconds: float = 30.0
    """How long a statement may go without an answer before the connection is given up."""
    lock_ms: int = 5_000
    """How long a row may be locked by others before a commit gives up."""
    idle_ms: int = 15_000
    """How long a transaction of ours may stand still, say because this process has been stopped, before the server
    ends it and lets go of its locks."""
    readers: int = 4
    closing_seconds: float = 10.0

    def common(self) -> dict[str, str]:
        """What holds for all connections."""
        return {
            "application_name": "holdfast",
            "jit": "off",
            "plan_cache_mode": "force_custom_plan",
            "statement_timeout": str(self.statement_ms),
            "lock_timeout": str(self.lock_ms),
            "idle_in_transaction_session_timeout": str(self.idle_ms),
        }

    def writing(self) -> dict[str, str]:
        """Statements of commits are planned once, and find rows by key."""
        return self.common() | {
            "plan_cache_mode": "force_generic_plan",
            "enable_seqscan": "off",
            "enable_hashjoin": "off",
            "enable_mergejoin": "off",
            "enable_bitmapscan": "off",
            "enable_material": "off",
        }


async def connect(url: str, settings: Settings, *, kept: dict[str, str], pooled: bool) -> Postgres:
    """A new connection; `kept` are settings of its session, where there is one."""
    return await asyncpg.connect(
        url,
        timeout=settings.connect_seconds,
        command_timeout=settings.answer_seconds,
        statement_cache_size=0 if pooled else MAX_STATEMENTS,
        max_cached_statement_lifetime=0,
        max_cacheable_statement_size=0,
        server_settings=None if pooled else kept,
    )


async def settle(connection: Postgres, statements: Statements, kept: dict[str, str]) -> None:
    """Make the settings of a session after it has begun; without them the connection is of no use."""
    try:
        await connection.fetch(statements["set_for_session"], list(kept), list(kept.values()))
    except BaseException:
        connection.terminate()
        raise


async def check(connection: Postgres, statements: Statements, address: Address) -> None:
    """Refuses a server that is too old, or that says to have written what it has not."""
    found = await connection.fetchrow(statements["read_settings"])
    if found is None or found["version"] < OLDEST_SERVER:
        raise UnsafeSettings(f"{address.shown} is older than PostgreSQL 14")
    if found["encoding"] != "UTF8":
        raise UnsafeSettings(f"{address.shown} is in the encoding {found['encoding']}; Holdfast needs UTF8")
    if found["synchronous_commit"] not in DURABLE:
        raise UnsafeSettings(
            f"{address.shown} has synchronous_commit={found['synchronous_commit']}: a commit could be lost after it "
            "was acknowledged; set it to on for this role or database"
        )
    for name in ("fsync", "full_page_writes"):
        if found[name] != "on":
            raise UnsafeSettings(f"{address.shown} has {name}={found[name]}; a power cut could ruin it. Set it to on")


class ConnectionPool:
    """Up to so many connections, made when they are needed."""

    def __init__(self, connect: Connect, size: int, *, pooled: bool) -> None:
        """Behind a pooler that shares connections out by transaction, each use is one."""
        self._connect = connect
        self._pooled = pooled
        self._free: list[Postgres] = []
        self._places = asyncio.Semaphore(size)
        self._closed = False

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Postgres]:
        """One for the moment."""
        async with self._places:
            connection = await self._take()
            try:
                if self._pooled:
                    async with connection.transaction():
                        yield connection
                else:
                    yield connection
            finally:
                self._give_back(connection)

    async def _take(self) -> Postgres:
        if self._closed:
            raise Stopped("the store has been closed")
        while self._free:
            connection = self._free.pop()
            if not connection.is_closed():
                return connection
        return await self._connect()

    def _give_back(self, connection: Postgres) -> None:
        """One that is in the midst of something is let go: nobody knows what its next user would be part of."""
        if self._closed or connection.is_closed() or connection.is_in_transaction():
            connection.terminate()
        else:
            self._free.append(connection)

    async def close(self, seconds: float) -> None:
        """Lets go of all that are free; of the others when they are given back."""
        self._closed = True
        free, self._free = self._free, []
        await asyncio.gather(*[close(connection, seconds) for connection in free])


async def close(connection: Postgres, seconds: float) -> None:
    """Says goodbye, if anyone listens."""
    try:
        await connection.close(timeout=seconds)
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError):
        connection.terminate()
