"""Quotas: how much of the server one tenant may use, so that the others do not notice it."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from holdfast.model.access import NO_LIMITS, Limits
from holdfast.model.errors import LimitExceeded, PayloadQuotaExceeded
from holdfast.server.access.open_executions import OpenExecutions

RETRY_AFTER_MS: Final = 1_000
"""What is said to those who wait for others to end something."""
HELD_MS: Final = 100
"""So long a refusal is held back, as long as there are few."""
FEW: Final = 20
"""So many refusals a second are few; with more of them each is held back for longer."""
LONGEST_HELD_MS: Final = 5_000


class Sized(Protocol):
    """A message of the wire; to weigh it costs something, so only those of limited tenants are."""

    def ByteSize(self) -> int:  # noqa: N802 - protobuf's name
        """How long it is."""


class Bucket:
    """So many requests a second, and so many at once after a pause."""

    def __init__(self, *, rate: float, burst: float, now: float) -> None:
        self.rate = rate
        self.burst = burst
        self._left = burst
        self._at = now

    def take(self, now: float, count: int = 1) -> float:
        """Take some; the seconds after which they could be taken, 0 if they were."""
        self._left = min(self.burst, self._left + (now - self._at) * self.rate)
        self._at = now
        # More than fit in at all are let through when it is full, and are then waited for.
        if self._left >= min(count, self.burst):
            self._left -= count
            return 0.0
        return (min(count, self.burst) - self._left) / self.rate


class Refusals:
    """How fast a tenant is being refused: who does not heed it must not keep the server busy with refusals.

    A refusal costs nearly as much as a small request. So it is held back the longer, the more there have been within
    about a second, and a flood of clients that wait for their answers slows itself down.
    """

    def __init__(self) -> None:
        self._recent = 0.0
        self._at = 0.0

    def hold_ms(self, now: float) -> int:
        """There is one more; how long it is held back."""
        self._recent = self._recent * math.exp(self._at - now) + 1
        self._at = now
        return min(LONGEST_HELD_MS, round(HELD_MS * max(1.0, self._recent / FEW)))


class Quota:
    """What one tenant may use, and uses at this moment, in this process."""

    def __init__(self, *, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._limits = NO_LIMITS
        self._bucket: Bucket | None = None
        self.connections = 0
        self.open_executions: OpenExecutions | None = None
        """Counts them, once it is known where."""
        self.refused = 0
        self._refusals = Refusals()

    def limit(self, limits: Limits) -> None:
        """From now on these hold."""
        if limits is self._limits or limits == self._limits:
            return
        self._limits = limits
        rate = limits.requests_per_second
        if rate is None:
            self._bucket = None
        else:
            self._bucket = Bucket(rate=rate, burst=float(limits.burst or max(1.0, rate)), now=self._now())

    @property
    def limits(self) -> Limits:
        """Those that hold."""
        return self._limits

    def count(self, requests: int = 1) -> None:
        """Requests have come; LimitExceeded if they are too many."""
        if self._bucket is not None and (wait := self._bucket.take(self._now(), requests)):
            raise self._refusal("requests a second", self._bucket.rate, max(1, round(wait * 1_000)))

    def start(self) -> None:
        """An execution is asked for; LimitExceeded if too many are open."""
        limit = self._limits.open_executions
        if limit is None or self.open_executions is None:
            return
        try:
            self.open_executions.start(limit)
        except LimitExceeded as error:
            raise self._refusal("open executions", limit, error.retry_after_ms) from None

    def _refusal(self, what: str, limit: float, retry_after_ms: int = RETRY_AFTER_MS) -> LimitExceeded:
        self.refused += 1
        return LimitExceeded(what, limit, retry_after_ms, self._refusals.hold_ms(self._now()))

    def most_bytes(self, limit: int) -> int:
        """The largest request that is read, where others may send one of `limit`."""
        own = self._limits.payload_bytes
        return limit if own is None else min(own, limit)

    def weigh(self, message: Sized) -> None:
        """A message has come; PayloadQuotaExceeded if it is larger than this tenant may send."""
        limit = self._limits.payload_bytes
        if limit is not None and (size := message.ByteSize()) > limit:
            raise self.too_large(size)

    def too_large(self, size: int) -> PayloadQuotaExceeded:
        """The refusal of a request that is larger than this tenant may send."""
        self.refused += 1
        return PayloadQuotaExceeded(size, self._limits.payload_bytes or 0)

    @contextmanager
    def connection(self) -> Iterator[None]:
        """A stream, session or long poll lasts as long as the block; LimitExceeded if there are too many."""
        limit = self._limits.connections
        if limit is not None and self.connections >= limit:
            raise self._refusal("connections", limit)
        self.connections += 1
        try:
            yield
        finally:
            self.connections -= 1
