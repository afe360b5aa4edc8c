"""After a reset the code goes on from the point: what it had done since is void, facts of the outside stay."""

import asyncio

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from holdfast.model import commands as asked
from holdfast.model import events as told
from holdfast.model.items import begun_item
from holdfast.model.reset_rule import point_before_task, points, standing
from holdfast.sdk.replay.replayer import replay
from holdfast.sdk.workflow_context import WorkflowContext
from tests.replay.programs import BODIES, HAPPENINGS, Statement, live_through, workflow_of
from tests.replay.support import CODEC, ID, Code, Execution, raw, started

PROGRAMS = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
Happenings = list[tuple[int, int, bool]]


async def shop(ctx: WorkflowContext) -> object:
    reserved = await ctx.schedule_raw("reserve")
    return [reserved, await ctx.schedule_raw("charge")]


async def mended(ctx: WorkflowContext) -> object:
    reserved = await ctx.schedule_raw("reserve")
    return [reserved, await ctx.schedule_raw("refund")]


def bought() -> Execution:
    execution = started(shop).completes(0, result="r")
    execution.activate()
    execution.completes(1, result="c").activate()
    assert execution.result() == ["r", "c"]
    return execution


def test_what_is_void_is_done_anew_by_the_code_of_today() -> None:
    execution = bought()
    execution.function = mended
    point = point_before_task(execution.events, "charge")
    assert point == 3
    assert execution.reset(point).activate() == asked.Suspended()
    first, charged, refunded = (task.task_execution_id for task in execution.all_of(told.TaskScheduled))
    assert len({first, charged, refunded}) == 3
    execution.completes(2, result="back").activate()
    assert execution.check().result() == ["r", "back"]


def test_a_task_is_found_by_its_id_and_only_where_it_stands() -> None:
    execution = bought()
    charge = execution.all_of(told.TaskScheduled)[1].task_execution_id
    assert point_before_task(execution.events, charge) == 3
    execution.reset(3)
    assert point_before_task(execution.events, charge) is None


def test_the_end_of_what_was_begun_before_the_point_is_told_after_it() -> None:
    execution = bought().reset(2)
    assert execution.activate() == asked.Suspended()
    execution.completes(2, result="again").activate()
    assert execution.check().result() == ["r", "again"]


def test_signals_stay_and_are_consumed_again() -> None:
    async def two(ctx: WorkflowContext) -> object:
        return [await ctx.wait_for_signal("go"), await ctx.wait_for_signal("go"), ctx.current_time_millis()]

    execution = started(two).signals("go", 1).signals("go", 2)
    execution.activate()
    execution.reset(1).activate()
    # They are told anew when the reset comes.
    assert execution.check().result() == [1, 2, execution.events[-2].time]


def test_cancellation_and_state_after_the_point_are_void() -> None:
    async def patient(ctx: WorkflowContext) -> object:
        await ctx.wait_for_signal("go")
        ctx.set_state("step", 1)
        return await ctx.wait_for_signal("done")

    execution = started(patient).signals("go")
    execution.activate()
    assert isinstance(execution.cancels().activate(), asked.Cancelled)
    assert execution.reset(1).activate() == asked.Suspended()
    execution.signals("done", 5).activate()
    assert execution.check().result() == 5


def test_what_the_void_code_had_cancelled_runs_again() -> None:
    async def hasty(ctx: WorkflowContext) -> object:
        task, nap = ctx.schedule_raw("charge"), asyncio.ensure_future(ctx.sleep(5))
        await ctx.wait_for_signal("go")
        task.cancel()
        nap.cancel()
        await ctx.wait_for_signal("more")
        return None

    async def calm(ctx: WorkflowContext) -> object:
        task, nap = ctx.schedule_raw("charge"), asyncio.ensure_future(ctx.sleep(5))
        await nap
        return await task

    execution = started(hasty).signals("go")
    execution.activate()
    task = execution.all_of(told.TaskScheduled)[0].task_execution_id
    execution.happens(told.TaskCancelled(task, "charge")).activate()
    assert "TIMER_CANCELLED" in execution.types
    execution.function = calm
    assert execution.reset(execution.types.index("SIGNAL_RECEIVED")).activate() == asked.Suspended()
    execution.fires(0).completes(0, result="paid").activate()
    assert execution.check().result() == "paid"


def test_a_task_that_was_cancelled_from_outside_stays_cancelled() -> None:
    execution = started(shop)
    task = execution.all_of(told.TaskScheduled)[0].task_execution_id
    execution.happens(told.TaskCancelled(task, "reserve")).activate()
    assert isinstance(execution.reset(2).activate(), asked.Failed)
    execution.check()


def test_code_that_goes_on_from_a_point_takes_the_new_side_of_a_patch() -> None:
    async def patched(ctx: WorkflowContext) -> object:
        return await ctx.schedule_raw("refund" if ctx.patched("refunds") else "charge")

    async def plain(ctx: WorkflowContext) -> object:
        return await ctx.schedule_raw("charge")

    execution = started(plain)
    execution.completes(0).activate()
    execution.function = patched
    execution.reset(1).activate()
    assert [task.task_type for task in execution.all_of(told.TaskScheduled)] == ["charge", "refund"]
    execution.completes(1, result=1).activate()
    assert execution.check().result() == 1


def test_what_a_retry_had_made_void_stays_void() -> None:
    execution = started(shop)
    assert isinstance(execution.fails(0).activate(), asked.Failed)
    execution.retry().activate()
    execution.completes(0, result="r").activate()
    execution.reset(4).activate()
    assert "TASK_FAILED" not in [event.type for event in standing(execution.events)]
    execution.completes(2, result="c").activate()
    assert execution.check().result() == ["r", "c"]


def test_a_failure_told_again_after_a_reset_can_be_retried() -> None:
    execution = started(shop)
    execution.fails(0).activate()
    outcome = execution.reset(2).activate()
    assert isinstance(outcome, asked.Failed)
    assert outcome.cause_sequence == 3
    ended = execution.events[-1]
    execution.events[-1] = replace(ended, data=told.WorkflowFailed(outcome.failure, cause_sequence=3))
    execution.retry()
    assert execution.activate() == asked.Suspended()
    execution.completes(0, result="r").activate()
    execution.completes(1, result="c").activate()
    assert execution.check().result() == ["r", "c"]


def test_points_are_what_is_not_void() -> None:
    execution = bought()
    assert points([]) == []
    assert points(execution.events[:1]) == []
    assert points(execution.events) == [(1, 5)]
    execution.reset(3)
    assert points(execution.events) == [(1, 3)]
    execution.activate()
    assert points(execution.events) == [(1, 3), (7, 7)]
    execution.reset(2).activate()
    assert points(execution.events)[0] == (1, 2)


@PROGRAMS
@given(BODIES, HAPPENINGS, HAPPENINGS, st.lists(st.integers(0, 1000), min_size=1, max_size=3))
def test_random_programs_replay_after_resets(
    statements: list[Statement], happenings: Happenings, later: Happenings, choices: list[int]
) -> None:
    execution = live_through(Execution(workflow_of(statements)), happenings)
    for choice in choices:
        valid = [point for first, last in points(execution.events) for point in range(first, last + 1)]
        if valid:
            execution.reset(valid[choice % len(valid)])
            live_through(execution, later)
            execution.check()
    begun = [item for event in execution.events if (item := begun_item(event.data)) is not None]
    assert len(begun) == len(set(begun))


@PROGRAMS
@given(BODIES, HAPPENINGS, st.integers(0, 1000))
def test_the_code_stands_where_it_stood_at_the_point(
    statements: list[Statement], happenings: Happenings, choice: int
) -> None:
    """With no facts to be told again, the code asks for what it would ask for if the log ended at the point."""
    execution = live_through(Execution(workflow_of(statements)), happenings)
    point = 1 + choice % len(execution.events)
    ended = replay(Code(execution.function), execution.events[:point], execution_id=ID, codec=CODEC)
    execution.happens(told.ResetRequested(point))
    if len(standing(execution.events)) == point + 1:
        back = execution.replayed()
        assert back.violation is None
        assert list(map(type, back.commands)) == list(map(type, ended.commands))
        assert type(back.outcome) is type(ended.outcome)


def test_a_promise_settled_after_the_point_is_settled() -> None:
    async def approved(ctx: WorkflowContext) -> object:
        return await ctx.promise("approval")

    execution = started(approved)
    promise = execution.all_of(told.PromiseCreated)[0].promise_id
    execution.happens(told.PromiseResolved(promise, raw("yes"))).activate()
    execution.reset(2).activate()
    assert execution.check().result() == "yes"
