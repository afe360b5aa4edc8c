"""How an execution goes on that was retried or reset: its code runs again, from an earlier point of its history.

What the code waits for at that point is open afterwards, even if the end of the execution, or code that is void now,
had closed it: tasks, timers, promises, children that were cancelled for no other reason. What ended unheard is told.
What void code had asked for is called off.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

import msgspec
from msgspec.structs import replace

from holdfast.engine import activation, closing, executions, promises, tasks, timers
from holdfast.engine.missing import MoreWanted
from holdfast.engine.reopening import reopen
from holdfast.engine.state import ExecutionKey, PromiseKey, State, TaskKey
from holdfast.model.errors import NotRetryable
from holdfast.model.events import (
    CancellationRequested,
    ChildCancellationRequested,
    ChildWorkflowInitiated,
    Event,
    EventData,
    PromiseCreated,
    ResetRequested,
    RetryRequested,
    StateCleared,
    StateSet,
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
from holdfast.model.records import Execution, StateEntry, Timer
from holdfast.model.reset_rule import seen_at, standing
from holdfast.model.retry_rule import last_turn
from holdfast.model.statuses import ExecutionStatus, PromiseStatus, TaskStatus

CALLED_OFF = "its workflow was sent back to before it"


def retry(state: State, key: ExecutionKey, reason: str, requested_by: str) -> None:
    """Let a failed execution go on from the turn in which it failed."""
    execution = executions.found(state, key)
    if execution.status is not ExecutionStatus.FAILED:
        raise NotRetryable("workflow", execution.id, execution.status)
    if flow_of(execution.kind) is not None:
        reopen(state, execution)
        state.flow_news.append((key, RetryRequested(reason, requested_by)))
        return
    require_whole(state, key)
    turn = last_turn(state.known_events(key))
    resume(state, key, RetryRequested(reason, requested_by, turn.point), seen=turn.seen)


def require_whole(state: State, key: ExecutionKey) -> None:
    """Ask for all that has happened to an execution, and all that it has open."""
    if key not in state.whole or key not in state.opened:
        raise MoreWanted(histories=[key], open_items_of=[key])


def resume(state: State, key: ExecutionKey, fact: RetryRequested | ResetRequested, *, seen: int | None = None) -> None:
    """Let an execution, of which all has been loaded, go on as this fact says."""
    told = state.known_events(key)
    before = standing(told)
    # The ends of what is called off come between these and the fact, where they are void.
    after = standing([*told, Event(told[-1].sequence + 1, state.now, fact)])
    items = _unfinished_items(after)
    _require_rows(state, key[0], items)
    _call_off(state, key, {begun_item(event.data) for event in after})
    news = _open_again(state, key, items, after, retried=isinstance(fact, RetryRequested))
    _roll_state_back(state, key, before, after)
    others = _still_ending(state, key, {begun_item(item.data) for item in items})
    _go_on(state, key, (fact, *news), after, open_items=len(items) - len(news) + others, seen=seen)


def _unfinished_items(history: Sequence[Event]) -> list[Event]:
    """What was begun and has not ended."""
    ended = {ended_item(event.data) for event in history}
    return [event for event in history if (item := begun_item(event.data)) is not None and item not in ended]


def _require_rows(state: State, tenant: TenantId, items: Iterable[Event]) -> None:
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


def _call_off(state: State, key: ExecutionKey, kept: AbstractSet[str | None]) -> None:
    """Close what is open and was begun by void code."""
    for timer_key in state.open_timers(key):
        if timer_key[1] not in kept:
            state.timers.drop(timer_key)
    for promise_key in state.open_promises(key):
        if promise_key[1] not in kept:
            promises.call_off(state, promise_key)
    for task_key in state.open_tasks(key):
        if task_key[1] not in kept:
            tasks.request_cancel(state, task_key, CALLED_OFF)
    for child_key in state.open_children(key):
        if child_key[1] not in kept:
            executions.request_cancel(
                state, state.executions.rows[child_key], CALLED_OFF, executions.parent_mark(key[1])
            )


def _open_again(
    state: State, key: ExecutionKey, items: Sequence[Event], after: Sequence[Event], *, retried: bool
) -> list[EventData]:
    """See to it that what the code waits for is open; the news of what has ended unheard."""
    execution = executions.found(state, key)
    cancelled = _cancelled_by_code(after)
    found: list[EventData] = []
    more = MoreWanted()
    for item in items:
        try:
            news = _open_item(state, execution, item, cancelled, retried=retried)
        except MoreWanted as wanted:
            # All children of a level ask together, so that the number of rounds follows the depth alone.
            more.join(wanted)
            continue
        if news is not None:
            found.append(news)
    if more:
        raise more
    return found


def _cancelled_by_code(history: Sequence[Event]) -> frozenset[str]:
    """The tasks and children whose end the code itself has asked for."""
    tasks_ = (each.data.task_execution_id for each in history if isinstance(each.data, TaskCancellationRequested))
    children = (
        each.data.child_workflow_execution_id for each in history if isinstance(each.data, ChildCancellationRequested)
    )
    return frozenset((*tasks_, *children))


def _open_item(
    state: State, execution: Execution, item: Event, cancelled: AbstractSet[str], *, retried: bool
) -> EventData | None:
    """Open one item again; or, if it ended unheard, the news of it."""
    match item.data:
        case TimerStarted() as started:
            fire_at = timers.fire_time(item.time, started)
            key = execution.tenant, started.timer_id
            if key not in state.timers.rows:
                state.timers.create(key, Timer(*key, execution.id, fire_at, item.time))
            return None
        case PromiseCreated(promise_id=promise_id, timeout_ms=timeout_ms):
            _open_promise(state, (execution.tenant, promise_id), timeout_ms)
            return None
        case TaskScheduled(task_execution_id=task_id):
            return _open_task(state, (execution.tenant, task_id), cancelled=task_id in cancelled)
        case _:
            child_id = ExecutionId(begun_item(item.data) or "")
            return _open_child(state, execution, child_id, cancelled=child_id in cancelled, retried=retried)


def _open_promise(state: State, key: PromiseKey, timeout_ms: int | None) -> None:
    promise = state.promises.rows.get(key)
    if promise is None or promise.status is PromiseStatus.PENDING:
        return
    wake_at = None if timeout_ms is None else later(promise.created_at, timeout_ms)
    opened = replace(promise, status=PromiseStatus.PENDING, wake_at=wake_at, closed_at=None)
    state.promises.change(key, opened)


def _open_task(state: State, key: TaskKey, *, cancelled: bool) -> EventData | None:
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


def _open_child(
    state: State, execution: Execution, child_id: ExecutionId, *, cancelled: bool, retried: bool
) -> EventData | None:
    """However a child has ended by itself is a fact; but with a retry, what has failed in it is tried again."""
    key = execution.tenant, child_id
    child = state.executions.rows.get(key)
    if child is None:
        return None
    reason = f"its parent {execution.id} goes on"
    point = None if cancelled else _before_its_cancellation(state, execution, child)
    if point is not None:
        resume(state, key, ResetRequested(point, reason, executions.parent_mark(execution.id)))
        return None
    if retried and child.status is ExecutionStatus.FAILED:
        retry(state, key, reason, executions.parent_mark(execution.id))
        return None
    return closing.ending_for_parent(child) if child.closed else None


def _before_its_cancellation(state: State, execution: Execution, child: Execution) -> int | None:
    """The point before the parent asked for the child's end; None, if it has not, or if that cannot be undone."""
    done = child.status in (ExecutionStatus.COMPLETED, ExecutionStatus.TERMINATED)
    if done or not child.cancel_requested or flow_of(child.kind) is not None:
        return None
    key = child.tenant, child.id
    require_whole(state, key)
    for event in standing(state.known_events(key)):
        if isinstance(event.data, CancellationRequested):
            return event.sequence - 1 if event.data.requested_by == executions.parent_mark(execution.id) else None
    return None


def _roll_state_back(state: State, key: ExecutionKey, before: Sequence[Event], after: Sequence[Event]) -> None:
    """Give each key of the execution's state the value that it had at the point."""
    shown, kept = _values(before), _values(after)
    for name in shown | kept:
        if shown.get(name) != kept.get(name):
            state.state_entries.append(StateEntry(*key, name, kept.get(name)))


def _values(history: Sequence[Event]) -> dict[str, bytes]:
    values: dict[str, bytes] = {}
    for event in history:
        match event.data:
            case StateSet(key=name, value=value):
                values[name] = bytes(value)
            case StateCleared(key=name):
                values.pop(name, None)
            case _:
                pass
    return values


def _still_ending(state: State, key: ExecutionKey, items: AbstractSet[str | None]) -> int:
    """How many open tasks and children belong to what is void: their ends still come, and are counted."""
    open_ids = [item for _, item in (*state.open_tasks(key), *state.open_children(key))]
    return sum(item not in items for item in open_ids)


def _go_on(
    state: State,
    key: ExecutionKey,
    facts: Sequence[EventData],
    after: Sequence[Event],
    *,
    open_items: int,
    seen: int | None,
) -> None:
    """Put it on record and let a worker run the code; whoever held a claim has lost it."""
    execution = executions.found(state, key)
    was_ready = execution.status is ExecutionStatus.PENDING
    reopen(state, execution, *facts, status=ExecutionStatus.PENDING, open_items=open_items)
    opened = replace(
        state.executions.rows[key],
        deadline_at=None if execution.closed else execution.deadline_at,
        cancel_requested=any(isinstance(event.data, CancellationRequested) for event in after),
        seen_sequence=seen_at(after) if seen is None else seen,
    )
    state.executions.change(key, activation.let_go(opened, ExecutionStatus.PENDING, executions.TAKEN_BACK))
    if not was_ready:
        state.ready_executions.append(key)
