"""The store port: load what a batch needs, decide, write what it decided, in one transaction.

A `Plan` is a whole batch. The store asks it what it wants, gives it the rows, and either writes the changes it answers
and commits once, or, when the plan finds that it wants more, loads again. Between the first load and the commit
nobody else can change the rows that were loaded. The plan itself does no I/O, so any store can drive it, from a thread
or from an event loop.
"""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from holdfast.model.errors import InvalidArgument, shown
from holdfast.model.events import Event
from holdfast.model.flows import FlowValue, FlowVersion, Frame, FramePath, InnerFrame, ItemResult, Scope, ScopePath
from holdfast.model.ids import ExecutionId, PromiseId, QueueName, TaskId, TenantId, TimerId, WorkerId
from holdfast.model.instants import Instant
from holdfast.model.messages import OutboxEntry, Topic
from holdfast.model.oversight import Activity, Kind, Notices, QueueSetting
from holdfast.model.queries import (
    ExecutionFilter,
    ExecutionPage,
    HistoryWanted,
    QueueCount,
    StateSnapshot,
    TaskFilter,
    TaskPage,
    TimerPage,
)
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
from holdfast.model.schedules import Schedule
from holdfast.model.wakes import WakeSort, WakeUp
from holdfast.ports.oversight import Oversight
from holdfast.ports.retention import Pruning

ExecutionKey = tuple[TenantId, ExecutionId]
TaskKey = tuple[TenantId, TaskId]
TimerKey = tuple[TenantId, TimerId]
PromiseKey = tuple[TenantId, PromiseId]
QueueKey = tuple[TenantId, QueueName]
PromiseName = tuple[TenantId, ExecutionId, str]
RequestName = tuple[TenantId, str, str]
FrameKey = tuple[TenantId, ExecutionId, ScopePath, int]
ScopeKey = tuple[TenantId, ExecutionId, ScopePath]
ValueKey = tuple[TenantId, ExecutionId, str]
FlowName = tuple[TenantId, str]
VersionKey = tuple[TenantId, str, int]
ScheduleKey = tuple[TenantId, str]


class ClaimWanted(msgspec.Struct, frozen=True, gc=False):
    """Up to `limit` claimable items of a queue whose kind is among those given."""

    tenant: TenantId
    queue: QueueName
    kinds: frozenset[str]
    limit: int


class DueWanted(msgspec.Struct, frozen=True, gc=False):
    """Records whose wake_at or fire_at is at or before `now`: the earliest, up to `limit` of each sort."""

    now: Instant
    limit: int


class HeldWanted(msgspec.Struct, frozen=True, gc=False):
    """RUNNING records that these workers hold, up to `limit` of each sort."""

    workers: frozenset[WorkerId]
    limit: int


class Wanted(msgspec.Struct):
    """What a plan needs to see. A key that has no row is simply absent from the answer."""

    executions: set[ExecutionKey] = msgspec.field(default_factory=set)
    """Each brings its parent."""
    tasks: set[TaskKey] = msgspec.field(default_factory=set)
    """Each brings its execution and that one's parent."""
    timers: set[TimerKey] = msgspec.field(default_factory=set)
    """Each brings its execution."""
    promises: set[PromiseKey] = msgspec.field(default_factory=set)
    """Each brings its execution."""
    promise_names: set[PromiseName] = msgspec.field(default_factory=set)
    """The promise of that name which was created last; brings its execution."""
    request_keys: set[RequestName] = msgspec.field(default_factory=set)
    """Each brings the subject's own row if its scope is "task"."""
    queues: set[QueueKey] = msgspec.field(default_factory=set)
    """How they are set, where anyone has set them."""
    open_items_of: set[ExecutionKey] = msgspec.field(default_factory=set)
    """All open tasks, timers and promises of these executions, and their open children as executions."""
    histories: set[ExecutionKey] = msgspec.field(default_factory=set)
    """The whole history of these executions, into Rows.events."""
    execution_claims: list[ClaimWanted] = msgspec.field(default_factory=list)
    """PENDING executions, oldest first, with the events that their code has not seen (all, if the history is short).
    Their parents need not come with them."""
    task_claims: list[ClaimWanted] = msgspec.field(default_factory=list)
    """Ready tasks in the order of `model.ranks.task_rank`, then by id. Their executions need not come with them."""
    due: DueWanted | None = None
    """Due executions, tasks (with execution and its parent), timers and promises (with execution), and schedules."""
    held: HeldWanted | None = None
    """Held executions and tasks (these with execution and its parent)."""
    frames: set[FrameKey] = msgspec.field(default_factory=set)
    scopes: set[ScopeKey] = msgspec.field(default_factory=set)
    flow_values: set[ValueKey] = msgspec.field(default_factory=set)
    item_results: set[ScopeKey] = msgspec.field(default_factory=set)
    """The ended items of these scopes."""
    newest_flows: set[FlowName] = msgspec.field(default_factory=set)
    flow_versions: set[VersionKey] = msgspec.field(default_factory=set)
    schedules: set[ScheduleKey] = msgspec.field(default_factory=set)
    ready_flows: int = 0
    """So many frames and so many scopes that are ready, the oldest first; their rows come with them."""


def check_names(wanted: Wanted) -> None:
    """Databases end a text at NUL, or refuse one, and would find what another name means; so every store asks this."""
    for *_, name in (*wanted.request_keys, *wanted.promise_names):
        if "\0" in name:
            raise InvalidArgument(f"the name {shown(name)} has a NUL character; no name may have one")


class Rows(msgspec.Struct):
    """What a store loaded. All dictionaries are the plan's to change."""

    executions: dict[ExecutionKey, Execution] = msgspec.field(default_factory=dict)
    tasks: dict[TaskKey, Task] = msgspec.field(default_factory=dict)
    timers: dict[TimerKey, Timer] = msgspec.field(default_factory=dict)
    promises: dict[PromiseKey, Promise] = msgspec.field(default_factory=dict)
    promise_names: dict[PromiseName, PromiseId] = msgspec.field(default_factory=dict)
    request_keys: dict[RequestName, str] = msgspec.field(default_factory=dict)
    queues: dict[QueueKey, QueueSetting] = msgspec.field(default_factory=dict)
    open_tasks: dict[ExecutionKey, list[TaskKey]] = msgspec.field(default_factory=dict)
    open_timers: dict[ExecutionKey, list[TimerKey]] = msgspec.field(default_factory=dict)
    open_promises: dict[ExecutionKey, list[PromiseKey]] = msgspec.field(default_factory=dict)
    open_children: dict[ExecutionKey, list[ExecutionKey]] = msgspec.field(default_factory=dict)
    claimable_executions: list[list[ExecutionKey]] = msgspec.field(default_factory=list)
    """One list for each of Wanted.execution_claims, in their order."""
    claimable_tasks: list[list[TaskKey]] = msgspec.field(default_factory=list)
    """One list for each of Wanted.task_claims, in their order."""
    events: dict[ExecutionKey, list[Event]] = msgspec.field(default_factory=dict)
    """Of claimable executions, and of those in Wanted.histories: consecutive events that end at last_sequence."""
    due_executions: list[ExecutionKey] = msgspec.field(default_factory=list)
    due_tasks: list[TaskKey] = msgspec.field(default_factory=list)
    due_timers: list[TimerKey] = msgspec.field(default_factory=list)
    due_promises: list[PromiseKey] = msgspec.field(default_factory=list)
    due_schedules: list[ScheduleKey] = msgspec.field(default_factory=list)
    following_wake: Instant | None = None
    """The earliest instant after that of Wanted.due at which something is due; None too if the store does not tell."""
    held_executions: list[ExecutionKey] = msgspec.field(default_factory=list)
    held_tasks: list[TaskKey] = msgspec.field(default_factory=list)
    frames: dict[FrameKey, Frame] = msgspec.field(default_factory=dict)
    scopes: dict[ScopeKey, Scope] = msgspec.field(default_factory=dict)
    flow_values: dict[ValueKey, bytes] = msgspec.field(default_factory=dict)
    item_results: dict[ScopeKey, list[ItemResult]] = msgspec.field(default_factory=dict)
    """In no order."""
    newest_flows: dict[FlowName, int] = msgspec.field(default_factory=dict)
    flow_versions: dict[VersionKey, FlowVersion] = msgspec.field(default_factory=dict)
    schedules: dict[ScheduleKey, Schedule] = msgspec.field(default_factory=dict)
    ready_frames: list[FrameKey] = msgspec.field(default_factory=list)
    ready_scopes: list[ScopeKey] = msgspec.field(default_factory=list)


KEPT_NOTICES = 200_000
"""So far back a follower of a tenant may have been away without a gap."""
KEPT_ACTIVITY_MINUTES = 24 * 60

SHORT_HISTORY = 64
"""A history of up to so many events is given to a claim as a whole."""


class Changes(msgspec.Struct):
    """What a plan decided, as whole rows; a store writes each list with one or a few set-based statements."""

    new_executions: list[Execution] = msgspec.field(default_factory=list)
    changed_executions: list[Execution] = msgspec.field(default_factory=list)
    new_tasks: list[Task] = msgspec.field(default_factory=list)
    changed_tasks: list[Task] = msgspec.field(default_factory=list)
    attempts: list[Attempt] = msgspec.field(default_factory=list)
    new_timers: list[Timer] = msgspec.field(default_factory=list)
    moved_timers: list[Timer] = msgspec.field(default_factory=list)
    gone_timers: list[TimerKey] = msgspec.field(default_factory=list)
    new_promises: list[Promise] = msgspec.field(default_factory=list)
    changed_promises: list[Promise] = msgspec.field(default_factory=list)
    events: list[HistoryEntry] = msgspec.field(default_factory=list)
    state: list[StateEntry] = msgspec.field(default_factory=list)
    request_keys: list[RequestKey] = msgspec.field(default_factory=list)
    lines: list[TaskLine] = msgspec.field(default_factory=list)
    new_frames: list[Frame] = msgspec.field(default_factory=list)
    changed_frames: list[Frame] = msgspec.field(default_factory=list)
    new_scopes: list[Scope] = msgspec.field(default_factory=list)
    changed_scopes: list[Scope] = msgspec.field(default_factory=list)
    flow_values: list[FlowValue] = msgspec.field(default_factory=list)
    flow_versions: list[FlowVersion] = msgspec.field(default_factory=list)
    queues: list[QueueSetting] = msgspec.field(default_factory=list)
    """Each takes the place of what there was."""
    schedules: list[Schedule] = msgspec.field(default_factory=list)
    """Each takes the place of what there was."""
    gone_schedules: list[ScheduleKey] = msgspec.field(default_factory=list)
    kinds: list[Kind] = msgspec.field(default_factory=list)
    """Each takes the place of what there was; the last one counts."""
    feed: list[Notices] = msgspec.field(default_factory=list)
    """Numbered by the store, in this order; it keeps at least the last KEPT_NOTICES of a tenant."""
    outbox: list[OutboxEntry] = msgspec.field(default_factory=list)
    gone_outbox: list[str] = msgspec.field(default_factory=list)
    """The ids of entries, which may be gone already."""
    activity: list[Activity] = msgspec.field(default_factory=list)
    """Added to what there was; the store forgets what is older than KEPT_ACTIVITY_MINUTES."""


class Plan(Protocol):
    """A batch of requests, decided in memory."""

    @property
    def wanted(self) -> Wanted:
        """What to load first."""

    def decide(self, rows: Rows) -> Changes | Wanted:
        """The changes to write; or what else to load, and then `decide` is called again with just those rows."""

    def start_over(self) -> None:
        """The transaction was undone, because others were in its way: nothing has been decided."""


class Reads(Protocol):
    """Questions about what has been committed; they never block a commit."""

    async def execution(self, key: ExecutionKey) -> Execution | None:
        """One execution."""

    async def executions(self, keys: Sequence[ExecutionKey]) -> list[Execution]:
        """Those of these executions that exist."""

    async def list_executions(self, wanted: ExecutionFilter) -> ExecutionPage:
        """Executions, newest first."""

    async def histories(self, wanted: Sequence[HistoryWanted]) -> list[list[Event]]:
        """Pages of history, in the order of the question."""

    async def state(self, key: ExecutionKey) -> StateSnapshot:
        """The state entries of an execution."""

    async def task(self, key: TaskKey) -> Task | None:
        """One task."""

    async def tasks(self, keys: Sequence[TaskKey]) -> list[Task]:
        """Those of these tasks that exist."""

    async def list_tasks(self, wanted: TaskFilter) -> TaskPage:
        """Tasks, newest first."""

    async def count_tasks(self, wanted: TaskFilter) -> int:
        """How many tasks the filter admits, on all pages."""

    async def attempts(self, key: TaskKey) -> list[Attempt]:
        """The ended tries of a task, in order."""

    async def lines(self, key: TaskKey, after: int, limit: int) -> list[TaskLine]:
        """Lines of a task whose number is above `after`, in order."""

    async def list_timers(self, tenant: TenantId, execution_id: ExecutionId | None, limit: int) -> TimerPage:
        """Armed timers, the next to fire first."""

    async def promises(self, key: ExecutionKey) -> list[Promise]:
        """The promises of an execution, in the order of their creation."""

    async def queue_counts(self, tenant: TenantId) -> list[QueueCount]:
        """How much work waits and runs, by queue and kind."""


class FlowQuestions(Protocol):
    """What clients ask about flows and their runs."""

    async def flows(self, tenant: TenantId, after: str, limit: int) -> list[FlowVersion]:
        """The newest version of each flow whose name comes after the one given, by name."""

    async def flow_versions(self, tenant: TenantId, name: str, before: int, limit: int) -> list[FlowVersion]:
        """The versions of a flow below the one given, newest first."""

    async def frame(self, key: FrameKey) -> Frame | None:
        """One frame of a run."""

    async def frames(self, key: ScopeKey, after: int, limit: int) -> list[Frame]:
        """The items of a scope whose index is above `after`, in order."""

    async def scopes(self, key: ExecutionKey, after: ScopePath, limit: int) -> list[Scope]:
        """The scopes of a run whose path comes after the one given, by path."""


class FlowReads(FlowQuestions, Protocol):
    """Questions about flows and their runs."""

    async def scopes_at(self, keys: Sequence[ScopeKey]) -> list[Scope]:
        """Those of these scopes that exist, in no order."""

    async def flow_values(self, keys: Sequence[ValueKey]) -> dict[ValueKey, bytes]:
        """Those of these values that exist."""

    async def ready_flows(self, limit: int) -> tuple[list[Frame], list[Scope]]:
        """The frames and the scopes that are ready, the oldest first: up to so many of each. Nothing is locked."""

    async def inner_frames(
        self, key: ExecutionKey, within: FramePath, after: tuple[ScopePath, int], limit: int
    ) -> list[InnerFrame]:
        """The frames in a frame at any depth that come after the one given, by scope and index."""


class ScheduleQuestions(Protocol):
    """Questions about schedules."""

    async def schedule(self, key: ScheduleKey) -> Schedule | None:
        """One schedule."""

    async def schedules(self, tenant: TenantId, after: str, limit: int) -> list[Schedule]:
        """The schedules whose id comes after the one given, by id."""


class Questions(Reads, FlowQuestions, ScheduleQuestions, Protocol):
    """All that clients ask, of a store or of a server."""


class Store(Questions, FlowReads, Oversight, Pruning, Protocol):
    """Where everything is kept.

    `commit` raises Unavailable when nothing was written, OutcomeUnknown when that cannot be told, and lets errors of
    the plan through after rolling back.
    """

    async def open(self) -> None:
        """Connect, refuse unsafe settings and newer schemas, and bring the schema up to date."""

    async def close(self) -> None:
        """Finish what is under way and let go of everything."""

    async def commit(self, plan: Plan) -> None:
        """Carry a plan out in one transaction."""

    async def check_writable(self) -> None:
        """Write something of no consequence, as durably as everything else; the error of `commit` if that fails."""

    async def next_wake(self) -> Instant | None:
        """The earliest wake_at or fire_at of all records."""

    async def wake_ups(self, sort: WakeSort, after: WakeUp | None, limit: int) -> list[WakeUp]:
        """The wake-ups of a sort that follow one of them, or all, by due, tenant and id."""

    async def outbox(self, before: str, limit: int, topic: Topic | None = None) -> list[OutboxEntry]:
        """Entries whose id comes before the one given, by id; of one topic, or of all."""

    async def abandoned_workers(self) -> tuple[WorkerId, ...]:
        """Workers that hold something and whose process is known for certain to be gone."""

    async def changed_outside(self) -> bool:
        """Whether another process has committed since the last call."""
