"""What the worker runs in these tests."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta

from holdfast import RetryPolicy, TaskContext, WorkerSettings, WorkflowContext, task, workflow

ATTACK = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'


@dataclass
class Order:
    """What somebody bought."""

    customer: str
    cents: int


@task(retries=3)
async def charge(ctx: TaskContext, order: Order) -> str:
    ctx.logger.info("charging %s", order.customer)
    return f"receipt for {order.customer}"


@task
async def pack(ctx: TaskContext, order: Order) -> str:
    ctx.progress(0.5, "packed 1 of 2")
    return f"parcel for {order.customer}"


@workflow
async def checkout(ctx: WorkflowContext, order: Order) -> str:
    ctx.set_state("step", "charging")
    await asyncio.gather(ctx.schedule(charge, order), ctx.schedule(pack, order))
    ctx.set_state("step", "deciding")
    approved = await ctx.promise("approval", bool, timeout=timedelta(hours=24))
    return "on its way" if approved else "refunded"


@workflow
async def nap(ctx: WorkflowContext) -> str:
    await ctx.sleep(timedelta(days=3))
    return "awake"


@task(retries=0)
async def ship(_: None) -> str:
    if Road.closed:
        raise ConnectionError("the road is closed")
    return "arrived"


class Road:
    """Tests open it, so that a retry gets through."""

    closed = True


@workflow
async def delivery(ctx: WorkflowContext) -> str:
    try:
        return await ctx.schedule(ship, None)
    except Exception as error:
        raise RuntimeError("nothing was delivered") from error


@workflow
async def hostile(ctx: WorkflowContext, text: str) -> str:
    ctx.set_state(text, text)
    await ctx.run(text, lambda: text)
    raise ValueError(text)


@workflow
async def parent(ctx: WorkflowContext, order: Order) -> str:
    return await ctx.schedule_workflow("the child", checkout, order)


@workflow
async def greeted(ctx: WorkflowContext) -> str:
    return str(await ctx.wait_for_signal("greeting"))


@task
async def add(number: int) -> int:
    return number + 1


@workflow
async def long_story(ctx: WorkflowContext, tasks: int, states: int) -> int:
    for number in range(states):
        ctx.set_state("number", number)
    return sum(await asyncio.gather(*[ctx.schedule(add, number) for number in range(tasks)]))


@task(retries=RetryPolicy(max_retries=5, initial_interval_ms=1))
async def resist(ctx: TaskContext) -> str:
    if ctx.attempt < 3:
        raise ValueError("not yet")
    return "well then"


@workflow
async def stubborn(ctx: WorkflowContext) -> str:
    return await ctx.schedule(resist)


@dataclass
class Verdict:
    """What somebody has decided."""

    approved: bool
    reason: str


@workflow
async def judged(ctx: WorkflowContext) -> str:
    verdict = await ctx.promise("verdict", Verdict)
    return verdict.reason if verdict.approved else "no"


@workflow
async def changing(ctx: WorkflowContext) -> str:
    """Its code changes with the road, as after a deployment."""
    if Road.closed:
        return await ctx.schedule(ship, None)
    return str(await ctx.schedule(add, 1))


WORKFLOWS = (checkout, nap, delivery, hostile, parent, greeted, long_story, stubborn, judged, changing)
TASKS = (charge, pack, ship, add, resist)
SETTINGS = WorkerSettings(grace=timedelta(milliseconds=100))
