"""The nominal times of a schedule: pure arithmetic on its specification.

Cron lines mean what they mean in Debian's cron, daylight saving included: what is set for a time that the change leaves
out runs right after it, and what is set for a time that comes twice runs once.
"""

import hashlib
from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from holdfast.model.errors import InvalidArgument, shown
from holdfast.model.instants import LATEST, Instant, Milliseconds, datetime_of, instant_of
from holdfast.model.schedules import ScheduleSpec

LONGEST_CRON = 255
SHORTEST_INTERVAL_MS = 1_000
MOST_COUNTED = 10_000
"""So many missed times of a cron line are counted, one by one."""


def check(spec: ScheduleSpec) -> None:
    """InvalidArgument if the specification can never be carried out."""
    if (spec.cron is None) == (spec.every_ms is None):
        raise InvalidArgument("a schedule has exactly one of cron and every_ms")
    if spec.every_ms is not None and not SHORTEST_INTERVAL_MS <= spec.every_ms <= LATEST:
        raise InvalidArgument(f"every_ms must be {SHORTEST_INTERVAL_MS} or more, not {spec.every_ms}")
    for name, value in (("jitter_ms", spec.jitter_ms), ("catch_up_ms", spec.catch_up_ms)):
        if not 0 <= value <= LATEST:
            raise InvalidArgument(f"{name} must lie between 0 and {LATEST}, not {value}")
    for name, instant in (("not_before", spec.not_before), ("not_after", spec.not_after)):
        if instant is not None and not 0 <= instant <= LATEST:
            raise InvalidArgument(f"{name} must lie between 1970 and 9999, not {instant}")
    zone_of(spec.timezone)
    if spec.cron is not None:
        check_cron(spec.cron, spec.timezone)


def check_cron(line: str, timezone: str) -> None:
    """InvalidArgument if this is no cron line."""
    _cron(line, timezone, Instant(0))


def zone_of(name: str) -> tzinfo:
    """The time zone of that name in the IANA database."""
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidArgument(f"there is no time zone {shown(name)}; names are such as 'Europe/Vienna'") from error


def following(spec: ScheduleSpec, made_at: Instant, after: Instant) -> Instant | None:
    """The first nominal time after an instant; None if there is none any more."""
    if spec.not_before is not None:
        after = max(after, Instant(spec.not_before - 1))
    found = _next_of_cron(spec.cron, spec.timezone, after) if spec.cron is not None else _next(spec, made_at, after)
    if found is None or found > LATEST or (spec.not_after is not None and found > spec.not_after):
        return None
    return found


def start_of(spec: ScheduleSpec, schedule_id: str, nominal: Instant) -> Instant:
    """When what belongs to a nominal time is started: its share of the jitter later, the same whoever asks."""
    if not spec.jitter_ms:
        return nominal
    digest = hashlib.blake2b(f"{schedule_id}\0{nominal}".encode(), digest_size=8).digest()
    return Instant(nominal + int.from_bytes(digest, "big") % (spec.jitter_ms + 1))


def times_before(spec: ScheduleSpec, made_at: Instant, first: Instant, before: Instant) -> int:
    """How many nominal times there are from `first`, which is one, to before an instant; of a cron line at most
    MOST_COUNTED."""
    if spec.every_ms is not None:
        last = before if spec.not_after is None else min(before, Instant(spec.not_after + 1))
        return max(0, (last - 1 - first) // spec.every_ms + 1)
    time: Instant | None = first
    counted = 0
    while time is not None and time < before and counted < MOST_COUNTED:
        counted += 1
        time = following(spec, made_at, time)
    return counted


def _next(spec: ScheduleSpec, made_at: Instant, after: Instant) -> Instant:
    every = spec.every_ms or Milliseconds(SHORTEST_INTERVAL_MS)
    if spec.not_before is not None:
        return Instant(spec.not_before + max(0, (after - spec.not_before) // every + 1) * every)
    return Instant(made_at + max(1, (after - made_at) // every + 1) * every)


def _next_of_cron(line: str, timezone: str, after: Instant) -> Instant | None:
    try:
        moments = map(instant_of, _cron(line, timezone, after))
        # The calendar goes by the clock on the wall: in an hour that comes twice it may begin with the first one again.
        return next(instant for instant in moments if instant > after)
    except (OverflowError, ValueError, StopIteration):
        return None


def _cron(line: str, timezone: str, after: Instant) -> CronSim:
    if len(line) > LONGEST_CRON:
        raise InvalidArgument(f"a cron line has at most {LONGEST_CRON} characters, not {len(line)}")
    try:
        return CronSim(line, datetime_of(after).astimezone(zone_of(timezone)))
    except CronSimError as error:
        raise InvalidArgument(
            f"{shown(line)} is no cron line: {error}; it has five fields, such as '30 9 * * 1-5'"
        ) from error
