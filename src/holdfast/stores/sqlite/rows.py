"""Records as rows: what is bound when they are written, and how they are made of what is read.

Reads answer with one JSON text for many rows, because sqlite3 gives up the interpreter lock for every row that it
fetches: beside a busy event loop each such hand-over costs up to a switch interval, which is thousands of times the
row itself. For the same reason writes are statements of many rows.
"""

from functools import lru_cache

import msgspec

from holdfast.model.commands import DEFAULT_TASK_OPTIONS, TaskOptions
from holdfast.model.events import Event, decode_event, encode_event_data
from holdfast.model.ids import ClaimToken, ExecutionId, PromiseId, QueueName, TaskId, TenantId, TimerId, WorkerId
from holdfast.model.instants import Instant
from holdfast.model.messages import OutboxEntry, Topic
from holdfast.model.oversight import Activity, Kind, Notice, Notices, QueueSetting, WorkSort
from holdfast.model.records import (
    Attempt,
    Execution,
    HistoryEntry,
    Promise,
    RequestKey,
    StateEntry,
    Task,
    TaskLine,
    Timer,
)
from holdfast.model.schedules import Schedule, decode_schedule, encode_schedule
from holdfast.model.statuses import AttemptStatus, ExecutionStatus, PromiseStatus, TaskStatus
from holdfast.model.wakes import WakeSort
from holdfast.stores.statements import Value

Parameters = tuple[Value, ...]

# sqlite3 binds int, str, float and bytearray in 40 to 120 ns, but asks around for an adapter before it binds anything
# else: 500 ns for None, 700 for bytes, as much for enums and booleans. So we bind none of these.
ABSENT = -1
"""Stands for NULL among parameters; statements turn it back. No id, text, payload or nullable instant is like it."""

_TEXT_OF: dict[str, str] = {
    status: str(status.value)
    for statuses in (ExecutionStatus, TaskStatus, AttemptStatus, PromiseStatus)
    for status in statuses
}
_NUMBER_OF = {False: 0, True: 1}

_encode_options = lru_cache(maxsize=1024)(msgspec.json.Encoder().encode)
_encode_notices = msgspec.json.Encoder().encode
_decode_options = lru_cache(maxsize=1024)(msgspec.json.Decoder(TaskOptions).decode)


# What is bound.


def new_execution(row: Execution) -> Parameters:
    return (
        row.tenant,
        row.id,
        row.kind,
        row.queue,
        bytearray(row.input),
        bytearray(row.metadata),
        ABSENT if row.parent_id is None else row.parent_id,
        ABSENT if row.child_name is None else row.child_name,
        row.created_at,
        ABSENT if row.deadline_at is None else row.deadline_at,
        _TEXT_OF[row.status],
        row.last_sequence,
        row.seen_sequence,
        row.open_items,
        row.claim_token,
        ABSENT if row.worker_id is None else row.worker_id,
        ABSENT if row.lease_expires_at is None else row.lease_expires_at,
        ABSENT if row.wake_at is None else row.wake_at,
        _NUMBER_OF[row.cancel_requested],
        ABSENT if row.output is None else bytearray(row.output),
        ABSENT if row.failure is None else bytearray(row.failure),
        ABSENT if row.failure_type is None else row.failure_type,
        ABSENT if row.closed_at is None else row.closed_at,
    )


def changed_execution(row: Execution) -> Parameters:
    return (
        row.tenant,
        row.id,
        _TEXT_OF[row.status],
        row.last_sequence,
        row.seen_sequence,
        row.open_items,
        row.claim_token,
        ABSENT if row.worker_id is None else row.worker_id,
        ABSENT if row.lease_expires_at is None else row.lease_expires_at,
        ABSENT if row.wake_at is None else row.wake_at,
        _NUMBER_OF[row.cancel_requested],
        ABSENT if row.output is None else bytearray(row.output),
        ABSENT if row.failure is None else bytearray(row.failure),
        ABSENT if row.failure_type is None else row.failure_type,
        ABSENT if row.closed_at is None else row.closed_at,
        ABSENT if row.deadline_at is None else row.deadline_at,
    )


def new_task(row: Task) -> Parameters:
    return (
        row.tenant,
        row.id,
        ABSENT if row.execution_id is None else row.execution_id,
        row.task_type,
        row.queue,
        row.priority,
        bytearray(row.input),
        ABSENT if row.options is DEFAULT_TASK_OPTIONS else _options_parameter(row.options),
        ABSENT if row.metadata is None else bytearray(row.metadata),
        ABSENT if row.idempotency_key is None else row.idempotency_key,
        row.created_at,
        ABSENT if row.scheduled_at is None else row.scheduled_at,
        _TEXT_OF[row.status],
        _NUMBER_OF[row.ready],
        row.attempt,
        row.claim_token,
        ABSENT if row.worker_id is None else row.worker_id,
        ABSENT if row.lease_expires_at is None else row.lease_expires_at,
        ABSENT if row.wake_at is None else row.wake_at,
        ABSENT if row.started_at is None else row.started_at,
        ABSENT if row.heartbeat_at is None else row.heartbeat_at,
        ABSENT if row.details is None else bytearray(row.details),
        row.progress,
        ABSENT if row.progress_message is None else row.progress_message,
        _NUMBER_OF[row.cancel_requested],
        ABSENT if row.output is None else bytearray(row.output),
        ABSENT if row.failure is None else bytearray(row.failure),
        ABSENT if row.closed_at is None else row.closed_at,
    )


def changed_task(row: Task) -> Parameters:
    return (
        row.tenant,
        row.id,
        _TEXT_OF[row.status],
        _NUMBER_OF[row.ready],
        row.attempt,
        row.claim_token,
        ABSENT if row.worker_id is None else row.worker_id,
        ABSENT if row.lease_expires_at is None else row.lease_expires_at,
        ABSENT if row.wake_at is None else row.wake_at,
        ABSENT if row.started_at is None else row.started_at,
        ABSENT if row.heartbeat_at is None else row.heartbeat_at,
        ABSENT if row.details is None else bytearray(row.details),
        row.progress,
        ABSENT if row.progress_message is None else row.progress_message,
        _NUMBER_OF[row.cancel_requested],
        ABSENT if row.output is None else bytearray(row.output),
        ABSENT if row.failure is None else bytearray(row.failure),
        ABSENT if row.closed_at is None else row.closed_at,
        ABSENT if row.scheduled_at is None else row.scheduled_at,
        ABSENT if row.options is DEFAULT_TASK_OPTIONS else _options_parameter(row.options),
    )


def new_attempt(row: Attempt) -> Parameters:
    return (
        row.tenant,
        row.task_id,
        row.attempt,
        ABSENT if row.started_at is None else row.started_at,
        row.finished_at,
        _TEXT_OF[row.status],
        ABSENT if row.worker_id is None else row.worker_id,
        ABSENT if row.output is None else bytearray(row.output),
        ABSENT if row.failure is None else bytearray(row.failure),
    )


def new_timer(row: Timer) -> Parameters:
    return (row.tenant, row.id, row.execution_id, row.fire_at, row.created_at)


def moved_timer(row: Timer) -> Parameters:
    return (row.tenant, row.id, row.fire_at)


def new_promise(row: Promise) -> Parameters:
    return (
        row.tenant,
        row.id,
        row.execution_id,
        row.name,
        row.created_at,
        _TEXT_OF[row.status],
        ABSENT if row.wake_at is None else row.wake_at,
        ABSENT if row.closed_at is None else row.closed_at,
    )


def changed_promise(row: Promise) -> Parameters:
    return (row.tenant, row.id, _TEXT_OF[row.status], row.wake_at, row.closed_at)


def new_event(row: HistoryEntry) -> Parameters:
    event = row.event
    data = event.data
    return (
        row.tenant,
        row.execution_id,
        event.sequence,
        data.event_type,
        event.time,
        bytearray(encode_event_data(data)),
    )


def new_request_key(row: RequestKey) -> Parameters:
    return (row.tenant, row.scope, row.key, row.subject, row.created_at)


def outbox_entry(row: OutboxEntry) -> Parameters:
    return (row.id, row.topic.value, row.created_at, bytearray(row.body))


def set_state(row: StateEntry) -> Parameters:
    return (row.tenant, row.execution_id, row.key, bytearray(row.value or b""))


def queue_setting(row: QueueSetting) -> Parameters:
    paused_at = ABSENT if row.paused_at is None else row.paused_at
    return (row.tenant, row.queue, paused_at, row.changed_by, row.reason)


def schedule(row: Schedule) -> Parameters:
    wake_at = ABSENT if row.wake_at is None else row.wake_at
    return (row.tenant, row.id, wake_at, bytearray(encode_schedule(row)))


def schedules_in(answer: str) -> list[Schedule]:
    return [decode_schedule(record) for record in _records_in(answer)]


def kind(row: Kind) -> Parameters:
    return (
        row.tenant,
        row.of.value,
        row.name,
        row.version,
        ABSENT if row.input_schema is None else bytearray(row.input_schema),
        ABSENT if row.output_schema is None else bytearray(row.output_schema),
        row.registered_at,
    )


def notices(row: Notices, before: int) -> Parameters:
    return (row.tenant, row.time, before, len(row.notices), bytearray(_encode_notices(row.notices)))


def activity(row: Activity) -> Parameters:
    return (
        row.tenant,
        row.minute,
        row.of.value,
        row.queue,
        row.kind,
        row.what,
        row.size,
        row.count,
        row.total_ms,
    )


def new_line(row: TaskLine, place: int) -> Parameters:
    level = ABSENT if row.level is None else row.level
    return (row.tenant, row.task_id, row.attempt, row.time, row.channel, level, bytearray(row.body), place)


def _options_parameter(options: TaskOptions) -> Value:
    return ABSENT if options == DEFAULT_TASK_OPTIONS else bytearray(_encode_options(options))


# What is read. JSON has neither bytes nor SQLite's 0 and 1 for booleans; not being strict takes the latter.

ExecutionRow = tuple[
    TenantId, ExecutionId, str, QueueName, str, str, ExecutionId | None, str | None, Instant, Instant | None,
    ExecutionStatus, int, int, int, ClaimToken, WorkerId | None, Instant | None, Instant | None, bool, str | None,
    str | None, str | None, Instant | None,
]  # fmt: skip
TaskRow = tuple[
    TenantId, TaskId, ExecutionId | None, str, QueueName, int, str, str | None, str | None, str | None, Instant,
    Instant | None, TaskStatus, bool, int, ClaimToken, WorkerId | None, Instant | None, Instant | None,
    Instant | None, Instant | None, str | None, float, str | None, bool, str | None, str | None, Instant | None,
]  # fmt: skip
AttemptRow = tuple[
    TenantId, TaskId, int, Instant, Instant, AttemptStatus, WorkerId | None, str | None, str | None
]  # fmt: skip
TimerRow = tuple[TenantId, TimerId, ExecutionId, Instant, Instant]
PromiseRow = tuple[
    TenantId, PromiseId, ExecutionId, str, Instant, PromiseStatus, Instant | None, Instant | None
]  # fmt: skip
EventRow = tuple[TenantId, ExecutionId, int, str, int, str]
QueueCountRow = tuple[QueueName, str, str, str, int, Instant | None]
QueueRow = tuple[TenantId, QueueName, Instant | None, str, str]
KindRow = tuple[TenantId, WorkSort, str, str, str | None, str | None, Instant]
FeedRow = tuple[int, Instant, tuple[Notice, ...]]
ActivityRow = tuple[TenantId, int, WorkSort, QueueName, str, str, int, int, int]
LineRow = tuple[TenantId, TaskId, int, Instant, str, str | None, str, int]

executions_in = msgspec.json.Decoder(list[ExecutionRow], strict=False).decode
tasks_in = msgspec.json.Decoder(list[TaskRow], strict=False).decode
attempts_in = msgspec.json.Decoder(list[AttemptRow]).decode
timers_in = msgspec.json.Decoder(list[TimerRow]).decode
promises_in = msgspec.json.Decoder(list[PromiseRow]).decode
events_in = msgspec.json.Decoder(list[EventRow]).decode
history_in = msgspec.json.Decoder(list[tuple[int, int, str, int, str]]).decode
queues_in = msgspec.json.Decoder(list[QueueRow]).decode
kinds_in = msgspec.json.Decoder(list[KindRow]).decode
outbox_in = msgspec.json.Decoder(list[tuple[str, Topic, Instant, str]]).decode
feed_in = msgspec.json.Decoder(list[FeedRow]).decode
feed_ends_in = msgspec.json.Decoder(tuple[int, int]).decode
activity_in = msgspec.json.Decoder(list[ActivityRow]).decode
HeldRow = tuple[str, WorkSort, str, str, str | None, Instant | None, float]
held_in = msgspec.json.Decoder(list[HeldRow]).decode
open_in = msgspec.json.Decoder(list[tuple[str, int]]).decode
due_in = msgspec.json.Decoder(list[tuple[Instant, int]]).decode
place_in = msgspec.json.Decoder(tuple[Instant, str]).decode
lines_in = msgspec.json.Decoder(list[LineRow]).decode
state_in = msgspec.json.Decoder(list[tuple[str, str]]).decode
counts_in = msgspec.json.Decoder(list[QueueCountRow]).decode
execution_keys_in = msgspec.json.Decoder(list[tuple[TenantId, ExecutionId]]).decode
task_keys_in = msgspec.json.Decoder(list[tuple[TenantId, TaskId]]).decode
timer_keys_in = msgspec.json.Decoder(list[tuple[TenantId, TimerId]]).decode
schedule_keys_in = msgspec.json.Decoder(list[tuple[TenantId, str]]).decode
promise_keys_in = msgspec.json.Decoder(list[tuple[TenantId, PromiseId]]).decode
wake_in = msgspec.json.Decoder(Instant | None).decode
wakes_in = msgspec.json.Decoder(list[tuple[Instant, WakeSort, TenantId, str]]).decode
triples_in = msgspec.json.Decoder(list[tuple[TenantId, str, ExecutionId]]).decode
names_in = msgspec.json.Decoder(list[tuple[TenantId, str, str, str]]).decode
workers_in = msgspec.json.Decoder(list[WorkerId]).decode
_records_in = msgspec.json.Decoder(list[str]).decode
texts_in = msgspec.json.Decoder(list[str | None]).decode
execution_claims_in = msgspec.json.Decoder(list[list[tuple[int, str]]]).decode
task_claims_in = msgspec.json.Decoder(list[list[tuple[int, str]]]).decode


def execution_of(row: ExecutionRow) -> Execution:
    (
        tenant, identity, kind, queue, given, metadata, parent, child_name, created_at, deadline_at, status,
        last_sequence, seen_sequence, open_items, token, worker, lease, wake_at, cancel_requested, output, failure,
        failure_type, closed_at,
    ) = row  # fmt: skip
    return Execution(
        tenant, identity, kind, queue, given.encode(), metadata.encode(), parent, child_name, created_at,
        deadline_at, status, last_sequence, seen_sequence, open_items, token, worker, lease, wake_at,
        cancel_requested, None if output is None else output.encode(), None if failure is None else failure.encode(),
        failure_type, closed_at,
    )  # fmt: skip


def task_of(row: TaskRow) -> Task:
    (
        tenant, identity, execution, task_type, queue, priority, given, options, metadata, idempotency_key,
        created_at, scheduled_at, status, ready, attempt, token, worker, lease, wake_at, started_at, heartbeat_at,
        details, progress, progress_message, cancel_requested, output, failure, closed_at,
    ) = row  # fmt: skip
    return Task(
        tenant, identity, execution, task_type, queue, priority, given.encode(),
        DEFAULT_TASK_OPTIONS if options is None else _decode_options(options),
        None if metadata is None else metadata.encode(), idempotency_key, created_at, scheduled_at, status, ready,
        attempt, token, worker, lease, wake_at, started_at, heartbeat_at,
        None if details is None else details.encode(), progress, progress_message, cancel_requested,
        None if output is None else output.encode(), None if failure is None else failure.encode(), closed_at,
    )  # fmt: skip


def attempt_of(row: AttemptRow) -> Attempt:
    output, failure = row[7:]
    return Attempt(
        *row[:7],
        output=None if output is None else output.encode(),
        failure=None if failure is None else failure.encode(),
    )


def timer_of(row: TimerRow) -> Timer:
    return Timer(*row)


def promise_of(row: PromiseRow) -> Promise:
    return Promise(*row)


def line_of(row: LineRow) -> TaskLine:
    tenant, task_id, attempt, time, channel, level, body, number = row
    return TaskLine(tenant, task_id, attempt, time, channel, level, body.encode(), number)


def kind_of(row: KindRow) -> Kind:
    tenant, sort, name, version, given, made, registered_at = row
    input_schema = None if given is None else given.encode()
    output_schema = None if made is None else made.encode()
    return Kind(tenant, sort, name, version, input_schema, output_schema, registered_at)


def event_of(sequence: int, event_type: str, time: int, data: str) -> Event:
    return decode_event(sequence, event_type, time, data.encode())
