"""Schedules: what starts workflows, flows and tasks by the clock, and what has come of their last times."""

from http import HTTPStatus
from typing import Annotated

import msgspec
from msgspec import Meta

from holdfast.engine import calendar
from holdfast.model.commands import TaskOptions
from holdfast.model.errors import ScheduleNotFound
from holdfast.model.ids import QueueName, checked_id, time_ordered_id
from holdfast.model.instants import LATEST, Instant, Milliseconds, instant_of
from holdfast.model.retries import RetryPolicy
from holdfast.model.schedule_requests import (
    BackfillSchedule,
    DeleteSchedule,
    PauseSchedule,
    ResumeSchedule,
    SaveSchedule,
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
from holdfast.server.rest.bodies import (
    DEFAULT_PAGE,
    MAX_PAGE,
    NULL,
    Body,
    Key,
    Limit,
    LimitMs,
    Moment,
    Name,
    PauseMs,
    Priority,
    Query,
    ReasonBody,
    Retries,
    Text,
)
from holdfast.server.rest.calls import Answer, Call
from holdfast.server.rest.documents import ChangedDocument, Document, optional_text, text_of
from holdfast.server.rest.receiving import checked_raw
from holdfast.server.rest.workflows import ID_BITS

SHOWN_TIMES = 5
"""So many of the times to come are shown of a schedule."""

EveryMs = Annotated[int, Meta(ge=calendar.SHORTEST_INTERVAL_MS, le=int(LATEST), description="Milliseconds.")]
CronText = Annotated[str, Meta(max_length=calendar.LONGEST_CRON, description="Five fields, as in cron.")]


def _null() -> msgspec.Raw:
    return NULL


class WorkflowStartBody(Body, frozen=True, tag="workflow", tag_field="type"):
    """Start a code workflow."""

    kind: Name
    input: msgspec.Raw = msgspec.field(default_factory=_null)
    queue: Name = "default"
    timeout_ms: LimitMs | None = None


class FlowStartBody(Body, frozen=True, tag="flow", tag_field="type"):
    """Start a run of a flow; without an input it is told the schedule and the nominal time."""

    flow: Name
    input: msgspec.Raw | None = None
    queue: Name = "default"
    version: Annotated[int, Meta(ge=1, le=2**31)] | None = None
    trigger: Key | None = None
    timeout_ms: LimitMs | None = None


class TaskStartBody(Body, frozen=True, tag="task", tag_field="type"):
    """Submit a standalone task."""

    task_type: Name
    input: msgspec.Raw = msgspec.field(default_factory=_null)
    queue: Name = "default"
    priority: Priority = 0
    max_retries: Retries = 3
    timeout_ms: LimitMs | None = None


class ScheduleBody(Body, frozen=True):
    """What a schedule starts, and when; exactly one of `cron` and `every_ms`."""

    starts: WorkflowStartBody | FlowStartBody | TaskStartBody
    cron: CronText | None = None
    every_ms: EveryMs | None = None
    timezone: Key = "UTC"
    not_before: Moment | None = None
    not_after: Moment | None = None
    jitter_ms: PauseMs = 0
    overlap: Overlap = Overlap.SKIP
    catch_up_ms: PauseMs = DAY_MS
    note: Text = ""


class TriggerBody(Body, frozen=True):
    """The same request id again starts nothing more."""

    request_id: Name | None = None


class BackfillBody(Body, frozen=True):
    """A stretch of time, both ends included."""

    since: Moment
    until: Moment


class ScheduleListQuery(Query, frozen=True):
    """Which schedules to list: those whose ids come after one."""

    after: str = ""
    limit: Limit = DEFAULT_PAGE


class ScheduledRunDocument(Document, frozen=True):
    """A nominal time that has come, and what has become of it: started, skipped, buffered or failed."""

    nominal: str
    at: str
    outcome: str
    run_id: str | None
    error: str | None


class ScheduleDocument(Document, frozen=True):
    """A schedule and how it stands."""

    id: str
    tenant_id: str
    starts: msgspec.Raw
    cron: str | None
    every_ms: int | None
    timezone: str
    not_before: str | None
    not_after: str | None
    jitter_ms: int
    overlap: str
    catch_up_ms: int
    note: str
    created_at: str
    updated_at: str
    paused: bool
    reason: str
    next_at: str | None
    upcoming: list[str]
    """The next nominal times, as if it were not paused."""
    buffered: str | None
    running: list[str]
    recent: list[ScheduledRunDocument]
    started: int
    skipped: int
    missed: int
    failed: int


class ScheduleList(Document, frozen=True):
    """Schedules, by id; `next_after` is the `after` of the next page."""

    schedules: list[ScheduleDocument]
    limit: int
    next_after: str | None


class SavedScheduleDocument(Document, frozen=True):
    """The schedule is on disk; `created` is false if there was one of this id."""

    id: str
    created: bool
    next_at: str | None


class TriggeredDocument(Document, frozen=True):
    """What has been started: an execution or a task."""

    run_id: str
    created: bool


class BackfilledDocument(Document, frozen=True):
    """How many were started; `next_at` is the first time that was left, to be asked for again."""

    started: int
    next_at: str | None


async def list_schedules(call: Call, query: ScheduleListQuery) -> Answer:
    """The schedules of the tenant."""
    limit = min(query.limit, MAX_PAGE)
    found = await call.engine.store.schedules(call.tenant, query.after, limit)
    following = found[-1].id if len(found) == limit else None
    now = call.engine.clock.now()
    return Answer(ScheduleList([_document(each, now) for each in found], limit, following))


async def get_schedule(call: Call) -> Answer:
    """A schedule and how it stands."""
    name = call.names["schedule_id"]
    found = await call.engine.store.schedule((call.tenant, name))
    if found is None:
        raise ScheduleNotFound(name, call.tenant)
    return Answer(_document(found, call.engine.clock.now()))


async def save_schedule(call: Call, body: ScheduleBody) -> Answer:
    """Make a schedule, or give the one of this id another specification."""
    name = checked_id(call.names["schedule_id"], "the id of the schedule")
    saved = await call.engine.send(SaveSchedule(call.tenant, name, _spec(body)))
    status = HTTPStatus.CREATED if saved.created else HTTPStatus.OK
    return Answer(SavedScheduleDocument(saved.schedule_id, saved.created, optional_text(saved.next_at)), status)


async def delete_schedule(call: Call) -> Answer:
    """Start nothing more; what has been started goes on."""
    done = await call.engine.send(DeleteSchedule(call.tenant, call.names["schedule_id"]))
    return Answer(ChangedDocument(done.changed))


async def pause_schedule(call: Call, body: ReasonBody) -> Answer:
    """Let nominal times pass until it is resumed."""
    done = await call.engine.send(PauseSchedule(call.tenant, call.names["schedule_id"], body.reason))
    return Answer(ChangedDocument(done.changed))


async def resume_schedule(call: Call) -> Answer:
    """Go on from the next nominal time."""
    done = await call.engine.send(ResumeSchedule(call.tenant, call.names["schedule_id"]))
    return Answer(ChangedDocument(done.changed))


async def trigger_schedule(call: Call, body: TriggerBody) -> Answer:
    """Start now what it starts, whatever else is open, and even if it is paused."""
    chosen = time_ordered_id(call.engine.clock.now(), call.engine.chance.getrandbits(ID_BITS))
    done = await call.engine.send(TriggerSchedule(call.tenant, call.names["schedule_id"], body.request_id or chosen))
    return Answer(TriggeredDocument(done.run_id, done.created), HTTPStatus.CREATED if done.created else HTTPStatus.OK)


async def backfill_schedule(call: Call, body: BackfillBody) -> Answer:
    """Start what belongs to the nominal times of a stretch and has not been started."""
    done = await call.engine.send(
        BackfillSchedule(call.tenant, call.names["schedule_id"], instant_of(body.since), instant_of(body.until))
    )
    return Answer(BackfilledDocument(done.started, optional_text(done.next_at)))


def _spec(body: ScheduleBody) -> ScheduleSpec:
    return ScheduleSpec(
        _starts(body.starts),
        cron=body.cron,
        every_ms=None if body.every_ms is None else Milliseconds(body.every_ms),
        timezone=body.timezone,
        not_before=None if body.not_before is None else instant_of(body.not_before),
        not_after=None if body.not_after is None else instant_of(body.not_after),
        jitter_ms=Milliseconds(body.jitter_ms),
        overlap=body.overlap,
        catch_up_ms=Milliseconds(body.catch_up_ms),
        note=body.note,
    )


def _starts(body: WorkflowStartBody | FlowStartBody | TaskStartBody) -> Starts:
    queue = QueueName(body.queue)
    timeout = None if body.timeout_ms is None else Milliseconds(body.timeout_ms)
    given = None if body.input is None else msgspec.Raw(checked_raw(body.input, "the input"))
    match body:
        case WorkflowStartBody():
            return StartsWorkflow(body.kind, given or NULL, queue, timeout)
        case FlowStartBody():
            return StartsFlow(body.flow, given, queue, body.version, body.trigger, timeout)
        case TaskStartBody():
            options = TaskOptions(retry=RetryPolicy(max_retries=body.max_retries), start_to_close_ms=timeout)
            return StartsTask(body.task_type, given or NULL, queue, body.priority, options)


def _document(schedule: Schedule, now: Instant) -> ScheduleDocument:
    spec = schedule.spec
    return ScheduleDocument(
        id=schedule.id,
        tenant_id=schedule.tenant,
        starts=msgspec.Raw(msgspec.json.encode(spec.starts)),
        cron=spec.cron,
        every_ms=spec.every_ms,
        timezone=spec.timezone,
        not_before=optional_text(spec.not_before),
        not_after=optional_text(spec.not_after),
        jitter_ms=spec.jitter_ms,
        overlap=spec.overlap.value,
        catch_up_ms=spec.catch_up_ms,
        note=spec.note,
        created_at=text_of(schedule.created_at),
        updated_at=text_of(schedule.updated_at),
        paused=schedule.paused,
        reason=schedule.reason,
        next_at=None if schedule.paused else optional_text(schedule.next_at),
        upcoming=_upcoming(schedule, now),
        buffered=optional_text(schedule.buffered),
        running=list(schedule.running),
        recent=[
            ScheduledRunDocument(text_of(each.nominal), text_of(each.at), each.outcome.value, each.run_id, each.error)
            for each in schedule.recent
        ],
        started=schedule.started,
        skipped=schedule.skipped,
        missed=schedule.missed,
        failed=schedule.failed,
    )


def _upcoming(schedule: Schedule, now: Instant) -> list[str]:
    times: list[str] = []
    time = calendar.following(schedule.spec, schedule.created_at, now)
    while time is not None and len(times) < SHOWN_TIMES:
        times.append(text_of(time))
        time = calendar.following(schedule.spec, schedule.created_at, time)
    return times
