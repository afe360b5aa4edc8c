"""Records as rows: the columns that are written, and how records are made of what is read.

asyncpg speaks PostgreSQL's binary format, so values come and go as they are; only statuses, and what is kept as JSON,
need a hand.
"""

from functools import lru_cache
from typing import Any

import msgspec
from asyncpg import Record
from msgspec.structs import astuple

from holdfast.model.commands import DEFAULT_TASK_OPTIONS, TaskOptions
from holdfast.model.events import Event, decode_event, encode_event_data
from holdfast.model.flows import FlowValue, FlowVersion, Frame, FrameState, FrameStatus, InnerFrame, ItemResult, Scope
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

Columns = tuple[object, ...]
Found = Record | tuple[Any, ...] | list[Any]
"""A row as the driver gives it: its columns are what the schema says."""

_EXECUTION_STATUS = {status.value: status for status in ExecutionStatus}
_TASK_STATUS = {status.value: status for status in TaskStatus}
_ATTEMPT_STATUS = {status.value: status for status in AttemptStatus}
_PROMISE_STATUS = {status.value: status for status in PromiseStatus}

_encode = msgspec.json.Encoder().encode
_encode_options = lru_cache(maxsize=1024)(msgspec.json.Encoder().encode)
_decode_options = lru_cache(maxsize=1024)(msgspec.json.Decoder(TaskOptions).decode)
_decode_state = msgspec.json.Decoder(FrameState).decode
_decode_notices = msgspec.json.Decoder(tuple[Notice, ...]).decode


def _options(options: TaskOptions) -> bytes | None:
    if options is DEFAULT_TASK_OPTIONS or options == DEFAULT_TASK_OPTIONS:
        return None
    return _encode_options(options)


# What is written.


def whole(
    row: Execution | Attempt | Timer | Promise | RequestKey | StateEntry | FlowValue | FlowVersion | OutboxEntry,
) -> Columns:
    """Of a record whose fields are its columns."""
    return astuple(row)


def changed_execution(row: Execution) -> Columns:
    return (row.tenant, row.id, *astuple(row)[10:], row.deadline_at)


def new_task(row: Task) -> Columns:
    values = astuple(row)
    return (*values[:7], _options(row.options), *values[8:])


def changed_task(row: Task) -> Columns:
    return (row.tenant, row.id, *astuple(row)[12:], row.scheduled_at, _options(row.options))


def moved_timer(row: Timer) -> Columns:
    return (row.tenant, row.id, row.fire_at)


def changed_promise(row: Promise) -> Columns:
    return (row.tenant, row.id, row.status, row.wake_at, row.closed_at)


def new_event(row: HistoryEntry) -> Columns:
    event = row.event
    data = event.data
    return (row.tenant, row.execution_id, event.sequence, data.event_type, event.time, encode_event_data(data))


def new_line(row: TaskLine, place: int) -> Columns:
    return (row.tenant, row.task_id, row.attempt, row.time, row.channel, row.level, row.body, place)


def kind(row: Kind) -> Columns:
    return astuple(row)


def schedule(row: Schedule) -> Columns:
    return (row.tenant, row.id, row.wake_at, encode_schedule(row))


def queue_setting(row: QueueSetting) -> Columns:
    return astuple(row)


def notices(row: Notices) -> Columns:
    return (row.tenant, row.time, len(row.notices), _encode(row.notices))


def new_frame(row: Frame) -> Columns:
    values = astuple(row)
    return (*values[:8], _encode(row.state), *values[9:])


def changed_frame(row: Frame) -> Columns:
    place = (row.tenant, row.execution_id, row.scope, row.item_index)
    return (*place, row.status, row.ready, _encode(row.state), row.result, row.failure, row.closed_at)


def new_scope(row: Scope) -> Columns:
    return (*astuple(row)[:10], f"{row.ended:x}", f"{row.failed:x}", row.ready, row.closed_at)


def changed_scope(row: Scope) -> Columns:
    ended = (f"{row.ended:x}", f"{row.failed:x}")
    return (row.tenant, row.execution_id, row.path, row.opened, *ended, row.ready, row.closed_at)


# What is read.


def execution_of(row: Found) -> Execution:
    values = list(row)
    values[10] = _EXECUTION_STATUS[values[10]]
    return Execution(*values)


def task_of(row: Found) -> Task:
    values = list(row)
    options = values[7]
    values[7] = DEFAULT_TASK_OPTIONS if options is None else _decode_options(options)
    values[12] = _TASK_STATUS[values[12]]
    return Task(*values)


def attempt_of(row: Found) -> Attempt:
    values = list(row)
    values[5] = _ATTEMPT_STATUS[values[5]]
    return Attempt(*values)


def timer_of(row: Found) -> Timer:
    return Timer(*row)


def promise_of(row: Found) -> Promise:
    values = list(row)
    values[5] = _PROMISE_STATUS[values[5]]
    return Promise(*values)


def line_of(row: Found) -> TaskLine:
    return TaskLine(*row)


def event_of(sequence: int, event_type: str, time: int, data: bytes) -> Event:
    return decode_event(sequence, event_type, time, data)


def schedule_of(row: Found) -> Schedule:
    return decode_schedule(row[0])


def queue_setting_of(row: Found) -> QueueSetting:
    return QueueSetting(*row)


def kind_of(row: Found) -> Kind:
    return Kind(row[0], WorkSort(row[1]), *row[2:])


def notices_of(data: bytes) -> tuple[Notice, ...]:
    return _decode_notices(data)


def activity_of(row: Found) -> Activity:
    return Activity(row[0], row[1], WorkSort(row[2]), *row[3:])


def frame_of(row: Found) -> Frame:
    values = list(row)
    values[6] = FrameStatus(values[6])
    values[8] = _decode_state(values[8])
    return Frame(*values)


def inner_frame_of(row: Found) -> InnerFrame:
    scope, index, state = row
    return InnerFrame(scope, index, _decode_state(state))


def scope_of(row: Found) -> Scope:
    values = list(row)
    values[10:12] = int(values[10], 16), int(values[11], 16)
    return Scope(*values)


def outbox_entry_of(row: Found) -> OutboxEntry:
    return OutboxEntry(row[0], Topic(row[1]), row[2], row[3])


def version_of(row: Found) -> FlowVersion:
    return FlowVersion(*row)


def result_of(row: Found) -> ItemResult:
    return ItemResult(row[3], FrameStatus(row[4]), row[5], row[6])
