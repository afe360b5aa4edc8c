"""W6: an execution with a long history is woken by a process that has never seen it, and goes on."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import NamedTuple

from holdfast.cli.bench import machine, programs
from holdfast.cli.bench.figures import Measurement, figure
from holdfast.cli.bench.hosting import hosted
from holdfast.cli.bench.measuring import Meter
from holdfast.cli.bench.places import Place
from holdfast.cli.bench.setting import Setting
from holdfast.model.ids import ExecutionId
from holdfast.sdk.replay.replayer import replay
from holdfast.worker.executions import CODEC

EXECUTION = "long"
TIMEOUT = 600.0


class Steps:
    """Which steps have run, and when the last one began."""

    def __init__(self) -> None:
        self.last = -1
        self.at = 0.0
        self.task = programs.noting_task(self._note)
        self.workflow = programs.long_history(self.task)
        self._awaited = -1
        self._came = asyncio.Event()

    def _note(self, number: int) -> None:
        self.last, self.at = number, time.perf_counter()
        if number >= self._awaited:
            self._came.set()

    async def wait_for(self, number: int) -> None:
        """Until that step has begun."""
        self._awaited = number
        if self.last >= number:
            return
        self._came.clear()
        async with asyncio.timeout(TIMEOUT):
            await self._came.wait()


class Replay(NamedTuple):
    """What a cold replay is made of, in seconds."""

    reading: float
    running: float
    events: int


async def cold_replay(setting: Setting) -> AsyncIterator[Measurement]:
    """W6."""
    sizes, meter, place = setting.sizes, Meter(), setting.place()
    probe = machine.probe_disk(setting.folder, seconds=sizes.probe_seconds)
    building = await _build(place, sizes.history_steps)
    took = [await _go_on(place, sizes.history_steps + number, meter) for number in range(sizes.repetitions)]
    parts = await _parts(place)
    yield Measurement(
        workload="W6",
        title=f"cold start, history of {sizes.history_steps:,} steps: from opening until the next runs, Python started",
        figures=(figure("W6", took),),
        details={
            "events": parts.events,
            "reading_ms": parts.reading * 1e3,
            "pure_replay_ms": parts.running * 1e3,
            "building_s": building,
        },
        probe=probe,
        usage=meter.usage(),
        limited_by=f"replay {parts.running:.2f} s and reading {parts.reading:.2f} s, on the event loop and a reader",
    )


async def _build(place: Place, count: int) -> float:
    """Let the product write the history, one task after the other."""
    steps, start = Steps(), time.perf_counter()
    async with hosted(place, workflows=[steps.workflow], tasks=[steps.task]) as (_, holdfast):
        await holdfast.start(steps.workflow, count, id=EXECUTION)
        await steps.wait_for(count - 1)
    return time.perf_counter() - start


async def _go_on(place: Place, number: int, meter: Meter) -> float:
    """Signal the sleeping execution while nobody can run it, then open everything and wait for the step."""
    async with hosted(place) as (_, holdfast):
        await holdfast.signal(EXECUTION, "go", number)
    steps, start = Steps(), time.perf_counter()
    async with hosted(place, workflows=[steps.workflow], tasks=[steps.task]) as (host, _):
        with meter.span(host, 1):
            await steps.wait_for(number)
    return steps.at - start


async def _parts(place: Place) -> Replay:
    """Reading and running by themselves."""
    steps = Steps()
    async with hosted(place) as (_, holdfast):
        start = time.perf_counter()
        history = await holdfast.history(EXECUTION)
        read = time.perf_counter()
    replay(steps.workflow, history, execution_id=ExecutionId(EXECUTION), codec=CODEC)
    return Replay(read - start, time.perf_counter() - read, len(history))
