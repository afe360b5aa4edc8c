"""Instants and durations: whole milliseconds, so that every store and every wire keeps them exactly."""

import math
from datetime import UTC, datetime, timedelta
from typing import NewType

Instant = NewType("Instant", int)
"""Milliseconds since 1970-01-01 UTC."""

Milliseconds = NewType("Milliseconds", int)
"""A length of time in milliseconds."""

DurationLike = timedelta | float | int
"""What callers may give for a length of time: a timedelta, or a number of seconds."""

LATEST = Instant(253_402_300_799_000)
"""The last instant that datetime can show (end of the year 9999)."""


def milliseconds(duration: DurationLike) -> Milliseconds:
    """Whole milliseconds, rounded up so that a wait is never shorter than asked."""
    seconds = duration.total_seconds() if isinstance(duration, timedelta) else duration
    if not math.isfinite(seconds):
        raise ValueError(f"a duration must be finite, not {seconds}")
    return Milliseconds(math.ceil(round(seconds * 1000, 3)))


def instant_of(moment: datetime) -> Instant:
    """The instant of a datetime; one without a time zone is refused, for it names no instant."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone; use datetime.now(UTC) or give it a tzinfo")
    return Instant(math.ceil(round(moment.timestamp() * 1000, 3)))


def datetime_of(instant: Instant) -> datetime:
    """The instant as a datetime in UTC."""
    return datetime.fromtimestamp(instant / 1000, UTC)


def later(instant: Instant, duration: int) -> Instant:
    """The instant that lies `duration` milliseconds after `instant`, capped at LATEST."""
    return Instant(min(instant + duration, LATEST))


def earliest(*instants: Instant | None) -> Instant | None:
    """The first of those that are set."""
    known = [instant for instant in instants if instant is not None]
    return min(known) if known else None
