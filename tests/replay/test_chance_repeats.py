"""Law 5: ids and random numbers are the same on every replay, and extending a workflow shifts none of them."""

import random

from holdfast.model import commands as asked
from holdfast.model import events as told
from holdfast.model.ids import ExecutionId
from holdfast.sdk.workflow_context import WorkflowContext
from tests.replay.support import Execution, new_run, started


async def rolling(ctx: WorkflowContext) -> object:
    seen = [str(ctx.random_uuid())]
    await ctx.schedule_raw("pack")
    seen += [str(ctx.random_uuid()), str(ctx.random())]
    await ctx.schedule_raw("charge")
    seen += [str(ctx.random_uuid()), str(ctx.random_generator.randint(1, 6))]
    return seen


def test_random_uuids_before_between_and_after_tasks() -> None:
    execution = started(rolling)
    execution.completes(0).activate()
    execution.completes(1).activate()
    seen = execution.check().result()
    assert isinstance(seen, list)
    assert len(set(seen)) == 5


def test_extra_tasks_shift_no_random_number() -> None:
    async def extended(ctx: WorkflowContext) -> object:
        ctx.schedule_raw("pack").cancel()
        ctx.sleep(1)
        return str(ctx.random_uuid())

    execution = started(rolling)
    execution.completes(0).activate()
    execution.completes(1).activate()
    seen = execution.result()
    assert isinstance(seen, list)
    assert started(extended).result() == seen[0]


def test_executions_differ() -> None:
    async def one(ctx: WorkflowContext) -> object:
        return [str(ctx.random_uuid()), ctx.schedule_raw("pack").id, ctx.sleep(1).id, ctx.promise("p").id]

    events = Execution(one).events
    outcomes = [new_run(one, ExecutionId(name)).advance(events, seen_sequence=0).outcome for name in "ab"]
    values = [outcome.output for outcome in outcomes if isinstance(outcome, asked.Completed)]
    assert len(values) == 2
    assert not set(values[0].split(b",")) & set(values[1].split(b","))


def test_pythons_own_generator_is_left_alone() -> None:
    before = random.getstate()
    started(rolling)
    assert random.getstate() == before


def test_the_ids_of_one_execution_are_all_different() -> None:
    async def many(ctx: WorkflowContext) -> object:
        for number in range(3):
            ctx.schedule_raw("pack")
            ctx.schedule_workflow_raw(f"child-{number}", "part")
            ctx.sleep(1)
            ctx.promise("p")
        return await ctx.wait_for_signal("never")

    execution = started(many)
    ids = [task.task_execution_id for task in execution.all_of(told.TaskScheduled)]
    ids += [child.child_workflow_execution_id for child in execution.all_of(told.ChildWorkflowInitiated)]
    ids += [timer.timer_id for timer in execution.all_of(told.TimerStarted)]
    ids += [promise.promise_id for promise in execution.all_of(told.PromiseCreated)]
    assert len(set(ids)) == 12
