"""ClientService: what programs and tools say."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from holdfast.model.errors import InvalidArgument, TaskNotFound, WorkflowNotFound
from holdfast.model.ids import ExecutionId, QueueName, TaskId, TenantId
from holdfast.model.instants import Instant, Milliseconds
from holdfast.model.queries import Cursor, ExecutionFilter, TaskFilter
from holdfast.model.records import Execution, Task
from holdfast.model.requests import (
    CancelTaskExecution,
    CancelWorkflow,
    DisarmTimer,
    MoveTimer,
    PauseQueue,
    ResetWorkflow,
    ResumeQueue,
    RetryTaskExecution,
    RetryWorkflow,
    SettlePromise,
    SettleTask,
    SignalWorkflow,
    StartWorkflow,
    SubmitTasks,
    TerminateWorkflow,
)
from holdfast.model.workflow_queries import DEFAULT_QUERY_TIMEOUT, QueryWorkflow
from holdfast.ports.watches import Watch
from holdfast.protocol.generated import client_pb2 as wire
from holdfast.protocol.generated import values_pb2 as values
from holdfast.protocol.generated import worker_pb2 as worker
from holdfast.protocol.requests import BY_REQUEST, STARTED
from holdfast.protocol.values import (
    ATTEMPT,
    CURSOR,
    EXECUTION,
    EXECUTION_STATUS,
    PROMISE,
    QUEUE_COUNT,
    TASK,
    TASK_LINE,
    TASK_STATUS,
    TIMER,
)
from holdfast.protocol.workers import worker_to_wire
from holdfast.sdk.payload import NULL, checked_json
from holdfast.server.grpc.admission import Call
from holdfast.server.grpc.answering import Behaviour
from holdfast.server.grpc.asking import Asking
from holdfast.server.grpc.checking import DEFAULT_PAGE, page_limit
from holdfast.server.grpc.flow_verbs import FlowVerbs
from holdfast.server.grpc.polls import patience
from holdfast.server.grpc.schedule_verbs import ScheduleVerbs
from holdfast.server.grpc.worker_verbs import history_pages
from holdfast.server.host import EngineHost

Record = TypeVar("Record", Execution, Task)

DEFAULT_TIMERS: Final = 100
MAX_IDS: Final = 1_000
MAX_OFFSET: Final = 1_000_000


class ClientVerbs:
    """The behaviours of ClientService."""

    def __init__(self, *, engine: EngineHost, asking: Asking, closing: asyncio.Event) -> None:
        self._engine = engine
        self._asking = asking
        self._closing = closing

    def behaviours(self) -> dict[str, Behaviour]:
        """What each method does."""
        ask = self._asking.verb
        of_flows = FlowVerbs(engine=self._engine, asking=self._asking).behaviours()
        of_schedules = ScheduleVerbs(engine=self._engine, asking=self._asking).behaviours()
        return {
            **of_flows,
            **of_schedules,
            "StartWorkflow": ask(StartWorkflow),
            "RunWorkflow": self._run_workflow,
            "SignalWorkflow": ask(SignalWorkflow),
            "CancelWorkflow": ask(CancelWorkflow),
            "TerminateWorkflow": ask(TerminateWorkflow),
            "RetryWorkflow": ask(RetryWorkflow),
            "ResetWorkflow": ask(ResetWorkflow),
            "DescribeWorkflow": self._describe_workflow,
            "GetWorkflows": self._get_workflows,
            "ListWorkflows": self._list_workflows,
            "GetHistory": self._get_history,
            "GetState": self._get_state,
            "GetResult": self._get_result,
            "QueryWorkflow": self._query_workflow,
            "SettlePromise": ask(SettlePromise),
            "ListPromises": self._list_promises,
            "ListTimers": self._list_timers,
            "CancelTimer": ask(DisarmTimer),
            "MoveTimer": ask(MoveTimer),
            "SubmitTasks": ask(SubmitTasks),
            "CancelTask": ask(CancelTaskExecution),
            "RetryTask": ask(RetryTaskExecution),
            "SettleTask": ask(SettleTask),
            "PauseQueue": ask(PauseQueue),
            "ResumeQueue": ask(ResumeQueue),
            "DescribeTask": self._describe_task,
            "GetTasks": self._get_tasks,
            "ListTasks": self._list_tasks,
            "CountTasks": self._count_tasks,
            "ListAttempts": self._list_attempts,
            "ListTaskLines": self._list_task_lines,
            "GetTaskResult": self._get_task_result,
            "CountQueues": self._count_queues,
            "ListWorkers": self._list_workers,
            "DrainWorker": self._drain_worker,
        }

    # Executions.

    async def _execution(self, call: Call, execution_id: str) -> Execution:
        execution = await self._engine.reads.execution((call.tenant, ExecutionId(execution_id)))
        if execution is None:
            raise WorkflowNotFound(execution_id, call.tenant)
        return execution

    async def _describe_workflow(self, message: wire.DescribeWorkflowRequest, call: Call) -> values.Execution:
        return EXECUTION.to_wire(await self._execution(call, message.execution_id))

    async def _get_workflows(self, message: wire.GetWorkflowsRequest, call: Call) -> wire.GetWorkflowsResponse:
        keys = [(call.tenant, ExecutionId(each)) for each in _bounded(message.execution_ids)]
        found = await self._engine.reads.executions(keys)
        return wire.GetWorkflowsResponse(executions=[EXECUTION.to_wire(each) for each in found])

    async def _list_workflows(self, message: wire.ListWorkflowsRequest, call: Call) -> wire.ListWorkflowsResponse:
        has = message.HasField
        wanted = ExecutionFilter(
            call.tenant,
            message.kind if has("kind") else None,
            tuple([EXECUTION_STATUS.decode(status) for status in message.statuses]),
            ExecutionId(message.parent_id) if has("parent_id") else None,
            Instant(message.created_from_ms) if has("created_from_ms") else None,
            Instant(message.created_before_ms) if has("created_before_ms") else None,
            CURSOR.from_wire(message.after) if has("after") else None,
            page_limit(message.limit if has("limit") else DEFAULT_PAGE),
        )
        page = await self._engine.reads.list_executions(wanted)
        return wire.ListWorkflowsResponse(
            executions=[EXECUTION.to_wire(each) for each in page.executions], next=_cursor(page.next)
        )

    async def _get_history(self, message: worker.HistoryWanted, call: Call) -> worker.HistoryPage:
        await self._execution(call, message.execution_id)
        return (await history_pages(self._engine, call.tenant, [message]))[0]

    async def _get_state(self, message: wire.GetStateRequest, call: Call) -> wire.GetStateResponse:
        execution = await self._execution(call, message.execution_id)
        snapshot = await self._engine.reads.state((call.tenant, execution.id))
        return wire.GetStateResponse(entries=snapshot.entries)

    async def _get_result(self, message: wire.GetResultRequest, call: Call) -> wire.GetResultResponse:
        watch = self._engine.executions.watch((call.tenant, message.execution_id))
        ended = await self._end(watch, await self._execution(call, message.execution_id), message.wait_ms, call)
        return wire.GetResultResponse(execution=None if ended is None else EXECUTION.to_wire(ended))

    async def _query_workflow(self, message: wire.QueryWorkflowRequest, call: Call) -> wire.QueryWorkflowResponse:
        query = QueryWorkflow(
            call.tenant,
            ExecutionId(message.execution_id),
            message.name,
            checked_json(message.input or NULL, what="the input of a query"),
            Milliseconds(message.timeout_ms or DEFAULT_QUERY_TIMEOUT),
        )
        return wire.QueryWorkflowResponse(output=await self._engine.query(query))

    async def _run_workflow(self, message: wire.RunWorkflowRequest, call: Call) -> wire.RunWorkflowResponse:
        asked = BY_REQUEST[StartWorkflow].from_wire(message.start, call.tenant)
        assert isinstance(asked, StartWorkflow)
        # The watch is there before the request, so an end cannot be missed, however soon it comes.
        watch = self._engine.executions.watch((call.tenant, asked.execution_id))
        started = await self._asking.one(asked)
        if started.execution_id != asked.execution_id:
            watch = self._engine.executions.watch((call.tenant, started.execution_id))
        execution = await self._execution(call, started.execution_id)
        ended = await self._end(watch, execution, message.wait_ms, call)
        return wire.RunWorkflowResponse(
            started=STARTED.to_wire(started), execution=None if ended is None else EXECUTION.to_wire(ended)
        )

    async def _end(self, watch: Watch[Record], record: Record, wait_ms: int, call: Call) -> Record | None:
        """The closed record, or None if it has not ended in time; the watch was there before the record was read."""
        if record.closed:
            return record
        ended = watch.ended()
        closing = asyncio.ensure_future(self._closing.wait())
        waits: list[asyncio.Future[Any]] = [ended, closing]
        try:
            await asyncio.wait(waits, timeout=patience(wait_ms, call), return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended.cancel()
            closing.cancel()
        return watch.record

    async def _list_promises(self, message: wire.ListPromisesRequest, call: Call) -> wire.ListPromisesResponse:
        execution = await self._execution(call, message.execution_id)
        found = await self._engine.reads.promises((call.tenant, execution.id))
        return wire.ListPromisesResponse(promises=[PROMISE.to_wire(each) for each in found])

    async def _list_timers(self, message: wire.ListTimersRequest, call: Call) -> wire.ListTimersResponse:
        owner = ExecutionId(message.execution_id) if message.HasField("execution_id") else None
        page = await self._engine.reads.list_timers(call.tenant, owner, page_limit(message.limit or DEFAULT_TIMERS))
        return wire.ListTimersResponse(timers=[TIMER.to_wire(each) for each in page.timers], total=page.total)

    # Tasks.

    async def _task(self, call: Call, task_id: str) -> Task:
        task = await self._engine.reads.task((call.tenant, TaskId(task_id)))
        if task is None:
            raise TaskNotFound(task_id, call.tenant)
        return task

    async def _describe_task(self, message: wire.DescribeTaskRequest, call: Call) -> values.Task:
        return TASK.to_wire(await self._task(call, message.task_id))

    async def _get_tasks(self, message: wire.GetTasksRequest, call: Call) -> wire.GetTasksResponse:
        found = await self._engine.reads.tasks([(call.tenant, TaskId(each)) for each in _bounded(message.task_ids)])
        return wire.GetTasksResponse(tasks=[TASK.to_wire(each) for each in found])

    async def _list_tasks(self, message: wire.ListTasksRequest, call: Call) -> wire.ListTasksResponse:
        has = message.HasField
        wanted = replace(
            _task_filter(message, call.tenant),
            offset=_offset(message.offset),
            after=CURSOR.from_wire(message.after) if has("after") else None,
            limit=page_limit(message.limit if has("limit") else DEFAULT_PAGE),
        )
        page = await self._engine.reads.list_tasks(wanted)
        return wire.ListTasksResponse(tasks=[TASK.to_wire(each) for each in page.tasks], next=_cursor(page.next))

    async def _count_tasks(self, message: wire.CountTasksRequest, call: Call) -> wire.CountTasksResponse:
        count = await self._engine.reads.count_tasks(_task_filter(message, call.tenant))
        return wire.CountTasksResponse(count=count)

    async def _list_attempts(self, message: wire.ListAttemptsRequest, call: Call) -> wire.ListAttemptsResponse:
        task = await self._task(call, message.task_id)
        found = await self._engine.reads.attempts((call.tenant, task.id))
        return wire.ListAttemptsResponse(attempts=[ATTEMPT.to_wire(each) for each in found])

    async def _list_task_lines(self, message: wire.ListTaskLinesRequest, call: Call) -> wire.ListTaskLinesResponse:
        task = await self._task(call, message.task_id)
        limit = page_limit(message.limit or DEFAULT_PAGE)
        found = await self._engine.reads.lines((call.tenant, task.id), message.after, limit)
        return wire.ListTaskLinesResponse(lines=[TASK_LINE.to_wire(each) for each in found])

    async def _get_task_result(self, message: wire.GetTaskResultRequest, call: Call) -> wire.GetTaskResultResponse:
        watch = self._engine.tasks.watch((call.tenant, message.task_id))
        ended = await self._end(watch, await self._task(call, message.task_id), message.wait_ms, call)
        return wire.GetTaskResultResponse(task=None if ended is None else TASK.to_wire(ended))

    async def _count_queues(self, _: wire.CountQueuesRequest, call: Call) -> wire.CountQueuesResponse:
        counts = await self._engine.reads.queue_counts(call.tenant)
        return wire.CountQueuesResponse(counts=[QUEUE_COUNT.to_wire(each) for each in counts])

    async def _list_workers(self, _: wire.ListWorkersRequest, call: Call) -> wire.ListWorkersResponse:
        found = await self._engine.workers(call.tenant)
        return wire.ListWorkersResponse(workers=[worker_to_wire(each) for each in found])

    async def _drain_worker(self, message: wire.DrainWorkerRequest, call: Call) -> values.Done:
        return values.Done(changed=await self._engine.drain_worker(call.tenant, message.worker_id))


def _task_filter(message: wire.ListTasksRequest | wire.CountTasksRequest, tenant: TenantId) -> TaskFilter:
    has = message.HasField
    return TaskFilter(
        tenant,
        execution_id=ExecutionId(message.execution_id) if has("execution_id") else None,
        task_type=message.task_type if has("task_type") else None,
        queue=QueueName(message.queue) if has("queue") else None,
        statuses=tuple([TASK_STATUS.decode(status) for status in message.statuses]),
    )


def _cursor(cursor: Cursor | None) -> values.Cursor | None:
    return None if cursor is None else CURSOR.to_wire(cursor)


def _offset(offset: int) -> int:
    if not 0 <= offset <= MAX_OFFSET:
        raise InvalidArgument(f"offset must lie between 0 and {MAX_OFFSET:,}, not {offset}; use `after` for deep pages")
    return offset


def _bounded(ids: Sequence[str]) -> Sequence[str]:
    if len(ids) > MAX_IDS:
        raise InvalidArgument(f"up to {MAX_IDS:,} ids go into one request, not {len(ids):,}")
    return ids
