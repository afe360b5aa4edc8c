"""What the worker runs in these tests."""

import asyncio
from datetime import timedelta

from holdfast import TaskContext, WorkerSettings, WorkflowContext, task, workflow


@task
async def double(number: int) -> int:
    return 2 * number


@task(retries=0)
async def refuse(_: None) -> None:
    raise ValueError("never")


@task
async def tell(ctx: TaskContext, lines: int) -> str:
    for number in range(lines):
        ctx.stream(number, "news")
    return "told"


@task
async def hold(_: None) -> None:
    await asyncio.sleep(3600)


@workflow
async def doubled(ctx: WorkflowContext, number: int) -> int:
    return await ctx.schedule(double, number)


@workflow
async def broken(ctx: WorkflowContext) -> None:
    await ctx.schedule(refuse, None)


@workflow
async def greeted(ctx: WorkflowContext) -> str:
    ctx.set_state("step", "waiting")
    ctx.set_query_handler("step", lambda: ctx.get_state("step"))

    @ctx.query
    def plus(number: int) -> int:
        return number + 1

    return str(await ctx.wait_for_signal("greeting"))


@workflow
async def approved(ctx: WorkflowContext) -> str:
    return str(await ctx.promise("approval"))


@workflow
async def asleep(ctx: WorkflowContext) -> str:
    await ctx.sleep(timedelta(days=30))
    return "awake"


@workflow
async def parent(ctx: WorkflowContext, number: int) -> int:
    return await ctx.schedule_workflow("the child", doubled, number)


WORKFLOWS = (doubled, broken, greeted, approved, asleep, parent)
TASKS = (double, refuse, tell, hold)
SETTINGS = WorkerSettings(grace=timedelta(milliseconds=100))
