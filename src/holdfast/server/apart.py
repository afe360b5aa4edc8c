"""What is due, row by row: for when a sweep of many is refused because of one of them.

A row that the engine fails on, through a defect of ours or a value that the database does not take, must not hold up
what is due beside it, which belongs to others. It is set aside for a while, is tried again, and does no more harm.
"""

import logging
from collections.abc import Hashable, Sequence
from typing import Final, Generic, TypeVar

from holdfast.model.errors import HoldfastError, StoreDamaged, StoreRefused, Unavailable
from holdfast.model.ids import ALL_TENANTS
from holdfast.model.instants import Instant, Milliseconds, earliest, later
from holdfast.model.requests import FireIfDue
from holdfast.model.wakes import WakeKey, WakeSort, WakeUp
from holdfast.ports.store import Store
from holdfast.ports.time import Clock
from holdfast.server.committer import Committer

logger = logging.getLogger(__name__)

PAGE: Final = 512
AT_ONCE: Final = 64
ASIDE_MS: Final = Milliseconds(60_000)
"""So long a row that the engine fails on is left alone."""
MOST_ASIDE: Final = 10_000
"""Of more rows nobody notes that they are; they are tried with every sweep."""


Key = TypeVar("Key", bound=Hashable)


def is_of_one_row(error: HoldfastError) -> bool:
    """Whether others may fare better: the database takes requests, and this one was refused."""
    return not isinstance(error, Unavailable | StoreRefused) or isinstance(error, StoreDamaged)


class Aside(Generic[Key]):
    """What the engine has failed on: it is left alone for a while, and no longer."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until: dict[Key, Instant] = {}

    def __contains__(self, key: Key) -> bool:
        return key in self._until

    def __len__(self) -> int:
        return len(self._until)

    @property
    def next_over(self) -> Instant | None:
        """When the first of these is to be tried again."""
        return earliest(*self._until.values())

    def forget_old(self) -> None:
        """Let what has been left alone for long enough be tried again."""
        now = self._clock.now()
        self._until = {key: until for key, until in self._until.items() if until > now}

    def add(self, key: Key) -> None:
        """Leave this alone, if there is room to note it."""
        if len(self._until) < MOST_ASIDE:
            self._until[key] = later(self._clock.now(), ASIDE_MS)


class Apart:
    """Acts on all that is due but for the rows that have been set aside."""

    def __init__(self, *, store: Store, clock: Clock, committer: Committer) -> None:
        self._store = store
        self._clock = clock
        self._committer = committer
        self._aside = Aside[WakeKey](clock)

    @property
    def is_needed(self) -> bool:
        """Whether rows are set aside: a sweep of many would meet them."""
        return bool(self._aside)

    async def sweep(self) -> Instant | None:
        """Act on what is due, and on what has been set aside for long enough; says when there is more to do."""
        now = self._clock.now()
        self._aside.forget_old()
        following = [await self._sweep_sort(sort, now) for sort in WakeSort]
        return earliest(*following, self._aside.next_over)

    async def _sweep_sort(self, sort: WakeSort, now: Instant) -> Instant | None:
        """Gives the first instant after now at which a row of the sort is due."""
        after: WakeUp | None = None
        while page := await self._store.wake_ups(sort, after, PAGE):
            due = [wake.key for wake in page if wake.due <= now and wake.key not in self._aside]
            for start in range(0, len(due), AT_ONCE):
                await self._act_on(due[start : start + AT_ONCE])
            after = page[-1]
            if after.due > now:
                return next(wake.due for wake in page if wake.due > now)
        return None

    async def _act_on(self, keys: Sequence[WakeKey]) -> None:
        try:
            await self._committer.send(FireIfDue(ALL_TENANTS, tuple(keys)))
        except HoldfastError as error:
            if not is_of_one_row(error):
                raise
            if len(keys) > 1:
                middle = len(keys) // 2
                await self._act_on(keys[:middle])
                await self._act_on(keys[middle:])
            else:
                self._set_aside(keys[0], error)

    def _set_aside(self, key: WakeKey, error: HoldfastError) -> None:
        sort, tenant, identity = key
        logger.error("%s %s of tenant %s is due, and cannot be acted on; others can: %s", sort, identity, tenant, error)
        self._aside.add(key)
