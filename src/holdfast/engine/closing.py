"""How an execution ends: its last event, what it leaves open, and its parent's news, all in one transaction."""

import msgspec
from msgspec.structs import replace

from holdfast.engine import executions, promises, tasks
from holdfast.engine.missing import MoreWanted
from holdfast.engine.state import ExecutionKey, State
from holdfast.model.commands import EXECUTION_TIMEOUT, TERMINATED
from holdfast.model.events import (
    ChildWorkflowCancelled,
    ChildWorkflowCompleted,
    ChildWorkflowFailed,
    EventData,
    WorkflowFailed,
    WorkflowTerminated,
)
from holdfast.model.failures import Failure, decode_failure, encode_failure
from holdfast.model.ids import ClaimToken
from holdfast.model.records import Execution
from holdfast.model.requests import Done, TerminateWorkflow
from holdfast.model.statuses import ExecutionStatus


def terminate(state: State, request: TerminateWorkflow) -> Done:
    """End an execution without asking its code."""
    execution = executions.found_open(state, (request.tenant, request.execution_id))
    failure = Failure("Terminated", request.reason, retryable=False)
    close(state, execution, ExecutionStatus.TERMINATED, WorkflowTerminated(request.reason), failure=failure)
    return Done()


def fail_overdue(state: State, execution: Execution) -> None:
    """End an execution that is still open at its deadline."""
    failure = Failure("WorkflowTimeout", "the execution overran its timeout", retryable=False)
    fact = WorkflowFailed(failure, EXECUTION_TIMEOUT, cause_sequence=0)
    close(state, execution, ExecutionStatus.FAILED, fact, failure=failure, failure_type=EXECUTION_TIMEOUT)


def close(
    state: State,
    execution: Execution,
    status: ExecutionStatus,
    fact: EventData,
    *,
    output: bytes | None = None,
    failure: Failure | None = None,
    failure_type: str | None = None,
    token_step: int = executions.TAKEN_BACK,
) -> None:
    """Put an end on record. Whoever still holds a claim on the execution has lost it."""
    key = execution.tenant, execution.id
    execution = state.append(execution, fact)
    closed = replace(
        execution,
        status=status,
        seen_sequence=execution.last_sequence,
        open_items=0,
        claim_token=ClaimToken(execution.claim_token + token_step),
        worker_id=None,
        lease_expires_at=None,
        wake_at=None,
        output=output,
        failure=None if failure is None else encode_failure(failure),
        failure_type=failure_type,
        closed_at=state.now,
    )
    state.executions.change(key, closed)
    state.closed.append(key)
    state.note_end(*key)
    if execution.open_items:
        end_open_items(state, key)
    if closed.parent_id is not None:
        executions.wake(state, (closed.tenant, closed.parent_id), ending_for_parent(closed), ended_items=1)


def end_open_items(state: State, key: ExecutionKey) -> None:
    """Nobody waits any more for what a closed execution left open."""
    if key not in state.opened:
        raise MoreWanted(open_items_of=[key])
    for timer_key in state.open_timers(key):
        state.timers.drop(timer_key)
    for promise_key in state.open_promises(key):
        promises.call_off(state, promise_key)
    reason = f"its workflow {key[1]} has ended"
    for task_key in state.open_tasks(key):
        tasks.request_cancel(state, task_key, reason)
    for child_key in state.open_children(key):
        executions.request_cancel(state, state.executions.rows[child_key], reason, executions.parent_mark(key[1]))


def ending_for_parent(child: Execution) -> EventData:
    """How a closed child's end reads in its parent's history."""
    names = child.child_name or "", child.kind, child.id
    failure = Failure("Error", "") if child.failure is None else decode_failure(child.failure)
    match child.status:
        case ExecutionStatus.COMPLETED:
            return ChildWorkflowCompleted(*names, msgspec.Raw(child.output or b"null"))
        case ExecutionStatus.CANCELLED:
            return ChildWorkflowCancelled(*names, failure.message)
        case ExecutionStatus.TERMINATED:
            return ChildWorkflowFailed(*names, failure, TERMINATED)
        case _:
            return ChildWorkflowFailed(*names, failure, child.failure_type or "ERROR")
