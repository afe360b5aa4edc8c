"""Starts under an idempotency key, on a file and at a server."""

from datetime import timedelta

import pytest

from holdfast import Holdfast, ReusePolicy, WorkflowContext, workflow
from holdfast.errors import AlreadyStarted
from holdfast.model.statuses import ExecutionStatus


@workflow
async def waiting(ctx: WorkflowContext, number: int) -> int:
    await ctx.wait_for_signal("go")
    return number


async def test_a_key_is_that_of_one_execution(url: str) -> None:
    async with Holdfast.open(url, workflows=[waiting]) as hf:
        first = await hf.start(waiting, 1, idempotency_key="cart", key_ttl=timedelta(days=1))
        second = await hf.start(waiting, 1, idempotency_key="cart", key_ttl=timedelta(days=1))
        assert (first.created, second.created, second.id) == (True, False, first.id)
        await hf.signal(first.id, "go")
        assert await second.result(timeout=20) == 1
        third = await hf.start(waiting, 2, idempotency_key="cart", reuse=ReusePolicy.ALLOW_AFTER_CLOSE)
        assert third.created


async def test_another_one_may_take_its_place(url: str) -> None:
    async with Holdfast.open(url, workflows=[waiting]) as hf:
        first = await hf.start(waiting, 1, idempotency_key="cart")
        with pytest.raises(AlreadyStarted, match="was used before") as refused:
            await hf.start(waiting, 2, idempotency_key="cart", reuse=ReusePolicy.REJECT)
        assert refused.value.execution_id == first.id
        second = await hf.start(waiting, 2, idempotency_key="cart", reuse=ReusePolicy.TERMINATE_AND_START)
        assert second.created
        assert (await first.describe()).status is ExecutionStatus.TERMINATED


async def test_an_id_may_be_wanted_new(url: str) -> None:
    async with Holdfast.open(url, workflows=[waiting]) as hf:
        await hf.start(waiting, 1, id="w", reuse=ReusePolicy.REJECT)
        with pytest.raises(AlreadyStarted):
            await hf.start(waiting, 1, id="w", reuse=ReusePolicy.REJECT)


async def test_another_one_may_follow_under_an_id(url: str) -> None:
    async with Holdfast.open(url, workflows=[waiting]) as hf:
        first = await hf.start(waiting, 1, id="w")
        with pytest.raises(AlreadyStarted):
            await hf.start(waiting, 2, id="w", reuse=ReusePolicy.ALLOW_AFTER_CLOSE)
        await hf.signal("w", "go")
        assert await first.result(timeout=20) == 1
        second = await hf.start(waiting, 2, id="w", reuse=ReusePolicy.ALLOW_AFTER_CLOSE)
        assert (second.id, second.created) == ("w~2", True)
        third = await hf.start(waiting, 3, id="w", reuse=ReusePolicy.TERMINATE_AND_START)
        assert (await second.describe()).status is ExecutionStatus.TERMINATED
        await hf.signal("w", "go")
        assert await third.result(timeout=20) == 3
        assert await hf.handle("w", waiting).result(timeout=20) == 1
