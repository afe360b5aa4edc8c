"""A whole execution in a few lines: a log, a driver for its code, and hands for what happens outside."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import msgspec

from holdfast.model import commands as asked
from holdfast.model import events as told
from holdfast.model.commands import Command, Continuing, Outcome, Suspended
from holdfast.model.events import Event, EventData
from holdfast.model.failures import Failure
from holdfast.model.ids import DEFAULT_QUEUE, DEFAULT_TENANT, ExecutionId
from holdfast.model.instants import Instant
from holdfast.model.reset_rule import seen_at, standing
from holdfast.model.retry_rule import last_turn
from holdfast.sdk.failures import failure_of
from holdfast.sdk.payload import decode, encode
from holdfast.sdk.query_handlers import query_handler
from holdfast.sdk.replay.ports import Codec
from holdfast.sdk.replay.replayer import Replayed, replay
from holdfast.sdk.replay.run import Activation, PendingOperation, WorkflowRun
from holdfast.sdk.workflow_context import WorkflowContext

CODEC = Codec(encode=encode, decode=decode, failure_of=failure_of, handler=query_handler)
ID = ExecutionId("order-17")
START = 1_700_000_000_000
NULL = msgspec.Raw(b"null")

Function = Callable[[WorkflowContext], Coroutine[Any, Any, object]]


class Code:
    """A workflow's definition, as replay sees it."""

    kind = "checkout"
    queue: str | None = None
    timeout_ms = None

    def __init__(self, function: Function) -> None:
        self._function = function

    def invoke(self, context: WorkflowContext, _: bytes, /) -> object:
        return self._function(context)

    def encode_output(self, value: object, /) -> bytes:
        return encode(value, what="the result of workflow 'checkout'")


def raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))


open_runs: list[WorkflowRun] = []
"""Runs that a test has left suspended; conftest puts them away."""


def new_run(function: Function, execution_id: ExecutionId = ID) -> WorkflowRun:
    run = WorkflowRun(
        definition=Code(function), tenant=DEFAULT_TENANT, execution_id=execution_id, queue=DEFAULT_QUEUE, codec=CODEC
    )
    open_runs.append(run)
    return run


def first(pending: Sequence[PendingOperation]) -> PendingOperation:
    return pending[0]


def last(pending: Sequence[PendingOperation]) -> PendingOperation:
    return pending[-1]


class Execution:
    """One execution: its log, and a worker that keeps its code warm or drops it whenever it can."""

    def __init__(
        self,
        function: Function,
        *,
        evict: bool = False,
        evict_in_operations: bool = False,
        next_operation: Callable[[Sequence[PendingOperation]], PendingOperation] = first,
    ) -> None:
        self.function = function
        self.evict = evict
        self.evict_in_operations = evict_in_operations
        self.next_operation = next_operation
        self.events: list[Event] = []
        self.seen = 0
        self.now = START
        self.outcome: Outcome = Suspended()
        self.commands: list[Command] = []
        self.arrivals: list[EventData] = []
        """What comes in while operations run, one for each."""
        self.ended: set[str] = set()
        self._run: WorkflowRun | None = None
        self._turn_sequence = 0
        self.happens(told.WorkflowStarted(NULL))

    # The log.

    def happens(self, *data: EventData) -> "Execution":
        for each in data:
            self.now += 1000
            self._append(each)
        return self

    def _append(self, data: EventData) -> None:
        self.events.append(Event(len(self.events) + 1, Instant(self.now), data))

    @property
    def types(self) -> list[str]:
        return [event.type for event in self.events]

    def all_of(self, kind: type[EventData]) -> list[Any]:
        return [event.data for event in self.events if isinstance(event.data, kind)]

    # What happens outside, by position.

    def completes(self, *indexes: int, result: object = None) -> "Execution":
        for index in indexes:
            task = self.all_of(told.TaskScheduled)[index]
            self.happens(told.TaskCompleted(task.task_execution_id, task.task_type, raw(result)))
        return self

    def fails(self, index: int, message: str = "broken") -> "Execution":
        task = self.all_of(told.TaskScheduled)[index]
        failure = Failure("ValueError", message, attempts=1)
        return self.happens(told.TaskFailed(task.task_execution_id, task.task_type, failure))

    def fires(self, *indexes: int) -> "Execution":
        for index in indexes:
            self.happens(told.TimerFired(self.all_of(told.TimerStarted)[index].timer_id))
        return self

    def signals(self, name: str, value: object = None) -> "Execution":
        return self.happens(told.SignalReceived(name, raw(value)))

    def cancels(self, reason: str = "enough") -> "Execution":
        return self.happens(told.CancellationRequested(reason))

    def reset(self, point: int) -> "Execution":
        """Send the code back; it is in memory no more."""
        if self._run is not None:
            self._run.close()
            self._run = None
        self.happens(told.ResetRequested(point))
        self.seen = seen_at(standing(self.events))
        self.outcome = Suspended()
        return self

    def retry(self) -> "Execution":
        """What the engine does when a failed execution is retried."""
        turn = last_turn(self.events)
        self.happens(told.RetryRequested(to_sequence=turn.point))
        self.seen = turn.seen
        self.outcome = Suspended()
        return self

    # The worker.

    def activate(self) -> Outcome:
        """Let the code run until it has seen the whole log."""
        while True:
            self._activate_once()
            if not isinstance(self.outcome, Suspended) or self.seen == len(self.events):
                return self.outcome

    def _activate_once(self) -> None:
        run = self._run or new_run(self.function)
        activation = run.advance(self.events, seen_sequence=self.seen)
        pending: list[PendingOperation] = []
        while True:
            pending += activation.operations
            self._submit(run, activation.commands, activation)
            if not isinstance(activation.outcome, Continuing):
                break
            if self.arrivals:
                self.happens(self.arrivals.pop(0))
            operation = self.next_operation(pending)
            pending.remove(operation)
            result = run_operation(operation)
            self._submit(run, (operation.record(result),), activation)
            if self.evict_in_operations:
                run.close()
                run = new_run(self.function)
                pending = []
                activation = run.advance(self.events, seen_sequence=self.seen)
                continue
            run.complete_operation(operation.index, result)
            activation = run.proceed()
        self._keep(run, activation)

    def _keep(self, run: WorkflowRun, activation: Activation) -> None:
        self.outcome = activation.outcome
        self._run = run
        if self.evict or not isinstance(self.outcome, Suspended):
            run.close()
            self._run = None
        match self.outcome:
            case asked.Completed(output=output, warnings=warnings):
                self._append(told.WorkflowCompleted(msgspec.Raw(output), warnings))
            case asked.Failed() as failed:
                cause = failed.cause_sequence, failed.cause_operation, self._turn_sequence
                self._append(told.WorkflowFailed(failed.failure, failed.failure_type, *cause))
            case asked.Cancelled(reason=reason):
                self._append(told.WorkflowCancelled(reason))
            case _:
                pass

    def _submit(self, run: WorkflowRun, commands: Sequence[Command], activation: Activation) -> None:
        grown = len(self.events) > activation.last_seen_sequence
        self._turn_sequence = len(self.events)
        for command in commands:
            self.commands.append(command)
            self._accept(command)
        self.seen = activation.last_seen_sequence if grown else len(self.events)
        if not grown:
            run.recorded(len(self.events))

    def _accept(self, command: Command) -> None:  # noqa: C901 - one case for each command
        over = {
            getattr(event.data, field, None)
            for event in standing(self.events)
            for field in _ENDS.get(type(event.data), ())
        }
        match command:
            case asked.ScheduleTask():
                self._append(told.TaskScheduled(command.task_id, command.task_type, msgspec.Raw(command.input)))
            case asked.StartChild():
                self._append(
                    told.ChildWorkflowInitiated(
                        command.name, command.kind, command.execution_id, msgspec.Raw(command.input)
                    )
                )
            case asked.StartTimer():
                self._append(told.TimerStarted(command.timer_id, command.duration_ms, command.fire_at))
            case asked.CreatePromise():
                self._append(told.PromiseCreated(command.promise_id, command.name, command.timeout_ms))
            case asked.SetState():
                self._append(told.StateSet(command.key, msgspec.Raw(command.value)))
            case asked.ClearState():
                self._append(told.StateCleared(command.key))
            case asked.MarkPatch():
                self._append(told.PatchMarked(command.patch_id))
            case asked.RecordOperation(result=None, failure=Failure() as failure):
                self._append(told.OperationFailed(command.name, command.index, failure))
            case asked.RecordOperation(result=bytes() as result):
                self._append(told.OperationCompleted(command.name, command.index, msgspec.Raw(result)))
            case asked.CancelTimer() if command.timer_id not in over:
                self._append(told.TimerCancelled(command.timer_id))
            case asked.ResolvePromise() if command.promise_id not in over:
                self._append(told.PromiseResolved(command.promise_id, msgspec.Raw(command.value)))
            case asked.CancelTask() if command.task_id not in over:
                self._append(told.TaskCancellationRequested(command.task_id))
            case asked.CancelChild() if command.execution_id not in over:
                self._append(told.ChildCancellationRequested(command.execution_id))

    # The same log, read again.

    def replayed(self, function: Function | None = None) -> Replayed:
        return replay(Code(function or self.function), self.events, execution_id=ID, codec=CODEC)

    def result(self) -> object:
        assert isinstance(self.outcome, asked.Completed), self.outcome
        return msgspec.json.decode(self.outcome.output)

    def check(self) -> "Execution":
        """Replaying the log cold gives no commands and ends the same."""
        replayed = self.replayed()
        assert replayed.violation is None, replayed.violation
        assert replayed.commands == ()
        assert replayed.operations == ()
        assert same_outcome(replayed.outcome, self.outcome)
        return self


_ENDS: dict[type[EventData], tuple[str, ...]] = {
    told.TaskCompleted: ("task_execution_id",),
    told.TaskFailed: ("task_execution_id",),
    told.TaskCancelled: ("task_execution_id",),
    told.TaskCancellationRequested: ("task_execution_id",),
    told.TimerFired: ("timer_id",),
    told.TimerCancelled: ("timer_id",),
    told.PromiseResolved: ("promise_id",),
    told.PromiseRejected: ("promise_id",),
    told.PromiseTimedOut: ("promise_id",),
    told.ChildWorkflowCompleted: ("child_workflow_execution_id",),
    told.ChildWorkflowFailed: ("child_workflow_execution_id",),
    told.ChildWorkflowCancelled: ("child_workflow_execution_id",),
    told.ChildCancellationRequested: ("child_workflow_execution_id",),
}


def same_outcome(one: Outcome, other: Outcome) -> bool:
    if isinstance(one, asked.Failed) and isinstance(other, asked.Failed):
        return (one.failure.type, one.failure.message) == (other.failure.type, other.failure.message)
    return one == other


def run_operation(operation: PendingOperation) -> bytes | Failure:
    """What a worker does with the function of a ctx.run."""
    try:
        value = operation.function()
        if asyncio.iscoroutine(value):
            value = asyncio.run(value)
    except Exception as error:  # noqa: BLE001 - the worker's edge: what user code raises becomes a failure
        return failure_of(error)
    return encode(value, what=operation.name)


def started(function: Function, **options: Any) -> Execution:
    """An execution whose code has had its first activation."""
    execution = Execution(function, **options)
    execution.activate()
    return execution
