"""One request against the state: the reply, or the error that refuses it. The table of all machines."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar, cast

from holdfast.engine import (
    activation,
    closing,
    due,
    executions,
    flow_schedules,
    oversight,
    promises,
    queues,
    resetting,
    revival,
    schedules,
    signals,
    tasks,
    timers,
)
from holdfast.engine.flow.run import requests as flows
from holdfast.engine.flow.run.hearing import act_on_news
from holdfast.engine.state import State
from holdfast.model.flow_requests import (
    DeliverWebhook,
    PauseFlow,
    RerunFlow,
    ResumeFlow,
    SaveFlow,
    StartFlow,
    StepFrames,
)
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

R = TypeVar("R", bound=Request[object])
Decision = Callable[[State, Request[object]], object]


def _on(request: type[R], decision: Callable[[State, R], object]) -> tuple[type, Decision]:
    """An entry of the table: the type checker sees that the machine takes just this request."""
    return request, cast("Decision", decision)


DECISIONS: dict[type, Decision] = dict(
    [
        _on(StartWorkflow, signals.start_with_signal),
        _on(SignalWorkflow, signals.send),
        _on(CancelWorkflow, executions.cancel),
        _on(TerminateWorkflow, closing.terminate),
        _on(RetryWorkflow, revival.retry),
        _on(ResetWorkflow, resetting.reset),
        _on(SettlePromise, promises.settle),
        _on(SubmitTasks, tasks.submit),
        _on(CancelTaskExecution, tasks.cancel),
        _on(RetryTaskExecution, tasks.retry),
        _on(SettleTask, tasks.settle),
        _on(DisarmTimer, timers.disarm),
        _on(MoveTimer, timers.move),
        _on(SubmitActivation, activation.submit),
        _on(ReleaseExecution, activation.release),
        _on(ExtendClaim, activation.extend),
        _on(CompleteTask, tasks.complete),
        _on(FailTask, tasks.fail),
        _on(AcknowledgeTaskCancel, tasks.acknowledge_cancel),
        _on(ReleaseTask, tasks.release),
        _on(ReportTask, tasks.report),
        _on(PauseQueue, queues.pause),
        _on(ResumeQueue, queues.resume),
        _on(FireIfDue, due.fire_if_due),
        _on(ForgetOutbox, oversight.forget_outbox),
        _on(RegisterKinds, oversight.register),
        _on(RecordActivity, oversight.record_activity),
        _on(SaveFlow, flow_schedules.save),
        _on(StartFlow, flows.start),
        _on(DeliverWebhook, flows.deliver),
        _on(PauseFlow, flows.pause),
        _on(ResumeFlow, flows.resume),
        _on(RerunFlow, flows.rerun),
        _on(StepFrames, flows.step),
        _on(SaveSchedule, schedules.save),
        _on(DeleteSchedule, schedules.delete),
        _on(PauseSchedule, schedules.pause),
        _on(ResumeSchedule, schedules.resume),
        _on(TriggerSchedule, schedules.trigger),
        _on(BackfillSchedule, schedules.backfill),
    ]
)


def _tell(state: State) -> None:
    """Let those hear of what has happened who act on it in the same transaction."""
    while state.flow_news or state.ended_runs:
        if state.flow_news:
            act_on_news(state)
        if state.ended_runs:
            schedules.hear_ends(state)


@contextmanager
def all_or_nothing(state: State) -> Iterator[None]:
    """What is decided inside takes effect as a whole, or, on an error, not at all."""
    mark = state.begin()
    decided = False
    try:
        yield
        _tell(state)
        decided = True
    finally:
        if not decided:
            state.roll_back(mark)


def decide(state: State, request: Request[object]) -> object:
    """Decide a request; an error leaves the state as it was."""
    # As all_or_nothing, without the cost of a context manager for each request.
    mark = state.begin()
    decided = False
    try:
        reply = DECISIONS[type(request)](state, request)
        if state.flow_news or state.ended_runs:
            _tell(state)
        decided = True
    finally:
        if not decided:
            state.roll_back(mark)
    return reply
