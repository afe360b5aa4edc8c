"""Queues: what is open in each, how fast it goes, and whether anything of it is given to workers."""

from holdfast.model.errors import InvalidArgument
from holdfast.model.ids import QueueName
from holdfast.model.instants import Instant
from holdfast.model.oversight import MINUTE_MS, Activity, QueueSetting
from holdfast.model.queries import QueueCount
from holdfast.model.requests import PauseQueue, ResumeQueue
from holdfast.server.activity import ENDED_BADLY, STARTED
from holdfast.server.rest.bodies import ReasonBody
from holdfast.server.rest.calls import Answer, Call
from holdfast.server.rest.documents import ChangedDocument, Document, optional_text
from holdfast.server.rest.records import is_id

RATE_MINUTES = 5
"""Rates are those of so many minutes, the one that is under way among them."""


class OpenWork(Document, frozen=True):
    """Open work of one kind and status in a queue."""

    of: str
    kind: str
    status: str
    count: int
    oldest_at: str | None


class QueueRates(Document, frozen=True):
    """How much happened in a queue in the last five minutes, a minute."""

    started_per_minute: float
    ended_per_minute: float
    failed_per_minute: float
    """Of those that ended: how many not as they should."""


class QueueDocument(Document, frozen=True):
    """A queue: `depth` waits for a worker, `delayed` for its time."""

    name: str
    depth: int
    delayed: int
    running: int
    oldest_at: str | None
    oldest_age_ms: int | None
    """Of what waits for a worker."""
    paused: bool
    paused_at: str | None
    changed_by: str
    """Who has paused or resumed it last; empty if nobody has."""
    reason: str
    rates: QueueRates
    work: list[OpenWork]


class QueueList(Document, frozen=True):
    """The queues that have open work, or that someone has paused once, by name."""

    queues: list[QueueDocument]


async def list_queues(call: Call) -> Answer:
    """Queues: what waits, since when, what runs, and how fast."""
    now = call.engine.clock.now()
    counts = await call.engine.reads.queue_counts(call.tenant)
    settings = {each.queue: each for each in await call.engine.store.queue_settings(call.tenant)}
    activity = await call.engine.store.activity(call.tenant, now // MINUTE_MS - RATE_MINUTES + 1)
    return Answer(
        QueueList(
            [
                _document(
                    settings.get(name, QueueSetting(call.tenant, name, None, "", "")),
                    [each for each in counts if each.queue == name],
                    _rates([each for each in activity if each.queue == name]),
                    now,
                )
                for name in sorted({each.queue for each in counts} | settings.keys())
            ]
        )
    )


async def pause_queue(call: Call, body: ReasonBody) -> Answer:
    """Give nothing of a queue to workers until it is resumed; what they have, they may end."""
    done = await call.engine.send(PauseQueue(call.tenant, _queue_name(call), body.reason, call.caller.name))
    return Answer(ChangedDocument(done.changed))


async def resume_queue(call: Call) -> Answer:
    """Let a paused queue run again."""
    done = await call.engine.send(ResumeQueue(call.tenant, _queue_name(call), call.caller.name))
    return Answer(ChangedDocument(done.changed))


def _queue_name(call: Call) -> QueueName:
    """A queue needs nobody to make it: every name that can be one is one."""
    name = call.names["queue"]
    if not is_id(name):
        raise InvalidArgument("this is no name of a queue")
    return QueueName(name)


def _document(setting: QueueSetting, counts: list[QueueCount], rates: QueueRates, now: Instant) -> QueueDocument:
    waiting = [count.oldest for count in counts if count.status == "PENDING" and count.oldest is not None]
    oldest = min(waiting, default=None)
    return QueueDocument(
        name=setting.queue,
        depth=_sum(counts, "PENDING"),
        delayed=_sum(counts, "DELAYED"),
        running=_sum(counts, "RUNNING"),
        oldest_at=optional_text(oldest),
        oldest_age_ms=None if oldest is None else max(0, now - oldest),
        paused=setting.paused_at is not None,
        paused_at=optional_text(setting.paused_at),
        changed_by=setting.changed_by,
        reason=setting.reason,
        rates=rates,
        work=[OpenWork(each.of, each.kind, each.status, each.count, optional_text(each.oldest)) for each in counts],
    )


def _sum(counts: list[QueueCount], status: str) -> int:
    return sum(count.count for count in counts if count.status == status)


def _rates(activity: list[Activity]) -> QueueRates:
    started = sum(each.count for each in activity if each.what == STARTED)
    ended = sum(each.count for each in activity if each.what != STARTED)
    failed = sum(each.count for each in activity if each.what in ENDED_BADLY)
    return QueueRates(started / RATE_MINUTES, ended / RATE_MINUTES, failed / RATE_MINUTES)
