"""Migrations on PostgreSQL: once, in order, whole, whoever else migrates at the same moment."""

import asyncio
import re
from urllib.parse import quote

import asyncpg
import msgspec
import pytest

from holdfast.model.errors import HoldfastError, SchemaAltered, SchemaTooNew, StoreRefused, Unavailable
from holdfast.ports.store import Changes, ClaimWanted, Wanted
from holdfast.stores.migrations import Migration
from holdfast.stores.postgres import PostgresStore
from holdfast.stores.postgres.schema import is_online, known_migrations, statements_of
from tests.services.pgbouncer import running_pgbouncer
from tests.services.postgres import postgres_url
from tests.stores.making import ACME, QUEUE, execution, ids, key, load, task, write
from tests.stores.postgres_making import opened, outside

KNOWN = known_migrations()
NEXT = Migration(
    len(KNOWN) + 1, "colours", "CREATE TABLE holdfast.colour (name text); CREATE INDEX ON holdfast.colour (name);"
)
BROKEN = msgspec.structs.replace(NEXT, name="broken", script=NEXT.script + NEXT.script)
SLOW = msgspec.structs.replace(NEXT, name="slow", script=NEXT.script + "SELECT pg_sleep(60);")

COLUMN = "ALTER TABLE holdfast.task ADD COLUMN IF NOT EXISTS colour text;\n"
INDEX = "CREATE INDEX CONCURRENTLY IF NOT EXISTS task_colour ON holdfast.task (colour);\n"
BESIDE = msgspec.structs.replace(NEXT, name="beside", script=f"-- online\n-- For claims by colour.\n{COLUMN}{INDEX}")
STUCK = msgspec.structs.replace(BESIDE, script=f"{BESIDE.script}SELECT pg_sleep(60);\n")
HOT = ("execution", "event", "task", "task_attempt", "timer", "promise", "request_key", "flow_frame", "flow_scope")


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


async def valid_indexes(url: str) -> dict[str, bool]:
    async with outside(url) as connection:
        found = await connection.fetch(
            "SELECT relname, indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid"
            " WHERE relnamespace = 'holdfast'::regnamespace"
        )
    return {row["relname"]: row["indisvalid"] for row in found}


async def until_running(url: str, beginning: str) -> None:
    """Until some other connection carries out a statement that begins so."""
    async with outside(url) as connection, asyncio.timeout(60):
        running = (
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND state = 'active' AND query LIKE $1 || '%'"
        )
        while not await connection.fetchval(running, beginning):  # noqa: ASYNC110 - it is the server that is asked
            await asyncio.sleep(0.02)


async def test_servers_write_while_an_index_is_built_beside_them(postgres_database: str) -> None:
    """It waits for a transaction that is older than it; in one of its own it would let nobody write meanwhile."""
    async with opened(postgres_database) as old, outside(postgres_database) as connection:
        slow = connection.transaction(isolation="repeatable_read")
        await slow.start()
        await connection.execute("SELECT count(*) FROM holdfast.schema_migration")
        building = asyncio.ensure_future(migrated(postgres_database, BESIDE))
        await until_running(postgres_database, INDEX.rstrip(";\n"))
        await write(old, Changes(new_tasks=[task()]))
        assert not building.done()
        await slow.rollback()
        await asyncio.wait_for(building, 60)
        await write(old, Changes(new_tasks=[task("task-2")]))
    assert (await valid_indexes(postgres_database))["task_colour"]


async def migrated(url: str, *more: Migration) -> None:
    async with opened(url, migrations=[*KNOWN, *more]):
        pass


async def test_a_server_of_the_first_release_goes_on_while_the_newest_brings_the_schema_up_to_date(
    postgres_database: str,
) -> None:
    async with opened(postgres_database, migrations=KNOWN[:1]) as old:
        await write(old, Changes(new_tasks=[task("before")]))
        await migrated(postgres_database)
        await write(old, Changes(new_tasks=[task("after")]))
        wanted = Wanted(task_claims=[ClaimWanted(ACME, QUEUE, frozenset({"charge"}), 9)])
        async with opened(postgres_database) as new:
            for store in (old, new):
                assert ids((await load(store, wanted)).claimable_tasks[0]) == ["after", "before"]


async def test_a_lock_that_is_not_to_be_had_is_not_queued_for(postgres_database: str) -> None:
    """Everyone else would stand behind the one who waits for it."""
    async with opened(postgres_database) as old, outside(postgres_database) as connection:
        reader = connection.transaction()
        await reader.start()
        await connection.execute("SELECT count(*) FROM holdfast.task")
        altering = asyncio.ensure_future(migrated(postgres_database, BESIDE))
        await until_running(postgres_database, COLUMN.rstrip(";\n"))
        await write(old, Changes(new_tasks=[task()]))
        assert not altering.done()
        await reader.rollback()
        await asyncio.wait_for(altering, 60)


async def test_servers_that_migrate_online_together_do_it_once(postgres_database: str) -> None:
    await migrated(postgres_database)
    await asyncio.wait_for(asyncio.gather(*[migrated(postgres_database, BESIDE) for _ in range(4)]), 100)
    assert (await valid_indexes(postgres_database))["task_colour"]


async def test_an_online_migration_that_is_killed_half_way_is_repeated(postgres_database: str) -> None:
    await migrated(postgres_database)
    opening = asyncio.ensure_future(migrated(postgres_database, STUCK))
    await until_running(postgres_database, "SELECT pg_sleep(60)")
    async with outside(postgres_database) as connection:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    with pytest.raises(Unavailable):
        await opening
    await migrated(postgres_database, BESIDE)
    await migrated(postgres_database, BESIDE)


async def test_an_index_that_was_left_half_built_is_built_anew(postgres_database: str) -> None:
    await migrated(postgres_database)
    async with outside(postgres_database) as connection:
        await connection.execute("ALTER TABLE holdfast.task ADD COLUMN colour text DEFAULT 'red'")
        await connection.executemany(
            "INSERT INTO holdfast.tenant (id, created_at, status, limits, retention) VALUES ($1, 1, 'ACTIVE', '', '')",
            [("a",), ("b",)],
        )
        with pytest.raises(asyncpg.UniqueViolationError):
            await connection.execute("CREATE UNIQUE INDEX CONCURRENTLY task_colour ON holdfast.tenant (created_at)")
    assert not (await valid_indexes(postgres_database))["task_colour"]
    await migrated(postgres_database, BESIDE)
    assert (await valid_indexes(postgres_database))["task_colour"]


async def test_behind_a_pooler_it_needs_a_way_past_it(postgres_database: str, postgres_port: int) -> None:
    await migrated(postgres_database)
    with running_pgbouncer(postgres_port) as port:
        url = postgres_url(port, postgres_database.rpartition("/")[2]) + "?pooled=transaction"
        with pytest.raises(StoreRefused, match="direct="):
            await migrated(url, BESIDE)
        await migrated(f"{url}&direct={quote(postgres_database, safe='')}", BESIDE)


def test_statements_end_with_a_semicolon_at_the_end_of_a_line() -> None:
    assert statements_of(BESIDE.script) == [COLUMN.rstrip(";\n"), INDEX.rstrip(";\n")]


def locks_for_long(migration: Migration) -> list[str]:
    """Statements that would keep servers from committing for as long as a large table is long."""
    if is_online(migration):
        found = [each for each in statements_of(migration.script) if "INDEX" in each and "CONCURRENTLY" not in each]
    else:
        of_hot_tables = rf"(CREATE (UNIQUE )?INDEX[^;]* ON|ALTER TABLE( ONLY)?) holdfast\.({'|'.join(HOT)})\b"
        found = [each.group() for each in re.finditer(of_hot_tables, migration.script)]
    return found


@pytest.mark.parametrize("migration", KNOWN[1:] or [BESIDE], ids=lambda migration: migration.name)
def test_no_migration_locks_a_hot_table_for_long(migration: Migration) -> None:
    assert locks_for_long(migration) == []


@pytest.mark.parametrize(
    "script",
    [
        "CREATE INDEX task_colour ON holdfast.task (colour);\n",
        "CREATE UNIQUE INDEX x ON holdfast.event (type);\n",
        "ALTER TABLE holdfast.execution ADD CHECK (last_sequence > 0);\n",
        "-- online\nCREATE INDEX IF NOT EXISTS x ON holdfast.task (colour);\n",
    ],
)
def test_one_that_would_is_found(script: str) -> None:
    assert locks_for_long(msgspec.structs.replace(NEXT, script=script))
