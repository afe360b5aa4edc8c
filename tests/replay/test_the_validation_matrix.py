"""Law 2: every identity field of every type is compared, and the message shows where code and history part."""

import asyncio
from typing import Any

import pytest

from holdfast.model import events as told
from holdfast.model.commands import DETERMINISM_VIOLATION, Failed
from holdfast.model.ids import PromiseId, TimerId
from holdfast.sdk.workflow_context import WorkflowContext
from tests.replay.support import ID, Execution, Function, started

OTHER = "11111111-2222-8333-8444-555555555555"

MATRIX: list[tuple[str, Any, Any, str, str]] = [
    ("Task", lambda c: c.schedule_raw("pack"), lambda c: c.schedule_raw("bill"), "task 'pack'", "task 'bill'"),
    (
        "ChildWorkflow",
        lambda c: c.schedule_workflow_raw("label", "printing"),
        lambda c: c.schedule_workflow_raw("stamp", "printing"),
        "child 'label' of workflow 'printing'",
        "child 'stamp' of workflow 'printing'",
    ),
    (
        "ChildWorkflow",
        lambda c: c.schedule_workflow_raw("label", "printing"),
        lambda c: c.schedule_workflow_raw("label", "drawing"),
        "child 'label' of workflow 'printing'",
        "child 'label' of workflow 'drawing'",
    ),
    (
        "Operation",
        lambda c: c.run("read", int),
        lambda c: c.run("write", int),
        "operation 'read'",
        "operation 'write'",
    ),
    (
        "Operation",
        lambda c: c.run("read", int, deferred=True),
        lambda c: c.run("write", int, deferred=True),
        "operation 'read'",
        "operation 'write'",
    ),
    ("State", lambda c: c.set_state("a", 1), lambda c: c.set_state("b", 1), "set state 'a'", "set state 'b'"),
    ("State", lambda c: c.clear_state("a"), lambda c: c.clear_state("b"), "clear state 'a'", "clear state 'b'"),
    ("State", lambda c: c.set_state("a", 1), lambda c: c.clear_state("a"), "set state 'a'", "clear state 'a'"),
]


def twice(ask: Any, second: Any = None) -> Function:
    async def workflow(ctx: WorkflowContext) -> object:
        ask(ctx)
        (second or ask)(ctx)
        return await ctx.wait_for_signal("never")

    return workflow


@pytest.mark.parametrize(("kind", "recorded", "attempted", "was", "now"), MATRIX)
def test_each_identity_field_is_validated(kind: str, recorded: Any, attempted: Any, was: str, now: str) -> None:
    violation = started(twice(recorded)).replayed(twice(recorded, attempted)).violation
    assert violation is not None
    assert (violation.position, violation.recorded, violation.attempted) == (f"{kind}(1)", was, now)


def with_other_id(execution: Execution, kind: type[told.EventData], field: str) -> Execution:
    """The same log, but an event carries another id."""
    for place, event in enumerate(execution.events):
        if isinstance(event.data, kind):
            changed = {name: getattr(event.data, name) for name in event.data.__struct_fields__} | {field: OTHER}
            execution.events[place] = type(event)(event.sequence, event.time, kind(**changed))
    return execution


def test_a_timer_id_is_validated() -> None:
    workflow = twice(lambda ctx: ctx.sleep(5))
    violation = with_other_id(started(workflow), told.TimerStarted, "timer_id").replayed().violation
    assert violation is not None
    assert violation.position == "Timer(0)"
    assert violation.recorded == f"timer {TimerId(OTHER)}"


@pytest.mark.parametrize("name", ["approval", "consent"])
def test_a_promise_id_and_name_are_validated(name: str) -> None:
    execution = started(twice(lambda ctx: ctx.promise("approval")))
    if name == "approval":
        with_other_id(execution, told.PromiseCreated, "promise_id")
    violation = execution.replayed(twice(lambda ctx: ctx.promise(name))).violation
    assert violation is not None
    assert violation.position == "Promise(0)"
    if name == "approval":
        assert violation.recorded == f"promise 'approval' ({PromiseId(OTHER)})"


def test_durations_and_inputs_may_change() -> None:
    def first(ctx: WorkflowContext) -> None:
        ctx.sleep(5)
        ctx.schedule_raw("pack", 1)

    def second(ctx: WorkflowContext) -> None:
        ctx.sleep(50)
        ctx.schedule_raw("pack", 2)

    assert started(twice(first)).replayed(twice(second)).violation is None


async def charging(ctx: WorkflowContext) -> object:
    return await ctx.schedule_raw("charge-card")


async def refunding(ctx: WorkflowContext) -> object:
    return await ctx.schedule_raw("refund-card")


def test_the_message_shows_recorded_attempted_and_place() -> None:
    replayed = started(charging).replayed(refunding)
    assert replayed.violation is not None
    line = refunding.__code__.co_firstlineno + 1
    assert replayed.violation.message(ID) == (
        "Workflow 'order-17' is not deterministic at Task(0).\n"
        "  recorded:  task 'charge-card'\n"
        "  attempted: task 'refund-card'\n"
        f"  at:        test_the_validation_matrix.py:{line} in refunding\n"
        'Put the code back, guard the change with ctx.patched("…"), or start new executions on a new version; '
        "then `holdfast workflow retry order-17`."
    )
    assert isinstance(replayed.outcome, Failed)
    assert replayed.outcome.failure_type == DETERMINISM_VIOLATION
    assert not replayed.outcome.failure.retryable


@pytest.mark.parametrize("caught", [Exception, BaseException])
def test_a_violation_cannot_be_swallowed(caught: type[BaseException]) -> None:
    async def stubborn(ctx: WorkflowContext) -> object:
        for _ in range(3):
            try:
                await ctx.schedule_raw("refund-card")
            except caught:
                ctx.set_state("swallowed", value=True)
        return "fine"

    replayed = started(charging).replayed(stubborn)
    assert replayed.violation is not None
    assert replayed.commands == ()
    assert isinstance(replayed.outcome, Failed)


def test_a_violation_in_a_background_task_fails_the_workflow_too() -> None:
    async def background(ctx: WorkflowContext) -> object:
        task = asyncio.create_task(refunding(ctx))
        try:
            await task
        except BaseException:  # noqa: BLE001 - what a user should not write, and may
            await asyncio.sleep(1)
        return "fine"

    assert started(charging).replayed(background).violation is not None


def test_commands_before_a_violation_are_dropped() -> None:
    async def partly_new(ctx: WorkflowContext) -> object:
        ctx.set_state("new", value=True)
        return await ctx.schedule_raw("refund-card")

    assert started(charging).replayed(partly_new).commands == ()


def test_nothing_runs_after_a_violation() -> None:
    ran: list[str] = []

    async def background() -> None:
        ran.append("background")

    async def foreground(ctx: WorkflowContext) -> object:
        task = asyncio.create_task(background())
        await refunding(ctx)
        await task
        return None

    assert started(charging).replayed(foreground).violation is not None
    assert ran == []
