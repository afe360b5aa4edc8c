"""A network between a worker and an engine that delays, reorders, loses and repeats what it carries.

Client and engine are processes of a VirtualTimeLoop, so either may die while something is under way. Requests and
replies are single messages. What an engine delivers comes over a connection: it breaks when one of the two dies, what
is in it then is lost, and the client connects again, offering the slots that are free by then.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, Protocol, TypeVar

from holdfast.model.errors import HoldfastError, OutcomeUnknown, Unavailable
from holdfast.model.events import Event
from holdfast.model.ids import TaskId
from holdfast.model.queries import HistoryWanted
from holdfast.model.requests import ExecutionClaim, Offer, Request, TaskClaim
from holdfast.ports.transport import CancelSink, ExecutionSink, Subscription, TaskSink, Transport
from holdfast.testing.faults import Faults
from holdfast.testing.virtual_time import Process, VirtualTimeLoop

Reply = TypeVar("Reply")
Answer = TypeVar("Answer")
Claim = TypeVar("Claim", ExecutionClaim, TaskClaim)

PATIENCE = 5.0
"""Seconds until a client takes a message for lost."""

LOOK_FOR_SERVER = 0.5
"""Seconds between two looks at whether the connection stands."""


class Endpoint(Protocol):
    """An engine as the network sees it."""

    @property
    def process(self) -> Process:
        """What it runs in."""

    @property
    def engine(self) -> Transport:
        """What it answers with."""


FindEndpoint = Callable[[], Endpoint | None]
"""The engine to talk to: whichever is alive; None if all are down."""


class SimulatedTransport:
    """One worker's way to the engines (ports.transport.Transport)."""

    def __init__(self, *, loop: VirtualTimeLoop, client: Process, find: FindEndpoint, faults: Faults) -> None:
        self._loop = loop
        self._client = client
        self._find = find
        self._faults = faults

    def send(self, request: Request[Reply]) -> "asyncio.Future[Reply]":
        """Carries a request, perhaps twice, perhaps not at all."""
        reply = self._ask(lambda engine: engine.send(request), Unavailable("no engine can be reached"))
        if self._faults.strikes("duplicated"):
            self._loop.call_later(self._faults.stale_delay(), self._repeat, request, context=self._client.context)
        return reply

    def _repeat(self, request: Request[Reply]) -> None:
        """Nobody waits for the reply to a message that the network made by itself."""
        self._ask(lambda engine: engine.send(request), Unavailable("")).add_done_callback(_forget)

    async def histories(self, wanted: Sequence[HistoryWanted]) -> list[list[Event]]:
        """Reads, which may get lost on either way."""

        return await self._ask(lambda engine: engine.histories(wanted), Unavailable("no engine can be reached"))

    def take_executions(self, offer: Offer, sink: ExecutionSink) -> Subscription:
        """Has executions delivered, whichever engine they come from."""
        return self._connect(offer, sink, lambda engine, now, deliver: engine.take_executions(now, deliver))

    def take_tasks(self, offer: Offer, sink: TaskSink, cancel: CancelSink) -> Subscription:
        """Has tasks delivered, whichever engine they come from."""

        def cancelled(task_id: TaskId) -> None:
            self._loop.call_later(self._faults.delay(), cancel, task_id, context=self._client.context)

        return self._connect(offer, sink, lambda engine, now, deliver: engine.take_tasks(now, deliver, cancelled))

    def _connect(self, offer: Offer, sink: "Sink[Claim]", take: "Take[Claim]") -> "Connection[Claim]":
        connection = Connection(self._loop, self._client, self._find, self._faults, offer, sink, take)
        connection.keep()
        return connection

    def _ask(
        self, ask: Callable[[Transport], Awaitable[Answer]], unreachable: HoldfastError
    ) -> "asyncio.Future[Answer]":
        answer: asyncio.Future[Answer] = self._loop.create_future()
        endpoint, faults = self._find(), self._faults
        if endpoint is None:
            answer.set_exception(unreachable)
            return answer
        self._loop.call_later(PATIENCE, _lose_patience, answer, context=self._client.context)
        if not faults.strikes("request_lost"):
            context = endpoint.process.context
            self._loop.call_later(faults.delay(), self._arrive, endpoint, ask, answer, context=context)
        return answer

    def _arrive(
        self,
        endpoint: Endpoint,
        ask: Callable[[Transport], Awaitable[Answer]],
        answer: "asyncio.Future[Answer]",
    ) -> None:
        asyncio.ensure_future(ask(endpoint.engine)).add_done_callback(lambda done: self._answer(done, answer))

    def _answer(self, done: "asyncio.Future[Answer]", answer: "asyncio.Future[Answer]") -> None:
        error = None if done.cancelled() else done.exception()
        if isinstance(error, HoldfastError):
            self._faults.happened[error.code] += 1
        if done.cancelled() or self._faults.strikes("reply_lost"):
            return
        context = self._client.context
        if error is None:
            self._loop.call_later(self._faults.delay(), _settle, answer, done.result(), context=context)
        else:
            self._loop.call_later(self._faults.delay(), _refuse, answer, error, context=context)


Sink = Callable[[Sequence[Claim]], None]
Take = Callable[[Transport, Offer, Sink[Claim]], Subscription]


class Connection(Generic[Claim]):
    """A standing offer that outlives the engine it was made to."""

    def __init__(
        self,
        loop: VirtualTimeLoop,
        client: Process,
        find: FindEndpoint,
        faults: Faults,
        offer: Offer,
        sink: Sink[Claim],
        take: Take[Claim],
    ) -> None:
        self._loop = loop
        self._client = client
        self._find = find
        self._faults = faults
        self._offer = offer
        self._sink: Sink[Claim] = sink
        self._take: Take[Claim] = take
        self._taken = 0
        self._number = 0
        """Counts the connections, so that what an earlier one carried is known to be lost."""
        self._endpoint: Endpoint | None = None
        self._standing: Subscription | None = None
        self._stopped = False

    def keep(self) -> None:
        """Sees to it that there is a connection, as long as the client lives."""
        if self._endpoint is None or not self._endpoint.process.alive:
            self._standing, self._endpoint = None, self._find()
            self._number += 1
            if self._endpoint is not None:
                self._in_engine(self._endpoint, self._offer_slots, self._endpoint, self._number)
        if not self._stopped:
            self._loop.call_later(LOOK_FOR_SERVER, self.keep, context=self._client.context)

    def give_back(self, slots: int) -> None:
        """The client can take so many more."""
        self._taken -= slots
        if self._endpoint is not None and self._standing is not None:
            self._in_engine(self._endpoint, self._standing.give_back, slots)

    async def stop(self) -> None:
        """The client leaves."""
        self._stopped = True
        if self._endpoint is not None and self._standing is not None:
            await self._standing.stop()

    def hang_up(self) -> None:
        """The engine has noticed that the client is dead."""
        self._stopped = True
        self._number += 1
        if self._endpoint is not None and self._standing is not None:
            self._in_engine(self._endpoint, _end, self._loop, self._standing)

    def _in_engine(self, endpoint: Endpoint, act: Callable[..., object], *args: object) -> None:
        self._loop.call_later(self._faults.delay(), act, *args, context=endpoint.process.context)

    def _offer_slots(self, endpoint: Endpoint, number: int) -> None:
        if number != self._number or not self._client.alive:
            return
        offer = self._offer
        now = Offer(offer.tenant, offer.worker_id, offer.queue, offer.kinds, offer.slots - self._taken)
        self._standing = self._take(endpoint.engine, now, lambda claims: self._send(claims, number))

    def _send(self, claims: Sequence[Claim], number: int) -> None:
        self._loop.call_later(self._faults.delay(), self._receive, claims, number, context=self._client.context)

    def _receive(self, claims: Sequence[Claim], number: int) -> None:
        if number == self._number:
            self._taken += len(claims)
            self._sink(claims)


def _end(loop: asyncio.AbstractEventLoop, standing: Subscription) -> None:
    loop.create_task(_stop(standing))


async def _stop(standing: Subscription) -> None:
    await standing.stop()


def _lose_patience(answer: "asyncio.Future[Answer]") -> None:
    _refuse(answer, OutcomeUnknown("no reply came"))


def _settle(answer: "asyncio.Future[Answer]", value: Answer) -> None:
    if not answer.done():
        answer.set_result(value)


def _refuse(answer: "asyncio.Future[Answer]", error: BaseException) -> None:
    if not answer.done():
        answer.set_exception(error)


def _forget(done: "asyncio.Future[Answer]") -> None:
    if not done.cancelled():
        done.exception()
