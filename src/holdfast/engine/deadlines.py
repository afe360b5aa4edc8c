"""A task's four limits and its lease: which has run out, and when the scheduler must look next."""

from holdfast.model.instants import Instant, earliest, later
from holdfast.model.records import Task
from holdfast.model.statuses import TaskStatus, TimeoutType


def limits(task: Task) -> list[tuple[Instant, TimeoutType]]:
    """The instants at which the task as it stands overruns a limit."""
    options = task.options
    found: list[tuple[Instant, TimeoutType]] = []
    if options.schedule_to_close_ms is not None:
        found.append((later(task.created_at, options.schedule_to_close_ms), TimeoutType.SCHEDULE_TO_CLOSE))
    if task.status is TaskStatus.PENDING and options.schedule_to_start_ms is not None:
        since = task.created_at if task.scheduled_at is None else max(task.created_at, task.scheduled_at)
        found.append((later(since, options.schedule_to_start_ms), TimeoutType.SCHEDULE_TO_START))
    if task.started_at is None:
        return found
    if options.start_to_close_ms is not None:
        found.append((later(task.started_at, options.start_to_close_ms), TimeoutType.START_TO_CLOSE))
    if options.heartbeat_ms is not None:
        since = task.started_at if task.heartbeat_at is None else task.heartbeat_at
        found.append((later(since, options.heartbeat_ms), TimeoutType.HEARTBEAT))
    return found


def overrun(task: Task, now: Instant) -> TimeoutType | None:
    """The first limit that has run out."""
    passed = [limit for limit in limits(task) if limit[0] <= now]
    return min(passed)[1] if passed else None


def wake_time(task: Task) -> Instant | None:
    """When the scheduler must look at the task."""
    options = task.options
    if (
        options.start_to_close_ms is None
        and options.schedule_to_close_ms is None
        and options.schedule_to_start_ms is None
        and options.heartbeat_ms is None
    ):
        return task.lease_expires_at if task.status is TaskStatus.RUNNING else _start(task)
    return earliest(task.lease_expires_at, _start(task), *[at for at, _ in limits(task)])


def _start(task: Task) -> Instant | None:
    waits = task.status is TaskStatus.PENDING and not task.ready
    return task.scheduled_at if waits else None
