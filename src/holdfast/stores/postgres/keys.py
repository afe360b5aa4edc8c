"""The rows that a transaction reads and locks, by key."""

from typing import NamedTuple

from holdfast.ports.store import ExecutionKey, FrameKey, PromiseKey, ScheduleKey, ScopeKey, TaskKey, TimerKey, Wanted


class Keys(NamedTuple):
    """Rows that can be locked; timers and promises are locked by their executions."""

    executions: set[ExecutionKey]
    tasks: set[TaskKey]
    timers: set[TimerKey]
    promises: set[PromiseKey]
    frames: set[FrameKey]
    scopes: set[ScopeKey]
    schedules: set[ScheduleKey]

    @staticmethod
    def none() -> "Keys":
        """No rows, to which some may be added."""
        return Keys(set(), set(), set(), set(), set(), set(), set())

    @staticmethod
    def of(wanted: Wanted) -> "Keys":
        """Those that a plan names."""
        return Keys(
            set(wanted.executions),
            set(wanted.tasks),
            set(wanted.timers),
            set(wanted.promises),
            set(wanted.frames),
            set(wanted.scopes),
            set(wanted.schedules),
        )

    def add(self, other: "Keys") -> None:
        """Take in others."""
        self.executions.update(other.executions)
        self.tasks.update(other.tasks)
        self.timers.update(other.timers)
        self.promises.update(other.promises)
        self.frames.update(other.frames)
        self.scopes.update(other.scopes)
        self.schedules.update(other.schedules)
