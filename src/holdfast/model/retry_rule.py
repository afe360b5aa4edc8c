"""What an explicit retry of a failed execution undoes.

Replay would meet the failure that ended the execution again, and end again. So the last thing that the code was given
before WORKFLOW_FAILED, which names it, is void once RETRY_REQUESTED follows, if it is the failure of a task, a child
or an operation: it counts as not having happened. The engine opens that task or child again; replay runs that
operation again. A failure that the code handled and left behind stays. If the last thing was no such failure, the code
itself was at fault, and nothing is void: the code of today simply goes on.
"""

from collections.abc import Iterable

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
    """Follows a history event by event and says what each RETRY_REQUESTED makes void."""

    __slots__ = ("_cause", "_last_seen", "_voidable")

    def __init__(self) -> None:
        self._last_seen: Event | None = None
        self._voidable: dict[int, Event] = {}
        self._cause: Event | None = None

    @property
    def cause(self) -> Event | None:
        """The failure that ended the execution, as far as the history goes now."""
        return self._cause

    def follow(self, event: Event) -> Event | None:
        """The event that is void from here on, if this one makes one so."""
        kind = type(event.data)
        if isinstance(event.data, WorkflowFailed):
            self._cause = self._cause_of(event.data)
            return None
        if kind not in _SEEN:
            return None
        self._last_seen = event
        if kind in _VOIDABLE:
            self._voidable[event.sequence] = event
        voided, self._cause = self._cause, None
        return voided if kind is RetryRequested else None

    def _cause_of(self, failed: WorkflowFailed) -> Event | None:
        if failed.cause_sequence is not None:
            return self._voidable.get(failed.cause_sequence)
        last = self._last_seen
        return last if last is not None and last.sequence in self._voidable else None


def voided_by_retry(events: Iterable[Event]) -> frozenset[int]:
    """The sequence numbers of the events that retries have made void."""
    rule = RetryRule()
    voided = (rule.follow(event) for event in events)
    return frozenset(event.sequence for event in voided if event is not None)


def failure_to_reopen(events: Iterable[Event]) -> Event | None:
    """The failure that a retry of this failed execution would make void; its task or child is to be opened again."""
    rule = RetryRule()
    for event in events:
        rule.follow(event)
    return rule.cause
