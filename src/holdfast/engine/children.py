"""Children: an execution that another one has started, and whose end it hears of."""

import msgspec

from holdfast.engine import executions
from holdfast.engine.state import State
from holdfast.model.commands import CancelChild, StartChild
from holdfast.model.errors import IdCollision
from holdfast.model.events import ChildCancellationRequested, ChildWorkflowInitiated, EventData
from holdfast.model.ids import QueueName
from holdfast.model.instants import later
from holdfast.model.records import NO_METADATA, Execution
from holdfast.model.statuses import ExecutionStatus


def begin(state: State, parent: Execution, command: StartChild) -> EventData | None:
    """Start a child for workflow code; None when the command was sent twice."""
    existing = state.executions.rows.get((parent.tenant, command.execution_id))
    if existing is not None:
        if (existing.parent_id, existing.kind, existing.child_name) == (parent.id, command.kind, command.name):
            return None
        recorded = f"workflow {existing.kind!r}, a child of {existing.parent_id!r}"
        raise IdCollision("workflow", command.execution_id, recorded, f"child {command.kind!r} of {parent.id!r}")
    executions.create(state, _child(state, parent, command), command.trace)
    return ChildWorkflowInitiated(command.name, command.kind, command.execution_id, msgspec.Raw(command.input))


def _child(state: State, parent: Execution, command: StartChild) -> Execution:
    deadline = None if command.timeout_ms is None else later(state.now, command.timeout_ms)
    return Execution(
        tenant=parent.tenant,
        id=command.execution_id,
        kind=command.kind,
        queue=parent.queue if command.queue is None else QueueName(command.queue),
        input=command.input,
        metadata=NO_METADATA,
        parent_id=parent.id,
        child_name=command.name,
        created_at=state.now,
        deadline_at=deadline,
        status=ExecutionStatus.PENDING,
        wake_at=deadline,
    )


def cancel(state: State, parent: Execution, command: CancelChild) -> EventData | None:
    """Ask a child to end for workflow code; None when there is nothing left to ask."""
    child = state.executions.rows.get((parent.tenant, command.execution_id))
    if child is None or child.parent_id != parent.id:
        return None
    if child.closed:
        return None
    executions.request_cancel(state, child, f"its parent {parent.id} asked for it", executions.parent_mark(parent.id))
    # On record even if someone else has asked before: a replay must find that the code has asked.
    return ChildCancellationRequested(command.execution_id)
