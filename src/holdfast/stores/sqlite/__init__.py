"""The SQLite store: one file, one writer thread, readers beside it."""

from holdfast.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
