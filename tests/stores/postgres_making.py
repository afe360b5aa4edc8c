"""PostgreSQL stores for tests, and what is done to their server from outside."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from holdfast.stores.postgres import PostgresStore


@asynccontextmanager
async def opened(url: str, **options: Any) -> AsyncIterator[PostgresStore]:
    """A store, closed in the end."""
    store = PostgresStore(url, **options)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def outside(url: str) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    """A connection that is not Holdfast's."""
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


async def ours(connection: "asyncpg.Connection[asyncpg.Record]", column: str = "pid") -> list[Any]:
    """What the server says of Holdfast's connections to this database."""
    found = await connection.fetch(
        "SELECT * FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'holdfast'"
    )
    return [row[column] for row in found]
