"""The database as its own timer index: one look at four small indexes says what is next."""

from collections.abc import Mapping, Sequence

from holdfast.model.ids import ALL_TENANTS
from holdfast.model.instants import Instant
from holdfast.model.requests import FireDue
from holdfast.model.wakes import WakeUp
from holdfast.ports.store import Changes, Store
from holdfast.ports.timers import Due, Look


class DatabaseTimers:
    """A timer index (ports.timers.TimerIndex) that keeps nothing: claim and effect are one transaction."""

    def __init__(self, *, store: Store) -> None:
        self._store = store
        self._earliest: Instant | None = None

    async def open(self, look: Look) -> None:
        """There is nothing to open."""

    async def close(self) -> None:
        """There is nothing to let go of."""

    def tally(self) -> Mapping[str, int]:
        """There is nothing to keep right."""
        return {}

    def note(self, changes: Changes) -> None:
        """The rows themselves are the index."""

    async def claim(self, now: Instant, limit: int, *, is_known: bool) -> FireDue | None:
        """Let the transaction that acts look for what is due."""
        if is_known:
            return FireDue(ALL_TENANTS, limit)
        self._earliest = await self._store.next_wake()
        is_due = self._earliest is not None and self._earliest <= now
        return FireDue(ALL_TENANTS, limit) if is_due else None

    async def settle(self, claimed: Due, later: Sequence[WakeUp]) -> None:
        """What has been acted on is due no more."""

    async def next_due(self) -> Instant | None:
        """The earliest of all rows."""
        return self._earliest
