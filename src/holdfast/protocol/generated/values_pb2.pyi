from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ExecutionStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EXECUTION_STATUS_UNSPECIFIED: _ClassVar[ExecutionStatus]
    EXECUTION_STATUS_PENDING: _ClassVar[ExecutionStatus]
    EXECUTION_STATUS_RUNNING: _ClassVar[ExecutionStatus]
    EXECUTION_STATUS_WAITING: _ClassVar[ExecutionStatus]
    EXECUTION_STATUS_COMPLETED: _ClassVar[ExecutionStatus]
    EXECUTION_STATUS_FAILED: _ClassVar[ExecutionStatus]
    EXECUTION_STATUS_CANCELLED: _ClassVar[ExecutionStatus]
    EXECUTION_STATUS_TERMINATED: _ClassVar[ExecutionStatus]

class TaskStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TASK_STATUS_UNSPECIFIED: _ClassVar[TaskStatus]
    TASK_STATUS_PENDING: _ClassVar[TaskStatus]
    TASK_STATUS_RUNNING: _ClassVar[TaskStatus]
    TASK_STATUS_COMPLETED: _ClassVar[TaskStatus]
    TASK_STATUS_FAILED: _ClassVar[TaskStatus]
    TASK_STATUS_TIMED_OUT: _ClassVar[TaskStatus]
    TASK_STATUS_CANCELLED: _ClassVar[TaskStatus]

class AttemptStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ATTEMPT_STATUS_UNSPECIFIED: _ClassVar[AttemptStatus]
    ATTEMPT_STATUS_COMPLETED: _ClassVar[AttemptStatus]
    ATTEMPT_STATUS_FAILED: _ClassVar[AttemptStatus]
    ATTEMPT_STATUS_TIMEOUT: _ClassVar[AttemptStatus]
    ATTEMPT_STATUS_CANCELLED: _ClassVar[AttemptStatus]
    ATTEMPT_STATUS_LOST: _ClassVar[AttemptStatus]

class PromiseStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PROMISE_STATUS_UNSPECIFIED: _ClassVar[PromiseStatus]
    PROMISE_STATUS_PENDING: _ClassVar[PromiseStatus]
    PROMISE_STATUS_RESOLVED: _ClassVar[PromiseStatus]
    PROMISE_STATUS_REJECTED: _ClassVar[PromiseStatus]
    PROMISE_STATUS_TIMED_OUT: _ClassVar[PromiseStatus]
    PROMISE_STATUS_CANCELLED: _ClassVar[PromiseStatus]
EXECUTION_STATUS_UNSPECIFIED: ExecutionStatus
EXECUTION_STATUS_PENDING: ExecutionStatus
EXECUTION_STATUS_RUNNING: ExecutionStatus
EXECUTION_STATUS_WAITING: ExecutionStatus
EXECUTION_STATUS_COMPLETED: ExecutionStatus
EXECUTION_STATUS_FAILED: ExecutionStatus
EXECUTION_STATUS_CANCELLED: ExecutionStatus
EXECUTION_STATUS_TERMINATED: ExecutionStatus
TASK_STATUS_UNSPECIFIED: TaskStatus
TASK_STATUS_PENDING: TaskStatus
TASK_STATUS_RUNNING: TaskStatus
TASK_STATUS_COMPLETED: TaskStatus
TASK_STATUS_FAILED: TaskStatus
TASK_STATUS_TIMED_OUT: TaskStatus
TASK_STATUS_CANCELLED: TaskStatus
ATTEMPT_STATUS_UNSPECIFIED: AttemptStatus
ATTEMPT_STATUS_COMPLETED: AttemptStatus
ATTEMPT_STATUS_FAILED: AttemptStatus
ATTEMPT_STATUS_TIMEOUT: AttemptStatus
ATTEMPT_STATUS_CANCELLED: AttemptStatus
ATTEMPT_STATUS_LOST: AttemptStatus
PROMISE_STATUS_UNSPECIFIED: PromiseStatus
PROMISE_STATUS_PENDING: PromiseStatus
PROMISE_STATUS_RESOLVED: PromiseStatus
PROMISE_STATUS_REJECTED: PromiseStatus
PROMISE_STATUS_TIMED_OUT: PromiseStatus
PROMISE_STATUS_CANCELLED: PromiseStatus

class RetryPolicy(_message.Message):
    __slots__ = ("max_retries", "initial_interval_ms", "backoff", "max_interval_ms", "jitter", "non_retryable")
    MAX_RETRIES_FIELD_NUMBER: _ClassVar[int]
    INITIAL_INTERVAL_MS_FIELD_NUMBER: _ClassVar[int]
    BACKOFF_FIELD_NUMBER: _ClassVar[int]
    MAX_INTERVAL_MS_FIELD_NUMBER: _ClassVar[int]
    JITTER_FIELD_NUMBER: _ClassVar[int]
    NON_RETRYABLE_FIELD_NUMBER: _ClassVar[int]
    max_retries: int
    initial_interval_ms: int
    backoff: float
    max_interval_ms: int
    jitter: float
    non_retryable: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, max_retries: _Optional[int] = ..., initial_interval_ms: _Optional[int] = ..., backoff: _Optional[float] = ..., max_interval_ms: _Optional[int] = ..., jitter: _Optional[float] = ..., non_retryable: _Optional[_Iterable[str]] = ...) -> None: ...

class TaskOptions(_message.Message):
    __slots__ = ("retry", "schedule_to_start_ms", "start_to_close_ms", "schedule_to_close_ms", "heartbeat_ms", "trace", "tries_before")
    RETRY_FIELD_NUMBER: _ClassVar[int]
    SCHEDULE_TO_START_MS_FIELD_NUMBER: _ClassVar[int]
    START_TO_CLOSE_MS_FIELD_NUMBER: _ClassVar[int]
    SCHEDULE_TO_CLOSE_MS_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_MS_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    TRIES_BEFORE_FIELD_NUMBER: _ClassVar[int]
    retry: RetryPolicy
    schedule_to_start_ms: int
    start_to_close_ms: int
    schedule_to_close_ms: int
    heartbeat_ms: int
    trace: str
    tries_before: int
    def __init__(self, retry: _Optional[_Union[RetryPolicy, _Mapping]] = ..., schedule_to_start_ms: _Optional[int] = ..., start_to_close_ms: _Optional[int] = ..., schedule_to_close_ms: _Optional[int] = ..., heartbeat_ms: _Optional[int] = ..., trace: _Optional[str] = ..., tries_before: _Optional[int] = ...) -> None: ...

class Failure(_message.Message):
    __slots__ = ("type", "message", "stack", "retryable", "attempts", "cause")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    STACK_FIELD_NUMBER: _ClassVar[int]
    RETRYABLE_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    type: str
    message: str
    stack: str
    retryable: bool
    attempts: int
    cause: Failure
    def __init__(self, type: _Optional[str] = ..., message: _Optional[str] = ..., stack: _Optional[str] = ..., retryable: _Optional[bool] = ..., attempts: _Optional[int] = ..., cause: _Optional[_Union[Failure, _Mapping]] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("sequence", "time_ms", "type", "data")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TIME_MS_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    time_ms: int
    type: str
    data: bytes
    def __init__(self, sequence: _Optional[int] = ..., time_ms: _Optional[int] = ..., type: _Optional[str] = ..., data: _Optional[bytes] = ...) -> None: ...

class Execution(_message.Message):
    __slots__ = ("id", "kind", "queue", "input", "metadata", "parent_id", "child_name", "created_at_ms", "deadline_at_ms", "status", "last_sequence", "seen_sequence", "open_items", "claim_token", "worker_id", "lease_expires_at_ms", "wake_at_ms", "cancel_requested", "output", "failure", "failure_type", "closed_at_ms")
    ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    PARENT_ID_FIELD_NUMBER: _ClassVar[int]
    CHILD_NAME_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_AT_MS_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    SEEN_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    OPEN_ITEMS_FIELD_NUMBER: _ClassVar[int]
    CLAIM_TOKEN_FIELD_NUMBER: _ClassVar[int]
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    LEASE_EXPIRES_AT_MS_FIELD_NUMBER: _ClassVar[int]
    WAKE_AT_MS_FIELD_NUMBER: _ClassVar[int]
    CANCEL_REQUESTED_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    FAILURE_TYPE_FIELD_NUMBER: _ClassVar[int]
    CLOSED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    id: str
    kind: str
    queue: str
    input: bytes
    metadata: bytes
    parent_id: str
    child_name: str
    created_at_ms: int
    deadline_at_ms: int
    status: ExecutionStatus
    last_sequence: int
    seen_sequence: int
    open_items: int
    claim_token: int
    worker_id: str
    lease_expires_at_ms: int
    wake_at_ms: int
    cancel_requested: bool
    output: bytes
    failure: Failure
    failure_type: str
    closed_at_ms: int
    def __init__(self, id: _Optional[str] = ..., kind: _Optional[str] = ..., queue: _Optional[str] = ..., input: _Optional[bytes] = ..., metadata: _Optional[bytes] = ..., parent_id: _Optional[str] = ..., child_name: _Optional[str] = ..., created_at_ms: _Optional[int] = ..., deadline_at_ms: _Optional[int] = ..., status: _Optional[_Union[ExecutionStatus, str]] = ..., last_sequence: _Optional[int] = ..., seen_sequence: _Optional[int] = ..., open_items: _Optional[int] = ..., claim_token: _Optional[int] = ..., worker_id: _Optional[str] = ..., lease_expires_at_ms: _Optional[int] = ..., wake_at_ms: _Optional[int] = ..., cancel_requested: _Optional[bool] = ..., output: _Optional[bytes] = ..., failure: _Optional[_Union[Failure, _Mapping]] = ..., failure_type: _Optional[str] = ..., closed_at_ms: _Optional[int] = ...) -> None: ...

class Task(_message.Message):
    __slots__ = ("id", "execution_id", "task_type", "queue", "priority", "input", "options", "metadata", "idempotency_key", "created_at_ms", "scheduled_at_ms", "status", "ready", "attempt", "claim_token", "worker_id", "lease_expires_at_ms", "wake_at_ms", "started_at_ms", "heartbeat_at_ms", "details", "progress", "progress_message", "cancel_requested", "output", "failure", "closed_at_ms")
    ID_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    TASK_TYPE_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    SCHEDULED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    READY_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    CLAIM_TOKEN_FIELD_NUMBER: _ClassVar[int]
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    LEASE_EXPIRES_AT_MS_FIELD_NUMBER: _ClassVar[int]
    WAKE_AT_MS_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_AT_MS_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CANCEL_REQUESTED_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    CLOSED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    id: str
    execution_id: str
    task_type: str
    queue: str
    priority: int
    input: bytes
    options: TaskOptions
    metadata: bytes
    idempotency_key: str
    created_at_ms: int
    scheduled_at_ms: int
    status: TaskStatus
    ready: bool
    attempt: int
    claim_token: int
    worker_id: str
    lease_expires_at_ms: int
    wake_at_ms: int
    started_at_ms: int
    heartbeat_at_ms: int
    details: bytes
    progress: float
    progress_message: str
    cancel_requested: bool
    output: bytes
    failure: Failure
    closed_at_ms: int
    def __init__(self, id: _Optional[str] = ..., execution_id: _Optional[str] = ..., task_type: _Optional[str] = ..., queue: _Optional[str] = ..., priority: _Optional[int] = ..., input: _Optional[bytes] = ..., options: _Optional[_Union[TaskOptions, _Mapping]] = ..., metadata: _Optional[bytes] = ..., idempotency_key: _Optional[str] = ..., created_at_ms: _Optional[int] = ..., scheduled_at_ms: _Optional[int] = ..., status: _Optional[_Union[TaskStatus, str]] = ..., ready: _Optional[bool] = ..., attempt: _Optional[int] = ..., claim_token: _Optional[int] = ..., worker_id: _Optional[str] = ..., lease_expires_at_ms: _Optional[int] = ..., wake_at_ms: _Optional[int] = ..., started_at_ms: _Optional[int] = ..., heartbeat_at_ms: _Optional[int] = ..., details: _Optional[bytes] = ..., progress: _Optional[float] = ..., progress_message: _Optional[str] = ..., cancel_requested: _Optional[bool] = ..., output: _Optional[bytes] = ..., failure: _Optional[_Union[Failure, _Mapping]] = ..., closed_at_ms: _Optional[int] = ...) -> None: ...

class Attempt(_message.Message):
    __slots__ = ("task_id", "attempt", "started_at_ms", "finished_at_ms", "status", "worker_id", "output", "failure")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    FINISHED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    attempt: int
    started_at_ms: int
    finished_at_ms: int
    status: AttemptStatus
    worker_id: str
    output: bytes
    failure: Failure
    def __init__(self, task_id: _Optional[str] = ..., attempt: _Optional[int] = ..., started_at_ms: _Optional[int] = ..., finished_at_ms: _Optional[int] = ..., status: _Optional[_Union[AttemptStatus, str]] = ..., worker_id: _Optional[str] = ..., output: _Optional[bytes] = ..., failure: _Optional[_Union[Failure, _Mapping]] = ...) -> None: ...

class Timer(_message.Message):
    __slots__ = ("id", "execution_id", "fire_at_ms", "created_at_ms")
    ID_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    FIRE_AT_MS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    id: str
    execution_id: str
    fire_at_ms: int
    created_at_ms: int
    def __init__(self, id: _Optional[str] = ..., execution_id: _Optional[str] = ..., fire_at_ms: _Optional[int] = ..., created_at_ms: _Optional[int] = ...) -> None: ...

class Promise(_message.Message):
    __slots__ = ("id", "execution_id", "name", "created_at_ms", "status", "wake_at_ms", "closed_at_ms")
    ID_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    WAKE_AT_MS_FIELD_NUMBER: _ClassVar[int]
    CLOSED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    id: str
    execution_id: str
    name: str
    created_at_ms: int
    status: PromiseStatus
    wake_at_ms: int
    closed_at_ms: int
    def __init__(self, id: _Optional[str] = ..., execution_id: _Optional[str] = ..., name: _Optional[str] = ..., created_at_ms: _Optional[int] = ..., status: _Optional[_Union[PromiseStatus, str]] = ..., wake_at_ms: _Optional[int] = ..., closed_at_ms: _Optional[int] = ...) -> None: ...

class TaskLine(_message.Message):
    __slots__ = ("task_id", "attempt", "time_ms", "channel", "level", "body", "number")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    TIME_MS_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    attempt: int
    time_ms: int
    channel: str
    level: str
    body: bytes
    number: int
    def __init__(self, task_id: _Optional[str] = ..., attempt: _Optional[int] = ..., time_ms: _Optional[int] = ..., channel: _Optional[str] = ..., level: _Optional[str] = ..., body: _Optional[bytes] = ..., number: _Optional[int] = ...) -> None: ...

class QueueCount(_message.Message):
    __slots__ = ("queue", "of", "kind", "status", "count", "oldest_ms")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    OF_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    OLDEST_MS_FIELD_NUMBER: _ClassVar[int]
    queue: str
    of: str
    kind: str
    status: str
    count: int
    oldest_ms: int
    def __init__(self, queue: _Optional[str] = ..., of: _Optional[str] = ..., kind: _Optional[str] = ..., status: _Optional[str] = ..., count: _Optional[int] = ..., oldest_ms: _Optional[int] = ...) -> None: ...

class Cursor(_message.Message):
    __slots__ = ("created_at_ms", "id")
    CREATED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    created_at_ms: int
    id: str
    def __init__(self, created_at_ms: _Optional[int] = ..., id: _Optional[str] = ...) -> None: ...

class Error(_message.Message):
    __slots__ = ("code", "message", "fields")
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    code: str
    message: str
    fields: bytes
    def __init__(self, code: _Optional[str] = ..., message: _Optional[str] = ..., fields: _Optional[bytes] = ...) -> None: ...

class Done(_message.Message):
    __slots__ = ("changed",)
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    changed: bool
    def __init__(self, changed: _Optional[bool] = ...) -> None: ...
