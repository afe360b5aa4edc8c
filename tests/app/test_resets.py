"""Resets from the user's side: the code is mended, and the execution goes on from before the mistake."""

import asyncio

import pytest

from holdfast import Holdfast, WorkflowContext, task, workflow
from holdfast.model.errors import InvalidArgument

calls: list[str] = []


@task
async def reserve(item: str) -> str:
    calls.append(f"reserve {item}")
    return f"reserved {item}"


@task
async def charge(amount: int) -> str:
    calls.append(f"charge {amount}")
    return f"charged {amount}"


amounts = [100]


@workflow
async def order(ctx: WorkflowContext, item: str) -> list[str]:
    reserved = await ctx.schedule(reserve, item)
    ctx.set_state("reserved", True)
    paid = await ctx.schedule(charge, amounts[0])
    ctx.set_state("paid", paid)
    return [reserved, paid, await ctx.wait_for_signal("thanks")]


async def test_an_execution_goes_on_from_before_a_task(url: str) -> None:
    calls.clear()
    amounts[0] = 100
    async with Holdfast.open(url, workflows=[order], tasks=[reserve, charge]) as hf:
        handle = await hf.start(order, "book", id="order-1")
        await handle.signal("thanks", "a lot")
        assert await handle.result() == ["reserved book", "charged 100", "a lot"]
        amounts[0] = 10
        await handle.reset(to_before_task="charge", reason="too much")
        assert await hf.handle("order-1", order).result() == ["reserved book", "charged 10", "a lot"]
        assert calls == ["reserve book", "charge 100", "charge 10"]
        types = [event.type for event in await handle.history()]
        assert types.count("RESET_REQUESTED") == 1
        await handle.reset(to_sequence=1)
        assert await hf.handle("order-1", order).result() == ["reserved book", "charged 10", "a lot"]
        assert calls[3:] == ["reserve book", "charge 10"]


async def test_an_open_execution_is_sent_back_and_its_code_in_memory_is_dropped(url: str) -> None:
    calls.clear()
    amounts[0] = 100
    async with Holdfast.open(url, workflows=[order], tasks=[reserve, charge]) as hf:
        handle = await hf.start(order, "book", id="order-1")
        async with asyncio.timeout(60):
            while "paid" not in await hf.state("order-1"):  # noqa: ASYNC110 - another process may hold it
                await asyncio.sleep(0.01)
        amounts[0] = 10
        await hf.reset("order-1", to_before_task="charge")
        await handle.signal("thanks", "a lot")
        assert (await handle.result())[1] == "charged 10"


async def test_a_reset_needs_one_valid_point(url: str) -> None:
    async with Holdfast.open(url, workflows=[order], tasks=[reserve, charge]) as hf:
        handle = await hf.start(order, "book", id="order-1")
        for wrong in ({}, {"to_sequence": 1, "to_before_task": "charge"}):
            with pytest.raises(InvalidArgument, match="either"):
                await handle.reset(**wrong)  # type: ignore[arg-type]  # both kinds of point at once
        with pytest.raises(InvalidArgument, match="no task 'refund'"):
            await handle.reset(to_before_task="refund")
        with pytest.raises(InvalidArgument, match="it can be to"):
            await handle.reset(to_sequence=99)
