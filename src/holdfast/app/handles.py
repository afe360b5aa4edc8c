"""Handles: what `start` and `submit_task` give, to wait for the end and look at what happened."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from holdfast.app.reading import DEFAULT_TIMEOUT
from holdfast.model.commands import DETERMINISM_VIOLATION
from holdfast.model.errors import (
    DeterminismViolation,
    TaskCancelled,
    TaskFailed,
    TaskTimedOut,
    WorkflowCancelled,
    WorkflowFailed,
    WorkflowTerminated,
)
from holdfast.model.events import Event
from holdfast.model.failures import Failure, decode_failure
from holdfast.model.ids import ExecutionId, TaskId
from holdfast.model.instants import DurationLike
from holdfast.model.records import Attempt, Execution, Task, TaskLine
from holdfast.model.statuses import ExecutionStatus, TaskStatus

if TYPE_CHECKING:
    from holdfast.app.asking import Asking
    from holdfast.ports.watches import Watch

T = TypeVar("T")

UNKNOWN_FAILURE = Failure("Error", "nothing is known about the failure")


class WorkflowHandle(Generic[T]):
    """One execution."""

    def __init__(
        self,
        holdfast: "Asking",
        execution_id: ExecutionId,
        *,
        decode: Callable[[bytes], object],
        watch: "Watch[Execution] | None" = None,
        created: bool = False,
    ) -> None:
        self._holdfast = holdfast
        self._decode = decode
        self._watch = watch
        self.id = execution_id
        self.created = created
        """Whether this very start made the execution; False if it was there already."""

    async def result(self, *, timeout: float | None = None) -> T:
        """Wait for the end; the result, or the error that says how it ended. TimeoutError leaves it running."""
        watch = self._watch
        if watch is None or (watch.record is not None and watch.record.status is not ExecutionStatus.COMPLETED):
            # What has failed may have been retried since.
            watch = self._watch = await self._holdfast.watch_execution(self.id)
        async with asyncio.timeout(timeout):
            execution = await watch.closed()
        return cast("T", self._result_of(execution))

    def _result_of(self, execution: Execution) -> object:
        failure = UNKNOWN_FAILURE if execution.failure is None else decode_failure(execution.failure)
        match execution.status:
            case ExecutionStatus.COMPLETED:
                return self._decode(execution.output or b"null")
            case ExecutionStatus.CANCELLED:
                raise WorkflowCancelled(self.id, failure.message)
            case ExecutionStatus.TERMINATED:
                raise WorkflowTerminated(self.id, failure.message)
            case _ if execution.failure_type == DETERMINISM_VIOLATION:
                raise DeterminismViolation(self.id, failure)
            case _:
                raise WorkflowFailed(self.id, failure)

    async def describe(self) -> Execution:
        """The execution's record as it is now."""
        return await self._holdfast.describe(self.id)

    async def history(self) -> list[Event]:
        """All events so far."""
        return await self._holdfast.history(self.id)

    async def signal(self, name: str, value: object = None, *, request_id: str = "") -> None:
        """Send the execution a signal."""
        await self._holdfast.signal(self.id, name, value, request_id=request_id)

    async def query(
        self,
        name: str,
        *args: object,
        type: object = object,  # noqa: A002 - what callers write: query("progress", type=Progress)
        timeout: DurationLike = DEFAULT_TIMEOUT,
    ) -> Any:
        """What the code says to a query, read as `type` (see Holdfast.query)."""
        return await self._holdfast.query(self.id, name, *args, type=type, timeout=timeout)

    async def cancel(self, reason: str = "") -> None:
        """Ask the execution to end."""
        await self._holdfast.cancel(self.id, reason)

    async def terminate(self, reason: str = "") -> None:
        """End the execution at once."""
        await self._holdfast.terminate(self.id, reason)

    async def retry(self, reason: str = "") -> None:
        """Let the failed execution go on from where it stands."""
        await self._holdfast.retry(self.id, reason)

    async def reset(
        self, *, to_sequence: int | None = None, to_before_task: str | None = None, reason: str = ""
    ) -> None:
        """Send the execution back to an event of its history, or to before a task; it goes on from there."""
        await self._holdfast.reset(self.id, to_sequence=to_sequence, to_before_task=to_before_task, reason=reason)

    def __repr__(self) -> str:
        return f"<WorkflowHandle {self.id}>"


class TaskHandle(Generic[T]):
    """One standalone task."""

    def __init__(
        self,
        holdfast: "Asking",
        task_id: TaskId,
        *,
        decode: Callable[[bytes], object],
        watch: "Watch[Task] | None" = None,
        created: bool = False,
    ) -> None:
        self._holdfast = holdfast
        self._decode = decode
        self._watch = watch
        self.id = task_id
        self.created = created
        """Whether this very submission made the task; False if its id or key was there already."""

    async def result(self, *, timeout: float | None = None) -> T:
        """Wait for the end; the result, or the error that says how it ended. TimeoutError leaves it running."""
        watch = self._watch
        if watch is None or (watch.record is not None and watch.record.status is not TaskStatus.COMPLETED):
            # What has failed may have been retried since.
            watch = self._watch = await self._holdfast.watch_task(self.id)
        async with asyncio.timeout(timeout):
            task = await watch.closed()
        return cast("T", self._result_of(task))

    def _result_of(self, task: Task) -> object:
        failure = UNKNOWN_FAILURE if task.failure is None else decode_failure(task.failure)
        match task.status:
            case TaskStatus.COMPLETED:
                return self._decode(task.output or b"null")
            case TaskStatus.CANCELLED:
                raise TaskCancelled(task.task_type, task.id)
            case TaskStatus.TIMED_OUT:
                raise TaskTimedOut(task.task_type, task.id, failure.message.removeprefix("overran its ").split()[0])
            case _:
                raise TaskFailed(task.task_type, task.id, failure)

    async def describe(self) -> Task:
        """The task's record as it is now."""
        return await self._holdfast.describe_task(self.id)

    async def attempts(self) -> list[Attempt]:
        """The tries that have ended."""
        return await self._holdfast.attempts(self.id)

    async def cancel(self, reason: str = "") -> None:
        """End the task, or ask its worker to."""
        await self._holdfast.cancel_task(self.id, reason)

    async def retry(self) -> None:
        """Let the failed task run again."""
        await self._holdfast.retry_task(self.id)

    def lines(self, *, follow: bool = True) -> AsyncIterator[TaskLine]:
        """Log lines and streamed items, in order; with `follow` until the task has ended."""
        return self._holdfast.task_lines(self.id, follow=follow)

    def __repr__(self) -> str:
        return f"<TaskHandle {self.id}>"
