from holdfast.protocol.generated import client_pb2 as _client_pb2
from holdfast.protocol.generated import flows_pb2 as _flows_pb2
from holdfast.protocol.generated import schedules_pb2 as _schedules_pb2
from holdfast.protocol.generated import values_pb2 as _values_pb2
from holdfast.protocol.generated import worker_pb2 as _worker_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FromPeer(_message.Message):
    __slots__ = ("calls", "offers", "more_slots", "withdrawn_offers", "watched_executions", "unwatched_executions", "watched_tasks", "unwatched_tasks", "look_for_ends", "answering_workers", "query_answers")
    CALLS_FIELD_NUMBER: _ClassVar[int]
    OFFERS_FIELD_NUMBER: _ClassVar[int]
    MORE_SLOTS_FIELD_NUMBER: _ClassVar[int]
    WITHDRAWN_OFFERS_FIELD_NUMBER: _ClassVar[int]
    WATCHED_EXECUTIONS_FIELD_NUMBER: _ClassVar[int]
    UNWATCHED_EXECUTIONS_FIELD_NUMBER: _ClassVar[int]
    WATCHED_TASKS_FIELD_NUMBER: _ClassVar[int]
    UNWATCHED_TASKS_FIELD_NUMBER: _ClassVar[int]
    LOOK_FOR_ENDS_FIELD_NUMBER: _ClassVar[int]
    ANSWERING_WORKERS_FIELD_NUMBER: _ClassVar[int]
    QUERY_ANSWERS_FIELD_NUMBER: _ClassVar[int]
    calls: _containers.RepeatedCompositeFieldContainer[Call]
    offers: _containers.RepeatedCompositeFieldContainer[StandingOffer]
    more_slots: _containers.RepeatedCompositeFieldContainer[MoreSlots]
    withdrawn_offers: _containers.RepeatedScalarFieldContainer[int]
    watched_executions: _containers.RepeatedScalarFieldContainer[str]
    unwatched_executions: _containers.RepeatedScalarFieldContainer[str]
    watched_tasks: _containers.RepeatedScalarFieldContainer[str]
    unwatched_tasks: _containers.RepeatedScalarFieldContainer[str]
    look_for_ends: bool
    answering_workers: _containers.RepeatedCompositeFieldContainer[AnsweringWorker]
    query_answers: _containers.RepeatedCompositeFieldContainer[_worker_pb2.QueryAnswer]
    def __init__(self, calls: _Optional[_Iterable[_Union[Call, _Mapping]]] = ..., offers: _Optional[_Iterable[_Union[StandingOffer, _Mapping]]] = ..., more_slots: _Optional[_Iterable[_Union[MoreSlots, _Mapping]]] = ..., withdrawn_offers: _Optional[_Iterable[int]] = ..., watched_executions: _Optional[_Iterable[str]] = ..., unwatched_executions: _Optional[_Iterable[str]] = ..., watched_tasks: _Optional[_Iterable[str]] = ..., unwatched_tasks: _Optional[_Iterable[str]] = ..., look_for_ends: _Optional[bool] = ..., answering_workers: _Optional[_Iterable[_Union[AnsweringWorker, _Mapping]]] = ..., query_answers: _Optional[_Iterable[_Union[_worker_pb2.QueryAnswer, _Mapping]]] = ...) -> None: ...

class FromServer(_message.Message):
    __slots__ = ("replies", "deliveries", "cancelled_tasks", "ended_executions", "ended_tasks", "closed_offers", "queries")
    REPLIES_FIELD_NUMBER: _ClassVar[int]
    DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    CANCELLED_TASKS_FIELD_NUMBER: _ClassVar[int]
    ENDED_EXECUTIONS_FIELD_NUMBER: _ClassVar[int]
    ENDED_TASKS_FIELD_NUMBER: _ClassVar[int]
    CLOSED_OFFERS_FIELD_NUMBER: _ClassVar[int]
    QUERIES_FIELD_NUMBER: _ClassVar[int]
    replies: _containers.RepeatedCompositeFieldContainer[Reply]
    deliveries: _containers.RepeatedCompositeFieldContainer[Delivery]
    cancelled_tasks: _containers.RepeatedScalarFieldContainer[str]
    ended_executions: _containers.RepeatedCompositeFieldContainer[_values_pb2.Execution]
    ended_tasks: _containers.RepeatedCompositeFieldContainer[_values_pb2.Task]
    closed_offers: _containers.RepeatedScalarFieldContainer[int]
    queries: _containers.RepeatedCompositeFieldContainer[_worker_pb2.WorkflowQuery]
    def __init__(self, replies: _Optional[_Iterable[_Union[Reply, _Mapping]]] = ..., deliveries: _Optional[_Iterable[_Union[Delivery, _Mapping]]] = ..., cancelled_tasks: _Optional[_Iterable[str]] = ..., ended_executions: _Optional[_Iterable[_Union[_values_pb2.Execution, _Mapping]]] = ..., ended_tasks: _Optional[_Iterable[_Union[_values_pb2.Task, _Mapping]]] = ..., closed_offers: _Optional[_Iterable[int]] = ..., queries: _Optional[_Iterable[_Union[_worker_pb2.WorkflowQuery, _Mapping]]] = ...) -> None: ...

class AnsweringWorker(_message.Message):
    __slots__ = ("worker_id", "queues", "kinds")
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    QUEUES_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    worker_id: str
    queues: _containers.RepeatedScalarFieldContainer[str]
    kinds: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, worker_id: _Optional[str] = ..., queues: _Optional[_Iterable[str]] = ..., kinds: _Optional[_Iterable[str]] = ...) -> None: ...

class Call(_message.Message):
    __slots__ = ("number", "start_workflow", "signal_workflow", "cancel_workflow", "terminate_workflow", "retry_workflow", "settle_promise", "submit_tasks", "cancel_task", "retry_task", "cancel_timer", "move_timer", "submit_commands", "release_workflow", "extend_claim", "complete_task", "fail_task", "acknowledge_task_cancel", "release_task", "report_task", "save_flow", "start_flow", "pause_flow", "resume_flow", "rerun_flow", "deliver_webhook", "settle_task", "pause_queue", "resume_queue", "save_schedule", "delete_schedule", "pause_schedule", "resume_schedule", "trigger_schedule", "backfill_schedule", "reset_workflow")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    START_WORKFLOW_FIELD_NUMBER: _ClassVar[int]
    SIGNAL_WORKFLOW_FIELD_NUMBER: _ClassVar[int]
    CANCEL_WORKFLOW_FIELD_NUMBER: _ClassVar[int]
    TERMINATE_WORKFLOW_FIELD_NUMBER: _ClassVar[int]
    RETRY_WORKFLOW_FIELD_NUMBER: _ClassVar[int]
    SETTLE_PROMISE_FIELD_NUMBER: _ClassVar[int]
    SUBMIT_TASKS_FIELD_NUMBER: _ClassVar[int]
    CANCEL_TASK_FIELD_NUMBER: _ClassVar[int]
    RETRY_TASK_FIELD_NUMBER: _ClassVar[int]
    CANCEL_TIMER_FIELD_NUMBER: _ClassVar[int]
    MOVE_TIMER_FIELD_NUMBER: _ClassVar[int]
    SUBMIT_COMMANDS_FIELD_NUMBER: _ClassVar[int]
    RELEASE_WORKFLOW_FIELD_NUMBER: _ClassVar[int]
    EXTEND_CLAIM_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_TASK_FIELD_NUMBER: _ClassVar[int]
    FAIL_TASK_FIELD_NUMBER: _ClassVar[int]
    ACKNOWLEDGE_TASK_CANCEL_FIELD_NUMBER: _ClassVar[int]
    RELEASE_TASK_FIELD_NUMBER: _ClassVar[int]
    REPORT_TASK_FIELD_NUMBER: _ClassVar[int]
    SAVE_FLOW_FIELD_NUMBER: _ClassVar[int]
    START_FLOW_FIELD_NUMBER: _ClassVar[int]
    PAUSE_FLOW_FIELD_NUMBER: _ClassVar[int]
    RESUME_FLOW_FIELD_NUMBER: _ClassVar[int]
    RERUN_FLOW_FIELD_NUMBER: _ClassVar[int]
    DELIVER_WEBHOOK_FIELD_NUMBER: _ClassVar[int]
    SETTLE_TASK_FIELD_NUMBER: _ClassVar[int]
    PAUSE_QUEUE_FIELD_NUMBER: _ClassVar[int]
    RESUME_QUEUE_FIELD_NUMBER: _ClassVar[int]
    SAVE_SCHEDULE_FIELD_NUMBER: _ClassVar[int]
    DELETE_SCHEDULE_FIELD_NUMBER: _ClassVar[int]
    PAUSE_SCHEDULE_FIELD_NUMBER: _ClassVar[int]
    RESUME_SCHEDULE_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_SCHEDULE_FIELD_NUMBER: _ClassVar[int]
    BACKFILL_SCHEDULE_FIELD_NUMBER: _ClassVar[int]
    RESET_WORKFLOW_FIELD_NUMBER: _ClassVar[int]
    number: int
    start_workflow: _client_pb2.StartWorkflowRequest
    signal_workflow: _client_pb2.SignalWorkflowRequest
    cancel_workflow: _client_pb2.CancelWorkflowRequest
    terminate_workflow: _client_pb2.TerminateWorkflowRequest
    retry_workflow: _client_pb2.RetryWorkflowRequest
    settle_promise: _client_pb2.SettlePromiseRequest
    submit_tasks: _client_pb2.SubmitTasksRequest
    cancel_task: _client_pb2.CancelTaskRequest
    retry_task: _client_pb2.RetryTaskRequest
    cancel_timer: _client_pb2.CancelTimerRequest
    move_timer: _client_pb2.MoveTimerRequest
    submit_commands: _worker_pb2.SubmitWorkflowCommandsRequest
    release_workflow: _worker_pb2.ClaimedWorkflow
    extend_claim: _worker_pb2.ClaimedWorkflow
    complete_task: _worker_pb2.CompleteTaskRequest
    fail_task: _worker_pb2.FailTaskRequest
    acknowledge_task_cancel: _worker_pb2.AcknowledgeTaskCancelRequest
    release_task: _worker_pb2.ClaimedTask
    report_task: _worker_pb2.ReportTaskRequest
    save_flow: _flows_pb2.SaveFlowRequest
    start_flow: _flows_pb2.StartFlowRequest
    pause_flow: _flows_pb2.PauseFlowRequest
    resume_flow: _flows_pb2.ResumeFlowRequest
    rerun_flow: _flows_pb2.RerunFlowRequest
    deliver_webhook: _flows_pb2.DeliverWebhookRequest
    settle_task: _client_pb2.SettleTaskRequest
    pause_queue: _client_pb2.PauseQueueRequest
    resume_queue: _client_pb2.ResumeQueueRequest
    save_schedule: _schedules_pb2.SaveScheduleRequest
    delete_schedule: _schedules_pb2.DeleteScheduleRequest
    pause_schedule: _schedules_pb2.PauseScheduleRequest
    resume_schedule: _schedules_pb2.ResumeScheduleRequest
    trigger_schedule: _schedules_pb2.TriggerScheduleRequest
    backfill_schedule: _schedules_pb2.BackfillScheduleRequest
    reset_workflow: _client_pb2.ResetWorkflowRequest
    def __init__(self, number: _Optional[int] = ..., start_workflow: _Optional[_Union[_client_pb2.StartWorkflowRequest, _Mapping]] = ..., signal_workflow: _Optional[_Union[_client_pb2.SignalWorkflowRequest, _Mapping]] = ..., cancel_workflow: _Optional[_Union[_client_pb2.CancelWorkflowRequest, _Mapping]] = ..., terminate_workflow: _Optional[_Union[_client_pb2.TerminateWorkflowRequest, _Mapping]] = ..., retry_workflow: _Optional[_Union[_client_pb2.RetryWorkflowRequest, _Mapping]] = ..., settle_promise: _Optional[_Union[_client_pb2.SettlePromiseRequest, _Mapping]] = ..., submit_tasks: _Optional[_Union[_client_pb2.SubmitTasksRequest, _Mapping]] = ..., cancel_task: _Optional[_Union[_client_pb2.CancelTaskRequest, _Mapping]] = ..., retry_task: _Optional[_Union[_client_pb2.RetryTaskRequest, _Mapping]] = ..., cancel_timer: _Optional[_Union[_client_pb2.CancelTimerRequest, _Mapping]] = ..., move_timer: _Optional[_Union[_client_pb2.MoveTimerRequest, _Mapping]] = ..., submit_commands: _Optional[_Union[_worker_pb2.SubmitWorkflowCommandsRequest, _Mapping]] = ..., release_workflow: _Optional[_Union[_worker_pb2.ClaimedWorkflow, _Mapping]] = ..., extend_claim: _Optional[_Union[_worker_pb2.ClaimedWorkflow, _Mapping]] = ..., complete_task: _Optional[_Union[_worker_pb2.CompleteTaskRequest, _Mapping]] = ..., fail_task: _Optional[_Union[_worker_pb2.FailTaskRequest, _Mapping]] = ..., acknowledge_task_cancel: _Optional[_Union[_worker_pb2.AcknowledgeTaskCancelRequest, _Mapping]] = ..., release_task: _Optional[_Union[_worker_pb2.ClaimedTask, _Mapping]] = ..., report_task: _Optional[_Union[_worker_pb2.ReportTaskRequest, _Mapping]] = ..., save_flow: _Optional[_Union[_flows_pb2.SaveFlowRequest, _Mapping]] = ..., start_flow: _Optional[_Union[_flows_pb2.StartFlowRequest, _Mapping]] = ..., pause_flow: _Optional[_Union[_flows_pb2.PauseFlowRequest, _Mapping]] = ..., resume_flow: _Optional[_Union[_flows_pb2.ResumeFlowRequest, _Mapping]] = ..., rerun_flow: _Optional[_Union[_flows_pb2.RerunFlowRequest, _Mapping]] = ..., deliver_webhook: _Optional[_Union[_flows_pb2.DeliverWebhookRequest, _Mapping]] = ..., settle_task: _Optional[_Union[_client_pb2.SettleTaskRequest, _Mapping]] = ..., pause_queue: _Optional[_Union[_client_pb2.PauseQueueRequest, _Mapping]] = ..., resume_queue: _Optional[_Union[_client_pb2.ResumeQueueRequest, _Mapping]] = ..., save_schedule: _Optional[_Union[_schedules_pb2.SaveScheduleRequest, _Mapping]] = ..., delete_schedule: _Optional[_Union[_schedules_pb2.DeleteScheduleRequest, _Mapping]] = ..., pause_schedule: _Optional[_Union[_schedules_pb2.PauseScheduleRequest, _Mapping]] = ..., resume_schedule: _Optional[_Union[_schedules_pb2.ResumeScheduleRequest, _Mapping]] = ..., trigger_schedule: _Optional[_Union[_schedules_pb2.TriggerScheduleRequest, _Mapping]] = ..., backfill_schedule: _Optional[_Union[_schedules_pb2.BackfillScheduleRequest, _Mapping]] = ..., reset_workflow: _Optional[_Union[_client_pb2.ResetWorkflowRequest, _Mapping]] = ...) -> None: ...

class Reply(_message.Message):
    __slots__ = ("number", "error", "done", "started", "submitted_tasks", "accepted", "orders", "saved_flow", "saved_schedule", "triggered", "backfilled")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    SUBMITTED_TASKS_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    ORDERS_FIELD_NUMBER: _ClassVar[int]
    SAVED_FLOW_FIELD_NUMBER: _ClassVar[int]
    SAVED_SCHEDULE_FIELD_NUMBER: _ClassVar[int]
    TRIGGERED_FIELD_NUMBER: _ClassVar[int]
    BACKFILLED_FIELD_NUMBER: _ClassVar[int]
    number: int
    error: _values_pb2.Error
    done: _values_pb2.Done
    started: _client_pb2.StartWorkflowResponse
    submitted_tasks: _client_pb2.SubmitTasksResponse
    accepted: _worker_pb2.SubmitWorkflowCommandsResponse
    orders: _worker_pb2.TaskOrders
    saved_flow: _flows_pb2.SaveFlowResponse
    saved_schedule: _schedules_pb2.SaveScheduleResponse
    triggered: _schedules_pb2.TriggerScheduleResponse
    backfilled: _schedules_pb2.BackfillScheduleResponse
    def __init__(self, number: _Optional[int] = ..., error: _Optional[_Union[_values_pb2.Error, _Mapping]] = ..., done: _Optional[_Union[_values_pb2.Done, _Mapping]] = ..., started: _Optional[_Union[_client_pb2.StartWorkflowResponse, _Mapping]] = ..., submitted_tasks: _Optional[_Union[_client_pb2.SubmitTasksResponse, _Mapping]] = ..., accepted: _Optional[_Union[_worker_pb2.SubmitWorkflowCommandsResponse, _Mapping]] = ..., orders: _Optional[_Union[_worker_pb2.TaskOrders, _Mapping]] = ..., saved_flow: _Optional[_Union[_flows_pb2.SaveFlowResponse, _Mapping]] = ..., saved_schedule: _Optional[_Union[_schedules_pb2.SaveScheduleResponse, _Mapping]] = ..., triggered: _Optional[_Union[_schedules_pb2.TriggerScheduleResponse, _Mapping]] = ..., backfilled: _Optional[_Union[_schedules_pb2.BackfillScheduleResponse, _Mapping]] = ...) -> None: ...

class StandingOffer(_message.Message):
    __slots__ = ("number", "of_tasks", "worker_id", "queue", "kinds", "slots")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    OF_TASKS_FIELD_NUMBER: _ClassVar[int]
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    SLOTS_FIELD_NUMBER: _ClassVar[int]
    number: int
    of_tasks: bool
    worker_id: str
    queue: str
    kinds: _containers.RepeatedScalarFieldContainer[str]
    slots: int
    def __init__(self, number: _Optional[int] = ..., of_tasks: _Optional[bool] = ..., worker_id: _Optional[str] = ..., queue: _Optional[str] = ..., kinds: _Optional[_Iterable[str]] = ..., slots: _Optional[int] = ...) -> None: ...

class MoreSlots(_message.Message):
    __slots__ = ("offer", "slots")
    OFFER_FIELD_NUMBER: _ClassVar[int]
    SLOTS_FIELD_NUMBER: _ClassVar[int]
    offer: int
    slots: int
    def __init__(self, offer: _Optional[int] = ..., slots: _Optional[int] = ...) -> None: ...

class Delivery(_message.Message):
    __slots__ = ("offer", "executions", "tasks")
    OFFER_FIELD_NUMBER: _ClassVar[int]
    EXECUTIONS_FIELD_NUMBER: _ClassVar[int]
    TASKS_FIELD_NUMBER: _ClassVar[int]
    offer: int
    executions: _containers.RepeatedCompositeFieldContainer[_worker_pb2.WorkflowClaim]
    tasks: _containers.RepeatedCompositeFieldContainer[_worker_pb2.TaskClaim]
    def __init__(self, offer: _Optional[int] = ..., executions: _Optional[_Iterable[_Union[_worker_pb2.WorkflowClaim, _Mapping]]] = ..., tasks: _Optional[_Iterable[_Union[_worker_pb2.TaskClaim, _Mapping]]] = ...) -> None: ...
