"""The task machine: scheduled, then completed, failed, timed out or cancelled."""

from collections.abc import Callable, Iterator

from holdfast.model import errors, events
from holdfast.model.commands import CancelTask, ScheduleTask
from holdfast.model.ids import TaskId
from holdfast.sdk.replay.futures import DurableFuture, abandon
from holdfast.sdk.replay.journal import Journal
from holdfast.sdk.replay.scheduling import Scheduling

TaskEnd = events.TaskCompleted | events.TaskFailed | events.TaskTimedOut | events.TaskCancelled


class TaskMachine:
    """The tasks of one execution."""

    __slots__ = ("_early", "_journal", "_made", "_open")

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._made = 0
        self._open: dict[str, DurableFuture[object]] = {}
        self._early: dict[str, TaskEnd] = {}

    def put_away(self) -> None:
        """Nobody waits any more."""
        abandon(self._open.values())
        self._open.clear()
        """Ends that came before the code, since changed, asked for their tasks."""

    def schedule(
        self,
        task_type: str,
        data: bytes,
        decode: Callable[[bytes], object],
        how: Scheduling,
    ) -> DurableFuture[object]:
        """The next task."""
        journal = self._journal
        index = self._made
        self._made = index + 1
        recorded = journal.history.tasks
        if index < len(recorded):
            task_id = self._match(index, recorded[index], task_type)
        else:
            task_id = journal.ids.task(index)
            journal.commands.append(
                ScheduleTask(
                    task_id, task_type, data, how.queue, how.options, how.priority, how.delay_ms, how.idempotency_key
                )
            )
        future: DurableFuture[object] = DurableFuture(
            journal.loop, id=task_id, name=task_type, decode=decode, on_cancel=self._cancel
        )
        self._open[task_id] = future
        if task_id in self._early:
            journal.loop.call_soon(self.end, self._early.pop(task_id))
        return future

    def _match(self, index: int, recorded: events.TaskScheduled, task_type: str) -> TaskId:
        if recorded.task_type != task_type:
            self._journal.violate(f"Task({index})", f"task {recorded.task_type!r}", f"task {task_type!r}")
        return recorded.task_execution_id

    def _cancel(self, future: DurableFuture[object]) -> None:
        self._open.pop(future.id, None)
        if future.id not in self._journal.history.over:
            self._journal.ask(CancelTask(TaskId(future.id)))

    def end(self, data: TaskEnd) -> bool:
        """Give a task's end to the code; False if it does not wait for it."""
        future = self._open.pop(data.task_execution_id, None)
        if future is None:
            self._early[data.task_execution_id] = data
            return False
        match data:
            case events.TaskCompleted(result=result):
                future.resolve(bytes(result))
            case events.TaskFailed(error=error):
                future.fail(errors.TaskFailed(data.task_type, future.id, error))
            case events.TaskTimedOut(timeout_type=timeout_type):
                future.fail(errors.TaskTimedOut(data.task_type, future.id, timeout_type))
            case _:
                future.fail(errors.TaskCancelled(data.task_type, future.id, data.reason))
        return True

    def unfinished(self) -> Iterator[str]:
        """The tasks whose end the code did not wait for."""
        return (f"task {future.name!r} ({future.id})" for future in self._open.values())

    def unasked(self) -> Iterator[str]:
        """What is recorded and was not asked for again."""
        recorded = self._journal.history.tasks
        return (f"Task({index}) {recorded[index].task_type!r}" for index in range(self._made, len(recorded)))
