"""An explicit retry goes on from where the execution stands: what ended it is void, what the code handled stays."""

import asyncio

import pytest

from holdfast.model import commands as asked
from holdfast.model import events as told
from holdfast.model.errors import TaskFailed
from holdfast.model.retry_rule import failure_to_reopen, voided_by_retry
from holdfast.sdk.workflow_context import WorkflowContext
from tests.replay.support import Execution, Function, raw, started


async def checkout(ctx: WorkflowContext) -> object:
    try:
        await ctx.schedule_raw("reserve")
    except TaskFailed:
        await ctx.schedule_raw("order-more")
    return await ctx.schedule_raw("charge")


def failed_in_charge() -> Execution:
    execution = started(checkout)
    execution.fails(0).activate()
    execution.completes(1).activate()
    assert isinstance(execution.fails(2).activate(), asked.Failed)
    return execution


def test_the_failure_that_ended_the_execution_is_void_after_a_retry() -> None:
    execution = failed_in_charge()
    reopened = failure_to_reopen(execution.events)
    assert reopened is not None
    assert reopened.sequence == execution.events[-2].sequence
    assert voided_by_retry(execution.events) == frozenset()
    execution.happens(told.RetryRequested())
    assert voided_by_retry(execution.events) == {reopened.sequence}
    assert execution.activate() == asked.Suspended()
    execution.completes(2, result="charged").activate()
    assert execution.check().result() == "charged"


def test_it_can_fail_and_be_retried_again() -> None:
    execution = failed_in_charge()
    for _ in range(2):
        execution.happens(told.RetryRequested()).activate()
        assert isinstance(execution.fails(2).activate(), asked.Failed)
        execution.check()
    assert len(voided_by_retry(execution.events)) == 2


def test_a_failure_that_the_code_handled_is_never_void() -> None:
    async def clumsy(ctx: WorkflowContext) -> object:
        try:
            await ctx.schedule_raw("reserve")
        except TaskFailed:
            await ctx.schedule_raw("order-more")
        raise ValueError("a bug")

    execution = started(clumsy).fails(0)
    execution.activate()
    assert isinstance(execution.completes(1).activate(), asked.Failed)
    assert failure_to_reopen(execution.events) is None
    execution.function = checkout
    execution.happens(told.RetryRequested()).activate()
    assert voided_by_retry(execution.events) == frozenset()
    execution.completes(2, result="charged").activate()
    assert execution.check().result() == "charged"


def test_an_operation_that_failed_runs_again() -> None:
    tries: list[str] = []

    def flaky() -> str:
        tries.append("try")
        if len(tries) == 1:
            raise ValueError("once")
        return "fine"

    async def operating(ctx: WorkflowContext) -> object:
        return await ctx.run("flaky", flaky)

    execution = started(operating)
    assert isinstance(execution.outcome, asked.Failed)
    execution.happens(told.RetryRequested()).activate()
    assert execution.check().result() == "fine"
    assert len(tries) == 2


def test_a_deferred_operation_that_failed_runs_again() -> None:
    tries: list[str] = []

    def flaky() -> int:
        tries.append("try")
        return 1 // (len(tries) - 1)

    async def operating(ctx: WorkflowContext) -> object:
        return await ctx.run("flaky", flaky, deferred=True)

    execution = started(operating)
    execution.happens(told.RetryRequested()).activate()
    assert execution.check().result() == 1


def test_a_violation_that_was_put_right_goes_on() -> None:
    async def wrong(ctx: WorkflowContext) -> object:
        await ctx.schedule_raw("reserve")
        return await ctx.schedule_raw("refund")

    async def right(ctx: WorkflowContext) -> object:
        await ctx.schedule_raw("reserve")
        return await ctx.schedule_raw("charge")

    execution = started(right).completes(0)
    execution.activate()
    execution.function = wrong
    execution._run = None
    execution.signals("poke")
    outcome = execution.activate()
    assert isinstance(outcome, asked.Failed)
    assert outcome.failure_type == asked.DETERMINISM_VIOLATION
    execution.function = right
    execution.happens(told.RetryRequested()).activate()
    execution.completes(1, result="charged").activate()
    assert execution.check().result() == "charged"


def child_failed(execution: Execution) -> told.EventData:
    child = execution.all_of(told.ChildWorkflowInitiated)[0].child_workflow_execution_id
    return told.ChildWorkflowCancelled("part", "printing", child)


async def parent(ctx: WorkflowContext) -> object:
    return await ctx.schedule_workflow_raw("part", "printing")


@pytest.mark.parametrize("function", [parent])
def test_a_child_that_failed_is_waited_for_again(function: Function) -> None:
    execution = started(function)
    assert isinstance(execution.happens(child_failed(execution)).activate(), asked.Failed)
    execution.happens(told.RetryRequested())
    assert execution.activate() == asked.Suspended()
    child = execution.all_of(told.ChildWorkflowInitiated)[0].child_workflow_execution_id
    execution.happens(told.ChildWorkflowCompleted("part", "printing", child, raw(1))).activate()
    assert execution.check().result() == 1


def test_a_retry_of_what_had_not_failed_voids_nothing() -> None:
    execution = started(checkout).fails(0)
    assert voided_by_retry(execution.happens(told.RetryRequested()).events) == frozenset()


def test_gathered_failures_void_the_one_that_ended_it() -> None:
    async def parallel(ctx: WorkflowContext) -> object:
        return await asyncio.gather(ctx.schedule_raw("a"), ctx.schedule_raw("b"))

    execution = started(parallel).completes(0, result=1)
    execution.fails(1).activate()
    execution.happens(told.RetryRequested()).activate()
    execution.completes(1, result=2).activate()
    assert execution.check().result() == [1, 2]


def test_a_task_that_was_opened_again_can_be_cancelled() -> None:
    async def impatient(ctx: WorkflowContext) -> object:
        task = ctx.schedule_raw("charge")
        stop = asyncio.ensure_future(ctx.wait_for_signal("stop"))
        await asyncio.wait([task, stop], return_when=asyncio.FIRST_COMPLETED)
        return task.cancel() or await task

    execution = started(impatient)
    assert isinstance(execution.fails(0).activate(), asked.Failed)
    execution.happens(told.RetryRequested()).signals("stop").activate()
    assert execution.check().result() is True
    assert execution.types[-2:] == ["TASK_CANCELLATION_REQUESTED", "WORKFLOW_COMPLETED"]
