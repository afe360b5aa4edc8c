"""The host: store, committer, dispatch and scheduler joined into an engine that runs in this process."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar, cast

from holdfast.model.errors import HoldfastError, Unavailable, WorkerNotFound
from holdfast.model.events import Event
from holdfast.model.flow_requests import SavedFlow, SaveFlow
from holdfast.model.ids import ALL_TENANTS, ExecutionId, TaskId, TenantId
from holdfast.model.oversight import HeldWork
from holdfast.model.queries import HistoryWanted
from holdfast.model.records import Execution, Task
from holdfast.model.requests import Offer, ReclaimWorkers, RegisterKinds, Request
from holdfast.model.workers import Introduction, WorkerRecord
from holdfast.model.workflow_queries import QueryWorkflow
from holdfast.ports.engine import Guest
from holdfast.ports.news import TellsNews
from holdfast.ports.queue import ExecutionQueue
from holdfast.ports.store import Questions, Store
from holdfast.ports.time import Chance, Clock
from holdfast.ports.timers import TimerIndex
from holdfast.ports.transport import CancelSink, ExecutionSink, Subscription, TaskSink
from holdfast.ports.watches import Watches
from holdfast.server.apart import Apart
from holdfast.server.batch import Outcome
from holdfast.server.committer import Committer
from holdfast.server.custom_nodes import check_custom_nodes, node_schemas
from holdfast.server.directory import Directory, KnownWorker, WorkerKey, kinds_of
from holdfast.server.gathering import HistoryReader
from holdfast.server.neighbours import Neighbours
from holdfast.server.news import News
from holdfast.server.pruner import PruningLoop
from holdfast.server.pump import Pump
from holdfast.server.queries import Answerer, Queries
from holdfast.server.scheduler import Scheduler

logger = logging.getLogger(__name__)

Reply = TypeVar("Reply")

OUTSIDE_CHECK = 0.05
"""Seconds between two looks at whether another process has written to the database."""

SAFETY_CHECK = 1.0
"""The same for a store that tells it by itself: it may have been cut off for a moment, and a neighbour may have died
that was to fire a timer."""

LIVENESS_CHECK = 2.0
"""Seconds between two looks at whether a process that holds work has died."""

RECLAIM = 512

MAX_HELD = 1_000
"""Pieces of work that are told of all workers together."""


class EngineHost:
    """An engine in this process (ports.transport.Transport, and the reads of its store)."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        chance: Chance,
        timers: TimerIndex,
        queue: ExecutionQueue,
        pruning: PruningLoop | None = None,
    ) -> None:
        self.store = store
        self.queue = queue
        self._pruning = pruning
        self.timers = timers
        self.clock = clock
        self.chance = chance
        self.executions: Watches[Execution] = Watches()
        self.tasks: Watches[Task] = Watches()
        self.news = News()
        self.observers: list[Callable[[Outcome], None]] = []
        """Told of every commit of this process, for those who count."""
        self.directory = Directory(clock=clock)
        self.committer = Committer(
            store=store,
            clock=clock,
            chance=chance,
            on_commit=self._committed,
            on_unclear=self._may_have_committed,
            tells=queue.tells,
        )
        apart = Apart(store=store, clock=clock, committer=self.committer)
        self.scheduler = Scheduler(timers=timers, clock=clock, committer=self.committer, apart=apart)
        self.pump = Pump(store=store, clock=clock, committer=self.committer)
        self.neighbours = Neighbours(
            store=store,
            dispatch=self.committer.dispatch,
            news=self.news,
            executions=self.executions,
            tasks=self.tasks,
            on_missed=self._may_have_committed,
        )
        self._reader = HistoryReader(store)
        self.queries = Queries(reads=store)
        self._guests: dict[WorkerKey, Guest] = {}
        self._is_unseen = False
        """Whether something may have been written of which nobody in this process has been told."""
        self._missed = asyncio.Event()
        self._loops: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Open the store, take back what dead processes held, and begin to serve."""
        await self.store.open()
        await self.timers.open(lambda: self.scheduler.poke(None))
        self.scheduler.start()
        if isinstance(self.store, TellsNews):
            self.store.listen(self.neighbours.hear)
        self.pump.start()
        await self.queue.open(self.committer.send, self.pump.poke)
        if self._pruning is not None:
            self._pruning.start()
        await self._reclaim()
        loop = asyncio.get_running_loop()
        self._loops = [
            loop.create_task(self._watch_neighbours(), name="holdfast-outside"),
            loop.create_task(self._every(LIVENESS_CHECK, self._reclaim), name="holdfast-liveness"),
        ]

    async def stop(self) -> None:
        """Commit what has gathered, then let go of the store."""
        for task in self._loops:
            task.cancel()
        if self._loops:
            await asyncio.wait(self._loops)
        if self._pruning is not None:
            await self._pruning.stop()
        await self.neighbours.stop()
        await self.scheduler.stop()
        await self.queue.close()
        await self.pump.stop()
        await self.committer.stop()
        await self.timers.close()
        self.executions.give_up()
        self.tasks.give_up()
        await self.store.close()

    @property
    def reads(self) -> Questions:
        """Questions about what there is."""
        return self.store

    async def check_writable(self) -> None:
        """Write something of no consequence; the error that says why that is impossible."""
        await self.store.check_writable()

    # Transport.

    def send(self, request: Request[Reply]) -> asyncio.Future[Reply]:
        """Ask the engine for something."""
        if type(request) is SaveFlow:
            return cast("asyncio.Future[Reply]", asyncio.ensure_future(self._save_flow(request)))
        return self.committer.send(request)

    async def _save_flow(self, request: SaveFlow) -> SavedFlow:
        check_custom_nodes(request.document, await node_schemas(self.store, request.tenant))
        return await self.committer.send(request)

    async def histories(self, wanted: Sequence[HistoryWanted]) -> list[list[Event]]:
        """Pages of history; questions of one moment are read together."""
        return list(await asyncio.gather(*[self._reader.read(one) for one in wanted]))

    def introduce(self, tenant: TenantId, guest: Guest) -> None:
        """A worker of this process is known as long as the process lives."""
        now = self.clock.now()
        self.directory.register(KnownWorker(tenant, guest.introduction, "this process", now, now))
        self._guests[tenant, guest.introduction.worker_id] = guest
        told = guest.introduction
        kinds = frozenset([each.name for each in told.workflows])
        self.queries.add(Answerer(tenant, told.worker_id, frozenset(told.queues), kinds, guest.answer))
        self.remember_kinds(tenant, guest.introduction)

    async def query(self, query: QueryWorkflow) -> bytes:
        """What the code of an execution says, by a worker that is connected to this engine."""
        return await self.queries.ask(query)

    async def workers(self, tenant: TenantId) -> list[WorkerRecord]:
        """The workers that are connected to this engine, and what they are busy with."""
        held: dict[str, list[HeldWork]] = {}
        for each in await self.store.held_work(tenant, MAX_HELD):
            held.setdefault(each.worker_id, []).append(each)
        known = reversed(self.directory.workers(tenant))
        return [self.directory.record(each, held.get(each.told.worker_id, ())) for each in known]

    async def drain_worker(self, tenant: TenantId, worker_id: str) -> bool:
        """Let a worker take nothing more; it hears of it with its next heartbeat."""
        key = tenant, worker_id
        was = self.directory.is_to_drain(key)
        if not self.directory.drain(key):
            raise WorkerNotFound(worker_id, tenant)
        return not was

    def remember_kinds(self, tenant: TenantId, told: Introduction) -> None:
        """Keep for everyone what a worker can run; if that fails it is only not shown."""
        if told.workflows or told.tasks:
            self.committer.send_quietly(RegisterKinds(tenant, kinds_of(told)))

    def _hear_guests(self) -> None:
        for key, guest in self._guests.items():
            self.directory.hear(key, draining=self.directory.is_to_drain(key))
            if self.directory.is_to_drain(key):
                guest.drain()

    def take_executions(self, offer: Offer, sink: ExecutionSink) -> Subscription:
        """Deliver executions to a worker of this process."""
        return self.committer.dispatch.take_executions(offer, sink)

    def take_tasks(self, offer: Offer, sink: TaskSink, cancel: CancelSink) -> Subscription:
        """Deliver tasks to a worker of this process."""
        return self.committer.dispatch.take_tasks(offer, sink, cancel)

    # Ends.

    def _committed(self, outcome: Outcome) -> None:
        self.executions.settle(outcome.closed)
        self.tasks.settle(outcome.ended_tasks)
        self.committer.dispatch.deliver(outcome)
        self.timers.note(outcome.changes)
        self.queue.note(outcome.changes)
        self.news.spread(outcome.changes)
        if not self.queue.carries:
            self.pump.look_at(outcome.changes)
        for observe in self.observers:
            observe(outcome)
        if outcome.changes.queues:
            # What waited in a queue that has been resumed is not news to anyone but the store.
            self.committer.dispatch.look_again()
        if outcome.next_wake is not None:
            self.scheduler.poke(outcome.next_wake)

    def _may_have_committed(self) -> None:
        self._is_unseen = True
        self._missed.set()

    # Other processes.

    async def _every(
        self, seconds: float, act: Callable[[], Awaitable[None]], until: asyncio.Event | None = None
    ) -> None:
        while True:
            await _pause(seconds, until)
            try:
                await act()
            except Unavailable as error:
                logger.warning("the database is out of reach: %s", error)
            except Exception:
                logger.exception("the database cannot be used; it is looked at again")

    async def _watch_neighbours(self) -> None:
        if isinstance(self.store, TellsNews):
            await self._every(SAFETY_CHECK, self._look_again, until=self._missed)
        else:
            await self._every(OUTSIDE_CHECK, self._look_outside)

    async def _look_again(self) -> None:
        """What should have been heard is looked for all the same: work and timers; results, if there was any news."""
        self.committer.dispatch.look_again()
        self.scheduler.poke(None)
        self.pump.poke()
        await self._look_outside()

    async def _look_outside(self) -> None:
        """Another process may have started, signalled or finished something."""
        changed = await self.store.changed_outside()
        if not (changed or self._is_unseen):
            return
        self.committer.dispatch.look_again()
        self.scheduler.poke(None)
        if not self.queue.carries:
            self.pump.poke()
        self.news.look_again()
        self._is_unseen = False
        try:
            await self.check_watches()
        except HoldfastError:
            self._is_unseen = True
            raise

    async def check_watches(self) -> None:
        """Tell those who wait for what has ended in another process."""
        keys = [(TenantId(tenant), ExecutionId(name)) for tenant, name in self.executions.open()]
        executions = await self.store.executions(keys)
        self.executions.settle(execution for execution in executions if execution.closed)
        task_keys = [(TenantId(tenant), TaskId(name)) for tenant, name in self.tasks.open()]
        tasks = await self.store.tasks(task_keys)
        self.tasks.settle(task for task in tasks if task.closed)

    async def _reclaim(self) -> None:
        """Take back what dead processes held; their leases need not run out first."""
        self._hear_guests()
        gone = await self.store.abandoned_workers()
        while gone:
            swept = await self.committer.send(ReclaimWorkers(ALL_TENANTS, gone, RECLAIM))
            if swept.count < RECLAIM:
                break


async def _pause(seconds: float, until: asyncio.Event | None) -> None:
    """So long, or until the event; but a little while in any case, however often the event comes."""
    if until is None:
        await asyncio.sleep(seconds)
        return
    try:
        async with asyncio.timeout(seconds):
            await until.wait()
    except TimeoutError:
        return
    until.clear()
    await asyncio.sleep(OUTSIDE_CHECK)
