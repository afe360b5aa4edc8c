"""Answers the questions of the oversight port from rows in memory."""

from collections import Counter
from collections.abc import Callable
from typing import TypeVar

import msgspec

from holdfast.model.ids import TenantId
from holdfast.model.instants import Instant
from holdfast.model.oversight import Activity, DueCount, FeedPage, HeldWork, Kind, OpenCount, QueueSetting, WorkSort
from holdfast.model.queries import ExecutionFilter
from holdfast.model.records import Execution
from holdfast.model.statuses import ExecutionStatus, TaskStatus
from holdfast.testing.rows import MemoryRows

Answer = TypeVar("Answer")


class MemoryOversight:
    """The oversight of a store whose rows are in memory."""

    rows: MemoryRows

    async def read(self, question: Callable[[], Answer]) -> Answer:
        """Every read comes through here."""
        return question()

    async def queue_settings(self, tenant: TenantId) -> list[QueueSetting]:
        """The queues that someone has set, by name."""
        return await self.read(lambda: [row for key, row in sorted(self.rows.queues.items()) if key[0] == tenant])

    async def kinds(self, tenant: TenantId) -> list[Kind]:
        """The kinds that workers have registered, by sort and name."""
        return await self.read(lambda: [row for key, row in sorted(self.rows.kinds.items()) if key[0] == tenant])

    async def feed(self, tenant: TenantId, after: int, limit: int) -> FeedPage:
        """Notices whose number is above `after`, in order."""
        told = await self.read(lambda: self.rows.feed.get(tenant, ()))
        gone = self.rows.forgotten_notices.get(tenant, 0)
        begin = max(0, after - gone)
        return FeedPage(gone + begin + 1, told[begin : begin + limit], gone + 1, gone + len(told))

    async def activity(self, tenant: TenantId, since_minute: int) -> list[Activity]:
        """What happened since a minute."""
        return await self.read(
            lambda: sorted(
                (row for row in self.rows.activity.values() if row.tenant == tenant and row.minute >= since_minute),
                key=msgspec.structs.astuple,
            )
        )

    async def held_work(self, tenant: TenantId, limit: int) -> list[HeldWork]:
        """What workers are busy with, by worker."""
        return await self.read(lambda: sorted(_held_work(self.rows, tenant, limit), key=msgspec.structs.astuple))

    async def open_executions(self, tenant: TenantId) -> list[OpenCount]:
        """How many executions have not ended, by kind."""
        found = await self.read(
            lambda: Counter(
                row.kind for row in self.rows.executions.values() if row.tenant == tenant and not row.closed
            )
        )
        return [OpenCount(kind, count) for kind, count in sorted(found.items())]

    async def timers_due(self, tenant: TenantId, until: Instant, step_ms: int) -> list[DueCount]:
        """How many timers fire before an instant, in steps of so many milliseconds."""
        found = await self.read(
            lambda: Counter(
                row.fire_at // step_ms
                for row in self.rows.timers.values()
                if row.tenant == tenant and row.fire_at < until
            )
        )
        return [DueCount(Instant(slot * step_ms), count) for slot, count in sorted(found.items())]


def _held_work(rows: MemoryRows, tenant: TenantId, limit: int) -> list[HeldWork]:
    executions = [
        HeldWork(row.worker_id, WorkSort.WORKFLOW, row.id, row.kind, None, None, 0.0)
        for row in rows.executions.values()
        if row.tenant == tenant and row.status is ExecutionStatus.RUNNING and row.worker_id is not None
    ]
    tasks = [
        HeldWork(row.worker_id, WorkSort.TASK, row.id, row.task_type, row.execution_id, row.started_at, row.progress)
        for row in rows.tasks.values()
        if row.tenant == tenant and row.status is TaskStatus.RUNNING and row.worker_id is not None
    ]
    return executions[:limit] + tasks[:limit]


def is_found(row: Execution, wanted: ExecutionFilter) -> bool:
    """Whether a search finds an execution."""
    return not wanted.is_search or (_has_text(row, wanted.text) and _has_metadata(row, wanted.metadata))


def _has_text(row: Execution, text: str | None) -> bool:
    if text is None:
        return True
    parts = (row.id, row.kind, row.metadata.decode(), row.failure_type or "", (row.failure or b"").decode())
    return _lower(text) in _lower("\n".join(parts))


def _lower(text: str) -> str:
    return "".join(each.lower() if each.isascii() else each for each in text)


def _has_metadata(row: Execution, wanted: tuple[tuple[str, bytes], ...]) -> bool:
    metadata = msgspec.json.decode(row.metadata)
    if not isinstance(metadata, dict):
        return not wanted
    return all(key in metadata and msgspec.json.encode(metadata[key]) == value for key, value in wanted)
