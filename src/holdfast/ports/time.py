"""Where the time, waiting and chance come from, so that tests can supply their own."""

from typing import Protocol, runtime_checkable

from holdfast.model.instants import Instant


class Clock(Protocol):
    """The time, as the server sees it."""

    def now(self) -> Instant:
        """The instant it is."""


@runtime_checkable
class KeepsTime(Protocol):
    """Something with a clock of its own, which others are to go by."""

    @property
    def clock(self) -> Clock:
        """Its clock."""


class Chance(Protocol):
    """Random numbers for ids and jitter; random.Random is one."""

    def random(self) -> float:
        """A number in 0 to 1."""

    def getrandbits(self, k: int, /) -> int:
        """A number of `k` random bits."""
