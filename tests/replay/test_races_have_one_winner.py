"""Law 6: outside events are applied one at a time in the order of the log, so a race ends the same on every replay."""

import asyncio

from holdfast.model import commands as asked
from holdfast.model import events as told
from holdfast.model.errors import TaskFailed, TimerDisarmed
from holdfast.sdk.workflow_context import WorkflowContext
from tests.replay.support import START, Execution, started


async def race(ctx: WorkflowContext) -> object:
    tasks = [ctx.schedule_raw(name) for name in ("slow", "fast", "late")]
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    winner = next(iter(done))
    assert len(done) == 1
    await ctx.schedule_raw(f"after-{winner.name}")
    return [winner.name, len(pending), ctx.current_time_millis() - START]


def test_a_late_loser_changes_nothing() -> None:
    execution = started(race)
    execution.completes(1).activate()
    execution.completes(0, 2).activate()
    execution.completes(3).activate()
    assert execution.check().result() == ["fast", 2, 5000]


def test_many_ends_between_two_activations_still_have_one_winner() -> None:
    execution = started(race)
    execution.completes(2, 0, 1).activate()
    execution.completes(3).activate()
    result = execution.check().result()
    assert isinstance(result, list)
    assert result[0] == "late"


def test_a_timeout_that_won_stays_the_winner() -> None:
    async def limited(ctx: WorkflowContext) -> object:
        task = ctx.schedule_raw("slow")
        try:
            async with asyncio.timeout(10):
                return await asyncio.shield(task)
        except TimeoutError:
            await ctx.schedule_raw("apologise")
            return ["too late", task.done()]

    execution = started(limited)
    execution.fires(0).completes(0).activate()
    execution.completes(1).activate()
    assert execution.check().result() == ["too late", True]
    assert isinstance(execution.replayed().outcome, asked.Completed)


def test_time_is_that_of_the_last_event_that_meant_something() -> None:
    async def clock(ctx: WorkflowContext) -> object:
        times = [ctx.current_time_millis()]
        task = ctx.schedule_raw("slow")
        task.cancel()
        await ctx.sleep(1)
        times.append(ctx.current_time_millis())
        assert ctx.now().timestamp() * 1000 == times[-1]
        return [time - START for time in times]

    execution = started(clock)
    execution.completes(0).fires(0).activate()
    assert execution.check().result() == [1000, 3000]


def test_time_never_goes_back() -> None:
    async def clock(ctx: WorkflowContext) -> object:
        times = [ctx.current_time_millis()]
        for _ in range(2):
            await ctx.wait_for_signal("tick")
            times.append(ctx.current_time_millis())
        return [time - START for time in times]

    execution = started(clock).signals("tick")
    execution.now -= 60_000
    execution.signals("tick").activate()
    assert execution.check().result() == [1000, 2000, 2000]


def test_waiting_for_the_first_failure() -> None:
    async def first_failure(ctx: WorkflowContext) -> object:
        tasks = [ctx.schedule_raw("pack"), ctx.schedule_raw("charge")]
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        return [str(task.exception()) for task in done]

    execution = started(first_failure)
    execution.fails(1).completes(0).activate()
    assert execution.check().result() == ["task 'charge' failed: ValueError: broken"]


def test_a_timer_that_is_cancelled_from_outside_wakes_the_sleeper_with_an_error() -> None:
    async def sleeper(ctx: WorkflowContext) -> object:
        woken = []
        for nap in (ctx.sleep, asyncio.sleep):
            try:
                await nap(60)
            except TimerDisarmed as error:
                woken.append(error.timer_id)
        return woken

    execution = started(sleeper)
    for index in range(2):
        timer_id = execution.all_of(told.TimerStarted)[index].timer_id
        execution.happens(told.TimerCancelled(timer_id)).activate()
    assert execution.check().result() == [timer.timer_id for timer in execution.all_of(told.TimerStarted)]


def test_a_limit_whose_timer_is_cancelled_from_outside_is_lifted() -> None:
    async def limited(ctx: WorkflowContext) -> object:
        async with asyncio.timeout(10):
            return await ctx.schedule_raw("slow")

    execution = started(limited)
    execution.happens(told.TimerCancelled(execution.all_of(told.TimerStarted)[0].timer_id)).activate()
    execution.completes(0, result="done").activate()
    assert execution.check().result() == "done"


def test_task_ends_are_told_apart() -> None:
    async def collector(ctx: WorkflowContext) -> object:
        tasks = [ctx.schedule_raw("pack") for _ in range(3)]
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        return [f"{type(end).__name__}: {end}" for end in ends]

    execution = started(collector).fails(0)
    one, other = (task.task_execution_id for task in execution.all_of(told.TaskScheduled)[1:])
    execution.happens(told.TaskTimedOut(one, "pack", "HEARTBEAT"), told.TaskCancelled(other, "pack", "no")).activate()
    assert execution.check().result() == [
        "TaskFailed: task 'pack' failed: ValueError: broken",
        "TaskTimedOut: task 'pack' overran its HEARTBEAT timeout",
        "TaskCancelled: task 'pack' was cancelled: no",
    ]
    assert TaskFailed.code == "TASK_FAILED"


def test_what_the_code_asked_for_itself_moves_no_time() -> None:
    async def clock(ctx: WorkflowContext) -> object:
        ctx.sleep(60).cancel()
        await ctx.wait_for_signal("tick")
        return ctx.current_time_millis() - START

    execution = Execution(clock)
    execution.now += 5000
    execution.activate()
    execution.now -= 5000
    execution.signals("tick").activate()
    assert execution.check().result() == 2000
