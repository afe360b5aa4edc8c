"""The keys of the rows that a plan needs."""

from collections.abc import Iterable
from typing import NamedTuple, cast

from holdfast.ports.store import (
    ExecutionKey,
    FrameKey,
    PromiseKey,
    QueueKey,
    ScheduleKey,
    ScopeKey,
    TaskKey,
    TimerKey,
    ValueKey,
    VersionKey,
    Wanted,
)


class Keys(NamedTuple):
    """The rows to read; `claimed` are executions whose unseen events are read, `histories` those with all events."""

    executions: set[ExecutionKey]
    tasks: set[TaskKey]
    timers: set[TimerKey]
    promises: set[PromiseKey]
    claimed: set[ExecutionKey]
    histories: set[ExecutionKey]
    frames: set[FrameKey]
    scopes: set[ScopeKey]
    flow_values: set[ValueKey]
    item_results: set[ScopeKey]
    flow_versions: set[VersionKey]
    queues: set[QueueKey]
    schedules: set[ScheduleKey]

    @property
    def questions(self) -> tuple[str, ...]:
        """The statements that read them."""
        asked = {
            "read_executions": self.executions,
            "read_tasks": self.tasks,
            "read_timers": self.timers,
            "read_promises": self.promises,
            "read_unseen_events": self.claimed,
            "read_whole_histories": self.histories,
            "read_frames": self.frames,
            "read_scopes": self.scopes,
            "read_flow_values": self.flow_values,
            "read_item_results": self.item_results,
            "read_flow_versions": self.flow_versions,
            "read_queues": self.queues,
            "read_schedules": self.schedules,
        }
        return tuple(name for name, keys in asked.items() if keys)

    def halves(self) -> "tuple[Keys, Keys] | None":
        """Two that together ask for the same, if there is anything to divide."""
        every = [(place, key) for place, keys in enumerate(self) for key in cast("set[tuple[str, ...]]", keys)]
        if len(every) < 2:
            return None
        middle = len(every) // 2
        return _keys_of(every[:middle]), _keys_of(every[middle:])


def _keys_of(placed: Iterable[tuple[int, tuple[str, ...]]]) -> Keys:
    keys = Keys(*(set() for _ in Keys._fields))
    for place, key in placed:
        cast("set[tuple[str, ...]]", keys[place]).add(key)
    return keys


def known_keys(wanted: Wanted) -> Keys:
    """The keys that are wanted by name; others are found by searches."""
    return Keys(
        executions=set(wanted.executions),
        tasks=set(wanted.tasks),
        timers=set(wanted.timers),
        promises=set(wanted.promises),
        claimed=set(),
        histories=set(wanted.histories),
        frames=set(wanted.frames),
        scopes=set(wanted.scopes),
        flow_values=set(wanted.flow_values),
        item_results=set(wanted.item_results),
        flow_versions=set(wanted.flow_versions),
        queues=set(wanted.queues),
        schedules=set(wanted.schedules),
    )
