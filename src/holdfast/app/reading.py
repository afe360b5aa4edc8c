"""Everything that can be asked about what there is."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from typing import Any, TypeVar, overload

import msgspec

from holdfast.model.errors import InvalidArgument, TaskNotFound, WorkflowNotFound
from holdfast.model.events import Event
from holdfast.model.ids import ExecutionId, QueueName, TaskId, TenantId
from holdfast.model.instants import DurationLike
from holdfast.model.queries import (
    Cursor,
    ExecutionFilter,
    ExecutionPage,
    HistoryWanted,
    QueueCount,
    TaskFilter,
    TaskPage,
    TimerPage,
)
from holdfast.model.records import Attempt, Execution, Promise, Task, TaskLine
from holdfast.model.statuses import ExecutionStatus, TaskStatus
from holdfast.model.workers import WorkerRecord
from holdfast.model.workflow_queries import DEFAULT_QUERY_TIMEOUT, QueryWorkflow
from holdfast.ports.engine import Engine
from holdfast.ports.watches import Watch
from holdfast.sdk.payload import decode, encode
from holdfast.sdk.replay.options import duration_ms

# Inside the class below, `list` is the verb.
Events = list[Event]
Promises = list[Promise]
Attempts = list[Attempt]
QueueCounts = list[QueueCount]
WorkerRecords = list[WorkerRecord]

T = TypeVar("T")

DEFAULT_TIMEOUT = timedelta(milliseconds=DEFAULT_QUERY_TIMEOUT)
HISTORY_PAGE = 5_000
LINES_PAGE = 500
LOOK_FOR_LINES = 0.1
"""Seconds between two looks for new lines of a task that is followed."""


class Reading:
    """The questions of a Holdfast."""

    def __init__(self, engine: Engine, tenant: TenantId) -> None:
        self._engine = engine
        self.tenant = tenant

    async def describe(self, execution_id: str) -> Execution:
        """An execution's record."""
        execution = await self._engine.reads.execution((self.tenant, ExecutionId(execution_id)))
        if execution is None:
            raise WorkflowNotFound(execution_id, self.tenant)
        return execution

    async def list(
        self,
        *,
        kind: str | None = None,
        status: ExecutionStatus | Sequence[ExecutionStatus] = (),
        parent_id: str | None = None,
        limit: int = 50,
        after: Cursor | None = None,
    ) -> ExecutionPage:
        """Executions, newest first."""
        wanted = ExecutionFilter(
            self.tenant,
            kind=kind,
            statuses=(status,) if isinstance(status, ExecutionStatus) else tuple(status),
            parent_id=None if parent_id is None else ExecutionId(parent_id),
            limit=limit,
            after=after,
        )
        return await self._engine.reads.list_executions(wanted)

    async def history(self, execution_id: str, *, after: int = 0) -> Events:
        """All events of an execution after a sequence number."""
        execution = await self.describe(execution_id)
        events: Events = []
        while not events or events[-1].sequence < execution.last_sequence:
            start = events[-1].sequence if events else after
            if start >= execution.last_sequence:
                break
            wanted = HistoryWanted(self.tenant, execution.id, start, HISTORY_PAGE)
            events += (await self._engine.histories([wanted]))[0]
        return events

    async def state(self, execution_id: str) -> dict[str, object]:
        """The state that an execution's code has set."""
        execution = await self.describe(execution_id)
        snapshot = await self._engine.reads.state((self.tenant, execution.id))
        return {key: msgspec.json.decode(value) for key, value in snapshot.entries.items()}

    async def promises(self, execution_id: str) -> Promises:
        """The promises of an execution."""
        execution = await self.describe(execution_id)
        return await self._engine.reads.promises((self.tenant, execution.id))

    async def timers(self, execution_id: str | None = None, *, limit: int = 100) -> TimerPage:
        """Armed timers, the next to fire first."""
        wanted = None if execution_id is None else ExecutionId(execution_id)
        return await self._engine.reads.list_timers(self.tenant, wanted, limit)

    async def describe_task(self, task_id: str) -> Task:
        """A task's record."""
        task = await self._engine.reads.task((self.tenant, TaskId(task_id)))
        if task is None:
            raise TaskNotFound(task_id, self.tenant)
        return task

    async def list_tasks(
        self,
        *,
        execution_id: str | None = None,
        task_type: str | None = None,
        queue: str | None = None,
        status: TaskStatus | Sequence[TaskStatus] = (),
        limit: int = 50,
        after: Cursor | None = None,
    ) -> TaskPage:
        """The tasks of an execution, or else standalone tasks; newest first."""
        wanted = TaskFilter(
            self.tenant,
            execution_id=None if execution_id is None else ExecutionId(execution_id),
            task_type=task_type,
            queue=None if queue is None else QueueName(queue),
            statuses=(status,) if isinstance(status, TaskStatus) else tuple(status),
            limit=limit,
            after=after,
        )
        return await self._engine.reads.list_tasks(wanted)

    async def attempts(self, task_id: str) -> Attempts:
        """The tries of a task that have ended."""
        task = await self.describe_task(task_id)
        return await self._engine.reads.attempts((self.tenant, task.id))

    async def task_lines(self, task_id: str, *, after: int = 0, follow: bool = False) -> AsyncIterator[TaskLine]:
        """Log lines and streamed items of a task, in order; with `follow` until the task has ended."""
        while True:
            task = await self.describe_task(task_id)
            page = await self._engine.reads.lines((self.tenant, task.id), after, LINES_PAGE)
            for line in page:
                yield line
                after = line.number
            if page:
                continue
            if not follow or task.closed:
                return
            await asyncio.sleep(LOOK_FOR_LINES)

    @overload
    async def query(
        self, execution_id: str, name: str, *args: object, type: type[T], timeout: DurationLike = ...
    ) -> T: ...

    @overload
    async def query(
        self, execution_id: str, name: str, *args: object, type: object = ..., timeout: DurationLike = ...
    ) -> Any: ...

    async def query(
        self,
        execution_id: str,
        name: str,
        *args: object,
        type: object = object,  # noqa: A002 - what callers write: query(id, "progress", type=Progress)
        timeout: DurationLike = DEFAULT_TIMEOUT,
    ) -> Any:
        """Ask the code of an execution, open or closed: what its handler of this name says, read as `type`.

        A handler of one parameter takes one value as input, one of several a dict by parameter name. Nothing of it is
        kept. QueryNotFound lists the names that there are; NoWorker: nobody who runs the kind is connected here;
        QueryFailed: the handler raised; QueryTimedOut.
        """
        if len(args) > 1:
            raise InvalidArgument(f"query {name!r} takes one JSON value as input, not {len(args)}; give it a dict")
        given = encode(args[0] if args else None, what=f"the input of query {name!r}")
        limit = duration_ms(timeout, "timeout")
        answer = await self._engine.query(QueryWorkflow(self.tenant, ExecutionId(execution_id), name, given, limit))
        return decode(answer, type, what=f"the answer to query {name!r}")

    async def queues(self) -> QueueCounts:
        """Open work by queue and kind."""
        return await self._engine.reads.queue_counts(self.tenant)

    async def workers(self) -> WorkerRecords:
        """The workers that are connected to the server, or are in this process; the last that was heard of first."""
        return await self._engine.workers(self.tenant)

    async def watch_execution(self, execution_id: str) -> Watch[Execution]:
        """A watch on an execution that exists."""
        watch = self._engine.executions.watch((self.tenant, execution_id))
        execution = await self.describe(execution_id)
        if execution.closed:
            watch.settle(execution)
        return watch

    async def watch_task(self, task_id: str) -> Watch[Task]:
        """A watch on a task that exists."""
        watch = self._engine.tasks.watch((self.tenant, task_id))
        task = await self.describe_task(task_id)
        if task.closed:
            watch.settle(task)
        return watch
