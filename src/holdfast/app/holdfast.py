"""Holdfast: the object that users open. It joins an engine, of this process or of a server, and a worker."""

import asyncio
import signal
from collections.abc import Iterable
from contextlib import AsyncExitStack
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING

from holdfast.app.checking import chosen_queue
from holdfast.app.flows import Flows
from holdfast.app.hosting import Hosting, connected, embedded, is_server
from holdfast.app.schedules import Schedules
from holdfast.app.transactions import Transaction
from holdfast.model.errors import InvalidArgument, Stopped
from holdfast.model.ids import TenantId, WorkerId
from holdfast.ports.engine import Engine
from holdfast.ports.joining import Joined
from holdfast.ports.time import Chance, Clock
from holdfast.sdk.nodes import Nodes, tasks_of
from holdfast.server import wiring
from holdfast.server.host import EngineHost
from holdfast.worker.registry import AnyTask, AnyWorkflow, Registry
from holdfast.worker.settings import WorkerSettings
from holdfast.worker.worker import Worker

if TYPE_CHECKING:
    from holdfast.protocol.tls import Tls


class Holdfast(Flows, Schedules):
    """Durable workflows and tasks, on a database with the engine in this process, or at a server.

    `async with Holdfast.open("sqlite:///app.db", workflows=[…], tasks=[…]) as hf:` runs what is registered, as long as
    the block lasts; what is under way goes on when the database is opened again. Without workflows and tasks it only
    starts, asks and watches. `Holdfast.connect("grpc://host:port", …)` does the same at a server.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        session: str,
        tenant: TenantId,
        registry: Registry,
        queues: Iterable[str],
        settings: WorkerSettings,
    ) -> None:
        """Use `Holdfast.open`; this is for those who bring an engine of their own."""
        super().__init__(engine, tenant, registry)
        self._session = session
        self._queues = tuple(queues)
        self._settings = settings
        self._worker: Worker | None = None

    @classmethod
    def open(
        cls,
        url: str,
        *,
        workflows: Iterable[AnyWorkflow] = (),
        tasks: Iterable[AnyTask] = (),
        queues: Iterable[str] = (),
        settings: WorkerSettings | None = None,
        nodes: Nodes | None = None,
        clock: Clock | None = None,
        chance: Chance | None = None,
    ) -> "Opening":
        """Open a database, as an async context manager; the URL of a server is connected to.

        `queues` are served beside the default one and those that the definitions name. With `nodes` this process does
        the work of flows' http and smtp nodes. `clock` and `chance` are for tests of an engine in this process.
        """
        return Opening(
            cls,
            connected(url) if is_server(url) else embedded(url, clock, chance),
            registry=Registry(workflows, [*tasks, *tasks_of(nodes)]),
            queues=[chosen_queue(queue, None) for queue in queues],
            settings=settings or WorkerSettings(),
        )

    @classmethod
    def connect(
        cls,
        url: str,
        *,
        workflows: Iterable[AnyWorkflow] = (),
        tasks: Iterable[AnyTask] = (),
        queues: Iterable[str] = (),
        settings: WorkerSettings | None = None,
        nodes: Nodes | None = None,
        token: str | None = None,
        tenant: str | None = None,
        tls: "Tls | None" = None,
    ) -> "Opening":
        """Connect to a server, as an async context manager.

        `url` is `grpc://host:port`, or `grpcs://host:port` for TLS. What is registered runs in this process, over the
        same connection. The connection is made anew whenever it breaks; work and waits go on. `tenant` is for tokens
        that are good for more than one.
        """
        return Opening(
            cls,
            connected(url, token, tenant, tls),
            registry=Registry(workflows, [*tasks, *tasks_of(nodes)]),
            queues=[chosen_queue(queue, None) for queue in queues],
            settings=settings or WorkerSettings(),
        )

    def in_transaction(self, connection: object, *, can_wait: bool = True) -> Transaction:
        """Ask for things inside a transaction of your own: they take effect when it commits, and never if it does not.

        `connection` is one to the PostgreSQL database of this Holdfast, in a transaction: of asyncpg, of psycopg 3, of
        SQLAlchemy (connection or session, async or not) or of Django. Nothing of it is committed or closed here.
        `can_wait` is for SyncHoldfast, which takes connections of sync libraries only.
        """
        if isinstance(self._engine, EngineHost):
            wiring.check_joinable(self._engine.store)
        join = partial(self._join, connection, can_wait=can_wait)
        return Transaction(self._engine, self.tenant, self._registry, join=join)

    async def _join(self, connection: object, *, can_wait: bool) -> Joined:
        return await wiring.join_transaction(connection, can_wait=can_wait, chance=self._engine.chance)

    @property
    def host(self) -> EngineHost:
        """The engine of this process, for what serves it to others."""
        if not isinstance(self._engine, EngineHost):
            raise InvalidArgument("this Holdfast is connected to a server; what serves an engine needs Holdfast.open")
        return self._engine

    async def start_worker(self) -> None:
        """Begin to run what is registered."""
        if self._registry.workflows or self._registry.tasks:
            self._worker = Worker(
                transport=self._engine,
                registry=self._registry,
                tenant=self.tenant,
                worker_id=WorkerId(f"{self._session}/worker"),
                queues=self._queues,
                clock=self._engine.clock,
                chance=self._engine.chance,
                settings=self._settings,
                join=self._join,
            )
            await self._worker.start()
            self._engine.introduce(self.tenant, self._worker)

    async def stop_worker(self) -> None:
        """Take no more work, and let running tasks end within the grace period."""
        worker, self._worker = self._worker, None
        if worker is not None:
            await worker.stop()

    async def until_drained(self) -> None:
        """Wait until an operator has drained the worker of this process, and what it held has ended."""
        await (asyncio.Event() if self._worker is None else self._worker.drained).wait()

    async def close(self) -> None:
        """Let running tasks end within the grace period, commit what has gathered, and let go of the database."""
        try:
            await self.stop_worker()
        finally:
            await self._engine.stop()

    async def serve_until_stopped(self) -> None:
        """Run until SIGTERM or SIGINT comes, or an operator drains the worker; leaving the block then closes it."""
        stopping = asyncio.Event() if self._worker is None else self._worker.drained
        loop = asyncio.get_running_loop()
        signals = (signal.SIGTERM, signal.SIGINT)
        for number in signals:
            loop.add_signal_handler(number, stopping.set)
        try:
            await stopping.wait()
        finally:
            for number in signals:
                loop.remove_signal_handler(number)


class Opening:
    """What `Holdfast.open` and `Holdfast.connect` give: enter it with `async with`."""

    def __init__(
        self,
        facade: type[Holdfast],
        hosting: Hosting,
        *,
        registry: Registry,
        queues: Iterable[str],
        settings: WorkerSettings,
    ) -> None:
        self._facade = facade
        self._hosting = hosting
        self._registry = registry
        self._queues = tuple(queues)
        self._settings = settings
        self._opened: Holdfast | None = None

    async def __aenter__(self) -> Holdfast:
        if self._opened is not None:
            raise Stopped("this Holdfast is open already; call Holdfast.open again for another one")
        async with AsyncExitStack() as unless_opened:
            hosted = await self._hosting(unless_opened)
            opened = self._facade(
                hosted.engine,
                session=hosted.session,
                tenant=hosted.tenant,
                registry=self._registry,
                queues=self._queues,
                settings=self._settings,
            )
            unless_opened.push_async_callback(opened.stop_worker)
            await opened.start_worker()
            unless_opened.pop_all()
        self._opened = opened
        return opened

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            # A cancelled block must not tear the last commit off.
            await asyncio.shield(opened.close())
