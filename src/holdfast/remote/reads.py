"""The questions of clients (ports.store.Questions), asked of a server."""

from collections.abc import Sequence
from typing import Final

from holdfast.model.errors import TaskNotFound, WorkflowNotFound
from holdfast.model.events import Event
from holdfast.model.ids import ExecutionId, TenantId
from holdfast.model.queries import (
    Cursor,
    ExecutionFilter,
    ExecutionPage,
    HistoryWanted,
    QueueCount,
    StateSnapshot,
    TaskFilter,
    TaskPage,
    TimerPage,
    bounded,
)
from holdfast.model.records import Attempt, Execution, Promise, Task, TaskLine
from holdfast.ports.store import ExecutionKey, TaskKey
from holdfast.protocol.generated import client_pb2 as wire
from holdfast.protocol.generated import values_pb2 as values
from holdfast.protocol.generated import worker_pb2 as worker_wire
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
    event_from_wire,
)
from holdfast.remote.channel import Caller
from holdfast.remote.flow_reads import RemoteFlowReads
from holdfast.remote.schedule_reads import RemoteScheduleReads

AT_ONCE: Final = 1_000
"""Ids in one question."""
PAGES_AT_ONCE: Final = 256


class RemoteReads(RemoteFlowReads, RemoteScheduleReads):
    """Asks a server."""

    def __init__(self, *, client: Caller, worker: Caller) -> None:
        super().__init__(client=client)
        self._worker = worker

    async def execution(self, key: ExecutionKey) -> Execution | None:
        """One execution."""
        tenant, execution_id = key
        message = wire.DescribeWorkflowRequest(execution_id=execution_id)
        try:
            found = await self._client.ask("DescribeWorkflow", message, values.Execution)
        except WorkflowNotFound:
            return None
        return EXECUTION.from_wire(found, tenant)

    async def executions(self, keys: Sequence[ExecutionKey]) -> list[Execution]:
        """Those of these executions that exist."""
        found: list[Execution] = []
        for start in range(0, len(keys), AT_ONCE):
            some = keys[start : start + AT_ONCE]
            message = wire.GetWorkflowsRequest(execution_ids=[execution_id for _, execution_id in some])
            reply = await self._client.ask("GetWorkflows", message, wire.GetWorkflowsResponse)
            found += [EXECUTION.from_wire(each, some[0][0]) for each in reply.executions]
        return found

    async def list_executions(self, wanted: ExecutionFilter) -> ExecutionPage:
        """Executions, newest first."""
        message = wire.ListWorkflowsRequest(
            kind=wanted.kind,
            statuses=[EXECUTION_STATUS.encode(status) for status in wanted.statuses],
            parent_id=wanted.parent_id,
            created_from_ms=wanted.created_from,
            created_before_ms=wanted.created_before,
            after=None if wanted.after is None else CURSOR.to_wire(wanted.after),
            limit=bounded(wanted.limit),
        )
        reply = await self._client.ask("ListWorkflows", message, wire.ListWorkflowsResponse)
        executions = tuple([EXECUTION.from_wire(each, wanted.tenant) for each in reply.executions])
        return ExecutionPage(executions, _cursor(reply))

    async def histories(self, wanted: Sequence[HistoryWanted]) -> list[list[Event]]:
        """Pages of history, in the order of the question."""
        pages: list[list[Event]] = []
        for start in range(0, len(wanted), PAGES_AT_ONCE):
            questions = [
                worker_wire.HistoryWanted(execution_id=each.execution_id, after=each.after, limit=each.limit)
                for each in wanted[start : start + PAGES_AT_ONCE]
            ]
            message = worker_wire.GetHistoriesRequest(wanted=questions)
            reply = await self._worker.ask("GetHistories", message, worker_wire.GetHistoriesResponse)
            pages += [[event_from_wire(event) for event in page.events] for page in reply.pages]
        return pages

    async def state(self, key: ExecutionKey) -> StateSnapshot:
        """The state entries of an execution."""
        reply = await self._client.ask("GetState", wire.GetStateRequest(execution_id=key[1]), wire.GetStateResponse)
        return StateSnapshot(dict(reply.entries))

    async def task(self, key: TaskKey) -> Task | None:
        """One task."""
        tenant, task_id = key
        try:
            found = await self._client.ask("DescribeTask", wire.DescribeTaskRequest(task_id=task_id), values.Task)
        except TaskNotFound:
            return None
        return TASK.from_wire(found, tenant)

    async def tasks(self, keys: Sequence[TaskKey]) -> list[Task]:
        """Those of these tasks that exist."""
        found: list[Task] = []
        for start in range(0, len(keys), AT_ONCE):
            some = keys[start : start + AT_ONCE]
            message = wire.GetTasksRequest(task_ids=[task_id for _, task_id in some])
            reply = await self._client.ask("GetTasks", message, wire.GetTasksResponse)
            found += [TASK.from_wire(each, some[0][0]) for each in reply.tasks]
        return found

    async def list_tasks(self, wanted: TaskFilter) -> TaskPage:
        """Tasks, newest first."""
        message = wire.ListTasksRequest(
            execution_id=wanted.execution_id,
            task_type=wanted.task_type,
            queue=wanted.queue,
            statuses=[TASK_STATUS.encode(status) for status in wanted.statuses],
            after=None if wanted.after is None else CURSOR.to_wire(wanted.after),
            limit=bounded(wanted.limit),
            offset=wanted.offset,
        )
        reply = await self._client.ask("ListTasks", message, wire.ListTasksResponse)
        return TaskPage(tuple([TASK.from_wire(each, wanted.tenant) for each in reply.tasks]), _cursor(reply))

    async def count_tasks(self, wanted: TaskFilter) -> int:
        """How many tasks the filter admits, on all pages."""
        message = wire.CountTasksRequest(
            execution_id=wanted.execution_id,
            task_type=wanted.task_type,
            queue=wanted.queue,
            statuses=[TASK_STATUS.encode(status) for status in wanted.statuses],
        )
        return (await self._client.ask("CountTasks", message, wire.CountTasksResponse)).count

    async def attempts(self, key: TaskKey) -> list[Attempt]:
        """The ended tries of a task, in order."""
        message = wire.ListAttemptsRequest(task_id=key[1])
        reply = await self._client.ask("ListAttempts", message, wire.ListAttemptsResponse)
        return [ATTEMPT.from_wire(each, key[0]) for each in reply.attempts]

    async def lines(self, key: TaskKey, after: int, limit: int) -> list[TaskLine]:
        """Lines of a task whose number is above `after`, in order."""
        message = wire.ListTaskLinesRequest(task_id=key[1], after=after, limit=limit)
        reply = await self._client.ask("ListTaskLines", message, wire.ListTaskLinesResponse)
        return [TASK_LINE.from_wire(each, key[0]) for each in reply.lines]

    async def list_timers(self, tenant: TenantId, execution_id: ExecutionId | None, limit: int) -> TimerPage:
        """Armed timers, the next to fire first."""
        message = wire.ListTimersRequest(execution_id=execution_id, limit=bounded(limit))
        reply = await self._client.ask("ListTimers", message, wire.ListTimersResponse)
        return TimerPage(tuple([TIMER.from_wire(each, tenant) for each in reply.timers]), reply.total)

    async def promises(self, key: ExecutionKey) -> list[Promise]:
        """The promises of an execution, in the order of their creation."""
        message = wire.ListPromisesRequest(execution_id=key[1])
        reply = await self._client.ask("ListPromises", message, wire.ListPromisesResponse)
        return [PROMISE.from_wire(each, key[0]) for each in reply.promises]

    async def queue_counts(self, _: TenantId) -> list[QueueCount]:
        """How much work waits and runs, by queue and kind."""
        reply = await self._client.ask("CountQueues", wire.CountQueuesRequest(), wire.CountQueuesResponse)
        return [QUEUE_COUNT.from_wire(each) for each in reply.counts]


def _cursor(reply: wire.ListWorkflowsResponse | wire.ListTasksResponse) -> Cursor | None:
    return CURSOR.from_wire(reply.next) if reply.HasField("next") else None
