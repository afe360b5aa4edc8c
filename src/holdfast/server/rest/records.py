"""Finds the records that a path names; what is not there is the same error for everyone."""

from holdfast.model.errors import InvalidId, PromiseNotFound, TaskNotFound, TimerNotFound, WorkflowNotFound
from holdfast.model.ids import ExecutionId, PromiseId, TaskId, TimerId, checked_id
from holdfast.model.records import Execution, Task
from holdfast.server.rest.calls import Call


def is_id(text: str) -> bool:
    """Whether something could have this id."""
    try:
        checked_id(text, "the id")
    except InvalidId:
        return False
    return True


def task_id_of(call: Call) -> TaskId:
    """The task that the path names."""
    task_id = call.names["task_id"]
    if not is_id(task_id):
        raise TaskNotFound(task_id, call.tenant)
    return TaskId(task_id)


def workflow_id_of(call: Call) -> ExecutionId:
    """The execution that the path names."""
    workflow_id = call.names["workflow_id"]
    if not is_id(workflow_id):
        raise WorkflowNotFound(workflow_id, call.tenant)
    return ExecutionId(workflow_id)


def promise_id_of(call: Call) -> PromiseId:
    """The promise that the path names."""
    promise_id = call.names["promise_id"]
    if not is_id(promise_id):
        raise PromiseNotFound(promise_id, call.tenant)
    return PromiseId(promise_id)


def timer_id_of(call: Call) -> TimerId:
    """The timer that the path names."""
    timer_id = call.names["timer_id"]
    if not is_id(timer_id):
        raise TimerNotFound(timer_id, call.tenant)
    return TimerId(timer_id)


async def task_of(call: Call) -> Task:
    """The task that the path names, as it is now."""
    task_id = task_id_of(call)
    task = await call.task_reader.read((call.tenant, task_id))
    if task is None:
        raise TaskNotFound(task_id, call.tenant)
    return task


async def workflow_of(call: Call) -> Execution:
    """The execution that the path names, as it is now."""
    workflow_id = workflow_id_of(call)
    execution = await call.engine.reads.execution((call.tenant, workflow_id))
    if execution is None:
        raise WorkflowNotFound(workflow_id, call.tenant)
    return execution
