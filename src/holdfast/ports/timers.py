"""The timer index port: what is due. The rows decide what happens; an index only says where to look.

So an entry that is stale, doubled or lost can make a timer late, and nothing else. What an index claims it gives out
once, until it is settled; what is never settled, because whoever claimed it is gone, it gives out again.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from holdfast.model.instants import Instant
from holdfast.model.requests import FireDue, FireIfDue
from holdfast.model.wakes import WakeUp
from holdfast.ports.store import Changes

Due = FireDue | FireIfDue
"""What to ask of the engine, because something is due."""


Look = Callable[[], None]
"""Lets the scheduler of this process claim: who says what is due has changed."""


class TimerIndex(Protocol):
    """Says what is due, and when something will be."""

    async def open(self, look: Look) -> None:
        """Begin; an index that cannot be reached is not a reason to fail."""

    async def close(self) -> None:
        """Let go of everything; what has been noted is kept for others."""

    def note(self, changes: Changes) -> None:
        """These rows have been committed."""

    def tally(self) -> Mapping[str, int]:
        """How often something was needed to keep the index right; nothing of it on a good day."""

    async def claim(self, now: Instant, limit: int, *, is_known: bool) -> Due | None:
        """Act on this, for it is due; None: nothing is. `is_known`: something was due by now when it was last heard of,
        so that it need not be looked for first."""

    async def settle(self, claimed: Due, later: Sequence[WakeUp]) -> None:
        """The effect of a claim has been committed; `later` are the rows of it that are due at another time."""

    async def next_due(self) -> Instant | None:
        """When to claim again, as far as is known since the last claim; None: when something is noted."""
