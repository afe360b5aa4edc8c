"""Requests and replies on the wire: one table for the verbs of both services and for the calls of a session."""

from collections.abc import Callable
from typing import Any, NamedTuple

from google.protobuf.message import Message
from msgspec.structs import replace

from holdfast.model.errors import HoldfastError, InvalidArgument
from holdfast.model.flow_requests import (
    DeliverWebhook,
    PauseFlow,
    RerunFlow,
    ResumeFlow,
    SavedFlow,
    SaveFlow,
    StartFlow,
)
from holdfast.model.ids import TenantId
from holdfast.model.requests import (
    AcknowledgeTaskCancel,
    ActivationAccepted,
    CancelTaskExecution,
    CancelWorkflow,
    CompleteTask,
    DisarmTimer,
    Done,
    ExtendClaim,
    FailTask,
    Line,
    MoveTimer,
    NewTask,
    PauseQueue,
    ReleaseExecution,
    ReleaseTask,
    ReportTask,
    Request,
    ResetWorkflow,
    ResumeQueue,
    RetryTaskExecution,
    RetryWorkflow,
    SettlePromise,
    SettleTask,
    SignalWorkflow,
    Started,
    StartWorkflow,
    SubmitActivation,
    SubmitTasks,
    SubmittedTask,
    TaskOrders,
    TerminateWorkflow,
)
from holdfast.model.schedule_requests import (
    Backfilled,
    BackfillSchedule,
    DeleteSchedule,
    PauseSchedule,
    ResumeSchedule,
    SavedSchedule,
    SaveSchedule,
    Triggered,
    TriggerSchedule,
)
from holdfast.model.schedules import decode_spec, encode_spec
from holdfast.protocol.commands import ACCEPTED, activation_from_wire, activation_to_wire
from holdfast.protocol.errors import error_from_wire, error_to_wire
from holdfast.protocol.generated import client_pb2 as client
from holdfast.protocol.generated import flows_pb2 as flows
from holdfast.protocol.generated import schedules_pb2 as schedules
from holdfast.protocol.generated import session_pb2 as session
from holdfast.protocol.generated import worker_pb2 as worker
from holdfast.protocol.mapping import Codec, Mapping, nested
from holdfast.protocol.values import DONE

SIGNAL = Mapping(SignalWorkflow, client.SignalWorkflowRequest)
NEW_TASK = nested(Mapping(NewTask, client.NewTask), NewTask)
LINE = nested(Mapping(Line, worker.Line), Line)
SUBMITTED_TASK = Mapping(SubmittedTask, client.SubmittedTask)
STARTED = Mapping(Started, client.StartWorkflowResponse)
SAVE_SCHEDULE = Mapping(SaveSchedule, schedules.SaveScheduleRequest, codecs={"spec": Codec(encode_spec, decode_spec)})
SAVED_SCHEDULE = Mapping(SavedSchedule, schedules.SaveScheduleResponse)
TRIGGERED = Mapping(Triggered, schedules.TriggerScheduleResponse)
BACKFILLED = Mapping(Backfilled, schedules.BackfillScheduleResponse)
SAVED_FLOW = Mapping(SavedFlow, flows.SaveFlowResponse)
ORDERS = Mapping(TaskOrders, worker.TaskOrders)
START = Mapping(
    StartWorkflow, client.StartWorkflowRequest, codecs={"signal": Codec(SIGNAL.to_wire, lambda given: given)}
)


def _start_from_wire(message: client.StartWorkflowRequest, tenant: TenantId) -> StartWorkflow:
    """The start; its signal is for the same execution of the same tenant."""
    if not message.HasField("signal"):
        return START.from_wire(message, tenant)
    if message.signal.execution_id not in ("", message.execution_id):
        raise InvalidArgument("the signal of a start is for the execution that is started")
    message.signal.execution_id = message.execution_id
    signal = SIGNAL.from_wire(message.signal, tenant)
    message.ClearField("signal")
    plain = START.from_wire(message, tenant)
    return replace(plain, signal=signal)


class Verb(NamedTuple):
    """How one request crosses the wire."""

    request: type[Request[Any]]
    field: str
    """Its name among the calls of a session."""
    method: str
    """The unary method that does the same; who may call the one may make the other."""
    message: type[Message]
    to_wire: Callable[[Any], Message]
    from_wire: Callable[[Any, TenantId], Request[object]]


def _verb(request: type[Request[Any]], field: str, message: type[Message], method: str = "") -> Verb:
    mapping = Mapping(request, message)
    named = method or "".join(word.capitalize() for word in field.split("_"))
    return Verb(request, field, named, message, mapping.to_wire, mapping.from_wire)


VERBS: tuple[Verb, ...] = (
    Verb(
        StartWorkflow, "start_workflow", "StartWorkflow", client.StartWorkflowRequest, START.to_wire, _start_from_wire
    ),
    _verb(SignalWorkflow, "signal_workflow", client.SignalWorkflowRequest),
    _verb(CancelWorkflow, "cancel_workflow", client.CancelWorkflowRequest),
    _verb(TerminateWorkflow, "terminate_workflow", client.TerminateWorkflowRequest),
    _verb(RetryWorkflow, "retry_workflow", client.RetryWorkflowRequest),
    _verb(ResetWorkflow, "reset_workflow", client.ResetWorkflowRequest),
    _verb(SettlePromise, "settle_promise", client.SettlePromiseRequest),
    _verb(SubmitTasks, "submit_tasks", client.SubmitTasksRequest),
    _verb(CancelTaskExecution, "cancel_task", client.CancelTaskRequest),
    _verb(RetryTaskExecution, "retry_task", client.RetryTaskRequest),
    _verb(SettleTask, "settle_task", client.SettleTaskRequest),
    _verb(PauseQueue, "pause_queue", client.PauseQueueRequest),
    _verb(ResumeQueue, "resume_queue", client.ResumeQueueRequest),
    _verb(DisarmTimer, "cancel_timer", client.CancelTimerRequest),
    _verb(MoveTimer, "move_timer", client.MoveTimerRequest),
    Verb(
        SubmitActivation,
        "submit_commands",
        "SubmitWorkflowCommands",
        worker.SubmitWorkflowCommandsRequest,
        activation_to_wire,
        activation_from_wire,
    ),
    _verb(ReleaseExecution, "release_workflow", worker.ClaimedWorkflow, "ReleaseWorkflows"),
    _verb(ExtendClaim, "extend_claim", worker.ClaimedWorkflow, "ExtendClaims"),
    _verb(CompleteTask, "complete_task", worker.CompleteTaskRequest),
    _verb(FailTask, "fail_task", worker.FailTaskRequest),
    _verb(
        AcknowledgeTaskCancel,
        "acknowledge_task_cancel",
        worker.AcknowledgeTaskCancelRequest,
        "AcknowledgeTaskCancels",
    ),
    _verb(ReleaseTask, "release_task", worker.ClaimedTask, "ReleaseTasks"),
    _verb(ReportTask, "report_task", worker.ReportTaskRequest, "Heartbeat"),
    _verb(SaveFlow, "save_flow", flows.SaveFlowRequest),
    _verb(StartFlow, "start_flow", flows.StartFlowRequest),
    _verb(PauseFlow, "pause_flow", flows.PauseFlowRequest),
    _verb(ResumeFlow, "resume_flow", flows.ResumeFlowRequest),
    _verb(RerunFlow, "rerun_flow", flows.RerunFlowRequest),
    _verb(DeliverWebhook, "deliver_webhook", flows.DeliverWebhookRequest),
    Verb(
        SaveSchedule,
        "save_schedule",
        "SaveSchedule",
        schedules.SaveScheduleRequest,
        SAVE_SCHEDULE.to_wire,
        SAVE_SCHEDULE.from_wire,
    ),
    _verb(DeleteSchedule, "delete_schedule", schedules.DeleteScheduleRequest),
    _verb(PauseSchedule, "pause_schedule", schedules.PauseScheduleRequest),
    _verb(ResumeSchedule, "resume_schedule", schedules.ResumeScheduleRequest),
    _verb(TriggerSchedule, "trigger_schedule", schedules.TriggerScheduleRequest),
    _verb(BackfillSchedule, "backfill_schedule", schedules.BackfillScheduleRequest),
)
BY_REQUEST = {verb.request: verb for verb in VERBS}
BY_FIELD = {verb.field: verb for verb in VERBS}


def _submitted_to_wire(reply: tuple[SubmittedTask, ...]) -> client.SubmitTasksResponse:
    return client.SubmitTasksResponse(tasks=[SUBMITTED_TASK.to_wire(task) for task in reply])


def _submitted_from_wire(message: client.SubmitTasksResponse) -> tuple[SubmittedTask, ...]:
    return tuple([SUBMITTED_TASK.from_wire(task) for task in message.tasks])


class ReplyKind(NamedTuple):
    """How one sort of reply crosses the wire."""

    field: str
    to_wire: Callable[[Any], Any]
    from_wire: Callable[[Any], Any]


_REPLIES: dict[type, ReplyKind] = {
    Done: ReplyKind("done", DONE.to_wire, DONE.from_wire),
    Started: ReplyKind("started", STARTED.to_wire, STARTED.from_wire),
    tuple: ReplyKind("submitted_tasks", _submitted_to_wire, _submitted_from_wire),
    ActivationAccepted: ReplyKind("accepted", ACCEPTED.to_wire, ACCEPTED.from_wire),
    SavedSchedule: ReplyKind("saved_schedule", SAVED_SCHEDULE.to_wire, SAVED_SCHEDULE.from_wire),
    Triggered: ReplyKind("triggered", TRIGGERED.to_wire, TRIGGERED.from_wire),
    Backfilled: ReplyKind("backfilled", BACKFILLED.to_wire, BACKFILLED.from_wire),
    SavedFlow: ReplyKind("saved_flow", SAVED_FLOW.to_wire, SAVED_FLOW.from_wire),
    TaskOrders: ReplyKind("orders", ORDERS.to_wire, ORDERS.from_wire),
}
_REPLY_READERS = {kind.field: kind.from_wire for kind in _REPLIES.values()}


def reply_to_wire(reply: object) -> Any:
    """The message of a reply, as the unary verbs answer it."""
    return _REPLIES[type(reply)].to_wire(reply)


def add_call(batch: session.FromPeer, number: int, request: Request[object]) -> None:
    """Put a request into a message of a session."""
    verb = BY_REQUEST[type(request)]
    batch.calls.add(**{"number": number, verb.field: verb.to_wire(request)})


def verb_of(call: session.Call) -> Verb:
    """What a call asks for."""
    field = call.WhichOneof("request")
    if field is None:
        raise InvalidArgument("the call is empty, or of a type that this server does not know")
    return BY_FIELD[field]


def call_from_wire(call: session.Call, verb: Verb, tenant: TenantId) -> Request[object]:
    """The request of a call."""
    return verb.from_wire(getattr(call, verb.field), tenant)


def add_reply(batch: session.FromServer, number: int, reply: object) -> None:
    """Put a reply, or the error that refused the request, into a message of a session."""
    if isinstance(reply, HoldfastError):
        batch.replies.add(number=number, error=error_to_wire(reply))
        return
    kind = _REPLIES[type(reply)]
    batch.replies.add(**{"number": number, kind.field: kind.to_wire(reply)})


def reply_from_wire(message: session.Reply) -> object:
    """The reply, or the error."""
    field = message.WhichOneof("reply")
    if field == "error":
        return error_from_wire(message.error)
    if field is None:
        return HoldfastError("the server's answer is of a type that this client does not know")
    return _REPLY_READERS[field](getattr(message, field))
