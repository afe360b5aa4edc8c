"""The child machine: initiated, then completed, failed or cancelled."""

from collections.abc import Callable, Iterator

from holdfast.model import events
from holdfast.model.commands import CancelChild, StartChild
from holdfast.model.errors import ChildFailed
from holdfast.model.failures import Failure
from holdfast.model.ids import ExecutionId
from holdfast.model.instants import Milliseconds
from holdfast.model.statuses import ExecutionStatus
from holdfast.sdk.replay.futures import DurableFuture, abandon
from holdfast.sdk.replay.journal import Journal

ChildEnd = events.ChildWorkflowCompleted | events.ChildWorkflowFailed | events.ChildWorkflowCancelled


class ChildMachine:
    """The children of one execution."""

    __slots__ = ("_early", "_journal", "_made", "_open")

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._made = 0
        self._open: dict[str, DurableFuture[object]] = {}
        self._early: dict[str, ChildEnd] = {}

    def put_away(self) -> None:
        """Nobody waits any more."""
        abandon(self._open.values())
        self._open.clear()

    def start(
        self,
        name: str,
        kind: str,
        data: bytes,
        decode: Callable[[bytes], object],
        *,
        queue: str | None,
        timeout_ms: Milliseconds | None,
    ) -> DurableFuture[object]:
        """The next child."""
        journal = self._journal
        index = self._made
        self._made = index + 1
        recorded = journal.history.children
        if index < len(recorded):
            child_id = self._match(index, recorded[index], name, kind)
        else:
            child_id = journal.ids.child(index)
            journal.commands.append(StartChild(child_id, name, kind, data, queue, timeout_ms))
        future: DurableFuture[object] = DurableFuture(
            journal.loop, id=child_id, name=name, decode=decode, on_cancel=self._cancel
        )
        self._open[child_id] = future
        if child_id in self._early:
            journal.loop.call_soon(self.end, self._early.pop(child_id))
        return future

    def _match(self, index: int, recorded: events.ChildWorkflowInitiated, name: str, kind: str) -> ExecutionId:
        if (recorded.child_execution_name, recorded.child_workflow_kind) != (name, kind):
            self._journal.violate(
                f"ChildWorkflow({index})",
                f"child {recorded.child_execution_name!r} of workflow {recorded.child_workflow_kind!r}",
                f"child {name!r} of workflow {kind!r}",
            )
        return recorded.child_workflow_execution_id

    def _cancel(self, future: DurableFuture[object]) -> None:
        self._open.pop(future.id, None)
        if future.id not in self._journal.history.over:
            self._journal.ask(CancelChild(ExecutionId(future.id)))

    def end(self, data: ChildEnd) -> bool:
        """Give a child's end to the code; False if it does not wait for it."""
        future = self._open.pop(data.child_workflow_execution_id, None)
        if future is None:
            self._early[data.child_workflow_execution_id] = data
            return False
        match data:
            case events.ChildWorkflowCompleted(output=output):
                future.resolve(bytes(output))
            case events.ChildWorkflowFailed(error=error, failure_type=failure_type):
                terminated = failure_type == ExecutionStatus.TERMINATED
                status = ExecutionStatus.TERMINATED if terminated else ExecutionStatus.FAILED
                future.fail(ChildFailed(future.name, future.id, status, error))
            case _:
                failure = Failure("Cancelled", data.reason, retryable=False)
                future.fail(ChildFailed(future.name, future.id, ExecutionStatus.CANCELLED, failure))
        return True

    def unfinished(self) -> Iterator[str]:
        """The children whose end the code did not wait for."""
        return (f"child {future.name!r} ({future.id})" for future in self._open.values())

    def unasked(self) -> Iterator[str]:
        """What is recorded and was not asked for again."""
        recorded = self._journal.history.children
        return (
            f"ChildWorkflow({index}) {recorded[index].child_execution_name!r}"
            for index in range(self._made, len(recorded))
        )
