"""W4: standalone tasks. They are enqueued while no worker is there, then processed, as the peers were measured."""

import asyncio
import statistics
import time
from collections.abc import AsyncIterator
from typing import NamedTuple

from holdfast.app.holdfast import Holdfast
from holdfast.cli.bench import machine, programs
from holdfast.cli.bench.figures import Measurement, figure
from holdfast.cli.bench.hosting import Host, hosted
from holdfast.cli.bench.measuring import Meter, closed_loop, count_for, limit_of
from holdfast.cli.bench.raw_limit import Recording
from holdfast.cli.bench.setting import Setting
from holdfast.cli.bench.throughput import raw_limit
from holdfast.worker.registry import Registry
from holdfast.worker.settings import WorkerSettings

LANES = 20
"""Clients that enqueue one by one, as many as the fastest peers had."""
MOST_TASKS = 100_000
WARM_TASKS = 200
PAUSE = 0.005
"""Seconds between two tasks whose pick-up is timed, so that the worker is idle again."""
TIMEOUT = 300.0


class Starts:
    """The instants at which task bodies began."""

    def __init__(self) -> None:
        self.at: list[float] = []
        self.task = programs.noting_task(self._note)
        self._wanted = 0
        self._enough = asyncio.Event()

    def _note(self, number: int) -> None:
        del number
        self.at.append(time.perf_counter())
        if len(self.at) >= self._wanted:
            self._enough.set()

    async def wait_for(self, count: int) -> None:
        """Until so many have begun."""
        self._wanted = count
        self._enough.clear()
        if len(self.at) < count:
            async with asyncio.timeout(TIMEOUT):
                await self._enough.wait()


async def standalone_tasks(setting: Setting) -> AsyncIterator[Measurement]:
    """W4."""
    yield await _one_by_one(setting)
    yield await _in_batches(setting)
    yield await _process(setting)
    yield await _pick_up(setting)


async def _one_by_one(setting: Setting) -> Measurement:
    sizes, recording, rates = setting.sizes, Recording(), []
    probe = machine.probe_disk(setting.folder, seconds=sizes.probe_seconds)
    async with hosted(setting.place()) as (host, holdfast):
        meter = Meter()
        warm = await closed_loop(WARM_TASKS, LANES, lambda number: holdfast.submit_task(programs.step, number))
        count = count_for(WARM_TASKS / warm.seconds, sizes.seconds, least=LANES, most=MOST_TASKS)
        for _ in range(sizes.repetitions):
            with meter.span(host, count):
                loop = await closed_loop(count, LANES, lambda number: holdfast.submit_task(programs.step, number))
            rates.append(count / loop.seconds)
        with host.recorder.into(recording.batches):
            await closed_loop(count, LANES, lambda number: holdfast.submit_task(programs.step, number))
    usage, reached = meter.usage(), figure("W4 enqueue", rates)
    return Measurement(
        workload="W4",
        title=f"enqueue one by one, {LANES} clients",
        figures=(reached,),
        details={"tasks": count, "clients": LANES},
        probe=probe,
        usage=usage,
        raw_limit=await raw_limit(setting, recording, count, reached.value),
        limited_by=limit_of(usage, probe.median_us),
    )


async def _in_batches(setting: Setting) -> Measurement:
    sizes, recording, rates = setting.sizes, Recording(), []
    size, count = sizes.enqueue_batch, sizes.enqueue_batches
    probe = machine.probe_disk(setting.folder, seconds=sizes.probe_seconds)
    async with hosted(setting.place()) as (host, holdfast):
        meter = Meter()
        await holdfast.submit_tasks(programs.step, range(size))
        for _ in range(sizes.repetitions):
            with meter.span(host, count * size):
                loop = await closed_loop(count, 1, lambda _: holdfast.submit_tasks(programs.step, range(size)))
            rates.append(count * size / loop.seconds)
        with host.recorder.into(recording.batches):
            await closed_loop(count, 1, lambda _: holdfast.submit_tasks(programs.step, range(size)))
    usage, reached = meter.usage(), figure("W4 enqueue batches", rates)
    return Measurement(
        workload="W4",
        title=f"enqueue in batches of {size:,}, one client",
        figures=(reached,),
        details={"tasks": count * size, "batch": size},
        probe=probe,
        usage=usage,
        raw_limit=await raw_limit(setting, recording, count * size, reached.value),
        limited_by=limit_of(usage, probe.median_us),
    )


class Drained(NamedTuple):
    """How a repetition went, in tasks a second."""

    began: float
    """From the first start of a body to the last, as the peers were counted."""
    recorded: float
    """From the first start until all ends are on disk."""


async def _process(setting: Setting) -> Measurement:
    sizes, meter, recording = setting.sizes, Meter(), Recording()
    probe = machine.probe_disk(setting.folder, seconds=sizes.probe_seconds)
    trial = await _drain(setting, Meter(), sizes.enqueue_batch, None)
    count = count_for(trial.began, sizes.seconds, least=sizes.enqueue_batch, most=MOST_TASKS)
    drains = [await _drain(setting, meter, count, None) for _ in range(sizes.repetitions)]
    await _drain(setting, Meter(), count, recording)
    usage, reached = meter.usage(), figure("W4 process", [drain.began for drain in drains])
    return Measurement(
        workload="W4",
        title=f"process standalone tasks, {WorkerSettings().task_slots} at once",
        figures=(reached,),
        details={"tasks": count, "recorded_per_second": statistics.median(drain.recorded for drain in drains)},
        probe=probe,
        usage=usage,
        raw_limit=await raw_limit(setting, recording, count, reached.value),
        limited_by=limit_of(usage, probe.median_us),
    )


async def _drain(setting: Setting, meter: Meter, count: int, recording: Recording | None) -> Drained:
    """Enqueue on a fresh file without a worker, then let one come and take everything."""
    host, starts = Host(setting.place()), Starts()
    before, batches = ([], []) if recording is None else (recording.before, recording.batches)
    worker = host.holdfast(Registry(tasks=[starts.task]), WorkerSettings())
    await host.engine.start()
    try:
        with host.recorder.into(before):
            await _enqueue(worker, starts, count, setting.sizes.enqueue_batch)
        with meter.span(host, count), host.recorder.into(batches):
            await worker.start_worker()
            await starts.wait_for(count)
    finally:
        await asyncio.shield(worker.close())
    first, last = starts.at[0], starts.at[-1]
    return Drained((count - 1) / max(last - first, 1e-9), count / (time.perf_counter() - first))


async def _enqueue(holdfast: Holdfast, starts: Starts, count: int, size: int) -> None:
    for first in range(0, count, size):
        await holdfast.submit_tasks(starts.task, range(first, min(count, first + size)))


async def _pick_up(setting: Setting) -> Measurement:
    sizes, starts, meter = setting.sizes, Starts(), Meter()
    probe = machine.probe_disk(setting.folder, seconds=sizes.probe_seconds)
    async with hosted(setting.place(), tasks=[starts.task]) as (host, holdfast):
        await _picked_up(holdfast, starts)
        waits = []
        for _ in range(sizes.repetitions):
            with meter.span(host, sizes.pick_ups):
                waits.append([await _picked_up(holdfast, starts) for _ in range(sizes.pick_ups)])
    usage = meter.usage()
    return Measurement(
        workload="W4",
        title="idle worker: from enqueueing a task to the start of its body",
        figures=(
            figure("W4 pick-up p50", [machine.percentile(wait, 0.5) * 1e3 for wait in waits]),
            figure("W4 pick-up p99", [machine.percentile(wait, 0.99) * 1e3 for wait in waits]),
        ),
        details={"tasks": sizes.pick_ups},
        probe=probe,
        usage=usage,
        limited_by=limit_of(usage, probe.median_us),
    )


async def _picked_up(holdfast: Holdfast, starts: Starts) -> float:
    await asyncio.sleep(PAUSE)
    began = time.perf_counter()
    handle = await holdfast.submit_task(starts.task, 0)
    await starts.wait_for(len(starts.at) + 1 if not starts.at or starts.at[-1] < began else len(starts.at))
    await handle.result()
    return starts.at[-1] - began
