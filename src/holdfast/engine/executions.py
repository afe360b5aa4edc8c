"""The execution machine: how an execution starts, wakes, and is asked to end.

PENDING -> RUNNING (claimed) -> WAITING (suspended) -> PENDING (an event came) … -> COMPLETED | FAILED | CANCELLED |
TERMINATED. An event that comes while a worker holds the execution is only appended: the worker's submit says what it
has seen, and finds out that the log has grown.
"""

import msgspec
from msgspec.structs import replace

from holdfast.engine.state import ExecutionKey, FlowBegin, State
from holdfast.model.errors import AlreadyClosed, WorkflowNotFound
from holdfast.model.events import CancellationRequested, EventData, WorkflowStarted
from holdfast.model.flows import flow_of
from holdfast.model.ids import ExecutionId
from holdfast.model.instants import later
from holdfast.model.records import Execution
from holdfast.model.requests import CancelWorkflow, Done, StartWorkflow
from holdfast.model.statuses import ExecutionStatus

TAKEN_BACK = 2
"""How far taking a claim away moves the token: never to where an accepted activation would have moved it."""


def new_execution(state: State, request: StartWorkflow) -> Execution:
    """The row of an execution that starts now."""
    deadline = None if request.timeout_ms is None else later(state.now, request.timeout_ms)
    return Execution(
        tenant=request.tenant,
        id=request.execution_id,
        kind=request.kind,
        queue=request.queue,
        input=request.input,
        metadata=request.metadata,
        parent_id=None,
        child_name=None,
        created_at=state.now,
        deadline_at=deadline,
        wake_at=deadline,
    )


def create(state: State, execution: Execution, trace: str | None = None, begin: FlowBegin | None = None) -> None:
    """Put a new execution on record, ready to run; of a flow, with the version and trigger that it begins with."""
    started = WorkflowStarted(msgspec.Raw(execution.input), msgspec.Raw(execution.metadata), execution.kind, trace)
    key = execution.tenant, execution.id
    if flow_of(execution.kind) is None:
        state.executions.create(key, state.append(execution, started))
        state.ready_executions.append(key)
    else:
        # No worker runs a flow: the engine goes on with it whenever something has happened.
        state.executions.create(key, replace(state.append(execution, started), status=ExecutionStatus.WAITING))
        state.flow_news.append((key, begin or FlowBegin()))


def found(state: State, key: ExecutionKey) -> Execution:
    """The execution, or the error that there is none."""
    execution = state.executions.rows.get(key)
    if execution is None:
        raise WorkflowNotFound(key[1], key[0])
    return execution


def found_open(state: State, key: ExecutionKey) -> Execution:
    """The execution, or the error that there is none or that it has ended."""
    execution = found(state, key)
    if execution.closed:
        raise AlreadyClosed("workflow", execution.id, execution.status)
    return execution


def wake(state: State, key: ExecutionKey, *facts: EventData, ended_items: int = 0) -> bool:
    """Tell an execution what has happened outside of it; one that has closed does not hear it any more."""
    execution = state.executions.rows.get(key)
    if execution is None or execution.closed:
        return False
    if flow_of(execution.kind) is not None:
        state.executions.change(key, replace(execution, open_items=execution.open_items - ended_items))
        state.flow_news.extend((key, fact) for fact in facts)
        return True
    execution = state.append(execution, *facts)
    status = execution.status
    if status is ExecutionStatus.WAITING:
        status = ExecutionStatus.PENDING
        state.ready_executions.append(key)
    open_items = execution.open_items - ended_items
    state.executions.change(key, replace(execution, status=status, open_items=open_items))
    return True


def cancel(state: State, request: CancelWorkflow) -> Done:
    """Ask an execution to end; asking again changes nothing."""
    execution = found_open(state, (request.tenant, request.execution_id))
    return Done(changed=request_cancel(state, execution, request.reason, request.requested_by))


def parent_mark(parent_id: ExecutionId) -> str:
    """Who asks for the end of a child, as its history has it."""
    return f"workflow {parent_id}"


def request_cancel(state: State, execution: Execution, reason: str, requested_by: str) -> bool:
    """Tell an open execution's code that it is to end, once."""
    if execution.closed or execution.cancel_requested:
        return False
    key = execution.tenant, execution.id
    state.executions.change(key, replace(execution, cancel_requested=True))
    return wake(state, key, CancellationRequested(reason, requested_by))
