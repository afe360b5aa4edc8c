"""Code that has ended or is put away is gone at once: nothing of it waits for the garbage collector."""

import asyncio
import gc
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest

from holdfast.model import commands as asked
from holdfast.sdk.replay.history import History
from holdfast.sdk.replay.journal import Journal
from holdfast.sdk.replay.machine import Machine
from holdfast.sdk.replay.run import WorkflowRun
from holdfast.sdk.workflow_context import WorkflowContext
from tests.replay.support import Function, open_runs, started

HEAVY = {WorkflowRun, WorkflowContext, Machine, Journal, History}


def leftovers(live: Callable[[], object]) -> Counter[str]:
    """What holds a whole run, among what only the collector can free after this."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        live()
        open_runs.clear()
        gc.collect()
        return Counter(type(each).__qualname__ for each in gc.garbage if type(each) in HEAVY)
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


async def value_of(future: Awaitable[object]) -> object:
    return await future


async def a_task(ctx: WorkflowContext) -> object:
    kept = ctx.schedule_raw("a")
    return await kept


async def a_group(ctx: WorkflowContext) -> object:
    async with asyncio.TaskGroup() as group:
        first = group.create_task(value_of(ctx.schedule_raw("a")))
        group.create_task(value_of(ctx.sleep(5)))
    return first.result()


async def gathered(ctx: WorkflowContext) -> object:
    return await asyncio.gather(ctx.schedule_raw("a"), value_of(ctx.schedule_raw("b")), ctx.promise("c"))


async def under_a_limit(ctx: WorkflowContext) -> object:
    async with asyncio.timeout(60):
        return await asyncio.wait_for(asyncio.shield(ctx.schedule_raw("a")), 30)


async def a_race(ctx: WorkflowContext) -> object:
    done, _ = await asyncio.wait(
        [ctx.schedule_raw("a"), ctx.sleep(5), ctx.schedule_workflow_raw("c", "part")],
        return_when=asyncio.FIRST_COMPLETED,
    )
    return done.pop().result()


async def a_signal(ctx: WorkflowContext) -> object:
    failing = ctx.schedule_raw("a")
    waiting = asyncio.ensure_future(ctx.wait_for_signal("go", timeout=60))
    await asyncio.wait([failing, waiting], return_when=asyncio.FIRST_COMPLETED)
    return failing.result()


async def with_tools(ctx: WorkflowContext) -> object:
    queue: asyncio.Queue[object] = asyncio.Queue()
    event, lock = asyncio.Event(), asyncio.Lock()

    async def produce() -> None:
        async with lock:
            await queue.put(await ctx.schedule_raw("a"))
        await event.wait()

    producer = asyncio.create_task(produce())
    try:
        return await queue.get()
    finally:
        event.set()
        await producer


async def that_handles_all(ctx: WorkflowContext) -> object:
    try:
        return await ctx.schedule_raw("a")
    except asyncio.CancelledError as error:
        caught = error
        await ctx.sleep(1)
        raise RuntimeError("on the way out") from caught


PROGRAMS_BY_HAND = [a_task, a_group, gathered, under_a_limit, a_race, a_signal, with_tools, that_handles_all]


# The two futures of an asyncio.shield that nobody ends know each other.
@pytest.mark.parametrize("function", [each for each in PROGRAMS_BY_HAND if each is not under_a_limit])
def test_code_that_is_put_away_leaves_nothing(function: Function) -> None:
    assert leftovers(lambda: started(function, evict=True)) == {}


@pytest.mark.parametrize("function", PROGRAMS_BY_HAND[:-2])
def test_code_that_fails_leaves_nothing(function: Function) -> None:
    def fail() -> None:
        assert isinstance(started(function).fails(0).activate(), asked.Failed)

    assert leftovers(fail) == {}


@pytest.mark.parametrize("function", PROGRAMS_BY_HAND[:-2])
def test_code_that_is_cancelled_leaves_nothing(function: Function) -> None:
    def cancel() -> None:
        assert isinstance(started(function).cancels().activate(), asked.Cancelled)

    assert leftovers(cancel) == {}


def test_code_that_fails_in_a_chain_of_errors_leaves_nothing() -> None:
    def fail() -> None:
        execution = started(that_handles_all).cancels()
        execution.activate()
        assert isinstance(execution.fires(0).activate(), asked.Failed)

    assert leftovers(fail) == {}
