"""The worker: joins the runners of workflows and tasks to a transport, and keeps what they hold."""

import asyncio
import logging
import math
import sys
from collections.abc import Callable, Iterable
from types import ModuleType

from holdfast.model.ids import DEFAULT_QUEUE, QueueName, TenantId, WorkerId
from holdfast.model.query_errors import NoWorker
from holdfast.model.requests import Offer
from holdfast.model.workers import Capability, Introduction
from holdfast.model.workflow_queries import WorkflowQuery
from holdfast.ports.joining import Join
from holdfast.ports.time import Chance, Clock
from holdfast.ports.transport import Subscription, Transport
from holdfast.sdk.guards import Guards
from holdfast.sdk.schemas import input_schema, output_schema
from holdfast.sdk.watchdog import Stall, Watchdog
from holdfast.worker.executions import ExecutionRunner
from holdfast.worker.operations import OperationRunner
from holdfast.worker.processes import Processes
from holdfast.worker.queries import QueryAnswerer
from holdfast.worker.registry import AnyTask, AnyWorkflow, Registry
from holdfast.worker.sending import Sender
from holdfast.worker.settings import WorkerSettings
from holdfast.worker.tasks import TaskRunner
from holdfast.worker.threads import TaskThreads

logger = logging.getLogger(__name__)

EXTEND_EVERY = 8.0
"""Seconds; a lease is thirty, so three extensions may fail before it runs out."""


class Worker:
    """Runs workflows and tasks of one tenant from some queues."""

    def __init__(
        self,
        *,
        transport: Transport,
        registry: Registry,
        tenant: TenantId,
        worker_id: WorkerId,
        queues: Iterable[str] = (),
        clock: Clock,
        chance: Chance,
        settings: WorkerSettings,
        join: Join | None = None,
    ) -> None:
        """`join` joins transactions of users, in which tasks may complete."""
        self._transport = transport
        self._registry = registry
        self._tenant = tenant
        self._worker_id = worker_id
        self._queues = sorted({DEFAULT_QUEUE, *queues, *registry.queues()})
        self._clock = clock
        self._chance = chance
        self._settings = settings
        self._join = join
        self._guards = Guards()
        self._watchdog = Watchdog(
            report=_report_stall, limit_seconds=settings.stall_seconds, start_thread=settings.stall_seconds > 0
        )
        self._threads = TaskThreads(limit=settings.task_slots, name="holdfast-task")
        self._processes = Processes(settings.process_slots)
        self._subscriptions: list[Subscription] = []
        self._execution_runners: list[ExecutionRunner] = []
        self._task_runners: list[TaskRunner] = []
        self._queries: QueryAnswerer | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._draining: asyncio.Task[None] | None = None
        self.drained = asyncio.Event()
        """It was told to take no more work, and what it held has ended."""

    async def start(self) -> None:
        """Begin to take work."""
        if self._settings.guards and self._registry.workflows:
            self._guards.install(self._workflow_modules())
        for queue in self._queues:
            if self._registry.workflows:
                self._take_executions(QueueName(queue))
            if self._registry.tasks:
                self._take_tasks(QueueName(queue))
        if self._execution_runners:
            self._queries = QueryAnswerer(
                transport=self._transport,
                registry=self._registry,
                runners=self._execution_runners,
                user_code=self._execution_runners[0].user_code,
            )
        self._keeper = asyncio.get_running_loop().create_task(self._keep(), name="holdfast-leases")

    @property
    def introduction(self) -> Introduction:
        """Who this worker is, and what it can run."""
        return Introduction(
            self._worker_id,
            tuple(self._queues),
            tuple([_capability(each) for each in self._registry.workflows.values()]),
            tuple([_capability(each) for each in self._registry.tasks.values()]),
        )

    async def answer(self, query: WorkflowQuery) -> bytes:
        """What the code of an execution says to a query."""
        if self._queries is None:
            raise NoWorker(query.execution_id, query.kind)
        return await self._queries.answer(query)

    def _answer_no_more(self) -> None:
        if self._queries is not None:
            self._queries.is_open = False

    def drain(self) -> None:
        """Take no more work; what runs goes on, and `drained` is set when all of it has ended."""
        if self._draining is None:
            logger.info("worker %s takes no more work, as it was told", self._worker_id)
            self._draining = asyncio.get_running_loop().create_task(self._drain(), name="holdfast-drain")

    async def _drain(self) -> None:
        self._answer_no_more()
        for subscription in self._subscriptions:
            await subscription.stop()
        await asyncio.gather(*[runner.finish() for runner in self._task_runners])
        await asyncio.gather(*[runner.finish() for runner in self._execution_runners])
        self.drained.set()

    def returned(self) -> None:
        """Contact was lost and is there again: what is held is told of before it is given to others."""
        self.extend_leases(math.inf)

    async def stop(self) -> None:
        """Take no more work, let what runs end within the grace period, and give back the rest."""
        self._answer_no_more()
        if self._draining is not None:
            self._draining.cancel()
            await asyncio.wait([self._draining])
        for subscription in self._subscriptions:
            await subscription.stop()
        grace = self._settings.grace.total_seconds()
        await asyncio.gather(*[runner.stop(grace) for runner in self._task_runners])
        await asyncio.gather(*[runner.stop(grace) for runner in self._execution_runners])
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait([self._keeper])
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._processes.close()
        self._watchdog.close()
        if self._settings.guards and self._registry.workflows:
            self._guards.uninstall()

    def _take_executions(self, queue: QueueName) -> None:
        slots = self._settings.workflow_slots
        runner = ExecutionRunner(
            transport=self._transport,
            registry=self._registry,
            operations=OperationRunner(threads=self._threads, clock=self._clock, chance=self._chance),
            watchdog=self._watchdog,
            cached=self._settings.cached_workflows,
            give_back=self._giving_back(len(self._subscriptions)),
            guarded=self._settings.guards,
        )
        offer = Offer(self._tenant, self._worker_id, queue, frozenset(self._registry.workflows), slots)
        self._subscriptions.append(self._transport.take_executions(offer, runner.take))
        self._execution_runners.append(runner)

    def _take_tasks(self, queue: QueueName) -> None:
        slots = self._settings.task_slots
        runner = TaskRunner(
            registry=self._registry,
            sender=Sender(self._transport),
            clock=self._clock,
            threads=self._threads,
            processes=self._processes,
            give_back=self._giving_back(len(self._subscriptions)),
            join=self._join,
        )
        offer = Offer(self._tenant, self._worker_id, queue, frozenset(self._registry.tasks), slots)
        self._subscriptions.append(self._transport.take_tasks(offer, runner.take, runner.cancel))
        self._task_runners.append(runner)

    def _giving_back(self, index: int) -> Callable[[int], None]:
        """Gives slots back to the subscription that will stand at this place: it and its runner need each other."""

        def give_back(slots: int) -> None:
            self._subscriptions[index].give_back(slots)

        return give_back

    def _workflow_modules(self) -> list[ModuleType]:
        names = {definition.function_module for definition in self._registry.workflows.values()}
        return [sys.modules[name] for name in sorted(names) if name in sys.modules]

    async def _keep(self) -> None:
        """Extend the leases of what takes long."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(EXTEND_EVERY)
            self.extend_leases(loop.time() - EXTEND_EVERY / 2)

    def extend_leases(self, older_than: float) -> None:
        """Tell the engine that what was taken before this loop time is still held."""
        for execution_runner in self._execution_runners:
            execution_runner.extend(older_than)
        for task_runner in self._task_runners:
            task_runner.extend(older_than)


def _capability(definition: AnyWorkflow | AnyTask) -> Capability:
    signature = definition.signature
    return Capability(definition.name, definition.version, input_schema(signature), output_schema(signature))


def _report_stall(stall: Stall) -> None:
    logger.error(
        "workflow %s has blocked the event loop for %.1f s at %s; workflow code must not compute or wait for long: "
        "put it into a task or ctx.run",
        stall.label,
        stall.seconds,
        stall.place,
    )
