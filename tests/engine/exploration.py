"""Every order in which a few things can happen: breadth first over the pure engine, until nothing new is found.

A `Scene` is what the store holds and what the workers remember. The workflow that runs in it schedules tasks and
timers, cancels its last task when its first timer fires, and completes when all has ended and its signal has come.
"""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from holdfast.model import commands as ask
from holdfast.model import events, requests
from holdfast.model.commands import Command, TaskOptions
from holdfast.model.errors import HoldfastError, StaleClaim
from holdfast.model.events import Event
from holdfast.model.ids import ClaimToken, WorkerId
from holdfast.model.instants import Instant, Milliseconds
from holdfast.model.items import ended_item
from holdfast.model.requests import Request
from holdfast.model.retries import RetryPolicy
from holdfast.model.statuses import ExecutionStatus, TaskStatus
from holdfast.testing.rows import MemoryRows
from tests.engine import invariants
from tests.engine.world import BOOM, ORDER, TENANT, World, offer, task_id, task_offer, timer_id

WORKERS = "w1", "w2"
SOON = 10_000
"""A wake-up within this time is a timer's or a retry's; later ones are leases."""

RETRIED = TaskOptions(retry=RetryPolicy(max_retries=1, initial_interval_ms=Milliseconds(10), jitter=0))
ENDS = events.TaskCompleted | events.TaskFailed | events.TaskCancelled | events.TimerFired
OUTSIDE = ENDS | events.SignalReceived | events.WorkflowStarted


class Scope(NamedTuple):
    """How much there is of everything."""

    tasks: int = 0
    timers: int = 0
    signals: int = 0
    crashes: int = 0
    failures: int = 0
    lost_leases: int = 0
    duplicates: int = 0


class ExecutionHeld(msgspec.Struct, frozen=True):
    """A worker's claim on the execution."""

    token: int
    seen: int


class TaskHeld(msgspec.Struct, frozen=True):
    """A worker's claim on a task."""

    number: int
    token: int


class Scene(NamedTuple):
    """One state of the world."""

    rows: MemoryRows
    now: Instant
    scope: Scope
    """What the workflow has to do with."""
    left: Scope
    """What may still happen."""
    held: frozenset[ExecutionHeld | TaskHeld]
    """Claims that workers believe to have, and have not answered."""
    sent: Request[object] | None
    """The last message of a worker."""
    code_has_seen: int

    @property
    def key(self) -> object:
        """What tells two scenes apart; only how far away an instant is matters, not when it is."""
        execution = self.rows.executions[TENANT, ORDER]
        # Which worker it is does not matter, only whether it is the same; a place is found by who came first.
        workers = list(dict.fromkeys([execution.worker_id, *(task.worker_id for task in self.rows.tasks.values())]))
        tasks = [
            (task.status, task.ready, task.attempt, task.claim_token, task.cancel_requested)
            for task in self.rows.tasks.values()
        ]
        places = [workers.index(task.worker_id) if not task.closed else -1 for task in self.rows.tasks.values()]
        wakes = [row.fire_at - self.now for row in self.rows.timers.values()]
        wakes += [row.wake_at - self.now for row in self.rows.tasks.values() if row.wake_at is not None]
        log = tuple([(event.type, ended_item(event.data)) for event in self.history])
        row = execution.status, execution.claim_token, execution.seen_sequence
        return (
            log,
            row,
            tuple(tasks),
            tuple(places),
            tuple(wakes),
            self.left,
            self.held,
            repr(self.sent),
            self.code_has_seen,
        )

    @property
    def history(self) -> tuple[Event, ...]:
        return self.rows.history[TENANT, ORDER]


class Exploration:
    """All scenes that can be reached within a scope."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.noticed: set[str] = set()
        """What has happened in some scene: an exploration in which nothing happens proves nothing."""
        self.scenes = 0

    def run(self, most: int) -> None:
        """Visit every scene once; more than `most` of them is an error, for then it is not exhaustive."""
        world = World()
        world.start()
        first = Scene(world.rows, world.now, self.scope, self.scope, frozenset(), None, 0)
        known, frontier = {first.key}, [first]
        while frontier:
            following: list[Scene] = []
            for scene in frontier:
                reached = list(self.steps(scene))
                if not reached:
                    self.rest(scene)
                for each in reached:
                    if (key := each.key) not in known:
                        known.add(key)
                        following.append(each)
            frontier = following
            assert len(known) <= most, f"more than {most} scenes"
        self.scenes = len(known)

    def rest(self, scene: Scene) -> None:
        """When nothing can happen any more, the workflow has completed: nothing hangs."""
        assert scene.rows.executions[TENANT, ORDER].status is ExecutionStatus.COMPLETED, scene.history
        self.noticed.add("completed")

    # What can happen next.

    def steps(self, scene: Scene) -> Iterator[Scene]:
        for worker in WORKERS:
            yield from self.claim(scene, worker)
            if scene.left.crashes:
                left = scene.left._replace(crashes=scene.left.crashes - 1)
                yield self.act(scene, requests.ReclaimWorkers(TENANT, (WorkerId(worker),), 99), left=left)
        for held in scene.held:
            for message in messages(scene, held):
                left = scene.left
                if isinstance(message, requests.FailTask):
                    left = left._replace(failures=left.failures - 1)
                yield self.act(scene, message, left=left, without=held)
        if scene.left.signals:
            left = scene.left._replace(signals=scene.left.signals - 1)
            yield self.act(scene, requests.SignalWorkflow(TENANT, ORDER, "go", b"1", f"s{left.signals}"), left=left)
        if scene.left.duplicates and scene.sent is not None:
            left = scene.left._replace(duplicates=scene.left.duplicates - 1)
            yield self.act(scene, scene.sent, left=left, again=True)
        yield from self.wait(scene)

    def claim(self, scene: Scene, worker: str) -> Iterator[Scene]:
        world = world_of(scene)
        if scene.rows.executions[TENANT, ORDER].status is ExecutionStatus.PENDING:
            given = world.commit(executions_for=[offer(worker)]).executions_given[0][0]
            yield self.seen(scene, world, held=scene.held | {ExecutionHeld(given.token, given.last_sequence)})
        if any(task.ready for task in scene.rows.tasks.values()):
            world = world_of(scene)
            task = world.commit(tasks_for=[task_offer(worker)]).tasks_given[0][0]
            number = int(task.task_id[-12:])
            yield self.seen(scene, world, held=scene.held | {TaskHeld(number, task.token)})

    def wait(self, scene: Scene) -> Iterator[Scene]:
        """Time passes until something is due."""
        wake, left = scene.rows.next_wake(), scene.left
        if wake is None:
            return
        if wake - scene.now > SOON:
            if not left.lost_leases:
                return
            left = left._replace(lost_leases=left.lost_leases - 1)
        yield self.act(scene._replace(now=wake), requests.FireDue(TENANT, 99), left=left)

    # Doing it, and what must follow.

    def act(
        self,
        scene: Scene,
        request: Request[object],
        *,
        left: Scope,
        without: ExecutionHeld | TaskHeld | None = None,
        again: bool = False,
    ) -> Scene:
        world = world_of(scene)
        (reply,) = world.commit(request).replies
        self.notice(scene, world, request, reply, again=again)
        code_has_seen = scene.code_has_seen
        if isinstance(request, requests.SubmitActivation) and not isinstance(reply, HoldfastError) and not again:
            code_has_seen = max(code_has_seen, request.last_seen_sequence)
        sent = scene.sent if without is None else request
        held = scene.held - {without} if without is not None else scene.held
        after = self.seen(scene, world, held=held)
        return after._replace(left=left, sent=sent, code_has_seen=code_has_seen)

    def seen(self, scene: Scene, world: World, *, held: frozenset[ExecutionHeld | TaskHeld]) -> Scene:
        """The scene after a step, if the invariants hold in it."""
        invariants.check(world.rows)
        invariants.check_step(scene.rows, world.rows)
        invariants.check_fired(scene.rows, world.rows, {})
        return scene._replace(rows=world.rows, held=held)

    def notice(self, scene: Scene, world: World, request: Request[object], reply: object, *, again: bool) -> None:
        row = world.rows.executions[TENANT, ORDER]
        if isinstance(reply, StaleClaim):
            assert world.rows == scene.rows
            self.noticed.add("a stale message was refused")
        elif again:
            assert world.rows == scene.rows, f"{request} came again and changed something"
            self.noticed.add("a duplicate was answered")
        elif isinstance(request, requests.SubmitActivation) and row.status is ExecutionStatus.PENDING:
            self.noticed.add("an event raced a suspend")
        if row.status is ExecutionStatus.WAITING and not isinstance(reply, HoldfastError):
            self.check_wait(scene, world, request)
        for event in world.rows.history[TENANT, ORDER][len(scene.history) :]:
            self.noticed.add(event.type)
        if any(attempt.status == "LOST" for tries in world.rows.attempts.values() for attempt in tries):
            self.noticed.add("a try was lost")

    def check_wait(self, scene: Scene, world: World, request: Request[object]) -> None:
        """Whoever waits has been shown all that came from outside."""
        shown = scene.code_has_seen
        if isinstance(request, requests.SubmitActivation):
            shown = max(shown, request.last_seen_sequence)
        unseen = world.rows.history[TENANT, ORDER][shown:]
        assert not [event.type for event in unseen if isinstance(event.data, OUTSIDE)]


def world_of(scene: Scene) -> World:
    world = World(scene.rows.copy())
    world.clock.set(scene.now)
    return world


def messages(scene: Scene, held: ExecutionHeld | TaskHeld) -> Iterator[Request[object]]:
    """What a worker may send for a claim."""
    if isinstance(held, ExecutionHeld):
        yield activation_of(scene, held)
        return
    task = scene.rows.tasks[TENANT, task_id(held.number)]
    token = ClaimToken(held.token)
    if task.cancel_requested and task.status is TaskStatus.RUNNING:
        yield requests.AcknowledgeTaskCancel(TENANT, task.id, token)
    else:
        yield requests.CompleteTask(TENANT, task.id, token, b"1")
    if scene.left.failures:
        yield requests.FailTask(TENANT, task.id, token, BOOM)


def activation_of(scene: Scene, held: ExecutionHeld) -> Request[object]:
    """What the workflow's code does with what its worker has been shown."""
    shown = [event.data for event in scene.history[: held.seen]]
    wanted = tuple(wanted_by(scene, shown))
    ended = sum(isinstance(data, ENDS) for data in shown)
    signalled = sum(isinstance(data, events.SignalReceived) for data in shown)
    over = len(shown) > 1 and ended == scene.scope.tasks + scene.scope.timers and signalled == scene.scope.signals
    outcome = ask.Completed(b"1") if over else ask.Suspended()
    return requests.SubmitActivation(TENANT, ORDER, ClaimToken(held.token), held.seen, wanted, outcome)


def wanted_by(scene: Scene, shown: list[events.EventData]) -> Iterator[Command]:
    scope = scene.scope
    begun = any(isinstance(data, events.TaskScheduled | events.TimerStarted) for data in shown)
    if not begun:
        for number in range(1, scope.tasks + 1):
            yield ask.ScheduleTask(task_id(number), "charge", b"1", options=RETRIED)
        for number in range(1, scope.timers + 1):
            yield ask.StartTimer(timer_id(number), duration_ms=Milliseconds(100 * number))
    fired = any(isinstance(data, events.TimerFired) for data in shown)
    asked = any(isinstance(data, events.TaskCancellationRequested) for data in shown)
    if begun and fired and not asked and scope.tasks:
        yield ask.CancelTask(task_id(scope.tasks))
