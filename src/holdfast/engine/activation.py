"""An activation: all that one turn of workflow code asked for, applied as a whole.

The claim's token moves with every accepted activation. So the same message sent again, after a lost reply, is
recognised by a token that is exactly one behind, and is answered without being applied again.
"""

from functools import partial

import msgspec
from msgspec.structs import replace

from holdfast.engine import children, closing, executions, promises, tasks, timers
from holdfast.engine.state import ExecutionKey, State
from holdfast.model.commands import (
    CancelChild,
    Cancelled,
    CancelTask,
    CancelTimer,
    ClearState,
    Command,
    Completed,
    Continuing,
    CreatePromise,
    Failed,
    MarkPatch,
    Outcome,
    RecordOperation,
    ResolvePromise,
    ScheduleTask,
    SetState,
    StartChild,
    StartTimer,
    Suspended,
)
from holdfast.model.errors import HoldfastError, InvalidArgument, StaleClaim, TaskNotFound
from holdfast.model.events import (
    EventData,
    OperationCompleted,
    OperationFailed,
    PatchMarked,
    StateCleared,
    StateSet,
    TaskCancellationRequested,
    WorkflowCancelled,
    WorkflowCompleted,
    WorkflowFailed,
)
from holdfast.model.failures import Failure
from holdfast.model.ids import ClaimToken, checked_uuid
from holdfast.model.instants import earliest, later
from holdfast.model.oversight import WorkSort
from holdfast.model.records import Execution, StateEntry
from holdfast.model.requests import ActivationAccepted, Done, ExtendClaim, ReleaseExecution, SubmitActivation
from holdfast.model.statuses import ExecutionStatus

LEASE_MS = 30_000
ACCEPTED = 1
"""How far an accepted activation moves the token; taking a claim away moves it further (executions.TAKEN_BACK)."""


def submit(state: State, request: SubmitActivation) -> ActivationAccepted:
    """Apply an activation, or answer one that has been applied."""
    key = request.tenant, request.execution_id
    execution = executions.found(state, key)
    if _accepted_before(execution, request.token):
        return _answer(execution)
    execution = _held(execution, request.token)
    if request.last_seen_sequence > execution.last_sequence:
        raise InvalidArgument(f"workflow {execution.id!r} has no event {request.last_seen_sequence} yet")
    grown = execution.last_sequence > request.last_seen_sequence
    turn_sequence = execution.last_sequence
    grown |= apply_commands(state, key, request.commands)
    _conclude(state, key, request, grown, turn_sequence)
    return _answer(state.executions.rows[key])


def _accepted_before(execution: Execution, token: ClaimToken) -> bool:
    return execution.claim_token == token + ACCEPTED


def _answer(execution: Execution) -> ActivationAccepted:
    return ActivationAccepted(execution.last_sequence, execution.seen_sequence, execution.closed)


def _held(execution: Execution, token: ClaimToken) -> Execution:
    if execution.status is not ExecutionStatus.RUNNING or execution.claim_token != token:
        raise StaleClaim("workflow", execution.id)
    return execution


# Commands.


def apply_commands(state: State, key: ExecutionKey, commands: tuple[Command, ...]) -> bool:
    """Apply all commands in their order; the first one that is refused refuses all.

    True if one of them had a consequence in the execution's own history that its code has not seen.
    """
    execution = state.executions.rows[key]
    facts: list[EventData] = []
    opened = 0
    unseen = False
    for index, command in enumerate(commands):
        try:
            if isinstance(command, CancelTask):
                # The task may end here and now, and its end must not stand before what led to it.
                _record(state, key, facts, opened)
                facts, opened = [], 0
                unseen |= _cancel_task(state, key, command)
                continue
            fact, items = _apply(state, execution, command, index)
        except HoldfastError as error:
            error.command_index = index
            raise
        if fact is not None:
            facts.append(fact)
            opened += items
    _record(state, key, facts, opened)
    return unseen


def _record(state: State, key: ExecutionKey, facts: list[EventData], opened: int) -> None:
    if facts:
        execution = state.executions.rows[key]
        recorded = replace(state.append(execution, *facts), open_items=execution.open_items + opened)
        state.executions.change(key, recorded)


def _apply(state: State, execution: Execution, command: Command, index: int) -> tuple[EventData | None, int]:
    """The event that the command becomes, and by how much it changes the number of open items."""
    match command:
        case ScheduleTask():
            checked_uuid(command.task_id, f"the task id of command {index}")
            return tasks.schedule(state, execution, command), 1
        case RecordOperation():
            return _operation(command), 0
        case StartTimer():
            return timers.begin(state, execution, command), 1
        case StartChild():
            return children.begin(state, execution, command), 1
        case CreatePromise():
            return promises.create(state, execution, command), 1
        case CancelTimer():
            return timers.cancel_by_workflow(state, execution, command), -1
        case ResolvePromise():
            return promises.resolve_by_workflow(state, execution, command), -1
        case CancelChild():
            return children.cancel(state, execution, command), 0
        case _:
            return _note(state, execution, command, index), 0


def _note(state: State, execution: Execution, command: Command, index: int) -> EventData:
    """Commands that only put something on record."""
    match command:
        case SetState(key=key, value=value):
            state.state_entries.append(StateEntry(execution.tenant, execution.id, key, value))
            return StateSet(key, msgspec.Raw(value))
        case ClearState(key=key):
            state.state_entries.append(StateEntry(execution.tenant, execution.id, key, None))
            return StateCleared(key)
        case MarkPatch(patch_id=patch_id):
            return PatchMarked(patch_id)
        case _:
            raise InvalidArgument(f"command {index} is of the unknown type {type(command).__name__}")


def _operation(command: RecordOperation) -> EventData:
    if command.failure is not None:
        return OperationFailed(command.name, command.index, command.failure)
    return OperationCompleted(command.name, command.index, msgspec.Raw(command.result or b"null"))


def _cancel_task(state: State, key: ExecutionKey, command: CancelTask) -> bool:
    """Ask for a task's end; True if it ended at once."""
    tenant, execution_id = key
    task = state.tasks.rows.get((tenant, command.task_id))
    if task is None or task.execution_id != execution_id:
        raise TaskNotFound(command.task_id, tenant)
    if task.closed:
        return False
    # On record even if someone else has asked before: a replay must find that the code has asked.
    _record(state, key, [TaskCancellationRequested(command.task_id)], 0)
    tasks.request_cancel(state, (tenant, command.task_id), "its workflow asked for it")
    return state.tasks.rows[tenant, command.task_id].closed


# Outcomes.


def _conclude(state: State, key: ExecutionKey, request: SubmitActivation, grown: bool, turn_sequence: int) -> None:
    execution = state.executions.rows[key]
    # An activation that was answered twice is told of less than is on record by then; what was seen stays seen.
    seen = max(execution.seen_sequence, request.last_seen_sequence) if grown else execution.last_sequence
    execution = replace(execution, seen_sequence=seen)
    outcome: Outcome = request.outcome
    match outcome:
        case Suspended():
            _suspend(state, execution, grown)
        case Continuing():
            lease = later(state.now, LEASE_MS)
            token = ClaimToken(execution.claim_token + ACCEPTED)
            wake_at = earliest(lease, execution.deadline_at)
            kept = replace(execution, claim_token=token, lease_expires_at=lease, wake_at=wake_at)
            state.executions.change(key, kept)
        case _:
            _end(state, execution, outcome, turn_sequence)


def _suspend(state: State, execution: Execution, grown: bool) -> None:
    key = execution.tenant, execution.id
    status = ExecutionStatus.PENDING if grown else ExecutionStatus.WAITING
    state.executions.change(key, let_go(execution, status, ACCEPTED))
    if grown:
        state.ready_executions.append(key)


def _end(state: State, execution: Execution, outcome: Outcome, turn_sequence: int) -> None:
    close = partial(closing.close, state, execution, token_step=ACCEPTED)
    match outcome:
        case Completed(output=output, warnings=warnings):
            fact = WorkflowCompleted(msgspec.Raw(output), warnings)
            close(ExecutionStatus.COMPLETED, fact, output=output)
        case Failed(failure=failure, failure_type=failure_type):
            failed = WorkflowFailed(
                failure, failure_type, outcome.cause_sequence, outcome.cause_operation, turn_sequence
            )
            close(ExecutionStatus.FAILED, failed, failure=failure, failure_type=failure_type)
        case Cancelled(reason=reason):
            failure = Failure("Cancelled", reason, retryable=False)
            close(ExecutionStatus.CANCELLED, WorkflowCancelled(reason), failure=failure)
        case _:
            raise InvalidArgument(f"an activation cannot end with {type(outcome).__name__}")


def let_go(execution: Execution, status: ExecutionStatus, token_step: int) -> Execution:
    """The execution without a claim on it."""
    return replace(
        execution,
        status=status,
        claim_token=ClaimToken(execution.claim_token + token_step),
        worker_id=None,
        lease_expires_at=None,
        wake_at=execution.deadline_at,
    )


# Claims that end without an activation.


def release(state: State, request: ReleaseExecution) -> Done:
    """The worker gives the execution back untouched."""
    execution = _held(executions.found(state, (request.tenant, request.execution_id)), request.token)
    take_back(state, execution)
    return Done()


def extend(state: State, request: ExtendClaim) -> Done:
    """The worker still holds the execution."""
    execution = _held(executions.found(state, (request.tenant, request.execution_id)), request.token)
    lease = later(state.now, LEASE_MS)
    extended = replace(execution, lease_expires_at=lease, wake_at=earliest(lease, execution.deadline_at))
    state.executions.change((execution.tenant, execution.id), extended)
    return Done()


def lose(state: State, execution: Execution) -> None:
    """The worker is gone, or silent for longer than its lease."""
    state.repairs.append(WorkSort.WORKFLOW)
    take_back(state, execution)


def take_back(state: State, execution: Execution) -> None:
    """Make a claimed execution wait for a worker again; whoever held it has lost it."""
    key = execution.tenant, execution.id
    state.executions.change(key, let_go(execution, ExecutionStatus.PENDING, executions.TAKEN_BACK))
    state.ready_executions.append(key)


def overdue(state: State, execution: Execution) -> bool:
    """Whether the execution is still open at its deadline."""
    return not execution.closed and execution.deadline_at is not None and execution.deadline_at <= state.now


def look(state: State, key: ExecutionKey) -> None:
    """The execution's wake_at has come: do what that means."""
    execution = state.executions.rows[key]
    if overdue(state, execution):
        closing.fail_overdue(state, execution)
    else:
        # It is due and its deadline has not come: then it is the lease.
        lose(state, execution)
