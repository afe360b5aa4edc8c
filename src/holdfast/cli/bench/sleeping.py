"""W5 and idle: many sleeping executions, how late they wake, and what they cost while they sleep."""

import asyncio
import gc
import random
import time
from collections.abc import AsyncIterator

from holdfast.app.holdfast import Holdfast
from holdfast.cli.bench import machine, programs
from holdfast.cli.bench.figures import Figure, Measurement, Usage, figure
from holdfast.cli.bench.hosting import hosted
from holdfast.cli.bench.measuring import Meter, closed_loop, limit_of
from holdfast.cli.bench.raw_limit import Recording
from holdfast.cli.bench.setting import Setting
from holdfast.cli.bench.throughput import raw_limit
from holdfast.worker.settings import WorkerSettings

IN_FLIGHT = 50
"""Starts under way at once, as the peers were measured."""
WARM_STARTS = 200
HEAD_START = 1.5
"""How much longer than the trial says starting may take before the first sleeper is due."""
LEAST_HEAD_START = 1.0
PATIENCE = 120.0
"""Seconds after the last sleeper was due."""
FAR_MS = 86_400_000
SETTLE = 2.0
"""Seconds between starting sleepers and watching them sleep."""


class Wakes:
    """How late sleepers woke."""

    def __init__(self) -> None:
        self.late_ms: list[float] = []
        self.workflow = programs.sleeper(self._woken)
        self._wanted = 0
        self._all = asyncio.Event()

    def _woken(self, due_ms: int) -> None:
        self.late_ms.append(time.time() * 1000 - due_ms)
        if len(self.late_ms) >= self._wanted:
            self._all.set()

    async def wait_for(self, count: int, seconds: float) -> None:
        """Until so many have woken, or for so long."""
        self._wanted = count
        if len(self.late_ms) >= count:
            return
        self._all.clear()
        try:
            async with asyncio.timeout(seconds):
                await self._all.wait()
        except TimeoutError:
            return


async def sleepers(setting: Setting) -> AsyncIterator[Measurement]:
    """W5."""
    yield await _sleep(setting, setting.sizes.spread_seconds)
    yield await _sleep(setting, 0.0)


async def idle(setting: Setting) -> AsyncIterator[Measurement]:
    """Sleeping executions that nothing happens to."""
    sizes, wakes, meter = setting.sizes, Wakes(), Meter()
    probe = machine.probe_disk(setting.folder, seconds=sizes.probe_seconds)
    cached = min(WorkerSettings().cached_workflows, max(1, sizes.sleepers // 10))
    settings = WorkerSettings(cached_workflows=cached)
    async with hosted(setting.place(), workflows=[wakes.workflow], settings=settings) as (host, holdfast):
        await _start(holdfast, wakes, [_now_ms() + FAR_MS] * cached)
        few = _memory()
        await _start(holdfast, wakes, [_now_ms() + FAR_MS] * (sizes.sleepers - cached))
        many = _memory()
        await asyncio.sleep(min(SETTLE, sizes.idle_seconds))
        with meter.span(host, sizes.sleepers):
            await asyncio.sleep(sizes.idle_seconds)
    usage = meter.usage()
    yield Measurement(
        workload="idle",
        title=f"{sizes.sleepers:,} sleeping executions, watched for {sizes.idle_seconds:g} s",
        figures=(
            figure("idle cpu", [usage.cores * 100]),
            figure("idle memory", [max(0, many - few) / 1024 / max(sizes.sleepers - cached, 1)]),
        ),
        details={"sleepers": sizes.sleepers, "cached": cached, "memory_mb": many / 2**20},
        probe=probe,
        usage=usage,
    )


async def _sleep(setting: Setting, spread: float) -> Measurement:
    sizes, wakes, starting, waking, recording = setting.sizes, Wakes(), Meter(), Meter(), Recording()
    probe = machine.probe_disk(setting.folder, seconds=sizes.probe_seconds)
    async with hosted(setting.place(), workflows=[wakes.workflow]) as (host, holdfast):
        with host.recorder.into(recording.before):
            rate = await _trial(holdfast, wakes)
        wakes.late_ms.clear()
        first = _now_ms() + int((sizes.sleepers / rate * HEAD_START + LEAST_HEAD_START) * 1000)
        dues = [first + int(random.random() * spread * 1000) for _ in range(sizes.sleepers)]
        with host.recorder.into(recording.batches), starting.span(host, sizes.sleepers):
            seconds = await _start(holdfast, wakes, dues)
        slack = (first - _now_ms()) / 1000
        with waking.span(host, sizes.sleepers):
            await wakes.wait_for(sizes.sleepers, slack + spread + PATIENCE)
    usage, started = starting.usage(), figure("W5 start", [sizes.sleepers / seconds])
    return Measurement(
        workload="W5",
        title=f"{sizes.sleepers:,} sleepers due {f'at random within {spread:g} s' if spread else 'at one instant'}",
        figures=(started, *_lateness(wakes, spread)),
        details=_details(wakes, slack, waking.usage()),
        probe=probe,
        usage=usage,
        raw_limit=await raw_limit(setting, recording, sizes.sleepers, started.value),
        limited_by=limit_of(usage, probe.median_us),
    )


def _lateness(wakes: Wakes, spread: float) -> tuple[Figure, ...]:
    slowest = machine.percentile(wakes.late_ms, 0.99)
    if not spread:
        return (figure("W5 instant p99", [slowest]),)
    return figure("W5 late p50", [machine.percentile(wakes.late_ms, 0.5)]), figure("W5 late p99", [slowest])


def _details(wakes: Wakes, slack: float, waking: Usage) -> dict[str, float]:
    return {
        "woken": len(wakes.late_ms),
        "early": sum(late < 0 for late in wakes.late_ms),
        "late_max_ms": max(wakes.late_ms, default=0.0),
        "slack_s": slack,
        "waking_cores": waking.cores,
        "waking_commits": waking.commits,
    }


async def _trial(holdfast: Holdfast, wakes: Wakes) -> float:
    """Some sleepers that are due at once; tells how many can be started in a second."""
    took = await _start(holdfast, wakes, [_now_ms()] * WARM_STARTS)
    await wakes.wait_for(WARM_STARTS, PATIENCE)
    return WARM_STARTS / took


async def _start(holdfast: Holdfast, wakes: Wakes, dues: list[int]) -> float:
    loop = await closed_loop(len(dues), IN_FLIGHT, lambda number: holdfast.start(wakes.workflow, dues[number]))
    return loop.seconds


def _now_ms() -> int:
    return int(time.time() * 1000)


def _memory() -> int:
    gc.collect()
    return machine.memory_bytes()
