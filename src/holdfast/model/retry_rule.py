"""What an explicit retry of a failed execution undoes.

Replay would meet the failure that ended the execution again, and end again. So the last thing that the code was given
before WORKFLOW_FAILED, which names it, is void once RETRY_REQUESTED follows, if it is the failure of a task, a child
or an operation: it counts as not having happened. The engine opens that task or child again; replay runs that
operation again. A failure that the code handled and left behind stays. If the last thing was no such failure, the code
itself was at fault, and it goes on from that thing with the code of today.

What the code asked for in that last turn is void too, and RETRY_REQUESTED says from where on: the tasks that a
TaskGroup cancelled around the one that failed, a state that was set in an `except`. It all went into the transaction
that ended the execution, so no worker has seen anything of it, and code that goes on may ask for something else.
"""

from collections.abc import Sequence
from typing import NamedTuple

from holdfast.model.events import (
    CancellationRequested,
    ChildWorkflowCancelled,
    ChildWorkflowCompleted,
    ChildWorkflowFailed,
    Event,
    EventData,
    OperationCompleted,
    OperationFailed,
    PromiseRejected,
    PromiseResolved,
    PromiseTimedOut,
    ResetRequested,
    RetryRequested,
    SignalReceived,
    TaskCancelled,
    TaskCompleted,
    TaskFailed,
    TaskTimedOut,
    TimerCancelled,
    TimerFired,
    WorkflowFailed,
)

Voidable = TaskFailed | TaskTimedOut | TaskCancelled | ChildWorkflowFailed | ChildWorkflowCancelled | OperationFailed

_VOIDABLE: frozenset[type[EventData]] = frozenset(
    {TaskFailed, TaskTimedOut, TaskCancelled, ChildWorkflowFailed, ChildWorkflowCancelled, OperationFailed}
)
_SEEN: frozenset[type[EventData]] = _VOIDABLE | {
    TaskCompleted,
    TimerFired,
    TimerCancelled,
    ChildWorkflowCompleted,
    OperationCompleted,
    PromiseResolved,
    PromiseRejected,
    PromiseTimedOut,
    SignalReceived,
    CancellationRequested,
    RetryRequested,
    ResetRequested,
}


class RetryRule:
    """Follows a history event by event and says which failure each RETRY_REQUESTED makes void."""

    __slots__ = ("_cause", "_failed_operations", "_last_seen", "_voidable")

    def __init__(self) -> None:
        self._last_seen: Event | None = None
        self._voidable: dict[int, Event] = {}
        self._failed_operations: dict[int, Event] = {}
        self._cause: Event | None = None

    def follow(self, event: Event) -> Event | None:
        """The failure that is void from here on, if this event makes one so."""
        data = event.data
        if isinstance(data, WorkflowFailed):
            self._cause = self._cause_of(data)
            return None
        kind = type(data)
        if kind not in _SEEN:
            return None
        self._last_seen = event
        if kind in _VOIDABLE:
            self._voidable[event.sequence] = event
        if isinstance(data, OperationFailed):
            self._failed_operations[data.operation_index] = event
        voided, self._cause = self._cause, None
        return voided if kind is RetryRequested else None

    def _cause_of(self, failed: WorkflowFailed) -> Event | None:
        if failed.cause_operation is not None:
            return self._failed_operations.get(failed.cause_operation)
        if failed.cause_sequence is not None:
            return self._voidable.get(failed.cause_sequence)
        last = self._last_seen
        return last if last is not None and last.sequence in self._voidable else None


class LastTurn(NamedTuple):
    """The turn in which the code failed."""

    point: int | None
    """The last event before what it asked for; None, if that was nothing."""
    seen: int
    """How far the code had got before."""


def last_turn(history: Sequence[Event]) -> LastTurn:
    """The turn that ended a failed execution. If its code has not ended it, nothing of what it did is in doubt."""
    end = history[-1]
    failed = end.data
    assert isinstance(failed, WorkflowFailed), "only a failed execution is retried"
    if failed.turn_sequence is None or failed.cause_sequence == 0:
        return LastTurn(None, end.sequence)
    given = failed.cause_sequence
    if failed.cause_operation is not None:
        given = _end_of_operation(history, failed.cause_operation)
    point = failed.turn_sequence if failed.turn_sequence < end.sequence - 1 else None
    return LastTurn(point, end.sequence if given is None else given - 1)


def _end_of_operation(history: Sequence[Event], index: int) -> int | None:
    for event in reversed(history):
        match event.data:
            case OperationCompleted() | OperationFailed() as end if end.operation_index == index:
                return event.sequence
            case _:
                pass
    return None
