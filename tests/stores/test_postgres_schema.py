"""Migrations on PostgreSQL: once, in order, whole, whoever else migrates at the same moment."""

import asyncio

import msgspec
import pytest

from holdfast.model.errors import HoldfastError, SchemaAltered, SchemaTooNew, Unavailable
from holdfast.ports.store import Changes
from holdfast.stores.migrations import Migration
from holdfast.stores.postgres import PostgresStore
from holdfast.stores.postgres.schema import known_migrations
from tests.stores.making import execution, key, write
from tests.stores.postgres_making import opened, outside

KNOWN = known_migrations()
NEXT = Migration(
    len(KNOWN) + 1, "colours", "CREATE TABLE holdfast.colour (name text); CREATE INDEX ON holdfast.colour (name);"
)
BROKEN = msgspec.structs.replace(NEXT, name="broken", script=NEXT.script + NEXT.script)
SLOW = msgspec.structs.replace(NEXT, name="slow", script=NEXT.script + "SELECT pg_sleep(60);")


async def tables(url: str) -> set[str]:
    async with outside(url) as connection:
        found = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'holdfast'")
    return {row["tablename"] for row in found}


def test_migrations_are_numbered_without_a_gap() -> None:
    assert [migration.number for migration in KNOWN] == list(range(1, len(KNOWN) + 1))


async def test_stores_that_open_a_new_database_together_make_one_schema(postgres_database: str) -> None:
    stores = [PostgresStore(postgres_database) for _ in range(5)]
    await asyncio.gather(*[store.open() for store in stores])
    await write(stores[0], Changes(new_executions=[execution()]))
    assert [await store.execution(key("order-1")) for store in stores] == [execution()] * 5
    await asyncio.gather(*[store.close() for store in stores])


async def test_what_is_missing_is_applied_once(postgres_database: str) -> None:
    async with opened(postgres_database):
        pass
    for _ in range(2):
        async with opened(postgres_database, migrations=[*KNOWN, NEXT]):
            assert "colour" in await tables(postgres_database)


async def test_a_migration_that_fails_leaves_nothing(postgres_database: str) -> None:
    with pytest.raises(HoldfastError, match="colour"):
        await PostgresStore(postgres_database, migrations=[*KNOWN, BROKEN]).open()
    assert await tables(postgres_database) == set()
    async with opened(postgres_database):
        assert "execution" in await tables(postgres_database)


async def test_a_migration_that_is_killed_half_way_leaves_nothing(postgres_database: str) -> None:
    async with opened(postgres_database):
        pass
    opening = asyncio.ensure_future(PostgresStore(postgres_database, migrations=[*KNOWN, SLOW]).open())
    async with outside(postgres_database) as connection:
        killed = 0
        while not killed:
            killed = len(
                await connection.fetch(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND wait_event = 'PgSleep'"
                )
            )
    with pytest.raises(Unavailable):
        await opening
    assert "colour" not in await tables(postgres_database)
    async with opened(postgres_database, migrations=[*KNOWN, NEXT]):
        assert "colour" in await tables(postgres_database)


async def test_an_older_release_refuses_a_newer_schema(postgres_database: str) -> None:
    async with opened(postgres_database, migrations=[*KNOWN, NEXT]):
        pass
    with pytest.raises(SchemaTooNew, match="colours"):
        await PostgresStore(postgres_database).open()


async def test_a_migration_that_was_altered_is_refused(postgres_database: str) -> None:
    async with opened(postgres_database):
        pass
    altered = [msgspec.structs.replace(KNOWN[0], script="-- nothing"), *KNOWN[1:]]
    with pytest.raises(SchemaAltered, match=r"migration 1 \(schema\)"):
        await PostgresStore(postgres_database, migrations=altered).open()
