"""What must hold in every state of the engine (reliability.md, I1 to I8), read from the rows alone."""

from collections import Counter
from collections.abc import Mapping

from holdfast.engine.deadlines import wake_time
from holdfast.model.events import (
    Event,
    EventData,
    ResetRequested,
    RetryRequested,
    StateCleared,
    StateSet,
    TaskCompleted,
    TimerFired,
    WorkflowCancelled,
    WorkflowCompleted,
    WorkflowFailed,
    WorkflowTerminated,
)
from holdfast.model.ids import TaskId, TimerId
from holdfast.model.instants import Instant
from holdfast.model.items import begun_item, ended_item
from holdfast.model.records import Execution, Task
from holdfast.model.reset_rule import standing
from holdfast.model.statuses import AttemptStatus, ExecutionStatus, PromiseStatus, TaskStatus
from holdfast.ports.store import ExecutionKey
from holdfast.testing.rows import MemoryRows

ENDS: dict[type[EventData], ExecutionStatus] = {
    WorkflowCompleted: ExecutionStatus.COMPLETED,
    WorkflowFailed: ExecutionStatus.FAILED,
    WorkflowCancelled: ExecutionStatus.CANCELLED,
    WorkflowTerminated: ExecutionStatus.TERMINATED,
}


def check(rows: MemoryRows) -> None:
    """All that can be seen in one state."""
    for key, execution in rows.executions.items():
        history = rows.history[key]
        assert execution.last_sequence == len(history)
        check_ends(execution, history)
        check_liveness(execution)
        check_open_items(rows, key, execution)
        check_state(rows, key)
    for task in rows.tasks.values():
        check_task(rows, task)
    check_keys(rows)


def check_ends(execution: Execution, history: tuple[Event, ...]) -> None:
    """I2: sequences without a gap; an execution, and each of its items, ends at most once."""
    assert [event.sequence for event in history] == list(range(1, len(history) + 1))
    assert execution.closed == (type(history[-1].data) in ENDS), "an end is the last event, and the row knows it"
    if execution.closed:
        assert execution.status is ENDS[type(history[-1].data)]
    begun: set[str] = set()
    for event in history:
        if (item := begun_item(event.data)) is not None:
            assert item not in begun, f"{item} begins twice"
            begun.add(item)
        if (item := ended_item(event.data)) is not None:
            assert item in begun, f"{item} ends before it begins"
    # What retries and resets have made void does not count: it may end again.
    ended = Counter(item for event in standing(history) if (item := ended_item(event.data)) is not None)
    assert all(count <= 1 for count in ended.values()), ended


def check_liveness(execution: Execution) -> None:
    """I5: whoever is RUNNING has a lease that the scheduler looks at; nobody waits for what is there already."""
    held = execution.worker_id is not None and execution.lease_expires_at is not None
    assert held == (execution.status is ExecutionStatus.RUNNING)
    wakes = [at for at in (execution.lease_expires_at, execution.deadline_at) if at is not None]
    assert execution.wake_at == (None if execution.closed else min(wakes, default=None))
    if execution.status is ExecutionStatus.WAITING:
        assert execution.seen_sequence == execution.last_sequence


def check_open_items(rows: MemoryRows, key: ExecutionKey, execution: Execution) -> None:
    """open_items is exact: the rows that are open, which are those that the history has begun and not ended.

    What retries and resets have made void may still be ending.
    """
    tasks = {row.id for row in rows.tasks.values() if (row.tenant, row.execution_id) == key and not row.closed}
    timers = {row.id for row in rows.timers.values() if (row.tenant, row.execution_id) == key}
    promises = {
        row.id
        for row in rows.promises.values()
        if (row.tenant, row.execution_id) == key and row.status is PromiseStatus.PENDING
    }
    children = {row.id for row in rows.executions.values() if (row.tenant, row.parent_id) == key and not row.closed}
    if execution.closed:
        assert execution.open_items == 0
        assert not timers
        assert not promises
        # Nobody wants them any more; what a worker holds has been asked to end.
        assert all(rows.tasks[key[0], TaskId(item)].cancel_requested for item in tasks)
        assert all(_asked_to_end(rows, (key[0], item)) for item in children)
        return
    assert execution.open_items == len(tasks) + len(timers) + len(promises) + len(children)
    unfinished = _unfinished(rows.history[key])
    assert {*timers, *promises} <= unfinished <= {*tasks, *timers, *promises, *children}
    assert all(rows.tasks[key[0], TaskId(item)].cancel_requested for item in tasks - unfinished)
    assert all(_asked_to_end(rows, (key[0], item)) for item in children - unfinished)


def _asked_to_end(rows: MemoryRows, key: ExecutionKey) -> bool:
    """Somebody may have retried or reset it since, apart from its parent."""
    went_on = any(isinstance(event.data, RetryRequested | ResetRequested) for event in rows.history[key])
    return rows.executions[key].cancel_requested or went_on


def _unfinished(history: tuple[Event, ...]) -> set[str]:
    stands = standing(history)
    ended = {ended_item(event.data) for event in stands}
    return {item for event in stands if (item := begun_item(event.data)) is not None and item not in ended}


def check_state(rows: MemoryRows, key: ExecutionKey) -> None:
    """What is shown of an execution's state is what its code has set, as far as that stands."""
    values: dict[str, bytes] = {}
    for event in standing(rows.history[key]):
        match event.data:
            case StateSet(key=name, value=value):
                values[name] = bytes(value)
            case StateCleared(key=name):
                values.pop(name, None)
            case _:
                pass
    assert {name: value for (owner, name), value in rows.state.items() if owner == key} == values


def check_task(rows: MemoryRows, task: Task) -> None:
    """I3 and I5: one record for each ended try; the result is the accepted try's; the scheduler looks at what waits."""
    attempts = rows.attempts.get((task.tenant, task.id), ())
    running = task.status is TaskStatus.RUNNING
    assert [each.attempt for each in attempts] == list(range(1, task.attempt + 1 - running))
    assert (task.lease_expires_at is not None) == running
    assert not task.ready or task.status is TaskStatus.PENDING
    assert task.wake_at == (None if task.closed else wake_time(task))
    if running:
        assert task.wake_at is not None
        assert task.lease_expires_at is not None
        assert task.wake_at <= task.lease_expires_at
    if task.status is TaskStatus.PENDING:
        assert task.ready or task.wake_at is not None, "nobody would ever look at it"
        assert not task.cancel_requested, "it would run although its end is asked for"
    if task.status is TaskStatus.COMPLETED:
        assert attempts[-1].status is AttemptStatus.COMPLETED
        assert attempts[-1].output == task.output
        check_result(rows, task)


def check_result(rows: MemoryRows, task: Task) -> None:
    """What the workflow has heard is what the accepted try gave."""
    if task.execution_id is None:
        return
    for event in rows.history[task.tenant, task.execution_id]:
        if isinstance(event.data, TaskCompleted) and event.data.task_execution_id == task.id:
            assert bytes(event.data.result) == task.output


def check_keys(rows: MemoryRows) -> None:
    """I8: the same key, the same task."""
    for (tenant, scope, key), used in rows.request_keys.items():
        if scope == "task":
            assert rows.tasks[tenant, TaskId(used.subject)].idempotency_key == key


def check_step(before: MemoryRows, after: MemoryRows) -> None:
    """I7 and I1: what is on record stays as it is; what has ended stays ended, unless it is retried or reset."""
    for key, history in before.history.items():
        assert after.history[key][: len(history)] == history
    for task_key, attempts in before.attempts.items():
        assert after.attempts[task_key][: len(attempts)] == attempts
    for task_key, task in before.tasks.items():
        assert after.tasks[task_key].claim_token >= task.claim_token
        if task.status is TaskStatus.COMPLETED:
            assert after.tasks[task_key] == task
    for execution_key, execution in before.executions.items():
        assert after.executions[execution_key].claim_token >= execution.claim_token
        if execution.status in (ExecutionStatus.COMPLETED, ExecutionStatus.CANCELLED, ExecutionStatus.TERMINATED):
            news = after.history[execution_key][execution.last_sequence :]
            was_reset = any(isinstance(event.data, ResetRequested) for event in news)
            assert was_reset or after.executions[execution_key] == execution


def check_fired(before: MemoryRows, after: MemoryRows, moved: Mapping[str, Instant]) -> None:
    """I4: no timer fires before its time, which it may have been moved to just now."""
    for key, history in after.history.items():
        for event in history[len(before.history.get(key, ())) :]:
            if isinstance(event.data, TimerFired):
                timer = before.timers.get((key[0], TimerId(event.data.timer_id)))
                assert timer is None or moved.get(timer.id, timer.fire_at) <= event.time
