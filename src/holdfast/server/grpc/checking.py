"""What comes over the wire is checked before it can reach a batch: ids, JSON, lengths of texts and numbers.

The rules are those that the Python client keeps by itself; other languages, and attackers, are told where they break
one.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec.structs import replace

from holdfast.model.commands import (
    Command,
    Completed,
    CreatePromise,
    Outcome,
    RecordOperation,
    ResolvePromise,
    ScheduleTask,
    SetState,
    StartChild,
    StartTimer,
    checked_priority,
)
from holdfast.model.errors import HoldfastError, InvalidArgument, shown
from holdfast.model.flow_requests import DeliverWebhook, PauseFlow, RerunFlow, ResumeFlow, SaveFlow, StartFlow
from holdfast.model.ids import DEFAULT_QUEUE, QueueName, checked_id, checked_text, checked_uuid
from holdfast.model.instants import LATEST
from holdfast.model.queries import MAX_PAGE
from holdfast.model.requests import (
    CancelWorkflow,
    CompleteTask,
    Line,
    MoveTimer,
    NewTask,
    PauseQueue,
    ReportTask,
    Request,
    ResumeQueue,
    SettlePromise,
    SettleTask,
    SignalWorkflow,
    StartWorkflow,
    SubmitActivation,
    SubmitTasks,
)
from holdfast.model.schedule_requests import BackfillSchedule, PauseSchedule, SaveSchedule
from holdfast.model.schedules import ScheduleSpec, StartsFlow, StartsTask, StartsWorkflow
from holdfast.sdk.payload import checked_json

R = TypeVar("R", bound=Request[Any])
Reply = TypeVar("Reply")

DEFAULT_PAGE: Final = 50
MAX_KEY: Final = 255
MAX_NAME: Final = 1_024
MAX_TRACE: Final = 1_024
MAX_TASKS: Final = 10_000
MAX_FLOW_VERSION: Final = 1 << 31
NULL: Final = b"null"


def checked(request: Request[Reply]) -> Request[Reply]:
    """The request with its JSON in the stored form; an InvalidRequest if it can never be carried out."""
    check = _CHECKS.get(type(request))
    sound = request if check is None else check(request)
    _no_nul(sound)
    return sound


def _no_nul(item: msgspec.Struct) -> None:
    """Some databases end a text there and others take none: one that names nothing in the first breaks the second."""
    for name in item.__struct_fields__:
        value = getattr(item, name)
        if isinstance(value, str) and "\0" in value:
            raise InvalidArgument(f"{name} has a NUL character; no text may have one")


def names(values: Sequence[str], what: str) -> frozenset[str]:
    """The kinds of a filter: at least one."""
    if not values:
        raise InvalidArgument(f"{what} must name at least one: a worker is only given what it can run")
    return frozenset([checked_id(value, what) for value in values])


def queue(name: str) -> QueueName:
    """The queue, or the default one if none is named."""
    return QueueName(checked_id(name, "queue")) if name else DEFAULT_QUEUE


def page_limit(limit: int) -> int:
    """How many rows a page may have."""
    if not 1 <= limit <= MAX_PAGE:
        raise InvalidArgument(f"limit must lie between 1 and {MAX_PAGE:,}, not {limit}")
    return limit


def _json(data: bytes, what: str) -> bytes:
    return checked_json(data, what=what) if data else NULL


def _optional_json(data: bytes | None, what: str) -> bytes | None:
    return None if data is None else _json(data, what)


def _key(text: str | None, what: str) -> None:
    if text and (len(text) > MAX_KEY or not text.isprintable()):
        raise InvalidArgument(f"{what} must be text of up to {MAX_KEY} printable characters, not {shown(text)}")


def _trace(text: str | None) -> None:
    if text and (len(text) > MAX_TRACE or not text.isascii() or not text.isprintable()):
        raise InvalidArgument(f"trace must be up to {MAX_TRACE:,} printable characters, not {shown(text)}")


def _length(duration_ms: int | None, what: str, least: int = 1) -> None:
    if duration_ms is not None and not least <= duration_ms <= LATEST:
        raise InvalidArgument(f"{what} must lie between {least} and {LATEST} milliseconds, not {duration_ms}")


def _instant(moment: int | None, what: str) -> None:
    if moment is not None and not 0 <= moment <= LATEST:
        raise InvalidArgument(f"{what} must lie between 1970 and 9999, in milliseconds, not {moment}")


def _start(request: StartWorkflow) -> StartWorkflow:
    checked_id(request.execution_id, "execution_id")
    checked_id(request.kind, "kind")
    _length(request.timeout_ms, "timeout_ms")
    _key(request.idempotency_key, "idempotency_key")
    _length(request.key_ttl_ms, "key_ttl_ms")
    _key(request.request_id, "request_id")
    _trace(request.trace)
    return replace(
        request,
        input=_json(request.input, "input"),
        queue=queue(request.queue),
        metadata=_json(request.metadata, "metadata"),
        signal=None if request.signal is None else _signal(request.signal),
    )


def _signal(request: SignalWorkflow) -> SignalWorkflow:
    checked_id(request.name, "the signal's name")
    _key(request.request_id, "request_id")
    return replace(request, value=_json(request.value, "value"))


def _cancel(request: CancelWorkflow) -> CancelWorkflow:
    checked_text(request.requested_by, "requested_by")
    return _reasoned(request)


def _reasoned(request: R) -> R:
    checked_text(getattr(request, "reason", ""), "reason")
    return request


def _settle(request: SettlePromise) -> SettlePromise:
    if (request.value is None) == (request.failure is None):
        raise InvalidArgument("give either a value or a failure")
    if (request.promise_id is None) == (request.execution_id is None or request.name is None):
        raise InvalidArgument("name a promise by promise_id, or by execution_id and name")
    return replace(request, value=_optional_json(request.value, "value"))


def _settle_task(request: SettleTask) -> SettleTask:
    if (request.output is None) == (request.failure is None):
        raise InvalidArgument("give either an output or a failure")
    return replace(request, output=_optional_json(request.output, "output"))


def _set_queue(request: PauseQueue | ResumeQueue) -> PauseQueue | ResumeQueue:
    checked_id(request.queue, "queue")
    _key(request.requested_by, "requested_by")
    return _reasoned(request)


def _move(request: MoveTimer) -> MoveTimer:
    _instant(request.fire_at, "fire_at_ms")
    return request


def _submit_tasks(request: SubmitTasks) -> SubmitTasks:
    if len(request.tasks) > MAX_TASKS:
        raise InvalidArgument(f"up to {MAX_TASKS:,} tasks go into one request, not {len(request.tasks):,}")
    return replace(request, tasks=tuple([_each(_new_task, task, index) for index, task in enumerate(request.tasks)]))


def _new_task(task: NewTask) -> NewTask:
    checked_uuid(task.id, "id")
    checked_id(task.task_type, "task_type")
    _key(task.idempotency_key, "idempotency_key")
    _instant(task.scheduled_at, "scheduled_at_ms")
    checked_priority(task.priority)
    _trace(task.options.trace)
    return replace(
        task,
        input=_json(task.input, "input"),
        queue=queue(task.queue),
        metadata=_optional_json(task.metadata, "metadata"),
    )


def _complete(request: CompleteTask) -> CompleteTask:
    return replace(request, output=_json(request.output, "output"))


def _report(request: ReportTask) -> ReportTask:
    if request.progress is not None and not 0 <= request.progress <= 1:
        raise InvalidArgument(f"progress must lie between 0 and 1, not {request.progress}")
    checked_text(request.progress_message or "", "progress_message")
    lines = tuple([_line(line) for line in request.lines])
    return replace(request, details=_optional_json(request.details, "details"), lines=lines)


def _line(line: Line) -> Line:
    checked_id(line.channel, "channel")
    _instant(line.time, "time_ms")
    _no_nul(line)
    return replace(line, body=_json(line.body, "body"))


# Flows.


def _save_flow(request: SaveFlow) -> SaveFlow:
    checked_id(request.name, "the name of the flow")
    return replace(request, document=checked_json(request.document, what="the definition"))


def _start_flow(request: StartFlow) -> StartFlow:
    checked_id(request.execution_id, "execution_id")
    checked_id(request.flow, "the name of the flow")
    checked_text(request.trigger or "", "trigger", MAX_NAME)
    _version(request.version)
    _length(request.timeout_ms, "timeout_ms")
    return replace(
        request,
        input=_json(request.input, "input"),
        queue=queue(request.queue),
        metadata=_json(request.metadata, "metadata"),
    )


def _steer_flow(request: R) -> R:
    checked_text(getattr(request, "requested_by", ""), "requested_by")
    return request


def _rerun_flow(request: RerunFlow) -> RerunFlow:
    checked_text(request.node, "node", MAX_NAME)
    return _steer_flow(_reasoned(request))


def _deliver(request: DeliverWebhook) -> DeliverWebhook:
    checked_text(request.token, "token", MAX_NAME)
    _key(request.method, "method")
    return replace(request, value=_json(request.value, "value"))


# Schedules.


def _save_schedule(request: SaveSchedule) -> SaveSchedule:
    return replace(request, spec=checked_schedule(request.spec))


def checked_schedule(spec: ScheduleSpec) -> ScheduleSpec:
    """The specification, if what it starts has names and an input that can be started."""
    starts = spec.starts
    checked_text(spec.note, "note")
    checked_id(starts.queue, "queue")
    if starts.input is not None:
        starts = replace(starts, input=msgspec.Raw(checked_json(bytes(starts.input), what="input")))
    match starts:
        case StartsWorkflow(kind=kind, timeout_ms=timeout_ms):
            checked_id(kind, "kind")
            _length(timeout_ms, "timeout_ms")
        case StartsFlow(flow=flow, timeout_ms=timeout_ms, trigger=trigger, version=version):
            checked_id(flow, "the name of the flow")
            _version(version)
            checked_text(trigger or "", "trigger", MAX_NAME)
            _length(timeout_ms, "timeout_ms")
        case StartsTask(task_type=task_type, priority=priority):
            checked_id(task_type, "task_type")
            checked_priority(priority)
    return replace(spec, starts=starts)


def _version(version: int | None) -> None:
    if version is not None and not 1 <= version <= MAX_FLOW_VERSION:
        raise InvalidArgument(f"a version is a number from 1, not {version}")


def _backfill(request: BackfillSchedule) -> BackfillSchedule:
    _instant(request.since, "since_ms")
    _instant(request.until, "until_ms")
    return request


# Activations.


def _activation(request: SubmitActivation) -> SubmitActivation:
    commands = tuple([_each(_command, command, index) for index, command in enumerate(request.commands)])
    return replace(request, commands=commands, outcome=_outcome(request.outcome))


T = TypeVar("T")


def _each(check: Callable[[T], T], item: T, index: int) -> T:
    try:
        return check(item)
    except HoldfastError as error:
        error.command_index = index
        raise


def _command(command: Command) -> Command:
    _no_nul(command)
    match command:
        case ScheduleTask():
            return _schedule(command)
        case RecordOperation(name=name):
            checked_text(name, "name", MAX_NAME)
            return replace(command, result=_optional_json(command.result, "result"))
        case StartTimer():
            return _timer(command)
        case StartChild():
            return _child(command)
        case SetState(key=key, value=value):
            checked_text(key, "key", MAX_NAME)
            return replace(command, value=_json(value, "value"))
        case CreatePromise(promise_id=promise_id, name=name):
            checked_id(promise_id, "promise_id")
            checked_text(name, "name", MAX_NAME)
            return replace(command, value_schema=_optional_json(command.value_schema, "value_schema"))
        case ResolvePromise(value=value):
            return replace(command, value=_json(value, "value"))
        case _:
            return command


def _schedule(command: ScheduleTask) -> ScheduleTask:
    checked_uuid(command.task_id, "task_execution_id")
    checked_id(command.task_type, "task_type")
    if command.queue is not None:
        checked_id(command.queue, "queue")
    _key(command.idempotency_key, "idempotency_key")
    _trace(command.options.trace)
    _length(command.options.start_to_close_ms, "timeout_ms")
    _length(command.delay_ms, "delay_ms", 0)
    checked_priority(command.priority)
    data = _json(command.input, "input")
    return command if data is command.input else replace(command, input=data)


def _timer(command: StartTimer) -> StartTimer:
    checked_id(command.timer_id, "timer_id")
    if (command.duration_ms is None) == (command.fire_at is None):
        raise InvalidArgument("give either duration_ms or fire_at_ms")
    _length(command.duration_ms, "duration_ms", 0)
    _instant(command.fire_at, "fire_at_ms")
    return command


def _child(command: StartChild) -> StartChild:
    checked_id(command.execution_id, "child_execution_id")
    checked_id(command.kind, "kind")
    checked_text(command.name, "name", MAX_NAME)
    _trace(command.trace)
    if command.queue is not None:
        checked_id(command.queue, "queue")
    _length(command.timeout_ms, "timeout_ms")
    return replace(command, input=_json(command.input, "input"))


def _outcome(outcome: Outcome) -> Outcome:
    _no_nul(outcome)
    return replace(outcome, output=_json(outcome.output, "output")) if isinstance(outcome, Completed) else outcome


# Each function takes just the request that it stands beside.
_CHECKS: Final[dict[type, Callable[[Any], Request[Any]]]] = {
    StartWorkflow: _start,
    SignalWorkflow: _signal,
    CancelWorkflow: _cancel,
    SettlePromise: _settle,
    SettleTask: _settle_task,
    PauseQueue: _set_queue,
    ResumeQueue: _set_queue,
    MoveTimer: _move,
    SubmitTasks: _submit_tasks,
    CompleteTask: _complete,
    ReportTask: _report,
    SubmitActivation: _activation,
    SaveFlow: _save_flow,
    StartFlow: _start_flow,
    PauseFlow: _steer_flow,
    ResumeFlow: _steer_flow,
    RerunFlow: _rerun_flow,
    DeliverWebhook: _deliver,
    SaveSchedule: _save_schedule,
    PauseSchedule: _reasoned,
    BackfillSchedule: _backfill,
}
