"""Records: the state of an execution, task, attempt, timer and promise as a store keeps it, one struct a row.

Field order is column order; stores build records by position. `wake_at` is the next instant at which the scheduler
must look at the record (its lease runs out, a limit is reached, its time has come), or None.
"""

import msgspec

from holdfast.model.commands import TaskOptions
from holdfast.model.events import Event
from holdfast.model.ids import ClaimToken, ExecutionId, PromiseId, QueueName, TaskId, TenantId, TimerId, WorkerId
from holdfast.model.instants import Instant
from holdfast.model.statuses import (
    CLOSED_EXECUTION,
    CLOSED_TASK,
    AttemptStatus,
    ExecutionStatus,
    PromiseStatus,
    TaskStatus,
)


class Execution(msgspec.Struct, frozen=True, gc=False):
    """One run of a workflow."""

    tenant: TenantId
    id: ExecutionId
    kind: str
    queue: QueueName
    input: bytes
    metadata: bytes
    parent_id: ExecutionId | None
    child_name: str | None
    created_at: Instant
    deadline_at: Instant | None
    """When the execution fails if it is still open; a retry of the failed execution lifts it."""
    # From here on the fields change during the execution's life.
    status: ExecutionStatus = ExecutionStatus.PENDING
    last_sequence: int = 0
    """The number of events in the history."""
    seen_sequence: int = 0
    """The last event that the code has been shown."""
    open_items: int = 0
    """Tasks, timers, promises and children that have been initiated and have not ended."""
    claim_token: ClaimToken = ClaimToken(0)
    worker_id: WorkerId | None = None
    lease_expires_at: Instant | None = None
    wake_at: Instant | None = None
    cancel_requested: bool = False
    output: bytes | None = None
    failure: bytes | None = None
    failure_type: str | None = None
    closed_at: Instant | None = None

    @property
    def closed(self) -> bool:
        return self.status in CLOSED_EXECUTION


class Task(msgspec.Struct, frozen=True, gc=False):
    """One task execution, of a workflow or standalone."""

    tenant: TenantId
    id: TaskId
    execution_id: ExecutionId | None
    task_type: str
    queue: QueueName
    priority: int
    input: bytes
    options: TaskOptions
    metadata: bytes | None
    idempotency_key: str | None
    created_at: Instant
    scheduled_at: Instant | None
    """Not to be started before; None means at once. A retry that waits sets it anew."""
    # From here on the fields change during the task's life.
    status: TaskStatus = TaskStatus.PENDING
    ready: bool = True
    """Whether a worker may claim it now: it is PENDING and its time has come."""
    attempt: int = 0
    """How often it has been started."""
    claim_token: ClaimToken = ClaimToken(0)
    worker_id: WorkerId | None = None
    lease_expires_at: Instant | None = None
    wake_at: Instant | None = None
    started_at: Instant | None = None
    heartbeat_at: Instant | None = None
    details: bytes | None = None
    """The last heartbeat's details; they survive retries."""
    progress: float = 0.0
    progress_message: str | None = None
    cancel_requested: bool = False
    output: bytes | None = None
    failure: bytes | None = None
    closed_at: Instant | None = None

    @property
    def closed(self) -> bool:
        return self.status in CLOSED_TASK


class Attempt(msgspec.Struct, frozen=True, gc=False):
    """One try of a task that has ended."""

    tenant: TenantId
    task_id: TaskId
    attempt: int
    started_at: Instant
    finished_at: Instant
    status: AttemptStatus
    worker_id: WorkerId | None
    output: bytes | None = None
    failure: bytes | None = None


class Timer(msgspec.Struct, frozen=True, gc=False):
    """An armed timer; one that has fired or been cancelled is only in the history."""

    tenant: TenantId
    id: TimerId
    execution_id: ExecutionId
    fire_at: Instant
    created_at: Instant


class Promise(msgspec.Struct, frozen=True, gc=False):
    """A value that someone outside will supply."""

    tenant: TenantId
    id: PromiseId
    execution_id: ExecutionId
    name: str
    created_at: Instant
    status: PromiseStatus = PromiseStatus.PENDING
    wake_at: Instant | None = None
    """When it times out."""
    closed_at: Instant | None = None


class RequestKey(msgspec.Struct, frozen=True, gc=False):
    """An idempotency key that has been used: the same key again gets the same subject."""

    tenant: TenantId
    scope: str
    key: str
    subject: str
    created_at: Instant


class StateEntry(msgspec.Struct, frozen=True, gc=False):
    """A key of an execution's state; value None means that it has been cleared."""

    tenant: TenantId
    execution_id: ExecutionId
    key: str
    value: bytes | None


class TaskLine(msgspec.Struct, frozen=True, gc=False):
    """A line that a task's logger wrote, or an item that it streamed."""

    tenant: TenantId
    task_id: TaskId
    attempt: int
    time: Instant
    channel: str
    """"log", or the name of the stream."""
    level: str | None
    body: bytes
    number: int = 0
    """Its place among the task's lines, given by the store."""


class HistoryEntry(msgspec.Struct, frozen=True, gc=False):
    """An event and whose it is."""

    tenant: TenantId
    execution_id: ExecutionId
    event: Event


NO_METADATA = b"null"
