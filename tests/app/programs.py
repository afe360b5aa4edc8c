"""Workflows and tasks that more than one test file runs."""

import asyncio
import threading
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from holdfast import RetryPolicy, TaskContext, WorkerSettings, WorkflowContext, task, workflow
from holdfast.model.instants import Milliseconds
from holdfast.sdk.definitions import TaskDefinition, WorkflowDefinition

AT_ONCE = RetryPolicy(max_retries=3, initial_interval_ms=Milliseconds(1), jitter=0)
"""Three retries without a pause to speak of."""

HURRIED = WorkerSettings(grace=timedelta(milliseconds=200))

NEVER = timedelta(days=365)
WITHIN = 20.0
"""Seconds after which a test that waits for something has failed."""


@dataclass
class Order:
    id: str
    cents: int


@dataclass
class Receipt:
    id: str
    cents: int


@task(retries=5, timeout=timedelta(seconds=30))
async def charge(ctx: TaskContext, order: Order) -> Receipt:
    return Receipt(f"receipt-{order.id}-{ctx.attempt}", order.cents)


@task
def pack(order: Order) -> str:
    return f"box-{order.id}"


@task
async def double(number: int) -> int:
    return number * 2


@task(retries=0)
async def refuse(why: str) -> str:
    raise ValueError(why)


@task(retries=AT_ONCE)
async def mended_at(ctx: TaskContext, attempt: int) -> int:
    if ctx.attempt < attempt:
        raise ConnectionError(f"not on try {ctx.attempt}")
    return ctx.attempt


gate = threading.Event()


@task(retries=AT_ONCE)
async def gated(ctx: TaskContext) -> str:
    """Runs until the gate is opened."""
    while not gate.is_set():  # noqa: ASYNC110 - the test that opens it may run another loop
        await asyncio.sleep(0.005)
    return "open"


@workflow
async def checkout(ctx: WorkflowContext, order: Order) -> str:
    receipt, box = await asyncio.gather(ctx.schedule(charge, order), ctx.schedule(pack, order))
    await ctx.sleep(timedelta(milliseconds=5))
    note = await ctx.run("note", lambda: f"note-{order.id}")
    return f"{receipt.id} {box} {note}"


@workflow
async def doubled(ctx: WorkflowContext, number: int) -> int:
    return await ctx.schedule(double, number)


@workflow
async def failing(ctx: WorkflowContext, why: str) -> str:
    return await ctx.schedule(refuse, why)


@workflow
async def waiting(ctx: WorkflowContext) -> object:
    """Waits for the signal "go" and returns its value."""
    return await ctx.wait_for_signal("go")


@workflow
async def approval(ctx: WorkflowContext) -> str:
    return await ctx.promise("manager", str)


@workflow
async def sleeper(ctx: WorkflowContext, seconds: float) -> str:
    await ctx.sleep(seconds)
    return "awake"


WORKFLOWS: list[WorkflowDefinition[..., Any]] = [checkout, doubled, failing, waiting, approval, sleeper]
TASKS: list[TaskDefinition[..., Any]] = [charge, pack, double, refuse, mended_at]
