"""Events: the facts of an execution's history, one struct a type; their JSON names are the wire's.

`Event.data` says what happened; its class is the event's type. History is read by people, other languages and
later releases, so a field may be added with a default, and nothing is ever renamed or removed.
"""

from typing import ClassVar

import msgspec

from holdfast.model.errors import StoreDamaged
from holdfast.model.failures import Failure
from holdfast.model.ids import ExecutionId, PromiseId, TaskId, TimerId
from holdfast.model.instants import Instant, Milliseconds

NULL = msgspec.Raw(b"null")


class EventData(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, gc=False):
    """What one event says."""

    event_type: ClassVar[str] = ""


class WorkflowStarted(EventData, frozen=True):
    event_type = "WORKFLOW_STARTED"
    input: msgspec.Raw
    metadata: msgspec.Raw = NULL
    kind: str = ""
    trace: str | None = None
    """The W3C traceparent of what asked for it, and after a space the tracestate if there is one."""


class WorkflowCompleted(EventData, frozen=True):
    event_type = "WORKFLOW_COMPLETED"
    output: msgspec.Raw
    warnings: tuple[str, ...] = ()


class WorkflowFailed(EventData, frozen=True):
    """`cause_sequence`: the event that the code had been given last (0: none, None: not known).

    `cause_operation`: the operation, by its index, if that was the end of one. `turn_sequence`: the last event before
    what the code asked for in its last turn; None, if it has not ended itself.
    """

    event_type = "WORKFLOW_FAILED"
    error: Failure
    failure_type: str = "ERROR"
    cause_sequence: int | None = None
    cause_operation: int | None = None
    turn_sequence: int | None = None


class WorkflowCancelled(EventData, frozen=True):
    event_type = "WORKFLOW_CANCELLED"
    reason: str = ""


class WorkflowTerminated(EventData, frozen=True):
    event_type = "WORKFLOW_TERMINATED"
    reason: str = ""


class TaskScheduled(EventData, frozen=True):
    event_type = "TASK_SCHEDULED"
    task_execution_id: TaskId
    task_type: str
    input: msgspec.Raw


class TaskCompleted(EventData, frozen=True):
    event_type = "TASK_COMPLETED"
    task_execution_id: TaskId
    task_type: str
    result: msgspec.Raw


class TaskFailed(EventData, frozen=True):
    event_type = "TASK_FAILED"
    task_execution_id: TaskId
    task_type: str
    error: Failure


class TaskTimedOut(EventData, frozen=True):
    event_type = "TASK_TIMED_OUT"
    task_execution_id: TaskId
    task_type: str
    timeout_type: str


class TaskCancelled(EventData, frozen=True):
    event_type = "TASK_CANCELLED"
    task_execution_id: TaskId
    task_type: str
    reason: str = ""


class TaskCancellationRequested(EventData, frozen=True):
    """The workflow asked for a task's end; the task's own event follows when it has ended."""

    event_type = "TASK_CANCELLATION_REQUESTED"
    task_execution_id: TaskId


class TimerStarted(EventData, frozen=True):
    event_type = "TIMER_STARTED"
    timer_id: TimerId
    duration_ms: Milliseconds | None = None
    fire_at: Instant | None = None


class TimerFired(EventData, frozen=True):
    event_type = "TIMER_FIRED"
    timer_id: TimerId


class TimerCancelled(EventData, frozen=True):
    event_type = "TIMER_CANCELLED"
    timer_id: TimerId


class ChildWorkflowInitiated(EventData, frozen=True):
    event_type = "CHILD_WORKFLOW_INITIATED"
    child_execution_name: str
    child_workflow_kind: str
    child_workflow_execution_id: ExecutionId
    input: msgspec.Raw = NULL


class ChildWorkflowCompleted(EventData, frozen=True):
    event_type = "CHILD_WORKFLOW_COMPLETED"
    child_execution_name: str
    child_workflow_kind: str
    child_workflow_execution_id: ExecutionId
    output: msgspec.Raw


class ChildWorkflowFailed(EventData, frozen=True):
    event_type = "CHILD_WORKFLOW_FAILED"
    child_execution_name: str
    child_workflow_kind: str
    child_workflow_execution_id: ExecutionId
    error: Failure
    failure_type: str = "ERROR"


class ChildWorkflowCancelled(EventData, frozen=True):
    event_type = "CHILD_WORKFLOW_CANCELLED"
    child_execution_name: str
    child_workflow_kind: str
    child_workflow_execution_id: ExecutionId
    reason: str = ""


class ChildCancellationRequested(EventData, frozen=True):
    """The workflow asked for a child's cancellation; the child's own event follows when it has ended."""

    event_type = "CHILD_WORKFLOW_CANCELLATION_REQUESTED"
    child_workflow_execution_id: ExecutionId


class OperationCompleted(EventData, frozen=True):
    """`operation_index` is the position among the execution's operations: parallel ones may finish in any order."""

    event_type = "OPERATION_COMPLETED"
    operation_name: str
    operation_index: int
    result: msgspec.Raw


class OperationFailed(EventData, frozen=True):
    event_type = "OPERATION_FAILED"
    operation_name: str
    operation_index: int
    error: Failure


class StateSet(EventData, frozen=True):
    event_type = "STATE_SET"
    key: str
    value: msgspec.Raw


class StateCleared(EventData, frozen=True):
    event_type = "STATE_CLEARED"
    key: str


class PromiseCreated(EventData, frozen=True):
    event_type = "PROMISE_CREATED"
    promise_id: PromiseId
    promise_name: str
    timeout_ms: Milliseconds | None = None
    value_schema: msgspec.Raw = NULL
    """The JSON Schema of its value; null: anything."""


class PromiseResolved(EventData, frozen=True):
    event_type = "PROMISE_RESOLVED"
    promise_id: PromiseId
    value: msgspec.Raw


class PromiseRejected(EventData, frozen=True):
    event_type = "PROMISE_REJECTED"
    promise_id: PromiseId
    error: Failure


class PromiseTimedOut(EventData, frozen=True):
    event_type = "PROMISE_TIMED_OUT"
    promise_id: PromiseId


class SignalReceived(EventData, frozen=True):
    event_type = "SIGNAL_RECEIVED"
    signal_name: str
    value: msgspec.Raw
    request_id: str = ""


class CancellationRequested(EventData, frozen=True):
    event_type = "CANCELLATION_REQUESTED"
    reason: str = ""
    requested_by: str = ""


class RetryRequested(EventData, frozen=True):
    """With `to_sequence`: what the code had asked for after that event, in its last turn, is void."""

    event_type = "RETRY_REQUESTED"
    reason: str = ""
    requested_by: str = ""
    to_sequence: int | None = None


class ResetRequested(EventData, frozen=True):
    """The execution goes on from `to_sequence`; what its code had done after that is void (model/reset_rule.py)."""

    event_type = "RESET_REQUESTED"
    to_sequence: int
    reason: str = ""
    requested_by: str = ""


class PatchMarked(EventData, frozen=True):
    """The code took the new side of `ctx.patched(patch_id)`, and takes it on every replay."""

    event_type = "PATCH_MARKED"
    patch_id: str


class Event(msgspec.Struct, frozen=True, gc=False):
    """One fact in an execution's history; `sequence` counts from 1 without a gap."""

    sequence: int
    time: Instant
    data: EventData

    @property
    def type(self) -> str:
        """The event's type as the wire names it."""
        return self.data.event_type


_CLASSES: tuple[type[EventData], ...] = tuple(EventData.__subclasses__())
EVENT_TYPES = frozenset(data.event_type for data in _CLASSES)

_ENCODER = msgspec.json.Encoder()
_DECODERS = {data.event_type: msgspec.json.Decoder(data) for data in _CLASSES}


def encode_event_data(data: EventData) -> bytes:
    """The event's data as JSON."""
    return _ENCODER.encode(data)


def decode_event(sequence: int, event_type: str, time: int, data: bytes) -> Event:
    """The event that a store kept; a type that this release does not know is refused, never skipped."""
    decoder = _DECODERS.get(event_type)
    if decoder is None:
        raise StoreDamaged(
            f"event {sequence} is of the unknown type {event_type!r}; a newer Holdfast may have written it"
        )
    try:
        return Event(sequence, Instant(time), decoder.decode(data))
    except msgspec.DecodeError as error:
        raise StoreDamaged(f"event {sequence} ({event_type}) cannot be read: {error}") from error
