"""What can be said of a database before, and after, it is opened: for `holdfast doctor`."""

from typing import Protocol

import msgspec

from holdfast.model.instants import Instant
from holdfast.model.queries import QueueCount
from holdfast.ports.store import Store


class DatabaseReport(msgspec.Struct, frozen=True, kw_only=True):
    """A database file as it lies there; nothing was changed to find this out."""

    path: str
    bytes: int
    log_bytes: int
    """What has been committed and not yet been copied into the file."""
    writable: bool
    is_ours: bool
    journal_mode: str
    schema: int
    known_schema: int
    sessions: int
    """How many processes have it open."""


class TableReport(msgspec.Struct, frozen=True, kw_only=True):
    """A table of a database server."""

    name: str
    bytes: int
    live: int
    dead: int
    """Rows that nobody sees any more, and that take their place until they are vacuumed."""
    updates: int
    updates_in_place: int
    """Those that no index had to be told of."""
    vacuum_off: bool


class ServerReport(msgspec.Struct, frozen=True, kw_only=True):
    """A database on a server, as it is found; nothing was changed to find this out."""

    where: str
    version: str
    supported: bool
    encoding: str
    bytes: int
    unsafe: tuple[str, ...]
    """Settings with which what was committed could be lost, as name=value."""
    in_recovery: bool
    read_only: bool
    schema: int | None
    """None: there is none yet."""
    known_schema: int
    may_create: bool
    connections: int
    most_connections: int
    round_trip_ms: float
    clock_ahead_ms: int
    """By how much this machine's clock is ahead of the database's; below 0 it is behind."""
    pooler: bool
    """Whether something stands between that shares connections out."""
    pooled: bool
    """Whether the URL says that it does so by transaction."""
    by_session: bool
    """Or by session."""
    direct: bool
    """Whether there is a way past it."""
    autovacuum: bool
    oldest_transaction_seconds: int
    sessions: int
    tables: tuple[TableReport, ...]


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """A database as its store sees it."""

    damages: tuple[str, ...]
    counts: tuple[QueueCount, ...]
    newest: Instant | None
    """When the newest execution or standalone task was made."""
    next_wake: Instant | None


class ExaminableStore(Store, Protocol):
    """A store that can look for damages."""

    async def damages(self) -> list[str]:
        """What is wrong with the file; nothing if it is sound."""
