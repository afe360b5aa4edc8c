"""One transaction on a connection of each library, with the same verbs for a test."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import asyncpg
import django
import psycopg
import sqlalchemy
from django.conf import settings
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import Session


class Undone(Exception):
    """Raised by a test, to undo its transaction."""


# Async libraries: each gives the connection, and a function that runs a statement on it.


@asynccontextmanager
async def of_asyncpg(url: str) -> AsyncIterator[tuple[Any, Callable[[str], Any]]]:
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            yield connection, connection.execute
    finally:
        await connection.close()


@asynccontextmanager
async def of_asyncpg_pool(url: str) -> AsyncIterator[tuple[Any, Callable[[str], Any]]]:
    async with asyncpg.create_pool(url, min_size=1) as pool, pool.acquire() as connection, connection.transaction():
        yield connection, connection.execute


@asynccontextmanager
async def of_async_psycopg(url: str) -> AsyncIterator[tuple[Any, Callable[[str], Any]]]:
    async with await psycopg.AsyncConnection.connect(url) as connection:
        yield connection, connection.execute


@asynccontextmanager
async def _of_async_sqlalchemy(url: str, driver: str) -> AsyncIterator[tuple[Any, Callable[[str], Any]]]:
    engine = create_async_engine(url.replace("postgresql://", f"postgresql+{driver}://"))
    try:
        async with AsyncSession(engine) as session, session.begin():
            yield session, lambda statement: session.execute(sqlalchemy.text(statement))
    finally:
        await engine.dispose()


def of_sqlalchemy_asyncpg(url: str) -> Any:
    return _of_async_sqlalchemy(url, "asyncpg")


def of_sqlalchemy_async_psycopg(url: str) -> Any:
    return _of_async_sqlalchemy(url, "psycopg")


@asynccontextmanager
async def of_async_sqlalchemy_connection(url: str) -> AsyncIterator[tuple[Any, Callable[[str], Any]]]:
    engine = create_async_engine(url.replace("postgresql://", "postgresql+asyncpg://"))
    try:
        async with engine.begin() as connection:
            yield connection, lambda statement: connection.execute(sqlalchemy.text(statement))
    finally:
        await engine.dispose()


ASYNC = [
    of_asyncpg,
    of_asyncpg_pool,
    of_async_psycopg,
    of_sqlalchemy_asyncpg,
    of_sqlalchemy_async_psycopg,
    of_async_sqlalchemy_connection,
]

# Sync ones.


@contextmanager
def of_psycopg(url: str) -> Iterator[tuple[Any, Callable[[str], Any]]]:
    with psycopg.connect(url) as connection:
        yield connection, connection.execute


@contextmanager
def of_sqlalchemy(url: str) -> Iterator[tuple[Any, Callable[[str], Any]]]:
    engine = sqlalchemy.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        with Session(engine) as session, session.begin():
            yield session, lambda statement: session.execute(sqlalchemy.text(statement))
    finally:
        engine.dispose()


@contextmanager
def of_sqlalchemy_connection(url: str) -> Iterator[tuple[Any, Callable[[str], Any]]]:
    engine = sqlalchemy.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        with engine.begin() as connection:
            yield connection, lambda statement: connection.execute(sqlalchemy.text(statement))
    finally:
        engine.dispose()


def _django_database(url: str) -> dict[str, Any]:
    parts = sqlalchemy.make_url(url)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.database,
        "USER": parts.username,
        "HOST": parts.host,
        "PORT": parts.port,
    }


@contextmanager
def of_django(url: str) -> Iterator[tuple[Any, Callable[[str], Any]]]:
    if not settings.configured:
        settings.configure(DATABASES={"default": _django_database(url)})
        django.setup()
    from django.db import connection, connections, transaction

    connections.close_all()
    connection.settings_dict.update(_django_database(url))
    try:
        with transaction.atomic():
            yield connection, lambda statement: connection.cursor().execute(statement)
    finally:
        connections.close_all()


SYNC = [of_psycopg, of_sqlalchemy, of_sqlalchemy_connection, of_django]
