"""The app that the tests of the command line serve and replay."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta

from holdfast import NonRetryable, RetryPolicy, TaskContext, WorkflowContext, task, workflow
from holdfast.model.instants import Milliseconds

AT_ONCE = RetryPolicy(max_retries=1, initial_interval_ms=Milliseconds(1), jitter=0)


@dataclass
class Order:
    id: str
    cents: int


@task
async def greet(ctx: TaskContext, name: str) -> str:
    ctx.logger.info("greeting %s", name)
    ctx.progress(0.5, "half way")
    return f"hello {name}"


@task(retries=AT_ONCE)
async def explode(number: int) -> int:
    try:
        return number // 0
    except ZeroDivisionError as error:
        raise ValueError("no \x1b[31mred\x1b[0m here") from error


@task
async def refuse(number: int) -> int:
    raise NonRetryable("never")


@workflow
async def hello(ctx: WorkflowContext, name: str) -> str:
    return await ctx.schedule(greet, name)


@workflow
async def failing(ctx: WorkflowContext, number: int) -> int:
    return await ctx.schedule(explode, number)


@workflow
async def approval(ctx: WorkflowContext, order: Order) -> str:
    ctx.set_state("step", {"name": "asking"})
    child = ctx.schedule_workflow("part", sleeper, 3600)
    answer = await ctx.promise("approved", bool, timeout=timedelta(days=1))
    del child
    return f"{order.id} {answer}"


@workflow
async def sleeper(ctx: WorkflowContext, seconds: int) -> str:
    await asyncio.sleep(seconds)
    return "slept"


@workflow
async def counter(ctx: WorkflowContext) -> object:
    return await ctx.wait_for_signal("count")
