"""What an explicit reset of an execution undoes, as engine and replay both read it; and with it what retries undo.

RESET_REQUESTED names a point. What stands between the point and the reset is void: what the code asked for, and what
became of it. Facts of the outside stay, and are told after the reset: signals, and the ends of what was begun up to
the point. Some ends are the code's own doing and void with it: a timer that was cancelled is armed again, and a task
or child whose end the voided code had asked for runs again. What a retry has made void (retry_rule.py) stays void.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from holdfast.model.events import (
    ChildCancellationRequested,
    ChildWorkflowCancelled,
    ChildWorkflowInitiated,
    Event,
    EventData,
    OperationCompleted,
    OperationFailed,
    PatchMarked,
    PromiseCreated,
    ResetRequested,
    RetryRequested,
    SignalReceived,
    StateCleared,
    StateSet,
    TaskCancellationRequested,
    TaskCancelled,
    TaskScheduled,
    TimerCancelled,
    TimerStarted,
)
from holdfast.model.items import begun_item, ended_item
from holdfast.model.retry_rule import RetryRule

_ASKED_BY_CODE: tuple[type[EventData], ...] = (
    TaskScheduled,
    TimerStarted,
    PromiseCreated,
    ChildWorkflowInitiated,
    TaskCancellationRequested,
    ChildCancellationRequested,
    OperationCompleted,
    OperationFailed,
    StateSet,
    StateCleared,
    PatchMarked,
)


def standing(history: Sequence[Event]) -> Sequence[Event]:
    """The history as the code is to see it; one without a reset or a retry is as it is."""
    if not any(isinstance(event.data, ResetRequested | RetryRequested) for event in history):
        return history
    rule = RetryRule()
    found: list[Event] = []
    for event in history:
        failure = rule.follow(event)
        match event.data:
            case ResetRequested(to_sequence=point):
                found = _sent_back(found, event, point)
            case RetryRequested(to_sequence=int() as point):
                found = [each for each in found if each.sequence <= point or sends_back(each.data)]
            case _:
                pass
        if failure is not None:
            found = _without(found, failure)
        found.append(event)
    return found


def sends_back(data: EventData) -> bool:
    """Whether from here on the code does anew what it has done before, under other ids."""
    return isinstance(data, ResetRequested) or (isinstance(data, RetryRequested) and data.to_sequence is not None)


def _sent_back(events: Sequence[Event], reset: Event, point: int) -> list[Event]:
    """What stands of these events once the reset has come."""
    kept = [event for event in events if event.sequence <= point or sends_back(event.data)]
    begun = {begun_item(event.data) for event in kept}
    later = [event for event in events if event.sequence > point]
    # Their time is that of the reset: code that goes on from them does so now.
    return kept + [replace(event, time=reset.time) for event in _facts(later, begun)]


def _without(events: Sequence[Event], failure: Event) -> list[Event]:
    """These events as if the failure had never happened, nor anyone asked for it."""
    item = ended_item(failure.data)
    return [
        event
        for event in events
        if event.sequence != failure.sequence and (item is None or item != _item_to_end(event.data))
    ]


def _item_to_end(data: EventData) -> str | None:
    match data:
        case (
            TaskCancellationRequested(task_execution_id=item)
            | ChildCancellationRequested(child_workflow_execution_id=item)
        ):
            return item
        case _:
            return None


def _facts(voided: Sequence[Event], begun: set[str | None]) -> Iterable[Event]:
    asked = {_item_to_end(event.data) for event in voided}
    for event in voided:
        match event.data:
            case SignalReceived():
                yield event
            case TimerCancelled():
                pass
            case TaskCancelled() | ChildWorkflowCancelled() as end if ended_item(end) in asked:
                pass
            case data:
                item = ended_item(data)
                if item is not None and item in begun:
                    yield event


def seen_at(history: Sequence[Event]) -> int:
    """How far the code had got for certain: the last event of what stands that is its own doing, or 0."""
    return max((event.sequence for event in history if isinstance(event.data, _ASKED_BY_CODE)), default=0)


def points(history: Sequence[Event]) -> list[tuple[int, int]]:
    """The points that a reset may name now, as ranges: every event but the last, and none that is void already."""
    ranges = [(1, history[-1].sequence - 1)] if len(history) > 1 else []
    for event in history:
        if isinstance(event.data, ResetRequested | RetryRequested) and event.data.to_sequence is not None:
            kept = [(first, min(last, event.data.to_sequence)) for first, last in ranges]
            ranges = [each for each in kept if each[0] <= each[1]]
            if event.sequence < history[-1].sequence:
                ranges.append((event.sequence, history[-1].sequence - 1))
    return ranges


def point_before_task(history: Sequence[Event], task: str) -> int | None:
    """The point just before a task was scheduled: the last of this id or type that stands; None if there is none."""
    for event in reversed(standing(history)):
        if isinstance(event.data, TaskScheduled) and task in (event.data.task_execution_id, event.data.task_type):
            return event.sequence - 1
    return None
