"""The stores that the conformance suite runs on."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from holdfast.ports.access import ServedStore
from holdfast.ports.store import Store
from holdfast.stores.postgres import PostgresStore
from holdfast.stores.sqlite import SqliteStore
from holdfast.testing.store import MemoryStore

Open = Callable[[], Awaitable[ServedStore]]
Make = Callable[[], ServedStore]

DATABASES = ("postgres", "sqlite")


def _maker(sort: str, request: pytest.FixtureRequest, folder: Path) -> Make:
    if sort == "sqlite":
        return lambda: SqliteStore(folder / "holdfast.db")
    url: str = request.getfixturevalue("emptied_postgres_database")
    return lambda: PostgresStore(url)


@pytest.fixture(params=DATABASES)
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """Makes stores over one database, not yet opened."""
    return _maker(request.param, request, tmp_path)


@pytest.fixture
async def open_store(make_store: Make) -> AsyncIterator[Open]:
    """Opens as many stores over one database as a test asks for, and closes them after it."""
    opened: list[ServedStore] = []

    async def open_one() -> ServedStore:
        store = make_store()
        await store.open()
        opened.append(store)
        return store

    yield open_one
    for store in opened:
        await store.close()


@pytest.fixture
async def database(open_store: Open) -> ServedStore:
    """One that keeps what it is told beyond this process, and is worked on from several sides."""
    return await open_store()


@pytest.fixture(params=["memory", *DATABASES])
def any_store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """Any store at all, not yet opened."""
    return MemoryStore() if request.param == "memory" else _maker(request.param, request, tmp_path)()


@pytest.fixture
async def store(any_store: Store) -> AsyncIterator[Store]:
    """Any store at all: the one in memory too, which tests of the engine and of users' workflows run on."""
    await any_store.open()
    yield any_store
    await any_store.close()
