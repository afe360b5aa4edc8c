"""How many executions of a tenant are open: what was read last, and what has been asked for since.

Counting is the database's business, and a start must not wait for it. So the number is read anew every second, sooner
for whoever stands at the limit, and starts are added in between.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from holdfast.model.errors import HoldfastError, LimitExceeded

logger = logging.getLogger(__name__)

FRESH_SECONDS = 1.0
FRESH_AT_LIMIT_SECONDS = 0.1


class OpenExecutions:
    """Those of one tenant."""

    def __init__(self, *, count: Callable[[], Awaitable[int]], now: Callable[[], float] = time.monotonic) -> None:
        self._count = count
        self._now = now
        self._open: int | None = None
        self._started = 0
        """Starts since the last reading began; one that came while it was under way may be counted twice."""
        self._read_at = 0.0
        self._reading: asyncio.Task[None] | None = None

    async def look(self) -> None:
        """See to it that there is a number."""
        if self._open is None:
            await self._read()

    def start(self, limit: int) -> None:
        """One more is asked for; LimitExceeded if that would be too many."""
        known = (self._open or 0) + self._started
        is_full = known >= limit
        self._look_again_after(FRESH_AT_LIMIT_SECONDS if is_full else FRESH_SECONDS)
        if is_full:
            raise LimitExceeded("open executions", limit, round(FRESH_AT_LIMIT_SECONDS * 1_000))
        self._started += 1

    def _look_again_after(self, seconds: float) -> None:
        if self._reading is None and self._now() - self._read_at >= seconds:
            self._reading = asyncio.get_running_loop().create_task(self._read_again(), name="holdfast-open-executions")

    async def _read_again(self) -> None:
        try:
            await self._read()
        except HoldfastError as error:
            logger.warning("open executions could not be counted: %s", error)
        finally:
            self._reading = None

    async def _read(self) -> None:
        before = self._started
        self._read_at = self._now()
        self._open = await self._count()
        # What was asked for before the question is in the answer, has been refused, or comes with the next answer.
        self._started -= before
