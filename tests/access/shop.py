"""A small app that worker processes run."""

import os
from pathlib import Path

from holdfast import WorkflowContext, task, workflow


@task
async def add(left: int, right: int) -> int:
    return left + right


@task
def crash_once(folder: str) -> str:
    """Kills its process when it runs for the first time."""
    mark = Path(folder, "crashed")
    if not mark.exists():
        mark.touch()
        os._exit(7)
    return "alive"


@workflow
async def total(ctx: WorkflowContext, count: int) -> int:
    value = 0
    for number in range(count):
        value = await ctx.schedule(add, value, number)
    return value
