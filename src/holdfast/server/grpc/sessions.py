"""Sessions: one stream each way with a peer, that packs many requests, replies and claims into one message.

What a commit brings to a peer gathers in a message while the loop is busy, and goes out as one. A claim that the peer
has not acknowledged when the stream ends is released: nobody runs it, and its lease would hold it back.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from functools import partial
from typing import Final, NamedTuple

from google.protobuf.message import Message

from holdfast.model.errors import HoldfastError, InvalidArgument, LimitExceeded
from holdfast.model.ids import ClaimToken, ExecutionId, TaskId, WorkerId, checked_id
from holdfast.model.records import Execution, Task
from holdfast.model.requests import (
    ExecutionClaim,
    Offer,
    ReleaseExecution,
    ReleaseTask,
    Request,
    TaskClaim,
)
from holdfast.ports.transport import Subscription
from holdfast.ports.watches import Watch
from holdfast.protocol.claims import TASK_CLAIM, execution_claim_to_wire
from holdfast.protocol.errors import TENANT_KEY
from holdfast.protocol.generated import session_pb2 as wire
from holdfast.protocol.packing import Outbox
from holdfast.protocol.requests import add_reply, call_from_wire, verb_of
from holdfast.protocol.values import EXECUTION, TASK
from holdfast.server.access.gate import Caller, Gate
from holdfast.server.grpc import checking
from holdfast.server.grpc.admission import Admission, Context
from holdfast.server.grpc.answering import refuse, subject_of
from holdfast.server.grpc.observing import OK, CallObserver
from holdfast.server.grpc.questions import Questions
from holdfast.server.grpc.reclaiming import Reclaiming
from holdfast.server.host import EngineHost

logger = logging.getLogger(__name__)

CLAIM_BYTES: Final = 16
MAX_OPEN_CALLS: Final = 20_000
"""A peer with so many unanswered calls is not read from until some are answered."""
MAX_QUEUED_BYTES: Final = 64 * 1024 * 1024
"""A peer that leaves so much unread is not listened to until it has read some."""
MAX_OFFERS: Final = 1_000
MAX_SLOTS: Final = 10_000
MAX_WATCHES: Final = 200_000
LOOK_AGAIN: Final = 5.0
"""Seconds between two looks at whether the caller of a session is still let in."""

FINISH_WITHIN: Final = 3.0
"""Seconds in which open calls are still answered when the server stops."""

EXECUTIONS: Final = "executions"
TASKS: Final = "tasks"


class _Watched(NamedTuple):
    """Something that the peer waits for; holding the watch keeps it alive."""

    watch: Watch[Execution] | Watch[Task]
    ended: asyncio.Future[Execution] | asyncio.Future[Task]


class PeerSession:
    """One open stream."""

    def __init__(
        self, *, engine: EngineHost, gate: Gate, caller: Caller, reclaiming: Reclaiming, observer: CallObserver
    ) -> None:
        self._engine = engine
        self._gate = gate
        self._caller = caller
        self._tenant = caller.tenant
        self._reclaiming = reclaiming
        self._observer = observer
        self._outbox = Outbox(wire.FromServer)
        self._subscriptions: dict[int, Subscription] = {}
        self._workers: set[WorkerId] = set()
        self._watches: dict[tuple[str, str], _Watched] = {}
        self._open_calls = 0
        self._held_ms = 0
        self._fewer_calls = asyncio.Event()
        self._questions = Questions(engine=engine, caller=caller, outbox=self._outbox)

    # Reading.

    async def read(self, messages: AsyncIterator[wire.FromPeer]) -> None:
        """Do what the peer says, until it says no more."""
        async for message in messages:
            self._receive(message)
            for number in message.withdrawn_offers:
                await self._withdraw(number)
            await self._look_for_ends(self._doubtful(message))
            # A peer that asks faster than it is answered, or than it reads the answers, is not listened to meanwhile.
            await self._answered(MAX_OPEN_CALLS)
            await self._hold()
            await self._outbox.below(MAX_QUEUED_BYTES)

    def _receive(self, message: wire.FromPeer) -> None:
        # Watches and offers come before the calls of the same message: what these bring about is not missed.
        self._watch(EXECUTIONS, message.watched_executions)
        self._watch(TASKS, message.watched_tasks)
        for offer in message.offers:
            self._offer(offer)
        self._questions.receive(message)
        for more in message.more_slots:
            subscription = self._subscriptions.get(more.offer)
            if subscription is not None and 0 < more.slots <= MAX_SLOTS:
                subscription.give_back(more.slots)
        for call in message.calls:
            self._call(call)
        self._unwatch(EXECUTIONS, message.unwatched_executions)
        self._unwatch(TASKS, message.unwatched_tasks)

    # Calls.

    async def _hold(self) -> None:
        """Listen no more for a while to a peer that has asked for what is beyond a quota."""
        held, self._held_ms = self._held_ms, 0
        if held:
            await asyncio.sleep(held / 1_000)

    def _call(self, call: wire.Call) -> None:
        method = "Open"
        try:
            verb = verb_of(call)
            method = verb.method
            self._caller.check(method)
            self._caller.quota.weigh(call)
            request = checking.checked(call_from_wire(call, verb, self._tenant))
        except HoldfastError as error:
            if isinstance(error, LimitExceeded):
                self._held_ms = max(self._held_ms, error.hold_ms)
            self._observer.answered(method, error.code, 0.0)
            add_reply(self._outbox.room(len(str(error)) + 8), call.number, error)
            return
        self._open_calls += 1
        future = self._send(verb.method, request, getattr(call, verb.field))
        future.add_done_callback(partial(self._answer, call.number, verb.method, time.perf_counter()))

    def _send(self, verb: str, request: Request[object], message: Message) -> asyncio.Future[object]:
        if not self._gate.writes_down(verb):
            return self._engine.send(request)

        async def act() -> object:
            async with self._gate.acting(self._caller, verb, subject_of(message)):
                return await self._engine.send(request)

        return asyncio.ensure_future(act())

    async def _answered(self, limit: int) -> None:
        while self._open_calls >= limit:
            self._fewer_calls.clear()
            await self._fewer_calls.wait()

    def _answer(self, number: int, method: str, begun: float, future: asyncio.Future[object]) -> None:
        self._open_calls -= 1
        self._fewer_calls.set()
        reply = None if future.cancelled() else future.exception() or future.result()
        if isinstance(reply, BaseException) and not isinstance(reply, HoldfastError):
            reply = HoldfastError(f"the engine failed: {reply!r}")
        code = reply.code if isinstance(reply, HoldfastError) else OK
        self._observer.answered(method, code, time.perf_counter() - begun)
        # A reply is small, and an error's message is cut where it is made.
        add_reply(self._outbox.room(64), number, reply)

    # Offers.

    def _offer(self, message: wire.StandingOffer) -> None:
        if len(self._subscriptions) >= MAX_OFFERS or message.number in self._subscriptions:
            raise InvalidArgument(f"offer {message.number} stands already, or there are too many")
        if not 0 <= message.slots <= MAX_SLOTS:
            raise InvalidArgument(f"an offer has up to {MAX_SLOTS:,} slots, not {message.slots}")
        self._caller.allow("PollTask" if message.of_tasks else "PollWorkflow")
        worker_id = WorkerId(checked_id(message.worker_id, "worker_id"))
        kinds = checking.names(message.kinds, "kinds")
        offer = Offer(self._tenant, worker_id, checking.queue(message.queue), kinds, message.slots)
        if worker_id not in self._workers:
            self._workers.add(worker_id)
            self._reclaiming.look_later(self._tenant, worker_id)
        self._subscriptions[message.number] = (
            self._engine.take_tasks(offer, partial(self._deliver_tasks, message.number), self._cancel)
            if message.of_tasks
            else self._engine.take_executions(offer, partial(self._deliver_executions, message.number))
        )

    async def _withdraw(self, number: int) -> None:
        subscription = self._subscriptions.pop(number, None)
        if subscription is not None:
            await subscription.stop()
        self._outbox.room(8).closed_offers.append(number)

    def _deliver_executions(self, offer: int, claims: Sequence[ExecutionClaim]) -> None:
        for claim in claims:
            encoded = execution_claim_to_wire(claim)
            room = self._outbox.room(encoded.ByteSize() + CLAIM_BYTES)
            room.deliveries.add(offer=offer, executions=[encoded])

    def _deliver_tasks(self, offer: int, claims: Sequence[TaskClaim]) -> None:
        for claim in claims:
            encoded = TASK_CLAIM.to_wire(claim)
            room = self._outbox.room(encoded.ByteSize() + CLAIM_BYTES)
            room.deliveries.add(offer=offer, tasks=[encoded])

    def _cancel(self, task_id: TaskId) -> None:
        self._outbox.room(len(task_id)).cancelled_tasks.append(task_id)

    # Watches.

    def _watch(self, what: str, names: Iterable[str]) -> None:
        for name in names:
            self._caller.allow("GetResult" if what == EXECUTIONS else "GetTaskResult")
            if (what, name) in self._watches:
                continue
            if len(self._watches) >= MAX_WATCHES:
                raise InvalidArgument(f"one session watches up to {MAX_WATCHES:,} things")
            if what == EXECUTIONS:
                self._watches[what, name] = self._watch_execution(name)
            else:
                self._watches[what, name] = self._watch_task(name)

    def _watch_execution(self, name: str) -> _Watched:
        watch = self._engine.executions.watch((self._tenant, name))
        ended = watch.ended()
        ended.add_done_callback(partial(self._execution_ended, name))
        return _Watched(watch, ended)

    def _watch_task(self, name: str) -> _Watched:
        watch = self._engine.tasks.watch((self._tenant, name))
        ended = watch.ended()
        ended.add_done_callback(partial(self._task_ended, name))
        return _Watched(watch, ended)

    def _unwatch(self, what: str, names: Iterable[str]) -> None:
        for name in names:
            watched = self._watches.pop((what, name), None)
            if watched is not None:
                watched.ended.cancel()

    def _execution_ended(self, name: str, ended: asyncio.Future[Execution]) -> None:
        self._watches.pop((EXECUTIONS, name), None)
        if not ended.cancelled() and ended.exception() is None:
            encoded = EXECUTION.to_wire(ended.result())
            self._outbox.room(encoded.ByteSize()).ended_executions.append(encoded)

    def _task_ended(self, name: str, ended: asyncio.Future[Task]) -> None:
        self._watches.pop((TASKS, name), None)
        if not ended.cancelled() and ended.exception() is None:
            encoded = TASK.to_wire(ended.result())
            self._outbox.room(encoded.ByteSize()).ended_tasks.append(encoded)

    def _doubtful(self, message: wire.FromPeer) -> list[tuple[str, str]]:
        """What may have ended before it was watched: all but what this very message has begun."""
        if message.look_for_ends:
            return list(self._watches)
        begun = {call.start_workflow.execution_id for call in message.calls if call.HasField("start_workflow")}
        begun |= {new.id for call in message.calls for new in call.submit_tasks.tasks}
        keys = [(EXECUTIONS, name) for name in message.watched_executions if name not in begun]
        return keys + [(TASKS, name) for name in message.watched_tasks if name not in begun]

    async def _look_for_ends(self, keys: list[tuple[str, str]]) -> None:
        """Tell of those that have ended."""
        executions = [(self._tenant, ExecutionId(name)) for what, name in keys if what == EXECUTIONS]
        tasks = [(self._tenant, TaskId(name)) for what, name in keys if what == TASKS]
        found = await self._engine.reads.executions(executions) if executions else []
        self._engine.executions.settle(each for each in found if each.closed)
        found_tasks = await self._engine.reads.tasks(tasks) if tasks else []
        self._engine.tasks.settle(each for each in found_tasks if each.closed)

    # Writing.

    async def write(self, context: Context) -> None:
        """Send what there is, until nothing more comes."""
        while (message := await self._outbox.next()) is not None:
            await context.write(message)

    async def finish(self) -> None:
        """Take nothing more, answer what is open, and send what has gathered."""
        self._questions.end()
        for subscription in self._subscriptions.values():
            await subscription.stop()
        try:
            async with asyncio.timeout(FINISH_WITHIN):
                await self._answered(1)
        except TimeoutError:
            logger.warning("%d calls of a session are cut off: the server stops", self._open_calls)
        self._outbox.close()

    def _release(self, unsent: wire.FromServer) -> None:
        """What never left this server is free again; of what did leave, nobody knows whether it has begun."""
        for delivery in unsent.deliveries:
            for execution in delivery.executions:
                name, token = ExecutionId(execution.execution_id), ClaimToken(execution.token)
                self._engine.committer.send_quietly(ReleaseExecution(self._tenant, name, token))
            for task in delivery.tasks:
                task_id, token = TaskId(task.task_id), ClaimToken(task.token)
                self._engine.committer.send_quietly(ReleaseTask(self._tenant, task_id, token))

    async def end(self) -> None:
        """The stream is over: nothing may be left behind."""
        self._questions.end()
        broken = bool(self._subscriptions)
        for subscription in self._subscriptions.values():
            await subscription.stop()
        for message in self._outbox.rest():
            self._release(message)
        for watched in list(self._watches.values()):
            watched.ended.cancel()
        for worker_id in self._workers if broken else ():
            self._reclaiming.look_later(self._tenant, worker_id)


class Sessions:
    """All open streams."""

    def __init__(
        self, *, engine: EngineHost, admission: Admission, closing: asyncio.Event, observer: CallObserver
    ) -> None:
        self._engine = engine
        self._admission = admission
        self._closing = closing
        self._observer = observer
        self._reclaiming = Reclaiming(engine)

    async def open(self, messages: AsyncIterator[wire.FromPeer], context: Context) -> None:
        """Serve one stream, until the peer or the server ends it."""
        try:
            caller = await self._admission.admit(context)
            caller.check("Open")
        except HoldfastError as error:
            await refuse(context, error)
        try:
            with caller.quota.connection():
                await self._serve(messages, context, caller)
        except HoldfastError as error:
            await refuse(context, error)

    async def _serve(self, messages: AsyncIterator[wire.FromPeer], context: Context, caller: Caller) -> None:
        # The peer waits for this: only then does it know that somebody listens.
        await context.send_initial_metadata(((TENANT_KEY, caller.tenant),))
        session = PeerSession(
            engine=self._engine,
            gate=self._admission.gate,
            caller=caller,
            reclaiming=self._reclaiming,
            observer=self._observer,
        )
        listening = asyncio.create_task(self._listen(session, messages, context), name="holdfast-session")
        self._observer.session_opened()
        try:
            await session.write(context)
        finally:
            self._observer.session_closed()
            listening.cancel()
            await session.end()
            await asyncio.wait([listening])
        if not listening.cancelled() and (failed := listening.exception()) is not None:
            raise failed

    async def _listen(self, session: PeerSession, messages: AsyncIterator[wire.FromPeer], context: Context) -> None:
        """Until the peer says no more, is not let in any more, or the server stops."""
        parts: list[asyncio.Task[object]] = [
            asyncio.create_task(session.read(messages), name="holdfast-session-read"),
            asyncio.create_task(self._admit_again(context), name="holdfast-session-welcome"),
            asyncio.create_task(self._closing.wait(), name="holdfast-session-end"),
        ]
        try:
            ended, _ = await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for part in parts:
                part.cancel()
            await session.finish()
        for part in ended:
            part.result()

    async def _admit_again(self, context: Context) -> None:
        """Until the caller's token is no longer valid, or its tenant is suspended; raises the error that says so."""
        while True:
            await asyncio.sleep(LOOK_AGAIN)
            await self._admission.admit(context)

    async def stop(self) -> None:
        """Nothing is taken back any more."""
        await self._reclaiming.stop()
