"""The real clock."""

import time

from holdfast.model.instants import Instant


class SystemClock:
    """The machine's wall clock."""

    def now(self) -> Instant:
        """The instant it is."""
        return Instant(time.time_ns() // 1_000_000)
