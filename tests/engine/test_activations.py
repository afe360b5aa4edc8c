"""Activations: commands become events, an end closes what is open, and no wake-up is lost."""

import pytest

from holdfast.model import commands as ask
from holdfast.model import requests
from holdfast.model.commands import Completed, Continuing, Failed
from holdfast.model.errors import WorkflowNotFound
from holdfast.model.ids import ExecutionId, PromiseId
from holdfast.model.instants import Instant, Milliseconds
from holdfast.model.statuses import ExecutionStatus, PromiseStatus, TaskStatus
from tests.engine.world import BOOM, ORDER, QUEUE, TENANT, World, activation, task_id, timer_id

SECOND = Milliseconds(1_000)
HERE = TENANT, ORDER
CHILD = ExecutionId("part-1")
PROMISE = PromiseId("promise-1")
SCHEDULE = ask.ScheduleTask(task_id(1), "charge", b"1")
TIMER = ask.StartTimer(timer_id(1), duration_ms=SECOND)
APPROVAL = ask.CreatePromise(PROMISE, "approval", SECOND)
PART = ask.StartChild(CHILD, "part", "child", b"1")
SIGNAL = requests.SignalWorkflow(*HERE, "go", b"1")


def waiting(*commands: ask.Command) -> World:
    world = World()
    world.start()
    world.activate(*commands)
    return world


@pytest.mark.parametrize(
    ("command", "event", "open_items"),
    [
        (SCHEDULE, "TASK_SCHEDULED", 1),
        (TIMER, "TIMER_STARTED", 1),
        (APPROVAL, "PROMISE_CREATED", 1),
        (PART, "CHILD_WORKFLOW_INITIATED", 1),
        (ask.RecordOperation("note", 0, result=b"1"), "OPERATION_COMPLETED", 0),
        (ask.RecordOperation("note", 0, failure=BOOM), "OPERATION_FAILED", 0),
        (ask.SetState("k", b"1"), "STATE_SET", 0),
        (ask.ClearState("k"), "STATE_CLEARED", 0),
        (ask.MarkPatch("p"), "PATCH_MARKED", 0),
    ],
)
def test_a_command_becomes_an_event(command: ask.Command, event: str, open_items: int) -> None:
    world = waiting(command)
    assert world.events() == ["WORKFLOW_STARTED", event]
    assert world.execution().open_items == open_items


ALL = SCHEDULE, TIMER, APPROVAL, PART


def test_commands_that_are_sent_twice_have_one_effect() -> None:
    world = waiting(*ALL, *ALL)
    assert len(world.events()) == 5
    assert world.execution().open_items == 4


def test_what_has_ended_cannot_be_cancelled_any_more() -> None:
    world = waiting(*ALL)
    world.ask(requests.CancelTaskExecution(TENANT, task_id(1)))
    world.ask(requests.TerminateWorkflow(TENANT, CHILD))
    world.wait(1_000)
    before = world.events()
    undo = ask.CancelTimer(timer_id(1)), ask.ResolvePromise(PROMISE, b"1"), ask.CancelTask(task_id(1))
    world.activate(*undo, ask.CancelChild(CHILD), ask.CancelChild(ExecutionId("nobody")))
    assert (world.events(), world.execution().open_items) == (before, 0)


def test_code_ends_its_own_items() -> None:
    world = waiting(*ALL)
    world.ask(SIGNAL)
    world.activate(ask.CancelTimer(timer_id(1)), ask.ResolvePromise(PROMISE, b"1"), ask.CancelChild(CHILD))
    assert world.events()[-3:] == ["TIMER_CANCELLED", "PROMISE_RESOLVED", "CHILD_WORKFLOW_CANCELLATION_REQUESTED"]
    assert world.execution().open_items == 2


def test_cancelling_a_waiting_task_is_told_in_order_and_shown_to_the_code() -> None:
    world = waiting(SCHEDULE, ask.CancelTask(task_id(1)))
    assert world.events()[1:] == ["TASK_SCHEDULED", "TASK_CANCELLATION_REQUESTED", "TASK_CANCELLED"]
    assert world.execution().status is ExecutionStatus.PENDING
    assert world.execution().open_items == 0


def test_cancelling_a_running_task_asks_its_worker_once() -> None:
    world = waiting(SCHEDULE)
    world.claim_task()
    world.ask(SIGNAL)
    world.activate(ask.CancelTask(task_id(1)), ask.CancelTask(task_id(1)))
    assert world.events()[-1] == "TASK_CANCELLATION_REQUESTED"
    assert (world.execution().status, world.task().cancel_requested) == (ExecutionStatus.WAITING, True)


def test_an_event_that_races_the_suspend_makes_the_execution_ready_again() -> None:
    world = World()
    world.start()
    claim = world.claim()
    world.ask(SIGNAL)
    accepted = world.ask(activation(claim, TIMER))
    assert (accepted.last_sequence, accepted.seen_sequence) == (3, 1)
    assert world.execution().status is ExecutionStatus.PENDING
    assert [event.type for event in world.claim().events][1:] == ["SIGNAL_RECEIVED", "TIMER_STARTED"]


def test_a_continued_activation_keeps_the_claim_under_the_next_token() -> None:
    world = World()
    world.start(timeout_ms=40_000)
    claim = world.claim()
    world.clock.set(Instant(world.now + 20_000))
    world.ask(activation(claim, ask.RecordOperation("note", 0, result=b"1"), outcome=Continuing()))
    assert (world.execution().claim_token, world.execution().wake_at) == (claim.token + 1, world.now + 20_000)
    world.ask(activation(claim, token=claim.token + 1, seen=2))
    assert world.execution().status is ExecutionStatus.WAITING


def test_a_lease_that_runs_out_gives_the_execution_to_another_worker() -> None:
    world = World()
    world.start()
    lost = world.claim()
    world.wait(30_000)
    assert world.claim("w2").token > lost.token + 1


def test_an_extended_claim_outlives_its_first_lease() -> None:
    world = World()
    world.start()
    claim = world.claim()
    world.wait(20_000)
    world.ask(requests.ExtendClaim(*HERE, claim.token))
    world.wait(20_000)
    assert world.execution().status is ExecutionStatus.RUNNING


def test_an_overdue_execution_fails_and_its_open_items_end() -> None:
    world = World()
    world.start(timeout_ms=500)
    world.activate(*ALL)
    world.wait(500)
    assert (world.execution().status, world.execution().failure_type) == (ExecutionStatus.FAILED, "EXECUTION_TIMEOUT")
    assert (world.task().status, world.promise().status) == (TaskStatus.CANCELLED, PromiseStatus.CANCELLED)
    assert not world.rows.timers
    assert world.events(CHILD)[-1] == "CANCELLATION_REQUESTED"


def test_a_hundred_overdue_executions_end_in_two_rounds() -> None:
    world = World()
    for number in range(100):
        world.start(f"order-{number}", timeout_ms=500)
        world.activate(ask.StartTimer(timer_id(number), duration_ms=SECOND))
    world.wait(500)
    assert world.rounds == 2
    assert all(execution.closed for execution in world.rows.executions.values())


@pytest.mark.parametrize(
    ("outcome", "event"),
    [
        (Completed(b"7"), "CHILD_WORKFLOW_COMPLETED"),
        (Failed(BOOM), "CHILD_WORKFLOW_FAILED"),
        (ask.Cancelled("no"), "CHILD_WORKFLOW_CANCELLED"),
    ],
)
def test_a_parent_hears_how_its_child_has_ended(outcome: ask.Outcome, event: str) -> None:
    world = waiting(PART)
    world.activate(outcome=outcome)
    assert world.events()[-1] == event
    assert (world.execution().open_items, world.execution().status) == (0, ExecutionStatus.PENDING)


def test_a_parent_hears_of_its_childs_termination() -> None:
    world = waiting(PART)
    world.ask(requests.TerminateWorkflow(TENANT, CHILD))
    assert world.events()[-1] == "CHILD_WORKFLOW_FAILED"


def test_a_promise_and_a_timer_run_out() -> None:
    world = waiting(TIMER, APPROVAL)
    world.wait(999)
    assert world.execution().open_items == 2
    world.wait(1)
    assert world.events()[-2:] == ["TIMER_FIRED", "PROMISE_TIMED_OUT"]
    assert (world.execution().open_items, world.promise().status) == (0, PromiseStatus.TIMED_OUT)


def test_a_moved_timer_fires_when_it_says_now() -> None:
    world = waiting(ask.StartTimer(timer_id(1), fire_at=Instant(World().now + 500)))
    world.ask(requests.MoveTimer(TENANT, timer_id(1), Instant(world.now + 2_000)))
    world.wait(1_999)
    assert world.events()[-1] == "TIMER_STARTED"
    world.wait(1)
    assert world.events()[-1] == "TIMER_FIRED"


def test_a_closed_execution_hears_nothing_more() -> None:
    world = waiting(SCHEDULE)
    task = world.claim_task()
    world.ask(requests.TerminateWorkflow(*HERE))
    world.ask(requests.CompleteTask(TENANT, task_id(1), task.token, b"2"))
    assert world.events()[-1] == "WORKFLOW_TERMINATED"
    assert world.task().status is TaskStatus.COMPLETED


def test_a_signal_comes_with_the_start_once() -> None:
    world = World()
    signal = requests.SignalWorkflow(*HERE, "go", b"1", "r1")
    start = requests.StartWorkflow(*HERE, "order", b"1", QUEUE, signal=signal)
    world.ask(start)
    assert not world.ask(start).created
    assert world.events() == ["WORKFLOW_STARTED", "SIGNAL_RECEIVED"]


def test_an_execution_that_is_not_there_cannot_be_activated() -> None:
    world = waiting()
    world.ask(SIGNAL)
    claim = world.claim()
    world.rows.executions.clear()
    with pytest.raises(WorkflowNotFound):
        world.ask(activation(claim))


def test_asking_twice_to_cancel_is_asking_once() -> None:
    world = waiting()
    replies = [world.ask(requests.CancelWorkflow(*HERE)).changed for _ in range(2)]
    assert (replies, world.events().count("CANCELLATION_REQUESTED")) == ([True, False], 1)
