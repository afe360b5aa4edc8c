"""The programs that are measured: the same shapes as those that the peers were measured with."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from holdfast.model.instants import Instant
from holdfast.sdk.definitions import TaskDefinition, WorkflowDefinition, task, workflow
from holdfast.sdk.workflow_context import WorkflowContext

CHAIN = 10

Running = Coroutine[Any, Any, None]
"""What an async function without a result gives when it is called."""


@task
async def step(number: int) -> int:
    """The smallest task there is."""
    return number + 1


async def operation() -> int:
    """The smallest side effect there is."""
    return 1


@workflow
async def hello(ctx: WorkflowContext, number: int) -> int:
    """One task."""
    return await ctx.schedule(step, number)


@workflow
async def hello_run(ctx: WorkflowContext, number: int) -> int:
    """One side effect."""
    return number + await ctx.run("operation", operation)


@workflow
async def chain(ctx: WorkflowContext, number: int) -> int:
    """Ten tasks, one after the other."""
    for _ in range(CHAIN):
        number = await ctx.schedule(step, number)
    return number


@workflow
async def chain_run(ctx: WorkflowContext, number: int) -> int:
    """Ten side effects, one after the other."""
    for _ in range(CHAIN):
        number += await ctx.run("operation", operation)
    return number


@workflow
async def fan(ctx: WorkflowContext, width: int) -> int:
    """Tasks side by side."""
    return sum(await asyncio.gather(*[ctx.schedule(step, number) for number in range(width)]))


WORKFLOWS = (hello, hello_run, chain, chain_run, fan)


def noting_task(note: Callable[[int], None]) -> TaskDefinition[[int], Running]:
    """A task that says that it runs."""

    @task
    async def noted(number: int) -> None:
        note(number)

    return noted


def sleeper(woken: Callable[[int], None]) -> WorkflowDefinition[[int], Running]:
    """A workflow that sleeps until an instant and says that it woke."""

    @workflow
    async def sleeping(ctx: WorkflowContext, due_ms: int) -> None:
        await ctx.sleep_until(Instant(due_ms))
        woken(due_ms)

    return sleeping


def long_history(noted: TaskDefinition[[int], Running]) -> WorkflowDefinition[[int], Running]:
    """A workflow with many steps behind it that takes another one at each signal."""

    @workflow
    async def long(ctx: WorkflowContext, steps: int) -> None:
        for number in range(steps):
            await ctx.schedule(noted, number)
        while True:
            number = await ctx.wait_for_signal("go", int)
            await ctx.schedule(noted, number)

    return long


def one_step(noted: TaskDefinition[[int], Running]) -> WorkflowDefinition[[int], Running]:
    """A workflow with one step that says that it runs."""

    @workflow
    async def recovered(ctx: WorkflowContext, number: int) -> None:
        await ctx.schedule(noted, number)

    return recovered
