"""The store port over rows in memory: no file, no thread, gone with the test."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from holdfast.model.errors import HoldfastError, Stopped
from holdfast.model.events import Event
from holdfast.model.flows import PAST_ALL, FlowVersion, Frame, FramePath, InnerFrame, Scope, ScopePath
from holdfast.model.ids import ExecutionId, QueueName, TenantId, WorkerId
from holdfast.model.instants import Instant
from holdfast.model.messages import OutboxEntry, Topic
from holdfast.model.queries import (
    Cursor,
    ExecutionFilter,
    ExecutionPage,
    HistoryWanted,
    QueueCount,
    StateSnapshot,
    TaskFilter,
    TaskPage,
    TimerPage,
    bounded,
)
from holdfast.model.records import Attempt, Execution, Promise, Task, TaskLine
from holdfast.model.schedules import Schedule
from holdfast.model.statuses import ExecutionStatus, TaskStatus
from holdfast.model.wakes import WakeSort, WakeUp
from holdfast.ports.store import Changes, ExecutionKey, FrameKey, Plan, ScheduleKey, ScopeKey, TaskKey, ValueKey
from holdfast.testing.overseeing import MemoryOversight, is_found
from holdfast.testing.pruning import MemoryPruning
from holdfast.testing.rows import MemoryRows, RowsDoNotFit

Answer = TypeVar("Answer")
Listed = TypeVar("Listed", Execution, Task)

MAX_ROUNDS = 50
"""A plan that has loaded so often and still wants more will never be content."""

SESSION = "memory"


class MemoryStore(MemoryOversight, MemoryPruning):
    """A store (ports.store.Store) whose rows anyone may look at."""

    def __init__(self, rows: MemoryRows | None = None) -> None:
        self.rows = MemoryRows() if rows is None else rows
        self.session = SESSION
        self._is_open = False
        self.running: set[tuple[str, str, str]] = set()
        """Executions and tasks that a worker holds."""

    async def read(self, question: Callable[[], Answer]) -> Answer:
        """Every read comes through here."""
        self._require_open()
        return question()

    async def open(self) -> None:
        """It takes questions from now on."""
        self._is_open = True

    async def close(self) -> None:
        """It takes no more; the rows stay."""
        self._is_open = False

    async def commit(self, plan: Plan) -> None:
        """Carry a plan out at once."""
        self._require_open()
        changes = self.decide(plan)
        self._write(changes)
        for execution in (*changes.new_executions, *changes.changed_executions):
            self._note(("workflow", execution.tenant, execution.id), runs=execution.status is ExecutionStatus.RUNNING)
        for task in (*changes.new_tasks, *changes.changed_tasks):
            self._note(("task", task.tenant, task.id), runs=task.status is TaskStatus.RUNNING)

    def _write(self, changes: Changes) -> None:
        before = self.rows.copy()
        try:
            self.rows.write(changes)
        except RowsDoNotFit:
            self.rows.become(before)
            raise

    def _require_open(self) -> None:
        if not self._is_open:
            raise Stopped("the store in memory is not open")

    def _note(self, key: tuple[str, str, str], *, runs: bool) -> None:
        if runs:
            self.running.add(key)
        else:
            self.running.discard(key)

    def decide(self, plan: Plan) -> Changes:
        """What a plan makes of the rows as they are."""
        wanted = plan.wanted
        for _ in range(MAX_ROUNDS):
            answer = plan.decide(self.rows.load(wanted))
            if isinstance(answer, Changes):
                return answer
            wanted = answer
        raise HoldfastError(f"a plan has asked for rows {MAX_ROUNDS} times and goes on asking: {wanted}")

    async def check_writable(self) -> None:
        """It is, if it can be read."""
        await self.read(lambda: None)

    async def next_wake(self) -> Instant | None:
        """The earliest wake_at or fire_at of all records."""
        return await self.read(self.rows.next_wake)

    async def wake_ups(self, sort: WakeSort, after: WakeUp | None, limit: int) -> list[WakeUp]:
        """The wake-ups of a sort that follow one of them, or all."""
        return await self.read(lambda: self.rows.wake_ups(sort, after)[:limit])

    async def outbox(self, before: str, limit: int, topic: Topic | None = None) -> list[OutboxEntry]:
        """Entries whose id comes before the one given, by id."""
        return await self.read(
            lambda: [
                entry
                for identity, entry in sorted(self.rows.outbox.items())
                if identity < before and topic in (None, entry.topic)
            ][:limit]
        )

    async def abandoned_workers(self) -> tuple[WorkerId, ...]:
        """None: whoever works on this store lives in this process."""
        return ()

    async def changed_outside(self) -> bool:
        """Never: nobody else knows this store."""
        return await self.read(lambda: False)

    async def execution(self, key: ExecutionKey) -> Execution | None:
        """One execution."""
        return await self.read(lambda: self.rows.executions.get(key))

    async def executions(self, keys: Sequence[ExecutionKey]) -> list[Execution]:
        """Those of these executions that exist."""
        return await self.read(lambda: [self.rows.executions[key] for key in keys if key in self.rows.executions])

    async def list_executions(self, wanted: ExecutionFilter) -> ExecutionPage:
        """Executions, newest first."""
        return await self.read(
            lambda: ExecutionPage(*_page(self._filtered_executions(wanted), wanted.after, wanted.limit))
        )

    async def histories(self, wanted: Sequence[HistoryWanted]) -> list[list[Event]]:
        """Pages of history, in the order of the question."""
        return await self.read(lambda: [self._history(page) for page in wanted])

    async def state(self, key: ExecutionKey) -> StateSnapshot:
        """The state entries of an execution."""
        return await self.read(
            lambda: StateSnapshot({name: value for (owner, name), value in self.rows.state.items() if owner == key})
        )

    async def task(self, key: TaskKey) -> Task | None:
        """One task."""
        return await self.read(lambda: self.rows.tasks.get(key))

    async def tasks(self, keys: Sequence[TaskKey]) -> list[Task]:
        """Those of these tasks that exist."""
        return await self.read(lambda: [self.rows.tasks[key] for key in keys if key in self.rows.tasks])

    async def list_tasks(self, wanted: TaskFilter) -> TaskPage:
        """Tasks, newest first."""
        return await self.read(
            lambda: TaskPage(*_page(self._filtered_tasks(wanted), wanted.after, wanted.limit, wanted.offset))
        )

    async def count_tasks(self, wanted: TaskFilter) -> int:
        """How many tasks the filter admits."""
        return await self.read(lambda: sum(1 for _ in self._filtered_tasks(wanted)))

    async def attempts(self, key: TaskKey) -> list[Attempt]:
        """The ended tries of a task, in order."""
        return await self.read(lambda: sorted(self.rows.attempts.get(key, ()), key=lambda attempt: attempt.attempt))

    async def lines(self, key: TaskKey, after: int, limit: int) -> list[TaskLine]:
        """Lines of a task whose number is above `after`, in order."""
        return await self.read(lambda: self._lines(key)[after : after + limit])

    async def list_timers(self, tenant: TenantId, execution_id: ExecutionId | None, limit: int) -> TimerPage:
        """Armed timers, the next to fire first."""
        return await self.read(lambda: self._timers(tenant, execution_id, limit))

    async def promises(self, key: ExecutionKey) -> list[Promise]:
        """The promises of an execution, in the order of their creation."""
        return await self.read(
            lambda: sorted(
                (row for row in self.rows.promises.values() if (row.tenant, row.execution_id) == key),
                key=lambda row: (row.created_at, row.id),
            )
        )

    async def queue_counts(self, tenant: TenantId) -> list[QueueCount]:
        """How much work waits (PENDING), waits for its time (DELAYED) and runs (RUNNING), by queue and kind."""
        return await self.read(lambda: self._queue_counts(tenant))

    async def schedule(self, key: ScheduleKey) -> Schedule | None:
        """One schedule."""
        return await self.read(lambda: self.rows.schedules.get(key))

    async def schedules(self, tenant: TenantId, after: str, limit: int) -> list[Schedule]:
        """The schedules whose id comes after the one given, by id."""
        return await self.read(
            lambda: [row for key, row in sorted(self.rows.schedules.items()) if key[0] == tenant and key[1] > after][
                : bounded(limit)
            ]
        )

    async def flows(self, tenant: TenantId, after: str, limit: int) -> list[FlowVersion]:
        """The newest version of each flow whose name comes after the one given, by name."""
        return await self.read(lambda: self._flows(tenant, after)[: bounded(limit)])

    async def flow_versions(self, tenant: TenantId, name: str, before: int, limit: int) -> list[FlowVersion]:
        """The versions of a flow below the one given, newest first."""
        return await self.read(
            lambda: sorted(
                (
                    row
                    for row in self.rows.flow_versions.values()
                    if (row.tenant, row.name) == (tenant, name) and row.version < before
                ),
                key=lambda row: -row.version,
            )[: bounded(limit)]
        )

    async def frame(self, key: FrameKey) -> Frame | None:
        """One frame of a run."""
        return await self.read(lambda: self.rows.frames.get(key))

    async def frames(self, key: ScopeKey, after: int, limit: int) -> list[Frame]:
        """The items of a scope whose index is above `after`, in order."""
        return await self.read(
            lambda: [row for place, row in sorted(self.rows.frames.items()) if place[:3] == key and place[3] > after][
                : bounded(limit)
            ]
        )

    async def scopes(self, key: ExecutionKey, after: ScopePath, limit: int) -> list[Scope]:
        """The scopes of a run whose path comes after the one given, by path."""
        return await self.read(
            lambda: [row for place, row in sorted(self.rows.scopes.items()) if place[:2] == key and place[2] > after][
                : bounded(limit)
            ]
        )

    async def scopes_at(self, keys: Sequence[ScopeKey]) -> list[Scope]:
        """Those of these scopes that exist."""
        return await self.read(lambda: [self.rows.scopes[key] for key in keys if key in self.rows.scopes])

    async def flow_values(self, keys: Sequence[ValueKey]) -> dict[ValueKey, bytes]:
        """Those of these values that exist."""
        return await self.read(
            lambda: {key: self.rows.flow_values[key] for key in keys if key in self.rows.flow_values}
        )

    async def ready_flows(self, limit: int) -> tuple[list[Frame], list[Scope]]:
        """The frames and the scopes that are ready, the oldest first."""
        return await self.read(lambda: self.rows.ready_flows(limit))

    async def inner_frames(
        self, key: ExecutionKey, within: FramePath, after: tuple[ScopePath, int], limit: int
    ) -> list[InnerFrame]:
        """The frames in a frame at any depth that come after the one given, by scope and index."""
        return await self.read(
            lambda: [
                InnerFrame(row.scope, row.item_index, row.state)
                for place, row in sorted(self.rows.frames.items())
                if place[:2] == key and after < place[2:] and row.scope < within + PAST_ALL
            ][: bounded(limit)]
        )

    # Questions.

    def _flows(self, tenant: TenantId, after: str) -> list[FlowVersion]:
        newest: dict[str, FlowVersion] = {}
        for row in sorted(self.rows.flow_versions.values(), key=lambda row: (row.name, row.version)):
            if row.tenant == tenant and row.name > after:
                newest[row.name] = row
        return list(newest.values())

    def _filtered_executions(self, wanted: ExecutionFilter) -> Iterable[Execution]:
        return (
            row
            for row in self.rows.executions.values()
            if row.tenant == wanted.tenant
            and (wanted.kind is None or row.kind == wanted.kind)
            and (not wanted.statuses or row.status in wanted.statuses)
            and (wanted.parent_id is None or row.parent_id == wanted.parent_id)
            and (wanted.created_from is None or row.created_at >= wanted.created_from)
            and (wanted.created_before is None or row.created_at < wanted.created_before)
            and is_found(row, wanted)
        )

    def _filtered_tasks(self, wanted: TaskFilter) -> Iterable[Task]:
        return (
            row
            for row in self.rows.tasks.values()
            if row.tenant == wanted.tenant
            and row.execution_id == wanted.execution_id
            and (wanted.task_type is None or row.task_type == wanted.task_type)
            and (wanted.queue is None or row.queue == wanted.queue)
            and (not wanted.statuses or row.status in wanted.statuses)
        )

    def _history(self, page: HistoryWanted) -> list[Event]:
        events = self.rows.history.get((page.tenant, page.execution_id), ())
        return list(events[page.after : page.after + page.limit])

    def _lines(self, key: TaskKey) -> list[TaskLine]:
        told = self.rows.lines.get(key, ())
        return [replace(line, number=number) for number, line in enumerate(told, start=1)]

    def _timers(self, tenant: TenantId, execution_id: ExecutionId | None, limit: int) -> TimerPage:
        armed = sorted(
            (
                row
                for row in self.rows.timers.values()
                if row.tenant == tenant and execution_id in (None, row.execution_id)
            ),
            key=lambda row: (row.fire_at, row.id),
        )
        return TimerPage(tuple(armed[: bounded(limit)]), len(armed))

    def _queue_counts(self, tenant: TenantId) -> list[QueueCount]:
        created: dict[tuple[QueueName, str, str, str], list[Instant]] = {}
        for execution in self.rows.executions.values():
            if execution.tenant == tenant and execution.status in (ExecutionStatus.PENDING, ExecutionStatus.RUNNING):
                place = (execution.queue, "workflow", execution.kind, str(execution.status))
                created.setdefault(place, []).append(execution.created_at)
        for task in self.rows.tasks.values():
            if task.tenant == tenant and not task.closed:
                delayed = task.status is TaskStatus.PENDING and not task.ready
                place = (task.queue, "task", task.task_type, "DELAYED" if delayed else str(task.status))
                created.setdefault(place, []).append(task.created_at)
        return [QueueCount(*place, len(since), min(since)) for place, since in sorted(created.items())]


def _page(
    found: Iterable[Listed], after: Cursor | None, limit: int, offset: int = 0
) -> tuple[tuple[Listed, ...], Cursor | None]:
    below = [row for row in found if after is None or (row.created_at, row.id) < (after.created_at, after.id)]
    below.sort(key=lambda row: (row.created_at, row.id), reverse=True)
    del below[:offset]
    size = bounded(limit)
    page = tuple(below[:size])
    return page, Cursor(page[-1].created_at, page[-1].id) if len(below) > size else None
