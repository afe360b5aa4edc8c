"""Bugs that are planted into a server, to see that the checker finds them."""

from collections.abc import Callable

from holdfast.engine import activation, tasks, timers
from holdfast.engine.state import State, TaskKey
from holdfast.model.commands import StartTimer
from holdfast.model.events import TimerStarted
from holdfast.model.ids import ClaimToken, TaskId, TenantId
from holdfast.model.instants import Instant
from holdfast.model.records import Task
from holdfast.model.requests import Started, StartWorkflow
from holdfast.model.statuses import ExecutionStatus, TaskStatus
from holdfast.server.committer import Committer

SLOW_DISK = 0.1


def put(owner: object, name: str, value: object) -> None:
    """In the place of the real one; mypy takes an assignment for a mistake."""
    setattr(owner, name, value)


def no_fencing() -> None:
    """Whoever says that a task is done is believed, whether or not it is still his."""

    def held(state: State, tenant: TenantId, task_id: TaskId, _: ClaimToken, *__: TaskStatus) -> Task | None:
        task = state.tasks.rows[tenant, task_id]
        return task if task.status is TaskStatus.RUNNING else None

    put(tasks, "_held", held)
    put(activation, "_held", lambda execution, _: execution)


def publish_before_commit() -> None:
    """A start is answered when it has come; that it is written is taken for granted."""
    send = Committer.send

    def send_and_tell(self: Committer, request: object) -> object:
        if not isinstance(request, StartWorkflow):
            return send(self, request)  # type: ignore[arg-type]
        told = self._loop.create_future()
        told.set_result(Started(request.execution_id, True, ExecutionStatus.PENDING))
        self._loop.call_later(SLOW_DISK, send, self, request)
        return told

    put(Committer, "send", send_and_tell)


def timers_fire_early() -> None:
    """A timer of 30 milliseconds fires after 5."""

    def fire_time(now: Instant, timer: StartTimer | TimerStarted) -> Instant:
        return Instant(now + (timer.duration_ms or 0) // 6)

    put(timers, "fire_time", fire_time)


def lost_work_stays_lost() -> None:
    """The lease of a task runs out, and nothing follows."""

    def look(_: State, __: TaskKey) -> None:
        """Not even a warning."""

    put(tasks, "look", look)
    put(tasks, "lose", lambda state, task: None)


PLANTS: dict[str, Callable[[], None]] = {
    plant.__name__: plant for plant in (no_fencing, publish_before_commit, timers_fire_early, lost_work_stays_lost)
}
