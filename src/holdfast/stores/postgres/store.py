"""The store port on PostgreSQL: servers and processes, as many as there are, share one database.

One connection commits: it carries out plans, one transaction each. Reads go to a small pool beside it. A third kind
stays connected to hear what others commit. Everything runs on the event loop of whoever opened the store.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
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
from holdfast.ports.news import News
from holdfast.ports.store import ExecutionKey, FrameKey, Plan, ScheduleKey, ScopeKey, TaskKey, ValueKey
from holdfast.stores.migrations import Migration
from holdfast.stores.postgres.access import AccessTables
from holdfast.stores.postgres.addresses import Address, address_of
from holdfast.stores.postgres.clock import DatabaseClock
from holdfast.stores.postgres.connections import ConnectionPool, Postgres, Settings, check, close, connect, settle
from holdfast.stores.postgres.errors import reading
from holdfast.stores.postgres.overseeing import Overseeing
from holdfast.stores.postgres.pruning import Pruner
from holdfast.stores.postgres.queries import Queries
from holdfast.stores.postgres.schema import known_migrations, migrate, to_apply
from holdfast.stores.postgres.sessions import Sessions
from holdfast.stores.postgres.transactions import Transactions
from holdfast.stores.statements import Statements
from holdfast.stores.statistics import Statistics

Answer = TypeVar("Answer")
Question = Callable[[Postgres], Awaitable[Answer]]
NAMED = {"application_name": "holdfast"}
STATEMENTS = "holdfast.stores.postgres.statements"


class PostgresStore:
    """Everything in one PostgreSQL database; any number of processes, on any machines, may have it open."""

    def __init__(
        self, url: str, *, settings: Settings | None = None, migrations: Sequence[Migration] | None = None
    ) -> None:
        self.address: Address = address_of(url)
        self.statistics = Statistics()
        self.clock = DatabaseClock()
        self._settings = settings or Settings()
        self._migrations = migrations
        self._statements = Statements(STATEMENTS)
        self._queries = Queries(self._statements)
        self._access = AccessTables(self._statements)
        self._overseeing = Overseeing(self._statements)
        self._pruner = Pruner(self._statements)
        self._sessions = Sessions(
            connect=None if self.address.direct is None else self._connect_directly,
            where=self.address.shown,
            statements=self._statements,
            clock=self.clock,
        )
        self._transactions = Transactions(
            connect=self._connect_to_write,
            where=self.address.shown,
            statements=self._statements,
            statistics=self.statistics,
            session=self._sessions.own,
            settings=self._settings.writing() if self.address.pooled else {},
        )
        self._readers: ConnectionPool | None = None
        self._under_way: set[asyncio.Task[bool]] = set()

    @property
    def session(self) -> str:
        """A name for this open store; ids of workers that begin with it and a slash are watched for their end."""
        return self._sessions.own

    async def open(self) -> None:
        """Connects, refuses unsafe settings and newer schemas, brings the schema up to date."""
        migrations = known_migrations() if self._migrations is None else self._migrations
        self._readers = ConnectionPool(self._connect_to_read, self._settings.readers, pooled=self.address.pooled)
        async with AsyncExitStack() as to_close:
            to_close.push_async_callback(self.close)
            with reading(self.address.shown):
                async with self._readers.connection() as connection:
                    await check(connection, self._statements, self.address)
                await migrate(
                    self._readers,
                    self._statements,
                    migrations,
                    self.address.shown,
                    connect_to_stay=None if self.address.direct is None else self._connect_directly,
                )
                async with self._readers.connection() as connection:
                    self.clock.saw(await connection.fetchval(self._statements["database_time"]))
            await self._sessions.open()
            to_close.pop_all()

    async def pending_migrations(self) -> list[Migration]:
        """What opening it would apply; nothing is changed."""
        migrations = known_migrations() if self._migrations is None else self._migrations
        connection = await self._connect_to_read()
        try:
            with reading(self.address.shown):
                return await to_apply(connection, self._statements, migrations, self.address.shown)
        finally:
            await close(connection, self._settings.closing_seconds)

    async def close(self) -> None:
        """Finishes what is under way and lets go of everything."""
        readers, self._readers = self._readers, None
        if readers is None:
            return
        seconds = self._settings.closing_seconds
        if self._under_way:
            await asyncio.wait(self._under_way)
        await self._sessions.close(seconds)
        await self._transactions.close(seconds)
        await readers.close(seconds)

    async def commit(self, plan: Plan) -> None:
        """Carries a plan out in one transaction; it goes on when the one who awaits it is cancelled."""
        self._open_or_stopped()
        task = asyncio.get_running_loop().create_task(self._transactions.carry_out(plan), name="holdfast-commit")
        self._under_way.add(task)
        task.add_done_callback(self._ended)
        await asyncio.shield(task)

    def _ended(self, task: asyncio.Task[bool]) -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            task.exception()  # it belongs to whoever awaits the commit, if anyone still does

    async def check_writable(self) -> None:
        """Writes something of no consequence."""
        await self._read(lambda connection: connection.execute(self._statements["rewrite_migrations"]))

    async def write_access(self, changes: AccessChanges) -> None:
        """Writes tenants, keys and audit entries in one transaction."""
        await self._read(lambda connection: self._access.write(connection, changes))

    async def ended_kinds(self, tenant: TenantId, of: WorkSort) -> list[str]:
        """The kinds of which some execution or standalone task has ended."""
        return await self._read(lambda connection: self._pruner.ended_kinds(connection, tenant, of))

    async def prune(self, wanted: PruneWanted) -> Pruned:
        """Removes some of what has ended, in one transaction."""
        return await self._read(lambda connection: self._pruner.prune(connection, wanted))

    async def forget_notices(self, tenant: TenantId, kept: int) -> None:
        """Lets notices go that are older than the last so many."""
        await self._read(lambda connection: self._overseeing.forget_notices(connection, tenant, kept))

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
        return await self._read(self._lost)

    async def _lost(self, connection: Postgres) -> tuple[WorkerId, ...]:
        self.clock.saw(await connection.fetchval(self._statements["database_time"]))
        return await self._sessions.lost(connection, await self._queries.working_workers(connection))

    def listen(self, hear: Callable[[News | None], None]) -> None:
        """From now on call this with what other processes commit."""
        self._sessions.on_news = hear

    async def changed_outside(self) -> bool:
        """Whether another process has committed since the last call; our own commits do not count."""
        self._open_or_stopped()
        return await self._sessions.changed()

    async def settings_in_force(self, names: Sequence[str]) -> dict[str, str]:
        """Settings of the server, as a connection of ours has them."""
        found = await self._read(lambda connection: connection.fetch(self._statements["read_settings_named"], names))
        return {row["name"]: row["setting"] for row in found}

    async def damages(self) -> list[str]:
        """What PostgreSQL knows to be wrong with our tables and the pages of the database."""
        found = await self._read(lambda connection: connection.fetch(self._statements["find_damages"]))
        return [row["damage"] for row in found]

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

    async def _read(self, question: Question[Answer]) -> Answer:
        readers = self._open_or_stopped()
        try:
            with reading(self.address.shown):
                async with readers.connection() as connection:
                    return await question(connection)
        except msgspec.DecodeError as error:
            raise StoreDamaged(f"{self.address.shown} has a row that cannot be read: {error}") from error

    def _open_or_stopped(self) -> ConnectionPool:
        if self._readers is None:
            raise Stopped(f"{self.address.shown} is not open")
        return self._readers

    async def _connect_to_read(self) -> Postgres:
        return await self._connect(self.address.url, self._settings.common(), pooled=self.address.pooled)

    async def _connect_to_write(self) -> Postgres:
        connection = await self._connect(self.address.url, self._settings.writing(), pooled=self.address.pooled)
        try:
            with reading(self.address.shown):
                # It may be to another server than the last one was, that is set up otherwise.
                await check(connection, self._statements, self.address)
        except BaseException:
            connection.terminate()
            raise
        return connection

    async def _connect_directly(self) -> Postgres:
        return await self._connect(self.address.direct or self.address.url, self._settings.common(), pooled=False)

    async def _connect(self, url: str, kept: dict[str, str], *, pooled: bool) -> Postgres:
        late = self.address.settled_late
        with reading(self.address.shown):
            connection = await connect(url, self._settings, kept=NAMED if late else kept, pooled=pooled)
            if late:
                await settle(connection, self._statements, kept)
            return connection
