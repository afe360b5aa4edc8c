"""What a user of holdfast.testing might test."""

import asyncio
from datetime import timedelta

from holdfast import RetryPolicy, TaskContext, WorkflowContext, task, workflow
from holdfast.model.errors import PromiseTimedOut


class Declined(Exception):
    """The bank said no."""


@task(retries=RetryPolicy(max_retries=4))
async def charge(ctx: TaskContext, cents: int, currency: str = "EUR", *, note: str = "") -> str:
    raise AssertionError("a unit test must not reach the bank")


@task
def pack(label: str) -> str:
    return f"box of {label}"


@task(heartbeat_timeout=timedelta(seconds=60), retries=0)
async def endless() -> None:
    await asyncio.Event().wait()


@workflow
async def checkout(ctx: WorkflowContext, cents: int) -> str:
    receipt, box = await asyncio.gather(ctx.schedule(charge, cents), ctx.schedule(pack, "tea"))
    await ctx.sleep(timedelta(days=3))
    return f"{receipt} {box} on the {ctx.now():%d}"


@workflow
async def approval(ctx: WorkflowContext) -> str:
    try:
        return await ctx.promise("verdict", str, timeout=timedelta(days=7))
    except PromiseTimedOut:
        return "too late"


@workflow
async def for_ever(ctx: WorkflowContext) -> str:
    return await ctx.promise("verdict", str)


@workflow
async def hangs(ctx: WorkflowContext) -> str:
    await ctx.schedule(endless)
    return "ended"


@workflow
async def family(ctx: WorkflowContext, cents: int) -> str:
    return await ctx.schedule_workflow("first", checkout, cents)


class Coin:
    """Falls differently each time: what workflow code must not look at."""

    falls = 0


@workflow
async def tosses(ctx: WorkflowContext) -> str:
    Coin.falls += 1
    if Coin.falls % 2:
        return await ctx.schedule(pack, "heads")
    await ctx.sleep(1)
    return "tails"
