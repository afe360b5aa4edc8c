from holdfast.protocol.generated import values_pb2 as _values_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ActivationStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ACTIVATION_STATUS_UNSPECIFIED: _ClassVar[ActivationStatus]
    ACTIVATION_STATUS_SUSPENDED: _ClassVar[ActivationStatus]
    ACTIVATION_STATUS_CONTINUING: _ClassVar[ActivationStatus]
    ACTIVATION_STATUS_COMPLETED: _ClassVar[ActivationStatus]
    ACTIVATION_STATUS_FAILED: _ClassVar[ActivationStatus]
    ACTIVATION_STATUS_CANCELLED: _ClassVar[ActivationStatus]
ACTIVATION_STATUS_UNSPECIFIED: ActivationStatus
ACTIVATION_STATUS_SUSPENDED: ActivationStatus
ACTIVATION_STATUS_CONTINUING: ActivationStatus
ACTIVATION_STATUS_COMPLETED: ActivationStatus
ACTIVATION_STATUS_FAILED: ActivationStatus
ACTIVATION_STATUS_CANCELLED: ActivationStatus

class Capability(_message.Message):
    __slots__ = ("name", "version", "input_schema", "output_schema")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    input_schema: bytes
    output_schema: bytes
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., input_schema: _Optional[bytes] = ..., output_schema: _Optional[bytes] = ...) -> None: ...

class RegisterRequest(_message.Message):
    __slots__ = ("worker_id", "queues", "workflows", "tasks", "client")
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    QUEUES_FIELD_NUMBER: _ClassVar[int]
    WORKFLOWS_FIELD_NUMBER: _ClassVar[int]
    TASKS_FIELD_NUMBER: _ClassVar[int]
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    worker_id: str
    queues: _containers.RepeatedScalarFieldContainer[str]
    workflows: _containers.RepeatedCompositeFieldContainer[Capability]
    tasks: _containers.RepeatedCompositeFieldContainer[Capability]
    client: str
    def __init__(self, worker_id: _Optional[str] = ..., queues: _Optional[_Iterable[str]] = ..., workflows: _Optional[_Iterable[_Union[Capability, _Mapping]]] = ..., tasks: _Optional[_Iterable[_Union[Capability, _Mapping]]] = ..., client: _Optional[str] = ...) -> None: ...

class RegisterResponse(_message.Message):
    __slots__ = ("lease_ms", "heartbeat_interval_ms", "max_message_bytes")
    LEASE_MS_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_INTERVAL_MS_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    lease_ms: int
    heartbeat_interval_ms: int
    max_message_bytes: int
    def __init__(self, lease_ms: _Optional[int] = ..., heartbeat_interval_ms: _Optional[int] = ..., max_message_bytes: _Optional[int] = ...) -> None: ...

class HeartbeatWorkerRequest(_message.Message):
    __slots__ = ("worker_id", "draining")
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    worker_id: str
    draining: bool
    def __init__(self, worker_id: _Optional[str] = ..., draining: _Optional[bool] = ...) -> None: ...

class HeartbeatWorkerResponse(_message.Message):
    __slots__ = ("drain", "unknown")
    DRAIN_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_FIELD_NUMBER: _ClassVar[int]
    drain: bool
    unknown: bool
    def __init__(self, drain: _Optional[bool] = ..., unknown: _Optional[bool] = ...) -> None: ...

class PollWorkflowRequest(_message.Message):
    __slots__ = ("worker_id", "kinds", "queue", "max_items", "wait_ms")
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    MAX_ITEMS_FIELD_NUMBER: _ClassVar[int]
    WAIT_MS_FIELD_NUMBER: _ClassVar[int]
    worker_id: str
    kinds: _containers.RepeatedScalarFieldContainer[str]
    queue: str
    max_items: int
    wait_ms: int
    def __init__(self, worker_id: _Optional[str] = ..., kinds: _Optional[_Iterable[str]] = ..., queue: _Optional[str] = ..., max_items: _Optional[int] = ..., wait_ms: _Optional[int] = ...) -> None: ...

class PollWorkflowResponse(_message.Message):
    __slots__ = ("executions",)
    EXECUTIONS_FIELD_NUMBER: _ClassVar[int]
    executions: _containers.RepeatedCompositeFieldContainer[WorkflowClaim]
    def __init__(self, executions: _Optional[_Iterable[_Union[WorkflowClaim, _Mapping]]] = ...) -> None: ...

class WorkflowClaim(_message.Message):
    __slots__ = ("execution_id", "kind", "queue", "token", "seen_sequence", "last_sequence", "events", "parent_id")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    SEEN_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    PARENT_ID_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    kind: str
    queue: str
    token: int
    seen_sequence: int
    last_sequence: int
    events: _containers.RepeatedCompositeFieldContainer[_values_pb2.Event]
    parent_id: str
    def __init__(self, execution_id: _Optional[str] = ..., kind: _Optional[str] = ..., queue: _Optional[str] = ..., token: _Optional[int] = ..., seen_sequence: _Optional[int] = ..., last_sequence: _Optional[int] = ..., events: _Optional[_Iterable[_Union[_values_pb2.Event, _Mapping]]] = ..., parent_id: _Optional[str] = ...) -> None: ...

class PollTaskRequest(_message.Message):
    __slots__ = ("worker_id", "task_types", "queue", "max_items", "wait_ms")
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    TASK_TYPES_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    MAX_ITEMS_FIELD_NUMBER: _ClassVar[int]
    WAIT_MS_FIELD_NUMBER: _ClassVar[int]
    worker_id: str
    task_types: _containers.RepeatedScalarFieldContainer[str]
    queue: str
    max_items: int
    wait_ms: int
    def __init__(self, worker_id: _Optional[str] = ..., task_types: _Optional[_Iterable[str]] = ..., queue: _Optional[str] = ..., max_items: _Optional[int] = ..., wait_ms: _Optional[int] = ...) -> None: ...

class PollTaskResponse(_message.Message):
    __slots__ = ("tasks",)
    TASKS_FIELD_NUMBER: _ClassVar[int]
    tasks: _containers.RepeatedCompositeFieldContainer[TaskClaim]
    def __init__(self, tasks: _Optional[_Iterable[_Union[TaskClaim, _Mapping]]] = ...) -> None: ...

class TaskClaim(_message.Message):
    __slots__ = ("task_id", "execution_id", "task_type", "queue", "token", "attempt", "input", "options", "details", "created_at_ms", "started_at_ms")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    TASK_TYPE_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    execution_id: str
    task_type: str
    queue: str
    token: int
    attempt: int
    input: bytes
    options: _values_pb2.TaskOptions
    details: bytes
    created_at_ms: int
    started_at_ms: int
    def __init__(self, task_id: _Optional[str] = ..., execution_id: _Optional[str] = ..., task_type: _Optional[str] = ..., queue: _Optional[str] = ..., token: _Optional[int] = ..., attempt: _Optional[int] = ..., input: _Optional[bytes] = ..., options: _Optional[_Union[_values_pb2.TaskOptions, _Mapping]] = ..., details: _Optional[bytes] = ..., created_at_ms: _Optional[int] = ..., started_at_ms: _Optional[int] = ...) -> None: ...

class SubmitWorkflowCommandsRequest(_message.Message):
    __slots__ = ("execution_id", "token", "last_sequence", "commands", "status")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    COMMANDS_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    token: int
    last_sequence: int
    commands: _containers.RepeatedCompositeFieldContainer[Command]
    status: ActivationStatus
    def __init__(self, execution_id: _Optional[str] = ..., token: _Optional[int] = ..., last_sequence: _Optional[int] = ..., commands: _Optional[_Iterable[_Union[Command, _Mapping]]] = ..., status: _Optional[_Union[ActivationStatus, str]] = ...) -> None: ...

class SubmitWorkflowCommandsResponse(_message.Message):
    __slots__ = ("last_sequence", "seen_sequence", "closed")
    LAST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    SEEN_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    CLOSED_FIELD_NUMBER: _ClassVar[int]
    last_sequence: int
    seen_sequence: int
    closed: bool
    def __init__(self, last_sequence: _Optional[int] = ..., seen_sequence: _Optional[int] = ..., closed: _Optional[bool] = ...) -> None: ...

class Command(_message.Message):
    __slots__ = ("schedule_task", "start_child_workflow", "start_timer", "create_promise", "record_operation", "set_state", "clear_state", "cancel_timer", "resolve_promise", "cancel_task", "cancel_child_workflow", "mark_patch", "complete_workflow", "fail_workflow", "cancel_workflow")
    SCHEDULE_TASK_FIELD_NUMBER: _ClassVar[int]
    START_CHILD_WORKFLOW_FIELD_NUMBER: _ClassVar[int]
    START_TIMER_FIELD_NUMBER: _ClassVar[int]
    CREATE_PROMISE_FIELD_NUMBER: _ClassVar[int]
    RECORD_OPERATION_FIELD_NUMBER: _ClassVar[int]
    SET_STATE_FIELD_NUMBER: _ClassVar[int]
    CLEAR_STATE_FIELD_NUMBER: _ClassVar[int]
    CANCEL_TIMER_FIELD_NUMBER: _ClassVar[int]
    RESOLVE_PROMISE_FIELD_NUMBER: _ClassVar[int]
    CANCEL_TASK_FIELD_NUMBER: _ClassVar[int]
    CANCEL_CHILD_WORKFLOW_FIELD_NUMBER: _ClassVar[int]
    MARK_PATCH_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_WORKFLOW_FIELD_NUMBER: _ClassVar[int]
    FAIL_WORKFLOW_FIELD_NUMBER: _ClassVar[int]
    CANCEL_WORKFLOW_FIELD_NUMBER: _ClassVar[int]
    schedule_task: ScheduleTaskCommand
    start_child_workflow: StartChildWorkflowCommand
    start_timer: StartTimerCommand
    create_promise: CreatePromiseCommand
    record_operation: RecordOperationCommand
    set_state: SetStateCommand
    clear_state: ClearStateCommand
    cancel_timer: CancelTimerCommand
    resolve_promise: ResolvePromiseCommand
    cancel_task: CancelTaskCommand
    cancel_child_workflow: CancelChildWorkflowCommand
    mark_patch: MarkPatchCommand
    complete_workflow: CompleteWorkflowCommand
    fail_workflow: FailWorkflowCommand
    cancel_workflow: CancelWorkflowCommand
    def __init__(self, schedule_task: _Optional[_Union[ScheduleTaskCommand, _Mapping]] = ..., start_child_workflow: _Optional[_Union[StartChildWorkflowCommand, _Mapping]] = ..., start_timer: _Optional[_Union[StartTimerCommand, _Mapping]] = ..., create_promise: _Optional[_Union[CreatePromiseCommand, _Mapping]] = ..., record_operation: _Optional[_Union[RecordOperationCommand, _Mapping]] = ..., set_state: _Optional[_Union[SetStateCommand, _Mapping]] = ..., clear_state: _Optional[_Union[ClearStateCommand, _Mapping]] = ..., cancel_timer: _Optional[_Union[CancelTimerCommand, _Mapping]] = ..., resolve_promise: _Optional[_Union[ResolvePromiseCommand, _Mapping]] = ..., cancel_task: _Optional[_Union[CancelTaskCommand, _Mapping]] = ..., cancel_child_workflow: _Optional[_Union[CancelChildWorkflowCommand, _Mapping]] = ..., mark_patch: _Optional[_Union[MarkPatchCommand, _Mapping]] = ..., complete_workflow: _Optional[_Union[CompleteWorkflowCommand, _Mapping]] = ..., fail_workflow: _Optional[_Union[FailWorkflowCommand, _Mapping]] = ..., cancel_workflow: _Optional[_Union[CancelWorkflowCommand, _Mapping]] = ...) -> None: ...

class ScheduleTaskCommand(_message.Message):
    __slots__ = ("task_type", "input", "task_execution_id", "max_retries", "timeout_ms", "queue", "priority_seconds", "options", "delay_ms", "idempotency_key")
    TASK_TYPE_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    TASK_EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_RETRIES_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_SECONDS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    DELAY_MS_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    task_type: str
    input: bytes
    task_execution_id: str
    max_retries: int
    timeout_ms: int
    queue: str
    priority_seconds: int
    options: _values_pb2.TaskOptions
    delay_ms: int
    idempotency_key: str
    def __init__(self, task_type: _Optional[str] = ..., input: _Optional[bytes] = ..., task_execution_id: _Optional[str] = ..., max_retries: _Optional[int] = ..., timeout_ms: _Optional[int] = ..., queue: _Optional[str] = ..., priority_seconds: _Optional[int] = ..., options: _Optional[_Union[_values_pb2.TaskOptions, _Mapping]] = ..., delay_ms: _Optional[int] = ..., idempotency_key: _Optional[str] = ...) -> None: ...

class StartChildWorkflowCommand(_message.Message):
    __slots__ = ("child_execution_id", "name", "kind", "input", "queue", "timeout_ms", "trace")
    CHILD_EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    TRACE_FIELD_NUMBER: _ClassVar[int]
    child_execution_id: str
    name: str
    kind: str
    input: bytes
    queue: str
    timeout_ms: int
    trace: str
    def __init__(self, child_execution_id: _Optional[str] = ..., name: _Optional[str] = ..., kind: _Optional[str] = ..., input: _Optional[bytes] = ..., queue: _Optional[str] = ..., timeout_ms: _Optional[int] = ..., trace: _Optional[str] = ...) -> None: ...

class StartTimerCommand(_message.Message):
    __slots__ = ("timer_id", "duration_ms", "fire_at_ms")
    TIMER_ID_FIELD_NUMBER: _ClassVar[int]
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    FIRE_AT_MS_FIELD_NUMBER: _ClassVar[int]
    timer_id: str
    duration_ms: int
    fire_at_ms: int
    def __init__(self, timer_id: _Optional[str] = ..., duration_ms: _Optional[int] = ..., fire_at_ms: _Optional[int] = ...) -> None: ...

class CreatePromiseCommand(_message.Message):
    __slots__ = ("promise_id", "name", "timeout_ms", "value_schema")
    PROMISE_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    VALUE_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    promise_id: str
    name: str
    timeout_ms: int
    value_schema: bytes
    def __init__(self, promise_id: _Optional[str] = ..., name: _Optional[str] = ..., timeout_ms: _Optional[int] = ..., value_schema: _Optional[bytes] = ...) -> None: ...

class RecordOperationCommand(_message.Message):
    __slots__ = ("name", "index", "result", "failure")
    NAME_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    name: str
    index: int
    result: bytes
    failure: _values_pb2.Failure
    def __init__(self, name: _Optional[str] = ..., index: _Optional[int] = ..., result: _Optional[bytes] = ..., failure: _Optional[_Union[_values_pb2.Failure, _Mapping]] = ...) -> None: ...

class SetStateCommand(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: str
    value: bytes
    def __init__(self, key: _Optional[str] = ..., value: _Optional[bytes] = ...) -> None: ...

class ClearStateCommand(_message.Message):
    __slots__ = ("key",)
    KEY_FIELD_NUMBER: _ClassVar[int]
    key: str
    def __init__(self, key: _Optional[str] = ...) -> None: ...

class CancelTimerCommand(_message.Message):
    __slots__ = ("timer_id",)
    TIMER_ID_FIELD_NUMBER: _ClassVar[int]
    timer_id: str
    def __init__(self, timer_id: _Optional[str] = ...) -> None: ...

class ResolvePromiseCommand(_message.Message):
    __slots__ = ("promise_id", "value")
    PROMISE_ID_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    promise_id: str
    value: bytes
    def __init__(self, promise_id: _Optional[str] = ..., value: _Optional[bytes] = ...) -> None: ...

class CancelTaskCommand(_message.Message):
    __slots__ = ("task_execution_id",)
    TASK_EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    task_execution_id: str
    def __init__(self, task_execution_id: _Optional[str] = ...) -> None: ...

class CancelChildWorkflowCommand(_message.Message):
    __slots__ = ("child_execution_id",)
    CHILD_EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    child_execution_id: str
    def __init__(self, child_execution_id: _Optional[str] = ...) -> None: ...

class MarkPatchCommand(_message.Message):
    __slots__ = ("patch_id",)
    PATCH_ID_FIELD_NUMBER: _ClassVar[int]
    patch_id: str
    def __init__(self, patch_id: _Optional[str] = ...) -> None: ...

class CompleteWorkflowCommand(_message.Message):
    __slots__ = ("output", "warnings")
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    output: bytes
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, output: _Optional[bytes] = ..., warnings: _Optional[_Iterable[str]] = ...) -> None: ...

class FailWorkflowCommand(_message.Message):
    __slots__ = ("error", "stack_trace", "failure_type", "error_type", "retryable", "attempts", "cause", "cause_sequence", "cause_operation")
    ERROR_FIELD_NUMBER: _ClassVar[int]
    STACK_TRACE_FIELD_NUMBER: _ClassVar[int]
    FAILURE_TYPE_FIELD_NUMBER: _ClassVar[int]
    ERROR_TYPE_FIELD_NUMBER: _ClassVar[int]
    RETRYABLE_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    CAUSE_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    CAUSE_OPERATION_FIELD_NUMBER: _ClassVar[int]
    error: str
    stack_trace: str
    failure_type: str
    error_type: str
    retryable: bool
    attempts: int
    cause: _values_pb2.Failure
    cause_sequence: int
    cause_operation: int
    def __init__(self, error: _Optional[str] = ..., stack_trace: _Optional[str] = ..., failure_type: _Optional[str] = ..., error_type: _Optional[str] = ..., retryable: _Optional[bool] = ..., attempts: _Optional[int] = ..., cause: _Optional[_Union[_values_pb2.Failure, _Mapping]] = ..., cause_sequence: _Optional[int] = ..., cause_operation: _Optional[int] = ...) -> None: ...

class CancelWorkflowCommand(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class ClaimedWorkflow(_message.Message):
    __slots__ = ("execution_id", "token")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    token: int
    def __init__(self, execution_id: _Optional[str] = ..., token: _Optional[int] = ...) -> None: ...

class ExtendClaimsRequest(_message.Message):
    __slots__ = ("executions",)
    EXECUTIONS_FIELD_NUMBER: _ClassVar[int]
    executions: _containers.RepeatedCompositeFieldContainer[ClaimedWorkflow]
    def __init__(self, executions: _Optional[_Iterable[_Union[ClaimedWorkflow, _Mapping]]] = ...) -> None: ...

class ReleaseWorkflowsRequest(_message.Message):
    __slots__ = ("executions",)
    EXECUTIONS_FIELD_NUMBER: _ClassVar[int]
    executions: _containers.RepeatedCompositeFieldContainer[ClaimedWorkflow]
    def __init__(self, executions: _Optional[_Iterable[_Union[ClaimedWorkflow, _Mapping]]] = ...) -> None: ...

class HistoryWanted(_message.Message):
    __slots__ = ("execution_id", "after", "limit")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    after: int
    limit: int
    def __init__(self, execution_id: _Optional[str] = ..., after: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class GetHistoriesRequest(_message.Message):
    __slots__ = ("wanted",)
    WANTED_FIELD_NUMBER: _ClassVar[int]
    wanted: _containers.RepeatedCompositeFieldContainer[HistoryWanted]
    def __init__(self, wanted: _Optional[_Iterable[_Union[HistoryWanted, _Mapping]]] = ...) -> None: ...

class HistoryPage(_message.Message):
    __slots__ = ("events",)
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[_values_pb2.Event]
    def __init__(self, events: _Optional[_Iterable[_Union[_values_pb2.Event, _Mapping]]] = ...) -> None: ...

class GetHistoriesResponse(_message.Message):
    __slots__ = ("pages",)
    PAGES_FIELD_NUMBER: _ClassVar[int]
    pages: _containers.RepeatedCompositeFieldContainer[HistoryPage]
    def __init__(self, pages: _Optional[_Iterable[_Union[HistoryPage, _Mapping]]] = ...) -> None: ...

class CompleteTaskRequest(_message.Message):
    __slots__ = ("task_id", "token", "output")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    token: int
    output: bytes
    def __init__(self, task_id: _Optional[str] = ..., token: _Optional[int] = ..., output: _Optional[bytes] = ...) -> None: ...

class CompleteTasksRequest(_message.Message):
    __slots__ = ("tasks",)
    TASKS_FIELD_NUMBER: _ClassVar[int]
    tasks: _containers.RepeatedCompositeFieldContainer[CompleteTaskRequest]
    def __init__(self, tasks: _Optional[_Iterable[_Union[CompleteTaskRequest, _Mapping]]] = ...) -> None: ...

class FailTaskRequest(_message.Message):
    __slots__ = ("task_id", "token", "failure")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    token: int
    failure: _values_pb2.Failure
    def __init__(self, task_id: _Optional[str] = ..., token: _Optional[int] = ..., failure: _Optional[_Union[_values_pb2.Failure, _Mapping]] = ...) -> None: ...

class FailTasksRequest(_message.Message):
    __slots__ = ("tasks",)
    TASKS_FIELD_NUMBER: _ClassVar[int]
    tasks: _containers.RepeatedCompositeFieldContainer[FailTaskRequest]
    def __init__(self, tasks: _Optional[_Iterable[_Union[FailTaskRequest, _Mapping]]] = ...) -> None: ...

class Line(_message.Message):
    __slots__ = ("time_ms", "channel", "level", "body")
    TIME_MS_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    time_ms: int
    channel: str
    level: str
    body: bytes
    def __init__(self, time_ms: _Optional[int] = ..., channel: _Optional[str] = ..., level: _Optional[str] = ..., body: _Optional[bytes] = ...) -> None: ...

class ReportTaskRequest(_message.Message):
    __slots__ = ("task_id", "token", "heartbeat", "details", "progress", "progress_message", "lines")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    token: int
    heartbeat: bool
    details: bytes
    progress: float
    progress_message: str
    lines: _containers.RepeatedCompositeFieldContainer[Line]
    def __init__(self, task_id: _Optional[str] = ..., token: _Optional[int] = ..., heartbeat: _Optional[bool] = ..., details: _Optional[bytes] = ..., progress: _Optional[float] = ..., progress_message: _Optional[str] = ..., lines: _Optional[_Iterable[_Union[Line, _Mapping]]] = ...) -> None: ...

class ReportTasksRequest(_message.Message):
    __slots__ = ("tasks",)
    TASKS_FIELD_NUMBER: _ClassVar[int]
    tasks: _containers.RepeatedCompositeFieldContainer[ReportTaskRequest]
    def __init__(self, tasks: _Optional[_Iterable[_Union[ReportTaskRequest, _Mapping]]] = ...) -> None: ...

class TaskOrders(_message.Message):
    __slots__ = ("cancel",)
    CANCEL_FIELD_NUMBER: _ClassVar[int]
    cancel: bool
    def __init__(self, cancel: _Optional[bool] = ...) -> None: ...

class ReportedTask(_message.Message):
    __slots__ = ("error", "cancel")
    ERROR_FIELD_NUMBER: _ClassVar[int]
    CANCEL_FIELD_NUMBER: _ClassVar[int]
    error: _values_pb2.Error
    cancel: bool
    def __init__(self, error: _Optional[_Union[_values_pb2.Error, _Mapping]] = ..., cancel: _Optional[bool] = ...) -> None: ...

class ReportTasksResponse(_message.Message):
    __slots__ = ("tasks",)
    TASKS_FIELD_NUMBER: _ClassVar[int]
    tasks: _containers.RepeatedCompositeFieldContainer[ReportedTask]
    def __init__(self, tasks: _Optional[_Iterable[_Union[ReportedTask, _Mapping]]] = ...) -> None: ...

class AcknowledgeTaskCancelRequest(_message.Message):
    __slots__ = ("task_id", "token", "reason")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    token: int
    reason: str
    def __init__(self, task_id: _Optional[str] = ..., token: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class AcknowledgeTaskCancelsRequest(_message.Message):
    __slots__ = ("tasks",)
    TASKS_FIELD_NUMBER: _ClassVar[int]
    tasks: _containers.RepeatedCompositeFieldContainer[AcknowledgeTaskCancelRequest]
    def __init__(self, tasks: _Optional[_Iterable[_Union[AcknowledgeTaskCancelRequest, _Mapping]]] = ...) -> None: ...

class ClaimedTask(_message.Message):
    __slots__ = ("task_id", "token")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    token: int
    def __init__(self, task_id: _Optional[str] = ..., token: _Optional[int] = ...) -> None: ...

class ReleaseTasksRequest(_message.Message):
    __slots__ = ("tasks",)
    TASKS_FIELD_NUMBER: _ClassVar[int]
    tasks: _containers.RepeatedCompositeFieldContainer[ClaimedTask]
    def __init__(self, tasks: _Optional[_Iterable[_Union[ClaimedTask, _Mapping]]] = ...) -> None: ...

class BatchResponse(_message.Message):
    __slots__ = ("items",)
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[ItemResult]
    def __init__(self, items: _Optional[_Iterable[_Union[ItemResult, _Mapping]]] = ...) -> None: ...

class ItemResult(_message.Message):
    __slots__ = ("error", "changed")
    ERROR_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    error: _values_pb2.Error
    changed: bool
    def __init__(self, error: _Optional[_Union[_values_pb2.Error, _Mapping]] = ..., changed: _Optional[bool] = ...) -> None: ...

class PollQueriesRequest(_message.Message):
    __slots__ = ("worker_id", "kinds", "queues", "max_items", "wait_ms")
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    QUEUES_FIELD_NUMBER: _ClassVar[int]
    MAX_ITEMS_FIELD_NUMBER: _ClassVar[int]
    WAIT_MS_FIELD_NUMBER: _ClassVar[int]
    worker_id: str
    kinds: _containers.RepeatedScalarFieldContainer[str]
    queues: _containers.RepeatedScalarFieldContainer[str]
    max_items: int
    wait_ms: int
    def __init__(self, worker_id: _Optional[str] = ..., kinds: _Optional[_Iterable[str]] = ..., queues: _Optional[_Iterable[str]] = ..., max_items: _Optional[int] = ..., wait_ms: _Optional[int] = ...) -> None: ...

class PollQueriesResponse(_message.Message):
    __slots__ = ("queries",)
    QUERIES_FIELD_NUMBER: _ClassVar[int]
    queries: _containers.RepeatedCompositeFieldContainer[WorkflowQuery]
    def __init__(self, queries: _Optional[_Iterable[_Union[WorkflowQuery, _Mapping]]] = ...) -> None: ...

class AnswerQueriesRequest(_message.Message):
    __slots__ = ("worker_id", "answers")
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    worker_id: str
    answers: _containers.RepeatedCompositeFieldContainer[QueryAnswer]
    def __init__(self, worker_id: _Optional[str] = ..., answers: _Optional[_Iterable[_Union[QueryAnswer, _Mapping]]] = ...) -> None: ...

class WorkflowQuery(_message.Message):
    __slots__ = ("number", "worker_id", "execution_id", "kind", "queue", "last_sequence", "name", "input", "parent_id")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    PARENT_ID_FIELD_NUMBER: _ClassVar[int]
    number: int
    worker_id: str
    execution_id: str
    kind: str
    queue: str
    last_sequence: int
    name: str
    input: bytes
    parent_id: str
    def __init__(self, number: _Optional[int] = ..., worker_id: _Optional[str] = ..., execution_id: _Optional[str] = ..., kind: _Optional[str] = ..., queue: _Optional[str] = ..., last_sequence: _Optional[int] = ..., name: _Optional[str] = ..., input: _Optional[bytes] = ..., parent_id: _Optional[str] = ...) -> None: ...

class QueryAnswer(_message.Message):
    __slots__ = ("number", "output", "error")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    number: int
    output: bytes
    error: _values_pb2.Error
    def __init__(self, number: _Optional[int] = ..., output: _Optional[bytes] = ..., error: _Optional[_Union[_values_pb2.Error, _Mapping]] = ...) -> None: ...

class SubmitTaskRequest(_message.Message):
    __slots__ = ("task_type", "input", "task_execution_id", "max_retries", "timeout_ms", "queue")
    TASK_TYPE_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    TASK_EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_RETRIES_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    task_type: str
    input: bytes
    task_execution_id: str
    max_retries: int
    timeout_ms: int
    queue: str
    def __init__(self, task_type: _Optional[str] = ..., input: _Optional[bytes] = ..., task_execution_id: _Optional[str] = ..., max_retries: _Optional[int] = ..., timeout_ms: _Optional[int] = ..., queue: _Optional[str] = ...) -> None: ...

class SubmitTaskResponse(_message.Message):
    __slots__ = ("task_execution_id",)
    TASK_EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    task_execution_id: str
    def __init__(self, task_execution_id: _Optional[str] = ...) -> None: ...
