"""An explicit retry goes on from where the execution stands: what ended it is void, what the code handled stays."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from holdfast.model import commands as asked
from holdfast.model import events as told
from holdfast.model.errors import OperationFailed, TaskFailed
from holdfast.model.events import Event
from holdfast.model.failures import Failure
from holdfast.model.instants import Instant
from holdfast.model.items import begun_item
from holdfast.model.reset_rule import standing
from holdfast.model.retry_rule import LastTurn, last_turn
from holdfast.sdk.workflow_context import WorkflowContext
from tests.replay.programs import BODIES, HAPPENINGS, Statement, live_through, workflow_of
from tests.replay.support import Execution, Function, raw, started

PROGRAMS = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
Happenings = list[tuple[int, int, bool]]


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


def failures_that_stand(execution: Execution) -> list[int]:
    return [event.sequence for event in standing(execution.events) if isinstance(event.data, told.TaskFailed)]


def test_the_failure_that_ended_the_execution_is_void_after_a_retry() -> None:
    execution = failed_in_charge()
    first, ending = failures_that_stand(execution)
    assert ending == execution.events[-2].sequence
    execution.retry()
    assert failures_that_stand(execution) == [first]
    assert execution.activate() == asked.Suspended()
    execution.completes(2, result="charged").activate()
    assert execution.check().result() == "charged"


def test_it_can_fail_and_be_retried_again() -> None:
    execution = failed_in_charge()
    for _ in range(2):
        execution.retry().activate()
        assert isinstance(execution.fails(2).activate(), asked.Failed)
        execution.check()
    assert len(failures_that_stand(execution)) == 2
    assert len(execution.all_of(told.TaskFailed)) == 4


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
    execution.function = checkout
    execution.retry().activate()
    assert len(failures_that_stand(execution)) == 1
    execution.completes(2, result="charged").activate()
    assert execution.check().result() == "charged"


def flaky(result: object = "fine") -> Callable[[], object]:
    tries: list[str] = []

    def function() -> object:
        tries.append("try")
        if len(tries) == 1:
            raise ValueError("once")
        return result

    return function


def retried_at_once(function: Function) -> Execution:
    execution = started(function)
    assert isinstance(execution.outcome, asked.Failed)
    execution.retry().activate()
    return execution.check()


@pytest.mark.parametrize("deferred", [False, True])
def test_an_operation_that_failed_runs_again(deferred: bool) -> None:
    function = flaky()

    async def operating(ctx: WorkflowContext) -> object:
        return await ctx.run("flaky", function, deferred=deferred)

    assert retried_at_once(operating).result() == "fine"


@pytest.mark.parametrize("deferred", [False, True])
def test_an_operation_that_failed_under_a_limit_runs_again_under_it(deferred: bool) -> None:
    function = flaky()

    async def limited(ctx: WorkflowContext) -> object:
        async with asyncio.timeout(60):
            return await ctx.run("flaky", function, deferred=deferred)

    assert retried_at_once(limited).result() == "fine"


def test_of_operations_recorded_together_the_one_that_failed_runs_again() -> None:
    function = flaky()

    async def together(ctx: WorkflowContext) -> object:
        return await asyncio.gather(ctx.run("flaky", function), ctx.run("other", lambda: 2))

    execution = started(together)
    ended = execution.events.pop()
    failed = execution.events[-1].data
    assert isinstance(failed, told.OperationFailed)
    # Both were on record before the code was given the first.
    execution.happens(told.OperationCompleted("other", 1, raw(2)))
    cause = failed.operation_index
    execution.happens(replace(ended.data, cause_operation=cause, turn_sequence=len(execution.events)))
    execution.retry().activate()
    assert execution.check().result() == ["fine", 2]


def test_a_deferred_operation_whose_failure_was_handled_stays() -> None:
    function = flaky()

    async def handling(ctx: WorkflowContext) -> object:
        try:
            await ctx.run("flaky", function, deferred=True)
        except OperationFailed:
            await ctx.schedule_raw("instead")
        return "went on"

    execution = started(handling)
    assert isinstance(execution.fails(0).activate(), asked.Failed)
    execution.retry().completes(0).activate()
    assert execution.check().result() == "went on"
    assert len(execution.all_of(told.OperationFailed)) == 1


async def value_of(future: Awaitable[object]) -> object:
    return await future


def test_what_a_task_group_cancelled_around_the_failure_goes_on() -> None:
    async def group(ctx: WorkflowContext) -> object:
        async with asyncio.TaskGroup() as group:
            charged = group.create_task(value_of(ctx.schedule_raw("charge")))
            group.create_task(value_of(ctx.schedule_raw("pack")))
            group.create_task(value_of(ctx.sleep(5)))
            group.create_task(value_of(ctx.schedule_workflow_raw("part", "printing")))
        return charged.result()

    execution = started(group)
    assert isinstance(execution.fails(0).activate(), asked.Failed)
    cancelled = {"TASK_CANCELLATION_REQUESTED", "TIMER_CANCELLED", "CHILD_WORKFLOW_CANCELLATION_REQUESTED"}
    assert cancelled < set(execution.types)
    assert execution.retry().activate() == asked.Suspended()
    assert not cancelled & {event.type for event in standing(execution.events)}
    part = execution.all_of(told.ChildWorkflowInitiated)[0].child_workflow_execution_id
    execution.completes(0, 1, result="charged").fires(0)
    execution.happens(told.ChildWorkflowCompleted("part", "printing", part, raw(1))).activate()
    assert execution.check().result() == "charged"


def test_what_was_asked_for_on_the_way_out_is_void() -> None:
    async def telling(ctx: WorkflowContext) -> object:
        try:
            charged = await ctx.schedule_raw("charge")
        except TaskFailed:
            ctx.set_state("status", "failed")
            ctx.schedule_raw("tell")
            raise
        ctx.set_state("status", "charged")
        return [charged, await ctx.schedule_raw("pack")]

    execution = started(telling)
    assert isinstance(execution.fails(0).activate(), asked.Failed)
    execution.retry().completes(0, result="charged").activate()
    assert [bytes(each.value) for each in execution.all_of(told.StateSet)] == [b'"failed"', b'"charged"']
    _, told_of, packed = (task.task_execution_id for task in execution.all_of(told.TaskScheduled))
    assert told_of != packed
    execution.completes(2, result="packed").activate()
    assert execution.check().result() == ["charged", "packed"]


def test_code_that_was_mended_asks_for_other_things_in_its_last_turn() -> None:
    async def wrong(ctx: WorkflowContext) -> object:
        await ctx.schedule_raw("reserve")
        ctx.schedule_raw("refund")
        ctx.sleep(5)
        raise ValueError("a bug")

    async def right(ctx: WorkflowContext) -> object:
        await ctx.schedule_raw("reserve")
        ctx.logger.info("again")
        return await ctx.schedule_raw("charge"), ctx.patched("fees")

    execution = started(wrong)
    assert isinstance(execution.completes(0).activate(), asked.Failed)
    execution.function = right
    assert execution.retry().activate() == asked.Suspended()
    assert len({task.task_execution_id for task in execution.all_of(told.TaskScheduled)}) == 3
    execution.completes(2, result="charged").activate()
    # The code has not been there before, so it takes the new side.
    assert execution.check().result() == ["charged", True]


def test_an_output_that_cannot_be_written_is_mended_by_a_retry() -> None:
    async def wrong(ctx: WorkflowContext) -> object:
        ctx.set_state("step", await ctx.schedule_raw("reserve"))
        return object()

    async def right(ctx: WorkflowContext) -> object:
        return await ctx.schedule_raw("reserve")

    execution = started(wrong)
    assert isinstance(execution.completes(0, result=1).activate(), asked.Failed)
    execution.function = right
    execution.retry().activate()
    assert execution.check().result() == 1


def test_a_retry_after_a_timeout_of_the_execution_leaves_all_as_it_is() -> None:
    execution = started(checkout)
    execution.happens(told.WorkflowFailed(Failure("WorkflowTimeout", "late"), "EXECUTION_TIMEOUT", 0)).retry()
    assert (execution.events[-1].data, execution.seen) == (told.RetryRequested(), 3)
    execution._run = None
    execution.completes(0).activate()
    execution.completes(1, result="charged").activate()
    assert execution.check().result() == "charged"


def test_the_point_of_an_operation_that_nobody_recorded_is_not_known() -> None:
    failed = told.WorkflowFailed(Failure("ValueError", "broken"), cause_operation=7, turn_sequence=1)
    history = [Event(1, Instant(1), told.WorkflowStarted(raw(1))), Event(2, Instant(2), failed)]
    assert last_turn(history) == LastTurn(None, 2)


def as_before(execution: Execution) -> Execution:
    """The last end as it was told before there were turns: with the cause alone, or with nothing."""
    ended = execution.events.pop()
    assert isinstance(ended.data, told.WorkflowFailed)
    return execution.happens(replace(ended.data, cause_operation=None, turn_sequence=None)).retry()


def test_histories_of_before_are_read_as_they_were() -> None:
    execution = as_before(failed_in_charge())
    assert execution.events[-1].data == told.RetryRequested()
    execution.activate()
    execution.completes(2, result="charged").activate()
    assert execution.check().result() == "charged"


def test_an_operation_that_failed_last_in_a_history_of_before_runs_again() -> None:
    function = flaky()

    async def operating(ctx: WorkflowContext) -> object:
        return await ctx.run("flaky", function)

    execution = as_before(started(operating))
    execution.activate()
    assert execution.check().result() == "fine"


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
    execution.retry().activate()
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
    execution.retry()
    assert execution.activate() == asked.Suspended()
    child = execution.all_of(told.ChildWorkflowInitiated)[0].child_workflow_execution_id
    execution.happens(told.ChildWorkflowCompleted("part", "printing", child, raw(1))).activate()
    assert execution.check().result() == 1


def test_gathered_failures_void_the_one_that_ended_it() -> None:
    async def parallel(ctx: WorkflowContext) -> object:
        return await asyncio.gather(ctx.schedule_raw("a"), ctx.schedule_raw("b"))

    execution = started(parallel).completes(0, result=1)
    execution.fails(1).activate()
    execution.retry().activate()
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
    execution.retry().signals("stop").activate()
    assert execution.check().result() is True
    assert execution.types[-2:] == ["TASK_CANCELLATION_REQUESTED", "WORKFLOW_COMPLETED"]


@PROGRAMS
@given(BODIES, HAPPENINGS, HAPPENINGS, st.integers(0, 2))
def test_random_programs_replay_after_retries(
    statements: list[Statement], happenings: Happenings, later: Happenings, old: int
) -> None:
    """Whatever ended them, and in whichever turn: what stands fits the code, and no id is given twice."""
    execution = live_through(Execution(failing(workflow_of(statements))), happenings)
    for turn in range(3):
        if not isinstance(execution.outcome, asked.Failed) or execution.replayed().violation is not None:
            break
        execution.check()
        if old > turn:
            as_before(execution)
        else:
            execution.retry()
        live_through(execution, later)
    begun = [item for event in execution.events if (item := begun_item(event.data)) is not None]
    assert len(begun) == len(set(begun))


def failing(function: Function) -> Function:
    """The same, that fails if a task of its own does; and on its way out asks for things."""

    async def workflow(ctx: WorkflowContext) -> object:
        async with asyncio.TaskGroup() as group:
            body = group.create_task(value_of(function(ctx)))
            group.create_task(value_of(ctx.schedule_raw("beside")))
            try:
                await asyncio.gather(ctx.schedule_raw("first"), ctx.run("then", lambda: 1))
                await ctx.schedule_raw("second")
            except TaskFailed:
                ctx.set_state("status", "failed")
                ctx.schedule_raw("tell")
                raise
            ctx.set_state("status", "fine")
        return await body

    return workflow
