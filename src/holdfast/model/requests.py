"""Requests: everything that can be asked of the engine, and the reply that each one gets.

A request is a value; the same request may be sent again after an unclear outcome, and has one effect.
"""

from typing import Generic, TypeVar

import msgspec

from holdfast.model.commands import DEFAULT_TASK_OPTIONS, Command, Outcome, TaskOptions
from holdfast.model.events import Event
from holdfast.model.failures import Failure
from holdfast.model.ids import ClaimToken, ExecutionId, PromiseId, QueueName, TaskId, TenantId, TimerId, WorkerId
from holdfast.model.instants import Instant, Milliseconds
from holdfast.model.oversight import Activity, WorkSort
from holdfast.model.records import NO_METADATA
from holdfast.model.statuses import ExecutionStatus, ReusePolicy, TaskStatus
from holdfast.model.wakes import WakeKey, WakeUp

Reply = TypeVar("Reply", covariant=True)


class Request(msgspec.Struct, Generic[Reply], frozen=True, gc=False):
    """The base of all requests; the type argument is the reply's type."""

    tenant: TenantId


# What clients ask.


class Started(msgspec.Struct, frozen=True, gc=False):
    """The execution is on disk; `created` is False when it was there already."""

    execution_id: ExecutionId
    created: bool
    status: ExecutionStatus


class StartWorkflow(Request[Started], frozen=True, gc=False):
    """Start an execution; the same id again with the same kind and input gives the execution that is there."""

    execution_id: ExecutionId
    kind: str
    input: bytes
    queue: QueueName
    metadata: bytes = NO_METADATA
    timeout_ms: Milliseconds | None = None
    signal: "SignalWorkflow | None" = None
    """A signal that the execution gets in the same transaction, whether it is new or not."""
    idempotency_key: str | None = None
    """Starts with the same key are about the same execution, whatever id each of them brings for a new one."""
    key_ttl_ms: Milliseconds | None = None
    """How long after its execution was started a key counts as used; None: for ever."""
    reuse_policy: ReusePolicy = ReusePolicy.RETURN_EXISTING
    """What is done when the idempotency key, or without one the id, was used before."""
    request_id: str = ""
    """The same request id again finds the execution that it has started, whatever the policy says."""
    trace: str | None = None
    """The W3C traceparent of the caller, and after a space the tracestate if there is one."""


class Done(msgspec.Struct, frozen=True, gc=False):
    """It is on disk; `changed` is False when there was nothing left to do."""

    changed: bool = True


class SignalWorkflow(Request[Done], frozen=True, gc=False):
    """Give an execution a value under a name; once per request id, if one is given."""

    execution_id: ExecutionId
    name: str
    value: bytes
    request_id: str = ""


class CancelWorkflow(Request[Done], frozen=True, gc=False):
    """Ask an execution to end; its code gets CancelledError at its await and may clean up."""

    execution_id: ExecutionId
    reason: str = ""
    requested_by: str = ""


class TerminateWorkflow(Request[Done], frozen=True, gc=False):
    """End an execution at once, without asking its code."""

    execution_id: ExecutionId
    reason: str = ""


class RetryWorkflow(Request[Done], frozen=True, gc=False):
    """Let a failed execution go on from where it stands, with the code of today."""

    execution_id: ExecutionId
    reason: str = ""
    requested_by: str = ""


class ResetWorkflow(Request[Done], frozen=True, gc=False):
    """Send an execution back to a point of its history; its code forgets what came after, and goes on from there."""

    execution_id: ExecutionId
    to_sequence: int
    reason: str = ""
    requested_by: str = ""


class SettlePromise(Request[Done], frozen=True, gc=False):
    """Resolve a promise with `value`, or reject it with `failure`; by its id, or by execution and name."""

    promise_id: PromiseId | None = None
    execution_id: ExecutionId | None = None
    name: str | None = None
    value: bytes | None = None
    failure: Failure | None = None


class NewTask(msgspec.Struct, frozen=True, gc=False):
    """A standalone task to be made."""

    id: TaskId
    task_type: str
    input: bytes
    queue: QueueName
    options: TaskOptions = DEFAULT_TASK_OPTIONS
    priority: int = 0
    scheduled_at: Instant | None = None
    metadata: bytes | None = None
    idempotency_key: str | None = None


class SubmittedTask(msgspec.Struct, frozen=True, gc=False):
    """A task is on disk; `created` is False when its id or idempotency key was there already."""

    id: TaskId
    created: bool
    status: TaskStatus


class SubmitTasks(Request[tuple[SubmittedTask, ...]], frozen=True, gc=False):
    """Make standalone tasks, all of them or none."""

    tasks: tuple[NewTask, ...]


class CancelTaskExecution(Request[Done], frozen=True, gc=False):
    """End a task: at once if nobody runs it, else its worker is told with its next heartbeat."""

    task_id: TaskId
    reason: str = ""
    only_pending: bool = False
    """Refuse if a worker has it."""


class RetryTaskExecution(Request[Done], frozen=True, gc=False):
    """Let a standalone task that failed run again, with a fresh count of retries."""

    task_id: TaskId


class DisarmTimer(Request[Done], frozen=True, gc=False):
    """Cancel a timer from outside; the workflow that waits for it sees it as cancelled."""

    timer_id: TimerId


class MoveTimer(Request[Done], frozen=True, gc=False):
    """Let a timer fire at another instant; one that has passed fires it now."""

    timer_id: TimerId
    fire_at: Instant


# What operators ask.


class SettleTask(Request[Done], frozen=True, gc=False):
    """End a task by hand, with `output` or as failed: whoever runs it has lost it, and it is not tried again."""

    task_id: TaskId
    output: bytes | None = None
    failure: Failure | None = None


class PauseQueue(Request[Done], frozen=True, gc=False):
    """Give nothing of a queue to workers until it is resumed; what they have, they may end."""

    queue: QueueName
    reason: str = ""
    requested_by: str = ""


class ResumeQueue(Request[Done], frozen=True, gc=False):
    """Let a paused queue run again."""

    queue: QueueName
    requested_by: str = ""


# What workers ask.


class KindDescription(msgspec.Struct, frozen=True, gc=False):
    """A workflow or task that a worker can run."""

    of: WorkSort
    name: str
    version: str = ""
    input_schema: bytes | None = None
    output_schema: bytes | None = None


class RegisterKinds(Request[Done], frozen=True, gc=False):
    """Remember what a worker can run, with the schemas of what goes in and comes out; the last word counts."""

    kinds: tuple[KindDescription, ...]


class ActivationAccepted(msgspec.Struct, frozen=True, gc=False):
    """The activation is on disk as a whole; `last_sequence` is the history's end after it."""

    last_sequence: int
    seen_sequence: int
    """Up to here the code has seen everything."""
    closed: bool = False


class SubmitActivation(Request[ActivationAccepted], frozen=True, gc=False):
    """One activation of an execution, all or nothing: its commands, how it ended, and the last event it had seen."""

    execution_id: ExecutionId
    token: ClaimToken
    last_seen_sequence: int
    commands: tuple[Command, ...]
    outcome: Outcome


class ReleaseExecution(Request[Done], frozen=True, gc=False):
    """Give a claimed execution back untouched."""

    execution_id: ExecutionId
    token: ClaimToken


class CompleteTask(Request[Done], frozen=True, gc=False):
    """A task's body has returned."""

    task_id: TaskId
    token: ClaimToken
    output: bytes


class FailTask(Request[Done], frozen=True, gc=False):
    """A task's body has raised; the server's retry policy decides what follows."""

    task_id: TaskId
    token: ClaimToken
    failure: Failure


class AcknowledgeTaskCancel(Request[Done], frozen=True, gc=False):
    """A task's body has stopped because it was asked to."""

    task_id: TaskId
    token: ClaimToken
    reason: str = ""


class ReleaseTask(Request[Done], frozen=True, gc=False):
    """Give a claimed task back unstarted; it costs no attempt."""

    task_id: TaskId
    token: ClaimToken


class Line(msgspec.Struct, frozen=True, gc=False):
    """Something that a running task tells: a log line (with a level), or an item of a stream."""

    time: Instant
    channel: str
    level: str | None
    body: bytes


class TaskOrders(msgspec.Struct, frozen=True, gc=False):
    """What the server wants of a running task."""

    cancel: bool


class ReportTask(Request[TaskOrders], frozen=True, gc=False):
    """A running task is alive: extends its lease and may carry details, progress and lines."""

    task_id: TaskId
    token: ClaimToken
    heartbeat: bool = False
    """Whether the task's own code reported; only this resets its heartbeat timeout."""
    details: bytes | None = None
    progress: float | None = None
    progress_message: str | None = None
    lines: tuple[Line, ...] = ()


class ExtendClaim(Request[Done], frozen=True, gc=False):
    """The worker still holds this execution: extends its lease."""

    execution_id: ExecutionId
    token: ClaimToken


# What the engine's own loops ask.


class Swept(msgspec.Struct, frozen=True, gc=False):
    """How many records were looked at; as many as asked for means that there may be more."""

    count: int
    following: Instant | None = None
    """The next instant at which something is due, as far as the transaction knows; None: look for it."""


class FireDue(Request[Swept], frozen=True, gc=False):
    """Act on everything whose `wake_at` or `fire_at` has come, up to a limit."""

    limit: int


class NotYet(msgspec.Struct, frozen=True, gc=False):
    """Rows that were not due when they were looked at, with the instants at which they will be."""

    later: tuple[WakeUp, ...]


class FireIfDue(Request[NotYet], frozen=True, gc=False):
    """Act on those of these rows that are due; one that is gone, or not due, is left as it is."""

    keys: tuple[WakeKey, ...]


class ForgetOutbox(Request[Done], frozen=True, gc=False):
    """These entries of the outbox have been published, or nobody needs them any more."""

    ids: tuple[str, ...]


class ReclaimWorkers(Request[Swept], frozen=True, gc=False):
    """Take back what workers hold that are known to be gone, up to a limit; of one tenant, or of all."""

    workers: tuple[WorkerId, ...]
    limit: int
    silent_since: Instant | None = None
    """Take back only what has been neither claimed nor extended since: the workers may have come back."""


class RecordActivity(Request[Done], frozen=True, gc=False):
    """Add to the statistics what a server has seen happen; entries name their own tenants."""

    entries: tuple[Activity, ...]


# What workers are given.


class ExecutionClaim(msgspec.Struct, frozen=True, gc=False):
    """An execution whose code is to run now.

    `events` follow each other and end the history; whoever has not seen those before them reads them first.
    """

    tenant: TenantId
    execution_id: ExecutionId
    kind: str
    queue: QueueName
    token: ClaimToken
    seen_sequence: int
    last_sequence: int
    events: tuple[Event, ...]
    parent_id: ExecutionId | None = None


class TaskClaim(msgspec.Struct, frozen=True, gc=False):
    """A task whose body is to run now."""

    tenant: TenantId
    task_id: TaskId
    execution_id: ExecutionId | None
    task_type: str
    queue: QueueName
    token: ClaimToken
    attempt: int
    input: bytes
    options: TaskOptions
    details: bytes | None
    created_at: Instant
    started_at: Instant


class Offer(msgspec.Struct, frozen=True, gc=False):
    """A worker's readiness to take work: up to `slots` items of these kinds from this queue."""

    tenant: TenantId
    worker_id: WorkerId
    queue: QueueName
    kinds: frozenset[str]
    slots: int
