"""All rows in dictionaries: loads and writes exactly as ports.store says, and refuses what a database would refuse.

It is the simplest store that is right, so tests of the engine run on it, and other stores can be compared with it.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import TypeVar

from msgspec import structs

from holdfast.model.errors import HoldfastError
from holdfast.model.events import Event
from holdfast.model.flows import FlowVersion, Frame, FrameStatus, ItemResult, Scope
from holdfast.model.ids import TaskId, TenantId
from holdfast.model.instants import Instant
from holdfast.model.messages import OutboxEntry
from holdfast.model.oversight import Activity, Kind, Notice, QueueSetting
from holdfast.model.ranks import task_rank
from holdfast.model.records import Attempt, Execution, Promise, RequestKey, StateEntry, Task, TaskLine, Timer
from holdfast.model.schedules import Schedule
from holdfast.model.statuses import ExecutionStatus, PromiseStatus, TaskStatus
from holdfast.model.wakes import WakeSort, WakeUp
from holdfast.ports.store import (
    KEPT_ACTIVITY_MINUTES,
    SHORT_HISTORY,
    Changes,
    ClaimWanted,
    DueWanted,
    ExecutionKey,
    FrameKey,
    HeldWanted,
    PromiseKey,
    PromiseName,
    QueueKey,
    RequestName,
    Rows,
    ScheduleKey,
    ScopeKey,
    TaskKey,
    TimerKey,
    ValueKey,
    VersionKey,
    Wanted,
    check_names,
)

MOST_UNSEEN = 1_024
"""So many unseen events come with a claim at most."""

SCOPE_OF_TASKS = "task"

Key = TypeVar("Key")
Row = TypeVar("Row")
Waking = TypeVar("Waking", Execution, Task, Promise, Schedule)
Held = TypeVar("Held", Execution, Task)
Owned = TypeVar("Owned", Task, Timer, Promise)
Kept = TypeVar("Kept", Execution, Task, Timer, Promise, Frame, Scope)

MUTABLE: Mapping[type, frozenset[str]] = {
    Execution: frozenset(
        {
            "deadline_at", "status", "last_sequence", "seen_sequence", "open_items", "claim_token", "worker_id",
            "lease_expires_at", "wake_at", "cancel_requested", "output", "failure", "failure_type", "closed_at",
        }
    ),
    Task: frozenset(
        {
            "options", "scheduled_at", "status", "ready", "attempt", "claim_token", "worker_id", "lease_expires_at",
            "wake_at", "started_at", "heartbeat_at", "details", "progress", "progress_message", "cancel_requested",
            "output", "failure", "closed_at",
        }
    ),
    Timer: frozenset({"fire_at"}),
    Promise: frozenset({"status", "wake_at", "closed_at"}),
    Frame: frozenset({"status", "ready", "state", "result", "failure", "closed_at"}),
    Scope: frozenset({"opened", "ended", "failed", "ready", "closed_at"}),
}  # fmt: skip
"""The fields that a change may change; stores do not write the others."""


class RowsDoNotFit(HoldfastError, AssertionError):
    """Rows were to be written that do not fit those that are there; nothing that was decided rightly does that."""


class MemoryRows:  # noqa: PLW1641 - it changes, so it has no hash
    """The rows of a store."""

    def __init__(self) -> None:
        self.executions: dict[ExecutionKey, Execution] = {}
        self.tasks: dict[TaskKey, Task] = {}
        self.timers: dict[TimerKey, Timer] = {}
        self.promises: dict[PromiseKey, Promise] = {}
        self.request_keys: dict[RequestName, RequestKey] = {}
        self.history: dict[ExecutionKey, tuple[Event, ...]] = {}
        self.attempts: dict[TaskKey, tuple[Attempt, ...]] = {}
        self.lines: dict[TaskKey, tuple[TaskLine, ...]] = {}
        self.state: dict[tuple[ExecutionKey, str], bytes] = {}
        self.frames: dict[FrameKey, Frame] = {}
        self.scopes: dict[ScopeKey, Scope] = {}
        self.flow_values: dict[ValueKey, bytes] = {}
        self.flow_versions: dict[VersionKey, FlowVersion] = {}
        self.schedules: dict[ScheduleKey, Schedule] = {}
        self.queues: dict[QueueKey, QueueSetting] = {}
        self.outbox: dict[str, OutboxEntry] = {}
        self.kinds: dict[tuple[TenantId, str, str], Kind] = {}
        self.feed: dict[TenantId, tuple[tuple[Instant, Notice], ...]] = {}
        self.forgotten_notices: dict[TenantId, int] = {}
        self.activity: dict[tuple[object, ...], Activity] = {}

    def copy(self) -> "MemoryRows":
        """The same rows, to be changed apart; rows themselves never change."""
        other = MemoryRows()
        for name, rows in vars(self).items():
            setattr(other, name, copy(rows))
        return other

    def become(self, other: "MemoryRows") -> None:
        """Have the rows of another."""
        vars(self).update(vars(other.copy()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MemoryRows) and vars(self) == vars(other)

    def next_wake(self, after: Instant | None = None) -> Instant | None:
        """The earliest wake_at or fire_at of all records, or of those that are later than this."""
        sorts = (self.executions, self.tasks, self.promises, self.schedules)
        wakes = [row.wake_at for rows in sorts for row in rows.values() if row.wake_at is not None]
        wakes += [timer.fire_at for timer in self.timers.values()]
        return min((wake for wake in wakes if after is None or wake > after), default=None)

    def ready_flows(self, limit: int) -> tuple[list[Frame], list[Scope]]:
        """The frames and the scopes that are ready, the oldest first."""
        frames = sorted((row.created_at, key) for key, row in self.frames.items() if row.ready)
        scopes = sorted((row.created_at, key) for key, row in self.scopes.items() if row.ready)
        return [self.frames[key] for _, key in frames[:limit]], [self.scopes[key] for _, key in scopes[:limit]]

    def wake_ups(self, sort: WakeSort, after: WakeUp | None = None) -> list[WakeUp]:
        """The wake-ups of a sort that follow one of them, or all, in their order."""
        found: list[WakeUp] = []
        if sort is WakeSort.TIMER:
            found = [WakeUp(timer.fire_at, sort, *key) for key, timer in self.timers.items()]
        else:
            rows: dict[WakeSort, Iterable[Execution | Task | Promise | Schedule]] = {
                WakeSort.EXECUTION: self.executions.values(),
                WakeSort.TASK: self.tasks.values(),
                WakeSort.PROMISE: self.promises.values(),
                WakeSort.SCHEDULE: self.schedules.values(),
            }
            found = [WakeUp(row.wake_at, sort, row.tenant, row.id) for row in rows[sort] if row.wake_at is not None]
        found.sort(key=structs.astuple)
        return [each for each in found if after is None or structs.astuple(each) > structs.astuple(after)]

    # Loading.

    def load(self, wanted: Wanted) -> Rows:
        """Everything that is wanted and there."""
        check_names(wanted)
        return _Load(self, wanted).rows

    # Writing.

    def write(self, changes: Changes) -> None:
        """All changes, which must fit what is there."""
        _insert(self.executions, [((row.tenant, row.id), row) for row in changes.new_executions])
        _update(self.executions, {(row.tenant, row.id): row for row in changes.changed_executions})
        _insert(self.tasks, [((row.tenant, row.id), row) for row in changes.new_tasks])
        _update(self.tasks, {(row.tenant, row.id): row for row in changes.changed_tasks})
        _insert(self.timers, [((row.tenant, row.id), row) for row in changes.new_timers])
        _update(self.timers, {(row.tenant, row.id): row for row in changes.moved_timers})
        for key in changes.gone_timers:
            self.timers.pop(key, None)
        _insert(self.promises, [((row.tenant, row.id), row) for row in changes.new_promises])
        _update(self.promises, {(row.tenant, row.id): row for row in changes.changed_promises})
        self._write_facts(changes)
        self._write_flows(changes)
        for entry in changes.state:
            self._write_state(entry)
        self._write_oversight(changes)

    def _write_flows(self, changes: Changes) -> None:
        _insert(self.frames, [(frame_key(row), row) for row in changes.new_frames])
        _update(self.frames, {frame_key(row): row for row in changes.changed_frames})
        _insert(self.scopes, [((row.tenant, row.execution_id, row.path), row) for row in changes.new_scopes])
        _update(self.scopes, {(row.tenant, row.execution_id, row.path): row for row in changes.changed_scopes})
        for value in changes.flow_values:
            name = value.tenant, value.execution_id, value.name
            _require(name not in self.flow_values, f"{name} is there already")
            self.flow_values[name] = value.value
        for version in changes.flow_versions:
            key = version.tenant, version.name, version.version
            _require(key not in self.flow_versions, f"{key} is there already")
            self.flow_versions[key] = version

    def _write_facts(self, changes: Changes) -> None:
        for attempt in changes.attempts:
            ended = self.attempts.get((attempt.tenant, attempt.task_id), ())
            _require(attempt.attempt not in {each.attempt for each in ended}, f"{attempt} has been recorded before")
            self.attempts[attempt.tenant, attempt.task_id] = (*ended, attempt)
        for fact in sorted(changes.events, key=lambda fact: fact.event.sequence):
            known = self.history.get((fact.tenant, fact.execution_id), ())
            _require(fact.event.sequence == len(known) + 1, f"{fact} does not follow event {len(known)}")
            self.history[fact.tenant, fact.execution_id] = (*known, fact.event)
        for key in changes.request_keys:
            self.request_keys[key.tenant, key.scope, key.key] = key
        for line in changes.lines:
            told = self.lines.get((line.tenant, line.task_id), ())
            self.lines[line.tenant, line.task_id] = (*told, line)

    def _write_oversight(self, changes: Changes) -> None:
        self.schedules |= {(row.tenant, row.id): row for row in changes.schedules}
        for key in changes.gone_schedules:
            self.schedules.pop(key, None)
        self.queues |= {(row.tenant, row.queue): row for row in changes.queues}
        for entry in changes.outbox:
            _require(entry.id not in self.outbox, f"{entry} is there already")
            self.outbox[entry.id] = entry
        for identity in changes.gone_outbox:
            self.outbox.pop(identity, None)
        self.kinds |= {(row.tenant, row.of, row.name): row for row in changes.kinds}
        for row in changes.feed:
            told = tuple((row.time, notice) for notice in row.notices)
            self.feed[row.tenant] = (*self.feed.get(row.tenant, ()), *told)
        self._write_activity(changes.activity)

    def _write_activity(self, activities: Sequence[Activity]) -> None:
        for activity in activities:
            place = structs.astuple(activity)[:-2]
            before = self.activity.get(place, structs.replace(activity, count=0, total_ms=0))
            count, total_ms = before.count + activity.count, before.total_ms + activity.total_ms
            self.activity[place] = structs.replace(activity, count=count, total_ms=total_ms)
        oldest = {activity.tenant: activity.minute - KEPT_ACTIVITY_MINUTES for activity in activities}
        forgotten = [place for place, row in self.activity.items() if row.minute < oldest.get(row.tenant, 0)]
        for place in forgotten:
            del self.activity[place]

    def _write_state(self, entry: StateEntry) -> None:
        place = (entry.tenant, entry.execution_id), entry.key
        if entry.value is None:
            self.state.pop(place, None)
        else:
            self.state[place] = entry.value


class _Load:
    """One load."""

    def __init__(self, store: MemoryRows, wanted: Wanted) -> None:
        self._store = store
        self.rows = rows = Rows()
        for key in wanted.histories:
            rows.events[key] = list(store.history.get(key, ()))
        for claim in wanted.execution_claims:
            self._claimable_executions(claim)
        for claim in wanted.task_claims:
            self._claimable_tasks(claim)
        if wanted.due is not None:
            self._due(wanted.due)
        if wanted.held is not None:
            self._held(wanted.held)
        self._open_items(wanted.open_items_of)
        self._names(wanted.promise_names)
        self._request_keys(wanted.request_keys)
        rows.schedules.update(_present(store.schedules, wanted.schedules))
        rows.queues.update(_present(store.queues, wanted.queues))
        self._take(wanted.executions, wanted.tasks, wanted.timers, wanted.promises)
        self._owners()
        self._flows(wanted)

    def _flows(self, wanted: Wanted) -> None:
        rows, store = self.rows, self._store
        frames, scopes = store.ready_flows(wanted.ready_flows)
        rows.ready_frames = [(row.tenant, row.execution_id, row.scope, row.item_index) for row in frames]
        rows.ready_scopes = [(row.tenant, row.execution_id, row.path) for row in scopes]
        rows.frames = _present(store.frames, {*wanted.frames, *rows.ready_frames})
        rows.scopes = _present(store.scopes, {*wanted.scopes, *rows.ready_scopes})
        rows.flow_values = _present(store.flow_values, wanted.flow_values)
        rows.flow_versions = _present(store.flow_versions, wanted.flow_versions)
        rows.item_results = {key: self._results(key) for key in wanted.item_results}
        for name in wanted.newest_flows:
            versions = [version for *known, version in store.flow_versions if tuple(known) == name]
            if versions:
                rows.newest_flows[name] = max(versions)

    def _results(self, scope: ScopeKey) -> list[ItemResult]:
        return [
            ItemResult(row.item_index, row.status, row.result, row.failure)
            for key, row in self._store.frames.items()
            if key[:3] == scope and row.status is not FrameStatus.OPEN
        ]

    def _take(
        self,
        executions: Iterable[ExecutionKey] = (),
        tasks: Iterable[TaskKey] = (),
        timers: Iterable[TimerKey] = (),
        promises: Iterable[PromiseKey] = (),
    ) -> None:
        rows, store = self.rows, self._store
        rows.executions.update(_present(store.executions, executions))
        rows.tasks.update(_present(store.tasks, tasks))
        rows.timers.update(_present(store.timers, timers))
        rows.promises.update(_present(store.promises, promises))

    def _owners(self) -> None:
        rows = self.rows
        for owned in (rows.tasks, rows.timers, rows.promises):
            self._take(executions=_owners_of(owned.values()))
        parents = [(row.tenant, row.parent_id) for row in rows.executions.values() if row.parent_id is not None]
        self._take(executions=parents)

    def _claimable_executions(self, wanted: ClaimWanted) -> None:
        found = sorted(
            (row.created_at, key)
            for key, row in self._store.executions.items()
            if row.status is ExecutionStatus.PENDING
            and (row.tenant, row.queue) == (wanted.tenant, wanted.queue)
            and row.kind in wanted.kinds
        )
        keys = [key for _, key in found[: wanted.limit]]
        self.rows.claimable_executions.append(keys)
        self._take(executions=keys)
        for key in keys:
            self.rows.events.setdefault(key, self._unseen(key))

    def _unseen(self, key: ExecutionKey) -> list[Event]:
        row, history = self._store.executions[key], self._store.history.get(key, ())
        if len(history) <= SHORT_HISTORY:
            return list(history)
        return list(history[max(row.seen_sequence, len(history) - MOST_UNSEEN) :])

    def _claimable_tasks(self, wanted: ClaimWanted) -> None:
        found = sorted(
            (task_rank(row), key)
            for key, row in self._store.tasks.items()
            if row.ready and (row.tenant, row.queue) == (wanted.tenant, wanted.queue) and row.task_type in wanted.kinds
        )
        keys = [place[-1] for place in found[: wanted.limit]]
        self.rows.claimable_tasks.append(keys)
        self._take(tasks=keys)

    def _due(self, wanted: DueWanted) -> None:
        rows, store = self.rows, self._store
        rows.due_executions = _due_keys(store.executions, wanted)
        rows.due_tasks = _due_keys(store.tasks, wanted)
        rows.due_promises = _due_keys(store.promises, wanted)
        rows.due_schedules = _due_keys(store.schedules, wanted)
        rows.schedules.update(_present(store.schedules, rows.due_schedules))
        timers = sorted((row.fire_at, key) for key, row in store.timers.items() if row.fire_at <= wanted.now)
        rows.due_timers = [key for _, key in timers[: wanted.limit]]
        rows.following_wake = store.next_wake(after=wanted.now)
        self._take(rows.due_executions, rows.due_tasks, rows.due_timers, rows.due_promises)

    def _held(self, wanted: HeldWanted) -> None:
        rows, store = self.rows, self._store
        rows.held_executions = _held_keys(store.executions, wanted, ExecutionStatus.RUNNING)
        rows.held_tasks = _held_keys(store.tasks, wanted, TaskStatus.RUNNING)
        self._take(executions=rows.held_executions, tasks=rows.held_tasks)

    def _open_items(self, owners: Iterable[ExecutionKey]) -> None:
        rows, store = self.rows, self._store
        for owner in owners:
            rows.open_tasks[owner] = [key for key, row in _of(store.tasks, owner) if not row.closed]
            rows.open_timers[owner] = [key for key, _ in _of(store.timers, owner)]
            promises = _of(store.promises, owner)
            rows.open_promises[owner] = [key for key, row in promises if row.status is PromiseStatus.PENDING]
            rows.open_children[owner] = [
                key for key, row in store.executions.items() if (row.tenant, row.parent_id) == owner and not row.closed
            ]
            self._take(
                rows.open_children[owner], rows.open_tasks[owner], rows.open_timers[owner], rows.open_promises[owner]
            )

    def _names(self, names: Iterable[PromiseName]) -> None:
        for tenant, execution_id, name in names:
            found = [row for _, row in _of(self._store.promises, (tenant, execution_id)) if row.name == name]
            if found:
                last = max(found, key=lambda row: (row.created_at, row.id))
                self.rows.promise_names[tenant, execution_id, name] = last.id
                self._take(promises=[(tenant, last.id)])

    def _request_keys(self, names: Iterable[RequestName]) -> None:
        for name, key in _present(self._store.request_keys, names).items():
            self.rows.request_keys[name] = key.subject
            if key.scope == SCOPE_OF_TASKS:
                self._take(tasks=[(key.tenant, TaskId(key.subject))])


def frame_key(row: Frame) -> FrameKey:
    """The key of a frame's row."""
    return row.tenant, row.execution_id, row.scope, row.item_index


def _present(rows: Mapping[Key, Row], keys: Iterable[Key]) -> dict[Key, Row]:
    return {key: rows[key] for key in keys if key in rows}


def _owners_of(rows: Iterable[Task | Timer | Promise]) -> list[ExecutionKey]:
    return [(row.tenant, row.execution_id) for row in rows if row.execution_id is not None]


def _of(rows: Mapping[tuple[Key, Row], Owned], owner: ExecutionKey) -> list[tuple[tuple[Key, Row], Owned]]:
    return [(key, row) for key, row in rows.items() if (row.tenant, row.execution_id) == owner]


def _due_keys(rows: Mapping[Key, Waking], wanted: DueWanted) -> list[Key]:
    due = [(row.wake_at, key) for key, row in rows.items() if row.wake_at is not None and row.wake_at <= wanted.now]
    return [key for _, key in sorted(due)[: wanted.limit]]


def _held_keys(rows: Mapping[Key, Held], wanted: HeldWanted, status: ExecutionStatus | TaskStatus) -> list[Key]:
    return [key for key, row in rows.items() if row.status is status and row.worker_id in wanted.workers][
        : wanted.limit
    ]


def _insert(rows: dict[Key, Kept], new: Iterable[tuple[Key, Kept]]) -> None:
    for key, row in new:
        _require(key not in rows, f"{row} is there already")
        rows[key] = row


def _update(rows: dict[Key, Kept], changed: Mapping[Key, Kept]) -> None:
    for key, row in changed.items():
        _require(key in rows, f"{row} is not there")
        for field in row.__struct_fields__:
            kept = field in MUTABLE[type(row)] or getattr(row, field) == getattr(rows[key], field)
            _require(kept, f"{field} of {row} cannot be changed")
        rows[key] = row


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise RowsDoNotFit(message)
