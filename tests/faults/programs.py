"""What the workers of the fault tests run. Every body writes to a ledger that is on the disk before it goes on."""

import asyncio
import os
from pathlib import Path
from typing import Any

from holdfast import RetryPolicy, TaskContext, WorkflowContext, task, workflow
from holdfast.model.instants import Milliseconds
from holdfast.sdk.definitions import TaskDefinition, WorkflowDefinition

LEDGER = Path(os.environ.get("FAULTS_LEDGER", os.devnull))
HELD = LEDGER.with_name("held")
"""While this file is there no labour comes to its end: so a storm can be sure to hit one."""
SIGNALS = 3
BEGUN, ENDED = "begun", "ended"
"""Words of the ledger: when a labour began in which process, and when it ended there, however it did."""
HELD_LOOK_SECONDS = 0.05
LABOUR_SECONDS = 2.0
"""Longer than a lease of these tests, so it is the heartbeats of the worker that keep it."""

AGAIN = RetryPolicy(max_retries=200, initial_interval_ms=Milliseconds(1), max_interval_ms=Milliseconds(100))


def note(*words: object) -> None:
    """One line in the ledger: in one write, so that lines of several processes do not mix, and on the disk."""
    file = os.open(LEDGER, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o644)
    try:
        os.write(file, (" ".join(map(str, words)) + "\n").encode())
        os.fsync(file)
    finally:
        os.close(file)


@task(retries=AGAIN)
async def step(ctx: TaskContext, name: str) -> str:
    """Says which try it is, so that the result tells whose it is."""
    await asyncio.to_thread(note, "task", ctx.task_id, ctx.attempt, name)
    await asyncio.sleep(0.005)
    return f"{name} {ctx.attempt}"


@task(retries=AGAIN)
async def labour(ctx: TaskContext, name: str) -> str:
    """Takes so long that its worker may be paused past its lease meanwhile, and come back as a zombie."""
    await asyncio.to_thread(note, "task", ctx.task_id, ctx.attempt, name)
    await asyncio.to_thread(note, BEGUN, os.getpid(), ctx.task_id, ctx.attempt)
    try:
        await asyncio.sleep(LABOUR_SECONDS)
        while HELD.exists():  # noqa: ASYNC110 - another process makes the file and removes it
            await asyncio.sleep(HELD_LOOK_SECONDS)
    finally:
        note(ENDED, os.getpid(), ctx.task_id, ctx.attempt)
    return f"{name} {ctx.attempt}"


def name_of(result: str) -> str:
    """What a task was called; which of its tries was accepted is not the same on every run."""
    return result.split(" ", 1)[0]


async def noted(name: str) -> str:
    await asyncio.to_thread(note, "operation", name)
    return name


@workflow
async def packing(ctx: WorkflowContext, name: str) -> str:
    """The child of an order."""
    await ctx.sleep(0.02)
    return name_of(await ctx.schedule(step, f"{name}/packed"))


@workflow
async def order(ctx: WorkflowContext, name: str) -> list[str]:
    """Tasks one after the other and beside each other, an operation, a timer, a child, and signals."""
    said = [name_of(await ctx.schedule(step, f"{name}/first"))]
    said.append(await ctx.run("operation", lambda: noted(f"{name}/operation")))
    await ctx.sleep(0.03)
    said += map(name_of, await asyncio.gather(ctx.schedule(step, f"{name}/a"), ctx.schedule(step, f"{name}/b")))
    said.append(await ctx.schedule_workflow("packing", packing, name))
    said += [str(await ctx.wait_for_signal("word")) for _ in range(SIGNALS)]
    return said


@workflow
async def toil(ctx: WorkflowContext, name: str) -> list[str]:
    """One long task."""
    return [name_of(await ctx.schedule(labour, f"{name}/labour"))]


def expected(kind: str, name: str) -> list[str]:
    """What an execution must come to, whatever went wrong on its way."""
    if kind == toil.kind:
        return [f"{name}/labour"]
    steps = [f"{name}/{step}" for step in ("first", "operation", "a", "b", "packed")]
    return steps + [f"{name}/word{number}" for number in range(SIGNALS)]


WORKFLOWS: list[WorkflowDefinition[..., Any]] = [order, packing, toil]
TASKS: list[TaskDefinition[..., Any]] = [step, labour]
