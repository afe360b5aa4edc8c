"""Laws 1 to 4: the Nth command of a type is the Nth event of that type, whatever completed first."""

import asyncio
from typing import Any

import pytest

from holdfast.model import commands as asked
from holdfast.model import events as told
from holdfast.sdk.workflow_context import WorkflowContext
from tests.replay.support import Execution, raw, started


async def three_alike(ctx: WorkflowContext) -> object:
    return [await ctx.schedule_raw("pack", number) for number in range(3)]


def test_a_loop_of_the_same_task_type_keeps_its_results_apart() -> None:
    execution = started(three_alike)
    for index in range(3):
        execution.completes(index, result=index * 10).activate()
    assert execution.check().result() == [0, 10, 20]


def test_a_matched_command_emits_nothing() -> None:
    execution = started(three_alike)
    assert execution.replayed().commands == ()
    assert isinstance(execution.replayed().outcome, asked.Suspended)


async def gathered(ctx: WorkflowContext) -> object:
    return await asyncio.gather(*(ctx.schedule_raw("pack", number) for number in range(4)))


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)])
def test_completions_come_in_any_order(order: tuple[int, ...]) -> None:
    execution = started(gathered)
    for index in order:
        execution.completes(index, result=index).activate()
    assert execution.check().result() == [0, 1, 2, 3]


async def everything(ctx: WorkflowContext, *, tail: bool = False) -> object:
    first = ctx.schedule_raw("pack")
    nap = ctx.sleep(5)
    child = ctx.schedule_workflow_raw("label", "printing")
    ctx.set_state("step", 1)
    approval = ctx.promise("approval")
    note = await ctx.run("note", lambda: "noted")
    second = ctx.schedule_raw("charge")
    ctx.clear_state("step")
    await nap
    seen = [note, await first, await second, await child, await approval]
    if tail:
        seen.append(await ctx.schedule_raw("bill"))
    return seen


def lived_through_everything() -> Execution:
    execution = started(everything)
    child = execution.all_of(told.ChildWorkflowInitiated)[0]
    promise = execution.all_of(told.PromiseCreated)[0]
    execution.fires(0).completes(1, result="charged").activate()
    execution.happens(
        told.PromiseResolved(promise.promise_id, raw("yes")),
        told.ChildWorkflowCompleted("label", "printing", child.child_workflow_execution_id, raw("printed")),
    )
    execution.completes(0, result="packed").activate()
    return execution


def test_commands_of_all_types_interleave() -> None:
    execution = lived_through_everything().check()
    assert execution.result() == ["noted", "packed", "charged", "printed", "yes"]


def test_extending_a_workflow_is_legal() -> None:
    execution = lived_through_everything()

    async def longer(ctx: WorkflowContext) -> object:
        return await everything(ctx, tail=True)

    replayed = execution.replayed(longer)
    assert [command.task_type for command in replayed.commands if isinstance(command, asked.ScheduleTask)] == ["bill"]
    ids = {task.task_execution_id for task in execution.all_of(told.TaskScheduled)}
    assert all(command.task_id not in ids for command in replayed.commands if isinstance(command, asked.ScheduleTask))


def test_shortening_a_workflow_is_legal_and_warned_of() -> None:
    execution = lived_through_everything()

    async def shorter(ctx: WorkflowContext) -> object:
        return await ctx.schedule_raw("pack")

    replayed = execution.replayed(shorter)
    assert replayed.violation is None
    assert replayed.warnings == tuple(
        f"{what} was recorded but not asked for again"
        for what in (
            "Task(1) 'charge'",
            "ChildWorkflow(0) 'label'",
            "Timer(0)",
            "Operation(0) 'note'",
            "Promise(0) 'approval'",
            "State(0) 'step'",
            "State(1) 'step'",
        )
    )


def test_too_many_warnings_are_counted() -> None:
    async def many(ctx: WorkflowContext) -> object:
        for number in range(150):
            ctx.set_state("step", number)
        return None

    async def none(ctx: WorkflowContext) -> object:
        return None

    warnings = started(many).replayed(none).warnings
    assert len(warnings) == 101
    assert warnings[-1] == "50 more warnings were left out"


def test_what_is_left_open_is_warned_of() -> None:
    async def careless(ctx: WorkflowContext) -> object:
        ctx.schedule_raw("pack")
        ctx.schedule_workflow_raw("label", "printing")
        asyncio.create_task(asyncio.sleep(5), name="nap")  # noqa: RUF006 - forgotten on purpose
        await asyncio.sleep(0)
        return None

    outcome = started(careless).outcome
    assert isinstance(outcome, asked.Completed)
    assert [warning.split(" (")[0].split(" was")[0] for warning in outcome.warnings] == [
        "task 'pack'",
        "child 'label'",
        "asyncio task 'sleep'",
    ]


async def sequence(ctx: WorkflowContext, *kinds: str) -> None:
    for kind in kinds:
        await ctx.schedule_raw(kind)


def test_swapping_two_tasks_is_a_violation() -> None:
    async def original(ctx: WorkflowContext) -> object:
        await sequence(ctx, "pack", "charge")
        return None

    async def swapped(ctx: WorkflowContext) -> object:
        await sequence(ctx, "charge", "pack")
        return None

    execution = started(original).completes(0)
    execution.activate()
    violation = execution.replayed(swapped).violation
    assert violation is not None
    assert (violation.position, violation.recorded, violation.attempted) == ("Task(0)", "task 'pack'", "task 'charge'")


def test_three_children_in_a_loop_with_suspensions_between_them() -> None:
    async def family(ctx: WorkflowContext) -> object:
        return [await ctx.schedule_workflow_raw(f"part-{n}", "part", n) for n in range(3)]

    execution = started(family)
    for index in range(3):
        child = execution.all_of(told.ChildWorkflowInitiated)[index]
        done = told.ChildWorkflowCompleted(f"part-{index}", "part", child.child_workflow_execution_id, raw(index))
        execution.happens(done).activate()
    assert execution.check().result() == [0, 1, 2]
    assert len({child.child_workflow_execution_id for child in execution.all_of(told.ChildWorkflowInitiated)}) == 3


LATE: list[tuple[str, Any]] = [
    ("task", lambda ctx: ctx.schedule_raw("pack")),
    ("timer", lambda ctx: ctx.sleep(5)),
    ("child", lambda ctx: ctx.schedule_workflow_raw("label", "printing")),
    ("promise", lambda ctx: ctx.promise("approval")),
]


@pytest.mark.parametrize("ask", [ask for _, ask in LATE], ids=[name for name, _ in LATE])
def test_a_command_that_the_changed_code_makes_later_gets_the_end_that_has_passed(ask: Any) -> None:
    async def early(ctx: WorkflowContext) -> object:
        work = ask(ctx)
        await ctx.wait_for_signal("go")
        return await work

    async def late(ctx: WorkflowContext) -> object:
        await ctx.wait_for_signal("go")
        return await ask(ctx)

    execution = started(early)
    end: dict[type[told.EventData], Any] = {
        told.TaskScheduled: lambda e: told.TaskCompleted(e.task_execution_id, e.task_type, raw(None)),
        told.TimerStarted: lambda e: told.TimerFired(e.timer_id),
        told.ChildWorkflowInitiated: lambda e: told.ChildWorkflowCompleted(
            "label", "printing", e.child_workflow_execution_id, raw(None)
        ),
        told.PromiseCreated: lambda e: told.PromiseResolved(e.promise_id, raw(None)),
    }
    initiated = execution.events[1].data
    execution.happens(end[type(initiated)](initiated)).signals("go").activate()
    replayed = execution.replayed(late)
    assert replayed.commands == ()
    assert isinstance(replayed.outcome, asked.Completed)


def test_an_end_of_something_unknown_is_ignored() -> None:
    async def shorter(ctx: WorkflowContext) -> object:
        return await ctx.wait_for_signal("go")

    execution = lived_through_everything().signals("go", 7)
    outcome = execution.replayed(shorter).outcome
    assert isinstance(outcome, asked.Completed)
    assert outcome.output == b"7"
