"""One execution's code in memory: events in, activations out.

Protocol of the driver (a worker, or replayer.py):

1. `advance(events)` with all that is in the log and was not given before. The activation's commands and outcome are
   submitted as one transaction; if the log turns out to have nothing unseen, `recorded(last_sequence)`.
2. While the outcome is Continuing, operations are outstanding. The driver runs those it is handed, all at once. As one
   ends it submits `operation.record(result)` with outcome Continuing; when that is on disk it calls
   `complete_operation(index, result)` in the order of the records, and `proceed()` for the next activation.
3. Suspended: keep the run, or `close()` it and replay later. Completed, Failed, Cancelled: submit, then drop the run.

`seen_sequence` is what an earlier activation has processed: up to there, `ctx.is_replaying`.
"""

import contextvars
from collections.abc import Awaitable, Sequence

from holdfast.model.events import Event, OperationCompleted, OperationFailed
from holdfast.model.failures import Failure
from holdfast.model.ids import ExecutionId, QueueName, TenantId
from holdfast.model.reset_rule import standing
from holdfast.sdk.replay.journal import Journal
from holdfast.sdk.replay.loop import LoopTask
from holdfast.sdk.replay.machine import Machine
from holdfast.sdk.replay.operations import PendingOperation
from holdfast.sdk.replay.outcomes import Activation, has_ended, outcome_of
from holdfast.sdk.replay.ports import Codec, WorkflowLike
from holdfast.sdk.replay.violations import Violation
from holdfast.sdk.workflow_context import WorkflowContext

__all__ = ["Activation", "PendingOperation", "WorkflowRun"]


class WorkflowRun:
    """The suspended or running code of one execution."""

    __slots__ = ("_context", "_definition", "_journal", "_last", "_machine", "trace")

    def __init__(
        self,
        *,
        definition: WorkflowLike[WorkflowContext],
        tenant: TenantId,
        execution_id: ExecutionId,
        queue: QueueName,
        codec: Codec,
        parent_id: ExecutionId | None = None,
    ) -> None:
        self._definition = definition
        self._journal = Journal(tenant=tenant, execution_id=execution_id, codec=codec)
        self._machine = Machine(self._journal, self._begin)
        self._context = WorkflowContext(self._machine, kind=definition.kind, queue=queue, parent_id=parent_id)
        self._last: Activation | None = None
        self.trace: str | None = None
        """The trace that the execution is a part of: the driver's to keep here; the code does not see it."""

    @property
    def violation(self) -> Violation | None:
        """Where the code and its history part, if they do."""
        return self._journal.violation

    @property
    def last_sequence(self) -> int:
        """The last event that the run has been given."""
        return self._journal.history.last_sequence

    def advance(self, events: Sequence[Event], *, seen_sequence: int) -> Activation:
        """Give the code the events that follow those given before, and run it as far as it goes.

        They end the log: whatever the code asks for beyond them is new. Events that were given before are skipped.
        A reset or a retry can be heard of only in the whole log: code in memory has done what is void now.
        """
        self._journal.seen_sequence = seen_sequence
        history = self._journal.history
        given = history.last_sequence
        for event in events if given else standing(events):
            if event.sequence <= given:
                continue
            history.add(event)
            data = event.data
            if isinstance(data, OperationCompleted | OperationFailed):
                self._machine.operations.learn(data.operation_index)
        return self.proceed()

    def complete_operation(self, index: int, result: bytes | Failure) -> None:
        """The function of an operation has ended, and the record of it is on disk."""
        self._machine.operations.complete(index, result)

    def proceed(self) -> Activation:
        """Go on with what has been given."""
        if self._last is not None:
            return self._last
        machine, journal = self._machine, self._journal
        self._run()
        outcome = outcome_of(machine, self._definition.encode_output)
        last_sequence = journal.history.last_sequence
        if has_ended(machine):
            self._last = Activation((), outcome, (), last_sequence)
            commands = journal.take_commands()
            self._put_away()
            return Activation(commands, outcome, (), last_sequence)
        return Activation(journal.take_commands(), outcome, machine.operations.take_unstarted(), last_sequence)

    def recorded(self, last_sequence: int) -> None:
        """A submit was accepted and nothing unseen lies before it: the log now ends here."""
        self._journal.history.last_sequence = last_sequence

    def answer(self, query: str, data: bytes) -> bytes:
        """What the code says to a query; also when it has ended, as long as the run is not closed."""
        return self._machine.queries.answer(query, data)

    def close(self) -> None:
        """Put the code away: its finally blocks run, and nothing that they ask for has any effect."""
        self._put_away()
        self._machine.queries.forget()

    def _put_away(self) -> None:
        if not self._journal.is_closed:
            self._journal.is_closed = True
            self._journal.loop.shut_down()
            self._machine.put_away()

    def _begin(self, data: bytes) -> LoopTask[object]:
        async def workflow() -> object:
            result = self._definition.invoke(self._context, data)
            return await result if isinstance(result, Awaitable) else result

        return self._journal.loop.create_task(workflow(), context=contextvars.Context())

    def _run(self) -> None:
        machine, loop, pending = self._machine, self._journal.loop, self._journal.history.pending
        while not has_ended(machine):
            if machine.operations.apply_next():
                pass
            elif machine.operations.outstanding or not pending:
                return
            elif not machine.apply(pending.popleft()):
                continue
            loop.run_until_idle()
