"""Which rows each request needs to see before it can be decided."""

from collections.abc import Callable
from typing import TypeVar, cast

from holdfast.engine import signals, starting, tasks
from holdfast.engine.flow.run.places import opener_of, rows_around
from holdfast.model.commands import (
    CancelChild,
    CancelTask,
    CancelTimer,
    CreatePromise,
    ResolvePromise,
    ScheduleTask,
    StartChild,
    StartTimer,
)
from holdfast.model.flow_requests import (
    DeliverWebhook,
    PauseFlow,
    RerunFlow,
    ResumeFlow,
    SaveFlow,
    StartFlow,
    StepFrames,
)
from holdfast.model.flows import ROOT
from holdfast.model.ids import ExecutionId, PromiseId, TaskId, TimerId
from holdfast.model.requests import (
    AcknowledgeTaskCancel,
    CancelTaskExecution,
    CancelWorkflow,
    CompleteTask,
    DisarmTimer,
    ExtendClaim,
    FailTask,
    FireIfDue,
    ForgetOutbox,
    MoveTimer,
    PauseQueue,
    RecordActivity,
    RegisterKinds,
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
    StartWorkflow,
    SubmitActivation,
    SubmitTasks,
    TerminateWorkflow,
)
from holdfast.model.schedule_requests import (
    BackfillSchedule,
    DeleteSchedule,
    PauseSchedule,
    ResumeSchedule,
    SaveSchedule,
    TriggerSchedule,
)
from holdfast.model.wakes import WakeSort
from holdfast.ports.store import Wanted

OfExecution = CancelWorkflow | TerminateWorkflow | RetryWorkflow | ResetWorkflow | ReleaseExecution | ExtendClaim
OfSchedule = SaveSchedule | DeleteSchedule | PauseSchedule | ResumeSchedule | TriggerSchedule | BackfillSchedule
OfRun = PauseFlow | ResumeFlow | RerunFlow | DeliverWebhook


def _execution(request: OfExecution, wanted: Wanted) -> None:
    wanted.executions.add((request.tenant, request.execution_id))


def _start(request: StartWorkflow, wanted: Wanted) -> None:
    wanted.executions.add((request.tenant, request.execution_id))
    if request.signal is not None:
        _signal(request.signal, wanted)
    if request.idempotency_key is not None:
        wanted.request_keys.add((request.tenant, starting.WORKFLOW_KEYS, request.idempotency_key))
    if request.request_id:
        wanted.request_keys.add((request.tenant, starting.WORKFLOW_KEYS, starting.key_of_request(request.request_id)))


def _signal(request: SignalWorkflow, wanted: Wanted) -> None:
    wanted.executions.add((request.tenant, request.execution_id))
    if request.request_id:
        wanted.request_keys.add((request.tenant, signals.scope(request.execution_id), request.request_id))


def _task(
    request: CompleteTask
    | FailTask
    | AcknowledgeTaskCancel
    | ReleaseTask
    | ReportTask
    | CancelTaskExecution
    | RetryTaskExecution
    | SettleTask,
    wanted: Wanted,
) -> None:
    wanted.tasks.add((request.tenant, request.task_id))


def _submit_tasks(request: SubmitTasks, wanted: Wanted) -> None:
    tenant = request.tenant
    for task in request.tasks:
        wanted.tasks.add((tenant, task.id))
        if task.idempotency_key is not None:
            wanted.request_keys.add((tenant, tasks.TASK_KEYS, task.idempotency_key))


def _queue(request: PauseQueue | ResumeQueue, wanted: Wanted) -> None:
    wanted.queues.add((request.tenant, request.queue))


def _fire_if_due(request: FireIfDue, wanted: Wanted) -> None:
    for sort, tenant, identity in request.keys:
        match sort:
            case WakeSort.EXECUTION:
                wanted.executions.add((tenant, ExecutionId(identity)))
            case WakeSort.TASK:
                wanted.tasks.add((tenant, TaskId(identity)))
            case WakeSort.TIMER:
                wanted.timers.add((tenant, TimerId(identity)))
            case WakeSort.PROMISE:
                wanted.promises.add((tenant, PromiseId(identity)))
            case WakeSort.SCHEDULE:
                wanted.schedules.add((tenant, identity))


def _nothing(_: RegisterKinds | RecordActivity | ForgetOutbox, __: Wanted) -> None:
    """It only adds."""


def _save_flow(request: SaveFlow, wanted: Wanted) -> None:
    wanted.newest_flows.add((request.tenant, request.name))


def _start_flow(request: StartFlow, wanted: Wanted) -> None:
    wanted.executions.add((request.tenant, request.execution_id))
    if request.version is None:
        wanted.newest_flows.add((request.tenant, request.flow))


def _run(request: OfRun, wanted: Wanted) -> None:
    wanted.executions.add((request.tenant, request.execution_id))
    wanted.frames.add((request.tenant, request.execution_id, "", 0))


def _schedule(request: OfSchedule, wanted: Wanted) -> None:
    wanted.schedules.add((request.tenant, request.schedule_id))


def _step_frames(request: StepFrames, wanted: Wanted) -> None:
    run = request.tenant, request.execution_id
    wanted.executions.add(run)
    # All that this run is gone on with through: the root, and what is around each frame and scope.
    for path in (ROOT, *request.frames, *(opener_of(scope)[0] for scope in request.scopes)):
        frames, scopes = rows_around(run, path)
        wanted.frames.update(frames)
        wanted.scopes.update(scopes)
    wanted.scopes.update((*run, scope) for scope in request.scopes)


def _timer(request: DisarmTimer | MoveTimer, wanted: Wanted) -> None:
    wanted.timers.add((request.tenant, request.timer_id))


def _promise(request: SettlePromise, wanted: Wanted) -> None:
    if request.promise_id is not None:
        wanted.promises.add((request.tenant, request.promise_id))
    elif request.execution_id is not None and request.name is not None:
        wanted.promise_names.add((request.tenant, request.execution_id, request.name))


def _activation(request: SubmitActivation, wanted: Wanted) -> None:
    tenant = request.tenant
    wanted.executions.add((tenant, request.execution_id))
    for command in request.commands:
        match command:
            case ScheduleTask(task_id=task_id) | CancelTask(task_id=task_id):
                wanted.tasks.add((tenant, task_id))
            case StartTimer(timer_id=timer_id) | CancelTimer(timer_id=timer_id):
                wanted.timers.add((tenant, timer_id))
            case StartChild(execution_id=child_id) | CancelChild(execution_id=child_id):
                wanted.executions.add((tenant, child_id))
            case CreatePromise(promise_id=promise_id) | ResolvePromise(promise_id=promise_id):
                wanted.promises.add((tenant, promise_id))
            case _:
                pass


R = TypeVar("R", bound=Request[object])
Want = Callable[[Request[object], Wanted], None]


def _of(request: type[R], want: Callable[[R, Wanted], None]) -> tuple[type, Want]:
    """An entry of the table: the type checker sees that the function takes just this request."""
    return request, cast("Want", want)


_WANTS: dict[type, Want] = dict(
    [
        _of(StartWorkflow, _start),
        _of(SignalWorkflow, _signal),
        _of(CancelWorkflow, _execution),
        _of(TerminateWorkflow, _execution),
        _of(RetryWorkflow, _execution),
        _of(ResetWorkflow, _execution),
        _of(ReleaseExecution, _execution),
        _of(ExtendClaim, _execution),
        _of(SettlePromise, _promise),
        _of(SubmitTasks, _submit_tasks),
        _of(CompleteTask, _task),
        _of(FailTask, _task),
        _of(AcknowledgeTaskCancel, _task),
        _of(ReleaseTask, _task),
        _of(ReportTask, _task),
        _of(CancelTaskExecution, _task),
        _of(RetryTaskExecution, _task),
        _of(DisarmTimer, _timer),
        _of(MoveTimer, _timer),
        _of(SettleTask, _task),
        _of(PauseQueue, _queue),
        _of(ResumeQueue, _queue),
        _of(FireIfDue, _fire_if_due),
        _of(RegisterKinds, _nothing),
        _of(ForgetOutbox, _nothing),
        _of(RecordActivity, _nothing),
        _of(SubmitActivation, _activation),
        _of(SaveFlow, _save_flow),
        _of(StartFlow, _start_flow),
        _of(PauseFlow, _run),
        _of(ResumeFlow, _run),
        _of(RerunFlow, _run),
        _of(DeliverWebhook, _run),
        _of(StepFrames, _step_frames),
        _of(SaveSchedule, _schedule),
        _of(DeleteSchedule, _schedule),
        _of(PauseSchedule, _schedule),
        _of(ResumeSchedule, _schedule),
        _of(TriggerSchedule, _schedule),
        _of(BackfillSchedule, _schedule),
    ]
)


def add_wants(request: Request[object], wanted: Wanted) -> None:
    """Add the rows that the request needs."""
    _WANTS[type(request)](request, wanted)
