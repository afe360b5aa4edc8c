"""A call: one request on its way through the server, and what its answer may be."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import Any, TypeVar

import msgspec

from holdfast.model.errors import LimitExceeded, Stopped
from holdfast.model.ids import DEFAULT_TENANT
from holdfast.server.access.administration import Administration
from holdfast.server.access.gate import Caller, Gate, open_gate
from holdfast.server.access.identities import Identity
from holdfast.server.access.quotas import Quota
from holdfast.server.host import EngineHost
from holdfast.server.readiness import Readiness
from holdfast.server.rest.guarding import Guard, Headers
from holdfast.server.rest.problems import TooManyStreams
from holdfast.server.rest.reading_feed import FeedReader
from holdfast.server.rest.reading_tasks import TaskReader
from holdfast.server.rest.tracing import trace_in
from holdfast.server.schemas import InputSchemas

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

MetricsPage = Callable[[], Awaitable[bytes]]
"""Makes the page of metrics."""

T = TypeVar("T")

MAX_WAITING = 4_000
"""Streams and long polls at one time."""
LOOK_AGAIN = 5.0
"""Seconds between two looks at whether the caller of a stream is still let in."""


NOBODY = Caller(Identity("nobody", DEFAULT_TENANT, frozenset()), DEFAULT_TENANT, Quota())
"""Who asks for what is open to everyone, as health is."""


class ClientGone(Exception):
    """Nobody is there to be answered."""


class Service:
    """What all calls share."""

    def __init__(
        self,
        *,
        engine: EngineHost,
        gate: Gate | None = None,
        readiness: Readiness | None = None,
        metrics: MetricsPage | None = None,
    ) -> None:
        """Without a gate everyone on this machine may do everything in the default tenant."""
        self.engine = engine
        self.guard = Guard(gate or open_gate())
        self.readiness = readiness or Readiness()
        self.metrics = metrics
        self.task_reader = TaskReader(reads=engine.reads)
        self.feed_reader = FeedReader(oversight=engine.store)
        self.schemas = InputSchemas(oversight=engine.store)
        self.closing = asyncio.Event()
        """Set when the server is to end: streams and long polls end with it."""
        self.waiting = 0


class Answer(msgspec.Struct, frozen=True):
    """A status and a document."""

    document: object
    status: int = 200
    headers: Headers = []


class Call:
    """One request."""

    def __init__(
        self,
        *,
        service: Service,
        caller: Caller,
        names: dict[str, str],
        headers: Headers,
        receive: Receive,
        method: str = "",
        path: str = "",
        query: bytes = b"",
    ) -> None:
        """`names` are the parts of the path that name things; `query` is as it was sent."""
        self.method = method
        self.path = path
        self.query = query
        self.engine = service.engine
        self.caller = caller
        self.tenant = caller.tenant
        self.readiness = service.readiness
        self.task_reader = service.task_reader
        self.feed_reader = service.feed_reader
        self.schemas = service.schemas
        self.names = names
        self.receive = receive
        self._headers = headers
        self._service = service

    def header(self, name: bytes) -> str | None:
        """A header's text, if it was sent."""
        return next((value.decode("latin-1") for key, value in self._headers if key == name), None)

    @property
    def gate(self) -> Gate:
        """Where tokens are judged."""
        return self._service.guard.gate

    @property
    def trace(self) -> str | None:
        """The trace that the request is a part of."""
        return trace_in(self._headers)

    def administration(self) -> Administration:
        """Acts in the name of the caller, which the table of roles has let do so."""
        return self.gate.administration(self.caller)

    async def while_client_stays(self, work: Coroutine[Any, Any, T], *, seconds: float | None = None) -> T:
        """Do something that lasts; TimeoutError if it lasts too long, and it ends when client or server go."""
        if self._service.waiting >= MAX_WAITING:
            work.close()
            raise TooManyStreams(f"{MAX_WAITING:,} streams and long polls are open already; try again later")
        self._service.waiting += 1
        try:
            with self.caller.quota.connection():
                return await self._first(asyncio.ensure_future(work), seconds)
        except LimitExceeded:
            work.close()
            raise
        finally:
            self._service.waiting -= 1

    async def _first(self, work: "asyncio.Task[T]", seconds: float | None) -> T:
        gone = asyncio.ensure_future(self._gone())
        closing = asyncio.ensure_future(self._service.closing.wait())
        unwelcome = asyncio.ensure_future(self._unwelcome())
        all_of_them: set[asyncio.Task[Any]] = {work, gone, closing, unwelcome}
        try:
            await asyncio.wait(all_of_them, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return work.result()
            if gone.done():
                raise ClientGone
            if closing.done():
                raise Stopped("this server is closing; ask again when it is back")
            if unwelcome.done():
                unwelcome.result()
            raise TimeoutError
        finally:
            for task in all_of_them:
                task.cancel()
            await asyncio.wait(all_of_them)

    async def _unwelcome(self) -> None:
        """Until the caller's token is no longer valid, or its tenant is suspended; raises the error that says so."""
        while True:
            await asyncio.sleep(LOOK_AGAIN)
            await self._service.guard.admit_again(self._headers, self.names.get("tenant_id"))

    async def _gone(self) -> None:
        """Until the client has hung up; what it sends before that is of no interest."""
        while (await self.receive())["type"] != "http.disconnect":
            pass
