"""Migrations: once, in order, whole, and never unlike those that were applied."""

import asyncio
import sqlite3
from pathlib import Path

import msgspec
import pytest

from holdfast.model.errors import HoldfastError, SchemaAltered, SchemaTooNew
from holdfast.stores.migrations import Migration
from holdfast.stores.sqlite import SqliteStore
from holdfast.stores.sqlite.schema import known_migrations, statements_of
from tests.stores.sqlite_making import opened

KNOWN = known_migrations()
NEXT = Migration(len(KNOWN) + 1, "colours", "CREATE TABLE colour (name TEXT);\n\nCREATE INDEX hue ON colour (name);\n")
BROKEN = Migration(len(KNOWN) + 1, "broken", "CREATE TABLE colour (name TEXT);\nCREATE TABLE colour (name TEXT);\n")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "app.db"


def tables(path: Path) -> set[str]:
    connection = sqlite3.connect(path)
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
    connection.close()
    return names


async def open_and_close(path: Path, migrations: list[Migration]) -> None:
    async with opened(path, migrations=migrations):
        pass


def test_migrations_are_numbered_without_a_gap() -> None:
    assert [migration.number for migration in KNOWN] == list(range(1, len(KNOWN) + 1))
    assert all(statements_of(migration) for migration in KNOWN)


async def test_opening_twice_changes_nothing(path: Path) -> None:
    await open_and_close(path, KNOWN)
    before = tables(path)
    await open_and_close(path, KNOWN)
    assert tables(path) == before


async def test_a_newer_release_adds_what_is_missing(path: Path) -> None:
    await open_and_close(path, KNOWN)
    await open_and_close(path, [*KNOWN, NEXT])
    assert {"colour", "hue"} <= tables(path)


async def test_an_older_release_refuses_a_newer_schema(path: Path) -> None:
    await open_and_close(path, [*KNOWN, NEXT])
    with pytest.raises(SchemaTooNew, match="colours"):
        await SqliteStore(path).open()


async def test_an_altered_migration_is_refused(path: Path) -> None:
    await open_and_close(path, [*KNOWN, NEXT])
    altered = msgspec.structs.replace(NEXT, script=NEXT.script + "-- one more thing\n")
    with pytest.raises(SchemaAltered, match="colours"):
        await SqliteStore(path, migrations=[*KNOWN, altered]).open()


async def test_a_migration_that_fails_leaves_the_schema_as_it_was(path: Path) -> None:
    await open_and_close(path, KNOWN)
    before = tables(path)
    with pytest.raises(HoldfastError, match="already exists"):
        await SqliteStore(path, migrations=[*KNOWN, BROKEN]).open()
    assert tables(path) == before
    await open_and_close(path, [*KNOWN, NEXT])


async def test_stores_that_open_a_new_file_together_migrate_it_once(path: Path) -> None:
    stores = [SqliteStore(path) for _ in range(8)]
    await asyncio.gather(*(store.open() for store in stores))
    await asyncio.gather(*(store.close() for store in stores))
    assert "execution" in tables(path)
