"""Brings the schema up to date: all of what is missing, or nothing; others may be doing the same at this moment."""

from collections.abc import Sequence

from holdfast.stores.migrations import Migration, migrations_of, missing
from holdfast.stores.postgres.connections import Postgres
from holdfast.stores.statements import Statements

SCRIPTS = "holdfast.stores.postgres.migrations"

LONGEST_SECONDS = 24 * 3600
"""For a migration, or to wait for that of another server: what is for a commit much too long may be needed here."""
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
    connection: Postgres, statements: Statements, migrations: Sequence[Migration], where: str
) -> list[Migration]:
    """Applies what is missing. Who comes second waits for the first, and finds nothing left to do."""
    if not await to_apply(connection, statements, migrations, where):
        return []
    async with connection.transaction():
        await connection.fetch(statements["set_for_transaction"], UNBOUNDED, ["0"] * len(UNBOUNDED))
        await connection.fetch(statements["lock_migrations"], timeout=LONGEST_SECONDS)
        pending = await to_apply(connection, statements, migrations, where)
        if not await connection.fetchval(statements["has_schema_migration"]):
            await connection.execute(statements["create_schema"])
            await connection.execute(statements["create_schema_migration"])
        for migration in pending:
            await connection.execute(migration.script, timeout=LONGEST_SECONDS)
            await connection.execute(statements["add_migration"], migration.number, migration.name, migration.checksum)
    return pending
