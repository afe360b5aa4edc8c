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
