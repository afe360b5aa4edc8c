"""The pump: goes on with what runs of flows have left ready in the database: items to be opened, long chains of nodes.

It sleeps until somebody has committed something ready, and then takes turns, each of which is one transaction. When a
turn is refused because of one run, it goes on run by run, and leaves alone for a while those that the engine fails on.
"""

import asyncio
import logging
from contextlib import suppress

from holdfast.engine.state import ExecutionKey
from holdfast.model.errors import HoldfastError, Unavailable
from holdfast.model.flow_requests import PumpFlows, StepFrames
from holdfast.model.flows import FramePath, ScopePath
from holdfast.model.ids import ALL_TENANTS
from holdfast.ports.store import Changes, Store
from holdfast.ports.time import Clock
from holdfast.server.apart import Aside, is_of_one_row
from holdfast.server.committer import Committer

logger = logging.getLogger(__name__)

TURN = 256
"""The most frames, and the most scopes, of one transaction."""

PAUSE_AFTER_FAILURE = 0.2


class Pump:
    """Goes on with flows."""

    def __init__(self, *, store: Store, clock: Clock, committer: Committer) -> None:
        self._store = store
        self._clock = clock
        self._committer = committer
        self._aside = Aside[ExecutionKey](clock)
        self._poked = asyncio.Event()
        self._in_turn = False
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin, with what an earlier process may have left."""
        self._poked.set()
        self._task = asyncio.get_running_loop().create_task(self._run(), name="holdfast-pump")

    async def stop(self) -> None:
        """Take no more turns."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    @property
    def idle(self) -> bool:
        """Whether nothing is known to be ready."""
        return not (self._poked.is_set() or self._in_turn)

    def poke(self) -> None:
        """Something may be ready."""
        self._poked.set()

    def look_at(self, changes: Changes) -> None:
        """Something has been committed."""
        if has_ready(changes):
            self._poked.set()

    async def _run(self) -> None:
        while True:
            await self._sleep()
            # Before the turn: a request that shares its commit may leave ready what the turn has not seen.
            self._poked.clear()
            self._in_turn = True
            if await self._took_turn():
                self._poked.set()
            self._in_turn = False

    async def _took_turn(self) -> bool:
        """Go on with some of what is ready; says whether there may be more, also after a failure."""
        try:
            return await self._turn()
        except HoldfastError as error:
            level = logging.WARNING if isinstance(error, Unavailable) else logging.ERROR
            logger.log(level, "flows cannot go on for now: %s", error)
        except Exception:
            logger.exception("the pump failed; it goes on")
        await asyncio.sleep(PAUSE_AFTER_FAILURE)
        return True

    async def _sleep(self) -> None:
        """Until something may be ready, or a run that was set aside is to be tried again."""
        over = self._aside.next_over
        seconds = None if over is None else max(0, over - self._clock.now()) / 1000
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._poked.wait()

    async def _turn(self) -> bool:
        self._aside.forget_old()
        if not self._aside:
            try:
                swept = await self._committer.send(PumpFlows(ALL_TENANTS, TURN))
            except HoldfastError as error:
                if not is_of_one_row(error):
                    raise
                logger.warning("going on with all runs was refused; it is done run by run: %s", error)
            else:
                return swept.count > 0
        return await self._turn_apart()

    async def _turn_apart(self) -> bool:
        """The same, with a request for each run that has not been set aside."""
        steps = await self._steps()
        answers = await asyncio.gather(*[self._committer.send(step) for step in steps], return_exceptions=True)
        noted, count = len(self._aside), 0
        for step, answer in zip(steps, answers, strict=True):
            if not isinstance(answer, BaseException):
                count += answer.count
            elif isinstance(answer, HoldfastError) and is_of_one_row(answer):
                self._set_aside((step.tenant, step.execution_id), answer)
            else:
                raise answer
        return count > 0 or len(self._aside) > noted

    async def _steps(self) -> list[StepFrames]:
        """What is ready, by runs; those that were set aside must not hide what has become ready after them."""
        limit = TURN
        while True:
            frames, scopes = await self._store.ready_flows(limit)
            runs: dict[ExecutionKey, tuple[list[FramePath], list[ScopePath]]] = {}
            for frame in frames:
                runs.setdefault((frame.tenant, frame.execution_id), ([], []))[0].append(frame.path)
            for scope in scopes:
                runs.setdefault((scope.tenant, scope.execution_id), ([], []))[1].append(scope.path)
            steps = [
                StepFrames(*run, tuple(of_frames), tuple(of_scopes))
                for run, (of_frames, of_scopes) in runs.items()
                if run not in self._aside
            ]
            if steps or max(len(frames), len(scopes)) < limit:
                return steps
            limit *= 2

    def _set_aside(self, run: ExecutionKey, error: HoldfastError) -> None:
        logger.error("run %s of tenant %s is ready, and cannot go on; others can: %s", run[1], run[0], error)
        self._aside.add(run)


def has_ready(changes: Changes) -> bool:
    """Whether a commit has left frames or scopes that are to be gone on with."""
    rows = (changes.new_frames, changes.changed_frames, changes.new_scopes, changes.changed_scopes)
    return any(row.ready for each in rows for row in each)
