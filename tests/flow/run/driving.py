"""Drives runs of flows in the engine over rows in memory, in any order, with repeats and crashes."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import msgspec

from holdfast.engine.flow.outcomes import WorkRequested
from holdfast.engine.flow.run.graphs import Graphs
from holdfast.model.errors import HoldfastError
from holdfast.model.failures import Failure, decode_failure
from holdfast.model.flow_requests import PumpFlows, SaveFlow, StartFlow, StepFrames
from holdfast.model.flows import FlowValue, Frame, Scope, Visit, VisitStatus
from holdfast.model.ids import ALL_TENANTS, ExecutionId, WorkerId
from holdfast.model.instants import Instant
from holdfast.model.requests import (
    CompleteTask,
    FailTask,
    FireDue,
    Offer,
    ReportTask,
    Request,
    SettlePromise,
    SignalWorkflow,
    StartWorkflow,
    Swept,
    TaskClaim,
)
from holdfast.model.statuses import TaskStatus
from holdfast.ports.store import Changes
from holdfast.server.batch import Batch, Outcome
from holdfast.testing.rows import MemoryRows
from tests.engine.world import QUEUE, TENANT, Middle, World
from tests.flow.reference import WorkFailed
from tests.flow.sketches import Kind, Parameters, sketch

RUN = ExecutionId("run-1")
MAX_TURNS = 5_000
TASKS = frozenset({"fails", "echoes", "work", "fail"})

Work = Callable[[WorkRequested], object]


class Driver(World):
    """One run, and everything that can happen to it."""

    def __init__(self, definition: Parameters, work: Work, seed: int = 0) -> None:
        super().__init__(MemoryRows())
        self.chance = random.Random(seed)
        self.work = work
        self.graphs = Graphs()
        self.claims: list[TaskClaim] = []
        self.past: list[Request[object]] = []
        self.signals = 0
        self.definition = definition
        self.ask(SaveFlow(TENANT, str(definition["name"]), msgspec.json.encode(definition)))

    # What is there.

    @property
    def closed(self) -> bool:
        return self.execution(RUN).closed

    @property
    def output(self) -> object:
        """The run's output; WorkFailed, with the failure, if it has failed."""
        execution = self.execution(RUN)
        if execution.output is None:
            raise WorkFailed(decode_failure(execution.failure or b"{}").message)
        return msgspec.json.decode(execution.output)

    def frame(self, path: tuple[str, int] = ("", 0)) -> Frame:
        return self.rows.frames[TENANT, RUN, *path]

    def frames(self) -> list[Frame]:
        return list(self.rows.frames.values())

    def scopes(self) -> list[Scope]:
        return list(self.rows.scopes.values())

    def values(self) -> list[FlowValue]:
        return [FlowValue(*key, value) for key, value in self.rows.flow_values.items()]

    def visits(self, node_id: str) -> list[Visit]:
        """All visits to a node, in all frames."""
        nodes = self.definition["nodes"]
        assert isinstance(nodes, list)
        place = next(index for index, node in enumerate(nodes) if node["id"] == node_id)
        return [visit for frame in self.frames() for visit in frame.state.visits.values() if visit.node == place]

    def all_visits(self) -> list[Visit]:
        """All visits to all nodes that have been gone through."""
        visits = [visit for frame in self.frames() for visit in frame.state.visits.values()]
        return [visit for visit in visits if visit.status in (VisitStatus.SUCCESS, VisitStatus.FAILED)]

    def signal(self, name: str, value: bytes) -> None:
        """Send the run a signal."""
        self.ask(SignalWorkflow(TENANT, RUN, name, value))

    def ends(self) -> Counter[str]:
        """How often the history says that the run has ended."""
        types = self.events(RUN)
        return Counter(each for each in types if each.startswith("WORKFLOW_") and each != "WORKFLOW_STARTED")

    # Acting.

    def commit(
        self, *requests: Request[object], executions_for: Sequence[Offer] = (), tasks_for: Sequence[Offer] = ()
    ) -> Outcome:
        """Carry a batch out; sometimes a first try dies before it is written."""
        if self.chance.random() < self.dying:
            self.decided(requests, tasks_for)
        outcome, changes = self.decided(requests, tasks_for)
        self.rows.write(changes)
        self.past.extend(requests)
        return outcome

    def decided(self, requests: Sequence[Request[object]], offers: Sequence[Offer]) -> tuple[Outcome, Changes]:
        """What a batch would do."""
        batch = Batch(
            requests=requests,
            execution_offers=(),
            task_offers=offers,
            executions_wait=[],
            tasks_wait=[True] * len(offers),
            clock=self.clock,
            chance=Middle(),
            graphs=self.graphs,
        )
        answer = batch.decide(self.rows.load(batch.wanted))
        while not isinstance(answer, Changes):
            answer = batch.decide(self.rows.load(answer))
        assert batch.outcome is not None
        return batch.outcome, answer

    def save(self, nodes: Mapping[str, Kind], *edges: str, name: str) -> None:
        """One flow more."""
        self.ask(SaveFlow(TENANT, name, msgspec.json.encode(sketch(nodes, *edges, name=name))))

    def start_workflow(self, identity: str) -> None:
        """An execution that is none of a flow."""
        self.ask(StartWorkflow(TENANT, ExecutionId(identity), "order", b"1", QUEUE))

    signalling = True
    """Whether signals are sent to those who wait for them."""
    pumped = 0
    """How many turns of the pump had something to do."""
    dying = 0.0
    """How likely it is that a process dies before it has written what it decided."""
    repeating = 0.0
    """How likely it is that a message comes once more."""

    def start(self, trigger: object = None, **more: object) -> None:  # type: ignore[override]  # of a flow
        name = str(self.definition["name"])
        self.ask(StartFlow(TENANT, RUN, name, msgspec.json.encode(trigger), QUEUE, **more))  # type: ignore[arg-type]

    def run(self, trigger: object = None) -> object:
        """From the start to the end; the output."""
        self.start(trigger)
        self.drive()
        return self.output

    def drive(self) -> None:
        """Do what can be done, in an order of chance, until the run has ended."""
        for _ in range(MAX_TURNS):
            if self.closed:
                return
            self.turn()
        raise AssertionError("the run does not end")

    def turn(self) -> None:
        """Do something of what can be done."""
        actions = self.actions()
        assert actions, f"the run hangs: {self.frames()}"
        for requests in self._some(actions):
            self.act(requests)

    def drive_pump(self) -> None:
        """Let the pump go on until nothing is ready."""
        for _ in range(MAX_TURNS):
            if not self.ask(PumpFlows(ALL_TENANTS, 100)).count:
                return
            self.pumped += 1
        raise AssertionError("there is always something ready")

    def _some(self, actions: list[Request[object]]) -> list[list[Request[object]]]:
        taken = self.chance.sample(actions, self.chance.randint(1, min(4, len(actions))))
        if self.past and self.chance.random() < self.repeating:
            taken.append(self.chance.choice(self.past))
        self.chance.shuffle(taken)
        return [taken] if self.chance.random() < 0.5 else [[each] for each in taken]

    def act(self, requests: list[Request[object]]) -> None:
        """One batch; what was settled before may be refused, and nothing else."""
        sweeps = [each for each in requests if isinstance(each, FireDue | PumpFlows)]
        outcome = self.commit(*[each for each in requests if each not in sweeps], *sweeps[:1])
        for reply in outcome.replies:
            self.pumped += isinstance(reply, Swept) and reply.count > 0
            if isinstance(reply, HoldfastError):
                assert reply.code in {"STALE_CLAIM", "ALREADY_CLOSED", "TASK_NOT_FOUND"}, reply

    def actions(self) -> list[Request[object]]:
        """All that could happen next."""
        self.claim_tasks()
        found: list[Request[object]] = [self.settlement(claim) for claim in self.claims if self.is_held(claim)]
        found += self.waited_for()
        if any(frame.ready for frame in self.frames()) or any(scope.ready for scope in self.scopes()):
            found.append(PumpFlows(ALL_TENANTS, 3))
            found += self.steps()
        timers = [timer.fire_at for timer in self.rows.timers.values()]
        if timers and (not found or self.chance.random() < 0.3):
            self.pass_by(min(timers))
            found.append(FireDue(TENANT, 512))
        wake = self.rows.next_wake()
        if not found and wake is not None:
            self.pass_by(wake)
            found.append(FireDue(TENANT, 512))
        return found

    def pass_by(self, instant: Instant) -> None:
        """Time passes; workers go on holding what they hold."""
        for claim in self.claims:
            if self.is_held(claim):
                self.ask(ReportTask(TENANT, claim.task_id, claim.token))
        self.clock.set(max(instant, self.now))

    def steps(self) -> list[Request[object]]:
        ready = [frame.path for frame in self.frames() if frame.ready]
        scopes = [scope.path for scope in self.scopes() if scope.ready]
        return [StepFrames(TENANT, RUN, tuple(ready[:1]), tuple(scopes[:1]))]

    def claim_tasks(self) -> None:
        offer = Offer(TENANT, WorkerId("w"), QUEUE, TASKS, 1_000)
        self.claims += self.commit(tasks_for=[offer]).tasks_given[0]

    def claimed(self, task_type: str) -> list[TaskClaim]:
        """The claims of a type that are held."""
        self.claim_tasks()
        return [claim for claim in self.claims if claim.task_type == task_type and self.is_held(claim)]

    def fail(self, claim: TaskClaim, *, retryable: bool) -> None:
        """A try fails."""
        failure = Failure("Boom", "boom", retryable=retryable)
        self.ask(FailTask(TENANT, claim.task_id, claim.token, failure))

    def is_held(self, claim: TaskClaim) -> bool:
        task = self.rows.tasks[TENANT, claim.task_id]
        return task.status is TaskStatus.RUNNING and task.claim_token == claim.token

    def settlement(self, claim: TaskClaim) -> Request[object]:
        """How a worker ends a task."""
        try:
            result = self.work(WorkRequested("task", claim.task_type, msgspec.json.decode(claim.input)))
        except WorkFailed as error:
            return FailTask(TENANT, claim.task_id, claim.token, Failure("WorkFailed", str(error), retryable=False))
        return CompleteTask(TENANT, claim.task_id, claim.token, msgspec.json.encode(result))

    def waited_for(self) -> list[Request[object]]:
        """The signals and answers that somebody waits for."""
        found: list[Request[object]] = []
        listeners = self.frame().state.listeners if self.signalling else ()
        for name in dict.fromkeys(name for name, _ in listeners if name):
            self.signals += 1
            value = msgspec.json.encode({"signal": name})
            found.append(SignalWorkflow(TENANT, RUN, name, value, f"request-{self.signals}"))
        asked = [promise.id for promise in self.rows.promises.values() if promise.closed_at is None]
        found += [SettlePromise(TENANT, promise_id, value=b'{"approved":true}') for promise_id in asked]
        return found
