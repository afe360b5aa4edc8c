"""Instants, durations and values in the words that people read."""

import time

import msgspec

from holdfast.cli.escaping import one_line
from holdfast.model.access import Limits
from holdfast.model.instants import LATEST, Instant, datetime_of
from holdfast.model.retention import Retention

_UNITS = (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000))
SHOWN_VALUE = 160
"""Characters of a value that a table shows."""


def duration(milliseconds: int) -> str:
    """A length of time in its two largest units: `2 d 3 h`, `4 min 5 s`, `1.2 s`, `17 ms`."""
    if milliseconds < 0:
        return f"-{duration(-milliseconds)}"
    if milliseconds < 1_000:
        return f"{milliseconds} ms"
    if milliseconds < 10_000:
        return f"{milliseconds / 1_000:.1f} s"
    parts: list[str] = []
    for unit, length in _UNITS:
        count, milliseconds = divmod(milliseconds, length)
        if count or parts:
            parts.append(f"{count} {unit}")
    return " ".join(part for part in parts[:2] if not part.startswith("0 "))


def now() -> Instant:
    """The time of this machine."""
    return Instant(time.time_ns() // 1_000_000)


def ago(instant: Instant, now: Instant) -> str:
    """How long ago an instant was, or how far away it is."""
    return f"{duration(now - instant)} ago" if instant <= now else f"in {duration(instant - now)}"


def iso(instant: Instant) -> str:
    """The instant in UTC, as JSON documents have it."""
    moment = datetime_of(Instant(max(0, min(instant, LATEST))))
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def local_time(instant: Instant) -> str:
    """The instant in the time zone of whoever reads it."""
    return datetime_of(Instant(max(0, min(instant, LATEST)))).astimezone().strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


def value(data: bytes | None) -> str:
    """A payload on one line, not too long."""
    if data is None:
        return ""
    text = one_line(data.decode("utf-8", "replace"))
    return text if len(text) <= SHOWN_VALUE else f"{text[:SHOWN_VALUE]}…"


def count(number: int, noun: str) -> str:
    """`1 task`, `2 tasks`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def size(number: float) -> str:
    """`17 B`, `1.2 MiB`."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if number < 1024:
            return f"{number:,.0f} {unit}" if unit == "B" else f"{number:,.1f} {unit}"
        number /= 1024
    return f"{number:,.1f} TiB"


def retention_text(retention: Retention) -> str:
    """How long what has ended is kept, for people."""
    usual = f"workflows {_kept(retention.workflows_ms)}, tasks {_kept(retention.tasks_ms)}"
    return ", ".join([usual, *[f"{each.of} {one_line(each.name)} {_kept(each.keep_ms)}" for each in retention.kinds]])


def _kept(milliseconds: int | None) -> str:
    return "for ever" if milliseconds is None else duration(milliseconds)


def limits_text(limits: Limits) -> str:
    """Limits for people."""
    set_ones = {name: value for name, value in msgspec.structs.asdict(limits).items() if value is not None}
    return ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in set_ones.items()) or "no limits"
