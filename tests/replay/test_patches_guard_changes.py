"""`ctx.patched`: executions that were here with the old code stay on the old side, all others take the new one."""

from holdfast.model.commands import MarkPatch
from holdfast.sdk.workflow_context import WorkflowContext
from tests.replay.support import Execution, started


async def old(ctx: WorkflowContext) -> object:
    await ctx.schedule_raw("first")
    await ctx.schedule_raw("old fee".replace(" ", "-"))
    return await ctx.wait_for_signal("end")


async def new(ctx: WorkflowContext) -> object:
    await ctx.schedule_raw("first")
    await ctx.schedule_raw("new-fee" if ctx.patched("fee") else "old-fee")
    assert ctx.patched("fee") == (await ctx.wait_for_signal("end") == "new")
    return None


def test_an_execution_that_went_past_stays_on_the_old_side() -> None:
    execution = started(old).completes(0)
    execution.activate()
    execution.function = new
    execution._run = None
    execution.completes(1).signals("end", "old").activate()
    assert execution.check().result() is None
    assert "PATCH_MARKED" not in execution.types


def test_an_execution_that_was_not_there_yet_takes_the_new_side() -> None:
    execution = started(old)
    execution.function = new
    execution._run = None
    execution.completes(0).activate()
    assert execution.types[-2:] == ["PATCH_MARKED", "TASK_SCHEDULED"]
    execution.completes(1).signals("end", "new").activate()
    execution.check()


def test_a_new_execution_marks_once() -> None:
    execution = started(new, evict=True)
    execution.completes(0).activate()
    execution.completes(1).signals("end", "new").activate()
    execution.check()
    assert [command for command in execution.commands if isinstance(command, MarkPatch)] == [MarkPatch("fee")]


def test_the_first_answer_holds_in_a_loop() -> None:
    async def old_loop(ctx: WorkflowContext) -> object:
        for _ in range(4):
            await ctx.schedule_raw("old")
        return None

    async def new_loop(ctx: WorkflowContext) -> object:
        for _ in range(4):
            await ctx.schedule_raw("new" if ctx.patched("loop") else "old")
        return None

    execution: Execution = started(old_loop)
    execution.completes(0).activate()
    execution.function = new_loop
    execution._run = None
    for index in (1, 2, 3):
        execution.completes(index).activate()
    execution.check()
    assert "PATCH_MARKED" not in execution.types
