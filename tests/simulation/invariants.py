"""What must hold of the rows, whatever went wrong: in every transaction, and at the end (reliability.md, I1 to I8)."""

from collections import Counter
from collections.abc import Iterator, Sequence

from holdfast.model import events as told
from holdfast.model.commands import DETERMINISM_VIOLATION
from holdfast.model.events import Event, EventData
from holdfast.model.records import Attempt, Execution, Task
from holdfast.model.statuses import AttemptStatus, ExecutionStatus, TaskStatus
from holdfast.ports.store import Changes
from holdfast.testing.replaying import check_replay
from holdfast.testing.rows import MemoryRows
from holdfast.worker.registry import Registry

ENDS = (
    told.WorkflowCompleted,
    told.WorkflowFailed,
    told.WorkflowCancelled,
    told.WorkflowTerminated,
    told.TaskCompleted,
    told.TaskFailed,
    told.TaskTimedOut,
    told.TaskCancelled,
    told.TimerFired,
    told.TimerCancelled,
    told.ChildWorkflowCompleted,
    told.ChildWorkflowFailed,
    told.ChildWorkflowCancelled,
    told.PromiseResolved,
    told.PromiseRejected,
    told.PromiseTimedOut,
)
CLOSING = ENDS[:4]
BEGINNINGS = (told.TaskScheduled, told.TimerStarted, told.ChildWorkflowInitiated, told.PromiseCreated)
OPERATIONS = (told.OperationCompleted, told.OperationFailed)
ID_FIELDS = ("task_execution_id", "timer_id", "child_workflow_execution_id", "promise_id")


# In every transaction.


def check_transaction(rows: MemoryRows, changes: Changes) -> None:
    """What is about to be written follows from what is there."""
    appended = Counter((entry.tenant, entry.execution_id) for entry in changes.events)
    for execution in (*changes.new_executions, *changes.changed_executions):
        key = execution.tenant, execution.id
        before = rows.executions.get(key)
        assert execution.last_sequence == len(rows.history.get(key, ())) + appended.pop(key, 0), execution
        assert execution.open_items >= 0, execution
        assert (execution.status is ExecutionStatus.RUNNING) == (execution.lease_expires_at is not None), execution
        if before is not None:
            assert not before.closed, f"changed after its end: {execution}"
            assert execution.claim_token >= before.claim_token, execution
            assert execution.seen_sequence >= before.seen_sequence, execution
    assert not appended, f"events without their execution: {appended}"
    for task in changes.changed_tasks:
        _check_task(rows.tasks[task.tenant, task.id], task)


def _check_task(before: Task, task: Task) -> None:
    assert not before.closed, f"changed after its end: {task}"
    assert task.claim_token >= before.claim_token, task
    assert (task.status is TaskStatus.RUNNING) == (task.lease_expires_at is not None), task
    assert not (task.ready and task.status is not TaskStatus.PENDING), task


# At the end.


def check_rows(rows: MemoryRows) -> None:
    """Nothing is left over, lost or doubled."""
    for key, execution in rows.executions.items():
        assert execution.closed, execution
        assert execution.open_items == 0, execution
        check_history(execution, rows.history[key])
    for task_key, task in rows.tasks.items():
        check_attempts(rows, task)
        assert task.closed, task_key
    assert not rows.timers, "timers are armed for executions that have ended"


def check_history(execution: Execution, history: Sequence[Event], *, skew_ms: int = 50) -> None:
    """I2: gap-free, one beginning and one end at most of each thing; I4: no timer fired early."""
    assert [event.sequence for event in history] == list(range(1, len(history) + 1))
    assert [isinstance(event.data, CLOSING) for event in history].index(True) == len(history) - 1, execution
    ends = Counter(identity for event in history for identity in _ids_in(event.data, ENDS))
    assert not _repeated(ends), (execution, ends)
    begun = Counter(identity for event in history for identity in _begun(event.data))
    assert not _repeated(begun), (execution, begun)
    # The code is the same from first to last, so it asks for all that is recorded, and waits for it.
    told_at_the_end = history[-1].data
    assert not isinstance(told_at_the_end, told.WorkflowCompleted) or not told_at_the_end.warnings, history[-1]
    due = {
        event.data.timer_id: event.data.fire_at or event.time + (event.data.duration_ms or 0)
        for event in history
        if isinstance(event.data, told.TimerStarted)
    }
    for event in history:
        if isinstance(event.data, told.TimerFired):
            # The engines' clocks may be so far apart.
            assert event.time >= due[event.data.timer_id] - skew_ms, (execution, event)


def _begun(data: EventData) -> Iterator[str]:
    yield from _ids_in(data, BEGINNINGS)
    if isinstance(data, OPERATIONS):
        yield f"operation {data.operation_index}"


def _ids_in(data: EventData, types: tuple[type[EventData], ...]) -> Iterator[str]:
    if isinstance(data, types):
        yield from (str(getattr(data, field)) for field in ID_FIELDS if hasattr(data, field))


def _repeated(counted: Counter[str]) -> list[str]:
    return [identity for identity, count in counted.items() if count > 1]


def check_attempts(rows: MemoryRows, task: Task) -> None:
    """I3: every try is on record, and the result is that of the accepted one."""
    attempts: Sequence[Attempt] = rows.attempts.get((task.tenant, task.id), ())
    numbers = [attempt.attempt for attempt in attempts]
    assert numbers == sorted(set(numbers)), (task, attempts)
    assert len(attempts) == task.attempt, (task, attempts)
    accepted = [attempt.output for attempt in attempts if attempt.status is AttemptStatus.COMPLETED]
    if task.task_type == "laborious" and task.status is TaskStatus.COMPLETED:
        assert task.output == str(attempts[-1].attempt).encode(), (task, attempts)
    assert accepted == ([task.output] if task.status is TaskStatus.COMPLETED else []), (task, attempts)


def check_replays(rows: MemoryRows, registry: Registry) -> None:
    """I7: today's code makes of every history what it made of it then."""
    for key, execution in rows.executions.items():
        check_replay(
            registry.workflow(execution.kind),
            rows.history[key],
            execution_id=execution.id,
            tenant=execution.tenant,
            queue=execution.queue,
            parent_id=execution.parent_id,
        )
        assert execution.failure_type != DETERMINISM_VIOLATION, execution
