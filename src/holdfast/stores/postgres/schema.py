"""Brings the schema up to date; others may be doing the same at this moment, and servers go on committing.

Migrations are applied in one transaction, all of what is missing or nothing. What would lock a large table for long (an
index, a constraint) goes into one that begins with the line `-- online`: its statements are committed one by one beside
everything else, so each must be one that can be repeated (CREATE INDEX CONCURRENTLY IF NOT EXISTS, ADD COLUMN IF NOT
EXISTS), and a server of the release before must be able to work at any point of it.
"""

import asyncio
from collections.abc import Sequence
from itertools import takewhile

import asyncpg

from holdfast.model.errors import StoreRefused
from holdfast.stores.migrations import Migration, migrations_of, missing
from holdfast.stores.postgres.connections import Connect, ConnectionPool, Postgres, close
from holdfast.stores.statements import Statements

SCRIPTS = "holdfast.stores.postgres.migrations"

LONGEST_SECONDS = 24 * 3600
"""For a migration, or to wait for that of another server: what is for a commit much too long may be needed here."""
PAUSE_SECONDS = 0.2
LOCK_PATIENCE = "500"
"""Milliseconds for a lock on a table: for so long everyone else who wants one stands behind it."""
ONLINE = "-- online"
CONCURRENTLY = "CONCURRENTLY"
UNBOUNDED = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]


def known_migrations() -> list[Migration]:
    """Those of this release, by number."""
    return migrations_of(SCRIPTS)


async def to_apply(
    connection: Postgres, statements: Statements, migrations: Sequence[Migration], where: str
) -> list[Migration]:
    """What is missing; a refusal of a database that a newer release has written."""
    if not await connection.fetchval(statements["has_schema_migration"]):
        return list(migrations)
    recorded = [tuple(row) for row in await connection.fetch(statements["read_migrations"])]
    return missing(recorded, migrations, where)


async def migrate(
    connections: ConnectionPool,
    statements: Statements,
    migrations: Sequence[Migration],
    where: str,
    *,
    connect_to_stay: Connect | None,
) -> list[Migration]:
    """Applies what is missing. Who comes second waits for the first, and finds nothing left to do.

    `connect_to_stay` gives a connection of its own; None: there is a pooler, and no way past it. None of `connections`
    is held meanwhile: behind a pooler that would be a transaction, which an index that is built waits for.
    """
    async with connections.connection() as connection:
        left = pending = await to_apply(connection, statements, migrations, where)
    while left:
        if is_online(left[0]):
            if connect_to_stay is None:
                raise StoreRefused(
                    f"{where}: migration {left[0].number} ({left[0].name}) needs a connection that stays; "
                    "add &direct=… to the URL, or run `holdfast migrate` past the pooler"
                )
            await _apply_online(connect_to_stay, statements, left[0], migrations, where)
        else:
            async with connections.connection() as connection:
                is_mine = await _apply_together(connection, statements, migrations, where)
            if not is_mine:
                await asyncio.sleep(PAUSE_SECONDS)
        async with connections.connection() as connection:
            left = await to_apply(connection, statements, migrations, where)
    return pending


async def _apply_together(
    connection: Postgres, statements: Statements, migrations: Sequence[Migration], where: str
) -> bool:
    """All up to the first that is online in one transaction; False, if another server has the lock just now.

    It is asked for again and again and not waited for: who waits in a transaction would be waited for by one who builds
    an index beside it.
    """
    async with connection.transaction():
        await connection.fetch(statements["set_for_transaction"], UNBOUNDED, ["0"] * len(UNBOUNDED))
        is_mine = await connection.fetchval(statements["try_lock_migrations"])
        pending = await to_apply(connection, statements, migrations, where) if is_mine else []
        is_new = bool(pending) and not await connection.fetchval(statements["has_schema_migration"])
        if is_new:
            await connection.execute(statements["create_schema"])
            await connection.execute(statements["create_schema_migration"])
        # In a schema that is new there is nobody else yet, and no row.
        for migration in takewhile(lambda each: is_new or not is_online(each), pending):
            script = migration.script.replace(CONCURRENTLY, "") if is_online(migration) else migration.script
            await connection.execute(script, timeout=LONGEST_SECONDS)
            await connection.execute(statements["add_migration"], migration.number, migration.name, migration.checksum)
    return bool(is_mine)


async def _apply_online(
    connect_to_stay: Connect, statements: Statements, migration: Migration, migrations: Sequence[Migration], where: str
) -> None:
    """One statement after the other, each committed by itself; what an earlier try has left half done is repeated."""
    connection = await connect_to_stay()
    try:
        await connection.fetch(statements["set_for_session"], UNBOUNDED, ["0"] * len(UNBOUNDED))
        while not await connection.fetchval(statements["try_lock_migrations_online"]):  # noqa: ASYNC110 - of another server
            await asyncio.sleep(PAUSE_SECONDS)
        if migration in await to_apply(connection, statements, migrations, where):
            for row in await connection.fetch(statements["find_broken_indexes"]):
                await connection.execute(row[0], timeout=LONGEST_SECONDS)
            for statement in statements_of(migration.script):
                await _execute_beside_others(connection, statements, statement)
            await connection.execute(statements["add_migration"], migration.number, migration.name, migration.checksum)
    finally:
        await close(connection, PAUSE_SECONDS)


async def _execute_beside_others(connection: Postgres, statements: Statements, statement: str) -> None:
    """Without being in anybody's way: a lock that is not to be had soon is let go of, and asked for again later."""
    patience = "0" if CONCURRENTLY in statement.upper() else LOCK_PATIENCE
    await connection.fetch(statements["set_for_session"], ["lock_timeout"], [patience])
    while True:
        try:
            await connection.execute(statement, timeout=LONGEST_SECONDS)
        except asyncpg.LockNotAvailableError:
            await asyncio.sleep(PAUSE_SECONDS)
        else:
            return


def is_online(migration: Migration) -> bool:
    """Whether it is carried out beside commits, and not in one transaction."""
    return migration.script.startswith(ONLINE)


def statements_of(script: str) -> list[str]:
    """The statements of an online migration; each ends with a semicolon at the end of a line."""
    text = "\n".join(line for line in script.splitlines() if not line.lstrip().startswith("--"))
    return [statement.strip() for statement in f"{text}\n".split(";\n") if statement.strip()]
