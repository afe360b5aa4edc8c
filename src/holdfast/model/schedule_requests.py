"""Requests about schedules."""

import msgspec

from holdfast.model.instants import Instant
from holdfast.model.requests import Done, Request
from holdfast.model.schedules import ScheduleSpec


class SavedSchedule(msgspec.Struct, frozen=True, gc=False):
    """The schedule is on disk; `created` is False when there was one of this id."""

    schedule_id: str
    created: bool
    next_at: Instant | None = None


class SaveSchedule(Request[SavedSchedule], frozen=True, gc=False):
    """Make a schedule, or give it another specification; what it has started is not touched."""

    schedule_id: str
    spec: ScheduleSpec


class DeleteSchedule(Request[Done], frozen=True, gc=False):
    """Start nothing more; what has been started goes on."""

    schedule_id: str


class PauseSchedule(Request[Done], frozen=True, gc=False):
    """Let nominal times pass until the schedule is resumed."""

    schedule_id: str
    reason: str = ""


class ResumeSchedule(Request[Done], frozen=True, gc=False):
    """Start again, from the next nominal time on; what passed in between is not made up for (see BackfillSchedule)."""

    schedule_id: str


class Triggered(msgspec.Struct, frozen=True, gc=False):
    """What has been started: an execution or a task; `created` is False when the request was carried out before."""

    run_id: str
    created: bool


class TriggerSchedule(Request[Triggered], frozen=True, gc=False):
    """Start now what the schedule starts, whatever else is open, and even if it is paused; once per request id."""

    schedule_id: str
    request_id: str


class Backfilled(msgspec.Struct, frozen=True, gc=False):
    """How many were started that had not been started before."""

    started: int
    next_at: Instant | None = None
    """The first nominal time that was left for another request; None: all are done."""


class BackfillSchedule(Request[Backfilled], frozen=True, gc=False):
    """Start what belongs to the nominal times from `since` to `until`, where it has not been started; all at once."""

    schedule_id: str
    since: Instant
    until: Instant
