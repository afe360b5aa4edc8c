"""What the workers of these tests run, in this process or in another one."""

import asyncio
from collections import Counter

from holdfast import TaskContext, task

bodies: Counter[str] = Counter()


@task
async def slow(ctx: TaskContext, name: str) -> str:
    bodies[name] += 1
    await asyncio.sleep(1.5)
    return f"{name} {ctx.attempt}"
