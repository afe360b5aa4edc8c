"""An explicit retry from the user's side: one is enough, however the code was built around what failed."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

import pytest

from holdfast import Holdfast, WorkflowContext, task, unguarded, workflow
from holdfast.model.errors import TaskFailed, WorkflowFailed
from holdfast.sdk.definitions import WorkflowDefinition

T = TypeVar("T")

failed: set[str] = set()


@pytest.fixture(autouse=True)
def _nothing_has_failed() -> None:
    failed.clear()


def once(name: str) -> str:
    with unguarded():
        if name not in failed:
            failed.add(name)
            raise ValueError(f"the first {name}")
    return name


@task(retries=0)
async def charge(name: str) -> str:
    return once(name)


@task
async def pack(name: str) -> str:
    return name


async def value_of(future: Awaitable[T]) -> T:
    return await future


@workflow
async def group_of_all(ctx: WorkflowContext) -> str:
    async with asyncio.TaskGroup() as group:
        charged = group.create_task(value_of(ctx.schedule(charge, "group")))
        group.create_task(value_of(ctx.sleep(0.2)))
        group.create_task(value_of(ctx.schedule_workflow("part", printing)))
    return charged.result()


@workflow
async def printing(ctx: WorkflowContext) -> str:
    await ctx.sleep(0.2)
    return await ctx.schedule(pack, "printed")


@workflow
async def charging(ctx: WorkflowContext) -> str:
    return await ctx.schedule(charge, "child")


@workflow
async def family(ctx: WorkflowContext) -> tuple[str, str, str]:
    return await asyncio.gather(
        ctx.schedule_workflow("charge", charging), ctx.schedule_workflow("print", printing), ctx.schedule(pack, "box")
    )


@workflow
async def status(ctx: WorkflowContext) -> str:
    try:
        charged = await ctx.schedule(charge, "status")
    except TaskFailed:
        ctx.set_state("status", "failed")
        ctx.schedule(pack, "bad news")
        raise
    ctx.set_state("status", "charged")
    return charged + await ctx.schedule(pack, " and packed")


@workflow
async def under_a_limit(ctx: WorkflowContext) -> list[str]:
    async with asyncio.timeout(60):
        first = await ctx.run("flaky", lambda: once("limit"))
    return [first, await ctx.run("deferred", lambda: once("deferred"), deferred=True)]


@workflow
async def with_a_bug(ctx: WorkflowContext) -> str:
    async with asyncio.TaskGroup() as group:
        group.create_task(value_of(ctx.sleep(0.2)))
        await ctx.schedule(pack, "first")
        return once("bug")


WORKFLOWS = [group_of_all, printing, charging, family, status, under_a_limit, with_a_bug]
CASES: list[tuple[WorkflowDefinition[..., object], int, object]] = [
    (group_of_all, 1, "group"),
    (family, 1, ("child", "printed", "box")),
    (status, 1, "status and packed"),
    (under_a_limit, 2, ["limit", "deferred"]),
    (with_a_bug, 1, "bug"),
]


@pytest.mark.parametrize(("code", "failures", "result"), CASES, ids=[code.kind for code, _, _ in CASES])
async def test_one_retry_for_each_failure_is_enough(
    url: str, code: WorkflowDefinition[..., object], failures: int, result: object
) -> None:
    async with Holdfast.open(url, workflows=WORKFLOWS, tasks=[charge, pack]) as hf:
        handle = await hf.start(code.kind, id="order-1")
        for _ in range(failures):
            with pytest.raises(WorkflowFailed, match=r"the first|sub-exception"):
                await handle.result(timeout=60)
            await handle.retry()
        assert await handle.result(timeout=60) == result
        if code is status:
            assert await hf.state("order-1") == {"status": "charged"}
