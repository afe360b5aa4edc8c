"""What can be set of the guard of an outside index, in the index's URL: `redis://host:6379/0?batch=1000&interval=30`."""

from typing import Final
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

import msgspec

from holdfast.model.errors import InvalidArgument

MAX_BATCH: Final = 100_000
MAX_INTERVAL: Final = 24 * 3600
AHEAD: Final = 10
"""So many intervals does a look ahead reach: what was lost is found some looks before it is due."""


class GuardSettings(msgspec.Struct, frozen=True):
    """How much at once, and how often."""

    batch: int = 4_096
    """The most timers that one claim gives out, and that one question to the database or the index is about."""
    interval_ms: int = 30_000
    """Between two looks ahead."""

    @property
    def ahead_ms(self) -> int:
        """How far ahead they look."""
        return self.interval_ms * AHEAD


def split_settings(url: str) -> tuple[str, GuardSettings]:
    """The URL without our settings, and these."""
    parts = urlsplit(url)
    options = parse_qs(parts.query, keep_blank_values=True)
    batch = _number("batch", options.pop("batch", None), MAX_BATCH, GuardSettings().batch)
    interval = _number("interval", options.pop("interval", None), MAX_INTERVAL, GuardSettings().interval_ms // 1_000)
    plain = urlunsplit(parts._replace(query=urlencode(options, doseq=True)))
    return plain, GuardSettings(batch, interval * 1_000)


def _number(name: str, given: list[str] | None, most: int, otherwise: int) -> int:
    if given is None:
        return otherwise
    if not given[-1].isdecimal() or not 1 <= int(given[-1]) <= most:
        raise InvalidArgument(f"{name}={given[-1]} in the URL of the timer index: use a number from 1 to {most:,}")
    return int(given[-1])
