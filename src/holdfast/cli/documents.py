"""Records as JSON documents: names and values as the wire has them, times in ISO 8601."""

from collections.abc import Iterable

import msgspec

from holdfast.cli.parameters import cursor_text
from holdfast.cli.wording import iso
from holdfast.model.events import Event, encode_event_data
from holdfast.model.instants import Instant
from holdfast.model.queries import ExecutionPage, QueueCount, TaskPage, TimerPage
from holdfast.model.records import Attempt, Execution, Promise, Task, TaskLine, Timer


class Document(msgspec.Struct, frozen=True, rename="camel"):
    """A JSON object with names in camel case."""


class ExecutionDocument(Document, frozen=True):
    id: str
    kind: str
    status: str
    queue: str
    created_at: str
    closed_at: str | None
    deadline_at: str | None
    parent_id: str | None
    events: int
    open_items: int
    cancel_requested: bool
    worker_id: str | None
    input: msgspec.Raw
    metadata: msgspec.Raw
    output: msgspec.Raw | None
    failure_type: str | None
    failure: msgspec.Raw | None


class TaskDocument(Document, frozen=True):
    id: str
    task_type: str
    status: str
    queue: str
    execution_id: str | None
    attempt: int
    priority: int
    progress: float
    progress_message: str | None
    created_at: str
    scheduled_at: str | None
    started_at: str | None
    closed_at: str | None
    next_at: str | None
    cancel_requested: bool
    worker_id: str | None
    idempotency_key: str | None
    input: msgspec.Raw
    details: msgspec.Raw | None
    output: msgspec.Raw | None
    failure: msgspec.Raw | None


class AttemptDocument(Document, frozen=True):
    attempt: int
    status: str
    started_at: str
    finished_at: str
    worker_id: str | None
    output: msgspec.Raw | None
    failure: msgspec.Raw | None


class LineDocument(Document, frozen=True):
    number: int
    attempt: int
    time: str
    channel: str
    level: str | None
    body: msgspec.Raw


class TimerDocument(Document, frozen=True):
    id: str
    execution_id: str
    fire_at: str
    created_at: str


class PromiseDocument(Document, frozen=True):
    id: str
    execution_id: str
    name: str
    status: str
    created_at: str
    times_out_at: str | None
    closed_at: str | None


class EventDocument(Document, frozen=True):
    sequence: int
    type: str
    time: str
    data: msgspec.Raw


class QueueDocument(Document, frozen=True):
    queue: str
    of: str
    kind: str
    status: str
    count: int
    oldest: str | None


class ExecutionList(Document, frozen=True):
    executions: list[ExecutionDocument]
    next: str | None


class TaskList(Document, frozen=True):
    tasks: list[TaskDocument]
    next: str | None


class TimerList(Document, frozen=True):
    timers: list[TimerDocument]
    total: int


def execution_document(record: Execution) -> ExecutionDocument:
    """An execution."""
    return ExecutionDocument(
        record.id,
        record.kind,
        record.status,
        record.queue,
        iso(record.created_at),
        _iso(record.closed_at),
        _iso(record.deadline_at),
        record.parent_id,
        record.last_sequence,
        record.open_items,
        record.cancel_requested,
        record.worker_id,
        msgspec.Raw(record.input),
        msgspec.Raw(record.metadata),
        _raw(record.output),
        record.failure_type,
        _raw(record.failure),
    )


def task_document(record: Task) -> TaskDocument:
    """A task."""
    return TaskDocument(
        record.id,
        record.task_type,
        record.status,
        record.queue,
        record.execution_id,
        record.attempt,
        record.priority,
        record.progress,
        record.progress_message,
        iso(record.created_at),
        _iso(record.scheduled_at),
        _iso(record.started_at),
        _iso(record.closed_at),
        _iso(next_try_at(record)),
        record.cancel_requested,
        record.worker_id,
        record.idempotency_key,
        msgspec.Raw(record.input),
        _raw(record.details),
        _raw(record.output),
        _raw(record.failure),
    )


def next_try_at(task: Task) -> Instant | None:
    """When a task that waits for its time may be started."""
    return task.scheduled_at if task.status == "PENDING" and not task.ready else None


def attempt_document(record: Attempt) -> AttemptDocument:
    """An ended try of a task."""
    return AttemptDocument(
        record.attempt,
        record.status,
        iso(record.started_at),
        iso(record.finished_at),
        record.worker_id,
        _raw(record.output),
        _raw(record.failure),
    )


def line_document(record: TaskLine) -> LineDocument:
    """A line that a task wrote."""
    body = msgspec.Raw(record.body)
    return LineDocument(record.number, record.attempt, iso(record.time), record.channel, record.level, body)


def timer_document(record: Timer) -> TimerDocument:
    """An armed timer."""
    return TimerDocument(record.id, record.execution_id, iso(record.fire_at), iso(record.created_at))


def promise_document(record: Promise) -> PromiseDocument:
    """A promise."""
    return PromiseDocument(
        record.id,
        record.execution_id,
        record.name,
        record.status,
        iso(record.created_at),
        _iso(record.wake_at),
        _iso(record.closed_at),
    )


def event_document(event: Event) -> EventDocument:
    """An event, its data as it is kept."""
    return EventDocument(event.sequence, event.type, iso(event.time), msgspec.Raw(encode_event_data(event.data)))


def queue_documents(counts: Iterable[QueueCount]) -> list[QueueDocument]:
    """Open work by queue."""
    return [
        QueueDocument(each.queue, each.of, each.kind, each.status, each.count, _iso(each.oldest)) for each in counts
    ]


def execution_list(page: ExecutionPage) -> ExecutionList:
    """A page of executions."""
    return ExecutionList([execution_document(each) for each in page.executions], cursor_text(page.next))


def task_list(page: TaskPage) -> TaskList:
    """A page of tasks."""
    return TaskList([task_document(each) for each in page.tasks], cursor_text(page.next))


def timer_list(page: TimerPage) -> TimerList:
    """The first timers to fire."""
    return TimerList([timer_document(each) for each in page.timers], page.total)


def _iso(instant: Instant | None) -> str | None:
    return None if instant is None else iso(instant)


def _raw(data: bytes | None) -> msgspec.Raw | None:
    return None if data is None else msgspec.Raw(data)
