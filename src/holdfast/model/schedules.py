"""Schedules: what starts workflows, flows and tasks by the clock.

A schedule has **nominal times**, those that its cron line or interval names. What it starts at one has an id that is
made of the schedule and the nominal time; so each nominal time starts one thing, however often, late or by whom it is
acted on. `<schedule>@2026-03-01T09:00:00Z` is the execution of nine o'clock.
"""

import hashlib
import re
from enum import StrEnum

import msgspec

from holdfast.model.commands import DEFAULT_TASK_OPTIONS, TaskOptions
from holdfast.model.errors import InvalidArgument
from holdfast.model.ids import DEFAULT_QUEUE, ExecutionId, QueueName, TaskId, TenantId, uuid_text
from holdfast.model.instants import Instant, Milliseconds, datetime_of

DAY_MS = 24 * 3_600 * 1_000
MARK = "@"
"""Between a schedule's id and the nominal time, in the ids of what it starts."""
BY_HAND = "by-hand-"
_IS_OURS = re.compile(rf"\d{{4}}-\d\d-\d\dT|{BY_HAND}")
KEY_PREFIX = "schedule:"
"""Of the idempotency keys of tasks that schedules start."""
KEPT_RUNS = 10
"""A schedule shows so many of its last nominal times."""
TRACKED_RUNS = 100
"""So many of its open runs a schedule knows of; older ones are no longer waited for."""

NULL = msgspec.Raw(b"null")


class Overlap(StrEnum):
    """What to do at a nominal time while something is still open that was started before."""

    SKIP = "skip"
    """Let this time pass."""
    BUFFER_ONE = "buffer_one"
    """Start when that has ended; one time can wait so, those after it pass."""
    ALLOW = "allow"
    """Start beside it."""
    CANCEL_OTHER = "cancel_other"
    """Ask that to end, and start when it has."""


class StartsWorkflow(msgspec.Struct, frozen=True, tag="workflow", tag_field="type", forbid_unknown_fields=True):
    """Start a code workflow."""

    kind: str
    input: msgspec.Raw = NULL
    queue: QueueName = DEFAULT_QUEUE
    timeout_ms: Milliseconds | None = None


class StartsFlow(msgspec.Struct, frozen=True, tag="flow", tag_field="type", forbid_unknown_fields=True):
    """Start a run of a flow, of its newest version if none is named; without an input it is told the nominal time."""

    flow: str
    input: msgspec.Raw | None = None
    queue: QueueName = DEFAULT_QUEUE
    version: int | None = None
    trigger: str | None = None
    timeout_ms: Milliseconds | None = None


class StartsTask(msgspec.Struct, frozen=True, tag="task", tag_field="type", forbid_unknown_fields=True):
    """Submit a standalone task."""

    task_type: str
    input: msgspec.Raw = NULL
    queue: QueueName = DEFAULT_QUEUE
    priority: int = 0
    options: TaskOptions = DEFAULT_TASK_OPTIONS


Starts = StartsWorkflow | StartsFlow | StartsTask


class ScheduleSpec(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a schedule starts, and when; exactly one of `cron` and `every_ms` is given."""

    starts: Starts
    cron: str | None = None
    """Five fields, in the clock of `timezone`; six begin with seconds."""
    every_ms: Milliseconds | None = None
    """Counted from `not_before`, or from when the schedule was made."""
    timezone: str = "UTC"
    not_before: Instant | None = None
    not_after: Instant | None = None
    jitter_ms: Milliseconds = Milliseconds(0)
    """Starts are up to so much later than their nominal times, each always by the same amount."""
    overlap: Overlap = Overlap.SKIP
    catch_up_ms: Milliseconds = Milliseconds(DAY_MS)
    """Nominal times that could not be acted on are made up for up to so long after them."""
    note: str = ""


class RunOutcome(StrEnum):
    """What became of a nominal time."""

    STARTED = "started"
    SKIPPED = "skipped"
    BUFFERED = "buffered"
    FAILED = "failed"
    """It could not be started."""


class ScheduledRun(msgspec.Struct, frozen=True, omit_defaults=True):
    """A nominal time that has come."""

    nominal: Instant
    at: Instant
    outcome: RunOutcome
    run_id: str | None = None
    error: str | None = None


class Schedule(msgspec.Struct, frozen=True):
    """A schedule and how it stands."""

    tenant: TenantId
    id: str
    spec: ScheduleSpec
    created_at: Instant
    updated_at: Instant
    paused: bool = False
    reason: str = ""
    """Why it is paused."""
    next_at: Instant | None = None
    """The next nominal time; None: there is none any more."""
    wake_at: Instant | None = None
    buffered: Instant | None = None
    """The nominal time that waits for the end of what is open."""
    running: tuple[str, ...] = ()
    """What it has started that has not ended, as far as it has to know."""
    recent: tuple[ScheduledRun, ...] = ()
    """The last nominal times, newest first."""
    started: int = 0
    skipped: int = 0
    missed: int = 0
    """Nominal times that were over the catch-up window when they could be acted on."""
    failed: int = 0


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Schedule).decode
_decode_spec = msgspec.json.Decoder(ScheduleSpec).decode


def encode_schedule(schedule: Schedule) -> bytes:
    """A schedule as it is kept, and sent."""
    return _encode(schedule)


def decode_schedule(data: bytes | str) -> Schedule:
    """The schedule that was kept."""
    return _decode(data)


def encode_spec(spec: ScheduleSpec) -> bytes:
    """A specification as JSON."""
    return _encode(spec)


def decode_spec(data: bytes) -> ScheduleSpec:
    """The specification; InvalidArgument says what is wrong with it."""
    try:
        return _decode_spec(data)
    except msgspec.MsgspecError as error:
        raise InvalidArgument(f"the schedule cannot be read: {error}") from error


def nominal_text(nominal: Instant) -> str:
    """A nominal time as ids and inputs have it."""
    moment = datetime_of(nominal)
    return moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds").replace("+00:00", "Z")


def execution_of_time(schedule_id: str, nominal: Instant) -> ExecutionId:
    """The id of the execution that a schedule starts at a nominal time."""
    return ExecutionId(f"{schedule_id}{MARK}{nominal_text(nominal)}")


def execution_by_hand(schedule_id: str, request_id: str) -> ExecutionId:
    """The id of the execution that a schedule starts because someone has asked for it."""
    return ExecutionId(f"{schedule_id}{MARK}{BY_HAND}{request_id}")


def task_named(tenant: TenantId, execution_id: str) -> TaskId:
    """The id of the task that stands in the place of such an execution."""
    digest = hashlib.blake2b(f"{tenant}\0{execution_id}".encode(), digest_size=16).digest()
    bits = int.from_bytes(digest, "big") & ~(0xF << 76) & ~(0x3 << 62)
    return TaskId(uuid_text(bits | 0x8 << 76 | 0b10 << 62))


def schedule_of_execution(execution_id: str) -> str | None:
    """The schedule that may have started an execution; only the schedule itself knows whether it has."""
    schedule_id, mark, when = execution_id.rpartition(MARK)
    return schedule_id if mark and _IS_OURS.match(when) else None


def schedule_of_key(idempotency_key: str | None) -> str | None:
    """The schedule that may have submitted a task with this idempotency key."""
    if idempotency_key is None or not idempotency_key.startswith(KEY_PREFIX):
        return None
    return schedule_of_execution(idempotency_key.removeprefix(KEY_PREFIX))
