"""Activity: what a server sees happen is counted by minute, and put on record now and then.

It is statistics: what was counted since the last record is lost when the process is killed.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final, Protocol

import msgspec

from holdfast.model.errors import HoldfastError
from holdfast.model.ids import ALL_TENANTS, QueueName, TenantId
from holdfast.model.instants import Instant
from holdfast.model.oversight import MINUTE_MS, Activity, WorkSort
from holdfast.model.requests import Done, RecordActivity
from holdfast.model.statuses import ExecutionStatus, TaskStatus
from holdfast.server.batch import Outcome

logger = logging.getLogger(__name__)

STARTED: Final = "STARTED"
ENDED_BADLY: Final = frozenset({ExecutionStatus.FAILED, TaskStatus.FAILED, TaskStatus.TIMED_OUT})
RECORD_SECONDS: Final = 2.0
MAX_PLACES: Final = 10_000
"""Places that are counted between two records; beyond, what happens is not counted."""

Place = tuple[TenantId, int, WorkSort, QueueName, str, str, int]
"""Tenant, minute, sort, queue, kind, what, and the size of the time that it took."""


class Counted(msgspec.Struct, gc=False):
    """How often, and how long together."""

    count: int = 0
    total_ms: int = 0


class ActivityCounter:
    """Counts what commits bring about."""

    def __init__(self) -> None:
        self._counted: dict[Place, Counted] = {}

    def observe(self, outcome: Outcome) -> None:
        """Count what a commit has started and ended."""
        for execution in outcome.changes.new_executions:
            place = execution.tenant, execution.queue, execution.kind, STARTED
            self._count(WorkSort.WORKFLOW, *place, execution.created_at, execution.created_at)
        for execution in outcome.closed:
            place = execution.tenant, execution.queue, execution.kind, execution.status
            self._count(WorkSort.WORKFLOW, *place, execution.created_at, execution.closed_at)
        for claims in outcome.tasks_given:
            for claim in claims:
                place = claim.tenant, claim.queue, claim.task_type, STARTED
                self._count(WorkSort.TASK, *place, claim.started_at, claim.started_at)
        for task in outcome.ended_tasks:
            place = task.tenant, task.queue, task.task_type, task.status
            self._count(WorkSort.TASK, *place, task.started_at or task.created_at, task.closed_at)

    def _count(
        self,
        of: WorkSort,
        tenant: TenantId,
        queue: QueueName,
        kind: str,
        what: str,
        begin: Instant,
        end: Instant | None,
    ) -> None:
        end = begin if end is None else end
        took = max(0, end - begin)
        place = tenant, end // MINUTE_MS, of, queue, kind, what, took.bit_length()
        counted = self._counted.get(place)
        if counted is None:
            if len(self._counted) >= MAX_PLACES:
                return
            counted = self._counted[place] = Counted()
        counted.count += 1
        counted.total_ms += took

    def take(self) -> tuple[Activity, ...]:
        """What has been counted since the last time."""
        taken, self._counted = self._counted, {}
        return tuple([Activity(*place, counted.count, counted.total_ms) for place, counted in taken.items()])


class Recording(Protocol):
    """What the recorder needs of an engine."""

    observers: list[Callable[[Outcome], None]]

    def send(self, request: RecordActivity) -> asyncio.Future[Done]:
        """Ask the engine for something."""


@asynccontextmanager
async def recording(engine: Recording, *, seconds: float = RECORD_SECONDS) -> AsyncIterator[None]:
    """Count what an engine does, and put it on record, as long as the block lasts."""
    counter = ActivityCounter()
    engine.observers.append(counter.observe)
    over = asyncio.Event()
    recorder = asyncio.create_task(_record_until(over, seconds, counter, engine), name="holdfast-activity")
    try:
        yield
    finally:
        over.set()
        # Not cancelled: what it has taken from the counter and not yet sent would be lost.
        await recorder
        engine.observers.remove(counter.observe)
        await _record(counter, engine)


async def _record_until(over: asyncio.Event, seconds: float, counter: ActivityCounter, engine: Recording) -> None:
    while not over.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), seconds)
        await _record(counter, engine)


async def _record(counter: ActivityCounter, engine: Recording) -> None:
    entries = counter.take()
    if not entries:
        return
    try:
        await engine.send(RecordActivity(ALL_TENANTS, entries))
    except HoldfastError as error:
        logger.warning("statistics of %d places were lost: %s", len(entries), error)
