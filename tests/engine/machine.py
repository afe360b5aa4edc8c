"""The engine under random requests: what is asked is drawn by Hypothesis, and what must follow is checked each time.

The machine plays clients, workers and the scheduler. It remembers only what they would know: the claims that they were
given, also those that they have lost since, and the messages that were accepted.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from holdfast.model import commands as ask
from holdfast.model import events, requests
from holdfast.model.commands import Command, Outcome, TaskOptions
from holdfast.model.errors import HoldfastError, StaleClaim
from holdfast.model.events import Event
from holdfast.model.ids import ClaimToken, ExecutionId, PromiseId, TaskId, TimerId, WorkerId
from holdfast.model.instants import Instant, Milliseconds
from holdfast.model.requests import Request
from holdfast.model.reset_rule import points, sends_back
from holdfast.model.retries import RetryPolicy
from holdfast.model.statuses import ExecutionStatus, TaskStatus
from holdfast.model.wakes import WakeSort
from holdfast.testing.rows import MemoryRows
from tests.engine import invariants
from tests.engine.world import BOOM, QUEUE, TENANT, World, offer, task_offer

WORKERS = "w1", "w2"
ITEMS = 4
"""Ids of each sort that an execution's code uses; the same id again is a duplicated command."""
MOST_REMEMBERED = 60

MINUTE = Milliseconds(60_000)
QUICK = RetryPolicy(max_retries=1, initial_interval_ms=Milliseconds(10), jitter=0)
OPTIONS = (
    TaskOptions(),
    TaskOptions(retry=QUICK),
    TaskOptions(retry=QUICK, start_to_close_ms=Milliseconds(500), schedule_to_start_ms=MINUTE),
    TaskOptions(heartbeat_ms=Milliseconds(300), schedule_to_close_ms=MINUTE),
)

WorkerMessage = requests.CompleteTask | requests.FailTask | requests.AcknowledgeTaskCancel | requests.ReleaseTask
ClaimMessage = requests.SubmitActivation | requests.ReleaseExecution | requests.ExtendClaim
ONCE = (
    WorkerMessage
    | requests.SubmitActivation
    | requests.ReleaseExecution
    | requests.StartWorkflow
    | requests.SignalWorkflow
    | requests.SubmitTasks
    | requests.SettlePromise
)
"""Requests that have one effect, however often they come."""

OWN = (
    events.TaskScheduled, events.TimerStarted, events.PromiseCreated, events.ChildWorkflowInitiated,
    events.OperationCompleted, events.OperationFailed, events.StateSet, events.StateCleared, events.PatchMarked,
    events.TaskCancellationRequested, events.ChildCancellationRequested,
)  # fmt: skip
"""Events that only the code's own commands cause."""


Thing = TypeVar("Thing")


class Held(msgspec.Struct, frozen=True):
    """What a worker knows of a claim on an execution, whether it still stands or not."""

    id: ExecutionId
    token: int
    seen: int


class EngineMachine(RuleBasedStateMachine):
    """Clients, workers and a scheduler that do anything at any time."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.held: list[Held] = []
        self.tasks_held: list[requests.TaskClaim] = []
        self.accepted: list[Request[object]] = []
        self.activated: set[tuple[str, int]] = set()
        """The tokens under which an activation was accepted."""
        self.known: dict[str, set[int]] = {}
        """By execution: the events that its code has been shown or has itself caused."""
        self.starts: Counter[str] = Counter()
        self.unstarted: Counter[str] = Counter()
        self.fresh = 0

    @property
    def rows(self) -> MemoryRows:
        return self.world.rows

    # Sending, and what must follow.

    def send(self, *asked: Request[object] | None, work: requests.Offer | None = None, body: bool = False) -> None:
        """Commit a batch, and check each step against what was there before."""
        batch = [request for request in asked if request is not None]
        before = self.rows.copy()
        offers = [] if work is None else [work]
        outcome = self.world.commit(*batch, executions_for=[] if body else offers, tasks_for=offers if body else [])
        for request, reply in zip(batch, outcome.replies, strict=True):
            if len(batch) == 1 and work is None:
                self.check_reply(before, request, reply)
            self.learn(request, reply)
            if len(batch) == 1 and work is None and isinstance(request, requests.SubmitActivation):
                row = self.rows.executions[TENANT, request.execution_id]
                assert row.claim_token == request.token + 1 or isinstance(reply, HoldfastError)
        self.forget_what_is_void(before)
        self.remember_claims(outcome.executions_given, outcome.tasks_given)
        invariants.check_step(before, self.rows)
        moved: dict[str, Instant] = {
            each.timer_id: each.fire_at for each in batch if isinstance(each, requests.MoveTimer)
        }
        invariants.check_fired(before, self.rows, moved)

    def check_reply(self, before: MemoryRows, request: Request[object], reply: object) -> None:
        unchanged = before == self.rows
        if isinstance(reply, HoldfastError):
            assert unchanged, f"{request} was refused and changed something"
        by_name = isinstance(request, requests.SettlePromise) and request.promise_id is None
        # A name means the promise that was created last, so the same words may mean another promise later.
        if isinstance(request, ONCE) and request in self.accepted and not by_name:
            assert unchanged, f"{request} came again and changed something"
        if isinstance(request, ClaimMessage):
            self.check_claim(before, request, reply)
        if isinstance(request, WorkerMessage):
            task = before.tasks[TENANT, request.task_id]
            if task.status is not TaskStatus.RUNNING or task.claim_token != request.token:
                assert unchanged
                assert reply == requests.Done(changed=False) or isinstance(reply, StaleClaim)
            if task.claim_token != request.token:
                assert isinstance(reply, StaleClaim), f"{request} is stale and got {reply}"

    def check_claim(self, before: MemoryRows, request: ClaimMessage, reply: object) -> None:
        """I6: who has lost the claim changes nothing, and is told; who only lost the reply is answered."""
        execution = before.executions[TENANT, request.execution_id]
        if execution.status is ExecutionStatus.RUNNING and execution.claim_token == request.token:
            return
        submits = isinstance(request, requests.SubmitActivation)
        if submits and (request.execution_id, request.token) in self.activated and before == self.rows:
            lost = execution.claim_token != request.token + 1
            assert isinstance(reply, StaleClaim if lost else requests.ActivationAccepted)
        else:
            assert isinstance(reply, StaleClaim), f"{request} is stale and got {reply}"

    def learn(self, request: Request[object], reply: object) -> None:
        if isinstance(reply, HoldfastError):
            return
        if (
            isinstance(request, requests.SubmitActivation)
            and (request.execution_id, request.token) not in self.activated
        ):
            self.learn_activation(request, reply)
        if isinstance(request, requests.ReleaseTask) and reply == requests.Done():
            self.unstarted[request.task_id] += 1
        if isinstance(request, ONCE):
            self.accepted.append(request)
        del self.accepted[:-MOST_REMEMBERED]

    def learn_activation(self, request: requests.SubmitActivation, reply: object) -> None:
        assert isinstance(reply, requests.ActivationAccepted)
        self.activated.add((request.execution_id, request.token))
        known = self.known.setdefault(request.execution_id, set())
        known |= set(range(1, request.last_seen_sequence + 1))
        history = self.rows.history[TENANT, request.execution_id]
        known |= {event.sequence for event in history if caused_by(request.commands, event)}
        if isinstance(request.outcome, ask.Continuing):
            seen = reply.last_sequence if reply.seen_sequence == reply.last_sequence else request.last_seen_sequence
            self.held.append(Held(request.execution_id, request.token + 1, seen))

    def forget_what_is_void(self, before: MemoryRows) -> None:
        """Code that is sent back begins anew, and has been shown nothing."""
        for key, history in self.rows.history.items():
            if any(sends_back(event.data) for event in history[len(before.history.get(key, ())) :]):
                self.known[key[1]] = set()

    def remember_claims(
        self,
        executions: Sequence[Sequence[requests.ExecutionClaim]],
        tasks: Sequence[Sequence[requests.TaskClaim]],
    ) -> None:
        for claim in (claim for given in executions for claim in given):
            sequences = [event.sequence for event in claim.events]
            assert sequences == list(range(claim.last_sequence - len(sequences) + 1, claim.last_sequence + 1))
            self.held.append(Held(claim.execution_id, claim.token, claim.last_sequence))
        for task in (task for given in tasks for task in given):
            self.starts[task.task_id] += 1
            self.tasks_held.append(task)

    # Rules: workers.

    @rule(worker=st.sampled_from(WORKERS), slots=st.integers(1, 3))
    def claim(self, worker: str, slots: int) -> None:
        self.send(work=offer(worker, slots))

    @rule(worker=st.sampled_from(WORKERS), slots=st.integers(1, 3))
    def claim_tasks(self, worker: str, slots: int) -> None:
        self.send(work=task_offer(worker, slots), body=True)

    @rule(which=st.integers(0, 3), wishes=st.lists(st.tuples(st.integers(0, 13), st.integers(0, 8)), max_size=4))
    def suspend(self, which: int, wishes: list[tuple[int, int]]) -> None:
        self.send(self.activation(which, wishes, ask.Suspended()))

    @rule(which=st.integers(0, 3), wishes=st.lists(st.tuples(st.integers(0, 13), st.integers(0, 8)), max_size=3))
    def go_on(self, which: int, wishes: list[tuple[int, int]]) -> None:
        self.send(self.activation(which, wishes, ask.Continuing()))

    @rule(
        which=st.integers(0, 3),
        how=st.integers(0, 3),
        wishes=st.lists(st.tuples(st.integers(0, 13), st.integers(0, 8)), max_size=2),
    )
    def end(self, which: int, how: int, wishes: list[tuple[int, int]]) -> None:
        outcomes: tuple[Outcome, ...] = (ask.Completed(b"1"), ask.Failed(BOOM), ask.Failed(BOOM), ask.Cancelled())
        self.send(self.activation(which, wishes, outcomes[how]))

    @rule(which=st.integers(0, 3))
    def release_execution(self, which: int) -> None:
        if (held := nth_last(self.held, which)) is not None:
            self.send(requests.ReleaseExecution(TENANT, held.id, ClaimToken(held.token)))

    @rule(which=st.integers(0, 3))
    def extend(self, which: int) -> None:
        if (held := nth_last(self.held, which)) is not None:
            self.send(requests.ExtendClaim(TENANT, held.id, ClaimToken(held.token)))

    @rule(which=st.integers(0, 4))
    def complete(self, which: int) -> None:
        self.send(self.task_end(which, 0))

    @rule(which=st.integers(0, 4), how=st.integers(1, 2))
    def fail(self, which: int, how: int) -> None:
        self.send(self.task_end(which, how))

    @rule(which=st.integers(0, 4), how=st.integers(3, 4))
    def stop(self, which: int, how: int) -> None:
        self.send(self.task_end(which, how))

    @rule(which=st.integers(0, 4), own=st.booleans())
    def heartbeat(self, which: int, own: bool) -> None:
        if (held := nth_last(self.tasks_held, which)) is not None:
            self.send(requests.ReportTask(TENANT, held.task_id, held.token, heartbeat=own, details=b"1"))

    @rule(worker=st.sampled_from(WORKERS))
    def crash(self, worker: str) -> None:
        """The worker is known to be gone. What it sent may still arrive."""
        self.send(requests.ReclaimWorkers(TENANT, (WorkerId(worker),), 512))

    # Rules: time.

    @rule(milliseconds=st.sampled_from((1, 100, 400, 31_000, 70_000)))
    def wait(self, milliseconds: int) -> None:
        """Leases and limits run out; nobody has noticed yet."""
        self.world.clock.set(Instant(self.world.now + milliseconds))

    @rule(limit=st.sampled_from((1, 512)))
    def fire(self, limit: int) -> None:
        self.send(requests.FireDue(TENANT, limit))

    @rule(sort=st.sampled_from(WakeSort), twice=st.booleans())
    def fire_by_key(self, sort: WakeSort, twice: bool) -> None:
        """An index of timers names rows, whether they are due or not."""
        keys = tuple([wake.key for wake in self.rows.wake_ups(sort)] * (1 + twice))
        self.send(requests.FireIfDue(TENANT, keys))

    # Rules: clients.

    @rule(number=st.integers(1, 3), timeout=st.sampled_from((None, None, 50, 40_000)), signal=st.booleans())
    def start(self, number: int, timeout: int | None, signal: bool) -> None:
        self.send(self.new_execution(number, timeout, signal))

    @rule(number=st.integers(1, 3), request_id=st.sampled_from(("", "a", "b")))
    def signal(self, number: int, request_id: str) -> None:
        self.send(self.new_signal(number, request_id))

    @rule(which=st.integers(0, 5))
    def cancel(self, which: int) -> None:
        if (identity := nth_last(list(self.rows.executions), which)) is not None:
            self.send(requests.CancelWorkflow(TENANT, identity[1]))

    @rule(which=st.integers(0, 5))
    def terminate(self, which: int) -> None:
        if (identity := nth_last(list(self.rows.executions), which)) is not None:
            self.send(requests.TerminateWorkflow(TENANT, identity[1]))

    @rule(which=st.integers(0, 5))
    def retry(self, which: int) -> None:
        failed = [key for key, row in self.rows.executions.items() if row.status is ExecutionStatus.FAILED]
        if (identity := nth_last(failed, which)) is not None:
            self.send(requests.RetryWorkflow(TENANT, identity[1]))

    @rule(which=st.integers(0, 5), point=st.integers(0, 30))
    def reset(self, which: int, point: int) -> None:
        self.send(self.sending_back(which, point))

    @rule(which=st.integers(0, 3), number=st.integers(0, 3), point=st.integers(0, 30))
    def end_and_reset(self, which: int, number: int, point: int) -> None:
        """An execution ends and is sent back in one batch."""
        if (held := nth_last(self.held, which)) is not None:
            ending = self.activation(which, [(number, number)], ask.Completed(b"1"))
            self.send(ending, requests.ResetWorkflow(TENANT, held.id, 1 + point % 6), work=offer("w1"))

    @rule(which=st.integers(0, 5), value=st.booleans())
    def settle(self, which: int, value: bool) -> None:
        self.send(self.settlement(which, value))

    @rule(which=st.integers(0, 5), later=st.sampled_from((None, 0, 500)))
    def move_timer(self, which: int, later: int | None) -> None:
        if (key := nth_last(list(self.rows.timers), which)) is None:
            return
        if later is None:
            self.send(requests.DisarmTimer(TENANT, key[1]))
        else:
            self.send(requests.MoveTimer(TENANT, key[1], Instant(self.world.now + later)))

    @rule(number=st.integers(1, 2), option=st.integers(0, 3), key=st.sampled_from((None, "k")))
    def submit_task(self, number: int, option: int, key: str | None) -> None:
        self.send(self.standalone(number, option, key))

    @rule(which=st.integers(0, 5), again=st.booleans())
    def cancel_or_retry_task(self, which: int, again: bool) -> None:
        if (key := nth_last(list(self.rows.tasks), which)) is not None:
            kind = requests.RetryTaskExecution if again else requests.CancelTaskExecution
            self.send(kind(TENANT, key[1]))

    # Rules: what networks and batches do.

    @rule(which=st.integers(0, 20))
    def duplicate(self, which: int) -> None:
        """Any accepted request comes again, however late."""
        self.send(nth_last(self.accepted, which))

    @rule(moves=st.lists(st.tuples(st.integers(0, 10), st.integers(0, 4)), min_size=2, max_size=4), body=st.booleans())
    def together(self, moves: list[tuple[int, int]], body: bool) -> None:
        """Several requests and a waiting worker meet in one batch."""
        work = task_offer("w1", 2) if body else offer("w1", 2)
        batch = [self.move(*move) for move in moves]
        submits = [each.execution_id for each in batch if isinstance(each, requests.SubmitActivation)]
        if len(set(submits)) == len(submits):
            self.send(*batch, work=work, body=body)

    @rule(which=st.integers(0, 3), number=st.integers(0, 3))
    def fail_and_retry(self, which: int, number: int) -> None:
        """An execution ends and is retried in one batch."""
        if (held := nth_last(self.held, which)) is not None:
            failing = self.activation(which, [(number, number)], ask.Failed(BOOM))
            self.send(failing, requests.RetryWorkflow(TENANT, held.id), work=offer("w1"))

    def move(self, kind: int, which: int) -> Request[object] | None:
        builders: tuple[Callable[[], Request[object] | None], ...] = (
            lambda: self.activation(which, [(0, which), (3, which)], ask.Suspended()),
            lambda: self.activation(which, [(0, which), (8, which)], ask.Failed(BOOM)),
            lambda: self.task_end(which, 0),
            lambda: self.task_end(which, 1),
            lambda: self.settlement(which, value=True),
            lambda: self.new_signal(1 + which % 3, "ab"[which % 2]),
            lambda: self.whole(requests.TerminateWorkflow, which),
            lambda: self.whole(requests.RetryWorkflow, which),
            lambda: requests.FireDue(TENANT, 512),
            lambda: nth_last(self.accepted, which),
            lambda: self.sending_back(which, self.fresh),
        )
        return builders[kind]()

    # What the rules send.

    def activation(self, which: int, wishes: list[tuple[int, int]], outcome: Outcome) -> Request[object] | None:
        held = nth_last(self.held, which)
        if held is None:
            return None
        wanted = tuple([self.command(held.id, kind, number) for kind, number in wishes])
        return requests.SubmitActivation(TENANT, held.id, ClaimToken(held.token), held.seen, wanted, outcome)

    def command(self, owner: ExecutionId, kind: int, number: int) -> Command:
        history = self.rows.history[TENANT, owner]
        # Code that was sent back gives other ids.
        times = sum(sends_back(event.data) for event in history)
        own = times * 10_000 + sum(owner.encode()) % 1_000 * 10 + number % ITEMS
        task = TaskId(f"00000000-0000-4000-8000-{own:012d}")
        suffix = f".{times}" if times else ""
        promise = PromiseId(f"p-{owner}-{number % ITEMS}{suffix}")
        child = ExecutionId(f"{owner}/{number % 2}{suffix}")
        timers = [key[1] for key, row in self.rows.timers.items() if row.execution_id == owner]
        self.fresh += 1
        timeout = None if number % 2 else Milliseconds(200)
        return (
            ask.ScheduleTask(task, "charge", b"1", options=OPTIONS[number % 4]),
            ask.ScheduleTask(task, "charge", b"1", delay_ms=Milliseconds(100)),
            ask.CancelTask(task),
            ask.StartTimer(TimerId(f"t-{self.fresh}"), duration_ms=Milliseconds(100)),
            ask.StartTimer(TimerId(f"t-{self.fresh}"), fire_at=Instant(self.world.now + 50_000)),
            ask.CancelTimer(nth_last(timers, number) or TimerId("gone")),
            ask.CreatePromise(promise, f"name-{number % 2}", timeout),
            ask.ResolvePromise(promise, b"2"),
            ask.StartChild(child, "part", "child", b"1", timeout_ms=timeout),
            ask.CancelChild(child),
            ask.RecordOperation("note", self.fresh, result=b"1") if number % 2 else ask.MarkPatch("p"),
            ask.RecordOperation("note", self.fresh, failure=BOOM) if number % 2 else ask.ClearState("k"),
            ask.SetState("k", b"1"),
            ask.ScheduleTask(task, "pack" if number == 8 else "charge", b"1"),
        )[kind]

    def task_end(self, which: int, how: int) -> Request[object] | None:
        held = nth_last(self.tasks_held, which)
        if held is None:
            return None
        fatal = msgspec.structs.replace(BOOM, retryable=False)
        place = TENANT, held.task_id, held.token
        return (
            requests.CompleteTask(*place, str(held.token).encode()),
            requests.FailTask(*place, BOOM),
            requests.FailTask(*place, fatal),
            requests.AcknowledgeTaskCancel(*place),
            requests.ReleaseTask(*place),
        )[how]

    def new_execution(self, number: int, timeout: int | None, signal: bool) -> Request[object]:
        identity = ExecutionId(f"order-{number}")
        first = requests.SignalWorkflow(TENANT, identity, "go", b"1", "first") if signal else None
        limit = None if timeout is None else Milliseconds(timeout)
        return requests.StartWorkflow(TENANT, identity, "order", b"1", QUEUE, timeout_ms=limit, signal=first)

    def new_signal(self, number: int, request_id: str) -> Request[object]:
        self.fresh += 1
        name = "go" if request_id else f"go-{self.fresh}"
        return requests.SignalWorkflow(
            TENANT, ExecutionId(f"order-{number}"), name, b"1", request_id or str(self.fresh)
        )

    def settlement(self, which: int, value: bool) -> Request[object] | None:
        key = nth_last(list(self.rows.promises), which)
        if key is None:
            return None
        promise = self.rows.promises[key]
        if value:
            return requests.SettlePromise(TENANT, promise_id=promise.id, value=b"1")
        return requests.SettlePromise(TENANT, execution_id=promise.execution_id, name=promise.name, failure=BOOM)

    def standalone(self, number: int, option: int, key: str | None) -> Request[object]:
        identity = TaskId(f"00000000-0000-4000-9000-{number:012d}")
        new = requests.NewTask(identity, "pack", b"1", QUEUE, OPTIONS[option], number, idempotency_key=key)
        return requests.SubmitTasks(TENANT, (new, new))

    def sending_back(self, which: int, point: int) -> Request[object] | None:
        key = nth_last(list(self.rows.executions), which)
        if key is None:
            return None
        valid = [each for first, last in points(self.rows.history[key]) for each in range(first, last + 1)]
        # A point that is void or beyond the end is refused.
        to_sequence = valid[point % len(valid)] if valid and point % 10 else point
        return requests.ResetWorkflow(TENANT, key[1], to_sequence)

    def whole(
        self, kind: type[requests.TerminateWorkflow | requests.RetryWorkflow], which: int
    ) -> Request[object] | None:
        key = nth_last(list(self.rows.executions), which)
        return None if key is None else kind(TENANT, key[1])

    # Invariants.

    @invariant()
    def rows_are_consistent(self) -> None:
        """I2, I3, I5, I8, and open_items."""
        invariants.check(self.rows)

    @invariant()
    def no_start_goes_unrecorded(self) -> None:
        """I3: what a body has seen start has an ended try, or runs, or was given back unstarted."""
        for (_, identity), task in self.rows.tasks.items():
            assert self.starts[identity] == task.attempt + self.unstarted[identity]

    @invariant()
    def nobody_sleeps_through_news(self) -> None:
        """I5: an execution that waits has been shown all that came from outside."""
        for (_, identity), execution in self.rows.executions.items():
            if execution.status is ExecutionStatus.WAITING:
                unknown = set(range(1, execution.last_sequence + 1)) - self.known[identity]
                assert not unknown, f"{identity} waits and has not been shown {unknown}"

    @invariant()
    def what_was_accepted_is_there(self) -> None:
        """I1."""
        for request in self.accepted:
            if isinstance(request, requests.StartWorkflow):
                assert (TENANT, request.execution_id) in self.rows.executions
            if isinstance(request, requests.SignalWorkflow):
                history = self.rows.history[TENANT, request.execution_id]
                signals = [each.data for each in history if isinstance(each.data, events.SignalReceived)]
                assert [each.request_id for each in signals].count(request.request_id) == 1
            if isinstance(request, requests.SubmitTasks):
                assert any(row.id == request.tasks[0].id or row.idempotency_key for row in self.rows.tasks.values())


class Wanderer:
    """Walks the same machine at random without Hypothesis: ten times as many steps in the same time, no shrinking."""

    def __init__(self, seed: int) -> None:
        self.machine = EngineMachine()
        self._chance = random.Random(seed)
        machine, draw = self.machine, self._chance.choice
        self._steps: tuple[tuple[int, Callable[[], None]], ...] = (
            (
                8,
                lambda: machine.start(
                    self._up_to(9) + 1, draw((None, None, None, None, 50, 40_000)), draw((True, False))
                ),
            ),
            (20, lambda: machine.claim(draw(WORKERS), 2)),
            (20, lambda: machine.claim_tasks(draw(WORKERS), 2)),
            (30, lambda: machine.suspend(self._up_to(3), self._wishes())),
            (6, lambda: machine.go_on(self._up_to(1), self._wishes())),
            (3, lambda: machine.end(self._up_to(1), self._up_to(3), self._wishes())),
            (1, lambda: machine.release_execution(self._up_to(2))),
            (12, lambda: machine.complete(self._up_to(3))),
            (8, lambda: machine.fail(self._up_to(3), 1 + self._up_to(1))),
            (5, lambda: machine.stop(self._up_to(3), 3 + self._up_to(1))),
            (3, lambda: machine.heartbeat(self._up_to(2), draw((True, False)))),
            (2, lambda: machine.crash(draw(WORKERS))),
            (8, lambda: machine.wait(draw((1, 100, 100, 400, 400, 31_000)))),
            (15, lambda: machine.fire(draw((1, 512)))),
            (3, lambda: machine.signal(self._up_to(9) + 1, draw(("", "a")))),
            (1, lambda: machine.cancel(self._up_to(5))),
            (1, lambda: machine.terminate(self._up_to(5))),
            (12, lambda: machine.retry(self._up_to(5))),
            (4, lambda: machine.reset(self._up_to(5), self._up_to(30))),
            (2, lambda: machine.end_and_reset(self._up_to(1), self._up_to(3), self._up_to(30))),
            (6, lambda: machine.settle(self._up_to(3), draw((True, False)))),
            (3, lambda: machine.move_timer(self._up_to(3), draw((None, 0, 500)))),
            (2, lambda: machine.submit_task(self._up_to(1) + 1, self._up_to(3), draw((None, "k")))),
            (2, lambda: machine.cancel_or_retry_task(self._up_to(5), draw((True, False)))),
            (6, lambda: machine.duplicate(self._up_to(10))),
            (6, lambda: machine.fail_and_retry(self._up_to(1), self._up_to(3))),
            (20, lambda: machine.together(self._moves(), draw((True, False)))),
        )

    def walk(self, steps: int) -> None:
        """So many steps, with all invariants checked after each."""
        weights = [weight for weight, _ in self._steps]
        for _, step in self._chance.choices(self._steps, weights, k=steps):
            step()
            self.machine.rows_are_consistent()
            self.machine.no_start_goes_unrecorded()
            self.machine.nobody_sleeps_through_news()
            self.machine.what_was_accepted_is_there()

    def _up_to(self, most: int) -> int:
        return self._chance.randrange(most + 1)

    def _wishes(self) -> list[tuple[int, int]]:
        return [(self._up_to(13), self._up_to(ITEMS)) for _ in range(self._up_to(4))]

    def _moves(self) -> list[tuple[int, int]]:
        kinds = self._chance.choices(range(11), (5, 3, 5, 3, 2, 2, 1, 5, 3, 2, 1), k=2 + self._up_to(2))
        return [(kind, self._up_to(1)) for kind in kinds]


def caused_by(wanted: Sequence[Command], event: Event) -> bool:
    """Whether the code's own commands caused an event."""
    match event.data:
        case events.TimerCancelled(timer_id=timer_id):
            return any(isinstance(each, ask.CancelTimer) and each.timer_id == timer_id for each in wanted)
        case events.PromiseResolved(promise_id=promise_id):
            return any(isinstance(each, ask.ResolvePromise) and each.promise_id == promise_id for each in wanted)
        case data:
            return isinstance(data, OWN)


def nth_last(found: Sequence[Thing], which: int) -> Thing | None:
    """The last is the likeliest to be of interest; the others are stale."""
    return found[-1 - which % len(found)] if found else None
