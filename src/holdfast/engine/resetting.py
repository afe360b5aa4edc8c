"""Resetting an execution: its code is sent back to a point of its history, and goes on from there.

What it had asked for after the point is called off, in the same transaction. What it had asked for before the point,
and still waits for, is open afterwards, even if the end of the execution or its own code had closed it since.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from holdfast.engine import activation, closing, executions, promises, revival, tasks
from holdfast.engine.missing import MoreWanted
from holdfast.engine.reopening import reopen
from holdfast.engine.state import ExecutionKey, State
from holdfast.model.errors import InvalidArgument, NotResettable
from holdfast.model.events import (
    CancellationRequested,
    ChildWorkflowInitiated,
    Event,
    EventData,
    ResetRequested,
    StateCleared,
    StateSet,
)
from holdfast.model.flows import flow_of
from holdfast.model.items import begun_item
from holdfast.model.records import Execution, StateEntry
from holdfast.model.requests import Done, ResetWorkflow
from holdfast.model.reset_rule import points, seen_at, standing
from holdfast.model.statuses import ExecutionStatus

CALLED_OFF = "its workflow was reset to before it"


def reset(state: State, request: ResetWorkflow) -> Done:
    """Let the code go on from a point of its history."""
    key = request.tenant, request.execution_id
    _refuse_others(state, executions.found(state, key))
    if key not in state.whole or key not in state.opened:
        raise MoreWanted(histories=[key], open_items_of=[key])
    told = state.known_events(key)
    _check_point(request, told)
    fact = ResetRequested(request.to_sequence, request.reason, request.requested_by)
    before = standing(told)
    # The ends of what is called off come between these and the reset, where they are void.
    after = standing([*told, Event(told[-1].sequence + 1, state.now, fact)])
    items = revival.unfinished_items(after)
    revival.require_rows(state, request.tenant, items)
    _call_off(state, key, {begun_item(event.data) for event in after})
    news = _open_again(state, key, items, revival.cancelled_by_code(after))
    _roll_state_back(state, key, before, after)
    others = revival.still_ending(state, key, {begun_item(item.data) for item in items})
    _go_on(state, key, (fact, *news), after, open_items=len(items) - len(news) + others)
    return Done()


def _refuse_others(state: State, execution: Execution) -> None:
    if flow_of(execution.kind) is not None:
        raise NotResettable(execution.id, "it runs a flow; rerun it from one of its nodes")
    if execution.closed and revival.is_for_its_parent(state, execution):
        raise NotResettable(execution.id, "its parent has heard of its end; reset that")


def _check_point(request: ResetWorkflow, told: Sequence[Event]) -> None:
    ranges = points(told)
    if any(first <= request.to_sequence <= last for first, last in ranges):
        return
    valid = ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in ranges)
    raise InvalidArgument(
        f"workflow {request.execution_id!r} cannot be reset to event {request.to_sequence}; "
        + (f"it can be to {valid}" if valid else "nothing has happened after its start")
    )


def _call_off(state: State, key: ExecutionKey, kept: set[str | None]) -> None:
    """Close what is open and was begun after the point."""
    for timer_key in state.open_timers(key):
        if timer_key[1] not in kept:
            state.timers.drop(timer_key)
    for promise_key in state.open_promises(key):
        if promise_key[1] not in kept:
            promises.call_off(state, promise_key)
    for task_key in state.open_tasks(key):
        if task_key[1] not in kept:
            tasks.request_cancel(state, task_key, CALLED_OFF)
    for child_key in state.open_children(key):
        if child_key[1] not in kept:
            executions.request_cancel(state, state.executions.rows[child_key], CALLED_OFF, "")


def _open_again(state: State, key: ExecutionKey, items: Sequence[Event], cancelled: frozenset[str]) -> list[EventData]:
    """See to it that what the code waits for is open; the news of what has ended unheard."""
    execution = executions.found(state, key)
    found = (_open_item(state, execution, item, cancelled) for item in items)
    return [news for news in found if news is not None]


def _open_item(state: State, execution: Execution, item: Event, cancelled: frozenset[str]) -> EventData | None:
    if not isinstance(item.data, ChildWorkflowInitiated):
        return revival.reopen_item(state, execution, item, cancelled)
    # However the child has ended since, that is a fact: the code may start another.
    child = state.executions.rows.get((execution.tenant, item.data.child_workflow_execution_id))
    return closing.ending_for_parent(child) if child is not None and child.closed else None


def _roll_state_back(state: State, key: ExecutionKey, before: Sequence[Event], after: Sequence[Event]) -> None:
    """Give each key of the execution's state the value that it had at the point."""
    shown, kept = _values(before), _values(after)
    for name in shown | kept:
        if shown.get(name) != kept.get(name):
            state.state_entries.append(StateEntry(*key, name, kept.get(name)))


def _values(history: Sequence[Event]) -> dict[str, bytes]:
    values: dict[str, bytes] = {}
    for event in history:
        match event.data:
            case StateSet(key=name, value=value):
                values[name] = bytes(value)
            case StateCleared(key=name):
                values.pop(name, None)
            case _:
                pass
    return values


def _go_on(
    state: State, key: ExecutionKey, facts: Sequence[EventData], after: Sequence[Event], *, open_items: int
) -> None:
    """Put the reset on record and let a worker run the code; whoever held a claim has lost it."""
    execution = executions.found(state, key)
    cancel_requested = any(isinstance(event.data, CancellationRequested) for event in after)
    deadline_at = None if execution.closed else execution.deadline_at
    was_ready = execution.status is ExecutionStatus.PENDING
    reopen(state, execution, *facts, status=ExecutionStatus.PENDING, open_items=open_items)
    opened = replace(
        state.executions.rows[key],
        deadline_at=deadline_at,
        cancel_requested=cancel_requested,
        seen_sequence=seen_at(after),
    )
    state.executions.change(key, activation.let_go(opened, ExecutionStatus.PENDING, executions.TAKEN_BACK))
    if not was_ready:
        state.ready_executions.append(key)
