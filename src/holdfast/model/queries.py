"""Questions about what there is, and the pages that answer them."""

import msgspec

from holdfast.model.ids import ExecutionId, QueueName, TenantId
from holdfast.model.instants import Instant
from holdfast.model.records import Execution, Task, Timer
from holdfast.model.statuses import ExecutionStatus, TaskStatus

MAX_PAGE = 1_000
MOST_SEARCHED = 10_000
"""So many executions are looked into for one page."""


def bounded(limit: int) -> int:
    """How many a page may hold when so many are asked for."""
    return max(1, min(limit, MAX_PAGE))


class Cursor(msgspec.Struct, frozen=True, gc=False):
    """Where a page of a list by age ended: the next one begins below it."""

    created_at: Instant
    id: str


class ExecutionFilter(msgspec.Struct, frozen=True, gc=False):
    """Which executions to list; what is None does not restrict."""

    tenant: TenantId
    kind: str | None = None
    statuses: tuple[ExecutionStatus, ...] = ()
    parent_id: ExecutionId | None = None
    """With it, neither text nor metadata is looked at."""
    created_from: Instant | None = None
    created_before: Instant | None = None
    after: Cursor | None = None
    limit: int = 50
    metadata: tuple[tuple[str, bytes], ...] = ()
    """Fields that the metadata must have, and their values as JSON."""
    text: str | None = None
    """Part of the id, kind, metadata or failure; ASCII letters are alike in either case."""

    @property
    def is_search(self) -> bool:
        """Whether records have to be looked into: then a page may be short, or empty, and have a next one."""
        return self.parent_id is None and (bool(self.metadata) or self.text is not None)


class ExecutionPage(msgspec.Struct, frozen=True, gc=False):
    """Executions, newest first, and where the next page begins."""

    executions: tuple[Execution, ...]
    next: Cursor | None


class TaskFilter(msgspec.Struct, frozen=True, gc=False):
    """Which tasks to list: those of one execution, or (None) standalone ones."""

    tenant: TenantId
    execution_id: ExecutionId | None = None
    task_type: str | None = None
    queue: QueueName | None = None
    statuses: tuple[TaskStatus, ...] = ()
    after: Cursor | None = None
    limit: int = 50
    offset: int = 0
    """How many to leave out first."""


class TaskPage(msgspec.Struct, frozen=True, gc=False):
    """Tasks, newest first, and where the next page begins."""

    tasks: tuple[Task, ...]
    next: Cursor | None


class TimerPage(msgspec.Struct, frozen=True, gc=False):
    """Armed timers, the next to fire first, and how many there are in all."""

    timers: tuple[Timer, ...]
    total: int


class StateSnapshot(msgspec.Struct, frozen=True, gc=False):
    """The state of an execution: JSON by key."""

    entries: dict[str, bytes]


class QueueCount(msgspec.Struct, frozen=True, gc=False):
    """Open work of one kind in one queue; `of` is "workflow" or "task"."""

    queue: QueueName
    of: str
    kind: str
    status: str
    count: int
    oldest: Instant | None


class HistoryWanted(msgspec.Struct, frozen=True, gc=False):
    """A page of an execution's history: events after a sequence number, up to a limit."""

    tenant: TenantId
    execution_id: ExecutionId
    after: int
    limit: int
