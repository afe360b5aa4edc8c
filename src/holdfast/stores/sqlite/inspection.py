"""Looks at a database file from outside, without changing anything, for `holdfast doctor`."""

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from holdfast.ports.health import DatabaseReport
from holdfast.stores.migrations import Migration, missing
from holdfast.stores.sqlite.connections import APPLICATION_ID, check_file, check_owner, pragma
from holdfast.stores.sqlite.errors import opening
from holdfast.stores.sqlite.schema import known_migrations
from holdfast.stores.sqlite.sessions import Sessions
from holdfast.stores.statements import Statements


def inspect_file(path: Path, statements: Statements) -> DatabaseReport:
    """What the file says of itself; a refusal if it is no database."""
    check_file(path)
    with opening(path), closing(_read_only(path)) as connection:
        is_ours = pragma(connection, "application_id") == APPLICATION_ID
        recorded = connection.execute(statements["read_migrations"]).fetchall() if is_ours else []
        journal_mode = str(pragma(connection, "journal_mode"))
    return DatabaseReport(
        path=str(path),
        bytes=_size(path),
        log_bytes=_size(path.with_name(f"{path.name}-wal")),
        writable=os.access(path, os.W_OK) and os.access(path.parent, os.W_OK),
        is_ours=is_ours,
        journal_mode=journal_mode,
        schema=len(recorded),
        known_schema=len(known_migrations()),
        sessions=Sessions(path).living(),
    )


def pending_in_file(path: Path, statements: Statements, migrations: Sequence[Migration]) -> list[Migration]:
    """The migrations that the file lacks: all, if there is no file yet."""
    if not path.exists():
        return list(migrations)
    with opening(path), closing(_read_only(path)) as connection:
        check_owner(connection, statements, path)
        is_ours = pragma(connection, "application_id") == APPLICATION_ID
        recorded = connection.execute(statements["read_migrations"]).fetchall() if is_ours else []
    return missing(recorded, migrations, str(path))


def _read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, isolation_level=None)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
