"""Resetting an execution: what was asked for after the point is called off, what came before it is open again."""

import pytest
from msgspec.structs import replace

from holdfast.model import commands as ask
from holdfast.model import requests
from holdfast.model.commands import Completed, Failed
from holdfast.model.errors import InvalidArgument, NotResettable, StaleClaim
from holdfast.model.flows import FLOW_KIND
from holdfast.model.ids import ExecutionId, PromiseId
from holdfast.model.instants import Milliseconds
from holdfast.model.statuses import ExecutionStatus, PromiseStatus, TaskStatus
from tests.engine.world import BOOM, ORDER, TENANT, World, activation, task_id, timer_id

HERE = TENANT, ORDER
CHILD = ExecutionId("part-1")
PROMISE = PromiseId("promise-1")
CHARGE = ask.ScheduleTask(task_id(1), "charge", b"1")
PACK = ask.ScheduleTask(task_id(2), "pack", b"1")
TIMER = ask.StartTimer(timer_id(1), duration_ms=Milliseconds(1_000))
APPROVAL = ask.CreatePromise(PROMISE, "approval", Milliseconds(9_000))
PART = ask.StartChild(CHILD, "part", "child", b"1")
GO = requests.SignalWorkflow(*HERE, "go", b"1")


def started(*commands: ask.Command) -> World:
    world = World()
    world.start()
    world.activate(*commands)
    return world


def reset(world: World, point: int) -> list[str]:
    """The events that a reset adds."""
    before = len(world.events())
    world.ask(requests.ResetWorkflow(*HERE, point, "wrong", "ann"))
    return world.events()[before:]


def test_what_was_asked_for_after_the_point_is_called_off() -> None:
    world = started(CHARGE, TIMER, APPROVAL, PART)
    assert reset(world, 1) == ["TASK_CANCELLED", "RESET_REQUESTED"]
    assert world.task().status is TaskStatus.CANCELLED
    assert not world.rows.timers
    assert world.promise().status is PromiseStatus.CANCELLED
    assert world.execution(CHILD).cancel_requested
    here = world.execution()
    # The child's end still comes.
    assert (here.status, here.open_items, here.seen_sequence) == (ExecutionStatus.PENDING, 1, 0)


def test_what_was_asked_for_before_the_point_stays_open() -> None:
    world = started(CHARGE, TIMER, APPROVAL, PART)
    world.ask(GO)
    world.activate(PACK)
    assert reset(world, 6) == ["TASK_CANCELLED", "RESET_REQUESTED"]
    assert world.task().status is TaskStatus.PENDING
    assert world.promise().status is PromiseStatus.PENDING
    assert not world.execution(CHILD).cancel_requested
    assert (world.execution().open_items, world.execution().seen_sequence) == (4, 5)
    assert {world.claim().execution_id, world.claim().execution_id} == {CHILD, ORDER}


def test_a_completed_execution_goes_on() -> None:
    world = started(CHARGE, TIMER, APPROVAL, PART)
    world.ask(GO)
    world.activate(outcome=Completed(b"1"))
    assert reset(world, 6) == ["RESET_REQUESTED"]
    here = world.execution()
    assert (here.status, here.output, here.closed_at, here.open_items) == (ExecutionStatus.PENDING, None, None, 4)
    assert world.task().status is TaskStatus.PENDING
    assert world.timer().fire_at == world.promise().created_at + 1_000
    assert world.promise().status is PromiseStatus.PENDING


def test_what_ended_unheard_is_told() -> None:
    world = started(CHARGE, PART)
    claim = world.claim_task()
    world.ask(GO)
    claims = {each.execution_id: each for each in (world.claim(), world.claim())}
    child = claims[CHILD]
    world.activate(outcome=Completed(b"1"), claim=claims[ORDER])
    world.ask(requests.CompleteTask(TENANT, task_id(1), claim.token, b"2"))
    world.ask(activation(child, outcome=Failed(BOOM)))
    # The child has failed only after it had been asked to end: it goes on from before that.
    assert reset(world, 3) == ["RESET_REQUESTED", "TASK_COMPLETED"]
    assert (world.execution(CHILD).status, world.execution().open_items) == (ExecutionStatus.PENDING, 1)


def test_a_child_that_failed_by_itself_unheard_is_told() -> None:
    world = started(PART)
    world.ask(GO)
    claims = {each.execution_id: each for each in (world.claim(), world.claim())}
    world.ask(requests.CancelWorkflow(TENANT, CHILD, "enough", "ann"))
    world.activate(outcome=Completed(b"1"), claim=claims[ORDER])
    world.ask(activation(claims[CHILD], outcome=Failed(BOOM)))
    assert reset(world, 2) == ["RESET_REQUESTED", "CHILD_WORKFLOW_FAILED"]


def test_a_child_that_void_code_had_cancelled_goes_on() -> None:
    world = started(PART)
    world.ask(GO)
    claims = {each.execution_id: each for each in (world.claim(), world.claim())}
    world.activate(ask.CancelChild(CHILD), claim=claims[ORDER])
    world.ask(activation(claims[CHILD], outcome=ask.Cancelled()))
    assert world.events()[-1] == "CHILD_WORKFLOW_CANCELLED"
    assert reset(world, 3) == ["RESET_REQUESTED"]
    assert (world.execution(CHILD).status, world.execution().open_items) == (ExecutionStatus.PENDING, 1)


def test_a_pruned_child_is_waited_for_no_more() -> None:
    world = started(PART)
    world.ask(GO)
    claims = {each.execution_id: each for each in (world.claim(), world.claim())}
    world.activate(outcome=Completed(b"1"), claim=claims[ORDER])
    del world.rows.executions[TENANT, CHILD]
    assert reset(world, 2) == ["RESET_REQUESTED"]


def test_state_is_rolled_back() -> None:
    world = started(ask.SetState("step", b"1"), ask.SetState("old", b"1"), ask.SetState("same", b"1"), CHARGE)
    world.ask(GO)
    world.activate(ask.SetState("step", b"2"), ask.ClearState("old"), ask.SetState("new", b"1"), ask.ClearState("none"))
    reset(world, 5)
    assert world.rows.state == {(HERE, "step"): b"1", (HERE, "old"): b"1", (HERE, "same"): b"1"}


def test_whoever_held_a_claim_has_lost_it() -> None:
    world = started(CHARGE)
    world.ask(GO)
    held = world.claim()
    reset(world, 2)
    with pytest.raises(StaleClaim):
        world.ask(activation(held, PACK))
    assert world.claim().seen_sequence == 2


def test_a_cancellation_after_the_point_is_void_and_one_before_it_stays() -> None:
    world = started(CHARGE)
    world.ask(requests.CancelWorkflow(*HERE))
    world.activate(PACK)
    reset(world, 3)
    assert world.execution().cancel_requested
    reset(world, 2)
    assert not world.execution().cancel_requested


def test_the_deadline_of_an_open_execution_stays_and_of_a_closed_one_is_lifted() -> None:
    world = World()
    world.start(timeout_ms=60_000)
    world.activate(CHARGE)
    world.ask(GO)
    reset(world, 2)
    deadline = world.execution().created_at + 60_000
    assert (world.execution().deadline_at, world.execution().wake_at) == (deadline, deadline)
    world.activate(outcome=Completed(b"1"))
    reset(world, 2)
    assert (world.execution().deadline_at, world.execution().wake_at) == (None, None)


def test_a_retry_after_a_reset_opens_only_what_stands() -> None:
    world = started(CHARGE)
    running = world.claim_task()
    reset(world, 1)
    assert world.execution().open_items == 1
    world.activate(PACK)
    world.ask(GO)
    world.activate(outcome=Failed(BOOM))
    world.ask(requests.RetryWorkflow(*HERE))
    assert world.task(2).status is TaskStatus.PENDING
    assert (world.task(1).cancel_requested, world.execution().open_items) == (True, 2)
    world.ask(requests.AcknowledgeTaskCancel(TENANT, task_id(1), running.token))
    assert world.execution().open_items == 1


def test_only_points_that_stand_are_taken() -> None:
    world = World()
    world.start()
    with pytest.raises(InvalidArgument, match="nothing has happened"):
        reset(world, 1)
    world.activate(CHARGE, TIMER)
    with pytest.raises(InvalidArgument, match="event 3; it can be to 1 to 2"):
        reset(world, 3)
    reset(world, 1)
    world.activate()
    with pytest.raises(InvalidArgument, match=r"cannot be reset to event 2; it can be to 1$"):
        reset(world, 2)


def test_a_child_that_has_told_its_end_is_for_its_parent_to_reset() -> None:
    world = started(PART)
    world.activate(outcome=Completed(b"1"))
    assert world.execution(CHILD).closed
    with pytest.raises(NotResettable, match="reset that"):
        world.ask(requests.ResetWorkflow(TENANT, CHILD, 1))


def test_a_run_of_a_flow_is_rerun_instead() -> None:
    world = World()
    world.start()
    world.rows.executions[HERE] = replace(world.execution(), kind=f"{FLOW_KIND}shop")
    with pytest.raises(NotResettable, match="rerun"):
        reset(world, 1)
