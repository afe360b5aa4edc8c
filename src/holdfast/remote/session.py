"""The session: one stream with the server, that is opened again whenever it breaks.

Requests of one moment go out as one message. When the stream breaks, requests that may be repeated stay and are sent
again on the next one; of the others it is said that their outcome is unknown.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

import grpc
import grpc.aio

from holdfast.model.errors import HoldfastError, PayloadTooLarge, Stopped, Unavailable
from holdfast.model.flow_requests import PauseFlow, ResumeFlow, SaveFlow, StartFlow
from holdfast.model.ids import DEFAULT_TENANT, TenantId
from holdfast.model.requests import (
    AcknowledgeTaskCancel,
    CancelWorkflow,
    CompleteTask,
    FailTask,
    MoveTimer,
    ReleaseExecution,
    ReleaseTask,
    Request,
    SignalWorkflow,
    StartWorkflow,
    SubmitActivation,
    SubmitTasks,
)
from holdfast.model.schedule_requests import (
    BackfillSchedule,
    PauseSchedule,
    ResumeSchedule,
    SaveSchedule,
    TriggerSchedule,
)
from holdfast.model.statuses import ReusePolicy
from holdfast.ports.time import Chance
from holdfast.protocol.errors import TENANT_KEY, lost_connection
from holdfast.protocol.generated import session_pb2 as wire
from holdfast.protocol.packing import Outbox
from holdfast.protocol.requests import BY_REQUEST, reply_from_wire
from holdfast.remote.channel import MAX_MESSAGE_BYTES, PATIENCE, Connection, error_of_call

logger = logging.getLogger(__name__)

OPEN: Final = "/holdfast.v1.SessionService/Open"
FIRST_PAUSE: Final = 0.05
LONGEST_PAUSE: Final = 2.0
STEADY_AFTER: Final = 5.0
"""A stream that lasted for so many seconds was sound: the next one is opened at once."""
LOOK_EVERY: Final = 1.0
"""Seconds between two looks at requests that have waited too long for a server."""
CALL_BYTES: Final = 16
MAX_CALL_BYTES: Final = MAX_MESSAGE_BYTES - 64 * 1024

_REPEATABLE: Final = frozenset(
    {
        AcknowledgeTaskCancel,
        BackfillSchedule,
        CancelWorkflow,
        CompleteTask,
        FailTask,
        MoveTimer,
        PauseFlow,
        PauseSchedule,
        ReleaseExecution,
        ReleaseTask,
        ResumeFlow,
        ResumeSchedule,
        SaveFlow,
        SaveSchedule,
        StartFlow,
        SubmitActivation,
        SubmitTasks,
        TriggerSchedule,
    }
)
"""One effect however often they are sent."""


Stream = grpc.aio.StreamStreamCall[Any, Any]


class OpenCall(NamedTuple):
    """A request that has not been answered."""

    request: Request[Any]
    reply: "asyncio.Future[Any]"
    since: float


class Session:
    """Sends requests and hands incoming messages on."""

    def __init__(
        self,
        *,
        channel: grpc.aio.Channel,
        connection: Connection,
        chance: Chance,
        announce: Callable[[], None],
        receive: Callable[[wire.FromServer], None],
        lost: Callable[[], None],
    ) -> None:
        """`announce` is called when a stream begins, `receive` with each message, `lost` when a stream has ended."""
        self.tenant: asyncio.Future[TenantId] = asyncio.get_running_loop().create_future()
        """Whose things this session is about; the server says it when the first stream begins."""
        self._open: grpc.aio.StreamStreamMultiCallable[Any, Any] = channel.stream_stream(
            OPEN,
            request_serializer=wire.FromPeer.SerializeToString,
            response_deserializer=wire.FromServer.FromString,
        )
        self._connection = connection
        self._address = connection.address
        self._chance = chance
        self._announce = announce
        self._receive = receive
        self._lost = lost
        self._loop = asyncio.get_running_loop()
        self._calls: dict[int, OpenCall] = {}
        self._doubtful: set[int] = set()
        """Calls that went out on a stream that broke: a server may have carried them out."""
        self._numbers = 0
        self._outbox: Outbox[wire.FromPeer] | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._stopped = False

    def start(self) -> None:
        """Open the stream, and keep it open."""
        self._tasks = [
            self._loop.create_task(self._keep(), name="holdfast-session"),
            self._loop.create_task(self._expire(), name="holdfast-session-patience"),
        ]

    async def stop(self) -> None:
        """Send what has gathered, then close."""
        self._stopped = True
        if self._outbox is not None:
            self._outbox.close()
        if self._tasks:
            await asyncio.wait(self._tasks[:1], timeout=FIRST_PAUSE * 10)
            for task in self._tasks:
                task.cancel()
            await asyncio.wait(self._tasks)
        self._fail(list(self._calls), Stopped("this Holdfast has been closed"))

    def room(self, size: int) -> wire.FromPeer | None:
        """The message to put something of so many bytes into; None if there is no stream."""
        return None if self._outbox is None else self._outbox.room(size)

    def send(self, request: Request[Any]) -> "asyncio.Future[Any]":
        """Send a request; on the next stream, if there is none now."""
        reply: asyncio.Future[Any] = self._loop.create_future()
        if self._stopped:
            reply.set_exception(Stopped("this Holdfast has been closed; nothing was done"))
            return reply
        self._numbers += 1
        self._calls[self._numbers] = OpenCall(request, reply, self._loop.time())
        if self._outbox is not None:
            self._write(self._outbox, self._numbers, request)
        return reply

    def _write(self, outbox: Outbox[wire.FromPeer], number: int, request: Request[Any]) -> None:
        verb = BY_REQUEST[type(request)]
        message = verb.to_wire(request)
        size = message.ByteSize()
        if size > MAX_CALL_BYTES:
            self._fail([number], PayloadTooLarge("the request", size, MAX_CALL_BYTES))
            return
        outbox.room(size + CALL_BYTES).calls.add(**{"number": number, verb.field: message})

    def _fail(self, numbers: Iterable[int], error: HoldfastError) -> None:
        for number in numbers:
            call = self._calls.pop(number)
            if not call.reply.done():
                call.reply.set_exception(error)

    # The stream.

    async def _keep(self) -> None:
        pause = FIRST_PAUSE
        while True:
            begun = self._loop.time()
            reason = await self._run()
            if self._stopped:
                return
            pause = FIRST_PAUSE if self._loop.time() - begun > STEADY_AFTER else min(pause * 2, LONGEST_PAUSE)
            logger.info("the session with %s is opened again in up to %.2f s: %s", self._address, pause, reason)
            await asyncio.sleep(pause * (1 + self._chance.random()) / 2)

    async def _run(self) -> str:
        """One stream, from its beginning to its end; gives the reason of the end."""
        try:
            await self._converse()
            reason = "it was closed by the server"
        except grpc.aio.AioRpcError as error:
            refusal = error_of_call(error, self._address)
            self._refused(refusal)
            reason = str(refusal)
        except Exception as error:
            # What is open goes on with the next stream; without one it would wait for ever.
            logger.exception("the session with %s failed", self._address)
            reason = repr(error)
        if self._outbox is not None:
            self._end(reason)
        return reason

    def _refused(self, error: HoldfastError) -> None:
        """A server that lets nobody in says so at once; one that is away may come back."""
        if not self.tenant.done() and not isinstance(error, Unavailable):
            self.tenant.set_exception(error)

    async def _converse(self) -> None:
        stream = self._open(wait_for_ready=True, metadata=self._connection.metadata)
        try:
            # Nothing is sent until the server is known to listen, so nothing is unclear if it does not.
            told = await stream.initial_metadata()
            self._welcome(str(told.get(TENANT_KEY, DEFAULT_TENANT)))
            await self._exchange(stream)
        finally:
            stream.cancel()

    def _welcome(self, tenant: str) -> None:
        if not self.tenant.done():
            self.tenant.set_result(TenantId(tenant))

    async def _exchange(self, stream: Stream) -> None:
        outbox = self._outbox = Outbox(wire.FromPeer)
        self._announce()
        for number, call in list(self._calls.items()):
            if call.reply.done():
                del self._calls[number]
            else:
                self._write(outbox, number, call.request)
        writing = self._loop.create_task(_write_all(stream, outbox), name="holdfast-session-write")
        reading = self._loop.create_task(self._read_all(stream), name="holdfast-session-read")
        try:
            # The end of the stream ends the reader; a writer that fails ends the stream, which says nothing any more.
            await asyncio.wait([reading, writing], return_when=asyncio.FIRST_COMPLETED)
            if writing.done():
                writing.result()
            await reading
        finally:
            writing.cancel()
            reading.cancel()
            await asyncio.wait([writing, reading])

    async def _read_all(self, stream: Stream) -> None:
        """Dispatch incoming messages as they come."""
        async for message in stream:
            self._take(message)

    def _take(self, message: wire.FromServer) -> None:
        for reply in message.replies:
            call = self._calls.pop(reply.number, None)
            if call is None or call.reply.done():
                continue
            answer = reply_from_wire(reply)
            if isinstance(answer, HoldfastError):
                call.reply.set_exception(answer)
            else:
                call.reply.set_result(answer)
        try:
            self._receive(message)
        except HoldfastError:
            logger.exception("a part of what the server says is not understood, and passed over")

    def _end(self, reason: str) -> None:
        """The stream is over: what may have been carried out, and must not be twice, is given up."""
        self._outbox = None
        unclear = [number for number, call in self._calls.items() if not _may_repeat(call.request)]
        self._fail(unclear, lost_connection(f"the connection to {self._address} broke ({reason})"))
        self._doubtful = set(self._calls)
        self._lost()

    async def _expire(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            if self._outbox is not None:
                continue
            oldest = self._loop.time() - PATIENCE
            late = {number for number, call in self._calls.items() if call.since < oldest}
            away = f"the server at {self._address} cannot be reached"
            self._fail(late - self._doubtful, Unavailable(away))
            self._fail(late & self._doubtful, lost_connection(away))


def _may_repeat(request: Request[Any]) -> bool:
    match request:
        case SignalWorkflow(request_id=request_id):
            return bool(request_id)
        case StartWorkflow(signal=signal, reuse_policy=policy, idempotency_key=key, request_id=request_id):
            # Who asks for a new one under an id would be told of its own start, sent before, or end it.
            finds_itself = policy is ReusePolicy.RETURN_EXISTING or key is not None or bool(request_id)
            return finds_itself and (signal is None or bool(signal.request_id))
        case _:
            return type(request) in _REPEATABLE


async def _write_all(stream: Stream, outbox: Outbox[wire.FromPeer]) -> None:
    try:
        while (message := await outbox.next()) is not None:
            await stream.write(message)
        await stream.done_writing()
    except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
        # The reader learns of the same end, and deals with it.
        logger.debug("nothing more can be written to the server: %s", error)
