from holdfast.protocol.generated import flows_pb2 as _flows_pb2
from holdfast.protocol.generated import schedules_pb2 as _schedules_pb2
from holdfast.protocol.generated import values_pb2 as _values_pb2
from holdfast.protocol.generated import worker_pb2 as _worker_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ReusePolicy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REUSE_POLICY_UNSPECIFIED: _ClassVar[ReusePolicy]
    REUSE_POLICY_RETURN_EXISTING: _ClassVar[ReusePolicy]
    REUSE_POLICY_REJECT: _ClassVar[ReusePolicy]
    REUSE_POLICY_TERMINATE_AND_START: _ClassVar[ReusePolicy]
    REUSE_POLICY_ALLOW_AFTER_CLOSE: _ClassVar[ReusePolicy]
    REUSE_POLICY_ALLOW_AFTER_FAILURE: _ClassVar[ReusePolicy]
REUSE_POLICY_UNSPECIFIED: ReusePolicy
REUSE_POLICY_RETURN_EXISTING: ReusePolicy
REUSE_POLICY_REJECT: ReusePolicy
REUSE_POLICY_TERMINATE_AND_START: ReusePolicy
REUSE_POLICY_ALLOW_AFTER_CLOSE: ReusePolicy
REUSE_POLICY_ALLOW_AFTER_FAILURE: ReusePolicy

class StartWorkflowRequest(_message.Message):
    __slots__ = ("execution_id", "kind", "input", "queue", "metadata", "timeout_ms", "signal", "idempotency_key", "key_ttl_ms", "reuse_policy", "trace", "request_id")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    SIGNAL_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    KEY_TTL_MS_FIELD_NUMBER: _ClassVar[int]
    REUSE_POLICY_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    kind: str
    input: bytes
    queue: str
    metadata: bytes
    timeout_ms: int
    signal: SignalWorkflowRequest
    idempotency_key: str
    key_ttl_ms: int
    reuse_policy: ReusePolicy
    trace: str
    request_id: str
    def __init__(self, execution_id: _Optional[str] = ..., kind: _Optional[str] = ..., input: _Optional[bytes] = ..., queue: _Optional[str] = ..., metadata: _Optional[bytes] = ..., timeout_ms: _Optional[int] = ..., signal: _Optional[_Union[SignalWorkflowRequest, _Mapping]] = ..., idempotency_key: _Optional[str] = ..., key_ttl_ms: _Optional[int] = ..., reuse_policy: _Optional[_Union[ReusePolicy, str]] = ..., trace: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class RunWorkflowRequest(_message.Message):
    __slots__ = ("start", "wait_ms")
    START_FIELD_NUMBER: _ClassVar[int]
    WAIT_MS_FIELD_NUMBER: _ClassVar[int]
    start: StartWorkflowRequest
    wait_ms: int
    def __init__(self, start: _Optional[_Union[StartWorkflowRequest, _Mapping]] = ..., wait_ms: _Optional[int] = ...) -> None: ...

class RunWorkflowResponse(_message.Message):
    __slots__ = ("started", "execution")
    STARTED_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_FIELD_NUMBER: _ClassVar[int]
    started: StartWorkflowResponse
    execution: _values_pb2.Execution
    def __init__(self, started: _Optional[_Union[StartWorkflowResponse, _Mapping]] = ..., execution: _Optional[_Union[_values_pb2.Execution, _Mapping]] = ...) -> None: ...

class StartWorkflowResponse(_message.Message):
    __slots__ = ("execution_id", "created", "status")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    created: bool
    status: _values_pb2.ExecutionStatus
    def __init__(self, execution_id: _Optional[str] = ..., created: _Optional[bool] = ..., status: _Optional[_Union[_values_pb2.ExecutionStatus, str]] = ...) -> None: ...

class SignalWorkflowRequest(_message.Message):
    __slots__ = ("execution_id", "name", "value", "request_id")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    name: str
    value: bytes
    request_id: str
    def __init__(self, execution_id: _Optional[str] = ..., name: _Optional[str] = ..., value: _Optional[bytes] = ..., request_id: _Optional[str] = ...) -> None: ...

class CancelWorkflowRequest(_message.Message):
    __slots__ = ("execution_id", "reason", "requested_by")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_BY_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    reason: str
    requested_by: str
    def __init__(self, execution_id: _Optional[str] = ..., reason: _Optional[str] = ..., requested_by: _Optional[str] = ...) -> None: ...

class TerminateWorkflowRequest(_message.Message):
    __slots__ = ("execution_id", "reason")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    reason: str
    def __init__(self, execution_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class RetryWorkflowRequest(_message.Message):
    __slots__ = ("execution_id", "reason", "requested_by")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_BY_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    reason: str
    requested_by: str
    def __init__(self, execution_id: _Optional[str] = ..., reason: _Optional[str] = ..., requested_by: _Optional[str] = ...) -> None: ...

class ResetWorkflowRequest(_message.Message):
    __slots__ = ("execution_id", "to_sequence", "reason", "requested_by")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    TO_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_BY_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    to_sequence: int
    reason: str
    requested_by: str
    def __init__(self, execution_id: _Optional[str] = ..., to_sequence: _Optional[int] = ..., reason: _Optional[str] = ..., requested_by: _Optional[str] = ...) -> None: ...

class DescribeWorkflowRequest(_message.Message):
    __slots__ = ("execution_id",)
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    def __init__(self, execution_id: _Optional[str] = ...) -> None: ...

class GetWorkflowsRequest(_message.Message):
    __slots__ = ("execution_ids",)
    EXECUTION_IDS_FIELD_NUMBER: _ClassVar[int]
    execution_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, execution_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class GetWorkflowsResponse(_message.Message):
    __slots__ = ("executions",)
    EXECUTIONS_FIELD_NUMBER: _ClassVar[int]
    executions: _containers.RepeatedCompositeFieldContainer[_values_pb2.Execution]
    def __init__(self, executions: _Optional[_Iterable[_Union[_values_pb2.Execution, _Mapping]]] = ...) -> None: ...

class ListWorkflowsRequest(_message.Message):
    __slots__ = ("kind", "statuses", "parent_id", "created_from_ms", "created_before_ms", "after", "limit")
    KIND_FIELD_NUMBER: _ClassVar[int]
    STATUSES_FIELD_NUMBER: _ClassVar[int]
    PARENT_ID_FIELD_NUMBER: _ClassVar[int]
    CREATED_FROM_MS_FIELD_NUMBER: _ClassVar[int]
    CREATED_BEFORE_MS_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    kind: str
    statuses: _containers.RepeatedScalarFieldContainer[_values_pb2.ExecutionStatus]
    parent_id: str
    created_from_ms: int
    created_before_ms: int
    after: _values_pb2.Cursor
    limit: int
    def __init__(self, kind: _Optional[str] = ..., statuses: _Optional[_Iterable[_Union[_values_pb2.ExecutionStatus, str]]] = ..., parent_id: _Optional[str] = ..., created_from_ms: _Optional[int] = ..., created_before_ms: _Optional[int] = ..., after: _Optional[_Union[_values_pb2.Cursor, _Mapping]] = ..., limit: _Optional[int] = ...) -> None: ...

class ListWorkflowsResponse(_message.Message):
    __slots__ = ("executions", "next")
    EXECUTIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    executions: _containers.RepeatedCompositeFieldContainer[_values_pb2.Execution]
    next: _values_pb2.Cursor
    def __init__(self, executions: _Optional[_Iterable[_Union[_values_pb2.Execution, _Mapping]]] = ..., next: _Optional[_Union[_values_pb2.Cursor, _Mapping]] = ...) -> None: ...

class GetStateRequest(_message.Message):
    __slots__ = ("execution_id",)
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    def __init__(self, execution_id: _Optional[str] = ...) -> None: ...

class GetStateResponse(_message.Message):
    __slots__ = ("entries",)
    class EntriesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: bytes
        def __init__(self, key: _Optional[str] = ..., value: _Optional[bytes] = ...) -> None: ...
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.ScalarMap[str, bytes]
    def __init__(self, entries: _Optional[_Mapping[str, bytes]] = ...) -> None: ...

class QueryWorkflowRequest(_message.Message):
    __slots__ = ("execution_id", "name", "input", "timeout_ms")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    name: str
    input: bytes
    timeout_ms: int
    def __init__(self, execution_id: _Optional[str] = ..., name: _Optional[str] = ..., input: _Optional[bytes] = ..., timeout_ms: _Optional[int] = ...) -> None: ...

class QueryWorkflowResponse(_message.Message):
    __slots__ = ("output",)
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    output: bytes
    def __init__(self, output: _Optional[bytes] = ...) -> None: ...

class GetResultRequest(_message.Message):
    __slots__ = ("execution_id", "wait_ms")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_MS_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    wait_ms: int
    def __init__(self, execution_id: _Optional[str] = ..., wait_ms: _Optional[int] = ...) -> None: ...

class GetResultResponse(_message.Message):
    __slots__ = ("execution",)
    EXECUTION_FIELD_NUMBER: _ClassVar[int]
    execution: _values_pb2.Execution
    def __init__(self, execution: _Optional[_Union[_values_pb2.Execution, _Mapping]] = ...) -> None: ...

class SettlePromiseRequest(_message.Message):
    __slots__ = ("promise_id", "execution_id", "name", "value", "failure")
    PROMISE_ID_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    promise_id: str
    execution_id: str
    name: str
    value: bytes
    failure: _values_pb2.Failure
    def __init__(self, promise_id: _Optional[str] = ..., execution_id: _Optional[str] = ..., name: _Optional[str] = ..., value: _Optional[bytes] = ..., failure: _Optional[_Union[_values_pb2.Failure, _Mapping]] = ...) -> None: ...

class ListPromisesRequest(_message.Message):
    __slots__ = ("execution_id",)
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    def __init__(self, execution_id: _Optional[str] = ...) -> None: ...

class ListPromisesResponse(_message.Message):
    __slots__ = ("promises",)
    PROMISES_FIELD_NUMBER: _ClassVar[int]
    promises: _containers.RepeatedCompositeFieldContainer[_values_pb2.Promise]
    def __init__(self, promises: _Optional[_Iterable[_Union[_values_pb2.Promise, _Mapping]]] = ...) -> None: ...

class ListTimersRequest(_message.Message):
    __slots__ = ("execution_id", "limit")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    limit: int
    def __init__(self, execution_id: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class ListTimersResponse(_message.Message):
    __slots__ = ("timers", "total")
    TIMERS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    timers: _containers.RepeatedCompositeFieldContainer[_values_pb2.Timer]
    total: int
    def __init__(self, timers: _Optional[_Iterable[_Union[_values_pb2.Timer, _Mapping]]] = ..., total: _Optional[int] = ...) -> None: ...

class CancelTimerRequest(_message.Message):
    __slots__ = ("timer_id",)
    TIMER_ID_FIELD_NUMBER: _ClassVar[int]
    timer_id: str
    def __init__(self, timer_id: _Optional[str] = ...) -> None: ...

class MoveTimerRequest(_message.Message):
    __slots__ = ("timer_id", "fire_at_ms")
    TIMER_ID_FIELD_NUMBER: _ClassVar[int]
    FIRE_AT_MS_FIELD_NUMBER: _ClassVar[int]
    timer_id: str
    fire_at_ms: int
    def __init__(self, timer_id: _Optional[str] = ..., fire_at_ms: _Optional[int] = ...) -> None: ...

class NewTask(_message.Message):
    __slots__ = ("id", "task_type", "input", "queue", "options", "priority", "scheduled_at_ms", "metadata", "idempotency_key")
    ID_FIELD_NUMBER: _ClassVar[int]
    TASK_TYPE_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    SCHEDULED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    id: str
    task_type: str
    input: bytes
    queue: str
    options: _values_pb2.TaskOptions
    priority: int
    scheduled_at_ms: int
    metadata: bytes
    idempotency_key: str
    def __init__(self, id: _Optional[str] = ..., task_type: _Optional[str] = ..., input: _Optional[bytes] = ..., queue: _Optional[str] = ..., options: _Optional[_Union[_values_pb2.TaskOptions, _Mapping]] = ..., priority: _Optional[int] = ..., scheduled_at_ms: _Optional[int] = ..., metadata: _Optional[bytes] = ..., idempotency_key: _Optional[str] = ...) -> None: ...

class SubmitTasksRequest(_message.Message):
    __slots__ = ("tasks",)
    TASKS_FIELD_NUMBER: _ClassVar[int]
    tasks: _containers.RepeatedCompositeFieldContainer[NewTask]
    def __init__(self, tasks: _Optional[_Iterable[_Union[NewTask, _Mapping]]] = ...) -> None: ...

class SubmittedTask(_message.Message):
    __slots__ = ("id", "created", "status")
    ID_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    id: str
    created: bool
    status: _values_pb2.TaskStatus
    def __init__(self, id: _Optional[str] = ..., created: _Optional[bool] = ..., status: _Optional[_Union[_values_pb2.TaskStatus, str]] = ...) -> None: ...

class SubmitTasksResponse(_message.Message):
    __slots__ = ("tasks",)
    TASKS_FIELD_NUMBER: _ClassVar[int]
    tasks: _containers.RepeatedCompositeFieldContainer[SubmittedTask]
    def __init__(self, tasks: _Optional[_Iterable[_Union[SubmittedTask, _Mapping]]] = ...) -> None: ...

class CancelTaskRequest(_message.Message):
    __slots__ = ("task_id", "reason", "only_pending")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ONLY_PENDING_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    reason: str
    only_pending: bool
    def __init__(self, task_id: _Optional[str] = ..., reason: _Optional[str] = ..., only_pending: _Optional[bool] = ...) -> None: ...

class RetryTaskRequest(_message.Message):
    __slots__ = ("task_id",)
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    def __init__(self, task_id: _Optional[str] = ...) -> None: ...

class DescribeTaskRequest(_message.Message):
    __slots__ = ("task_id",)
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    def __init__(self, task_id: _Optional[str] = ...) -> None: ...

class GetTasksRequest(_message.Message):
    __slots__ = ("task_ids",)
    TASK_IDS_FIELD_NUMBER: _ClassVar[int]
    task_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, task_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class GetTasksResponse(_message.Message):
    __slots__ = ("tasks",)
    TASKS_FIELD_NUMBER: _ClassVar[int]
    tasks: _containers.RepeatedCompositeFieldContainer[_values_pb2.Task]
    def __init__(self, tasks: _Optional[_Iterable[_Union[_values_pb2.Task, _Mapping]]] = ...) -> None: ...

class ListTasksRequest(_message.Message):
    __slots__ = ("execution_id", "task_type", "queue", "statuses", "after", "limit", "offset")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    TASK_TYPE_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    STATUSES_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    task_type: str
    queue: str
    statuses: _containers.RepeatedScalarFieldContainer[_values_pb2.TaskStatus]
    after: _values_pb2.Cursor
    limit: int
    offset: int
    def __init__(self, execution_id: _Optional[str] = ..., task_type: _Optional[str] = ..., queue: _Optional[str] = ..., statuses: _Optional[_Iterable[_Union[_values_pb2.TaskStatus, str]]] = ..., after: _Optional[_Union[_values_pb2.Cursor, _Mapping]] = ..., limit: _Optional[int] = ..., offset: _Optional[int] = ...) -> None: ...

class ListTasksResponse(_message.Message):
    __slots__ = ("tasks", "next")
    TASKS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    tasks: _containers.RepeatedCompositeFieldContainer[_values_pb2.Task]
    next: _values_pb2.Cursor
    def __init__(self, tasks: _Optional[_Iterable[_Union[_values_pb2.Task, _Mapping]]] = ..., next: _Optional[_Union[_values_pb2.Cursor, _Mapping]] = ...) -> None: ...

class CountTasksRequest(_message.Message):
    __slots__ = ("execution_id", "task_type", "queue", "statuses")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    TASK_TYPE_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    STATUSES_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    task_type: str
    queue: str
    statuses: _containers.RepeatedScalarFieldContainer[_values_pb2.TaskStatus]
    def __init__(self, execution_id: _Optional[str] = ..., task_type: _Optional[str] = ..., queue: _Optional[str] = ..., statuses: _Optional[_Iterable[_Union[_values_pb2.TaskStatus, str]]] = ...) -> None: ...

class CountTasksResponse(_message.Message):
    __slots__ = ("count",)
    COUNT_FIELD_NUMBER: _ClassVar[int]
    count: int
    def __init__(self, count: _Optional[int] = ...) -> None: ...

class ListAttemptsRequest(_message.Message):
    __slots__ = ("task_id",)
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    def __init__(self, task_id: _Optional[str] = ...) -> None: ...

class ListAttemptsResponse(_message.Message):
    __slots__ = ("attempts",)
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    attempts: _containers.RepeatedCompositeFieldContainer[_values_pb2.Attempt]
    def __init__(self, attempts: _Optional[_Iterable[_Union[_values_pb2.Attempt, _Mapping]]] = ...) -> None: ...

class ListTaskLinesRequest(_message.Message):
    __slots__ = ("task_id", "after", "limit")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    after: int
    limit: int
    def __init__(self, task_id: _Optional[str] = ..., after: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class ListTaskLinesResponse(_message.Message):
    __slots__ = ("lines",)
    LINES_FIELD_NUMBER: _ClassVar[int]
    lines: _containers.RepeatedCompositeFieldContainer[_values_pb2.TaskLine]
    def __init__(self, lines: _Optional[_Iterable[_Union[_values_pb2.TaskLine, _Mapping]]] = ...) -> None: ...

class GetTaskResultRequest(_message.Message):
    __slots__ = ("task_id", "wait_ms")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_MS_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    wait_ms: int
    def __init__(self, task_id: _Optional[str] = ..., wait_ms: _Optional[int] = ...) -> None: ...

class GetTaskResultResponse(_message.Message):
    __slots__ = ("task",)
    TASK_FIELD_NUMBER: _ClassVar[int]
    task: _values_pb2.Task
    def __init__(self, task: _Optional[_Union[_values_pb2.Task, _Mapping]] = ...) -> None: ...

class CountQueuesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CountQueuesResponse(_message.Message):
    __slots__ = ("counts",)
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    counts: _containers.RepeatedCompositeFieldContainer[_values_pb2.QueueCount]
    def __init__(self, counts: _Optional[_Iterable[_Union[_values_pb2.QueueCount, _Mapping]]] = ...) -> None: ...

class ListWorkersRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListWorkersResponse(_message.Message):
    __slots__ = ("workers",)
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    workers: _containers.RepeatedCompositeFieldContainer[Worker]
    def __init__(self, workers: _Optional[_Iterable[_Union[Worker, _Mapping]]] = ...) -> None: ...

class Worker(_message.Message):
    __slots__ = ("id", "client", "queues", "workflows", "tasks", "registered_at_ms", "heard_at_ms", "draining", "work")
    ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    QUEUES_FIELD_NUMBER: _ClassVar[int]
    WORKFLOWS_FIELD_NUMBER: _ClassVar[int]
    TASKS_FIELD_NUMBER: _ClassVar[int]
    REGISTERED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    HEARD_AT_MS_FIELD_NUMBER: _ClassVar[int]
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    WORK_FIELD_NUMBER: _ClassVar[int]
    id: str
    client: str
    queues: _containers.RepeatedScalarFieldContainer[str]
    workflows: _containers.RepeatedCompositeFieldContainer[_worker_pb2.Capability]
    tasks: _containers.RepeatedCompositeFieldContainer[_worker_pb2.Capability]
    registered_at_ms: int
    heard_at_ms: int
    draining: bool
    work: _containers.RepeatedCompositeFieldContainer[HeldWork]
    def __init__(self, id: _Optional[str] = ..., client: _Optional[str] = ..., queues: _Optional[_Iterable[str]] = ..., workflows: _Optional[_Iterable[_Union[_worker_pb2.Capability, _Mapping]]] = ..., tasks: _Optional[_Iterable[_Union[_worker_pb2.Capability, _Mapping]]] = ..., registered_at_ms: _Optional[int] = ..., heard_at_ms: _Optional[int] = ..., draining: _Optional[bool] = ..., work: _Optional[_Iterable[_Union[HeldWork, _Mapping]]] = ...) -> None: ...

class HeldWork(_message.Message):
    __slots__ = ("worker_id", "of", "id", "kind", "execution_id", "since_ms", "progress")
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    OF_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    SINCE_MS_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    worker_id: str
    of: str
    id: str
    kind: str
    execution_id: str
    since_ms: int
    progress: float
    def __init__(self, worker_id: _Optional[str] = ..., of: _Optional[str] = ..., id: _Optional[str] = ..., kind: _Optional[str] = ..., execution_id: _Optional[str] = ..., since_ms: _Optional[int] = ..., progress: _Optional[float] = ...) -> None: ...

class DrainWorkerRequest(_message.Message):
    __slots__ = ("worker_id",)
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    worker_id: str
    def __init__(self, worker_id: _Optional[str] = ...) -> None: ...

class SettleTaskRequest(_message.Message):
    __slots__ = ("task_id", "output", "failure")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    output: bytes
    failure: _values_pb2.Failure
    def __init__(self, task_id: _Optional[str] = ..., output: _Optional[bytes] = ..., failure: _Optional[_Union[_values_pb2.Failure, _Mapping]] = ...) -> None: ...

class PauseQueueRequest(_message.Message):
    __slots__ = ("queue", "reason", "requested_by")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_BY_FIELD_NUMBER: _ClassVar[int]
    queue: str
    reason: str
    requested_by: str
    def __init__(self, queue: _Optional[str] = ..., reason: _Optional[str] = ..., requested_by: _Optional[str] = ...) -> None: ...

class ResumeQueueRequest(_message.Message):
    __slots__ = ("queue", "requested_by")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_BY_FIELD_NUMBER: _ClassVar[int]
    queue: str
    requested_by: str
    def __init__(self, queue: _Optional[str] = ..., requested_by: _Optional[str] = ...) -> None: ...
