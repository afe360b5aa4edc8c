"""The store port on one SQLite file.

One thread writes: it carries out plans, one transaction each. Reads go to connections of their own, which neither wait
for a commit nor hold one up. Other processes may have the same file open: nothing that was read outlives its
transaction.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TypeVar

import msgspec

from holdfast.model.access import AccessChanges, AccessKey, AuditEntry, Tenant
from holdfast.model.errors import Stopped, StoreDamaged
from holdfast.model.events import Event
from holdfast.model.flows import FlowVersion, Frame, FramePath, InnerFrame, Scope, ScopePath
from holdfast.model.ids import ExecutionId, TenantId, WorkerId
from holdfast.model.instants import Instant
from holdfast.model.messages import OutboxEntry, Topic
from holdfast.model.oversight import Activity, DueCount, FeedPage, HeldWork, Kind, OpenCount, QueueSetting, WorkSort
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
)
from holdfast.model.records import Attempt, Execution, Promise, Task, TaskLine
from holdfast.model.retention import Pruned, PruneWanted
from holdfast.model.schedules import Schedule
from holdfast.model.wakes import WakeSort, WakeUp
from holdfast.ports.store import ExecutionKey, FrameKey, Plan, ScheduleKey, ScopeKey, TaskKey, ValueKey
from holdfast.stores.migrations import Migration
from holdfast.stores.sqlite.access import AccessTables
from holdfast.stores.sqlite.connections import Settings, pragma
from holdfast.stores.sqlite.errors import reading
from holdfast.stores.sqlite.inspection import pending_in_file
from holdfast.stores.sqlite.opening import open_database
from holdfast.stores.sqlite.overseeing import Overseeing
from holdfast.stores.sqlite.pruning import Pruner
from holdfast.stores.sqlite.queries import Queries
from holdfast.stores.sqlite.schema import known_migrations
from holdfast.stores.sqlite.sessions import Sessions
from holdfast.stores.sqlite.threads import ConnectionThreads
from holdfast.stores.sqlite.transactions import Transactions
from holdfast.stores.statements import Statements
from holdfast.stores.statistics import Statistics

Answer = TypeVar("Answer")
Job = Callable[[sqlite3.Connection], Answer]
STATEMENTS = "holdfast.stores.sqlite.statements"
SOUND = "ok"


class _Running(msgspec.Struct, frozen=True):
    """What exists while the store is open."""

    writer: ConnectionThreads
    readers: ConnectionThreads


class SqliteStore:
    """Everything in one SQLite file; several processes may have it open, on one machine."""

    def __init__(
        self, path: Path, *, settings: Settings | None = None, migrations: Sequence[Migration] | None = None
    ) -> None:
        self.path = path.absolute()
        self.statistics = Statistics()
        self._settings = settings or Settings()
        self._migrations = migrations
        self._statements = Statements(STATEMENTS)
        self._queries = Queries(self._statements)
        self._access = AccessTables(self._statements)
        self._overseeing = Overseeing(self._statements)
        self._pruner = Pruner(self._statements)
        self._transactions = Transactions(path=self.path, statements=self._statements, statistics=self.statistics)
        self._sessions = Sessions(self.path)
        self._running: _Running | None = None
        self._data_version = 0

    @property
    def session(self) -> str:
        """A name for this open store; ids of workers that begin with it and a slash are watched for their end."""
        return self._sessions.own

    async def open(self) -> None:
        """Connects, refuses unsafe settings and newer schemas, brings the schema up to date."""
        migrations = known_migrations() if self._migrations is None else self._migrations
        opened = await asyncio.to_thread(open_database, self.path, self._settings, self._statements, migrations)
        writer = ConnectionThreads(name="holdfast-writer", connections=[opened.writer])
        readers = ConnectionThreads(name="holdfast-reader", connections=opened.readers)
        self._running = _Running(writer, readers)
        # What was known belongs to a connection that is gone: another one counts versions in its own way.
        self._transactions.forget()
        async with AsyncExitStack() as to_close:
            to_close.push_async_callback(self.close)
            self._sessions.open()
            self._sessions.sweep(await self._working_workers())
            await self.changed_outside()
            to_close.pop_all()

    async def pending_migrations(self) -> list[Migration]:
        """What opening it would apply; nothing is changed, and no file is made."""
        migrations = known_migrations() if self._migrations is None else self._migrations
        return await asyncio.to_thread(pending_in_file, self.path, self._statements, migrations)

    async def close(self) -> None:
        """Finishes what is under way and lets go of the file."""
        running = self._running
        if running is None:
            return
        forget = False
        try:
            forget = not any(worker.startswith(f"{self.session}/") for worker in await self._working_workers())
        finally:
            self._running = None
            await running.readers.close()
            await running.writer.close()
            self._sessions.close(forget=forget)

    async def commit(self, plan: Plan) -> None:
        """Carries a plan out in one transaction; it goes on when the one who awaits it is cancelled."""
        await self._open_or_stopped().writer.ask(lambda connection: self._transactions.carry_out(connection, plan))

    async def check_writable(self) -> None:
        """Writes something of no consequence."""
        await self._open_or_stopped().writer.ask(self._transactions.write_nothing_new)

    async def write_access(self, changes: AccessChanges) -> None:
        """Writes tenants, keys and audit entries in one transaction."""

        def write(connection: sqlite3.Connection) -> None:
            self._transactions.write(connection, lambda inside: self._access.write(inside, changes))

        await self._open_or_stopped().writer.ask(write)

    async def ended_kinds(self, tenant: TenantId, of: WorkSort) -> list[str]:
        """The kinds of which some execution or standalone task has ended."""
        return await self._read(lambda connection: self._pruner.ended_kinds(connection, tenant, of))

    async def prune(self, wanted: PruneWanted) -> Pruned:
        """Removes some of what has ended, in one transaction."""

        def prune(connection: sqlite3.Connection) -> Pruned:
            return self._transactions.write(connection, lambda inside: self._pruner.prune(inside, wanted))

        return await self._open_or_stopped().writer.ask(prune)

    async def forget_notices(self, tenant: TenantId, kept: int) -> None:
        """Lets notices go that are older than the last so many."""

        def forget(connection: sqlite3.Connection) -> None:
            self._transactions.write(connection, lambda inside: self._pruner.forget_notices(inside, tenant, kept))

        await self._open_or_stopped().writer.ask(forget)

    async def tenant(self, tenant: TenantId) -> Tenant | None:
        """One tenant."""
        return await self._read(lambda connection: self._access.tenant(connection, tenant))

    async def tenants(self) -> list[Tenant]:
        """All tenants, by name."""
        return await self._read(self._access.tenants)

    async def access_key(self, key_id: str) -> AccessKey | None:
        """One key."""
        return await self._read(lambda connection: self._access.key(connection, key_id))

    async def access_keys(self, tenant: TenantId) -> list[AccessKey]:
        """The keys of a tenant."""
        return await self._read(lambda connection: self._access.keys(connection, tenant))

    async def has_access_keys(self) -> bool:
        """Whether there is any key that has not been revoked."""
        return await self._read(self._access.has_keys)

    async def audit(self, tenant: TenantId, after: Cursor | None, limit: int) -> list[AuditEntry]:
        """The audit log of a tenant, newest first."""
        return await self._read(lambda connection: self._access.audit(connection, tenant, after, limit))

    async def next_wake(self) -> Instant | None:
        """The earliest instant at which something is due."""
        return await self._read(self._queries.next_wake)

    async def wake_ups(self, sort: WakeSort, after: WakeUp | None, limit: int) -> list[WakeUp]:
        """The wake-ups of a sort that follow one of them, or all."""
        return await self._read(lambda connection: self._queries.wake_ups(connection, sort, after, limit))

    async def outbox(self, before: str, limit: int, topic: Topic | None = None) -> list[OutboxEntry]:
        """Entries whose id comes before the one given, by id."""
        return await self._read(lambda connection: self._queries.outbox(connection, before, limit, topic))

    async def abandoned_workers(self) -> tuple[WorkerId, ...]:
        """Workers that hold something and whose session is over."""
        return self._sessions.abandoned(await self._working_workers())

    async def changed_outside(self) -> bool:
        """Whether another process has committed since the last call; our own commits do not count."""
        before = self._data_version
        self._data_version = await self._open_or_stopped().writer.ask(self._read_data_version)
        return self._data_version != before

    async def settings_in_force(self, names: Sequence[str]) -> dict[str, str]:
        """Settings of the connection that commits, read back from it."""
        writer = self._open_or_stopped().writer
        return await writer.ask(lambda connection: {name: str(pragma(connection, name)) for name in names})

    async def damages(self) -> list[str]:
        """What SQLite finds wrong with the file; nothing if it is sound."""
        try:
            found = await self._read(lambda connection: connection.execute(self._statements["quick_check"]).fetchall())
        except StoreDamaged as error:
            return [str(error)]
        return [line for (line,) in found if line != SOUND]

    async def execution(self, key: ExecutionKey) -> Execution | None:
        """One execution."""
        return next(iter(await self.executions([key])), None)

    async def executions(self, keys: Sequence[ExecutionKey]) -> list[Execution]:
        """Those of these executions that exist."""
        return await self._read(lambda connection: self._queries.executions(connection, keys))

    async def list_executions(self, wanted: ExecutionFilter) -> ExecutionPage:
        """Executions, newest first."""
        return await self._read(lambda connection: self._queries.list_executions(connection, wanted))

    async def histories(self, wanted: Sequence[HistoryWanted]) -> list[list[Event]]:
        """Pages of history, in the order of the question."""
        return await self._read(lambda connection: self._queries.histories(connection, wanted))

    async def state(self, key: ExecutionKey) -> StateSnapshot:
        """The state entries of an execution."""
        return await self._read(lambda connection: self._queries.state(connection, key))

    async def task(self, key: TaskKey) -> Task | None:
        """One task."""
        return next(iter(await self.tasks([key])), None)

    async def tasks(self, keys: Sequence[TaskKey]) -> list[Task]:
        """Those of these tasks that exist."""
        return await self._read(lambda connection: self._queries.tasks(connection, keys))

    async def list_tasks(self, wanted: TaskFilter) -> TaskPage:
        """Tasks, newest first."""
        return await self._read(lambda connection: self._queries.list_tasks(connection, wanted))

    async def count_tasks(self, wanted: TaskFilter) -> int:
        """How many tasks the filter admits."""
        return await self._read(lambda connection: self._queries.count_tasks(connection, wanted))

    async def attempts(self, key: TaskKey) -> list[Attempt]:
        """The ended tries of a task, in order."""
        return await self._read(lambda connection: self._queries.attempts(connection, key))

    async def lines(self, key: TaskKey, after: int, limit: int) -> list[TaskLine]:
        """Lines of a task whose number is above `after`, in order."""
        return await self._read(lambda connection: self._queries.lines(connection, key, after, limit))

    async def list_timers(self, tenant: TenantId, execution_id: ExecutionId | None, limit: int) -> TimerPage:
        """Armed timers, the next to fire first."""
        return await self._read(lambda connection: self._queries.list_timers(connection, tenant, execution_id, limit))

    async def promises(self, key: ExecutionKey) -> list[Promise]:
        """The promises of an execution, in the order of their creation."""
        return await self._read(lambda connection: self._queries.promises(connection, key))

    async def queue_counts(self, tenant: TenantId) -> list[QueueCount]:
        """How much work waits (PENDING), waits for its time (DELAYED) and runs (RUNNING), by queue and kind."""
        return await self._read(lambda connection: self._queries.queue_counts(connection, tenant))

    async def flows(self, tenant: TenantId, after: str, limit: int) -> list[FlowVersion]:
        """The newest version of each flow whose name comes after the one given, by name."""
        return await self._read(lambda connection: self._queries.flows(connection, tenant, after, limit))

    async def flow_versions(self, tenant: TenantId, name: str, before: int, limit: int) -> list[FlowVersion]:
        """The versions of a flow below the one given, newest first."""
        return await self._read(lambda connection: self._queries.flow_versions(connection, tenant, name, before, limit))

    async def frame(self, key: FrameKey) -> Frame | None:
        """One frame of a run."""
        return await self._read(lambda connection: self._queries.frame(connection, key))

    async def frames(self, key: ScopeKey, after: int, limit: int) -> list[Frame]:
        """The items of a scope whose index is above `after`, in order."""
        return await self._read(lambda connection: self._queries.frames(connection, key, after, limit))

    async def scopes(self, key: ExecutionKey, after: ScopePath, limit: int) -> list[Scope]:
        """The scopes of a run whose path comes after the one given, by path."""
        return await self._read(lambda connection: self._queries.scopes(connection, key, after, limit))

    async def scopes_at(self, keys: Sequence[ScopeKey]) -> list[Scope]:
        """Those of these scopes that exist."""
        return await self._read(lambda connection: self._queries.scopes_at(connection, keys))

    async def flow_values(self, keys: Sequence[ValueKey]) -> dict[ValueKey, bytes]:
        """Those of these values that exist."""
        return await self._read(lambda connection: self._queries.flow_values(connection, keys))

    async def ready_flows(self, limit: int) -> tuple[list[Frame], list[Scope]]:
        """The frames and the scopes that are ready, the oldest first."""
        return await self._read(lambda connection: self._queries.ready_flows(connection, limit))

    async def inner_frames(
        self, key: ExecutionKey, within: FramePath, after: tuple[ScopePath, int], limit: int
    ) -> list[InnerFrame]:
        """The frames in a frame at any depth that come after the one given, by scope and index."""
        return await self._read(lambda connection: self._queries.inner_frames(connection, key, within, after, limit))

    async def schedule(self, key: ScheduleKey) -> Schedule | None:
        """One schedule."""
        return await self._read(lambda connection: self._queries.schedule(connection, key))

    async def schedules(self, tenant: TenantId, after: str, limit: int) -> list[Schedule]:
        """The schedules whose id comes after the one given, by id."""
        return await self._read(lambda connection: self._queries.schedules(connection, tenant, after, limit))

    async def queue_settings(self, tenant: TenantId) -> list[QueueSetting]:
        """The queues that someone has set, by name."""
        return await self._read(lambda connection: self._overseeing.queue_settings(connection, tenant))

    async def kinds(self, tenant: TenantId) -> list[Kind]:
        """The kinds that workers have registered, by sort and name."""
        return await self._read(lambda connection: self._overseeing.kinds(connection, tenant))

    async def feed(self, tenant: TenantId, after: int, limit: int) -> FeedPage:
        """Notices whose number is above `after`, or the oldest that are kept, in order."""
        return await self._read(lambda connection: self._overseeing.feed(connection, tenant, after, limit))

    async def activity(self, tenant: TenantId, since_minute: int) -> list[Activity]:
        """What happened since a minute."""
        return await self._read(lambda connection: self._overseeing.activity(connection, tenant, since_minute))

    async def held_work(self, tenant: TenantId, limit: int) -> list[HeldWork]:
        """What workers are busy with, by worker."""
        return await self._read(lambda connection: self._overseeing.held_work(connection, tenant, limit))

    async def open_executions(self, tenant: TenantId) -> list[OpenCount]:
        """How many executions have not ended, by kind."""
        return await self._read(lambda connection: self._overseeing.open_executions(connection, tenant))

    async def timers_due(self, tenant: TenantId, until: Instant, step_ms: int) -> list[DueCount]:
        """How many timers fire before an instant, in steps of so many milliseconds."""
        return await self._read(lambda connection: self._overseeing.timers_due(connection, tenant, until, step_ms))

    async def _working_workers(self) -> list[WorkerId]:
        return await self._read(self._queries.working_workers)

    async def _read(self, question: Job[Answer]) -> Answer:
        return await self._open_or_stopped().readers.ask(lambda connection: self._answer(connection, question))

    def _answer(self, connection: sqlite3.Connection, question: Job[Answer]) -> Answer:
        try:
            with reading(self.path):
                return question(connection)
        except msgspec.DecodeError as error:
            raise StoreDamaged(f"{self.path} has a row that cannot be read: {error}") from error

    def _read_data_version(self, connection: sqlite3.Connection) -> int:
        with reading(self.path):
            [version] = connection.execute(self._statements["data_version"]).fetchone()
        return int(version)

    def _open_or_stopped(self) -> _Running:
        if self._running is None:
            raise Stopped(f"{self.path} is not open")
        return self._running
