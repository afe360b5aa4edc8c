"""An engine whose timers are in an outside index, with a worker in the same process, over a database file."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from holdfast import Holdfast, RetryPolicy, TaskContext, WorkerSettings, WorkflowContext, task, workflow
from holdfast.model.ids import DEFAULT_TENANT
from holdfast.model.instants import Instant, Milliseconds
from holdfast.sdk.definitions import TaskDefinition, WorkflowDefinition
from holdfast.server import wiring
from holdfast.server.clock import SystemClock
from holdfast.server.host import EngineHost
from holdfast.timers.guarded import GuardedTimers
from holdfast.worker.registry import Registry

WITHIN = 60.0
"""Seconds after which a test that waits for something has failed."""

LATER = RetryPolicy(max_retries=3, initial_interval_ms=Milliseconds(20), jitter=0)
SETTINGS = WorkerSettings(grace=timedelta(milliseconds=200))


@task(retries=LATER)
async def second_try(ctx: TaskContext) -> int:
    if ctx.attempt < 2:
        raise ConnectionError("not yet")
    return ctx.attempt


@task(retries=0, timeout=timedelta(milliseconds=30))
async def endless() -> None:
    await asyncio.Event().wait()


@workflow
async def sleeper(ctx: WorkflowContext, seconds: float) -> str:
    await ctx.sleep(seconds)
    return "awake"


@workflow
async def all_sorts(ctx: WorkflowContext) -> list[str]:
    """A sleep, a retry, a timeout and a promise that nobody keeps."""
    promise = ctx.promise("verdict", str, timeout=0.02)
    await ctx.sleep(0.01)
    outcomes = await asyncio.gather(
        ctx.schedule(second_try), ctx.schedule(endless), promise, ctx.sleep(0.03), return_exceptions=True
    )
    return [type(outcome).__name__ for outcome in outcomes]


WORKFLOWS: list[WorkflowDefinition[..., Any]] = [sleeper, all_sorts]
TASKS: list[TaskDefinition[..., Any]] = [second_try, endless]


class MovedClock(SystemClock):
    """Goes as the real one does, from wherever a test moves it to: so an hour may pass when everything is set up."""

    def __init__(self) -> None:
        self.ahead_ms = 0

    def now(self) -> Instant:
        return Instant(super().now() + self.ahead_ms)

    def move(self, seconds: float) -> None:
        self.ahead_ms += round(1000 * seconds)


@asynccontextmanager
async def engine_over(file: Path, timers: str, clock: MovedClock | None = None) -> AsyncIterator[EngineHost]:
    """An engine alone."""
    engine = wiring.engine_host(wiring.open_store(f"sqlite:///{file}"), timers=timers, clock=clock)
    await engine.start()
    try:
        yield engine
    finally:
        await engine.stop()


@asynccontextmanager
async def working(file: Path, timers: str, clock: MovedClock | None = None) -> AsyncIterator[Holdfast]:
    """An engine and a worker."""
    async with engine_over(file, timers, clock) as engine:
        hf = Holdfast(
            engine,
            session=f"session-{id(engine)}",
            tenant=DEFAULT_TENANT,
            registry=Registry(WORKFLOWS, TASKS),
            queues=[],
            settings=SETTINGS,
        )
        await hf.start_worker()
        try:
            yield hf
        finally:
            await hf.stop_worker()


def guard_of(engine: EngineHost) -> GuardedTimers:
    """The index of an engine."""
    assert isinstance(engine.timers, GuardedTimers)
    return engine.timers


async def until(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds; it is looked at again and again."""
    async with asyncio.timeout(WITHIN):
        while not holds():  # noqa: ASYNC110 - what is waited for sets no event of ours
            await asyncio.sleep(0.005)
