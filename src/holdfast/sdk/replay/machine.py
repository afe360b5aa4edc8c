"""All machines of one execution, and which of them an event goes to."""

from collections.abc import Callable, Iterator
from typing import Any

from holdfast.model import events
from holdfast.model.events import Event, EventData
from holdfast.model.ids import DerivedIds
from holdfast.model.instants import Instant
from holdfast.sdk.replay.chance import Chance
from holdfast.sdk.replay.children import ChildEnd, ChildMachine
from holdfast.sdk.replay.journal import Journal
from holdfast.sdk.replay.loop import LoopTask
from holdfast.sdk.replay.operations import OperationMachine
from holdfast.sdk.replay.patches import PatchMachine
from holdfast.sdk.replay.promises import PromiseEnd, PromiseMachine
from holdfast.sdk.replay.queries import QueryMachine
from holdfast.sdk.replay.signals import SignalMachine
from holdfast.sdk.replay.state import StateMachine
from holdfast.sdk.replay.tasks import TaskEnd, TaskMachine
from holdfast.sdk.replay.timers import TimerEnd, TimerMachine
from holdfast.sdk.replay.unlinking import clear_frames, error_of


class Machine:
    """What the code of one execution talks to."""

    __slots__ = (
        "begin", "cancellation_reason", "chance", "children", "journal", "main", "operations", "patches", "promises",
        "queries", "signals", "state", "tasks", "timers",
    )  # fmt: skip

    def __init__(self, journal: Journal, begin: Callable[[bytes], LoopTask[object]]) -> None:
        self.journal = journal
        self.begin: Callable[[bytes], LoopTask[object]] | None = begin
        self.main: LoopTask[object] | None = None
        self.cancellation_reason: str | None = None
        self.chance = Chance(journal.tenant, journal.execution_id)
        self.tasks = TaskMachine(journal)
        self.children = ChildMachine(journal)
        self.timers = TimerMachine(journal)
        self.promises = PromiseMachine(journal)
        self.operations = OperationMachine(journal)
        self.state = StateMachine(journal)
        self.signals = SignalMachine(journal)
        self.patches = PatchMachine(journal)
        self.queries = QueryMachine(journal)
        journal.loop.alarms = self.timers

    def put_away(self) -> None:
        """The code has been put away, and waits for nothing.

        Machines and the futures that they gave out hold each other. Left so, each run that is dropped would be there
        for the garbage collector to find, which was a third of all work with many sleepers.
        """
        for machine in (self.tasks, self.children, self.timers, self.promises, self.operations, self.signals):
            machine.put_away()
        self.journal.loop.halt()
        main, self.main = self.main, None
        if main is not None and main.done() and (error := error_of(main)) is not None:
            clear_frames(error)

    def apply(self, event: Event) -> bool:
        """Apply an event from outside; False if it means nothing to the code, which then does not see its time."""
        data = event.data
        if not _APPLY[type(data)](self, event, data):
            return False
        journal = self.journal
        journal.move(event.sequence)
        if event.time > journal.loop.now:
            journal.loop.now = event.time
        return True

    def start(self, event: Event, data: events.WorkflowStarted) -> bool:
        """The code begins."""
        journal = self.journal
        rounds = range(journal.history.sent_back + 1)
        *former, journal.ids = (
            DerivedIds(journal.tenant, journal.execution_id, Instant(event.time), number) for number in rounds
        )
        journal.former_ids = tuple(former)
        assert self.begin is not None
        # What is kept no longer would keep the run in a cycle, for the garbage collector to find.
        begin, self.begin = self.begin, None
        self.main = begin(bytes(data.input))
        return True

    def cancel(self, data: events.CancellationRequested) -> bool:
        """Cancel the code, once."""
        assert self.main is not None
        if self.cancellation_reason is not None:
            return False
        self.cancellation_reason = data.reason
        return self.main.cancel(data.reason)

    def unfinished(self) -> Iterator[str]:
        """What the code started and did not wait for."""
        yield from self.tasks.unfinished()
        yield from self.children.unfinished()

    def unasked(self) -> Iterator[str]:
        """What is recorded and was not asked for again."""
        for machine in (self.tasks, self.children, self.timers, self.operations, self.promises, self.state):
            yield from machine.unasked()


_Apply = Callable[[Machine, Event, Any], bool]


def _task(machine: Machine, _: Event, data: TaskEnd) -> bool:
    return machine.tasks.end(data)


def _child(machine: Machine, _: Event, data: ChildEnd) -> bool:
    return machine.children.end(data)


def _timer(machine: Machine, _: Event, data: TimerEnd) -> bool:
    return machine.timers.end(data)


def _promise(machine: Machine, _: Event, data: PromiseEnd) -> bool:
    return machine.promises.end(data)


_APPLY: dict[type[EventData], _Apply] = {
    events.WorkflowStarted: Machine.start,
    events.SignalReceived: lambda machine, _, data: machine.signals.receive(data),
    events.CancellationRequested: lambda machine, _, data: machine.cancel(data),
    **dict.fromkeys((events.TaskCompleted, events.TaskFailed, events.TaskTimedOut, events.TaskCancelled), _task),
    **dict.fromkeys((events.ChildWorkflowCompleted, events.ChildWorkflowFailed, events.ChildWorkflowCancelled), _child),
    **dict.fromkeys((events.TimerFired, events.TimerCancelled), _timer),
    **dict.fromkeys((events.PromiseResolved, events.PromiseRejected, events.PromiseTimedOut), _promise),
}
