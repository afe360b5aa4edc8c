"""What clients send: bodies and queries, with the limits that OpenAPI shows and msgspec checks."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from holdfast.model.ids import MAX_ID_BYTES
from holdfast.model.instants import LATEST
from holdfast.model.statuses import ExecutionStatus, ReusePolicy, TaskStatus
from holdfast.model.workflow_queries import DEFAULT_QUERY_TIMEOUT, MAX_QUERY_TIMEOUT
from holdfast.server.rest.cursors import MAX_CURSOR

MAX_KEY = 255
MAX_TEXT = 8_192
MAX_RETRIES = 1_000_000
MAX_BULK = 1_000
MAX_OFFSET = 10_000
DEFAULT_PAGE = 50
MAX_PAGE = 100
MAX_WAIT_SECONDS = 60
MAX_ERROR_TYPES = 100
MAX_METADATA = 10

_TEXT = "A part of the id, kind, metadata or failure."
_METADATA = "Fields that the metadata must have, as `name:value`; a value that is JSON is taken for what it says."

_REQUEST_ID = "Any new one, such as a UUID: the same request sent again finds what it has started, whatever the policy."

NULL = msgspec.Raw(b"null")


def _null() -> msgspec.Raw:
    """As a factory, because a description cannot show a raw default."""
    return NULL


Name = Annotated[
    str,
    Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/@=+~#-]*$", max_length=MAX_ID_BYTES, description="An id or a name."),
]
Uuid = Annotated[str, Meta(pattern="^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", description="A UUID, in lower case.")]
Key = Annotated[str, Meta(max_length=MAX_KEY, description="Printable characters.")]
Text = Annotated[str, Meta(max_length=MAX_TEXT)]
Moment = Annotated[datetime, Meta(tz=True, description="An instant, with its time zone.")]
Priority = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1, description="The higher, the sooner.")]
LimitMs = Annotated[int, Meta(ge=1, le=int(LATEST), description="Milliseconds.")]
QueryMs = Annotated[int, Meta(ge=1, le=int(MAX_QUERY_TIMEOUT), description="How long to wait for the answer.")]
PauseMs = Annotated[int, Meta(ge=0, le=int(LATEST), description="Milliseconds.")]
Retries = Annotated[int, Meta(ge=0, le=MAX_RETRIES)]
WaitSeconds = Annotated[
    float, Meta(ge=0, le=MAX_WAIT_SECONDS, description="How long the answer may wait for the end, in seconds.")
]
Limit = Annotated[int, Meta(ge=1, le=2**31, description=f"Records on a page; more than {MAX_PAGE} means {MAX_PAGE}.")]
Offset = Annotated[int, Meta(ge=0, le=MAX_OFFSET, description="Records to skip; use the cursor to go deeper.")]
After = Annotated[int, Meta(ge=0, le=2**53, description="Only what has a greater number.")]
CursorText = Annotated[str, Meta(max_length=MAX_CURSOR, description="Where the last page ended, as it was given.")]


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A JSON object that a client sends; a field that it does not have is refused."""


class Query(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters of a URL; one that it does not have is refused."""


# Tasks.


class RetryBody(Body, frozen=True):
    """The pauses between the tries of a task, and errors that no retry can mend."""

    initial_interval_ms: PauseMs = 1_000
    backoff: Annotated[float, Meta(ge=1, le=1_000)] = 2.0
    max_interval_ms: PauseMs = 100_000
    jitter: Annotated[float, Meta(ge=0, le=1)] = 0.1
    non_retryable: Annotated[list[Text], Meta(max_length=MAX_ERROR_TYPES)] = msgspec.field(default_factory=list)


class TaskBody(Body, frozen=True):
    """A task to be made."""

    task_type: Name
    input: msgspec.Raw = msgspec.field(default_factory=_null)
    queue: Name = "default"
    max_retries: Retries = 3
    scheduled_at: Moment | None = None
    id: Uuid | None = None
    idempotency_key: Key | None = None
    priority: Priority = 0
    timeout_ms: LimitMs | None = None
    schedule_to_start_timeout_ms: LimitMs | None = None
    schedule_to_close_timeout_ms: LimitMs | None = None
    heartbeat_timeout_ms: LimitMs | None = None
    retry: RetryBody | None = None
    metadata: msgspec.Raw = msgspec.field(default_factory=_null)


class BulkBody(Body, frozen=True):
    """Tasks to be made, all of them or none."""

    tasks: Annotated[list[TaskBody], Meta(min_length=1, max_length=MAX_BULK)]


class ReasonBody(Body, frozen=True):
    """Why something is asked for."""

    reason: Text = ""


class CompleteBody(Body, frozen=True):
    """What a task shall have given."""

    output: msgspec.Raw = msgspec.field(default_factory=_null)


class FailBody(Body, frozen=True):
    """Why a task shall have failed."""

    message: Text = "failed by hand"
    type: Name = "FailedByHand"


class TaskListQuery(Query, frozen=True):
    """Which standalone tasks to list."""

    status: list[TaskStatus] = msgspec.field(default_factory=list)
    queue: Name | None = None
    task_type: Name | None = None
    limit: Limit = DEFAULT_PAGE
    offset: Offset = 0
    cursor: CursorText | None = None


class LinesQuery(Query, frozen=True):
    """Which lines to give."""

    after: After = 0
    limit: Limit = DEFAULT_PAGE


class AfterQuery(Query, frozen=True):
    """Where to begin, if there is no Last-Event-ID."""

    after: After = 0


# Workflows.


class QueryBody(Body, frozen=True):
    """What the code of an execution is asked."""

    input: msgspec.Raw = msgspec.field(default_factory=_null)
    timeout_ms: QueryMs = int(DEFAULT_QUERY_TIMEOUT)


class AnswerQuery(Query, frozen=True):
    """The same, for queries without input."""

    timeout_ms: QueryMs = int(DEFAULT_QUERY_TIMEOUT)


class SignalBody(Body, frozen=True):
    """A value for an execution, under a name; the same request id again has no effect."""

    name: Name
    value: msgspec.Raw = msgspec.field(default_factory=_null)
    request_id: Key = ""


class StartBody(Body, frozen=True):
    """An execution to be started; with `signal`, one that is there already gets the signal as well."""

    kind: Name
    input: msgspec.Raw = msgspec.field(default_factory=_null)
    id: Name | None = None
    queue: Name = "default"
    timeout_ms: LimitMs | None = None
    metadata: msgspec.Raw = msgspec.field(default_factory=_null)
    signal: SignalBody | None = None
    idempotency_key: Key | None = None
    key_ttl_ms: LimitMs | None = None
    reuse_policy: ReusePolicy = ReusePolicy.RETURN_EXISTING
    request_id: Annotated[Key, Meta(description=_REQUEST_ID)] = ""
    wait_seconds: WaitSeconds = 0.0


class RequestedBody(Body, frozen=True):
    """Why something is asked for, and by whom."""

    reason: Text = ""
    requested_by: Key = ""


class ResetBody(RequestedBody, frozen=True, kw_only=True):
    """To which event an execution is sent back, why, and by whom."""

    to_sequence: Annotated[int, Meta(ge=1, description="The last event that stays.")]


class WorkflowListQuery(Query, frozen=True):
    """Which executions to list."""

    status: list[ExecutionStatus] = msgspec.field(default_factory=list)
    kind: Name | None = None
    parent_id: Name | None = None
    text: Annotated[str, Meta(min_length=1, max_length=MAX_KEY, description=_TEXT)] | None = None
    metadata: Annotated[list[str], Meta(max_length=MAX_METADATA, description=_METADATA)] = msgspec.field(
        default_factory=list
    )
    created_from: Moment | None = None
    created_before: Moment | None = None
    limit: Limit = DEFAULT_PAGE
    cursor: CursorText | None = None


class PageQuery(Query, frozen=True):
    """Which page of a list."""

    limit: Limit = DEFAULT_PAGE
    cursor: CursorText | None = None


class ResultQuery(Query, frozen=True):
    """How long to wait for the end."""

    wait_seconds: WaitSeconds = 0.0


# Promises and timers.


class ResolveBody(Body, frozen=True):
    """The value of a promise."""

    value: msgspec.Raw = msgspec.field(default_factory=_null)


class RejectBody(Body, frozen=True):
    """Why a promise is not kept."""

    message: Text = "rejected"
    type: Name = "Rejected"


class TimerListQuery(Query, frozen=True):
    """Which timers to list."""

    workflow_id: Name | None = None
    limit: Limit = DEFAULT_PAGE


class RescheduleBody(Body, frozen=True):
    """When a timer shall fire."""

    fire_at: Moment
