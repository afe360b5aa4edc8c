"""Retrying a failed execution: it goes on from where it stands, with the code of today.

What its end had closed is opened again: tasks and promises that the history shows as begun and not ended, timers, and
the one task or child whose failure ended it. What ended unheard, after the execution had closed, is told now.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

import msgspec
from msgspec.structs import replace

from holdfast.engine import closing, executions, tasks, timers
from holdfast.engine.missing import MoreWanted
from holdfast.engine.reopening import reopen
from holdfast.engine.state import ExecutionKey, PromiseKey, State, TaskKey
from holdfast.model.errors import NotRetryable
from holdfast.model.events import (
    ChildWorkflowInitiated,
    Event,
    EventData,
    PromiseCreated,
    ResetRequested,
    RetryRequested,
    TaskCancellationRequested,
    TaskCancelled,
    TaskCompleted,
    TaskScheduled,
    TimerStarted,
)
from holdfast.model.flows import flow_of
from holdfast.model.ids import ExecutionId, TenantId
from holdfast.model.instants import later
from holdfast.model.items import begun_item, ended_item
from holdfast.model.records import Execution, Timer
from holdfast.model.requests import Done, RetryWorkflow
from holdfast.model.reset_rule import standing
from holdfast.model.retry_rule import failure_to_reopen, voided_by_retry
from holdfast.model.statuses import ExecutionStatus, PromiseStatus, TaskStatus


def retry(state: State, request: RetryWorkflow) -> Done:
    """Let a failed execution go on."""
    key = request.tenant, request.execution_id
    execution = executions.found(state, key)
    if is_for_its_parent(state, execution):
        raise NotRetryable("workflow", execution.id, execution.status, "its parent has heard of its end; retry that")
    revive(state, key, RetryRequested(request.reason, request.requested_by))
    return Done()


def is_for_its_parent(state: State, execution: Execution) -> bool:
    """A child ends once in its parent's history; only together with its parent can it be opened for another end."""
    if execution.parent_id is None:
        return False
    parent = state.executions.rows.get((execution.tenant, execution.parent_id))
    return parent is not None and (not parent.closed or parent.status is ExecutionStatus.FAILED)


def revive(state: State, key: ExecutionKey, fact: RetryRequested) -> None:
    """Open a failed execution again, with all that its code still waits for."""
    execution = executions.found(state, key)
    if execution.status is not ExecutionStatus.FAILED:
        raise NotRetryable("workflow", execution.id, execution.status)
    if flow_of(execution.kind) is not None:
        reopen(state, execution)
        state.flow_news.append((key, fact))
        return
    if key not in state.whole:
        raise MoreWanted(histories=[key])
    told = state.known_events(key)
    history = standing(told)
    was_reset = any(isinstance(event.data, ResetRequested) for event in told)
    if was_reset and key not in state.opened:
        raise MoreWanted(open_items_of=[key])
    items = unfinished_items(history)
    require_rows(state, key[0], items)
    others = still_ending(state, key, {begun_item(item.data) for item in items}) if was_reset else 0
    news = _reopen_all(state, execution, items, cancelled_by_code(history))
    _open(state, executions.found(state, key), fact, news, open_items=len(items) - len(news) + others)


def unfinished_items(history: Sequence[Event]) -> list[Event]:
    """What was begun and has not ended; the failure that a retry undoes does not count as an end."""
    reopened = failure_to_reopen(history)
    void = voided_by_retry(history) | ({reopened.sequence} if reopened is not None else set())
    ended = {ended_item(event.data) for event in history if event.sequence not in void}
    return [event for event in history if (item := begun_item(event.data)) is not None and item not in ended]


def still_ending(state: State, key: ExecutionKey, items: AbstractSet[str | None]) -> int:
    """How many open tasks and children belong to what resets have voided: their ends still come, and are counted."""
    open_ids = [item for _, item in (*state.open_tasks(key), *state.open_children(key))]
    return sum(item not in items for item in open_ids)


def require_rows(state: State, tenant: TenantId, items: Iterable[Event]) -> None:
    """Ask once for the rows of the items; one that has been pruned stays away."""
    wanted_tasks: list[TaskKey] = []
    wanted_promises: list[PromiseKey] = []
    wanted_children: list[ExecutionKey] = []
    for item in items:
        match item.data:
            case TaskScheduled(task_execution_id=task_id):
                wanted_tasks.append((tenant, task_id))
            case PromiseCreated(promise_id=promise_id):
                wanted_promises.append((tenant, promise_id))
            case ChildWorkflowInitiated(child_workflow_execution_id=child_id):
                wanted_children.append((tenant, child_id))
            case _:
                pass
    if {*wanted_tasks, *wanted_promises, *wanted_children} - state.looked_for:
        raise MoreWanted(tasks=wanted_tasks, promises=wanted_promises, executions=wanted_children)


def cancelled_by_code(history: Sequence[Event]) -> frozenset[str]:
    """The tasks whose end the code itself has asked for, but for the one whose cancellation ended the execution."""
    cause = failure_to_reopen(history)
    asked = {event.data.task_execution_id for event in history if isinstance(event.data, TaskCancellationRequested)}
    return frozenset(asked if cause is None else asked - {ended_item(cause.data)})


def _reopen_all(
    state: State, execution: Execution, items: Sequence[Event], cancelled: frozenset[str]
) -> list[EventData]:
    """Open the items again; the news of those that ended unheard."""
    found: list[EventData] = []
    more = MoreWanted()
    for item in items:
        try:
            news = reopen_item(state, execution, item, cancelled)
        except MoreWanted as wanted:
            # All children of a level ask together, so that the number of rounds follows the depth alone.
            more.join(wanted)
            continue
        if news is not None:
            found.append(news)
    if more:
        raise more
    return found


def reopen_item(state: State, execution: Execution, item: Event, cancelled: frozenset[str]) -> EventData | None:
    """Open one item again; or, if it ended unheard, the news of it."""
    match item.data:
        case TimerStarted() as started:
            fire_at = timers.fire_time(item.time, started)
            key = execution.tenant, started.timer_id
            if key not in state.timers.rows:
                state.timers.create(key, Timer(*key, execution.id, fire_at, item.time))
            return None
        case PromiseCreated(promise_id=promise_id, timeout_ms=timeout_ms):
            _reopen_promise(state, (execution.tenant, promise_id), timeout_ms)
            return None
        case TaskScheduled(task_execution_id=task_id):
            return _reopen_task(state, (execution.tenant, task_id), cancelled=task_id in cancelled)
        case _:
            return _reopen_child(state, execution, ExecutionId(begun_item(item.data) or ""))


def _reopen_promise(state: State, key: PromiseKey, timeout_ms: int | None) -> None:
    promise = state.promises.rows.get(key)
    if promise is None or promise.status is PromiseStatus.PENDING:
        return
    wake_at = None if timeout_ms is None else later(promise.created_at, timeout_ms)
    opened = replace(promise, status=PromiseStatus.PENDING, wake_at=wake_at, closed_at=None)
    state.promises.change(key, opened)


def _reopen_task(state: State, key: TaskKey, *, cancelled: bool) -> EventData | None:
    task = state.tasks.rows.get(key)
    if task is None:
        return None
    if task.status is TaskStatus.COMPLETED:
        return TaskCompleted(task.id, task.task_type, msgspec.Raw(task.output or b"null"))
    if cancelled:
        return TaskCancelled(task.id, task.task_type, "its workflow asked for it") if task.closed else None
    if task.closed:
        tasks.reopen(state, task)
    else:
        state.tasks.change(key, replace(task, cancel_requested=False))
    return None


def _reopen_child(state: State, execution: Execution, child_id: ExecutionId) -> EventData | None:
    key = execution.tenant, child_id
    child = state.executions.rows.get(key)
    if child is None or not child.closed:
        return None
    if child.status is ExecutionStatus.FAILED:
        revive(state, key, RetryRequested(f"its parent {execution.id} is retried", ""))
        return None
    return closing.ending_for_parent(child)


def _open(state: State, execution: Execution, fact: RetryRequested, news: list[EventData], *, open_items: int) -> None:
    reopen(state, execution, fact, *news, status=ExecutionStatus.PENDING, open_items=open_items)
    state.ready_executions.append((execution.tenant, execution.id))
