"""What time and vanished workers do: act on every record whose moment has come."""

from collections.abc import Iterable

from holdfast.engine import activation, promises, schedules, tasks, timers
from holdfast.engine.missing import MoreWanted
from holdfast.engine.state import ExecutionKey, PromiseKey, ScheduleKey, State, TaskKey, TimerKey
from holdfast.model.ids import ALL_TENANTS, ExecutionId, PromiseId, TaskId, TenantId, TimerId
from holdfast.model.instants import Instant, Milliseconds, later
from holdfast.model.records import Execution, Promise, Task
from holdfast.model.requests import FireIfDue, NotYet, ReclaimWorkers
from holdfast.model.schedules import Schedule
from holdfast.model.statuses import ExecutionStatus, TaskStatus
from holdfast.model.wakes import WakeKey, WakeSort, WakeUp


def act_on(
    state: State,
    *,
    due_executions: Iterable[ExecutionKey],
    due_tasks: Iterable[TaskKey],
    due_timers: Iterable[TimerKey],
    due_promises: Iterable[PromiseKey],
    due_schedules: Iterable[ScheduleKey],
) -> None:
    """Act on records that may be due: on each that is there, and due as this batch has left it."""
    if state.carried:
        state.flow_steps = 0
    due_executions = list(due_executions)
    _require_open_items(state, due_executions)
    for timer_key in due_timers:
        timer = state.timers.rows.get(timer_key)
        if timer is not None and timer.fire_at <= state.now:
            timers.fire(state, timer_key)
    for task_key in due_tasks:
        if _is_due(state, state.tasks.rows.get(task_key)):
            tasks.look(state, task_key)
    for promise_key in due_promises:
        if _is_due(state, state.promises.rows.get(promise_key)):
            promises.time_out(state, promise_key)
    for execution_key in due_executions:
        if _is_due(state, state.executions.rows.get(execution_key)):
            activation.look(state, execution_key)
    schedules.look_at_due(state, due_schedules)


def fire_if_due(state: State, request: FireIfDue) -> NotYet:
    """Act on rows that somebody's index takes for due; the rows decide, so a stale or doubled entry changes nothing."""
    ids: dict[WakeSort, list[tuple[TenantId, str]]] = {sort: [] for sort in WakeSort}
    for sort, tenant, identity in request.keys:
        ids[sort].append((tenant, identity))
    act_on(
        state,
        due_executions=[(tenant, ExecutionId(each)) for tenant, each in ids[WakeSort.EXECUTION]],
        due_tasks=[(tenant, TaskId(each)) for tenant, each in ids[WakeSort.TASK]],
        due_timers=[(tenant, TimerId(each)) for tenant, each in ids[WakeSort.TIMER]],
        due_promises=[(tenant, PromiseId(each)) for tenant, each in ids[WakeSort.PROMISE]],
        due_schedules=ids[WakeSort.SCHEDULE],
    )
    wakes = ((key, _wake_of(state, key)) for key in request.keys)
    return NotYet(tuple(WakeUp(due, *key) for key, due in wakes if due is not None))


def _wake_of(state: State, key: WakeKey) -> Instant | None:
    sort, tenant, identity = key
    if sort is WakeSort.TIMER:
        timer = state.timers.rows.get((tenant, TimerId(identity)))
        return None if timer is None else timer.fire_at
    if sort is WakeSort.EXECUTION:
        return _wake_at(state.executions.rows.get((tenant, ExecutionId(identity))))
    if sort is WakeSort.TASK:
        return _wake_at(state.tasks.rows.get((tenant, TaskId(identity))))
    if sort is WakeSort.SCHEDULE:
        return _wake_at(state.schedules.rows.get((tenant, identity)))
    return _wake_at(state.promises.rows.get((tenant, PromiseId(identity))))


def _wake_at(row: Execution | Task | Promise | Schedule | None) -> Instant | None:
    return None if row is None else row.wake_at


def _require_open_items(state: State, due_executions: Iterable[ExecutionKey]) -> None:
    """Ask at once for all that overdue executions leave open: a sweep may close hundreds of them."""
    rows = {key: row for key in due_executions if (row := state.executions.rows.get(key)) is not None}
    wanted = [
        key
        for key, row in rows.items()
        if row.open_items and key not in state.opened and activation.overdue(state, row)
    ]
    if wanted:
        raise MoreWanted(open_items_of=wanted)


def _is_due(state: State, record: Execution | Task | Promise | None) -> bool:
    return record is not None and record.wake_at is not None and record.wake_at <= state.now


def reclaim(
    state: State, request: ReclaimWorkers, *, held_executions: Iterable[ExecutionKey], held_tasks: Iterable[TaskKey]
) -> None:
    """Take back what workers hold that are known to be gone."""
    for task_key in held_tasks:
        task = state.tasks.rows[task_key]
        if task.status is TaskStatus.RUNNING and _is_to_be_taken(request, task, tasks.LEASE_MS):
            tasks.lose(state, task)
    for execution_key in held_executions:
        execution = state.executions.rows[execution_key]
        is_running = execution.status is ExecutionStatus.RUNNING
        if is_running and _is_to_be_taken(request, execution, activation.LEASE_MS):
            activation.lose(state, execution)


def _is_to_be_taken(request: ReclaimWorkers, held: Execution | Task, lease_ms: int) -> bool:
    if held.worker_id not in request.workers or request.tenant not in (ALL_TENANTS, held.tenant):
        return False
    silent_since, expires = request.silent_since, held.lease_expires_at
    return silent_since is None or expires is None or expires < later(silent_since, Milliseconds(lease_ms))
