"""Signals are queued by name, taken in the order of the log, and never lost between activations."""

import asyncio

import pytest

from holdfast.model import commands as asked
from holdfast.model import events as told
from holdfast.sdk.workflow_context import WorkflowContext
from tests.replay.support import Execution, started


async def collecting(ctx: WorkflowContext) -> object:
    first = await ctx.wait_for_signal("item", int)
    await ctx.schedule_raw("work")
    rest = ctx.drain_signals("item", int)
    return [first, rest, ctx.has_signal("item"), ctx.drain_signals("other")]


def test_signals_come_in_order_and_are_taken_once() -> None:
    execution = started(collecting)
    execution.signals("item", 1).signals("item", 2).signals("item", 3).activate()
    execution.completes(0).activate()
    assert execution.check().result() == [1, [2, 3], False, []]


def test_a_signal_that_came_before_the_start_is_kept() -> None:
    execution = Execution(collecting).signals("item", 1)
    execution.activate()
    assert execution.types[-1] == "TASK_SCHEDULED"


@pytest.mark.parametrize("evict", [False, True])
def test_polling_sees_on_replay_what_it_saw_first(evict: bool) -> None:
    async def polling(ctx: WorkflowContext) -> object:
        polls = []
        for number in range(4):
            polls.append(ctx.has_signal("stop"))
            await ctx.schedule_raw(f"work-{polls[-1]}", number)
        return polls

    execution = started(polling, evict=evict)
    execution.completes(0).activate()
    execution.signals("stop").activate()
    execution.signals("stop").completes(1).activate()
    execution.completes(2).signals("stop").activate()
    execution.completes(3).activate()
    assert execution.check().result() == [False, False, True, True]


async def impatient(ctx: WorkflowContext) -> object:
    try:
        value = await ctx.wait_for_signal("answer", timeout=10)
    except TimeoutError as error:
        value = str(error)
    return [value, await ctx.wait_for_signal("answer")]


def test_a_wait_with_a_timeout_that_wins() -> None:
    execution = started(impatient).fires(0)
    execution.signals("answer", 1).activate()
    assert execution.check().result() == ["no signal 'answer' came in time", 1]


def test_a_wait_with_a_timeout_that_loses_cancels_its_timer() -> None:
    execution = started(impatient).signals("answer", 1)
    execution.activate()
    assert execution.types[-1] == "TIMER_CANCELLED"
    execution.signals("answer", 2).activate()
    assert execution.check().result() == [1, 2]


def test_a_timeout_whose_timer_is_cancelled_from_outside_is_lifted() -> None:
    execution = started(impatient)
    execution.happens(told.TimerCancelled(execution.all_of(told.TimerStarted)[0].timer_id)).activate()
    execution.signals("answer", 1).signals("answer", 2).activate()
    assert execution.check().result() == [1, 2]


def test_a_signal_that_is_there_needs_no_timer() -> None:
    async def late(ctx: WorkflowContext) -> object:
        await ctx.schedule_raw("work")
        return await impatient(ctx)

    execution = started(late).signals("answer", 1).signals("answer", 2)
    execution.completes(0).activate()
    assert execution.check().result() == [1, 2]
    assert "TIMER_STARTED" not in execution.types


def test_a_cancelled_wait_takes_no_signal() -> None:
    async def fickle(ctx: WorkflowContext) -> object:
        one, other = ctx.wait_for_signal("item"), ctx.wait_for_signal("item", timeout=60)
        one.cancel()
        assert not one.cancel()
        return [one.cancelled(), await other]

    execution = started(fickle).signals("item", 1)
    execution.activate()
    assert execution.check().result() == [True, 1]


def test_a_signal_of_the_wrong_type_is_an_error_at_the_await() -> None:
    async def typed(ctx: WorkflowContext) -> object:
        return await ctx.wait_for_signal("item", int)

    execution = started(typed).signals("item", "text")
    outcome = execution.activate()
    assert isinstance(outcome, asked.Failed)
    assert "the value of signal 'item' is not int" in outcome.failure.message


def test_two_waits_are_served_in_the_order_of_asking() -> None:
    async def pair(ctx: WorkflowContext) -> object:
        return await asyncio.gather(ctx.wait_for_signal("item"), ctx.wait_for_signal("item"))

    execution = started(pair).signals("item", 1).signals("item", 2)
    execution.activate()
    assert execution.check().result() == [1, 2]
