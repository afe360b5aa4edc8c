"""Answers the questions of the oversight port on a reader's connection."""

from itertools import chain
from typing import Final

from holdfast.model.ids import TenantId
from holdfast.model.instants import Instant
from holdfast.model.oversight import Activity, DueCount, FeedPage, HeldWork, Kind, OpenCount, QueueSetting, WorkSort
from holdfast.ports.store import KEPT_NOTICES
from holdfast.stores.postgres import rows as codec
from holdfast.stores.postgres.connections import Postgres
from holdfast.stores.statements import Statements

ROWS_AT_ONCE: Final = 64
"""Rows of the feed that one question reads; each holds up to a thousand notices."""

FORGET_EVERY: Final = 64
"""Between two looks for notices that need not be kept, so many times is the feed numbered."""


class Overseeing:
    """The questions of the oversight port."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements
        self._numbered = 0

    async def queue_settings(self, connection: Postgres, tenant: TenantId) -> list[QueueSetting]:
        found = await connection.fetch(self._statements["list_queues"], tenant)
        return [codec.queue_setting_of(row) for row in found]

    async def kinds(self, connection: Postgres, tenant: TenantId) -> list[Kind]:
        return [codec.kind_of(row) for row in await connection.fetch(self._statements["list_kinds"], tenant)]

    async def feed(self, connection: Postgres, tenant: TenantId, after: int, limit: int) -> FeedPage:
        if await connection.fetchval(self._statements["count_unnumbered_notices"], tenant):
            await self.number(connection, tenant)
        found = await connection.fetch(self._statements["read_feed"], tenant, after, min(limit, ROWS_AT_ONCE))
        oldest, newest = await connection.fetchrow(self._statements["read_feed_ends"], tenant) or (1, 0)
        first = found[0]["first"] if found else oldest
        notices = list(
            chain.from_iterable([(time, each) for each in codec.notices_of(data)] for _, time, data in found)
        )
        skipped = max(0, after + 1 - first)
        return FeedPage(first + skipped, tuple(notices[skipped : skipped + limit]), oldest, newest)

    async def number(self, connection: Postgres, tenant: TenantId) -> None:
        """Give numbers to what has been committed without: so the order is final, and no commit waits for another's."""
        if self._numbered % FORGET_EVERY == 0:
            await self.forget_notices(connection, tenant, KEPT_NOTICES)
        else:
            async with connection.transaction():
                await self._number(connection, tenant)
        self._numbered += 1

    async def forget_notices(self, connection: Postgres, tenant: TenantId, kept: int) -> None:
        """Let old ones go; which those are is known when all have numbers."""
        async with connection.transaction():
            await self._number(connection, tenant)
            await connection.execute(self._statements["forget_notices"], tenant, kept)

    async def _number(self, connection: Postgres, tenant: TenantId) -> None:
        await connection.fetch(self._statements["lock_feed"], tenant)
        await connection.execute(self._statements["number_notices"], tenant)

    async def activity(self, connection: Postgres, tenant: TenantId, since_minute: int) -> list[Activity]:
        found = await connection.fetch(self._statements["read_activity"], tenant, since_minute)
        return [codec.activity_of(row) for row in found]

    async def held_work(self, connection: Postgres, tenant: TenantId, limit: int) -> list[HeldWork]:
        executions = await connection.fetch(self._statements["list_held_executions"], tenant, limit)
        tasks = await connection.fetch(self._statements["list_held_tasks"], tenant, limit)
        found = sorted(tuple(row) for row in (*executions, *tasks))
        return [HeldWork(worker, WorkSort(of), *rest) for worker, of, *rest in found]

    async def open_executions(self, connection: Postgres, tenant: TenantId) -> list[OpenCount]:
        return [OpenCount(*row) for row in await connection.fetch(self._statements["count_open_executions"], tenant)]

    async def timers_due(self, connection: Postgres, tenant: TenantId, until: Instant, step_ms: int) -> list[DueCount]:
        found = await connection.fetch(self._statements["count_timers_due"], tenant, until, step_ms)
        return [DueCount(*row) for row in found]
