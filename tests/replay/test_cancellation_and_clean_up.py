"""Cancellation comes as CancelledError at the await; the code may clean up, shield, or go on regardless."""

import asyncio

from holdfast.model import commands as asked
from holdfast.model import events as told
from holdfast.model.errors import ChildFailed
from holdfast.model.failures import Failure
from holdfast.sdk.workflow_context import WorkflowContext
from tests.replay.support import Execution, raw, started


async def waiting(ctx: WorkflowContext) -> object:
    return await ctx.schedule_raw("slow")


def test_a_requested_cancellation_that_passes_through() -> None:
    execution = started(waiting).cancels("too late")
    assert execution.activate() == asked.Cancelled("too late")
    assert execution.types[-2:] == ["TASK_CANCELLATION_REQUESTED", "WORKFLOW_CANCELLED"]
    execution.check()


def test_code_may_clean_up_before_it_ends() -> None:
    async def tidy(ctx: WorkflowContext) -> object:
        try:
            await ctx.sleep(60)
        except asyncio.CancelledError as error:
            assert ctx.is_cancelled
            await ctx.schedule_raw("refund", [error.args, ctx.cancellation_reason])
            raise
        return None

    execution = started(tidy).cancels("enough").cancels("again")
    execution.activate()
    assert execution.types[-2:] == ["TIMER_CANCELLED", "TASK_SCHEDULED"]
    assert execution.all_of(told.TaskScheduled)[0].input == raw([["enough"], "enough"])
    execution.completes(0)
    assert execution.activate() == asked.Cancelled("enough")
    execution.check()


def test_code_may_shield_what_must_be_finished() -> None:
    async def careful(ctx: WorkflowContext) -> object:
        payment = ctx.schedule_raw("charge")
        try:
            await asyncio.shield(payment)
        except asyncio.CancelledError:
            return [await payment, ctx.is_cancelled]
        return None

    execution = started(careful).cancels()
    execution.activate()
    assert "TASK_CANCELLATION_REQUESTED" not in execution.types
    execution.completes(0, result="paid").activate()
    assert execution.check().result() == ["paid", True]


def test_cancelled_error_without_a_request_is_a_failure() -> None:
    async def odd(ctx: WorkflowContext) -> object:
        raise asyncio.CancelledError

    outcome = started(odd).outcome
    assert isinstance(outcome, asked.Failed)
    assert outcome.failure.type == "CancelledError"


def test_cancelling_before_the_first_step() -> None:
    assert Execution(waiting).cancels("no").activate() == asked.Cancelled("no")


async def cancels_all(ctx: WorkflowContext) -> object:
    futures = [
        ctx.schedule_raw("slow"),
        ctx.sleep(60),
        ctx.schedule_workflow_raw("part", "printing"),
        ctx.promise("approval"),
        ctx.wait_for_signal("go"),
    ]
    await ctx.wait_for_signal("stop")
    for future in futures:
        assert future.cancel()
        assert not future.cancel()
    await ctx.wait_for_signal("end")
    return [future.cancelled() for future in futures]


def test_cancelling_futures_asks_for_the_end_of_what_they_stand_for() -> None:
    execution = started(cancels_all).signals("stop")
    execution.activate()
    assert execution.types[-3:] == [
        "TASK_CANCELLATION_REQUESTED",
        "TIMER_CANCELLED",
        "CHILD_WORKFLOW_CANCELLATION_REQUESTED",
    ]
    execution.signals("end").activate()
    assert execution.check().result() == [True] * 5


def test_what_has_ended_already_is_not_asked_to_end() -> None:
    execution = started(cancels_all).signals("stop").completes(0).fires(0)
    child = execution.all_of(told.ChildWorkflowInitiated)[0].child_workflow_execution_id
    execution.happens(told.ChildWorkflowCancelled("part", "printing", child)).signals("end").activate()
    assert not any(isinstance(c, asked.CancelTask | asked.CancelTimer | asked.CancelChild) for c in execution.commands)
    assert execution.check().result() == [True] * 5


def test_a_failed_child_says_how_it_ended() -> None:
    async def parent(ctx: WorkflowContext) -> object:
        children = [ctx.schedule_workflow_raw(name, "part") for name in "abc"]
        ends = await asyncio.gather(*children, return_exceptions=True)
        return [[end.status, str(end).split(") ")[1]] for end in ends if isinstance(end, ChildFailed)]

    execution = started(parent)
    one, two, three = (c.child_workflow_execution_id for c in execution.all_of(told.ChildWorkflowInitiated))
    failure = Failure("ValueError", "no")
    execution.happens(
        told.ChildWorkflowFailed("a", "part", one, failure),
        told.ChildWorkflowFailed("b", "part", two, failure, "TERMINATED"),
        told.ChildWorkflowCancelled("c", "part", three, "enough"),
    ).activate()
    assert execution.check().result() == [
        ["FAILED", "failed: ValueError: no"],
        ["TERMINATED", "terminated: ValueError: no"],
        ["CANCELLED", "cancelled: Cancelled: enough"],
    ]


def test_a_cancellation_waits_for_outstanding_operations() -> None:
    async def busy(ctx: WorkflowContext) -> object:
        note = await ctx.run("note", lambda: "noted")
        ctx.set_state("note", note)
        await ctx.sleep(60)
        return None

    execution = Execution(busy)
    execution.arrivals = [told.CancellationRequested("stop")]
    assert execution.activate() == asked.Cancelled("stop")
    assert "STATE_SET" in execution.types
    execution.check()
