"""Resetting an execution: its code is sent back to a point of its history, and goes on from there."""

from collections.abc import Sequence

from holdfast.engine import executions, resuming, revival
from holdfast.engine.state import State
from holdfast.model.errors import InvalidArgument, NotResettable
from holdfast.model.events import Event, ResetRequested
from holdfast.model.flows import flow_of
from holdfast.model.records import Execution
from holdfast.model.requests import Done, ResetWorkflow
from holdfast.model.reset_rule import points


def reset(state: State, request: ResetWorkflow) -> Done:
    """Let the code go on from a point of its history."""
    key = request.tenant, request.execution_id
    _refuse_others(state, executions.found(state, key))
    resuming.require_whole(state, key)
    _check_point(request, state.known_events(key))
    resuming.resume(state, key, ResetRequested(request.to_sequence, request.reason, request.requested_by))
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
