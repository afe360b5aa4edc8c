"""What clients get: records of the model as JSON documents in snake case, times in ISO 8601."""

import msgspec

from holdfast.model.events import Event, encode_event_data
from holdfast.model.instants import Instant, datetime_of
from holdfast.model.records import Attempt, Execution, Promise, Task, TaskLine, Timer


class Document(msgspec.Struct, frozen=True, gc=False):
    """A JSON object that a client gets."""


class TaskDocument(Document, frozen=True):
    """A task."""

    id: str
    tenant_id: str
    task_type: str
    status: str
    input: msgspec.Raw
    queue: str
    execution_count: int
    max_retries: int
    progress: float
    created_at: str
    scheduled_at: str | None
    started_at: str | None
    completed_at: str | None
    worker_id: str | None
    output: msgspec.Raw | None
    error: msgspec.Raw | None
    workflow_id: str | None
    priority: int
    progress_message: str | None
    details: msgspec.Raw | None
    cancel_requested: bool
    idempotency_key: str | None
    metadata: msgspec.Raw | None


class TaskList(Document, frozen=True):
    """A page of standalone tasks, newest first; `cursor` leads to the next one."""

    tasks: list[TaskDocument]
    total: int
    limit: int
    offset: int
    cursor: str | None


class WorkflowTaskList(Document, frozen=True):
    """A page of the tasks of an execution."""

    tasks: list[TaskDocument]
    limit: int
    cursor: str | None


class SubmittedDocument(Document, frozen=True):
    """A task of a bulk; `created` is false if its id or idempotency key was there already."""

    id: str
    created: bool
    status: str


class BulkDocument(Document, frozen=True):
    """The tasks of a bulk, in its order."""

    tasks: list[SubmittedDocument]


class AttemptDocument(Document, frozen=True):
    """A try of a task that has ended."""

    attempt: int
    started_at: str
    finished_at: str
    duration_ms: int
    status: str
    output: msgspec.Raw | None
    error: msgspec.Raw | None
    worker_id: str | None


class AttemptList(Document, frozen=True):
    """The ended tries of a task, in order."""

    attempts: list[AttemptDocument]


class LineDocument(Document, frozen=True):
    """A log line of a task, or an item that it streamed."""

    number: int
    attempt: int
    time: str
    channel: str
    level: str | None
    body: msgspec.Raw


class LineList(Document, frozen=True):
    """Lines, in order; the last one's number is the `after` of the next page."""

    lines: list[LineDocument]
    limit: int


class ChangedDocument(Document, frozen=True):
    """It is on disk; `changed` is false if there was nothing left to do."""

    changed: bool


class WorkflowDocument(Document, frozen=True):
    """An execution of a workflow."""

    id: str
    tenant_id: str
    kind: str
    status: str
    queue: str
    input: msgspec.Raw
    metadata: msgspec.Raw
    parent_id: str | None
    created_at: str
    deadline_at: str | None
    closed_at: str | None
    last_sequence: int
    open_items: int
    cancel_requested: bool
    worker_id: str | None
    output: msgspec.Raw | None
    failure_type: str | None
    error: msgspec.Raw | None


class WorkflowList(Document, frozen=True):
    """A page of executions, newest first; `cursor` leads to the next one."""

    workflows: list[WorkflowDocument]
    limit: int
    cursor: str | None


class StartedDocument(Document, frozen=True):
    """An execution that is on disk; `created` is false if it was there already."""

    id: str
    tenant_id: str
    kind: str
    created: bool
    status: str
    output: msgspec.Raw | None
    failure_type: str | None
    error: msgspec.Raw | None


class ResultDocument(Document, frozen=True):
    """How an execution stands: `output` once it has completed, `error` if it ended otherwise."""

    id: str
    status: str
    closed: bool
    output: msgspec.Raw | None
    failure_type: str | None
    error: msgspec.Raw | None


class EventDocument(Document, frozen=True):
    """A fact in the history of an execution; the names in `data` are those of histories everywhere."""

    sequence: int
    type: str
    time: str
    data: msgspec.Raw


class HistoryPage(Document, frozen=True):
    """Events in order; `next_after` is the `after` of the next page."""

    events: list[EventDocument]
    limit: int
    last_sequence: int
    next_after: int | None


class StateDocument(Document, frozen=True):
    """What an execution's code has set."""

    state: dict[str, msgspec.Raw]


class AnswerDocument(Document, frozen=True):
    """What the code of an execution says to a query."""

    output: msgspec.Raw


class PromiseDocument(Document, frozen=True):
    """A value that someone outside will supply."""

    id: str
    workflow_id: str
    name: str
    status: str
    created_at: str
    times_out_at: str | None
    closed_at: str | None


class PromiseList(Document, frozen=True):
    """The promises of an execution, in the order of their creation."""

    promises: list[PromiseDocument]


class TimerDocument(Document, frozen=True):
    """An armed timer."""

    id: str
    workflow_id: str
    fire_at: str
    created_at: str


class TimerList(Document, frozen=True):
    """Armed timers, the next to fire first, and how many there are in all."""

    timers: list[TimerDocument]
    total: int
    limit: int


class HealthDocument(Document, frozen=True):
    """How the server is."""

    status: str


def text_of(instant: Instant) -> str:
    """The instant in ISO 8601, UTC, with milliseconds."""
    return f"{datetime_of(instant).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def optional_text(instant: Instant | None) -> str | None:
    """The instant as `text_of` has it, if there is one."""
    return None if instant is None else text_of(instant)


def _raw(data: bytes | None) -> msgspec.Raw | None:
    return None if data is None else msgspec.Raw(data)


def task_document(record: Task) -> TaskDocument:
    """A task."""
    return TaskDocument(
        id=record.id,
        tenant_id=record.tenant,
        task_type=record.task_type,
        status=record.status,
        input=msgspec.Raw(record.input),
        queue=record.queue,
        execution_count=record.attempt,
        max_retries=record.options.retry.max_retries,
        progress=record.progress,
        created_at=text_of(record.created_at),
        scheduled_at=optional_text(record.scheduled_at),
        started_at=optional_text(record.started_at),
        completed_at=optional_text(record.closed_at),
        worker_id=record.worker_id,
        output=_raw(record.output),
        error=_raw(record.failure),
        workflow_id=record.execution_id,
        priority=record.priority,
        progress_message=record.progress_message,
        details=_raw(record.details),
        cancel_requested=record.cancel_requested,
        idempotency_key=record.idempotency_key,
        metadata=_raw(record.metadata),
    )


def attempt_document(record: Attempt) -> AttemptDocument:
    """An ended try of a task."""
    return AttemptDocument(
        attempt=record.attempt,
        started_at=text_of(record.started_at),
        finished_at=text_of(record.finished_at),
        duration_ms=record.finished_at - record.started_at,
        status=record.status,
        output=_raw(record.output),
        error=_raw(record.failure),
        worker_id=record.worker_id,
    )


def line_document(record: TaskLine) -> LineDocument:
    """A line of a task."""
    body = msgspec.Raw(record.body)
    return LineDocument(record.number, record.attempt, text_of(record.time), record.channel, record.level, body)


def workflow_document(record: Execution) -> WorkflowDocument:
    """An execution."""
    return WorkflowDocument(
        id=record.id,
        tenant_id=record.tenant,
        kind=record.kind,
        status=record.status,
        queue=record.queue,
        input=msgspec.Raw(record.input),
        metadata=msgspec.Raw(record.metadata),
        parent_id=record.parent_id,
        created_at=text_of(record.created_at),
        deadline_at=optional_text(record.deadline_at),
        closed_at=optional_text(record.closed_at),
        last_sequence=record.last_sequence,
        open_items=record.open_items,
        cancel_requested=record.cancel_requested,
        worker_id=record.worker_id,
        output=_raw(record.output),
        failure_type=record.failure_type,
        error=_raw(record.failure),
    )


def result_document(record: Execution) -> ResultDocument:
    """How an execution stands."""
    output, error = _raw(record.output), _raw(record.failure)
    return ResultDocument(record.id, record.status, record.closed, output, record.failure_type, error)


def event_document(event: Event) -> EventDocument:
    """An event."""
    return EventDocument(event.sequence, event.type, text_of(event.time), msgspec.Raw(encode_event_data(event.data)))


def timer_document(record: Timer) -> TimerDocument:
    """An armed timer."""
    return TimerDocument(record.id, record.execution_id, text_of(record.fire_at), text_of(record.created_at))


def promise_document(record: Promise) -> PromiseDocument:
    """A promise."""
    return PromiseDocument(
        id=record.id,
        workflow_id=record.execution_id,
        name=record.name,
        status=record.status,
        created_at=text_of(record.created_at),
        times_out_at=optional_text(record.wake_at),
        closed_at=optional_text(record.closed_at),
    )
