"""Answers the questions of the oversight port on a reader's connection."""

import sqlite3
from itertools import chain
from typing import Final, cast

from holdfast.model.ids import TenantId
from holdfast.model.instants import Instant
from holdfast.model.oversight import Activity, DueCount, FeedPage, HeldWork, Kind, OpenCount, QueueSetting
from holdfast.stores.sqlite import rows as codec
from holdfast.stores.statements import Statements, Value

ROWS_AT_ONCE: Final = 64
"""Rows of the feed that one question reads; each holds up to a thousand notices."""


class Overseeing:
    """The questions of the oversight port."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements

    def queue_settings(self, connection: sqlite3.Connection, tenant: TenantId) -> list[QueueSetting]:
        found = codec.queues_in(self._text(connection, "list_queues", {"tenant": tenant}))
        return [QueueSetting(*row) for row in found]

    def kinds(self, connection: sqlite3.Connection, tenant: TenantId) -> list[Kind]:
        found = codec.kinds_in(self._text(connection, "list_kinds", {"tenant": tenant}))
        return [codec.kind_of(row) for row in found]

    def feed(self, connection: sqlite3.Connection, tenant: TenantId, after: int, limit: int) -> FeedPage:
        parameters: dict[str, Value] = {"tenant": tenant, "after": after, "most": min(limit, ROWS_AT_ONCE)}
        together = self._statements.together(("read_feed", "read_feed_ends"))
        text, ends = connection.execute(together, parameters).fetchone()
        oldest, newest = codec.feed_ends_in(ends)
        found = codec.feed_in(text)
        first = found[0][0] if found else oldest
        notices = list(chain.from_iterable([(time, notice) for notice in row] for _, time, row in found))
        skipped = max(0, after + 1 - first)
        return FeedPage(first + skipped, tuple(notices[skipped : skipped + limit]), oldest, newest)

    def activity(self, connection: sqlite3.Connection, tenant: TenantId, since_minute: int) -> list[Activity]:
        parameters: dict[str, Value] = {"tenant": tenant, "since_minute": since_minute}
        return [Activity(*row) for row in codec.activity_in(self._text(connection, "read_activity", parameters))]

    def held_work(self, connection: sqlite3.Connection, tenant: TenantId, limit: int) -> list[HeldWork]:
        parameters: dict[str, Value] = {"tenant": tenant, "most": limit}
        together = self._statements.together(("list_held_executions", "list_held_tasks"))
        executions, tasks = connection.execute(together, parameters).fetchone()
        return [HeldWork(*row) for row in sorted(codec.held_in(executions) + codec.held_in(tasks))]

    def open_executions(self, connection: sqlite3.Connection, tenant: TenantId) -> list[OpenCount]:
        found = codec.open_in(self._text(connection, "count_open_executions", {"tenant": tenant}))
        return [OpenCount(*row) for row in found]

    def timers_due(
        self, connection: sqlite3.Connection, tenant: TenantId, until: Instant, step_ms: int
    ) -> list[DueCount]:
        parameters: dict[str, Value] = {"tenant": tenant, "until": until, "step_ms": step_ms}
        return [DueCount(*row) for row in codec.due_in(self._text(connection, "count_timers_due", parameters))]

    def _text(self, connection: sqlite3.Connection, name: str, parameters: dict[str, Value]) -> str:
        return cast("str", connection.execute(self._statements[name], parameters).fetchone()[0])
