"""Moves a test's clock from one due instant to the next, and knows when nothing is left to do in between.

Time stands still while something runs. It passes by itself only while the test awaits a result, so that a test which
starts a workflow can look at it, and signal it, before its timeouts pass.
"""

import asyncio
import math
from collections.abc import Callable

from holdfast.model.errors import HoldfastError
from holdfast.model.instants import Instant, Milliseconds
from holdfast.server.host import EngineHost
from holdfast.testing.clock import ManualClock
from holdfast.testing.store import MemoryStore

QUIET_TURNS = 5
"""Turns of the event loop without any sign of work, after which there is none."""

EAGER_TURNS = 200
"""So many turns are taken as fast as the loop goes; then something real is being waited for."""

PAUSE = 0.001
BODY_PATIENCE = 0.05
"""Real seconds that running bodies get to end, before `advance` goes on without them."""

LEASE_STEP = Milliseconds(10_000)
"""Time moves in such steps past what runs, whose lease is thirty seconds and is extended after each."""

FARTHEST_SKIP = Milliseconds(100 * 365 * 86_400_000)


class Stuck(HoldfastError):
    """A test awaits what can never happen by itself."""

    code = "STUCK"


class TimeTravel:
    """The passing of time in one test."""

    def __init__(
        self,
        *,
        engine: EngineHost,
        store: MemoryStore,
        clock: ManualClock,
        extend_leases: Callable[[], None],
        explain: Callable[[], str],
        stuck_after: float,
    ) -> None:
        self._engine = engine
        self._store = store
        self._clock = clock
        self._extend_leases = extend_leases
        self._explain = explain
        self._stuck_after = stuck_after

    # By hand.

    async def advance_to(self, target: Instant) -> None:
        """Let all that falls due until then happen, each thing at its own instant."""
        await self.settle(patience=BODY_PATIENCE)
        while self._clock.now() < target:
            due = self._store.rows.next_wake()
            step = target if due is None else min(target, max(due, self._clock.now()))
            if self._store.running:
                step = min(step, Instant(self._clock.now() + LEASE_STEP))
            self._move(step)
            await self.settle(patience=BODY_PATIENCE if step == due else 0)
            if self._store.running:
                self._extend_leases()
                await self.settle(patience=0)

    async def settle(self, *, patience: float = math.inf) -> None:
        """Wait until nothing is left to do now; for bodies that run, no longer than `patience` real seconds."""
        loop = asyncio.get_running_loop()
        quiet, turns, commits, since = 0, 0, self._engine.committer.commits, loop.time()
        while quiet < QUIET_TURNS:
            await asyncio.sleep(0 if turns < EAGER_TURNS or patience == 0 else PAUSE)
            turns += 1
            if commits != self._engine.committer.commits:
                commits, since, quiet = self._engine.committer.commits, loop.time(), 0
            elif self._is_working() or (self._store.running and loop.time() - since < patience):
                quiet = 0
            else:
                quiet += 1

    def _is_working(self) -> bool:
        if not (self._engine.committer.idle and self._engine.pump.idle):
            return True
        due = self._store.rows.next_wake()
        return due is not None and due <= self._clock.now()

    def _move(self, instant: Instant) -> None:
        self._clock.set(instant)
        self._engine.scheduler.poke(None)

    # By itself.

    async def pass_by(self) -> None:
        """For ever: when an end is awaited, and all that can happen now has happened, go to the next due instant."""
        loop = asyncio.get_running_loop()
        idle_since: float | None = None
        while True:
            if not self._is_awaited():
                idle_since = None
                await asyncio.sleep(PAUSE)
                continue
            await self.settle()
            due = self._store.rows.next_wake()
            if not self._is_awaited():
                continue
            if due is not None and due - self._clock.now() <= FARTHEST_SKIP:
                idle_since = None
                self._move(max(due, self._clock.now()))
                continue
            idle_since = loop.time() if idle_since is None else idle_since
            if loop.time() - idle_since >= self._stuck_after:
                self._give_up()
            await asyncio.sleep(PAUSE)

    def _is_awaited(self) -> bool:
        return bool(self._engine.executions.awaited() or self._engine.tasks.awaited())

    def _give_up(self) -> None:
        stuck = Stuck(self._explain())
        for execution in self._engine.executions.awaited():
            execution.give_up(stuck)
        for task in self._engine.tasks.awaited():
            task.give_up(stuck)
