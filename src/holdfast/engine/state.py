"""The state of a batch: the rows that were loaded, as the requests decided so far have changed them.

Every change is journalled, so a request that turns out to be refused half-way is undone and spoils nothing. What is
left at the end is the set of rows to write.
"""

from collections.abc import Callable
from functools import partial
from typing import Generic, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from holdfast.engine.flow.run.graphs import Graphs
from holdfast.model.events import Event, EventData
from holdfast.model.flows import FlowValue, FlowVersion, Frame, ItemResult, Scope, ScopePath
from holdfast.model.ids import ExecutionId, PromiseId, QueueName, TaskId, TenantId, TimerId, WorkerId
from holdfast.model.instants import Instant
from holdfast.model.oversight import Activity, Kind, Notice, QueueSetting, WorkSort
from holdfast.model.records import (
    Attempt,
    Execution,
    HistoryEntry,
    Promise,
    RequestKey,
    StateEntry,
    Task,
    TaskLine,
    Timer,
)
from holdfast.model.schedules import Schedule, schedule_of_execution, schedule_of_key
from holdfast.model.statuses import PromiseStatus

ExecutionKey = tuple[TenantId, ExecutionId]
TaskKey = tuple[TenantId, TaskId]
TimerKey = tuple[TenantId, TimerId]
PromiseKey = tuple[TenantId, PromiseId]
QueueKey = tuple[TenantId, QueueName]
ScheduleKey = tuple[TenantId, str]
RequestName = tuple[TenantId, str, str]
FrameKey = tuple[TenantId, ExecutionId, ScopePath, int]
ScopeKey = tuple[TenantId, ExecutionId, ScopePath]
ValueKey = tuple[TenantId, ExecutionId, str]
FlowName = tuple[TenantId, str]
VersionKey = tuple[TenantId, str, int]

Key = TypeVar("Key")
Row = TypeVar("Row")
Undo = Callable[[], object]


class Chance(Protocol):
    """Where jitter comes from, and what tells ids apart."""

    def random(self) -> float:
        """A number in 0 to 1."""

    def getrandbits(self, k: int, /) -> int:
        """A number of `k` random bits."""


class Growing(Protocol):
    """A list of which only the length matters."""

    def __len__(self) -> int:
        """How long it is."""

    def __delitem__(self, part: slice, /) -> None:
        """Cut it."""


class Journal:
    """How to undo what the request has changed that is being decided; between requests it is shut and notes nothing."""

    __slots__ = ("_steps", "is_open")

    def __init__(self) -> None:
        self._steps: list[Undo] = []
        self.is_open = False

    def open(self) -> None:
        """From now on changes can be undone."""
        self._steps.clear()
        self.is_open = True

    def note(self, undo: Undo) -> None:
        """This undoes the change that follows."""
        self._steps.append(undo)

    def roll_back(self) -> None:
        """Undo all that was noted, the last first."""
        for undo in reversed(self._steps):
            undo()
        self.shut()

    def shut(self) -> None:
        """What has been done stays."""
        # Each step knows its table, and each table this journal: left here, they would keep a whole batch in memory.
        self._steps.clear()
        self.is_open = False


class Table(Generic[Key, Row]):
    """The rows of one sort, with what became of them in this batch."""

    __slots__ = ("_journal", "changed", "created", "dropped", "rows")

    def __init__(self, loaded: dict[Key, Row], journal: Journal) -> None:
        self.rows = loaded
        # Dictionaries keep the order of the changes, so that the same batch is always written in the same way.
        self.created: dict[Key, None] = {}
        self.changed: dict[Key, None] = {}
        self.dropped: dict[Key, None] = {}
        self._journal = journal

    def create(self, key: Key, row: Row) -> None:
        """A row that the store does not have; or has, if this batch had dropped it."""
        self._remember(key)
        if key in self.dropped:
            del self.dropped[key]
            self.changed[key] = None
        else:
            self.created[key] = None
        self.rows[key] = row

    def change(self, key: Key, row: Row) -> None:
        """A new version of a row that is there."""
        self._remember(key)
        self.changed[key] = None
        self.rows[key] = row

    def drop(self, key: Key) -> None:
        """The end of a row; one that this batch created is simply never written."""
        self._remember(key)
        del self.rows[key]
        if key in self.created:
            del self.created[key]
        else:
            self.dropped[key] = None

    def absorb(self, loaded: dict[Key, Row]) -> None:
        """Take in rows of a later load; what this batch has touched is newer and stays."""
        for key, row in loaded.items():
            if key not in self.rows and key not in self.dropped:
                self.rows[key] = row

    def new_rows(self) -> list[Row]:
        """The rows to insert."""
        return [self.rows[key] for key in self.created]

    def changed_rows(self) -> list[Row]:
        """The rows to update."""
        return [self.rows[key] for key in self.changed if key not in self.created and key in self.rows]

    def _undo(self, key: Key, before: Row | None, created: bool, changed: bool, dropped: bool) -> None:
        """Put back what `_remember` saw."""
        if before is None:
            self.rows.pop(key, None)
        else:
            self.rows[key] = before
        for was, members in ((created, self.created), (changed, self.changed), (dropped, self.dropped)):
            if was:
                members[key] = None
            else:
                members.pop(key, None)

    def _remember(self, key: Key) -> None:
        if not self._journal.is_open:
            return
        before = self.rows.get(key), key in self.created, key in self.changed, key in self.dropped
        self._journal.note(partial(self._undo, key, *before))


class Names(Generic[Key, Row]):
    """What names stand for: as loaded, and as this batch gives them."""

    __slots__ = ("_given", "_journal")

    def __init__(self, journal: Journal) -> None:
        self._given: dict[Key, Row] = {}
        self._journal = journal

    def get(self, name: Key) -> Row | None:
        """What the name stands for."""
        return self._given.get(name)

    def give(self, name: Key, subject: Row) -> None:
        """From now on the name stands for this."""
        if self._journal.is_open:
            before = self._given.get(name)
            undo = partial(self._given.pop, name) if before is None else partial(self._given.update, {name: before})
            self._journal.note(undo)
        self._given[name] = subject

    def absorb(self, loaded: dict[Key, Row]) -> None:
        """Take in what was loaded; what this batch has given is newer and stays."""
        self._given = loaded | self._given


CancelOrder = tuple[TenantId, WorkerId, TaskId]
"""A worker is to be told that the end of a task is wanted."""


class FlowBegin(msgspec.Struct, frozen=True, gc=False):
    """A run is to begin: of which version (None: the newest), at which trigger (None: at all)."""

    version: int | None = None
    trigger: str | None = None


FlowNews = tuple[ExecutionKey, EventData | FlowBegin]
"""Something that a flow's run has to act on before the request is decided."""

FLOW_STEPS = 2_000
"""So many nodes one request may bring runs through; what is left waits for the pump."""


class State:
    """All tables of a batch, the facts to append, and who has become ready."""

    __slots__ = (
        "_journal",
        "activity",
        "attempts",
        "cancel_orders",
        "carried",
        "chance",
        "closed",
        "decoded",
        "ended_runs",
        "ended_tasks",
        "events",
        "executions",
        "flow_news",
        "flow_steps",
        "flow_values",
        "frames",
        "fresh_events",
        "gone_outbox",
        "graphs",
        "history",
        "item_results",
        "keys",
        "kinds",
        "late_ms",
        "lines",
        "looked_for",
        "new_flow_values",
        "new_flow_versions",
        "newest_flows",
        "notices",
        "now",
        "opened",
        "promise_names",
        "promises",
        "queues",
        "ready_executions",
        "ready_tasks",
        "repairs",
        "request_keys",
        "schedules",
        "scopes",
        "state_entries",
        "tasks",
        "timers",
        "whole",
    )

    def __init__(self, now: Instant, chance: Chance, graphs: Graphs | None = None) -> None:
        self._journal = Journal()
        self.now = now
        self.chance = chance
        self.executions: Table[ExecutionKey, Execution] = Table({}, self._journal)
        self.tasks: Table[TaskKey, Task] = Table({}, self._journal)
        self.timers: Table[TimerKey, Timer] = Table({}, self._journal)
        self.promises: Table[PromiseKey, Promise] = Table({}, self._journal)
        self.queues: Table[QueueKey, QueueSetting] = Table({}, self._journal)
        self.promise_names: Names[tuple[TenantId, ExecutionId, str], PromiseId] = Names(self._journal)
        self.keys: Names[RequestName, str] = Names(self._journal)
        self.history: dict[ExecutionKey, list[Event]] = {}
        """Events that were loaded, by execution: the end of its history, or all of it if it is in `whole`."""
        self.whole: set[ExecutionKey] = set()
        """Executions whose whole history has been loaded."""
        self.looked_for: set[tuple[str | int, ...]] = set()
        """Keys that a decision asked for, and that have been looked for since; a row that is absent is not there."""
        self.opened: set[ExecutionKey] = set()
        """Executions whose open items have been loaded."""
        self.events: list[HistoryEntry] = []
        self.fresh_events: dict[ExecutionKey, list[Event]] = {}
        """Events that this batch appends, by execution."""
        self.attempts: list[Attempt] = []
        self.state_entries: list[StateEntry] = []
        self.request_keys: list[RequestKey] = []
        self.lines: list[TaskLine] = []
        self.kinds: list[Kind] = []
        self.activity: list[Activity] = []
        self.notices: list[tuple[TenantId, Notice]] = []
        """What is told in the feed beside what the rows and events tell."""
        self.repairs: list[WorkSort] = []
        """Claims that were taken back because their workers were gone or silent."""
        self.late_ms: list[int] = []
        """How long after its instant each timer fired."""
        self.ready_executions: list[ExecutionKey] = []
        self.ready_tasks: list[TaskKey] = []
        self.closed: list[ExecutionKey] = []
        self.ended_tasks: list[TaskKey] = []
        self.schedules: Table[ScheduleKey, Schedule] = Table({}, self._journal)
        self.ended_runs: list[tuple[ScheduleKey, str]] = []
        """What has ended and may have been started by a schedule, which has not heard of it."""
        self.cancel_orders: list[CancelOrder] = []
        self.graphs = Graphs() if graphs is None else graphs
        self.frames: Table[FrameKey, Frame] = Table({}, self._journal)
        self.scopes: Table[ScopeKey, Scope] = Table({}, self._journal)
        self.newest_flows: Names[FlowName, int] = Names(self._journal)
        self.flow_values: Names[ValueKey, bytes] = Names(self._journal)
        self.item_results: dict[ScopeKey, list[ItemResult]] = {}
        """The items of a scope that had ended before this batch."""
        self.gone_outbox: list[str] = []
        self.new_flow_values: list[FlowValue] = []
        self.new_flow_versions: list[FlowVersion] = []
        self.flow_news: list[FlowNews] = []
        self.carried = False
        """Whether messages bring what time has woken in runs of flows, so that it may go on elsewhere."""
        self.flow_steps = FLOW_STEPS
        """What the request may still do."""
        self.decoded: dict[ValueKey, object] = {}
        """Large values of runs that this batch has read; they never change."""

    def begin(self) -> tuple[int, ...]:
        """Mark the point that `roll_back` returns to."""
        self._journal.open()
        self.flow_steps = FLOW_STEPS
        return tuple(map(len, self._facts()))

    def roll_back(self, mark: tuple[int, ...]) -> None:
        """Undo all that was changed since `begin`."""
        self._journal.roll_back()
        for entry in self.events[mark[0] :]:
            self.fresh_events[entry.tenant, entry.execution_id].pop()
        for facts, length in zip(self._facts(), mark, strict=True):
            del facts[length:]

    def keep(self) -> None:
        """What has been decided stays; what follows cannot be undone, and costs no note of how it could be."""
        self._journal.shut()

    def append(self, execution: Execution, *facts: EventData) -> Execution:
        """Add events to an execution's history; gives its new version, which the caller writes."""
        key = execution.tenant, execution.id
        fresh = self.fresh_events.setdefault(key, [])
        sequence = execution.last_sequence
        for data in facts:
            sequence += 1
            event = Event(sequence, self.now, data)
            fresh.append(event)
            self.events.append(HistoryEntry(execution.tenant, execution.id, event))
        return replace(execution, last_sequence=sequence)

    def known_events(self, key: ExecutionKey) -> tuple[Event, ...]:
        """What is known of an execution's history: consecutive events that end it."""
        return (*self.history.get(key, ()), *self.fresh_events.get(key, ()))

    def open_tasks(self, key: ExecutionKey) -> list[TaskKey]:
        """The tasks of an execution, among those loaded, that have not ended."""
        rows = self.tasks.rows.items()
        return [task for task, row in rows if row.execution_id == key[1] and task[0] == key[0] and not row.closed]

    def open_timers(self, key: ExecutionKey) -> list[TimerKey]:
        """The armed timers of an execution, among those loaded."""
        return [timer for timer, row in self.timers.rows.items() if (timer[0], row.execution_id) == key]

    def open_promises(self, key: ExecutionKey) -> list[PromiseKey]:
        """The promises of an execution, among those loaded, that nobody has settled."""
        pending = PromiseStatus.PENDING
        rows = self.promises.rows.items()
        return [promise for promise, row in rows if (promise[0], row.execution_id) == key and row.status is pending]

    def open_children(self, key: ExecutionKey) -> list[ExecutionKey]:
        """The children of an execution, among those loaded, that have not ended."""
        rows = self.executions.rows.items()
        return [child for child, row in rows if (child[0], row.parent_id) == key and not row.closed]

    def note_end(self, tenant: TenantId, run_id: str, idempotency_key: str | None = None) -> None:
        """An execution or standalone task has ended: if it may be a schedule's, that one is to be told."""
        schedule_id = schedule_of_key(idempotency_key) or schedule_of_execution(run_id)
        if schedule_id is not None:
            self.ended_runs.append(((tenant, schedule_id), run_id))

    def use_key(self, key: RequestKey) -> None:
        """Remember that an idempotency key has been used."""
        self.keys.give((key.tenant, key.scope, key.key), key.subject)
        self.request_keys.append(key)

    def _facts(self) -> tuple[Growing, ...]:
        return (
            self.events,
            self.attempts,
            self.state_entries,
            self.request_keys,
            self.lines,
            self.kinds,
            self.activity,
            self.notices,
            self.repairs,
            self.late_ms,
            self.ready_executions,
            self.ready_tasks,
            self.closed,
            self.ended_tasks,
            self.ended_runs,
            self.cancel_orders,
            self.new_flow_values,
            self.new_flow_versions,
            self.flow_news,
            self.gone_outbox,
        )
