"""The oversight port: what a store answers to people who look after many executions and tasks."""

from typing import Protocol

from holdfast.model.ids import TenantId
from holdfast.model.instants import Instant
from holdfast.model.oversight import Activity, DueCount, FeedPage, HeldWork, Kind, OpenCount, QueueSetting


class Oversight(Protocol):
    """Questions about what has been committed, each within one tenant."""

    async def queue_settings(self, tenant: TenantId) -> list[QueueSetting]:
        """The queues that someone has set, by name."""

    async def kinds(self, tenant: TenantId) -> list[Kind]:
        """The kinds that workers have registered, by sort and name."""

    async def feed(self, tenant: TenantId, after: int, limit: int) -> FeedPage:
        """Notices whose number is above `after`, or the oldest that are kept, in order.

        The order is that of the commits, and final: once a notice has been given, none before it can still appear.
        """

    async def activity(self, tenant: TenantId, since_minute: int) -> list[Activity]:
        """What happened since a minute, added up by minute, sort, queue, kind, what and size."""

    async def held_work(self, tenant: TenantId, limit: int) -> list[HeldWork]:
        """What workers are busy with, by worker: up to so many executions and so many tasks."""

    async def open_executions(self, tenant: TenantId) -> list[OpenCount]:
        """How many executions have not ended, by kind."""

    async def timers_due(self, tenant: TenantId, until: Instant, step_ms: int) -> list[DueCount]:
        """How many timers fire before an instant, in steps of so many milliseconds."""
