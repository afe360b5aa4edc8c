"""Connections to the file, with settings that keep what has been committed: asserted, not hoped for."""

import sqlite3
from pathlib import Path

import msgspec

from holdfast.model.errors import StoreDamaged, StoreRefused, UnsafeSettings
from holdfast.stores.statements import Statements

OLDEST_SQLITE = (3, 38, 0)
"""The first with the operator ->> and STRICT tables."""

APPLICATION_ID = 0x486F_6C64
"""Marks a file as ours: "Hold" in ASCII."""

HEADER = b"SQLite format 3\0"
FULL = 2


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How the file is used; the defaults were measured by benchmarks/store_bench.py."""

    page_size: int = 4_096
    cache_kib: int = 65_536
    busy_timeout_ms: int = 5_000
    """How long a commit waits for another process that is writing."""
    checkpoint_pages: int = 4_000
    """The commit that makes the log as long as this copies it into the database."""
    journal_limit_bytes: int = 64 * 1024 * 1024
    """A log that has grown beyond this is cut back when it starts anew."""
    readers: int = 2
    factory: type[sqlite3.Connection] = sqlite3.Connection
    """The class of the connections; tests use one that fails on request."""


def connect(path: Path, settings: Settings) -> sqlite3.Connection:
    """A connection that leaves transactions to us and remembers all our statements."""
    return sqlite3.connect(
        path,
        timeout=settings.busy_timeout_ms / 1000,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=1_024,
        factory=settings.factory,
    )


def check_version() -> None:
    """Refuses a library that does not know the SQL that we write."""
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        needed = ".".join(map(str, OLDEST_SQLITE))
        raise StoreRefused(f"SQLite {needed} or newer is needed, this Python has {sqlite3.sqlite_version}")


def check_file(path: Path) -> None:
    """Refuses what cannot be a database, before SQLite touches it."""
    if path.is_dir():
        raise StoreRefused(f"{path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise StoreRefused(f"{path}: the folder {path.parent} does not exist; make it first")
    if path.exists():
        with path.open("rb") as file:
            start = file.read(len(HEADER))
        if start and start != HEADER:
            raise StoreDamaged(f"{path} is not an SQLite database; name another file, or move this one away")


def check_owner(connection: sqlite3.Connection, statements: Statements, path: Path) -> None:
    """Refuses a database that belongs to another program, before anything in it is changed."""
    is_new = connection.execute(statements["count_objects"]).fetchone() == (0,)
    # In this order: tables and mark are made in one transaction, so whoever has seen tables sees the mark.
    if not is_new and pragma(connection, "application_id") != APPLICATION_ID:
        raise StoreRefused(f"{path} is a database of another program; give Holdfast a file of its own")


def settle_writer(connection: sqlite3.Connection, settings: Settings, path: Path) -> None:
    """Sets what the writer needs, and asserts what safety needs by reading it back."""
    set_pragma(connection, "synchronous", "FULL")
    set_pragma(connection, "wal_autocheckpoint", settings.checkpoint_pages)
    set_pragma(connection, "journal_size_limit", settings.journal_limit_bytes)
    _settle_memory(connection, settings)
    check_safety(connection, path)


def settle_reader(connection: sqlite3.Connection, settings: Settings) -> None:
    """A reader cannot write, whatever it is asked."""
    set_pragma(connection, "query_only", 1)
    _settle_memory(connection, settings)


def check_safety(connection: sqlite3.Connection, path: Path) -> None:
    """Refuses to work when a commit could be lost with the power."""
    journal = pragma(connection, "journal_mode")
    if journal != "wal":
        raise UnsafeSettings(f"{path}: the journal mode is {journal}, not wal; is this a local disk?")
    synchronous = pragma(connection, "synchronous")
    if synchronous != FULL:
        raise UnsafeSettings(f"{path}: synchronous is {synchronous}, not FULL; commits could be lost with the power")


def pragma(connection: sqlite3.Connection, name: str) -> int | str:
    """The value of a setting."""
    row = connection.execute(f"PRAGMA {name}").fetchone()
    value: int | str = row[0]
    return value


def set_pragma(connection: sqlite3.Connection, name: str, value: int | str) -> None:
    """Sets a setting; names and values are ours, never a user's."""
    connection.execute(f"PRAGMA {name} = {value}").fetchall()


def _settle_memory(connection: sqlite3.Connection, settings: Settings) -> None:
    set_pragma(connection, "cache_size", -settings.cache_kib)
    set_pragma(connection, "temp_store", "MEMORY")
