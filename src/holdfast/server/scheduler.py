"""The scheduler: one loop for all timers, retries, timeouts and leases.

It sleeps until the next instant at which some record is due, without a tick. Whoever writes an earlier one pokes it.
What is due the timer index says; the transaction that acts on it looks at the rows again, so several schedulers may
run at once.
"""

import asyncio
import logging

from holdfast.model.errors import HoldfastError, Unavailable
from holdfast.model.instants import Instant
from holdfast.model.requests import FireDue, NotYet
from holdfast.ports.time import Clock
from holdfast.ports.timers import Due, TimerIndex
from holdfast.server.apart import Apart, is_of_one_row
from holdfast.server.committer import Committer

logger = logging.getLogger(__name__)

AT_ONCE = 64
"""The records of a sort that one transaction acts on, while workers keep up: what they wake goes ahead of new work."""

MOST_AT_ONCE = 512
"""The same while workers do not keep up, or there are none."""

KEEPING_UP = 0.25
"""So many seconds workers may take nothing, before the next sweep comes all the same."""

LONGEST_SLEEP_MS = 1_000
"""The wall clock may be set while we sleep; so it is looked at this often."""

PAUSE_AFTER_FAILURE = 0.2
PAUSE_FOR_OTHERS = 0.02

UNKNOWN = Instant(0)
"""Something may be due at any time: ask."""


class Scheduler:
    """Fires what is due."""

    def __init__(self, *, timers: TimerIndex, clock: Clock, committer: Committer, apart: Apart) -> None:
        self._timers = timers
        self._apart = apart
        self._at_once = AT_ONCE
        self._clock = clock
        self._committer = committer
        self._next: Instant | None = None
        self._poked = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to fire."""
        self._task = asyncio.get_running_loop().create_task(self._run(), name="holdfast-scheduler")

    async def stop(self) -> None:
        """Fire no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def poke(self, wake: Instant | None) -> None:
        """Something is to be looked at by this instant; None: ask the store."""
        if wake is None:
            self._next = UNKNOWN
            self._poked.set()
        elif self._next is None or wake < self._next:
            self._next = wake
            self._poked.set()

    async def _run(self) -> None:
        self._next = UNKNOWN
        while True:
            try:
                await self._sleep()
                await self._sweep()
            except HoldfastError as error:
                level = logging.WARNING if isinstance(error, Unavailable) else logging.ERROR
                logger.log(level, "timers cannot be fired for now: %s", error)
                await self._pause()
            except Exception:
                logger.exception("the scheduler failed; it goes on")
                await self._pause()

    async def _pause(self) -> None:
        await asyncio.sleep(PAUSE_AFTER_FAILURE)
        self._next = UNKNOWN

    async def _sleep(self) -> None:
        """Until the next instant, or until an earlier one is heard of."""
        while True:
            wait_ms = LONGEST_SLEEP_MS if self._next is None else self._next - self._clock.now()
            if wait_ms <= 0:
                return
            self._poked.clear()
            loop = asyncio.get_running_loop()
            handle = loop.call_later(min(wait_ms, LONGEST_SLEEP_MS) / 1000, self._poked.set)
            await self._poked.wait()
            handle.cancel()

    async def _sweep(self) -> None:
        """Act on all that is due, then find out what is next."""
        is_known = self._next is not None and self._next > UNKNOWN
        if not self._apart.is_needed and await self._sweep_together(is_known=is_known):
            return
        self._next = None
        self._follow(await self._apart.sweep())

    async def _sweep_together(self, *, is_known: bool) -> bool:
        """Many rows at a time; False if one of them has made all of them be refused."""
        while True:
            self._next = None
            given = self._committer.dispatch.given
            due = await self._timers.claim(self._clock.now(), self._at_once, is_known=is_known)
            if due is None:
                self._follow(await self._timers.next_due())
                return True
            try:
                following = await self._act(due, is_known=is_known)
            except HoldfastError as error:
                if not is_of_one_row(error):
                    raise
                logger.warning("a sweep of what is due was refused; it is done row by row: %s", error)
                return False
            await self._let_through(given)
            is_known = following is not None and following <= self._clock.now()
            if following is not None and not is_known:
                self._follow(following)
                return True

    def _follow(self, following: Instant | None) -> None:
        if following is not None:
            self.poke(following)

    async def _let_through(self, given: int) -> None:
        """Wake no more than workers take: what was woken is older than new work, and would go ahead of it."""
        dispatch = self._committer.dispatch
        if await dispatch.has_given(given + self._at_once, within=KEEPING_UP):
            self._at_once = AT_ONCE
        else:
            self._at_once = min(2 * self._at_once, MOST_AT_ONCE)

    async def _act(self, due: Due, *, is_known: bool) -> Instant | None:
        """Gives the next instant at which something is due, if that is known now."""
        if isinstance(due, FireDue):
            swept = await self._committer.send(due)
            if swept.count == 0 and not is_known:
                # Another server is at it, and holds the rows: to look again at once would find the same.
                await asyncio.sleep(PAUSE_FOR_OTHERS)
            await self._timers.settle(due, ())
            return swept.following
        answer: NotYet = await self._committer.send(due)
        await self._timers.settle(due, answer.later)
        return None
