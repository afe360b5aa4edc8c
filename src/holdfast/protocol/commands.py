"""Activations on the wire: the commands of one turn of workflow code, and how it ended."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, NoReturn

from msgspec.structs import replace

from holdfast.model.commands import (
    DEFAULT_TASK_OPTIONS,
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
    TaskOptions,
)
from holdfast.model.commands import ERROR as PLAIN_ERROR
from holdfast.model.errors import HoldfastError, InvalidArgument
from holdfast.model.failures import Failure
from holdfast.model.ids import ClaimToken, ExecutionId, TaskId, TenantId
from holdfast.model.instants import Milliseconds
from holdfast.model.requests import ActivationAccepted, SubmitActivation
from holdfast.protocol.generated import worker_pb2 as wire
from holdfast.protocol.mapping import Mapping
from holdfast.protocol.values import FAILURE, TASK_OPTIONS

ACCEPTED = Mapping(ActivationAccepted, wire.SubmitWorkflowCommandsResponse)


class _Entry(NamedTuple):
    field: str
    to_wire: Callable[[Any], Any]
    from_wire: Callable[[Any], Any]


def _entry(field: str, mapping: Mapping[Any, Any]) -> _Entry:
    return _Entry(field, mapping.to_wire, mapping.from_wire)


def _schedule_to_wire(command: ScheduleTask) -> wire.ScheduleTaskCommand:
    message = wire.ScheduleTaskCommand(
        task_type=command.task_type, input=command.input, task_execution_id=command.task_id
    )
    if command.queue is not None:
        message.queue = command.queue
    if command.priority:
        message.priority_seconds = command.priority
    if command.options != DEFAULT_TASK_OPTIONS:
        message.options.CopyFrom(TASK_OPTIONS.to_wire(command.options))
    if command.delay_ms is not None:
        message.delay_ms = command.delay_ms
    if command.idempotency_key is not None:
        message.idempotency_key = command.idempotency_key
    return message


def _schedule_from_wire(message: wire.ScheduleTaskCommand) -> ScheduleTask:
    has = message.HasField
    return ScheduleTask(
        TaskId(message.task_execution_id),
        message.task_type,
        message.input,
        message.queue if has("queue") else None,
        task_options(message),
        message.priority_seconds,
        Milliseconds(message.delay_ms) if has("delay_ms") else None,
        message.idempotency_key if has("idempotency_key") else None,
    )


def task_options(message: wire.ScheduleTaskCommand) -> TaskOptions:
    """The options that a command asks for: the two short fields win over the long ones."""
    options = TASK_OPTIONS.from_wire(message.options) if message.HasField("options") else DEFAULT_TASK_OPTIONS
    return short_options(message, options)


def short_options(message: wire.ScheduleTaskCommand | wire.SubmitTaskRequest, options: TaskOptions) -> TaskOptions:
    """The options, with what the fields max_retries and timeout_ms say."""
    try:
        if message.HasField("max_retries"):
            options = replace(options, retry=replace(options.retry, max_retries=message.max_retries))
        if message.HasField("timeout_ms"):
            options = replace(options, start_to_close_ms=Milliseconds(message.timeout_ms))
    except ValueError as error:
        raise InvalidArgument(f"max_retries or timeout_ms: {error}") from error
    return options


_TASK = {"task_id": "task_execution_id"}
_CHILD = {"execution_id": "child_execution_id"}
_COMMANDS: dict[type[Command], _Entry] = {
    ScheduleTask: _Entry("schedule_task", _schedule_to_wire, _schedule_from_wire),
    StartChild: _entry("start_child_workflow", Mapping(StartChild, wire.StartChildWorkflowCommand, renamed=_CHILD)),
    StartTimer: _entry("start_timer", Mapping(StartTimer, wire.StartTimerCommand)),
    CreatePromise: _entry("create_promise", Mapping(CreatePromise, wire.CreatePromiseCommand)),
    RecordOperation: _entry("record_operation", Mapping(RecordOperation, wire.RecordOperationCommand)),
    SetState: _entry("set_state", Mapping(SetState, wire.SetStateCommand)),
    ClearState: _entry("clear_state", Mapping(ClearState, wire.ClearStateCommand)),
    CancelTimer: _entry("cancel_timer", Mapping(CancelTimer, wire.CancelTimerCommand)),
    ResolvePromise: _entry("resolve_promise", Mapping(ResolvePromise, wire.ResolvePromiseCommand)),
    CancelTask: _entry("cancel_task", Mapping(CancelTask, wire.CancelTaskCommand, renamed=_TASK)),
    CancelChild: _entry("cancel_child_workflow", Mapping(CancelChild, wire.CancelChildWorkflowCommand, renamed=_CHILD)),
    MarkPatch: _entry("mark_patch", Mapping(MarkPatch, wire.MarkPatchCommand)),
}
_READERS = {entry.field: entry.from_wire for entry in _COMMANDS.values()}

_COMPLETED = Mapping(Completed, wire.CompleteWorkflowCommand)
_CANCELLED = Mapping(Cancelled, wire.CancelWorkflowCommand)


def _failed_to_wire(outcome: Failed) -> wire.FailWorkflowCommand:
    failure = outcome.failure
    message = wire.FailWorkflowCommand(
        error=failure.message,
        stack_trace=failure.stack,
        failure_type=outcome.failure_type,
        error_type=failure.type,
        retryable=failure.retryable,
        attempts=failure.attempts,
    )
    if failure.cause is not None:
        message.cause.CopyFrom(FAILURE.to_wire(failure.cause))
    if outcome.cause_sequence is not None:
        message.cause_sequence = outcome.cause_sequence
    if outcome.cause_operation is not None:
        message.cause_operation = outcome.cause_operation
    return message


def _failed_from_wire(message: wire.FailWorkflowCommand) -> Failed:
    failure = Failure(
        message.error_type or "Error",
        message.error,
        message.stack_trace,
        message.retryable if message.HasField("retryable") else True,
        message.attempts,
        FAILURE.from_wire(message.cause) if message.HasField("cause") else None,
    )
    cause_sequence = message.cause_sequence if message.HasField("cause_sequence") else None
    cause_operation = message.cause_operation if message.HasField("cause_operation") else None
    return Failed(failure, message.failure_type or PLAIN_ERROR, cause_sequence, cause_operation)


_ENDINGS: dict[str, tuple[int, Callable[[Any], Outcome]]] = {
    "complete_workflow": (wire.ACTIVATION_STATUS_COMPLETED, _COMPLETED.from_wire),
    "fail_workflow": (wire.ACTIVATION_STATUS_FAILED, _failed_from_wire),
    "cancel_workflow": (wire.ACTIVATION_STATUS_CANCELLED, _CANCELLED.from_wire),
}
_OPEN: dict[wire.ActivationStatus, Outcome] = {
    wire.ACTIVATION_STATUS_SUSPENDED: Suspended(),
    wire.ACTIVATION_STATUS_CONTINUING: Continuing(),
}
_STATUSES = {type(outcome): status for status, outcome in _OPEN.items()}


def activation_to_wire(request: SubmitActivation) -> wire.SubmitWorkflowCommandsRequest:
    """One activation."""
    message = wire.SubmitWorkflowCommandsRequest(
        execution_id=request.execution_id, token=request.token, last_sequence=request.last_seen_sequence
    )
    for command in request.commands:
        entry = _COMMANDS[type(command)]
        message.commands.add(**{entry.field: entry.to_wire(command)})
    match request.outcome:
        case Completed() as outcome:
            message.commands.add(complete_workflow=_COMPLETED.to_wire(outcome))
            message.status = wire.ACTIVATION_STATUS_COMPLETED
        case Failed() as outcome:
            message.commands.add(fail_workflow=_failed_to_wire(outcome))
            message.status = wire.ACTIVATION_STATUS_FAILED
        case Cancelled() as outcome:
            message.commands.add(cancel_workflow=_CANCELLED.to_wire(outcome))
            message.status = wire.ACTIVATION_STATUS_CANCELLED
        case outcome:
            message.status = _STATUSES[type(outcome)]
    return message


def activation_from_wire(message: wire.SubmitWorkflowCommandsRequest, tenant: TenantId) -> SubmitActivation:
    """The activation; a command that makes no sense refuses it as a whole, and the error has its index."""
    outcome = _OPEN.get(message.status)
    commands = list(message.commands)
    if outcome is None:
        outcome = _ending(message.status, commands)
        commands.pop()
    return SubmitActivation(
        tenant,
        ExecutionId(message.execution_id),
        ClaimToken(message.token),
        message.last_sequence,
        tuple(_read_commands(commands)),
        outcome,
    )


def _ending(status: int, commands: list[wire.Command]) -> Outcome:
    field = commands[-1].WhichOneof("command") if commands else None
    wanted, read = _ENDINGS.get(field or "", (None, None))
    if read is None or status != wanted:
        name = wire.ActivationStatus.Name(status) if status in wire.ActivationStatus.values() else status
        raise InvalidArgument(f"the status {name} does not go with {field or 'nothing'} as the last command")
    try:
        return read(getattr(commands[-1], field or ""))
    except HoldfastError as error:
        error.command_index = len(commands) - 1
        raise


def _read_commands(commands: list[wire.Command]) -> Iterable[Command]:
    for index, command in enumerate(commands):
        field = command.WhichOneof("command")
        read = _READERS.get(field or "")
        if read is None or field is None:
            _refuse(index, field)
        try:
            yield read(getattr(command, field))
        except HoldfastError as error:
            error.command_index = index
            raise


def _refuse(index: int, field: str | None) -> NoReturn:
    problem = "is empty, or of a type that this server does not know" if field is None else "can only come last"
    error = InvalidArgument(f"command {index} ({field or 'unknown'}) {problem}")
    error.command_index = index
    raise error
