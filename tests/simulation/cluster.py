"""A whole system in one seeded loop: a database, engines, workers near and far, clients, and accidents."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, TypeVar

import msgspec

from holdfast.app.asking import Asking
from holdfast.model.errors import HoldfastError, NotFound, Unavailable
from holdfast.model.ids import DEFAULT_TENANT, ExecutionId, WorkerId
from holdfast.model.records import Execution
from holdfast.model.requests import CancelWorkflow, Request, SettlePromise, SignalWorkflow, StartWorkflow
from holdfast.ports.transport import Transport
from holdfast.server import wiring
from holdfast.server.host import EngineHost
from holdfast.testing.faults import FaultRates, Faults
from holdfast.testing.simulated_store import SharedRows, SimulatedStore
from holdfast.testing.simulated_transport import Connection, SimulatedTransport
from holdfast.testing.virtual_time import Process, VirtualClock, VirtualTimeLoop
from holdfast.worker.registry import Registry
from holdfast.worker.settings import WorkerSettings
from holdfast.worker.worker import Worker
from tests.simulation.invariants import check_transaction
from tests.simulation.programs import TASKS, WORKFLOWS, Case

Reply = TypeVar("Reply")

STORM = 60.0
"""Virtual seconds in which things go wrong."""
AFTERWARDS = 400.0
"""Virtual seconds after the storm within which everything must have ended: many times two leases."""
RETRY = 0.5


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """What a simulated system consists of."""

    engines: int = 2
    remote_workers: int = 2
    cached: int = 1_000
    slots: int = 200
    crash_every: float = 12.0
    freeze_every: float = 25.0
    outage_every: float = 30.0
    rates: FaultRates = FaultRates()


NEVER = 1e9
SHAPES = {
    "two engines, two workers": Shape(),
    "nothing cached": Shape(cached=0),
    "one run cached": Shape(cached=1),
    "a bad network": Shape(
        cached=3, rates=FaultRates(unclear=0.15, duplicated=0.3, request_lost=0.1, reply_lost=0.1, stall=0.03)
    ),
    "crash after crash": Shape(engines=1, remote_workers=3, crash_every=5, rates=FaultRates(crash_after_commit=0.02)),
    "one process": Shape(engines=1, remote_workers=0, crash_every=20, rates=FaultRates(unclear=0.1)),
}


class Serving(NamedTuple):
    """An engine that can be asked."""

    process: Process
    engine: EngineHost


class Engine:
    """One server: an engine, and a worker inside the same process."""

    def __init__(self, cluster: "Cluster", number: int) -> None:
        self.cluster = cluster
        self.name = f"engine{number}"
        self.lives = 0
        self.process = Process(self.name)
        self.process.alive = False
        self.engine: EngineHost | None = None

    def boot(self) -> None:
        """Start anew, with nothing but the database."""
        self.lives += 1
        self.engine = None
        self.process = Process(f"{self.name}.{self.lives}")
        self.cluster.inside(self.process, self._serve)

    async def _serve(self) -> None:
        cluster, process = self.cluster, self.process
        store = SimulatedStore(cluster.shared, faults=cluster.faults, crash=lambda: cluster.crash(process))
        ahead = cluster.chance.randrange(0, 50)
        engine = wiring.engine_host(store, clock=VirtualClock(cluster.loop, ahead_ms=ahead), chance=cluster.chance)
        try:
            await engine.start()
        except Unavailable:
            cluster.crash(process)
            return
        self.engine = engine
        await cluster.new_worker(process, engine).start()


class RemoteWorker:
    """A worker in a process of its own, with a network between it and the engines."""

    def __init__(self, cluster: "Cluster", number: int) -> None:
        self.cluster = cluster
        self.name = f"worker{number}"
        self.lives = 0
        self.process = Process(self.name)
        self.process.alive = False
        self.worker: Worker | None = None

    def boot(self) -> None:
        """Start anew."""
        self.lives += 1
        self.process = Process(f"{self.name}.{self.lives}")
        self.cluster.inside(self.process, self._serve)

    async def _serve(self) -> None:
        cluster = self.cluster
        transport = SimulatedTransport(
            loop=cluster.loop, client=self.process, find=cluster.any_engine, faults=cluster.faults
        )
        self.worker = cluster.new_worker(self.process, transport)
        await self.worker.start()

    def died(self) -> None:
        """The engines notice, after a while, that its connections are gone."""
        if self.worker is not None:
            for connection in self.worker._subscriptions:
                if isinstance(connection, Connection):
                    self.cluster.loop.call_later(1.0, connection.hang_up)


class Cluster:
    """Everything that runs, and the clients that want something of it."""

    def __init__(self, loop: VirtualTimeLoop, chance: random.Random, shape: Shape) -> None:
        self.loop = loop
        self.chance = chance
        self.shape = shape
        self.faults = Faults(chance, shape.rates)
        self.shared = SharedRows(check=check_transaction)
        self.registry = Registry(WORKFLOWS, TASKS)
        self.engines = [Engine(self, number) for number in range(shape.engines)]
        self.workers = [RemoteWorker(self, number) for number in range(shape.remote_workers)]
        self.machines: list[Engine | RemoteWorker] = [*self.engines, *self.workers]
        self.watched: dict[ExecutionId, list[tuple[Process, asyncio.Future[Execution]]]] = {}
        self.acknowledged: set[ExecutionId] = set()
        self._workers: list[Worker] = []
        self._jobs: list[asyncio.Future[None]] = []

    # Processes.

    def inside(self, process: Process, act: Callable[[], Awaitable[None]]) -> None:
        """Let a process do something."""
        # What waits for an event alone is kept by nobody else.
        self.loop.call_soon(lambda: self._jobs.append(asyncio.ensure_future(act())), context=process.context)

    def new_worker(self, process: Process, transport: Transport) -> Worker:
        """A worker, not yet started."""
        settings = WorkerSettings(
            guards=False, stall_seconds=0, workflow_slots=self.shape.slots, cached_workflows=self.shape.cached
        )
        worker = Worker(
            transport=transport,
            registry=self.registry,
            tenant=DEFAULT_TENANT,
            worker_id=WorkerId(f"{process.name}/worker"),
            clock=VirtualClock(self.loop),
            chance=self.chance,
            settings=settings,
        )
        self._workers.append(worker)
        return worker

    def put_away(self) -> None:
        """End the workflow code that killed workers have left in memory, which no dead process has."""
        for runner in [runner for worker in self._workers for runner in worker._execution_runners]:
            runner._cache.clear()
            for held in runner._held.values():
                held.run.close()

    def any_engine(self) -> Serving | None:
        """One that serves now."""
        serving = [
            Serving(machine.process, machine.engine)
            for machine in self.engines
            if machine.process.alive and machine.engine is not None
        ]
        return self.chance.choice(serving) if serving else None

    def crash(self, process: Process) -> None:
        """kill -9; sometimes the database learns of it at once, else the leases tell."""
        if not process.alive:
            return
        self.faults.happened["crash"] += 1
        self.loop.kill(process)
        if self.chance.random() < 0.5:
            self.shared.gone_workers.add(WorkerId(f"{process.name}/worker"))
        for remote in self.workers:
            if remote.process is process:
                remote.died()

    def freeze(self, process: Process) -> None:
        """SIGSTOP, for longer than a lease lasts, and then SIGCONT."""
        if process.alive and not process.frozen:
            self.faults.happened["freeze"] += 1
            self.loop.freeze(process, 5 + self.chance.random() * 60)

    async def keep_alive(self) -> None:
        """What has died is started again, after a while."""
        while True:
            for machine in self.machines:
                if not machine.process.alive:
                    machine.boot()
            await asyncio.sleep(1 + self.chance.random() * 3)

    async def storm(self) -> None:
        """Kill processes, and take the database away."""
        crash_at, outage_at = self._after(self.shape.crash_every), self._after(self.shape.outage_every)
        freeze_at = self._after(self.shape.freeze_every)
        while self.loop.time() < STORM:
            await asyncio.sleep(0.25)
            if self.loop.time() >= crash_at:
                self.crash(self.chance.choice(self.machines).process)
                crash_at = self._after(self.shape.crash_every)
            if self.loop.time() >= freeze_at:
                self.freeze(self.chance.choice(self.machines).process)
                freeze_at = self._after(self.shape.freeze_every)
            if self.loop.time() >= outage_at:
                self.faults.happened["outage"] += 1
                self.shared.is_down = True
                await asyncio.sleep(self.chance.random() * 5)
                self.shared.is_down = False
                outage_at = self._after(self.shape.outage_every)
        self.faults.heal()

    def _after(self, every: float) -> float:
        return self.loop.time() + self.chance.random() * 2 * every

    # Clients.

    async def send(self, request: Request[Reply]) -> Reply | HoldfastError:
        """As a client does: again and again until there is a clear answer."""
        client = Process("client")
        transport = SimulatedTransport(loop=self.loop, client=client, find=self.any_engine, faults=self.faults)
        while True:
            try:
                return await transport.send(request)
            except Unavailable:
                await asyncio.sleep(RETRY)
            except HoldfastError as error:
                return error

    async def play(self, execution_id: ExecutionId, case: Case) -> None:
        """Start one workflow and do to it what its case says."""
        await asyncio.sleep(self.chance.random() * STORM * 0.8)
        definition = case.workflow
        start = StartWorkflow(
            DEFAULT_TENANT,
            execution_id,
            definition.kind,
            definition.encode_input(case.args, {}),
            "default",  # type: ignore[arg-type]  # a queue's name is a text
            timeout_ms=definition.timeout_ms,
        )
        started = await self.send(start)
        assert not isinstance(started, HoldfastError), started
        self.acknowledged.add(execution_id)
        self._watch(execution_id)
        for number in range(case.signals):
            await asyncio.sleep(self.chance.random())
            signal = SignalWorkflow(DEFAULT_TENANT, execution_id, "number", str(number).encode(), f"s{number}")
            answer = await self.send(signal)
            assert not isinstance(answer, HoldfastError), answer
        if case.promise is not None:
            await self._resolve(execution_id, case.promise)
        if case.cancelled:
            await asyncio.sleep(self.chance.random() * 4)
            await self.send(CancelWorkflow(DEFAULT_TENANT, execution_id, "enough"))

    async def _resolve(self, execution_id: ExecutionId, value: str) -> None:
        settle = SettlePromise(
            DEFAULT_TENANT, execution_id=execution_id, name="verdict", value=msgspec.json.encode(value)
        )
        answer = await self.send(settle)
        while isinstance(answer, NotFound):  # the workflow has not asked for it yet
            await asyncio.sleep(RETRY)
            answer = await self.send(settle)

    def _watch(self, execution_id: ExecutionId) -> None:
        """Let someone in an engine's own process wait for the end, as `handle.result()` does."""
        serving = self.any_engine()
        if serving is None:
            return
        asking = Asking(serving.engine, DEFAULT_TENANT, self.registry)
        told: asyncio.Future[Execution] = self.loop.create_future()

        async def wait() -> None:
            told.set_result(await (await _until_clear(lambda: asking.watch_execution(execution_id))).closed())

        self.watched.setdefault(execution_id, []).append((serving.process, told))
        self.inside(serving.process, wait)

    # The end.

    def untold(self) -> list[str]:
        """Whose end someone waits for in a process that lives."""
        return [
            f"{identity} in {process.name}"
            for identity, watches in self.watched.items()
            for process, told in watches
            if process.alive and not told.done()
        ]

    def open_work(self) -> list[str]:
        """What has not ended."""
        rows = self.shared.rows
        executions = [f"{row.kind} {row.id}: {row.status}" for row in rows.executions.values() if not row.closed]
        tasks = [f"task {row.task_type} {row.id}: {row.status}" for row in rows.tasks.values() if not row.closed]
        return executions + tasks

    async def until_quiet(self, expected: Sequence[ExecutionId]) -> None:
        """Wait until all has ended; AssertionError if it does not."""
        deadline = STORM + AFTERWARDS
        while self.loop.time() < deadline:
            if set(expected) <= self.acknowledged and not self.open_work():
                return
            await asyncio.sleep(0.5)
        raise AssertionError(f"{AFTERWARDS} seconds after the last fault this is still open: {self.open_work()}")


async def _until_clear(ask: Callable[[], Awaitable[Reply]]) -> Reply:
    while True:
        try:
            return await ask()
        except Unavailable:
            await asyncio.sleep(RETRY)
