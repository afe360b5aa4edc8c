"""The table of all resources: OpenAPI is made from it, and so is the router."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import get_type_hints

import msgspec

from holdfast.server.rest import (
    feed,
    flow_runs,
    flows,
    health,
    hooks,
    oversight,
    promises_and_timers,
    queues,
    run_streams,
    run_views,
    schedules,
    sessions,
    streams,
    tasks,
    tenants,
    waits,
    workflow_views,
    workflows,
)
from holdfast.server.rest.bodies import BulkBody
from holdfast.server.rest.calls import Answer
from holdfast.server.rest.documents import (
    AnswerDocument,
    AttemptList,
    BulkDocument,
    ChangedDocument,
    HealthDocument,
    HistoryPage,
    LineList,
    PromiseList,
    ResultDocument,
    StartedDocument,
    StateDocument,
    TaskDocument,
    TaskList,
    TimerList,
    WorkflowDocument,
    WorkflowList,
    WorkflowTaskList,
)
from holdfast.server.rest.flows import (
    FlowDocument,
    FlowList,
    FlowSchema,
    FlowVersionList,
    NodeTypeList,
    OutlineDocument,
    SavedFlowDocument,
)
from holdfast.server.rest.hooks import HookDocument
from holdfast.server.rest.oversight import ActivityList, AuditPage, Forecast, KindList, OpenList, WorkerList
from holdfast.server.rest.queues import QueueList
from holdfast.server.rest.receiving import MAX_BODY_BYTES, MAX_BULK_BODY_BYTES
from holdfast.server.rest.run_documents import ItemList, RunDocument, VisitDetail
from holdfast.server.rest.schedules import (
    BackfilledDocument,
    SavedScheduleDocument,
    ScheduleDocument,
    ScheduleList,
    TriggeredDocument,
)
from holdfast.server.rest.sessions import SessionDocument
from holdfast.server.rest.streams import EventStream
from holdfast.server.rest.tenants import KeyDocument, KeyList, NewKeyDocument, TenantDocument, TenantList
from holdfast.server.rest.waits import WaitEndedDocument

TENANTS = "/api/tenants"
BASE = f"{TENANTS}/{{tenant_id}}"
SESSION = "/api/session"
STREAM = "text/event-stream"

Act = Callable[..., Awaitable[Answer | EventStream]]
Answers = dict[int, type | str | None]
"""By status: the document, the media type of a stream, or None for an answer without a body."""

OK = HTTPStatus.OK
CREATED = HTTPStatus.CREATED
GONE_QUIET = HTTPStatus.NO_CONTENT
CHANGED: Answers = {OK: ChangedDocument}


class Resource(msgspec.Struct, frozen=True):
    """A method of a path, what acts on it, and what it answers when all goes well."""

    method: str
    path: str
    verb: str | None
    """What it is in the table of roles, server/access/roles.py; None is for everyone."""
    act: Act
    answers: Answers

    @property
    def body(self) -> type[msgspec.Struct] | None:
        """The struct that the body is read as."""
        return get_type_hints(self.act).get("body")

    @property
    def query(self) -> type[msgspec.Struct] | None:
        """The struct that the query is read as."""
        return get_type_hints(self.act).get("query")

    @property
    def max_body_bytes(self) -> int:
        """The largest body that is read."""
        return MAX_BULK_BODY_BYTES if self.body is BulkBody else MAX_BODY_BYTES


_TASK, _WORKFLOW = f"{BASE}/tasks/{{task_id}}", f"{BASE}/workflows/{{workflow_id}}"
_PROMISE, _TIMER = f"{BASE}/promises/{{promise_id}}", f"{BASE}/timers/{{timer_id}}"
_FLOW = f"{BASE}/flows/{{flow}}"
_SCHEDULE = f"{BASE}/schedules/{{schedule_id}}"
_HOOK = "/hooks/{tenant_id}/{flow}/{path}"
_WAIT = "/waits/{link}"
_QUEUE = f"{BASE}/queues/{{queue}}"
_NAMED_PROMISE = f"{_WORKFLOW}/promises/{{name}}"

RESOURCES = (
    Resource("POST", f"{BASE}/tasks", "SubmitTasks", tasks.submit_task, {CREATED: TaskDocument, OK: TaskDocument}),
    Resource("GET", f"{BASE}/tasks", "ListTasks", tasks.list_tasks, {OK: TaskList}),
    Resource("POST", f"{BASE}/tasks/bulk", "SubmitTasks", tasks.submit_tasks, {CREATED: BulkDocument}),
    Resource("GET", _TASK, "DescribeTask", tasks.get_task, {OK: TaskDocument}),
    Resource("DELETE", _TASK, "CancelTask", tasks.delete_task, {HTTPStatus.NO_CONTENT: None}),
    Resource("POST", f"{_TASK}/cancel", "CancelTask", tasks.cancel_task, CHANGED),
    Resource("POST", f"{_TASK}/complete", "SettleTask", tasks.complete_task, CHANGED),
    Resource("POST", f"{_TASK}/fail", "SettleTask", tasks.fail_task, CHANGED),
    Resource("POST", f"{_TASK}/retry", "RetryTask", tasks.retry_task, CHANGED),
    Resource("GET", f"{_TASK}/attempts", "ListAttempts", tasks.list_attempts, {OK: AttemptList}),
    Resource("GET", f"{_TASK}/lines", "ListTaskLines", tasks.list_lines, {OK: LineList}),
    Resource("GET", f"{_TASK}/stream", "StreamTask", streams.stream_task, {OK: STREAM, GONE_QUIET: None}),
    Resource(
        "POST",
        f"{BASE}/workflows",
        "StartWorkflow",
        workflows.start_workflow,
        {CREATED: StartedDocument, OK: StartedDocument},
    ),
    Resource("GET", f"{BASE}/workflows", "ListWorkflows", workflow_views.list_workflows, {OK: WorkflowList}),
    Resource("GET", _WORKFLOW, "DescribeWorkflow", workflow_views.get_workflow, {OK: WorkflowDocument}),
    Resource(
        "GET",
        f"{_WORKFLOW}/result",
        "GetResult",
        workflows.get_result,
        {OK: ResultDocument, HTTPStatus.ACCEPTED: ResultDocument},
    ),
    Resource("GET", f"{_WORKFLOW}/history", "GetHistory", workflow_views.get_history, {OK: HistoryPage}),
    Resource("GET", f"{_WORKFLOW}/events", "StreamWorkflow", streams.stream_workflow, {OK: STREAM, GONE_QUIET: None}),
    Resource("GET", f"{_WORKFLOW}/children", "ListWorkflows", workflow_views.list_children, {OK: WorkflowList}),
    Resource("GET", f"{_WORKFLOW}/tasks", "ListTasks", workflow_views.list_workflow_tasks, {OK: WorkflowTaskList}),
    Resource("GET", f"{_WORKFLOW}/state", "GetState", workflow_views.get_state, {OK: StateDocument}),
    Resource("GET", f"{_WORKFLOW}/queries/{{name}}", "QueryWorkflow", workflow_views.get_answer, {OK: AnswerDocument}),
    Resource("POST", f"{_WORKFLOW}/queries/{{name}}", "QueryWorkflow", workflow_views.ask, {OK: AnswerDocument}),
    Resource("GET", f"{_WORKFLOW}/promises", "ListPromises", workflow_views.list_promises, {OK: PromiseList}),
    Resource("GET", f"{_WORKFLOW}/timers", "ListTimers", workflow_views.list_workflow_timers, {OK: TimerList}),
    Resource("GET", f"{_WORKFLOW}/flow", "DescribeWorkflow", run_views.get_run, {OK: RunDocument}),
    Resource("POST", f"{_WORKFLOW}/flow/pause", "PauseFlow", flow_runs.pause_run, CHANGED),
    Resource("POST", f"{_WORKFLOW}/flow/resume", "ResumeFlow", flow_runs.resume_run, CHANGED),
    Resource("POST", f"{_WORKFLOW}/flow/rerun", "RerunFlow", flow_runs.rerun, CHANGED),
    Resource("GET", f"{_WORKFLOW}/flow/items", "DescribeWorkflow", run_views.list_items, {OK: ItemList}),
    Resource("GET", f"{_WORKFLOW}/flow/visit", "DescribeWorkflow", run_views.get_visit, {OK: VisitDetail}),
    Resource(
        "GET", f"{_WORKFLOW}/flow/events", "StreamWorkflow", run_streams.stream_run, {OK: STREAM, GONE_QUIET: None}
    ),
    Resource("POST", f"{_WORKFLOW}/signal", "SignalWorkflow", workflows.signal_workflow, CHANGED),
    Resource("POST", f"{_WORKFLOW}/cancel", "CancelWorkflow", workflows.cancel_workflow, CHANGED),
    Resource("POST", f"{_WORKFLOW}/terminate", "TerminateWorkflow", workflows.terminate_workflow, CHANGED),
    Resource("POST", f"{_WORKFLOW}/retry", "RetryWorkflow", workflows.retry_workflow, CHANGED),
    Resource("POST", f"{_WORKFLOW}/reset", "ResetWorkflow", workflows.reset_workflow, CHANGED),
    Resource(
        "POST",
        f"{_NAMED_PROMISE}/resolve",
        "SettlePromise",
        promises_and_timers.resolve_named_promise,
        CHANGED,
    ),
    Resource(
        "POST",
        f"{_NAMED_PROMISE}/reject",
        "SettlePromise",
        promises_and_timers.reject_named_promise,
        CHANGED,
    ),
    Resource("POST", f"{_PROMISE}/resolve", "SettlePromise", promises_and_timers.resolve_promise, CHANGED),
    Resource("POST", f"{_PROMISE}/reject", "SettlePromise", promises_and_timers.reject_promise, CHANGED),
    Resource("GET", f"{BASE}/timers", "ListTimers", promises_and_timers.list_timers, {OK: TimerList}),
    Resource("GET", f"{BASE}/timer-forecast", "ListTimers", oversight.forecast_timers, {OK: Forecast}),
    Resource("GET", f"{BASE}/open-executions", "ListWorkflows", oversight.count_open, {OK: OpenList}),
    Resource("POST", f"{_TIMER}/cancel", "CancelTimer", promises_and_timers.cancel_timer, CHANGED),
    Resource("POST", f"{_TIMER}/fire", "MoveTimer", promises_and_timers.fire_timer, CHANGED),
    Resource("POST", f"{_TIMER}/reschedule", "MoveTimer", promises_and_timers.reschedule_timer, CHANGED),
    Resource("GET", f"{BASE}/flow-types", "ListNodeTypes", flows.list_node_types, {OK: NodeTypeList}),
    Resource("GET", f"{BASE}/flow-schema", "ListNodeTypes", flows.get_flow_schema, {OK: FlowSchema}),
    Resource("POST", f"{BASE}/flow-validation", "ValidateFlow", flows.validate_flow, {OK: OutlineDocument}),
    Resource("GET", f"{BASE}/flows", "ListFlows", flows.list_flows, {OK: FlowList}),
    Resource("POST", f"{BASE}/flows", "SaveFlow", flows.save_flow, {CREATED: SavedFlowDocument, OK: SavedFlowDocument}),
    Resource("GET", _FLOW, "DescribeFlow", flows.get_flow, {OK: FlowDocument}),
    Resource(
        "POST", f"{_FLOW}/runs", "StartFlow", flow_runs.start_run, {CREATED: StartedDocument, OK: StartedDocument}
    ),
    Resource("GET", f"{_FLOW}/versions", "ListFlowVersions", flows.list_flow_versions, {OK: FlowVersionList}),
    Resource("GET", f"{BASE}/schedules", "ListSchedules", schedules.list_schedules, {OK: ScheduleList}),
    Resource("GET", _SCHEDULE, "DescribeSchedule", schedules.get_schedule, {OK: ScheduleDocument}),
    Resource(
        "PUT",
        _SCHEDULE,
        "SaveSchedule",
        schedules.save_schedule,
        {CREATED: SavedScheduleDocument, OK: SavedScheduleDocument},
    ),
    Resource("DELETE", _SCHEDULE, "DeleteSchedule", schedules.delete_schedule, CHANGED),
    Resource("POST", f"{_SCHEDULE}/pause", "PauseSchedule", schedules.pause_schedule, CHANGED),
    Resource("POST", f"{_SCHEDULE}/resume", "ResumeSchedule", schedules.resume_schedule, CHANGED),
    Resource(
        "POST",
        f"{_SCHEDULE}/trigger",
        "TriggerSchedule",
        schedules.trigger_schedule,
        {CREATED: TriggeredDocument, OK: TriggeredDocument},
    ),
    Resource(
        "POST", f"{_SCHEDULE}/backfill", "BackfillSchedule", schedules.backfill_schedule, {OK: BackfilledDocument}
    ),
    Resource("GET", f"{BASE}/queues", "CountQueues", queues.list_queues, {OK: QueueList}),
    Resource("POST", f"{_QUEUE}/pause", "PauseQueue", queues.pause_queue, CHANGED),
    Resource("POST", f"{_QUEUE}/resume", "ResumeQueue", queues.resume_queue, CHANGED),
    Resource("GET", f"{BASE}/workers", "ListWorkers", oversight.list_workers, {OK: WorkerList}),
    Resource("POST", f"{BASE}/workers/{{worker_id}}/drain", "DrainWorker", oversight.drain_worker, CHANGED),
    Resource("GET", f"{BASE}/kinds", "ListKinds", oversight.list_kinds, {OK: KindList}),
    Resource("GET", f"{BASE}/activity", "ListActivity", oversight.list_activity, {OK: ActivityList}),
    Resource("GET", f"{BASE}/events", "StreamTenant", feed.stream_tenant, {OK: STREAM}),
    Resource("GET", f"{BASE}/audit", "ListAudit", oversight.list_audit, {OK: AuditPage}),
    Resource("GET", TENANTS, "ListTenants", tenants.list_tenants, {OK: TenantList}),
    Resource("POST", TENANTS, "CreateTenant", tenants.create_tenant, {CREATED: TenantDocument}),
    Resource("GET", BASE, "DescribeTenant", tenants.get_tenant, {OK: TenantDocument}),
    Resource("PATCH", BASE, "ChangeTenant", tenants.change_tenant, {OK: TenantDocument}),
    Resource("GET", f"{BASE}/keys", "ListKeys", tenants.list_keys, {OK: KeyList}),
    Resource("POST", f"{BASE}/keys", "CreateKey", tenants.create_key, {CREATED: NewKeyDocument}),
    Resource("DELETE", f"{BASE}/keys/{{key_id}}", "RevokeKey", tenants.revoke_key, {OK: KeyDocument}),
    Resource("POST", SESSION, None, sessions.open_session, {OK: SessionDocument}),
    Resource("GET", SESSION, "DescribeSession", sessions.get_session, {OK: SessionDocument}),
    Resource("DELETE", SESSION, None, sessions.close_session, {HTTPStatus.NO_CONTENT: None}),
    *(
        Resource(method, _HOOK, None, hooks.start_by_hook, {HTTPStatus.ACCEPTED: HookDocument, OK: HookDocument})
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
    ),
    *(
        Resource(method, _WAIT, None, waits.end_wait, {OK: WaitEndedDocument})
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
    ),
    Resource("GET", "/health/live", None, health.live, {OK: HealthDocument}),
    Resource("GET", "/health/ready", None, health.ready, {OK: HealthDocument}),
)
