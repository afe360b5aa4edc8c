"""Opens a database file: refuses what is not ours or not safe, brings the schema up to date, connects."""

import sqlite3
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from holdfast.stores.migrations import Migration
from holdfast.stores.sqlite.connections import (
    Settings,
    check_file,
    check_owner,
    check_version,
    connect,
    set_pragma,
    settle_reader,
    settle_writer,
)
from holdfast.stores.sqlite.errors import family, opening
from holdfast.stores.sqlite.schema import migrate
from holdfast.stores.statements import Statements

PAUSE_SECONDS = 0.01


class Opened(NamedTuple):
    """The connections to one file."""

    writer: sqlite3.Connection
    readers: list[sqlite3.Connection]


def open_database(path: Path, settings: Settings, statements: Statements, migrations: Sequence[Migration]) -> Opened:
    """All connections, or an error that says what to do, and none."""
    check_version()
    check_file(path)
    with opening(path), ExitStack() as to_close:
        writer = connect(path, settings)
        to_close.callback(writer.close)
        check_owner(writer, statements, path)
        _switch_to_wal(writer, settings)
        settle_writer(writer, settings, path)
        migrate(writer, statements, migrations, path)
        readers = []
        for _ in range(settings.readers):
            reader = connect(path, settings)
            to_close.callback(reader.close)
            settle_reader(reader, settings)
            readers.append(reader)
        to_close.pop_all()
        return Opened(writer, readers)


def _switch_to_wal(connection: sqlite3.Connection, settings: Settings) -> None:
    """SQLite does not wait by itself when two processes switch a new file at the same time."""
    set_pragma(connection, "page_size", settings.page_size)
    deadline = time.monotonic() + settings.busy_timeout_ms / 1000
    while True:
        try:
            set_pragma(connection, "journal_mode", "WAL")
        except sqlite3.OperationalError as error:
            if family(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(PAUSE_SECONDS)
        else:
            return
