"""Which event begins a task, timer, promise or child, and which one ends it: both name it by its id."""

from holdfast.model.events import (
    ChildWorkflowCancelled,
    ChildWorkflowCompleted,
    ChildWorkflowFailed,
    ChildWorkflowInitiated,
    EventData,
    PromiseCreated,
    PromiseRejected,
    PromiseResolved,
    PromiseTimedOut,
    TaskCancelled,
    TaskCompleted,
    TaskFailed,
    TaskScheduled,
    TaskTimedOut,
    TimerCancelled,
    TimerFired,
    TimerStarted,
)


def begun_item(data: EventData) -> str | None:
    """The id of the task, timer, promise or child that this event begins."""
    match data:
        case TaskScheduled(task_execution_id=item):
            return item
        case TimerStarted(timer_id=item):
            return item
        case PromiseCreated(promise_id=item):
            return item
        case ChildWorkflowInitiated(child_workflow_execution_id=item):
            return item
        case _:
            return None


def ended_item(data: EventData) -> str | None:
    """The id of the task, timer, promise or child that this event ends."""
    match data:
        case TaskCompleted() | TaskFailed() | TaskTimedOut() | TaskCancelled():
            return data.task_execution_id
        case TimerFired() | TimerCancelled():
            return data.timer_id
        case PromiseResolved() | PromiseRejected() | PromiseTimedOut():
            return data.promise_id
        case ChildWorkflowCompleted() | ChildWorkflowFailed() | ChildWorkflowCancelled():
            return data.child_workflow_execution_id
        case _:
            return None
