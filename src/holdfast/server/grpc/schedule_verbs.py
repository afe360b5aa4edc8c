"""The part of ClientService that is about schedules."""

from holdfast.model.errors import ScheduleNotFound
from holdfast.model.schedule_requests import (
    BackfillSchedule,
    DeleteSchedule,
    PauseSchedule,
    ResumeSchedule,
    SaveSchedule,
    TriggerSchedule,
)
from holdfast.model.schedules import Schedule, encode_schedule
from holdfast.protocol.generated import schedules_pb2 as wire
from holdfast.server.grpc.admission import Call
from holdfast.server.grpc.answering import Behaviour
from holdfast.server.grpc.asking import Asking
from holdfast.server.grpc.checking import DEFAULT_PAGE, page_limit
from holdfast.server.host import EngineHost


class ScheduleVerbs:
    """The behaviours of ClientService about schedules."""

    def __init__(self, *, engine: EngineHost, asking: Asking) -> None:
        self._engine = engine
        self._asking = asking

    def behaviours(self) -> dict[str, Behaviour]:
        """What each method does."""
        ask = self._asking.verb
        return {
            "SaveSchedule": ask(SaveSchedule),
            "DeleteSchedule": ask(DeleteSchedule),
            "PauseSchedule": ask(PauseSchedule),
            "ResumeSchedule": ask(ResumeSchedule),
            "TriggerSchedule": ask(TriggerSchedule),
            "BackfillSchedule": ask(BackfillSchedule),
            "DescribeSchedule": self._describe,
            "ListSchedules": self._list,
        }

    async def _describe(self, message: wire.DescribeScheduleRequest, call: Call) -> wire.ScheduleRecord:
        found = await self._engine.store.schedule((call.tenant, message.schedule_id))
        if found is None:
            raise ScheduleNotFound(message.schedule_id, call.tenant)
        return _record(found)

    async def _list(self, message: wire.ListSchedulesRequest, call: Call) -> wire.ListSchedulesResponse:
        limit = page_limit(message.limit or DEFAULT_PAGE)
        found = await self._engine.store.schedules(call.tenant, message.after_id, limit)
        return wire.ListSchedulesResponse(schedules=[_record(each) for each in found])


def _record(schedule: Schedule) -> wire.ScheduleRecord:
    return wire.ScheduleRecord(record=encode_schedule(schedule))
