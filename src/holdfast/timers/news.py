"""What a commit means for an index outside of the database: who waits for which instant now, and who does not any more.

Leases are not told: there is one for each piece of work that runs, nearly all of them end unused within moments, and
one that runs out is a worker that has died, which the database finds by itself.
"""

from collections.abc import Iterator
from itertools import chain

from holdfast.engine import deadlines
from holdfast.model.instants import Instant, earliest
from holdfast.model.records import Execution, Promise, Task
from holdfast.model.statuses import TaskStatus
from holdfast.model.wakes import WakeKey, WakeSort
from holdfast.ports.store import Changes

News = Iterator[tuple[WakeKey, Instant | None]]


def news_of(changes: Changes) -> News:
    """Each row that time acts on, or did, with the instant at which it will."""
    return chain(_timers(changes), _tasks(changes), _promises(changes), _executions(changes), _schedules(changes))


def _timers(changes: Changes) -> News:
    for timer in chain(changes.new_timers, changes.moved_timers):
        yield (WakeSort.TIMER, timer.tenant, timer.id), timer.fire_at
    for tenant, identity in changes.gone_timers:
        yield (WakeSort.TIMER, tenant, identity), None


def _tasks(changes: Changes) -> News:
    for task in chain(changes.new_tasks, changes.changed_tasks):
        due = _due_of_task(task)
        # A task that waits for nothing and never had a limit was never in the index, or has been claimed from it.
        if due is not None or _is_limited(task) or (task.closed and task.scheduled_at is not None):
            yield (WakeSort.TASK, task.tenant, task.id), due


def _promises(changes: Changes) -> News:
    for promise in changes.new_promises:
        if promise.wake_at is not None:
            yield _promise_key(promise), promise.wake_at
    for promise in changes.changed_promises:
        yield _promise_key(promise), promise.wake_at


def _executions(changes: Changes) -> News:
    for execution in chain(changes.new_executions, changes.changed_executions):
        if execution.deadline_at is not None:
            yield _execution_key(execution), None if execution.closed else execution.deadline_at


def _schedules(changes: Changes) -> News:
    for schedule in changes.schedules:
        yield (WakeSort.SCHEDULE, schedule.tenant, schedule.id), schedule.wake_at
    for tenant, identity in changes.gone_schedules:
        yield (WakeSort.SCHEDULE, tenant, identity), None


def _promise_key(promise: Promise) -> WakeKey:
    return WakeSort.PROMISE, promise.tenant, promise.id


def _execution_key(execution: Execution) -> WakeKey:
    return WakeSort.EXECUTION, execution.tenant, execution.id


def _due_of_task(task: Task) -> Instant | None:
    if task.closed:
        return None
    waits = task.status is TaskStatus.PENDING and not task.ready
    return earliest(task.scheduled_at if waits else None, *[at for at, _ in deadlines.limits(task)])


def _is_limited(task: Task) -> bool:
    options = task.options
    limits = (options.start_to_close_ms, options.schedule_to_close_ms, options.schedule_to_start_ms)
    return options.heartbeat_ms is not None or any(limit is not None for limit in limits)
