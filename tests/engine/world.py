"""The engine over rows in memory, with a clock that tests move: what every test of the engine starts from."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from holdfast.model.commands import Command, Suspended
from holdfast.model.commands import Outcome as ActivationOutcome
from holdfast.model.errors import HoldfastError
from holdfast.model.failures import Failure
from holdfast.model.ids import DEFAULT_QUEUE, DEFAULT_TENANT, ClaimToken, ExecutionId, TaskId, TimerId, WorkerId
from holdfast.model.instants import Instant
from holdfast.model.records import Execution, Promise, Task, Timer
from holdfast.model.requests import (
    ActivationAccepted,
    ExecutionClaim,
    FireDue,
    NewTask,
    Offer,
    Request,
    StartWorkflow,
    SubmitActivation,
    SubmitTasks,
    TaskClaim,
)
from holdfast.ports.store import Changes
from holdfast.server.batch import Batch, Outcome
from holdfast.testing.clock import ManualClock
from holdfast.testing.rows import MemoryRows

TENANT, QUEUE = DEFAULT_TENANT, DEFAULT_QUEUE
KINDS = frozenset({"order", "child"})
TASK_TYPES = frozenset({"charge", "pack"})
ORDER = ExecutionId("order-1")
BOOM = Failure("ValueError", "boom")
SUSPENDED = Suspended()

Reply = TypeVar("Reply")


def task_id(number: int) -> TaskId:
    return TaskId(f"00000000-0000-4000-8000-{number:012d}")


def timer_id(number: int) -> TimerId:
    return TimerId(f"timer-{number}")


class Middle:
    """Chance that is always in the middle: retries come without jitter."""

    def random(self) -> float:
        return 0.5

    def getrandbits(self, k: int, /) -> int:
        return 0


class World:
    """A store, a clock, and the engine between them."""

    def __init__(self, rows: MemoryRows | None = None) -> None:
        self.rows = MemoryRows() if rows is None else rows
        self.clock = ManualClock()
        self.rounds = 0

    # What is there.

    @property
    def now(self) -> Instant:
        return self.clock.now()

    def execution(self, identity: str = ORDER) -> Execution:
        return self.rows.executions[TENANT, ExecutionId(identity)]

    def task(self, number: int = 1) -> Task:
        return self.rows.tasks[TENANT, task_id(number)]

    def timer(self, number: int = 1) -> Timer:
        return self.rows.timers[TENANT, timer_id(number)]

    def promise(self, identity: str = "promise-1") -> Promise:
        return self.rows.promises[TENANT, identity]  # type: ignore[index]  # tests write ids as plain text

    def events(self, identity: str = ORDER) -> list[str]:
        """The types of an execution's events."""
        return [event.type for event in self.rows.history[TENANT, ExecutionId(identity)]]

    # Acting on it.

    def commit(
        self,
        *requests: Request[object],
        executions_for: Sequence[Offer] = (),
        tasks_for: Sequence[Offer] = (),
    ) -> Outcome:
        """Carry a batch out, as a store does."""
        batch = Batch(
            requests=requests,
            execution_offers=executions_for,
            task_offers=tasks_for,
            executions_wait=[True] * len(executions_for),
            tasks_wait=[True] * len(tasks_for),
            clock=self.clock,
            chance=Middle(),
        )
        answer = batch.decide(self.rows.load(batch.wanted))
        self.rounds = 1
        while not isinstance(answer, Changes):
            answer = batch.decide(self.rows.load(answer))
            self.rounds += 1
        self.rows.write(answer)
        assert batch.outcome is not None
        return batch.outcome

    def ask(self, request: Request[Reply]) -> Reply:
        """The reply to a request; its refusal is raised."""
        (reply,) = self.commit(request).replies
        if isinstance(reply, HoldfastError):
            raise reply
        return reply  # type: ignore[return-value]  # the engine answers each request with its own type

    def wait(self, milliseconds: int) -> None:
        """Let time pass, and act on what has become due."""
        self.clock.set(Instant(self.now + milliseconds))
        self.sweep()

    def sweep(self) -> int:
        """Act on what is due now."""
        return self.ask(FireDue(TENANT, 512)).count

    # Shortcuts to states that tests begin from.

    def start(self, identity: str = ORDER, timeout_ms: int | None = None) -> None:
        self.ask(StartWorkflow(TENANT, ExecutionId(identity), "order", b"1", QUEUE, timeout_ms=timeout_ms))  # type: ignore[arg-type]  # plain milliseconds

    def claim(self, worker: str = "w1") -> ExecutionClaim:
        """Claim the oldest execution that is ready."""
        ((claim,),) = self.commit(executions_for=[offer(worker)]).executions_given
        return claim

    def claim_task(self, worker: str = "w1") -> TaskClaim:
        """Claim the first task that is ready."""
        ((claim,),) = self.commit(tasks_for=[task_offer(worker)]).tasks_given
        return claim

    def activate(
        self, *commands: Command, outcome: ActivationOutcome = SUSPENDED, claim: ExecutionClaim | None = None
    ) -> ActivationAccepted:
        """Claim the oldest execution that is ready, and submit one activation of it."""
        return self.ask(activation(claim or self.claim(), *commands, outcome=outcome))

    def submit_task(self, number: int = 1, **options: object) -> None:
        """Make a standalone task."""
        new = NewTask(task_id(number), "charge", b"1", QUEUE, **options)  # type: ignore[arg-type]  # options by name
        self.ask(SubmitTasks(TENANT, (new,)))


def activation(
    claim: ExecutionClaim,
    *commands: Command,
    outcome: ActivationOutcome = SUSPENDED,
    token: int | None = None,
    seen: int | None = None,
) -> SubmitActivation:
    """What a worker submits for a claim; by default it has seen all that the claim showed."""
    return SubmitActivation(
        TENANT,
        claim.execution_id,
        claim.token if token is None else ClaimToken(token),
        claim.last_sequence if seen is None else seen,
        commands,
        outcome,
    )


def offer(worker: str = "w1", slots: int = 1, kinds: Iterable[str] = KINDS) -> Offer:
    return Offer(TENANT, WorkerId(worker), QUEUE, frozenset(kinds), slots)


def task_offer(worker: str = "w1", slots: int = 1, types: Iterable[str] = TASK_TYPES) -> Offer:
    return Offer(TENANT, WorkerId(worker), QUEUE, frozenset(types), slots)
