"""The database's clock, which is the one that leases and timers of all servers go by.

Asking it for every decision would cost a round trip. So each look at it bounds how far this machine's clock is from it:
an answer that came at a moment was true before that moment. `now` is never ahead of the database's clock (so nothing
fires early), and behind it by no more than the quickest round trip of late.
"""

import time
from collections import deque
from typing import Final

from holdfast.model.instants import Instant

KEPT: Final = 16
"""So many looks count; older ones do not, for clocks drift and are set."""

_MICROSECONDS_OF_MILLISECOND: Final = 1_000


class DatabaseClock:
    """What time it is at the database; before it has been asked, on this machine."""

    def __init__(self) -> None:
        self._looks: deque[int] = deque(maxlen=KEPT)
        self._offset = time.time_ns() // 1_000 - _monotonic()

    def now(self) -> Instant:
        """The instant it is."""
        return Instant((_monotonic() + self._offset) // _MICROSECONDS_OF_MILLISECOND)

    def saw(self, microseconds: int) -> None:
        """The database has just said what time it was."""
        self._looks.append(microseconds - _monotonic())
        self._offset = max(self._looks)


def _monotonic() -> int:
    return time.monotonic_ns() // 1_000
