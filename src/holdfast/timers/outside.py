"""What an index outside of the database must be able to do; GuardedTimers makes a timer index of it."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from holdfast.model.instants import Instant
from holdfast.model.wakes import WakeKey, WakeUp


class Claimed(msgspec.Struct, frozen=True):
    """What an index has given out, and what it says beside it."""

    wakes: tuple[WakeUp, ...]
    next_due: Instant | None
    """The earliest of what is left."""
    in_hand: int
    """How much had been given out before and has not been acknowledged."""
    whole: bool
    """False if the index has been emptied since it was filled."""


class OutsideIndex(Protocol):
    """An index that may be slow, unreachable, emptied or wrong. Each verb raises Unavailable if it is out of reach."""

    async def open(self) -> bool:
        """Connect; whether the index has been filled before and has lost nothing that it knows of."""

    async def close(self) -> None:
        """Let go of the connection."""

    async def put(self, armed: Sequence[WakeUp], gone: Sequence[WakeKey]) -> None:
        """Each of these has this time now; those have none any more."""

    async def add_missing(self, wakes: Sequence[WakeUp]) -> int:
        """Put those in that are neither waiting nor given out; how many that were."""

    async def lacking(self, wakes: Sequence[WakeUp]) -> list[WakeUp]:
        """Those that are neither given out nor waiting for this time or an earlier one."""

    async def mark_filled(self) -> None:
        """Everything that the database knows is in."""

    async def claim(self, now: Instant, limit: int) -> Claimed:
        """Give out what is due, the earliest first."""

    async def acknowledge(self, keys: Sequence[WakeKey]) -> None:
        """These have been acted on; one that has been put in again since is kept."""

    async def recover(self, now: Instant, limit: int) -> int:
        """Let what was given out too long ago be claimed again; how many that were."""
