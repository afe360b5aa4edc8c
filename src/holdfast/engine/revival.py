"""Retrying a failed execution: it goes on from where it stands, with the code of today."""

from holdfast.engine import executions, resuming
from holdfast.engine.state import State
from holdfast.model.errors import NotRetryable
from holdfast.model.records import Execution
from holdfast.model.requests import Done, RetryWorkflow
from holdfast.model.statuses import ExecutionStatus


def retry(state: State, request: RetryWorkflow) -> Done:
    """Let a failed execution go on."""
    key = request.tenant, request.execution_id
    execution = executions.found(state, key)
    if is_for_its_parent(state, execution):
        raise NotRetryable("workflow", execution.id, execution.status, "its parent has heard of its end; retry that")
    resuming.retry(state, key, request.reason, request.requested_by)
    return Done()


def is_for_its_parent(state: State, execution: Execution) -> bool:
    """A child ends once in its parent's history; only together with its parent can it be opened for another end."""
    if execution.parent_id is None:
        return False
    parent = state.executions.rows.get((execution.tenant, execution.parent_id))
    return parent is not None and (not parent.closed or parent.status is ExecutionStatus.FAILED)
