"""What an error of SQLite means to the engine."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from holdfast.model.errors import HoldfastError, StoreDamaged, StoreRefused, Unavailable

_FAMILY = 0xFF
"""The lower byte of an extended error code is its family."""

UNAVAILABLE = {
    sqlite3.SQLITE_BUSY: "it is locked by another process",
    sqlite3.SQLITE_LOCKED: "it is locked by another connection",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk does not read or write",
    sqlite3.SQLITE_READONLY: "it cannot be written to",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened",
    sqlite3.SQLITE_PERM: "access is not permitted",
    sqlite3.SQLITE_INTERRUPT: "the statement was interrupted",
    sqlite3.SQLITE_PROTOCOL: "its lock is contended",
}
DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
NOT_WRITTEN = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY})
"""When COMMIT itself fails so, its last page was never written."""


def family(error: sqlite3.Error) -> int:
    """The primary code of an error; 0 if the error is not SQLite's own."""
    return getattr(error, "sqlite_errorcode", 0) & _FAMILY


def meaning(error: sqlite3.Error, path: Path) -> HoldfastError:
    """The error of ours for one of SQLite, raised while nothing had been committed."""
    code = family(error)
    if code in DAMAGED:
        return StoreDamaged(f"{path} is not an intact SQLite database ({error}); restore it from a backup")
    if code in UNAVAILABLE:
        return Unavailable(f"{path}: {UNAVAILABLE[code]} ({error}); nothing was written")
    return HoldfastError(f"{path}: SQLite refused a statement of Holdfast: {error}")


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Raises errors of SQLite as what they mean."""
    try:
        yield
    except sqlite3.Error as error:
        raise meaning(error, path) from error


@contextmanager
def opening(path: Path) -> Iterator[None]:
    """While opening, a file that cannot be used is a refusal; only a lock may pass."""
    try:
        yield
    except sqlite3.Error as error:
        meant = meaning(error, path)
        if isinstance(meant, Unavailable) and family(error) not in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            raise StoreRefused(f"{path}: {UNAVAILABLE[family(error)]} ({error})") from error
        raise meant from error
