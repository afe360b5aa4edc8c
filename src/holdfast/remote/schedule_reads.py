"""Questions about schedules (ports.store.ScheduleQuestions), asked of a server."""

from holdfast.model.errors import ScheduleNotFound
from holdfast.model.ids import TenantId
from holdfast.model.queries import bounded
from holdfast.model.schedules import Schedule, decode_schedule
from holdfast.ports.store import ScheduleKey
from holdfast.protocol.generated import schedules_pb2 as wire
from holdfast.remote.channel import Caller


class RemoteScheduleReads:
    """Asks a server about schedules."""

    def __init__(self, *, client: Caller) -> None:
        self._client = client

    async def schedule(self, key: ScheduleKey) -> Schedule | None:
        """One schedule."""
        message = wire.DescribeScheduleRequest(schedule_id=key[1])
        try:
            found = await self._client.ask("DescribeSchedule", message, wire.ScheduleRecord)
        except ScheduleNotFound:
            return None
        return decode_schedule(found.record)

    async def schedules(self, _: TenantId, after: str, limit: int) -> list[Schedule]:
        """The schedules whose id comes after the one given, by id."""
        message = wire.ListSchedulesRequest(after_id=after, limit=bounded(limit))
        reply = await self._client.ask("ListSchedules", message, wire.ListSchedulesResponse)
        return [decode_schedule(each.record) for each in reply.schedules]
