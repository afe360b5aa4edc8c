"""Timers: arming many, claiming among many, a burst at one instant beside new work, and a single one on an idle system.

    python benchmarks/timers_bench.py [--timers redis://…] [--pending 1000000] [--burst 100000]

Without `--timers` the database is the index. All in one process over SQLite, as an embedded engine runs; each line says
what it measured, and the load of the machine stands at the end.
"""

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from pathlib import Path

from holdfast import Holdfast, WorkerSettings, WorkflowContext, workflow
from holdfast.model.ids import DEFAULT_TENANT
from holdfast.model.instants import Instant
from holdfast.server import wiring
from holdfast.timers.guarded import GuardedTimers
from holdfast.worker.registry import Registry

TOGETHER = 500
"""Timers that one activation arms."""
FAR = 86_400.0
IDLE_SECONDS = 0.03
SAMPLES = 200
STARTS = 700
"""Sleepers that any machine starts in a second; they are due when all of them are asleep."""

woken: list[float] = []


@workflow
async def many(ctx: WorkflowContext, count: int) -> None:
    """Arms many timers at once, and sleeps until the first of them."""
    await asyncio.wait([asyncio.ensure_future(ctx.sleep(FAR)) for _ in range(count)], return_when="FIRST_COMPLETED")


def note(due_ms: int) -> None:
    """How late somebody has woken."""
    woken.append(time.time() - due_ms / 1000)


@workflow
async def sleeper(ctx: WorkflowContext, due_ms: int) -> None:
    """Sleeps until an instant, and tells when it woke."""
    await ctx.sleep_until(Instant(due_ms))
    note(due_ms)


@workflow
async def nothing(_: WorkflowContext) -> None:
    """New work."""


def percentiles(seconds: list[float]) -> str:
    """Median and 99th percentile in milliseconds."""
    cuts = statistics.quantiles(seconds, n=100)
    return f"p50 {cuts[49] * 1000:.1f} ms, p99 {cuts[98] * 1000:.1f} ms"


async def lateness(hf: Holdfast) -> str:
    """Of single timers, one after the other."""
    woken.clear()
    for _ in range(SAMPLES):
        await hf.run(sleeper, int((time.time() + IDLE_SECONDS) * 1000))
    assert min(woken) >= 0, "a timer fired early"
    return percentiles(woken)


async def new_work(hf: Holdfast, stop: asyncio.Event) -> list[float]:
    """The latency of small workflows, one after the other."""
    took: list[float] = []
    while not stop.is_set():
        began = time.perf_counter()
        await hf.run(nothing)
        took.append(time.perf_counter() - began)
        await asyncio.sleep(0.005)
    return took


async def measured_new_work(hf: Holdfast, seconds: float) -> str:
    stop = asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, stop.set)
    return percentiles(await new_work(hf, stop))


async def armed(hf: Holdfast, count: int, until: float = float("inf")) -> None:
    """Wait until so many timers are on disk, or until an instant at which they fire."""
    while time.time() < until and (await hf.host.store.list_timers(DEFAULT_TENANT, None, 1)).total < count:
        await asyncio.sleep(0.05)


async def arm(hf: Holdfast, pending: int) -> float:
    """Seconds until all of them are on disk, and in the index."""
    began = time.perf_counter()
    await asyncio.gather(*[hf.start(many, TOGETHER) for _ in range(pending // TOGETHER)])
    await armed(hf, pending)
    timers = hf.host.timers
    if isinstance(timers, GuardedTimers):
        while timers._pending:  # noqa: SLF001 - what is on its way is armed only when it is there
            await asyncio.sleep(0.01)
    return time.perf_counter() - began


async def burst(hf: Holdfast, count: int) -> None:
    """All due at one instant."""
    woken.clear()
    due = time.time() + count / STARTS + 2
    began = time.perf_counter()
    for start in range(0, count, 1_000):
        await asyncio.gather(*[hf.start(sleeper, int(due * 1000)) for _ in range(start, min(count, start + 1_000))])
    await armed(hf, count, due)
    print(f"  asleep in {time.perf_counter() - began:.1f} s, {due - time.time():.1f} s before they are due")
    await asyncio.sleep(max(0.0, due - time.time()))
    stop = asyncio.Event()
    work = asyncio.ensure_future(new_work(hf, stop))
    while len(woken) < count:
        await asyncio.sleep(0.05)
    stop.set()
    print(f"burst of {count:,}: {count / max(woken):,.0f}/s, earliest {min(woken) * 1000:.1f} ms after it was due")
    print(f"  new work meanwhile: {percentiles(await work)}")


async def main(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        engine = wiring.engine_host(
            wiring.open_store(f"sqlite:///{Path(folder) / 'bench.db'}"), timers=arguments.timers
        )
        await engine.start()
        hf = Holdfast(
            engine,
            session="bench",
            tenant=DEFAULT_TENANT,
            registry=Registry([many, sleeper, nothing], []),
            queues=[],
            settings=WorkerSettings(cached_workflows=10_000, guards=False),
        )
        await hf.start_worker()
        try:
            await measure(hf, arguments)
        finally:
            await hf.close()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


async def measure(hf: Holdfast, arguments: argparse.Namespace) -> None:
    timers = hf.host.timers
    if isinstance(timers, GuardedTimers):
        while not timers.trusted:
            await asyncio.sleep(0.01)
    print(f"timers in {arguments.timers or 'the database'}")
    print(f"one timer, nothing pending: {await lateness(hf)}")
    print(f"new work, idle: {await measured_new_work(hf, 3)}")
    if arguments.burst:
        await burst(hf, arguments.burst)
    if arguments.pending:
        print(f"armed {arguments.pending:,}: {arguments.pending / await arm(hf, arguments.pending):,.0f}/s")
        print(f"one timer, {arguments.pending:,} pending: {await lateness(hf)}")
    if isinstance(timers, GuardedTimers):
        print(f"the index needed: {timers.counts}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--timers")
    parser.add_argument("--pending", type=int, default=1_000_000)
    parser.add_argument("--burst", type=int, default=100_000)
    asyncio.run(main(parser.parse_args()))
