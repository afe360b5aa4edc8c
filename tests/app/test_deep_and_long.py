"""Long histories and deep families."""

import asyncio

import pytest

from holdfast import Holdfast, WorkflowContext, task, workflow
from holdfast.model.errors import WorkflowFailed
from holdfast.worker.settings import WorkerSettings
from tests.app.programs import double

mended = asyncio.Event()


@task(retries=0)
async def at_the_bottom() -> str:
    if not mended.is_set():
        raise ConnectionError("down")
    return "deep"


@workflow
async def nested(ctx: WorkflowContext, levels: int) -> str:
    if levels == 0:
        return await ctx.schedule(at_the_bottom)
    return await ctx.schedule_workflow("next", nested, levels - 1)


@workflow
async def long(ctx: WorkflowContext, steps: int) -> int:
    total = 0
    for number in range(steps):
        total += await ctx.schedule(double, number)
    return total


@pytest.mark.parametrize("cached", [0, 10])
async def test_a_history_of_hundreds_of_events_is_replayed(url: str, cached: int) -> None:
    settings = WorkerSettings(cached_workflows=cached)
    async with Holdfast.open(url, workflows=[long], tasks=[double], settings=settings) as hf:
        handle = await hf.start(long, 60)
        assert await handle.result() == 3540
        assert len(await handle.history()) == 122


@pytest.mark.parametrize("levels", [1, 4, 8])
async def test_a_retry_goes_down_to_the_child_that_failed(url: str, levels: int) -> None:
    mended.clear()
    async with Holdfast.open(url, workflows=[nested], tasks=[at_the_bottom]) as hf:
        handle = await hf.start(nested, levels)
        with pytest.raises(WorkflowFailed, match="down"):
            await handle.result()
        mended.set()
        await handle.retry("the line is up again")
        assert await handle.result() == "deep"
