"""An outside index of timers that the database stands behind: the index is quick, the database is right.

While the index can be trusted, what is due is claimed from it. It is not trusted until it has been filled, nor once it
was out of reach, has been emptied, or did not know of a row that is overdue: then the database says what is due, as it
does without an index, and the index is filled anew in the background. So losing the index costs no timer.

What has been committed gathers here for a moment before it is put into the index: most of what is armed by a busy
system is disarmed at once. What dies with this process before that is found as overdue, or before that by a look
ahead: every so often the rows that are due soon are compared with the index, page by page. What is lacking in two looks
is put back.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence

import msgspec

from holdfast.model.errors import HoldfastError, Unavailable
from holdfast.model.ids import ALL_TENANTS, ExecutionId, TaskId
from holdfast.model.instants import Instant, earliest, later
from holdfast.model.requests import FireDue, FireIfDue
from holdfast.model.wakes import WakeKey, WakeSort, WakeUp
from holdfast.ports.store import Changes, Store
from holdfast.ports.time import Clock
from holdfast.ports.timers import Due, Look
from holdfast.timers.database import DatabaseTimers
from holdfast.timers.news import news_of
from holdfast.timers.outside import OutsideIndex
from holdfast.timers.settings import GuardSettings

logger = logging.getLogger(__name__)

GATHER_SECONDS = 0.1
"""So long a timer may wait here before the index gets it; one that is due earlier is put in when it is due."""

PUT_AT_ONCE = 4_096
"""So many wait at most."""

LOOK_EVERY_MS = 1_000
"""How often the database is asked whether it holds something overdue, and what was given out is looked through."""

GRACE_MS = 1_000
"""So late a row may be before the index is taken for broken: others may be about to put it in, or to act on it."""

PAUSE_AFTER_FAILURE = 0.5


class Counts(msgspec.Struct):
    """What an index has needed of its guard; a repair without a fault before it is a defect."""

    filled: int = 0
    """Entries that were put in when this server began."""
    repaired: int = 0
    """Entries that were found missing later, and rows that were overdue without the index's knowing."""
    recovered: int = 0
    """Entries that someone had claimed and never acknowledged."""
    outages: int = 0
    """How often the index was out of reach, empty or wrong."""


class GuardedTimers:
    """A timer index (ports.timers.TimerIndex) over an outside one and the database."""

    def __init__(
        self, *, index: OutsideIndex, store: Store, clock: Clock, settings: GuardSettings | None = None
    ) -> None:
        self.counts = Counts()
        self._index = index
        self._store = store
        self._clock = clock
        self._settings = settings or GuardSettings()
        self._look_ahead_at = Instant(0)
        self._suspects: dict[WakeKey, Instant] = {}
        """What the index lacked at the last look ahead: it may have been under way to it."""
        self._database = DatabaseTimers(store=store)
        self._trusted = False
        self._connected = False
        self._pending: dict[WakeKey, Instant | None] = {}
        self._putting = asyncio.Lock()
        self._claimed: dict[WakeKey, Instant] = {}
        """What the index has given to this process, and is still to be acted on or acknowledged."""
        self._next: Instant | None = None
        self._look_at = Instant(0)
        self._wanted = asyncio.Event()
        self._loops: list[asyncio.Task[None]] = []

    @property
    def trusted(self) -> bool:
        """Whether the index says what is due, and not the database."""
        return self._trusted

    async def open(self, look: Look) -> None:
        """Begin with the database; the index follows as soon as it can be trusted."""
        self._scheduler_looks = look
        loop = asyncio.get_running_loop()
        self._loops = [loop.create_task(self._keep(), name="holdfast-timer-index")]

    async def close(self) -> None:
        """Put in what has been noted, and let go."""
        for task in self._loops:
            task.cancel()
        if self._loops:
            await asyncio.wait(self._loops)
        try:
            if self._connected:
                await self._put()
        except Unavailable as error:
            logger.warning("the timer index could not be told the last timers: %s", error)
        await self._index.close()

    def tally(self) -> Mapping[str, int]:
        """The counts by their names."""
        return msgspec.structs.asdict(self.counts)

    def note(self, changes: Changes) -> None:
        """Remember who waits for what."""
        if not self._connected:
            return
        for key, due in news_of(changes):
            if due is None and key in self._claimed:
                continue  # the acknowledgement takes it out
            self._pending[key] = due
        if len(self._pending) >= PUT_AT_ONCE:
            self._wanted.set()

    async def claim(self, now: Instant, limit: int, *, is_known: bool) -> Due | None:
        """From the index while it can be trusted, else from the database."""
        if self._trusted:
            try:
                due = await self._claim(now, min(limit, self._settings.batch))
            except Unavailable as error:
                self._distrust(f"out of reach: {error}")
            else:
                if self._trusted:
                    return due
        return await self._database.claim(now, limit, is_known=is_known)

    async def settle(self, claimed: Due, later: Sequence[WakeUp]) -> None:
        """Take out of the index what has been acted on."""
        if isinstance(claimed, FireDue):
            return
        for wake in later:
            if wake.key in self._claimed:
                self._pending.setdefault(wake.key, wake.due)
        keys = [key for key in claimed.keys if self._claimed.pop(key, None) is not None]
        if self._connected and keys:
            try:
                await self._index.acknowledge(keys)
            except Unavailable as error:
                self._distrust(f"out of reach: {error}")

    async def next_due(self) -> Instant | None:
        """The next of the index, or the next look at the database behind it."""
        if not self._trusted:
            return await self._database.next_due()
        return earliest(self._next, self._look_at, *self._pending.values())

    # The index.

    async def _claim(self, now: Instant, limit: int) -> FireIfDue | None:
        if not self._claimed:
            await self._put()
            claimed = await self._index.claim(now, limit)
            if not claimed.whole:
                self._distrust("it has been emptied")
                return None
            self._next = claimed.next_due
            self._claimed = {wake.key: wake.due for wake in claimed.wakes}
            if not self._claimed:
                return await self._look(now, in_hand=claimed.in_hand)
        # What is left of the last claim goes first: its effect could not be committed, or nobody knows whether it was.
        return FireIfDue(ALL_TENANTS, tuple(self._claimed))

    async def _look(self, now: Instant, *, in_hand: int) -> FireIfDue | None:
        """Whether the database holds something that is due and that the index does not know."""
        if now < self._look_at:
            return None
        self._look_at = later(now, LOOK_EVERY_MS)
        self.counts.recovered += await self._index.recover(now, self._settings.batch)
        if in_hand:
            return None  # someone is about to act on it
        first = await self._store.next_wake()
        if first is None or first > now:
            return None
        overdue = [wake for sort in WakeSort for wake in await self._store.wake_ups(sort, None, self._settings.batch)]
        overdue = [wake for wake in overdue if wake.due <= now]
        leases = await self._leases(overdue)
        lost = [wake for wake in overdue if wake.key not in leases and wake.due <= now - GRACE_MS]
        if lost:
            self.counts.repaired += len(lost)
            self._distrust(f"it did not know of {len(lost)} overdue timers, such as {lost[0].id!r}")
            return None
        return FireIfDue(ALL_TENANTS, tuple(leases)) if leases else None

    async def _leases(self, wakes: Sequence[WakeUp]) -> set[WakeKey]:
        """Those that are due because a lease has run out, which no index is told."""
        tasks = [(wake.tenant, TaskId(wake.id)) for wake in wakes if wake.sort is WakeSort.TASK]
        executions = [(wake.tenant, ExecutionId(wake.id)) for wake in wakes if wake.sort is WakeSort.EXECUTION]
        held_tasks = await self._store.tasks(tasks) if tasks else []
        held_executions = await self._store.executions(executions) if executions else []
        due = {wake.key: wake.due for wake in wakes}
        keys: dict[WakeKey, Instant | None] = {}
        keys |= {(WakeSort.TASK, row.tenant, row.id): row.lease_expires_at for row in held_tasks}
        keys |= {(WakeSort.EXECUTION, row.tenant, row.id): row.lease_expires_at for row in held_executions}
        return {key for key, lease in keys.items() if lease is not None and lease == due[key]}

    def _distrust(self, why: str) -> None:
        logger.warning("the timer index is not used for now, the database is: %s", why)
        self.counts.outages += 1
        self._trusted = False
        self._connected = False
        self._pending.clear()
        self._claimed.clear()
        self._wanted.set()

    async def _put(self) -> None:
        """Give the index what has gathered."""
        async with self._putting:
            while self._pending:
                pending, self._pending = self._pending, {}
                armed = [WakeUp(due, *key) for key, due in pending.items() if due is not None]
                gone = [key for key, due in pending.items() if due is None]
                await self._index.put(armed, gone)

    # In the background.

    async def _keep(self) -> None:
        """Fill the index whenever it cannot be trusted, and put in what gathers while it can."""
        begun = False
        while True:
            try:
                if not self._trusted:
                    await self._fill(is_repair=begun)
                    begun = True
                await self._put()
            except Unavailable as error:
                if self._trusted:
                    self._distrust(f"out of reach: {error}")
                logger.info("the timer index or the database is out of reach: %s", error)
                await asyncio.sleep(PAUSE_AFTER_FAILURE)
            except HoldfastError:
                logger.exception("the timer index cannot be filled; it is tried again")
                await asyncio.sleep(PAUSE_AFTER_FAILURE)
            await self._gather()
            await self._look_ahead_in_time()

    async def _look_ahead_in_time(self) -> None:
        now = self._clock.now()
        if not self._trusted or now < self._look_ahead_at:
            return
        self._look_ahead_at = later(now, self._settings.interval_ms)
        try:
            await self._look_ahead(now)
        except HoldfastError as error:
            # Claims find out by themselves whether the index can be used; the next look is as good as this one.
            logger.info("the timer index could not be compared with the database: %s", error)

    async def _look_ahead(self, now: Instant) -> None:
        """Put back what is due soon and has been lost, before it is late."""
        lacking = [wake for sort in WakeSort for wake in await self._lacking(sort, later(now, self._settings.ahead_ms))]
        lost = [wake for wake in lacking if self._suspects.get(wake.key) == wake.due]
        self._suspects = {wake.key: wake.due for wake in lacking[: self._settings.batch]}
        if lost:
            self.counts.repaired += len(lost)
            logger.warning("the timer index had lost %d timers that are due soon, such as %r", len(lost), lost[0].id)
            await self._index.put(lost, [])

    async def _lacking(self, sort: WakeSort, until: Instant) -> list[WakeUp]:
        found: list[WakeUp] = []
        after: WakeUp | None = None
        while page := await self._store.wake_ups(sort, after, self._settings.batch):
            after = page[-1]
            soon = [wake for wake in page if wake.due <= until and wake.key not in self._pending]
            leases = await self._leases(soon)
            found += await self._index.lacking([wake for wake in soon if wake.key not in leases])
            if after.due > until:
                break
        return found

    async def _gather(self) -> None:
        self._wanted.clear()
        loop = asyncio.get_running_loop()
        handle = loop.call_later(GATHER_SECONDS, self._wanted.set)
        await self._wanted.wait()
        handle.cancel()

    async def _fill(self, *, is_repair: bool) -> None:
        """Put in all that the database knows and the index does not; from then on it is trusted."""
        is_filled = await self._index.open()
        self._connected = True
        if not is_filled or is_repair:
            added = await self._add_all()
            if is_repair:
                self.counts.repaired += added
            else:
                self.counts.filled += added
            await self._index.mark_filled()
            logger.info("the timer index has been filled; it lacked %d entries", added)
        await self._put()
        self._trusted = True
        self._look_at = Instant(0)
        self._look_ahead_at = later(self._clock.now(), self._settings.interval_ms)
        self._next = None
        # From its first claim on it looks for what is stale, or lost: that must not wait for the next timer.
        self._scheduler_looks()

    async def _add_all(self) -> int:
        added = 0
        for sort in WakeSort:
            after: WakeUp | None = None
            while page := await self._store.wake_ups(sort, after, self._settings.batch):
                added += await self._index.add_missing(page)
                after = page[-1]
                await self._put()
        return added
