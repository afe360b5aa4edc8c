"""A clock that stands still until a test moves it."""

from datetime import UTC, datetime

from holdfast.model.instants import Instant, datetime_of, instant_of

START = datetime(2030, 1, 1, 9, 0, tzinfo=UTC)
"""When a test's time begins unless it says otherwise: a Tuesday morning, the same on every run."""


class ManualClock:
    """The time of a test (ports.time.Clock)."""

    def __init__(self, start: datetime = START) -> None:
        self._now = instant_of(start)

    def now(self) -> Instant:
        """The instant that it stands at."""
        return self._now

    @property
    def datetime(self) -> datetime:
        """The instant that it stands at, in UTC."""
        return datetime_of(self._now)

    def set(self, instant: Instant) -> None:
        """Move it on; time that has passed does not come back."""
        if instant < self._now:
            raise ValueError(f"the clock stands at {self.datetime} and cannot go back to {datetime_of(instant)}")
        self._now = instant
