"""What people look at beside single executions and tasks: workers, kinds, activity, and the audit log."""

from typing import Annotated

import msgspec
from msgspec import Meta

from holdfast.model.access import AuditEntry
from holdfast.model.instants import Instant
from holdfast.model.oversight import MINUTE_MS, Activity, HeldWork, Kind
from holdfast.model.queries import Cursor
from holdfast.model.workers import Capability, WorkerRecord
from holdfast.ports.store import KEPT_ACTIVITY_MINUTES
from holdfast.server.rest.bodies import MAX_PAGE, PageQuery, Query
from holdfast.server.rest.calls import Answer, Call
from holdfast.server.rest.cursors import cursor_of, cursor_text
from holdfast.server.rest.documents import ChangedDocument, Document, optional_text, text_of

AUDIT_LOG = "audit"
MAX_STEPS = 200


class CapabilityDocument(Document, frozen=True):
    """A workflow or task that a worker can run."""

    name: str
    version: str


class HeldDocument(Document, frozen=True):
    """Something that a worker is busy with."""

    of: str
    id: str
    kind: str
    workflow_id: str | None
    """Of a task: the execution that scheduled it."""
    since: str | None
    """When the attempt of a task began."""
    progress: float


class WorkerDocument(Document, frozen=True):
    """A worker that this server knows."""

    id: str
    client: str
    """What it is made with."""
    queues: list[str]
    workflows: list[CapabilityDocument]
    tasks: list[CapabilityDocument]
    registered_at: str
    heard_at: str
    draining: bool
    """Whether it takes no more work."""
    work: list[HeldDocument]
    """What it is busy with; long lists are cut."""


class WorkerList(Document, frozen=True):
    """The workers that this server knows; the one that was heard of last comes first."""

    workers: list[WorkerDocument]


class KindDocument(Document, frozen=True):
    """A workflow or task that some worker can run, as the last one that came has described it."""

    of: str
    name: str
    version: str
    input_schema: msgspec.Raw | None
    """JSON Schema; null: anything."""
    output_schema: msgspec.Raw | None
    registered_at: str


class KindList(Document, frozen=True):
    """Kinds, workflows and tasks, by name."""

    kinds: list[KindDocument]


class ActivityQuery(Query, frozen=True):
    """How far back to look."""

    minutes: Annotated[int, Meta(ge=1, le=KEPT_ACTIVITY_MINUTES)] = 60


class ActivityDocument(Document, frozen=True):
    """How often something happened within a minute, and how long it took: between 2^(size-1) and 2^size ms."""

    minute: str
    of: str
    queue: str
    kind: str
    what: str
    size: int
    count: int
    total_ms: int


class ActivityList(Document, frozen=True):
    """What servers have seen happen; the last seconds may be missing."""

    activity: list[ActivityDocument]


class OpenDocument(Document, frozen=True):
    """How many executions of a kind have not ended."""

    kind: str
    count: int


class OpenList(Document, frozen=True):
    """What is open, by kind."""

    open: list[OpenDocument]


class ForecastQuery(Query, frozen=True):
    """How far to look ahead, in how many steps."""

    minutes: Annotated[int, Meta(ge=1, le=400 * 24 * 60)] = 60
    steps: Annotated[int, Meta(ge=1, le=MAX_STEPS)] = 60


class DueDocument(Document, frozen=True):
    """How many timers fire in the step that begins then."""

    start: str
    count: int


class Forecast(Document, frozen=True):
    """When timers fire; steps in which none does are left out, and those that are overdue come first."""

    step_ms: int
    due: list[DueDocument]


class AuditDocument(Document, frozen=True):
    """An intervention: `outcome` is DONE, or the code of the refusal, or null if the server ended in between."""

    id: str
    time: str
    caller: str
    verb: str
    subject: str
    outcome: str | None


class AuditPage(Document, frozen=True):
    """A page of the audit log, newest first; `cursor` leads to the next one."""

    entries: list[AuditDocument]
    limit: int
    cursor: str | None


async def list_workers(call: Call) -> Answer:
    """The workers that this server knows, what they can run, and what they are busy with."""
    return Answer(WorkerList([_worker(each) for each in await call.engine.workers(call.tenant)]))


def _held(work: HeldWork) -> HeldDocument:
    since = optional_text(work.since)
    return HeldDocument(work.of, work.id, work.kind, work.execution_id, since, work.progress)


async def drain_worker(call: Call) -> Answer:
    """Let a worker end what it has and take nothing more; it hears of it with its next heartbeat."""
    return Answer(ChangedDocument(await call.engine.drain_worker(call.tenant, call.names["worker_id"])))


def _worker(known: WorkerRecord) -> WorkerDocument:
    return WorkerDocument(
        id=known.id,
        client=known.client,
        queues=list(known.queues),
        workflows=_capabilities(known.workflows),
        tasks=_capabilities(known.tasks),
        registered_at=text_of(known.registered_at),
        heard_at=text_of(known.heard_at),
        draining=known.draining,
        work=[_held(each) for each in known.work],
    )


def _capabilities(told: tuple[Capability, ...]) -> list[CapabilityDocument]:
    return [CapabilityDocument(each.name, each.version) for each in told]


async def list_kinds(call: Call) -> Answer:
    """The workflows and tasks that workers have registered, with the schemas of what goes in and comes out."""
    return Answer(KindList([_kind(each) for each in await call.engine.store.kinds(call.tenant)]))


def _kind(kind: Kind) -> KindDocument:
    return KindDocument(
        of=kind.of,
        name=kind.name,
        version=kind.version,
        input_schema=None if kind.input_schema is None else msgspec.Raw(kind.input_schema),
        output_schema=None if kind.output_schema is None else msgspec.Raw(kind.output_schema),
        registered_at=text_of(kind.registered_at),
    )


async def list_activity(call: Call, query: ActivityQuery) -> Answer:
    """What has started and ended, by minute, kind and queue."""
    since = call.engine.clock.now() // MINUTE_MS - query.minutes + 1
    return Answer(ActivityList([_activity(each) for each in await call.engine.store.activity(call.tenant, since)]))


def _activity(each: Activity) -> ActivityDocument:
    minute = text_of(Instant(each.minute * MINUTE_MS))
    return ActivityDocument(minute, each.of, each.queue, each.kind, each.what, each.size, each.count, each.total_ms)


async def count_open(call: Call) -> Answer:
    """How many executions have not ended, by kind."""
    found = await call.engine.store.open_executions(call.tenant)
    return Answer(OpenList([OpenDocument(each.kind, each.count) for each in found]))


async def forecast_timers(call: Call, query: ForecastQuery) -> Answer:
    """How many timers fire when."""
    step_ms = max(1, query.minutes * MINUTE_MS // query.steps)
    until = Instant(call.engine.clock.now() + query.minutes * MINUTE_MS)
    found = await call.engine.store.timers_due(call.tenant, until, step_ms)
    return Answer(Forecast(step_ms, [DueDocument(text_of(each.start), each.count) for each in found]))


async def list_audit(call: Call, query: PageQuery) -> Answer:
    """What administrators and operators did, newest first."""
    limit = min(query.limit, MAX_PAGE)
    after = cursor_of(query.cursor, of=AUDIT_LOG)
    found = await call.administration().audit(call.tenant, after, limit)
    last = Cursor(found[-1].time, found[-1].id) if len(found) == limit else None
    return Answer(AuditPage([_audited(each) for each in found], limit, cursor_text(last, of=AUDIT_LOG)))


def _audited(entry: AuditEntry) -> AuditDocument:
    return AuditDocument(entry.id, text_of(entry.time), entry.caller, entry.verb, entry.subject, entry.outcome)
