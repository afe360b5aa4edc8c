"""Answers questions on a reader's connection: what has been committed, as of now."""

from collections.abc import Sequence

from holdfast.model.events import Event
from holdfast.model.flows import PAST_ALL, FlowVersion, Frame, FramePath, InnerFrame, Scope, ScopePath
from holdfast.model.ids import ExecutionId, TenantId, WorkerId
from holdfast.model.instants import LATEST, Instant
from holdfast.model.messages import OutboxEntry, Topic
from holdfast.model.queries import (
    MOST_SEARCHED,
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
from holdfast.model.wakes import WakeSort, WakeUp
from holdfast.ports.store import ExecutionKey, FrameKey, ScheduleKey, ScopeKey, TaskKey, ValueKey
from holdfast.stores.postgres import rows as codec
from holdfast.stores.postgres.composing import columns
from holdfast.stores.postgres.connections import Postgres
from holdfast.stores.statements import Statements

NEWEST = Cursor(Instant(LATEST + 1), "")
_FOUND_ROW = 3
"""A search's rows begin with where the look ended."""


class Queries:
    """The questions of the store port."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements

    async def executions(self, connection: Postgres, keys: Sequence[ExecutionKey]) -> list[Execution]:
        if not keys:
            return []
        found = await connection.fetch(self._statements["read_executions"], *columns(keys))
        return [codec.execution_of(row) for row in found]

    async def tasks(self, connection: Postgres, keys: Sequence[TaskKey]) -> list[Task]:
        if not keys:
            return []
        return [codec.task_of(row) for row in await connection.fetch(self._statements["read_tasks"], *columns(keys))]

    async def list_executions(self, connection: Postgres, wanted: ExecutionFilter) -> ExecutionPage:
        if wanted.is_search:
            return await self._search_executions(connection, wanted)
        limit = bounded(wanted.limit)
        if wanted.parent_id is None:
            found = await connection.fetch(self._statements["list_executions"], *_execution_filter(wanted), limit + 1)
        else:
            parameters = (*_execution_filter(wanted), wanted.parent_id, limit + 1)
            found = await connection.fetch(self._statements["list_children"], *parameters)
        records = tuple(codec.execution_of(row) for row in found)
        return ExecutionPage(records[:limit], _next(records, limit))

    async def _search_executions(self, connection: Postgres, wanted: ExecutionFilter) -> ExecutionPage:
        limit = bounded(wanted.limit)
        found = await connection.fetch(
            self._statements["search_executions"],
            *_execution_filter(wanted),
            None if wanted.text is None else _lower(wanted.text),
            [key for key, _ in wanted.metadata],
            [value.decode() for _, value in wanted.metadata],
            MOST_SEARCHED,
            limit + 1,
        )
        seen, end_at, end_id = found[0][:_FOUND_ROW]
        records = tuple(codec.execution_of(row[_FOUND_ROW:]) for row in found if row[_FOUND_ROW] is not None)
        unfinished = len(records) <= limit and seen == MOST_SEARCHED
        return ExecutionPage(records[:limit], Cursor(end_at, end_id) if unfinished else _next(records, limit))

    async def list_tasks(self, connection: Postgres, wanted: TaskFilter) -> TaskPage:
        before = wanted.after or NEWEST
        limit = bounded(wanted.limit)
        name = "list_standalone_tasks" if wanted.execution_id is None else "list_tasks_of_execution"
        place = (wanted.tenant, before.created_at, before.id)
        parameters = (*place, *_task_filter(wanted), limit + 1, wanted.offset, *_owner(wanted))
        records = tuple(codec.task_of(row) for row in await connection.fetch(self._statements[name], *parameters))
        return TaskPage(records[:limit], _next(records, limit))

    async def count_tasks(self, connection: Postgres, wanted: TaskFilter) -> int:
        name = "count_standalone_tasks" if wanted.execution_id is None else "count_tasks_of_execution"
        parameters = (wanted.tenant, *_task_filter(wanted), *_owner(wanted))
        return int(await connection.fetchval(self._statements[name], *parameters))

    async def histories(self, connection: Postgres, wanted: Sequence[HistoryWanted]) -> list[list[Event]]:
        pages: list[list[Event]] = [[] for _ in wanted]
        if not wanted:
            return pages
        # Sequences have no gaps, so a page's end is known beforehand.
        bounds = [(page.tenant, page.execution_id, page.after, page.after + page.limit) for page in wanted]
        for place, *event in await connection.fetch(self._statements["read_histories"], *columns(bounds)):
            pages[place - 1].append(codec.event_of(*event))
        return pages

    async def state(self, connection: Postgres, key: ExecutionKey) -> StateSnapshot:
        found = await connection.fetch(self._statements["read_state"], *key)
        return StateSnapshot({row["key"]: row["value"] for row in found})

    async def attempts(self, connection: Postgres, key: TaskKey) -> list[Attempt]:
        return [codec.attempt_of(row) for row in await connection.fetch(self._statements["read_attempts"], *key)]

    async def lines(self, connection: Postgres, key: TaskKey, after: int, limit: int) -> list[TaskLine]:
        found = await connection.fetch(self._statements["read_lines"], *key, after, limit)
        return [codec.line_of(row) for row in found]

    async def promises(self, connection: Postgres, key: ExecutionKey) -> list[Promise]:
        found = await connection.fetch(self._statements["read_promises_of_execution"], *key)
        return [codec.promise_of(row) for row in found]

    async def list_timers(
        self, connection: Postgres, tenant: TenantId, execution_id: ExecutionId | None, limit: int
    ) -> TimerPage:
        listed, counted = "list_timers", "count_timers"
        owner: tuple[str, ...] = ()
        if execution_id is not None:
            listed, counted, owner = "list_timers_of_execution", "count_timers_of_execution", (execution_id,)
        found = await connection.fetch(self._statements[listed], tenant, bounded(limit), *owner)
        total = await connection.fetchval(self._statements[counted], tenant, *owner)
        return TimerPage(tuple(codec.timer_of(row) for row in found), total)

    async def queue_counts(self, connection: Postgres, tenant: TenantId) -> list[QueueCount]:
        return [QueueCount(*row) for row in await connection.fetch(self._statements["count_open_work"], tenant)]

    async def flows(self, connection: Postgres, tenant: TenantId, after: str, limit: int) -> list[FlowVersion]:
        found = await connection.fetch(self._statements["list_flows"], tenant, after, bounded(limit))
        return [codec.version_of(row) for row in found]

    async def flow_versions(
        self, connection: Postgres, tenant: TenantId, name: str, before: int, limit: int
    ) -> list[FlowVersion]:
        found = await connection.fetch(self._statements["list_flow_versions"], tenant, name, before, bounded(limit))
        return [codec.version_of(row) for row in found]

    async def frame(self, connection: Postgres, key: FrameKey) -> Frame | None:
        row = await connection.fetchrow(self._statements["read_frames"], *columns([key]))
        return None if row is None else codec.frame_of(row)

    async def frames(self, connection: Postgres, key: ScopeKey, after: int, limit: int) -> list[Frame]:
        found = await connection.fetch(self._statements["list_frames"], *key, after, bounded(limit))
        return [codec.frame_of(row) for row in found]

    async def scopes(self, connection: Postgres, key: ExecutionKey, after: ScopePath, limit: int) -> list[Scope]:
        found = await connection.fetch(self._statements["list_scopes"], *key, after, bounded(limit))
        return [codec.scope_of(row) for row in found]

    async def scopes_at(self, connection: Postgres, keys: Sequence[ScopeKey]) -> list[Scope]:
        if not keys:
            return []
        return [codec.scope_of(row) for row in await connection.fetch(self._statements["read_scopes"], *columns(keys))]

    async def flow_values(self, connection: Postgres, keys: Sequence[ValueKey]) -> dict[ValueKey, bytes]:
        if not keys:
            return {}
        found = await connection.fetch(self._statements["read_flow_values"], *columns(keys))
        return {(tenant, owner, name): value for tenant, owner, name, value in found}

    async def ready_flows(self, connection: Postgres, limit: int) -> tuple[list[Frame], list[Scope]]:
        frames = await connection.fetch(self._statements["list_ready_frames"], limit)
        scopes = await connection.fetch(self._statements["list_ready_scopes"], limit)
        return [codec.frame_of(row) for row in frames], [codec.scope_of(row) for row in scopes]

    async def inner_frames(
        self, connection: Postgres, key: ExecutionKey, within: FramePath, after: tuple[ScopePath, int], limit: int
    ) -> list[InnerFrame]:
        statement = self._statements["list_frame_states"]
        found = await connection.fetch(statement, *key, *after, within + PAST_ALL, bounded(limit))
        return [codec.inner_frame_of(row) for row in found]

    async def schedule(self, connection: Postgres, key: ScheduleKey) -> Schedule | None:
        found = await connection.fetch(self._statements["read_schedules"], [key[0]], [key[1]])
        return codec.schedule_of(found[0]) if found else None

    async def schedules(self, connection: Postgres, tenant: TenantId, after: str, limit: int) -> list[Schedule]:
        found = await connection.fetch(self._statements["list_schedules"], tenant, after, bounded(limit))
        return [codec.schedule_of(row) for row in found]

    async def next_wake(self, connection: Postgres) -> Instant | None:
        instant: Instant | None = await connection.fetchval(self._statements["next_wake"])
        return instant

    async def wake_ups(self, connection: Postgres, sort: WakeSort, after: WakeUp | None, limit: int) -> list[WakeUp]:
        follows = (-1, "", "") if after is None else (after.due, after.tenant, after.id)
        found = await connection.fetch(self._statements[f"list_waking_{sort}s"], *follows, limit)
        return [WakeUp(due, sort, tenant, identity) for due, tenant, identity in found]

    async def outbox(self, connection: Postgres, before: str, limit: int, topic: Topic | None) -> list[OutboxEntry]:
        found = await connection.fetch(self._statements["read_outbox"], before, limit, topic or "")
        return [codec.outbox_entry_of(row) for row in found]

    async def working_workers(self, connection: Postgres) -> list[WorkerId]:
        return [row[0] for row in await connection.fetch(self._statements["working_workers"])]


def _execution_filter(wanted: ExecutionFilter) -> tuple[object, ...]:
    before = _upper_bound(wanted)
    return (
        wanted.tenant,
        before.created_at,
        before.id,
        0 if wanted.created_from is None else wanted.created_from,
        wanted.kind,
        list(wanted.statuses) if wanted.statuses else None,
    )


def _upper_bound(wanted: ExecutionFilter) -> Cursor:
    """The cursor or the end of the asked time, whichever comes first: an index takes one bound only."""
    cursor = wanted.after or NEWEST
    if wanted.created_before is None or cursor.created_at < wanted.created_before:
        return cursor
    return Cursor(wanted.created_before, "")


def _lower(text: str) -> str:
    """As lower of PostgreSQL in the collation of the columns: of ASCII letters only."""
    return "".join(each.lower() if each.isascii() else each for each in text)


def _task_filter(wanted: TaskFilter) -> tuple[object, ...]:
    return (wanted.task_type, wanted.queue, list(wanted.statuses) if wanted.statuses else None)


def _owner(wanted: TaskFilter) -> tuple[ExecutionId, ...]:
    return () if wanted.execution_id is None else (wanted.execution_id,)


def _next(records: Sequence[Execution] | Sequence[Task], limit: int) -> Cursor | None:
    """Where the next page begins, if one more record was found than the page has room for."""
    if len(records) <= limit:
        return None
    last = records[limit - 1]
    return Cursor(last.created_at, last.id)
