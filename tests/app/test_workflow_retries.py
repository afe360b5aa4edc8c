"""Workflows that say how often their code is run again when it fails."""

from datetime import timedelta
from typing import Any

import pytest

from holdfast import Holdfast, NonRetryable, RetryPolicy, WorkflowContext, task, workflow
from holdfast.model.errors import InvalidArgument, WorkflowFailed
from holdfast.model.instants import Milliseconds
from holdfast.sdk.definitions import WorkflowDefinition
from holdfast.worker.settings import WorkerSettings

AT_ONCE = RetryPolicy(max_retries=2, initial_interval_ms=Milliseconds(1), jitter=0, non_retryable=("KeyError",))


@task(retries=0)
async def failing_until(attempt: int, wanted: int) -> int:
    if attempt < wanted:
        raise ConnectionError(f"no answer to try {attempt}")
    return attempt


@workflow(retries=AT_ONCE)
async def stubborn(ctx: WorkflowContext, wanted: int) -> int:
    attempt = (ctx.get_state("attempt", int) or 0) + 1
    ctx.set_state("attempt", attempt)
    await ctx.sleep(timedelta(milliseconds=1))
    return await ctx.schedule(failing_until, attempt, wanted)


@workflow(retries=5)
async def hopeless(ctx: WorkflowContext) -> None:
    raise NonRetryable("no try can mend it")


@workflow(retries=AT_ONCE)
async def picky(ctx: WorkflowContext) -> None:
    raise KeyError("gone")


@workflow(retries=AT_ONCE)
async def family(ctx: WorkflowContext) -> int:
    return await ctx.schedule_workflow("child", stubborn, 2)


WORKFLOWS: list[WorkflowDefinition[..., Any]] = [stubborn, hopeless, picky, family]


@pytest.mark.parametrize("cached", [0, 100])
async def test_code_that_fails_is_run_again_from_its_beginning(url: str, cached: int) -> None:
    settings = WorkerSettings(cached_workflows=cached)
    async with Holdfast.open(url, workflows=WORKFLOWS, tasks=[failing_until], settings=settings) as hf:
        handle = await hf.start(stubborn, 3)
        assert await handle.result() == 3
        types = [event.type for event in await handle.history()]
        assert (types.count("TASK_FAILED"), types.count("TASK_COMPLETED"), types.count("TIMER_FIRED")) == (2, 1, 5)


async def test_the_last_failure_is_the_end(url: str) -> None:
    async with Holdfast.open(url, workflows=WORKFLOWS, tasks=[failing_until]) as hf:
        handle = await hf.start(stubborn, 9)
        with pytest.raises(WorkflowFailed, match="no answer to try 3"):
            await handle.result()


@pytest.mark.parametrize("kind", ["hopeless", "picky"])
async def test_what_no_retry_can_mend_fails_at_once(url: str, kind: str) -> None:
    async with Holdfast.open(url, workflows=WORKFLOWS, tasks=[failing_until]) as hf:
        handle = await hf.start(kind)
        with pytest.raises(WorkflowFailed):
            await handle.result()
        assert "TIMER_STARTED" not in [event.type for event in await handle.history()]


async def test_a_parent_waits_for_the_last_try_of_its_child(url: str) -> None:
    async with Holdfast.open(url, workflows=WORKFLOWS, tasks=[failing_until]) as hf:
        assert await hf.run(family) == 2


def test_retries_are_a_number_or_a_policy() -> None:
    async def code(ctx: WorkflowContext) -> None: ...

    assert workflow(retries=4)(code).retry.max_retries == 4
    with pytest.raises(InvalidArgument, match="retries"):
        workflow(retries=-1)
