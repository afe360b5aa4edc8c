"""Dispatch: the workers that wait for work, and how claimed work reaches them.

A subscription has free slots. While it has some, it stands in every batch as an offer, so work that becomes ready in
the batch is written as claimed already. Work that nobody could take marks the subscriptions that it fits; a marked one
looks into the store with its next offer.
"""

import asyncio
from collections.abc import Awaitable, Callable, Container, Sequence
from typing import Generic, TypeVar

from holdfast.model.ids import TaskId, TenantId, WorkerId
from holdfast.model.records import Execution, Task
from holdfast.model.requests import (
    ExecutionClaim,
    Offer,
    ReleaseExecution,
    ReleaseTask,
    Request,
    TaskClaim,
)
from holdfast.ports.transport import CancelSink, ExecutionSink, TaskSink
from holdfast.server.batch import Outcome

Claim = TypeVar("Claim", ExecutionClaim, TaskClaim)
Send = Callable[[Request[object]], Awaitable[object]]
Kick = Callable[[], None]


class Standing(Generic[Claim]):
    """One worker's standing offer (ports.transport.Subscription)."""

    def __init__(
        self, offer: Offer, sink: Callable[[Sequence[Claim]], None], kick: Kick, cancel: CancelSink | None = None
    ) -> None:
        self.worker = offer.tenant, offer.worker_id
        self.queue = str(offer.tenant), str(offer.queue)
        self.cancel = cancel
        self.may_wait = True
        """Whether the store may hold work for it."""
        self._has_news = False
        self._offer = offer
        self._slots = offer.slots
        self._sink: Callable[[Sequence[Claim]], None] = sink
        self._kick = kick
        self.stopped = False

    @property
    def open(self) -> bool:
        """Whether it can take anything now."""
        return self._slots > 0 and not self.stopped

    def look_again(self) -> None:
        """The store may hold work for it by now."""
        self.may_wait = self._has_news = True

    def looked(self, *, drained: bool) -> None:
        """Its last offer has seen all there was, or not; but not what came while it was under way."""
        self.may_wait = self._has_news or not drained

    def offer(self) -> Offer:
        """What it can take now."""
        self._has_news = False
        offer = self._offer
        if self._slots == offer.slots:
            return offer
        self._offer = Offer(offer.tenant, offer.worker_id, offer.queue, offer.kinds, self._slots)
        return self._offer

    def fits(self, tenant: str, queue: str, kind: str) -> bool:
        """Whether such work is for this worker."""
        return kind in self._offer.kinds and queue == self._offer.queue and tenant == self._offer.tenant

    def deliver(self, claims: Sequence[Claim]) -> Sequence[Claim]:
        """Hand claimed work over; gives back what comes too late."""
        if self.stopped:
            return claims
        self._slots -= len(claims)
        self._sink(claims)
        return ()

    def give_back(self, slots: int) -> None:
        """Offer so many slots more."""
        self._slots += slots
        if self.may_wait:
            self._kick()

    async def stop(self) -> None:
        """Take no more."""
        self.stopped = True


class Dispatch:
    """All standing offers of this process."""

    def __init__(self, *, send: Send, kick: Kick) -> None:
        self._send = send
        self._kick = kick
        self._executions: list[Standing[ExecutionClaim]] = []
        self._tasks: list[Standing[TaskClaim]] = []
        self._delivered = asyncio.Event()
        self.given = 0
        """Executions that workers have been given."""
        self._offered_executions: list[Standing[ExecutionClaim]] = []
        self._offered_tasks: list[Standing[TaskClaim]] = []

    def take_executions(self, offer: Offer, sink: ExecutionSink) -> Standing[ExecutionClaim]:
        """A new standing offer for executions."""
        standing: Standing[ExecutionClaim] = Standing(offer, sink, self._kick)
        self._executions = [other for other in self._executions if not other.stopped]
        self._executions.append(standing)
        self._kick()
        return standing

    def take_tasks(self, offer: Offer, sink: TaskSink, cancel: CancelSink) -> Standing[TaskClaim]:
        """A new standing offer for tasks."""
        standing: Standing[TaskClaim] = Standing(offer, sink, self._kick, cancel)
        self._tasks = [other for other in self._tasks if not other.stopped]
        self._tasks.append(standing)
        self._kick()
        return standing

    @property
    def hungry(self) -> bool:
        """Whether some worker could take work that the store may hold."""
        executions = any(standing.open and standing.may_wait for standing in self._executions)
        return executions or any(standing.open and standing.may_wait for standing in self._tasks)

    async def has_given(self, number: int, *, within: float) -> bool:
        """Whether so many executions have been given in all, or there are no more to give; False if none are taken."""
        while self.given < number and self._is_behind():
            before = self.given
            self._delivered.clear()
            try:
                async with asyncio.timeout(within):
                    while self.given == before and self._is_behind():
                        await self._delivered.wait()
                        self._delivered.clear()
            except TimeoutError:
                return False
        return True

    def _is_behind(self) -> bool:
        """Whether the store may hold executions that a worker of this process could take, had it a free slot."""
        return any(standing.may_wait and not standing.stopped for standing in self._executions)

    def offers(self) -> tuple[list[Offer], list[bool], list[Offer], list[bool]]:
        """The offers of the next batch: executions, whether to look for them in the store, and the same for tasks."""
        self._offered_executions = [standing for standing in self._executions if standing.open]
        self._offered_tasks = [standing for standing in self._tasks if standing.open]
        return (
            [standing.offer() for standing in self._offered_executions],
            [standing.may_wait for standing in self._offered_executions],
            [standing.offer() for standing in self._offered_tasks],
            [standing.may_wait for standing in self._offered_tasks],
        )

    def offer_nothing(self) -> tuple[list[Offer], list[bool], list[Offer], list[bool]]:
        """The next batch goes without offers, and brings nobody anything."""
        self._offered_executions, self._offered_tasks = [], []
        return [], [], [], []

    def deliver(self, outcome: Outcome) -> None:
        """Hand over what the batch has claimed, and note who has to look again."""
        for execution_standing, drained in zip(self._offered_executions, outcome.drained_executions, strict=True):
            execution_standing.looked(drained=drained)
        for task_standing, drained in zip(self._offered_tasks, outcome.drained_tasks, strict=True):
            task_standing.looked(drained=drained)
        self._mark(outcome.executions_left, outcome.tasks_left)
        # Before new claims: the order is meant for the try that ends, not for the next one of the same task.
        for order in outcome.cancel_orders:
            self._order_cancel(*order)
        for execution_standing, executions in zip(self._offered_executions, outcome.executions_given, strict=True):
            if executions:
                self.given += len(executions)
                for late in execution_standing.deliver(executions):
                    self._send(ReleaseExecution(late.tenant, late.execution_id, late.token))
        for task_standing, tasks in zip(self._offered_tasks, outcome.tasks_given, strict=True):
            if tasks:
                for late_task in task_standing.deliver(tasks):
                    self._send(ReleaseTask(late_task.tenant, late_task.task_id, late_task.token))
        self._delivered.set()

    def _order_cancel(self, tenant: TenantId, worker_id: WorkerId, task_id: TaskId) -> None:
        # A worker has an offer for each of its queues; those that do not run the task let the order pass.
        for standing in self._tasks:
            if standing.worker == (tenant, worker_id) and standing.cancel is not None:
                standing.cancel(task_id)

    def look_again(self) -> None:
        """Work may have come into the store from elsewhere."""
        for execution_standing in self._executions:
            execution_standing.look_again()
        for task_standing in self._tasks:
            task_standing.look_again()
        self._kick()

    def look_again_in(self, queues: Container[tuple[str, str]]) -> None:
        """Work may have come into these queues, by tenant and name, from elsewhere."""
        here = [each for each in self._executions if each.queue in queues]
        here_too = [each for each in self._tasks if each.queue in queues]
        for execution_standing in here:
            execution_standing.look_again()
        for task_standing in here_too:
            task_standing.look_again()
        if here or here_too:
            self._kick()

    def _mark(self, executions: Sequence[Execution], tasks: Sequence[Task]) -> None:
        for tenant, queue, kind in {(row.tenant, row.queue, row.kind) for row in executions}:
            for execution_standing in self._executions:
                execution_standing.may_wait |= execution_standing.fits(tenant, queue, kind)
        for tenant, queue, kind in {(row.tenant, row.queue, row.task_type) for row in tasks}:
            for task_standing in self._tasks:
                task_standing.may_wait |= task_standing.fits(tenant, queue, kind)
