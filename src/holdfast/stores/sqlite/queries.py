"""Answers questions on a reader's connection: what has been committed, as of now."""

import sqlite3
from collections.abc import Sequence
from typing import cast

import msgspec

from holdfast.model.errors import StoreDamaged
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
from holdfast.stores.sqlite import flow_rows
from holdfast.stores.sqlite import rows as codec
from holdfast.stores.statements import Statements, Value

_encoder = msgspec.json.Encoder()
NEWEST = Cursor(Instant(LATEST + 1), "")


class Queries:
    """The questions of the store port."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements

    def executions(self, connection: sqlite3.Connection, keys: Sequence[ExecutionKey]) -> list[Execution]:
        text = self._text(connection, "read_executions", {"executions": _json(keys)})
        return [codec.execution_of(row) for row in codec.executions_in(text)]

    def tasks(self, connection: sqlite3.Connection, keys: Sequence[TaskKey]) -> list[Task]:
        text = self._text(connection, "read_tasks", {"tasks": _json(keys)})
        return [codec.task_of(row) for row in codec.tasks_in(text)]

    def list_executions(self, connection: sqlite3.Connection, wanted: ExecutionFilter) -> ExecutionPage:
        if wanted.is_search:
            return self._search_executions(connection, wanted)
        limit = bounded(wanted.limit)
        parameters = _execution_filter(wanted) | {"limit": limit + 1}
        name = "list_executions" if wanted.parent_id is None else "list_children"
        text = self._text(connection, name, parameters)
        records = tuple(codec.execution_of(row) for row in codec.executions_in(text))
        return ExecutionPage(records[:limit], _next(records, limit))

    def _search_executions(self, connection: sqlite3.Connection, wanted: ExecutionFilter) -> ExecutionPage:
        limit = bounded(wanted.limit)
        parameters = _execution_filter(wanted) | {
            "text": None if wanted.text is None else _lower(wanted.text),
            "metadata": _json([(key, value.decode()) for key, value in wanted.metadata]),
            "limit": limit + 1,
            "most_seen": MOST_SEARCHED,
        }
        found, end, seen = connection.execute(self._statements["search_executions"], parameters).fetchone()
        records = tuple(codec.execution_of(row) for row in codec.executions_in(found))
        unfinished = len(records) <= limit and seen == MOST_SEARCHED
        return ExecutionPage(records[:limit], Cursor(*codec.place_in(end)) if unfinished else _next(records, limit))

    def list_tasks(self, connection: sqlite3.Connection, wanted: TaskFilter) -> TaskPage:
        before = wanted.after or NEWEST
        limit = bounded(wanted.limit)
        parameters = _task_filter(wanted) | {
            "before": before.created_at,
            "before_id": before.id,
            "limit": limit + 1,
            "offset": wanted.offset,
        }
        name = "list_standalone_tasks" if wanted.execution_id is None else "list_tasks_of_execution"
        text = self._text(connection, name, parameters)
        records = tuple(codec.task_of(row) for row in codec.tasks_in(text))
        return TaskPage(records[:limit], _next(records, limit))

    def count_tasks(self, connection: sqlite3.Connection, wanted: TaskFilter) -> int:
        name = "count_standalone_tasks" if wanted.execution_id is None else "count_tasks_of_execution"
        [total] = connection.execute(self._statements[name], _task_filter(wanted)).fetchone()
        return int(total)

    def histories(self, connection: sqlite3.Connection, wanted: Sequence[HistoryWanted]) -> list[list[Event]]:
        pages: list[list[Event]] = [[] for _ in wanted]
        # Sequences have no gaps, so a page's end is known beforehand.
        bounds = [(page.tenant, page.execution_id, page.after, page.after + page.limit) for page in wanted]
        try:
            text = self._text(connection, "read_histories", {"pages": _json(bounds)})
        except sqlite3.DataError:  # together they are larger than the largest text of SQLite
            return self._histories_by_halves(connection, wanted)
        for page, sequence, event_type, time, data in codec.history_in(text):
            pages[page].append(codec.event_of(sequence, event_type, time, data))
        return pages

    def _histories_by_halves(
        self, connection: sqlite3.Connection, wanted: Sequence[HistoryWanted]
    ) -> list[list[Event]]:
        if len(wanted) > 1:
            middle = len(wanted) // 2
            return self.histories(connection, wanted[:middle]) + self.histories(connection, wanted[middle:])
        [page] = wanted
        first = page.limit // 2
        if first == 0:
            raise StoreDamaged(f"event {page.after + 1} of {page.execution_id!r} is too large to be read")
        early = HistoryWanted(page.tenant, page.execution_id, page.after, first)
        late = HistoryWanted(page.tenant, page.execution_id, page.after + first, page.limit - first)
        return [self.histories(connection, [early])[0] + self.histories(connection, [late])[0]]

    def state(self, connection: sqlite3.Connection, key: ExecutionKey) -> StateSnapshot:
        text = self._text(connection, "read_state", {"tenant": key[0], "execution_id": key[1]})
        return StateSnapshot({name: value.encode() for name, value in codec.state_in(text)})

    def attempts(self, connection: sqlite3.Connection, key: TaskKey) -> list[Attempt]:
        text = self._text(connection, "read_attempts", {"tenant": key[0], "task_id": key[1]})
        return [codec.attempt_of(row) for row in codec.attempts_in(text)]

    def lines(self, connection: sqlite3.Connection, key: TaskKey, after: int, limit: int) -> list[TaskLine]:
        parameters: dict[str, Value] = {"tenant": key[0], "task_id": key[1], "after": after, "limit": limit}
        return [codec.line_of(row) for row in codec.lines_in(self._text(connection, "read_lines", parameters))]

    def promises(self, connection: sqlite3.Connection, key: ExecutionKey) -> list[Promise]:
        text = self._text(connection, "read_promises_of_execution", {"tenant": key[0], "execution_id": key[1]})
        return [codec.promise_of(row) for row in codec.promises_in(text)]

    def list_timers(
        self, connection: sqlite3.Connection, tenant: TenantId, execution_id: ExecutionId | None, limit: int
    ) -> TimerPage:
        names = ("list_timers", "count_timers")
        if execution_id is not None:
            names = ("list_timers_of_execution", "count_timers_of_execution")
        parameters: dict[str, Value] = {"tenant": tenant, "execution_id": execution_id, "limit": bounded(limit)}
        timers, total = connection.execute(self._statements.together(names), parameters).fetchone()
        return TimerPage(tuple(codec.timer_of(row) for row in codec.timers_in(timers)), total)

    def queue_counts(self, connection: sqlite3.Connection, tenant: TenantId) -> list[QueueCount]:
        text = self._text(connection, "count_open_work", {"tenant": tenant})
        return [QueueCount(*row) for row in codec.counts_in(text)]

    def flows(self, connection: sqlite3.Connection, tenant: TenantId, after: str, limit: int) -> list[FlowVersion]:
        text = self._text(connection, "list_flows", {"tenant": tenant, "after": after, "limit": bounded(limit)})
        return [flow_rows.version_of(row) for row in flow_rows.versions_in(text)]

    def flow_versions(
        self, connection: sqlite3.Connection, tenant: TenantId, name: str, before: int, limit: int
    ) -> list[FlowVersion]:
        parameters: dict[str, Value] = {"tenant": tenant, "name": name, "before": before, "limit": bounded(limit)}
        text = self._text(connection, "list_flow_versions", parameters)
        return [flow_rows.version_of(row) for row in flow_rows.versions_in(text)]

    def frame(self, connection: sqlite3.Connection, key: FrameKey) -> Frame | None:
        text = self._text(connection, "read_frames", {"frames": _json([key])})
        return next((flow_rows.frame_of(row) for row in flow_rows.frames_in(text)), None)

    def frames(self, connection: sqlite3.Connection, key: ScopeKey, after: int, limit: int) -> list[Frame]:
        parameters: dict[str, Value] = {"tenant": key[0], "execution_id": key[1], "scope": key[2]}
        text = self._text(connection, "list_frames", parameters | {"after": after, "limit": bounded(limit)})
        return [flow_rows.frame_of(row) for row in flow_rows.frames_in(text)]

    def scopes(self, connection: sqlite3.Connection, key: ExecutionKey, after: ScopePath, limit: int) -> list[Scope]:
        parameters: dict[str, Value] = {"tenant": key[0], "execution_id": key[1], "after": after}
        text = self._text(connection, "list_scopes", parameters | {"limit": bounded(limit)})
        return [flow_rows.scope_of(row) for row in flow_rows.scopes_in(text)]

    def scopes_at(self, connection: sqlite3.Connection, keys: Sequence[ScopeKey]) -> list[Scope]:
        found = flow_rows.scopes_in(self._text(connection, "read_scopes", {"scopes": _json(keys)}))
        return [flow_rows.scope_of(row) for row in found]

    def flow_values(self, connection: sqlite3.Connection, keys: Sequence[ValueKey]) -> dict[ValueKey, bytes]:
        found = flow_rows.values_in(self._text(connection, "read_flow_values", {"flow_values": _json(keys)}))
        return {(tenant, execution, name): value.encode() for tenant, execution, name, value in found}

    def ready_flows(self, connection: sqlite3.Connection, limit: int) -> tuple[list[Frame], list[Scope]]:
        frames = flow_rows.frames_in(self._text(connection, "list_ready_frames", {"limit": limit}))
        scopes = flow_rows.scopes_in(self._text(connection, "list_ready_scopes", {"limit": limit}))
        return [flow_rows.frame_of(row) for row in frames], [flow_rows.scope_of(row) for row in scopes]

    def inner_frames(
        self,
        connection: sqlite3.Connection,
        key: ExecutionKey,
        within: FramePath,
        after: tuple[ScopePath, int],
        limit: int,
    ) -> list[InnerFrame]:
        parameters: dict[str, Value] = {"tenant": key[0], "execution_id": key[1], "beyond": within + PAST_ALL}
        page: dict[str, Value] = {"scope": after[0], "item_index": after[1], "limit": bounded(limit)}
        text = self._text(connection, "list_frame_states", parameters | page)
        return [flow_rows.inner_frame_of(row) for row in flow_rows.inner_frames_in(text)]

    def schedule(self, connection: sqlite3.Connection, key: ScheduleKey) -> Schedule | None:
        found = codec.schedules_in(self._text(connection, "read_schedules", {"schedules": _json([key])}))
        return found[0] if found else None

    def schedules(self, connection: sqlite3.Connection, tenant: TenantId, after: str, limit: int) -> list[Schedule]:
        parameters: dict[str, Value] = {"tenant": tenant, "after": after, "limit": bounded(limit)}
        return codec.schedules_in(self._text(connection, "list_schedules", parameters))

    def next_wake(self, connection: sqlite3.Connection) -> Instant | None:
        [instant] = connection.execute(self._statements["next_wake"]).fetchone()
        return None if instant is None else Instant(instant)

    def wake_ups(
        self, connection: sqlite3.Connection, sort: WakeSort, after: WakeUp | None, limit: int
    ) -> list[WakeUp]:
        follows: dict[str, Value] = {"due": -1, "tenant": "", "id": ""}
        if after is not None:
            follows = {"due": after.due, "tenant": after.tenant, "id": after.id}
        found = codec.wakes_in(self._text(connection, f"list_waking_{sort}s", follows | {"limit": limit}))
        return [WakeUp(*each) for each in found]

    def outbox(self, connection: sqlite3.Connection, before: str, limit: int, topic: Topic | None) -> list[OutboxEntry]:
        parameters: dict[str, Value] = {"before": before, "limit": limit, "topic": topic or ""}
        found = codec.outbox_in(self._text(connection, "read_outbox", parameters))
        return [OutboxEntry(identity, topic, at, body.encode()) for identity, topic, at, body in found]

    def working_workers(self, connection: sqlite3.Connection) -> list[WorkerId]:
        return codec.workers_in(self._text(connection, "working_workers", {}))

    def _text(self, connection: sqlite3.Connection, name: str, parameters: dict[str, Value]) -> str:
        return cast("str", connection.execute(self._statements[name], parameters).fetchone()[0])


def _execution_filter(wanted: ExecutionFilter) -> dict[str, Value]:
    before = _upper_bound(wanted)
    return {
        "tenant": wanted.tenant,
        "parent_id": wanted.parent_id,
        "before": before.created_at,
        "before_id": before.id,
        "created_from": 0 if wanted.created_from is None else wanted.created_from,
        "kind": wanted.kind,
        "statuses": _json(wanted.statuses) if wanted.statuses else None,
    }


def _lower(text: str) -> str:
    """As SQLite's lower: of ASCII letters only."""
    return "".join(each.lower() if each.isascii() else each for each in text)


def _upper_bound(wanted: ExecutionFilter) -> Cursor:
    """The cursor or the end of the asked time, whichever comes first: an index takes one bound only."""
    cursor = wanted.after or NEWEST
    if wanted.created_before is None or cursor.created_at < wanted.created_before:
        return cursor
    return Cursor(wanted.created_before, "")


def _task_filter(wanted: TaskFilter) -> dict[str, Value]:
    return {
        "tenant": wanted.tenant,
        "execution_id": wanted.execution_id,
        "task_type": wanted.task_type,
        "queue": wanted.queue,
        "statuses": _json(wanted.statuses) if wanted.statuses else None,
    }


def _next(records: Sequence[Execution] | Sequence[Task], limit: int) -> Cursor | None:
    """Where the next page begins, if one more record was found than the page has room for."""
    if len(records) <= limit:
        return None
    last = records[limit - 1]
    return Cursor(last.created_at, last.id)


def _json(value: object) -> str:
    return _encoder.encode(value).decode()
