"""A broker that the database stands behind: the broker is quick, the database is right.

What a batch has to tell stands in the outbox, committed with what it tells of. From there it is published, and taken
out when the broker has confirmed it. While the broker is out of reach the pump goes on with what is ready, as it does
without a broker, and what listeners are to be told waits. What the broker has lost, the database still says is ready.
"""

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TypeGuard

import msgspec

from holdfast.brokers.outside import Broker
from holdfast.brokers.unbrought import SEEN, Token, Unbrought, read, steps, token_of
from holdfast.model.errors import HoldfastError, StoreRefused, Unavailable
from holdfast.model.flow_requests import PumpFlows, StepFrames
from holdfast.model.ids import ALL_TENANTS, time_ordered_id
from holdfast.model.instants import Instant
from holdfast.model.messages import OutboxEntry, Topic
from holdfast.model.requests import ForgetOutbox
from holdfast.ports.queue import Pump, Send
from holdfast.ports.store import Changes, Store
from holdfast.ports.time import Clock

logger = logging.getLogger(__name__)

TOGETHER = 128
"""The most entries that are published before the outbox is told."""

MOST_AT_HAND = 4_096
"""So many entries of this process's commits wait in memory to be published; the others wait in the outbox."""

ACTED_ON = 2
"""So many messages, of up to 64 tokens each, are acted on at a time: new work waits for no more than these. The others
that have been brought wait for their turn."""

LEFT_AFTER_MS = 10_000
"""So old an entry is when whoever wrote it is taken to be gone."""

LOOK_SECONDS = 2.0
"""How often the outbox is looked through for entries that were left, and the database for what no message brings.

What is lost is gone on with after two looks."""

PAUSE_AFTER_FAILURE = 0.5

RESCUED = 256
"""The most frames, and the most scopes, that one request goes on with when a queue is gone."""

KEPT_FOR_LISTENERS = 100_000
"""The most entries that wait for a broker that is out of reach; the oldest are let go."""


class Counts(msgspec.Struct):
    """What a broker has needed of its guard; a repair without a fault before it is a defect."""

    published: int = 0
    consumed: int = 0
    unreadable: int = 0
    """Messages that were put aside."""
    repaired: int = 0
    """Things that were ready and that no message brought, and entries that somebody had left in the outbox."""
    outages: int = 0
    """How often the broker was out of reach, or had lost queues."""
    dropped: int = 0
    """Entries for listeners that had to be let go."""


class _Relay:
    """What a topic has to be told, in order."""

    def __init__(self) -> None:
        self.at_hand: OrderedDict[str, OutboxEntry] = OrderedDict()
        self.wanted = asyncio.Event()

    def take(self, entry: OutboxEntry) -> None:
        """Remember an entry that has been committed; what there is no room for waits in the outbox."""
        if len(self.at_hand) < MOST_AT_HAND:
            self.at_hand[entry.id] = entry
        self.wanted.set()


class GuardedQueue:
    """An execution queue (ports.queue.ExecutionQueue) over a broker and the database."""

    tells = True

    def __init__(self, *, broker: Broker, store: Store, clock: Clock) -> None:
        self.counts = Counts()
        self._broker = broker
        self._store = store
        self._clock = clock
        self._carries = False
        # Each topic goes its own way: a queue that takes nothing must not hold up the others.
        self._relays = {topic: _Relay() for topic in Topic}
        self._in_hand: Counter[Token] = Counter()
        self._turns = asyncio.Semaphore(ACTED_ON)
        self._unbrought = Unbrought(store=store, broker=broker, in_hand=lambda: self._in_hand)
        self._loops: list[asyncio.Task[None]] = []

    @property
    def carries(self) -> bool:
        """Whether the broker can be used."""
        return self._carries

    async def open(self, send: Send, pump: Pump) -> None:
        """Begin with the database; the broker follows as soon as it can be reached."""
        self._send = send
        self._pump = pump
        loop = asyncio.get_running_loop()
        self._loops = [
            loop.create_task(self._keep(), name="holdfast-broker"),
            *[loop.create_task(self._relay(each), name="holdfast-relay") for each in self._relays.values()],
            loop.create_task(self._look(), name="holdfast-broker-look"),
        ]

    async def close(self) -> None:
        """What is not published yet waits in the outbox."""
        for task in self._loops:
            task.cancel()
        if self._loops:
            await asyncio.wait(self._loops)
        self._carries = False
        await self._broker.close()

    def tally(self) -> Mapping[str, int]:
        """The counts by their names."""
        return msgspec.structs.asdict(self.counts)

    def note(self, changes: Changes) -> None:
        """Publish what this process has to tell."""
        for entry in changes.outbox:
            self._relays[entry.topic].take(entry)

    # The connection.

    async def _keep(self) -> None:
        """Open the broker whenever it is not."""
        begun = False
        while True:
            try:
                await self._broker.open(self._receive)
                if begun:
                    await self._rescue()
                begun = True
                self._carries = True
                for relay in self._relays.values():
                    relay.wanted.set()
                why = await self._broker.lost()
            except HoldfastError as error:
                begun = True
                why = str(error)
            self.counts.outages += 1
            self._carries = False
            self._pump()
            logger.warning("the broker is not used for now, the database is: %s", why)
            await self._broker.close()
            await asyncio.sleep(PAUSE_AFTER_FAILURE)

    # What is told.

    async def _relay(self, relay: "_Relay") -> None:
        while True:
            await relay.wanted.wait()
            relay.wanted.clear()
            try:
                while relay.at_hand and self._carries:
                    await self._publish([*islice(relay.at_hand.values(), TOGETHER)])
            except HoldfastError as error:
                logger.warning("messages wait in the outbox: %s", error)
                await asyncio.sleep(PAUSE_AFTER_FAILURE)
                relay.wanted.set()

    async def _publish(self, entries: Sequence[OutboxEntry]) -> None:
        """Take out of the outbox what the broker has confirmed."""
        await self._broker.publish(entries)
        self.counts.published += len(entries)
        await self._forget(entries)

    async def _forget(self, entries: Sequence[OutboxEntry]) -> None:
        await self._send(ForgetOutbox(ALL_TENANTS, tuple(entry.id for entry in entries)))
        for entry in entries:
            self._relays[entry.topic].at_hand.pop(entry.id, None)

    # What was left.

    async def _look(self) -> None:
        """See to what nobody brings any more."""
        while True:
            try:
                await self._publish_what_was_left()
                if not self._carries:
                    self._unbrought.forget()
                    await self._let_go()
                else:
                    await self._go_on_with_what_was_lost()
            except HoldfastError as error:
                logger.warning("the outbox cannot be looked through for now: %s", error)
            await asyncio.sleep(LOOK_SECONDS)

    async def _publish_what_was_left(self) -> None:
        before = _id_at(Instant(self._clock.now() - LEFT_AFTER_MS))
        while self._carries:
            entries = await self._store.outbox(before, TOGETHER)
            left = [entry for entry in entries if entry.id not in self._relays[entry.topic].at_hand]
            if left:
                self.counts.repaired += len(left)
                await self._publish(left)
            if len(entries) < TOGETHER:
                break
            await asyncio.sleep(0)

    async def _let_go(self) -> None:
        """While nobody can be told: what is ready needs no message, and listeners get what there is room for."""
        entries = await self._store.outbox(_id_at(self._clock.now()), KEPT_FOR_LISTENERS + TOGETHER)
        needless = [entry for entry in entries if entry.topic is Topic.EXECUTION]
        kept = [entry for entry in entries if entry.topic is not Topic.EXECUTION]
        surplus = kept[: max(0, len(kept) - KEPT_FOR_LISTENERS)]
        self.counts.dropped += len(surplus)
        if needless or surplus:
            await self._forget([*needless, *surplus])

    async def _go_on_with_what_was_lost(self) -> None:
        lost = await self._unbrought.look()
        swept = await asyncio.gather(*[self._send(step) for step in steps(lost)])
        self.counts.repaired += sum(each.count for each in swept)
        if len(lost) >= SEEN:
            await self._rescue()

    async def _rescue(self) -> None:
        """Go on with all that is ready: a queue is gone, with all that it held."""
        while True:
            try:
                swept = await self._send(PumpFlows(ALL_TENANTS, RESCUED))
            except (Unavailable, StoreRefused):
                raise
            except HoldfastError as error:
                # One run is enough for that, and must not keep the others from the broker.
                logger.warning("going on with all runs was refused; the pump does it run by run: %s", error)
                self._pump()
                break
            self.counts.repaired += swept.count
            if not swept.count:
                break

    # What is brought.

    async def _receive(self, body: bytes) -> bool:
        """Go on with the tokens of a message; it is acknowledged when that has been committed."""
        try:
            tokens = [token_of(message) for message in read(body)]
        except msgspec.DecodeError as error:
            self.counts.unreadable += 1
            logger.warning("a message of the execution queue cannot be read and is put aside: %s", error)
            return False
        self._in_hand.update(tokens)
        try:
            async with self._turns:
                await self._step([*steps(tokens)])
        finally:
            self._in_hand -= Counter(tokens)
        self.counts.consumed += 1
        return True

    async def _step(self, wanted: Sequence[StepFrames]) -> None:
        while wanted:
            sent = [(step, self._send(step)) for step in wanted]
            answers = await asyncio.gather(*[future for _, future in sent], return_exceptions=True)
            defect = next((each for each in answers if _is_defect(each)), None)
            if defect is not None:
                raise defect
            wanted = [step for (step, _), each in zip(sent, answers, strict=True) if isinstance(each, Unavailable)]
            if wanted:
                # To give the message back would count against it, as if it were to blame.
                await asyncio.sleep(PAUSE_AFTER_FAILURE)


def _is_defect(answer: object) -> TypeGuard[BaseException]:
    return isinstance(answer, BaseException) and not isinstance(answer, Unavailable)


def _id_at(instant: Instant) -> str:
    """An id that comes before all entries of an instant."""
    return time_ordered_id(Instant(max(0, instant)), 0)
