"""What a timeline is drawn from: one span for each task, timer, promise and child of a history, and a scale of time."""

import bisect
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

import msgspec

from holdfast.model.events import (
    ChildWorkflowCancelled,
    ChildWorkflowCompleted,
    ChildWorkflowFailed,
    ChildWorkflowInitiated,
    Event,
    EventData,
    OperationCompleted,
    OperationFailed,
    PromiseCreated,
    PromiseRejected,
    PromiseResolved,
    PromiseTimedOut,
    SignalReceived,
    TaskCancelled,
    TaskCompleted,
    TaskFailed,
    TaskScheduled,
    TaskTimedOut,
    TimerCancelled,
    TimerFired,
    TimerStarted,
)
from holdfast.model.instants import Instant

LONG_TIMES: Final = 4
"""A gap that is so much longer than most, and longer than all shorter ones together, is drawn as long as those."""


class Span(msgspec.Struct):
    """From when to when something lasted; `end` is None while it does."""

    label: str
    sort: str
    start: Instant
    end: Instant | None = None
    status: str = "RUNNING"
    due: Instant | None = None


ENDS: Final[dict[type[EventData], tuple[str, str]]] = {
    TaskCompleted: ("task_execution_id", "COMPLETED"),
    TaskFailed: ("task_execution_id", "FAILED"),
    TaskTimedOut: ("task_execution_id", "TIMED_OUT"),
    TaskCancelled: ("task_execution_id", "CANCELLED"),
    TimerFired: ("timer_id", "COMPLETED"),
    TimerCancelled: ("timer_id", "CANCELLED"),
    PromiseResolved: ("promise_id", "RESOLVED"),
    PromiseRejected: ("promise_id", "REJECTED"),
    PromiseTimedOut: ("promise_id", "TIMED_OUT"),
    ChildWorkflowCompleted: ("child_workflow_execution_id", "COMPLETED"),
    ChildWorkflowFailed: ("child_workflow_execution_id", "FAILED"),
    ChildWorkflowCancelled: ("child_workflow_execution_id", "CANCELLED"),
}


def spans_of(events: Iterable[Event], closed_at: Instant | None) -> list[Span]:
    """The spans of a history, in the order in which they began; what is open when the execution ends is left behind."""
    spans: list[Span] = []
    by_id: dict[str, Span] = {}
    for event in events:
        opened = _opened(event)
        if opened is not None:
            identity, span = opened
            spans.append(span)
            by_id[identity] = span
            continue
        ending = ENDS.get(type(event.data))
        if ending is not None:
            field, status = ending
            ended = by_id.get(getattr(event.data, field))
            if ended is not None:
                ended.end, ended.status = event.time, status
    for span in spans:
        if closed_at is not None and span.end is None:
            span.end, span.status = closed_at, "CANCELLED"
    return spans


def _opened(event: Event) -> tuple[str, Span] | None:
    at = event.time
    match event.data:
        case TaskScheduled(task_execution_id=identity, task_type=name):
            return identity, Span(name, "task", at)
        case TimerStarted(timer_id=identity, duration_ms=lasts, fire_at=fire_at):
            due = fire_at if lasts is None else Instant(at + lasts)
            return identity, Span("sleep", "timer", at, status="WAITING", due=due)
        case PromiseCreated(promise_id=identity, promise_name=name, timeout_ms=limit):
            return identity, Span(name, "promise", at, status="WAITING", due=_later(at, limit))
        case ChildWorkflowInitiated(child_workflow_execution_id=identity, child_execution_name=name):
            return identity, Span(name, "child", at)
        case OperationCompleted(operation_name=name):
            return f"#{event.sequence}", Span(name, "run", at, at, "COMPLETED")
        case OperationFailed(operation_name=name):
            return f"#{event.sequence}", Span(name, "run", at, at, "FAILED")
        case SignalReceived(signal_name=name):
            return f"#{event.sequence}", Span(name, "signal", at, at, "COMPLETED")
        case _:
            return None


def _later(at: Instant, milliseconds: int | None) -> Instant | None:
    return None if milliseconds is None else Instant(at + milliseconds)


class Scale:
    """Where instants lie on a line of columns; stretches in which nothing happens for very long are made short."""

    def __init__(self, instants: Iterable[int], width: int) -> None:
        self._instants = sorted(set(instants))
        self._width = width
        gaps = [later - earlier for earlier, later in pairwise(self._instants)]
        longest = _longest_drawn(gaps)
        self._places = [0.0]
        for gap in gaps:
            self._places.append(self._places[-1] + min(gap, longest))

    def column(self, instant: int) -> int:
        """The column of an instant, from 0 to the width."""
        whole = self._places[-1]
        if whole == 0:
            return 0
        after = bisect.bisect_right(self._instants, instant)
        if after == 0:
            return 0
        if after == len(self._instants):
            return self._width
        begin, end = self._instants[after - 1], self._instants[after]
        part = (instant - begin) / (end - begin)
        place = self._places[after - 1] + part * (self._places[after] - self._places[after - 1])
        return round(place / whole * self._width)


def _longest_drawn(gaps: Sequence[int]) -> int:
    ordered = sorted(gaps)
    if not ordered:
        return 1
    typical = ordered[(len(ordered) - 1) * 4 // 5]
    total = 0
    for gap in ordered:
        if gap > max(typical * LONG_TIMES, total):
            break
        total += gap
    return max(total, 1)
