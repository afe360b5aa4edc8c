"""A history as replay reads it: what was asked for, by position; what came from outside, in its order.

Events of our own (something was asked for) are only looked up. Events from outside wait in `pending` until they are
applied. Ends that the code itself asked for (a timer it cancelled, a promise it resolved) are both: they are known by
id from the start, so that asking again is a match, and find nothing open when their turn comes.
"""

from collections import deque
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from holdfast.model import events
from holdfast.model.events import Event, EventData
from holdfast.model.reset_rule import sends_back

OperationEnd = events.OperationCompleted | events.OperationFailed


class RecordedOperation:
    """The recorded end of one operation, and where in the log it stands."""

    __slots__ = ("end", "sequence")

    def __init__(self, sequence: int, end: OperationEnd) -> None:
        self.sequence = sequence
        self.end = end


class History:
    """What is known of one execution's log."""

    __slots__ = (
        "children", "last_sequence", "operations", "over", "patches", "pending", "promises", "sent_back", "states",
        "tasks", "timers",
    )  # fmt: skip

    def __init__(self) -> None:
        self.last_sequence = 0
        """The last event that is known to be in the log."""
        self.pending: deque[Event] = deque()
        self.tasks: list[events.TaskScheduled] = []
        self.children: list[events.ChildWorkflowInitiated] = []
        self.timers: list[events.TimerStarted] = []
        self.promises: list[events.PromiseCreated] = []
        self.states: list[events.StateSet | events.StateCleared] = []
        self.operations: dict[int, RecordedOperation] = {}
        self.patches: set[str] = set()
        self.over: set[str] = set()
        """The ids of what has ended, or whose end the code has asked for."""
        self.sent_back = 0
        """How often the code has been sent back, by resets and retries, to ask for other things."""

    def add(self, event: Event) -> None:
        """Take in the next event of the log."""
        data = event.data
        _TAKE[type(data)](self, event, data)
        self.last_sequence = event.sequence


def _count(history: History, _event: Event, data: EventData) -> None:
    history.sent_back += sends_back(data)


# How each type of event is taken in.

_Take = Callable[[History, Event, Any], None]


def _pass(_history: History, _event: Event, _data: EventData) -> None:
    """It says nothing to replay."""


def _wait(history: History, event: Event, _data: EventData) -> None:
    history.pending.append(event)


def _end_wait(history: History, event: Event, data: EventData) -> None:
    history.pending.append(event)
    history.over.add(_ID_OF_END[type(data)](data))


def _operation(history: History, event: Event, data: OperationEnd) -> None:
    # A repeated record of the same operation changes nothing: the code has gone on with the first one.
    history.operations.setdefault(data.operation_index, RecordedOperation(event.sequence, data))


_ID_OF_END: dict[type[EventData], Callable[[Any], str]] = {
    events.TaskCompleted: attrgetter("task_execution_id"),
    events.TaskFailed: attrgetter("task_execution_id"),
    events.TaskTimedOut: attrgetter("task_execution_id"),
    events.TaskCancelled: attrgetter("task_execution_id"),
    events.TimerFired: attrgetter("timer_id"),
    events.TimerCancelled: attrgetter("timer_id"),
    events.ChildWorkflowCompleted: attrgetter("child_workflow_execution_id"),
    events.ChildWorkflowFailed: attrgetter("child_workflow_execution_id"),
    events.ChildWorkflowCancelled: attrgetter("child_workflow_execution_id"),
    events.PromiseResolved: attrgetter("promise_id"),
    events.PromiseRejected: attrgetter("promise_id"),
    events.PromiseTimedOut: attrgetter("promise_id"),
}

_TAKE: dict[type[EventData], _Take] = {
    events.TaskScheduled: lambda history, _, data: history.tasks.append(data),
    events.ChildWorkflowInitiated: lambda history, _, data: history.children.append(data),
    events.TimerStarted: lambda history, _, data: history.timers.append(data),
    events.PromiseCreated: lambda history, _, data: history.promises.append(data),
    events.StateSet: lambda history, _, data: history.states.append(data),
    events.StateCleared: lambda history, _, data: history.states.append(data),
    events.PatchMarked: lambda history, _, data: history.patches.add(data.patch_id),
    events.OperationCompleted: _operation,
    events.OperationFailed: _operation,
    events.ResetRequested: _count,
    events.RetryRequested: _count,
    events.TaskCancellationRequested: lambda history, _, data: history.over.add(data.task_execution_id),
    events.ChildCancellationRequested: lambda history, _, data: history.over.add(data.child_workflow_execution_id),
    **dict.fromkeys(_ID_OF_END, _end_wait),
    **dict.fromkeys((events.WorkflowStarted, events.SignalReceived, events.CancellationRequested), _wait),
    **dict.fromkeys(
        (
            events.WorkflowCompleted,
            events.WorkflowFailed,
            events.WorkflowCancelled,
            events.WorkflowTerminated,
        ),
        _pass,
    ),
}
