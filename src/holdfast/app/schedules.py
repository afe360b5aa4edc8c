"""What authors and operators ask about schedules."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

import msgspec

from holdfast.app.asking import Asking
from holdfast.app.checking import chosen_queue
from holdfast.model.errors import InvalidArgument, ScheduleNotFound
from holdfast.model.ids import checked_id, checked_text
from holdfast.model.instants import DurationLike, instant_of
from holdfast.model.schedule_requests import (
    Backfilled,
    BackfillSchedule,
    DeleteSchedule,
    PauseSchedule,
    ResumeSchedule,
    SavedSchedule,
    SaveSchedule,
    Triggered,
    TriggerSchedule,
)
from holdfast.model.schedules import (
    DAY_MS,
    Overlap,
    Schedule,
    ScheduleSpec,
    Starts,
    StartsFlow,
    StartsTask,
    StartsWorkflow,
)
from holdfast.sdk.definitions import TaskDefinition, WorkflowDefinition
from holdfast.sdk.replay.options import duration_ms

SCHEDULES_PAGE = 200

Startable = WorkflowDefinition[..., Any] | TaskDefinition[..., Any] | Starts


class Schedules(Asking):
    """The verbs of schedules."""

    async def save_schedule(
        self,
        schedule_id: str,
        starts: Startable,
        *arguments: object,
        cron: str | None = None,
        every: DurationLike | None = None,
        timezone: str = "UTC",
        not_before: datetime | None = None,
        not_after: datetime | None = None,
        jitter: DurationLike = 0,
        overlap: Overlap | str = Overlap.SKIP,
        catch_up: DurationLike = DAY_MS / 1000,
        queue: str | None = None,
        note: str = "",
    ) -> SavedSchedule:
        """Start a workflow or task with these arguments by the clock; the same id again changes the schedule.

        `cron` has five fields and means what it means in Debian, in the clock of `timezone`; `every` is a length of
        time. Flows, and whatever this process has no code of, are given as `StartsFlow`, `StartsWorkflow` and
        `StartsTask`.
        """
        spec = ScheduleSpec(
            self._what_starts(starts, arguments, queue),
            cron=cron,
            every_ms=None if every is None else duration_ms(every, "every"),
            timezone=timezone,
            not_before=None if not_before is None else instant_of(not_before),
            not_after=None if not_after is None else instant_of(not_after),
            jitter_ms=duration_ms(jitter, "jitter"),
            overlap=_overlap(overlap),
            catch_up_ms=duration_ms(catch_up, "catch_up"),
            note=note,
        )
        return await self.save_schedule_spec(schedule_id, spec)

    async def save_schedule_spec(self, schedule_id: str, spec: ScheduleSpec) -> SavedSchedule:
        """Make a schedule of a whole specification, as `holdfast schedule show --json` prints it."""
        return await self._engine.send(
            SaveSchedule(self.tenant, checked_id(schedule_id, "the id of the schedule"), spec)
        )

    async def delete_schedule(self, schedule_id: str) -> None:
        """Start nothing more; what has been started goes on."""
        await self._engine.send(DeleteSchedule(self.tenant, schedule_id))

    async def pause_schedule(self, schedule_id: str, reason: str = "") -> bool:
        """Let nominal times pass; False if it is paused already."""
        return (
            await self._engine.send(PauseSchedule(self.tenant, schedule_id, checked_text(reason, "the reason")))
        ).changed

    async def resume_schedule(self, schedule_id: str) -> bool:
        """Go on from the next nominal time; False if it is not paused."""
        return (await self._engine.send(ResumeSchedule(self.tenant, schedule_id))).changed

    async def trigger_schedule(self, schedule_id: str, *, request_id: str | None = None) -> Triggered:
        """Start now what it starts, whatever else is open; the same request id again starts nothing more."""
        chosen = self._new_id() if request_id is None else request_id
        return await self._engine.send(TriggerSchedule(self.tenant, schedule_id, chosen))

    async def backfill_schedule(self, schedule_id: str, since: datetime, until: datetime) -> int:
        """Start what belongs to the nominal times of a stretch and has not been started; how many that were."""
        first, last, started = instant_of(since), instant_of(until), 0
        while True:
            done: Backfilled = await self._engine.send(BackfillSchedule(self.tenant, schedule_id, first, last))
            started += done.started
            if done.next_at is None:
                return started
            first = done.next_at

    async def schedule(self, schedule_id: str) -> Schedule:
        """A schedule and how it stands."""
        found = await self._engine.reads.schedule((self.tenant, schedule_id))
        if found is None:
            raise ScheduleNotFound(schedule_id, self.tenant)
        return found

    async def schedules(self) -> AsyncIterator[Schedule]:
        """All schedules, by id."""
        after = ""
        while page := await self._engine.reads.schedules(self.tenant, after, SCHEDULES_PAGE):
            for each in page:
                yield each
            after = page[-1].id

    @staticmethod
    def _what_starts(starts: Startable, arguments: tuple[object, ...], queue: str | None) -> Starts:
        if isinstance(starts, StartsWorkflow | StartsFlow | StartsTask):
            if arguments or queue is not None:
                raise InvalidArgument("the input and the queue are part of what is given; give no others")
            return starts
        if isinstance(starts, WorkflowDefinition):
            payload = msgspec.Raw(starts.encode_input(arguments, {}))
            return StartsWorkflow(starts.kind, payload, chosen_queue(queue, starts.queue), starts.timeout_ms)
        payload = msgspec.Raw(starts.encode_input(arguments, {}))
        return StartsTask(starts.task_type, payload, chosen_queue(queue, starts.queue), starts.priority, starts.options)


def _overlap(given: Overlap | str) -> Overlap:
    try:
        return Overlap(given)
    except ValueError as error:
        choices = ", ".join(each.value for each in Overlap)
        raise InvalidArgument(f"overlap must be one of {choices}, not {given!r}") from error
