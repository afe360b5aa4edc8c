"""Brings the schema up to date: numbered scripts, applied once, in order, never backwards."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from holdfast.stores.migrations import Migration, migrations_of, missing
from holdfast.stores.sqlite.connections import APPLICATION_ID, check_owner, set_pragma
from holdfast.stores.statements import Statements

SCRIPTS = "holdfast.stores.sqlite.migrations"


def known_migrations() -> list[Migration]:
    """Those of this release, by number."""
    return migrations_of(SCRIPTS)


def statements_of(migration: Migration) -> list[str]:
    """The script's statements one by one, for `executescript` would commit before it begins."""
    found: list[str] = []
    pending = ""
    for line in migration.script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending.strip())
            pending = ""
    return found


def migrate(
    connection: sqlite3.Connection, statements: Statements, migrations: Sequence[Migration], path: Path
) -> list[Migration]:
    """Applies what is missing, all of it or nothing; another process may be doing the same."""
    connection.execute(statements["begin"])
    try:
        check_owner(connection, statements, path)
        applied = _apply_missing(connection, statements, migrations, path)
        connection.execute(statements["commit"])
    finally:
        if connection.in_transaction:
            connection.execute(statements["rollback"])
    return applied


def _apply_missing(
    connection: sqlite3.Connection, statements: Statements, migrations: Sequence[Migration], path: Path
) -> list[Migration]:
    connection.execute(statements["create_schema_migration"])
    recorded = connection.execute(statements["read_migrations"]).fetchall()
    to_apply = missing(recorded, migrations, str(path))
    for migration in to_apply:
        for statement in statements_of(migration):
            connection.execute(statement)
        record = {"number": migration.number, "name": migration.name, "checksum": migration.checksum}
        connection.execute(statements["add_migration"], record)
    if to_apply:
        set_pragma(connection, "application_id", APPLICATION_ID)
    return to_apply
