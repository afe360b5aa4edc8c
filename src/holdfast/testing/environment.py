"""HoldfastTest: a whole Holdfast in memory, for users' tests, in which days pass at once."""

import asyncio
import math
import random
from collections.abc import Iterable
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any

from holdfast.app.holdfast import Holdfast
from holdfast.model.errors import Stopped
from holdfast.model.flows import flow_of
from holdfast.model.ids import DEFAULT_TENANT
from holdfast.model.instants import DurationLike, instant_of, later, milliseconds
from holdfast.model.statuses import PromiseStatus
from holdfast.sdk.definitions import TaskDefinition, WorkflowDefinition
from holdfast.sdk.nodes import Nodes, tasks_of
from holdfast.server import wiring
from holdfast.testing.clock import START, ManualClock
from holdfast.testing.histories import described
from holdfast.testing.replaced_tasks import Replacements, with_replacements
from holdfast.testing.replaying import check_replay
from holdfast.testing.store import MemoryStore
from holdfast.testing.time_travel import TimeTravel
from holdfast.worker.registry import Registry
from holdfast.worker.settings import WorkerSettings

SETTINGS = WorkerSettings(grace=timedelta(seconds=1), workflow_slots=200, task_slots=100)
STUCK_AFTER = 1.0


class VirtualHoldfast(Holdfast):
    """What a test works with: a Holdfast (start, signal, cancel, …) whose time the test owns."""

    def __init__(
        self,
        *,
        store: MemoryStore,
        clock: ManualClock,
        seed: int,
        registry: Registry,
        queues: Iterable[str],
        settings: WorkerSettings,
        stuck_after: float,
    ) -> None:
        engine = wiring.engine_host(store, clock=clock, chance=random.Random(seed))
        super().__init__(
            engine, session=store.session, tenant=DEFAULT_TENANT, registry=registry, queues=queues, settings=settings
        )
        self._store = store
        self._clock = clock
        self._guarded = settings.guards
        self._time = TimeTravel(
            engine=engine,
            store=store,
            clock=clock,
            extend_leases=self._extend_leases,
            explain=self._explain,
            stuck_after=stuck_after,
        )
        self._passing: asyncio.Task[None] | None = None

    async def begin(self, *, auto_skip: bool) -> None:
        """Serve; with `auto_skip`, time passes while the test awaits a result."""
        await self._engine.start()
        await self.start_worker()
        if auto_skip:
            self._passing = asyncio.get_running_loop().create_task(self._time.pass_by(), name="holdfast-time")

    async def close(self) -> None:
        """Stop; running tasks are interrupted."""
        if self._passing is not None:
            self._passing.cancel()
            await asyncio.wait([self._passing])
            self._passing = None
        await super().close()

    @property
    def now(self) -> datetime:
        """The test's time, in UTC."""
        return self._clock.datetime

    async def advance(self, duration: DurationLike) -> None:
        """Let time pass, a timedelta or seconds: all that falls due happens, each thing at its own instant."""
        await self._time.advance_to(later(self._clock.now(), milliseconds(duration)))

    async def advance_to(self, moment: datetime) -> None:
        """Let time pass until an instant."""
        await self._time.advance_to(instant_of(moment))

    async def settle(self) -> None:
        """Wait until all that can happen without time passing has happened; running tasks are waited for."""
        await self._time.settle()

    def check_replays(self) -> None:
        """Replay every history against the code; ReplayDiffers if some workflow would not do the same again."""
        for key, execution in self._store.rows.executions.items():
            if execution.kind in self._registry.workflows:
                check_replay(
                    self._registry.workflow(execution.kind),
                    self._store.rows.history[key],
                    execution_id=execution.id,
                    tenant=execution.tenant,
                    queue=execution.queue,
                    parent_id=execution.parent_id,
                    guarded=self._guarded,
                )

    def histories(self) -> dict[str, str]:
        """All histories, described for a person, by "kind id (status)"."""
        rows = self._store.rows
        return {
            f"{execution.kind} {execution.id} ({execution.status})": described(rows.history[key])
            for key, execution in rows.executions.items()
        }

    def _extend_leases(self) -> None:
        if self._worker is not None:
            self._worker.extend_leases(math.inf)

    def _explain(self) -> str:
        rows = self._store.rows
        lines = ["the test awaits an end that cannot come: nothing runs, and nothing is due"]
        for execution in rows.executions.values():
            if not execution.closed:
                lines.append(f"  workflow {execution.kind!r} {execution.id} is {execution.status}")
                if execution.kind not in self._registry.workflows and flow_of(execution.kind) is None:
                    lines.append(f"    nobody runs it: pass workflows=[{execution.kind}] to HoldfastTest")
        lines += [
            f"    promise {promise.name!r} of {promise.execution_id} is not settled"
            for promise in rows.promises.values()
            if promise.status is PromiseStatus.PENDING
        ]
        lines += [
            f"    nobody runs task {task.task_type!r}: pass tasks=[{task.task_type}] to HoldfastTest"
            for task in rows.tasks.values()
            if not task.closed and task.task_type not in self._registry.tasks
        ]
        return "\n".join([*lines, "  a workflow may also wait for a signal that nobody has sent"])


class HoldfastTest:
    """Opens a Holdfast in memory for one test.

    `async with HoldfastTest(workflows=[checkout], tasks=[pack], replace={charge: fake_charge}) as hf:` gives a Holdfast
    whose clock stands still, passes at once while the test awaits a result (`auto_skip`), and is moved by `hf.advance`.
    A fake gets the arguments of the task it replaces, without the context. With `nodes` the http and smtp nodes of
    flows do their work, for real. At the end of the block every history is
    replayed against the code, so that a workflow which is not deterministic fails its test (`check_replays`). Nothing
    is written to disk; `seed` is where jitter and ids come from; a test that awaits what cannot come gets Stuck after
    `stuck_after` real seconds.
    """

    def __init__(
        self,
        *,
        workflows: Iterable[WorkflowDefinition[..., Any]] = (),
        tasks: Iterable[TaskDefinition[..., Any]] = (),
        replace: Replacements | None = None,
        queues: Iterable[str] = (),
        settings: WorkerSettings = SETTINGS,
        nodes: Nodes | None = None,
        start_at: datetime = START,
        seed: int = 0,
        auto_skip: bool = True,
        check_replays: bool = True,
        stuck_after: float = STUCK_AFTER,
    ) -> None:
        offered = [*tasks, *tasks_of(nodes)]
        self._registry = Registry(workflows, with_replacements(offered, replace or {}))
        self._queues = tuple(queues)
        self._settings = settings
        self._start_at = start_at
        self._seed = seed
        self._auto_skip = auto_skip
        self._check_replays = check_replays
        self._stuck_after = stuck_after
        self.opened: VirtualHoldfast | None = None
        """The Holdfast of the block; it can still be looked at when the block has ended."""

    async def __aenter__(self) -> VirtualHoldfast:
        if self.opened is not None:
            raise Stopped("this HoldfastTest has been entered before; make another one")
        self.opened = VirtualHoldfast(
            store=MemoryStore(),
            clock=ManualClock(self._start_at),
            seed=self._seed,
            registry=self._registry,
            queues=self._queues,
            settings=self._settings,
            stuck_after=self._stuck_after,
        )
        await self.opened.begin(auto_skip=self._auto_skip)
        return self.opened

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self.opened is not None
        try:
            if error is None and self._check_replays:
                self.opened.check_replays()
        finally:
            await asyncio.shield(self.opened.close())


async def run_workflow(
    workflow: WorkflowDefinition[..., Any],
    *args: object,
    workflows: Iterable[WorkflowDefinition[..., Any]] = (),
    tasks: Iterable[TaskDefinition[..., Any]] = (),
    replace: Replacements | None = None,
) -> Any:
    """Run one workflow to its end and give its result, in a HoldfastTest of its own; `workflows` are its children."""
    async with HoldfastTest(workflows=[workflow, *workflows], tasks=tasks, replace=replace) as holdfast:
        return await holdfast.run(workflow, *args)
