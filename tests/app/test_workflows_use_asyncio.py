"""gather, wait, timeout, TaskGroup, shield and queues over durable futures, on a real file."""

import asyncio
from typing import Any

import pytest

from holdfast import Holdfast, TaskContext, WorkflowContext, task, workflow
from holdfast.app.holdfast import Opening
from holdfast.model.errors import WorkflowFailed
from holdfast.model.statuses import TaskStatus
from holdfast.sdk.definitions import WorkflowDefinition
from holdfast.worker.settings import WorkerSettings
from tests.app.programs import double, refuse
from tests.app.support import task_is


@task
async def endless(ctx: TaskContext) -> None:
    await asyncio.Event().wait()


@workflow
async def gathering(ctx: WorkflowContext, count: int) -> int:
    return sum(await asyncio.gather(*[ctx.schedule(double, number) for number in range(count)]))


@workflow
async def racing(ctx: WorkflowContext) -> int:
    slow, quick = ctx.schedule_raw("endless"), ctx.schedule(double, 4)
    done, _ = await asyncio.wait({slow, quick}, return_when=asyncio.FIRST_COMPLETED)
    slow.cancel()
    return await quick if quick in done else -1


@workflow
async def limited(ctx: WorkflowContext) -> str:
    try:
        async with asyncio.timeout(0.01):
            await ctx.schedule(endless)
    except TimeoutError:
        return "gave up"
    return "done"


@workflow
async def grouped(ctx: WorkflowContext) -> list[int]:
    async with asyncio.TaskGroup() as group:
        jobs = [group.create_task(one(ctx, number)) for number in range(3)]
    return [job.result() for job in jobs]


async def one(ctx: WorkflowContext, number: int) -> int:
    await ctx.sleep(0.001)
    return await ctx.schedule(double, number)


@workflow
async def group_fails(ctx: WorkflowContext) -> str:
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(one(ctx, 1))
            group.create_task(waits_on(ctx))
    except ExceptionGroup as group_error:
        return repr([str(error) for error in group_error.exceptions])
    return "no error"


async def waits_on(ctx: WorkflowContext) -> None:
    await ctx.schedule(refuse, "no")


@workflow
async def shielding(ctx: WorkflowContext) -> int:
    inner = ctx.schedule(double, 3)
    try:
        async with asyncio.timeout(0):
            await asyncio.shield(inner)
    except TimeoutError:
        pass
    return await inner


@workflow
async def queueing(ctx: WorkflowContext) -> list[int]:
    queue: asyncio.Queue[int] = asyncio.Queue(1)
    producer = asyncio.create_task(produce(ctx, queue))
    found = [await queue.get() for _ in range(3)]
    await producer
    return found


async def produce(ctx: WorkflowContext, queue: asyncio.Queue[int]) -> None:
    for number in range(3):
        await queue.put(await ctx.schedule(double, number))


@workflow
async def awaited_twice(ctx: WorkflowContext) -> int:
    future = ctx.schedule(double, 5)
    return await future + await future


@workflow
async def swallowing(ctx: WorkflowContext) -> str:
    """Catches everything around its awaits; a suspension is not an exception, so nothing is lost."""
    seen = []
    for attempt in range(3):
        try:
            seen.append(str(await ctx.schedule(double, attempt)))
            await ctx.sleep(0.001)
            await ctx.schedule(refuse, "no")
        except Exception as error:  # noqa: BLE001 - what this workflow is about
            seen.append(type(error).__name__)
    return " ".join(seen)


WORKFLOWS: list[WorkflowDefinition[..., Any]] = [
    *(gathering, racing, limited, grouped, group_fails, shielding, queueing, awaited_twice, swallowing),
]


def opened(url: str, cached: int = 1_000) -> Opening:
    settings = WorkerSettings(cached_workflows=cached)
    return Holdfast.open(url, workflows=WORKFLOWS, tasks=[double, refuse, endless], settings=settings)


@pytest.mark.parametrize("cached", [1_000, 1, 0])
async def test_every_tool_of_asyncio_gives_the_same_result_however_much_is_cached(url: str, cached: int) -> None:
    async with opened(url, cached) as hf:
        async with asyncio.timeout(20):
            found = await asyncio.gather(
                hf.run(gathering, 20), hf.run(racing), hf.run(limited), hf.run(grouped), hf.run(group_fails),
                hf.run(shielding), hf.run(queueing), hf.run(awaited_twice), hf.run(swallowing),
            )  # fmt: skip
    assert found[:4] == [380, 8, "gave up", [0, 2, 4]]
    assert "ValueError: no" in str(found[4])
    assert found[5:] == [6, [0, 2, 4], 20, "0 TaskFailed 2 TaskFailed 4 TaskFailed"]


async def test_the_loser_of_a_race_is_cancelled_for_real(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(racing)
        assert await handle.result() == 8
        page = await hf.list_tasks(execution_id=handle.id, task_type="endless")
        await task_is(hf, page.tasks[0].id, TaskStatus.CANCELLED)


async def test_a_wait_that_times_out_cancels_its_task(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(limited)
        assert await handle.result() == "gave up"
        page = await hf.list_tasks(execution_id=handle.id)
        await task_is(hf, page.tasks[0].id, TaskStatus.CANCELLED)


async def test_a_gather_fails_with_the_first_failure(url: str) -> None:
    @workflow
    async def both(ctx: WorkflowContext) -> None:
        await asyncio.gather(ctx.schedule(double, 1), ctx.schedule(refuse, "not both"))

    async with Holdfast.open(url, workflows=[both], tasks=[double, refuse]) as hf:
        with pytest.raises(WorkflowFailed, match="not both"):
            await hf.run(both)
