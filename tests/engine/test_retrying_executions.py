"""Retrying a failed execution: what its code still waits for is opened again, what ended unheard is told."""

import pytest
from msgspec.structs import replace

from holdfast.model import commands as ask
from holdfast.model import requests
from holdfast.model.commands import Completed, Failed
from holdfast.model.errors import NotRetryable
from holdfast.model.ids import ExecutionId, PromiseId
from holdfast.model.instants import Instant, Milliseconds
from holdfast.model.requests import TaskClaim
from holdfast.model.retries import RetryPolicy
from holdfast.model.statuses import ExecutionStatus, PromiseStatus, TaskStatus
from tests.engine.world import BOOM, ORDER, TENANT, World, activation, offer, task_id, timer_id

SECOND = Milliseconds(1_000)
HERE = TENANT, ORDER
CHILD = ExecutionId("part-1")
PROMISE = PromiseId("promise-1")
SCHEDULE = ask.ScheduleTask(task_id(1), "charge", b"1")
TIMER = ask.StartTimer(timer_id(1), duration_ms=SECOND)
PART = ask.StartChild(CHILD, "part", "child", b"1")
RETRY = requests.RetryWorkflow(*HERE)
FATAL = ask.TaskOptions(retry=RetryPolicy(max_retries=0))


def failed(*commands: ask.Command) -> World:
    """An execution that has failed with these items open, in a turn of its own."""
    world = World()
    world.start()
    world.activate(*commands)
    fail(world)
    return world


def fail(world: World, *commands: ask.Command) -> None:
    """Let the code ask for something and fail in the same turn."""
    world.ask(requests.SignalWorkflow(*HERE, "go", b"1"))
    world.activate(*commands, outcome=Failed(BOOM), claim=claim_of(world, "order"))


def claim_of(world: World, kind: str) -> requests.ExecutionClaim:
    """The claim of the one execution of a kind that is ready."""
    ((claim,),) = world.commit(executions_for=[offer(kinds={kind})]).executions_given
    return claim


def retried(world: World) -> list[str]:
    """The events that a retry adds."""
    before = len(world.events())
    world.ask(RETRY)
    return world.events()[before:]


def test_timers_and_promises_run_from_their_beginning() -> None:
    world = failed(TIMER, ask.CreatePromise(PROMISE, "approval", SECOND), ask.CreatePromise(PromiseId("p2"), "other"))
    begun = world.now
    world.wait(400)
    assert retried(world) == ["RETRY_REQUESTED"]
    assert (world.timer().fire_at, world.promise().wake_at) == (begun + 1_000, begun + 1_000)
    assert world.promise("p2").status is PromiseStatus.PENDING
    assert world.execution().open_items == 3


def test_a_promise_that_was_settled_stays_settled() -> None:
    world = World()
    world.start()
    world.activate(ask.CreatePromise(PROMISE, "approval"))
    world.ask(requests.SettlePromise(TENANT, PROMISE, value=b"1"))
    world.activate(outcome=Failed(BOOM))
    retried(world)
    assert (world.promise().status, world.execution().open_items) == (PromiseStatus.RESOLVED, 0)


def test_a_task_that_its_end_had_cancelled_runs_after_all() -> None:
    world = failed(SCHEDULE)
    assert world.task().status is TaskStatus.CANCELLED
    retried(world)
    assert world.claim_task().attempt == 1


def test_the_task_whose_failure_ended_the_execution_is_tried_again() -> None:
    world = World()
    world.start()
    world.activate(ask.ScheduleTask(task_id(1), "charge", b"1", options=FATAL))
    world.ask(requests.FailTask(TENANT, task_id(1), world.claim_task().token, BOOM))
    world.activate(outcome=Failed(BOOM))
    assert retried(world) == ["RETRY_REQUESTED"]
    assert (world.task().status, world.execution().open_items) == (TaskStatus.PENDING, 1)


def test_a_failure_that_the_code_had_handled_stays() -> None:
    world = World()
    world.start()
    world.activate(ask.ScheduleTask(task_id(1), "charge", b"1", options=FATAL))
    world.ask(requests.FailTask(TENANT, task_id(1), world.claim_task().token, BOOM))
    world.activate(TIMER)
    world.wait(1_000)
    world.activate(outcome=Failed(BOOM))
    retried(world)
    assert (world.task().status, world.execution().open_items) == (TaskStatus.FAILED, 0)


def with_running_task(*commands: ask.Command) -> tuple[World, TaskClaim]:
    """An execution whose code has asked for something while a worker ran its task, and has failed then."""
    world = World()
    world.start()
    world.activate(SCHEDULE)
    claim = world.claim_task()
    world.ask(requests.SignalWorkflow(*HERE, "stop", b"1"))
    world.activate(*commands)
    fail(world)
    return world, claim


def test_a_task_that_completed_unheard_is_told() -> None:
    world, claim = with_running_task()
    world.ask(requests.CompleteTask(TENANT, task_id(1), claim.token, b"2"))
    assert retried(world) == ["RETRY_REQUESTED", "TASK_COMPLETED"]
    assert world.execution().open_items == 0


def test_a_running_task_is_no_longer_asked_to_end() -> None:
    world, claim = with_running_task()
    assert world.task().cancel_requested
    retried(world)
    assert not world.task().cancel_requested
    world.ask(requests.AcknowledgeTaskCancel(TENANT, task_id(1), claim.token))
    assert world.claim_task().attempt == 2


def test_a_task_that_the_code_itself_cancelled_stays_cancelled() -> None:
    world, claim = with_running_task(ask.CancelTask(task_id(1)))
    world.ask(requests.AcknowledgeTaskCancel(TENANT, task_id(1), claim.token))
    assert retried(world) == ["RETRY_REQUESTED", "TASK_CANCELLED"]


def test_a_task_that_the_code_is_cancelling_is_still_being_cancelled() -> None:
    world, _ = with_running_task(ask.CancelTask(task_id(1)))
    assert retried(world) == ["RETRY_REQUESTED"]
    assert (world.task().cancel_requested, world.execution().open_items) == (True, 1)


def test_a_task_whose_cancellation_ended_the_execution_runs_after_all() -> None:
    world = World()
    world.start()
    world.activate(SCHEDULE, ask.CancelTask(task_id(1)))
    world.activate(outcome=Failed(BOOM))
    retried(world)
    assert world.task().status is TaskStatus.PENDING


def test_the_child_whose_failure_ended_the_execution_is_retried_with_it() -> None:
    world = World()
    world.start()
    world.activate(PART)
    world.activate(outcome=Failed(BOOM))
    world.activate(outcome=Failed(BOOM))
    assert retried(world) == ["RETRY_REQUESTED"]
    assert world.execution(CHILD).status is ExecutionStatus.PENDING
    assert (world.execution().open_items, world.events(CHILD)[-1]) == (1, "RETRY_REQUESTED")


@pytest.mark.parametrize(
    ("end", "event"),
    [
        (requests.TerminateWorkflow(TENANT, CHILD), "CHILD_WORKFLOW_FAILED"),
        (requests.CancelWorkflow(TENANT, CHILD), None),
    ],
)
def test_a_child_that_ended_unheard_is_told(end: requests.Request[requests.Done], event: str | None) -> None:
    world = failed(PART)
    world.commit(end)
    assert retried(world) == ["RETRY_REQUESTED", *([event] if event else [])]


def end_child(world: World, outcome: ask.Outcome) -> None:
    world.activate(outcome=outcome, claim=claim_of(world, "child"))


@pytest.mark.parametrize("outcome", [ask.Cancelled(), Failed(BOOM), None])
def test_a_child_that_the_end_of_its_parent_cancelled_goes_on_from_before(outcome: ask.Outcome | None) -> None:
    world = failed(PART)
    if outcome is not None:
        end_child(world, outcome)
    assert retried(world) == ["RETRY_REQUESTED"]
    child = world.execution(CHILD)
    assert (child.status, child.cancel_requested) == (ExecutionStatus.PENDING, False)
    assert world.execution().open_items == 1
    end_child(world, Completed(b"7"))
    assert world.events()[-1] == "CHILD_WORKFLOW_COMPLETED"


def test_a_child_of_a_child_that_was_cancelled_with_it_goes_on_too() -> None:
    world = World()
    world.start()
    world.activate(PART)
    grandchild = ExecutionId("part-2")
    world.activate(ask.StartChild(grandchild, "part", "order", b"1"), claim=claim_of(world, "child"))
    held = claim_of(world, "order")
    fail(world)
    end_child(world, ask.Cancelled())
    world.ask(activation(held, outcome=ask.Suspended()))
    world.activate(outcome=ask.Cancelled(), claim=claim_of(world, "order"))
    assert world.execution(grandchild).status is ExecutionStatus.CANCELLED
    assert retried(world) == ["RETRY_REQUESTED"]
    assert [world.execution(each).status for each in (CHILD, grandchild)] == [ExecutionStatus.PENDING] * 2
    assert [world.execution(each).open_items for each in (ORDER, CHILD, grandchild)] == [1, 1, 0]


def test_a_child_that_the_code_itself_cancelled_stays_cancelled() -> None:
    world = World()
    world.start()
    world.activate(PART)
    world.ask(requests.SignalWorkflow(*HERE, "stop", b"1"))
    world.activate(ask.CancelChild(CHILD), claim=claim_of(world, "order"))
    fail(world)
    end_child(world, ask.Cancelled())
    assert retried(world) == ["RETRY_REQUESTED", "CHILD_WORKFLOW_CANCELLED"]


def test_a_child_that_the_code_cancelled_on_its_way_out_goes_on() -> None:
    world = World()
    world.start()
    world.activate(PART)
    fail(world, ask.CancelChild(CHILD))
    assert retried(world) == ["RETRY_REQUESTED"]
    assert not world.execution(CHILD).cancel_requested


def test_a_child_that_somebody_cancelled_stays_cancelled() -> None:
    world = World()
    world.start()
    world.activate(PART)
    world.ask(requests.CancelWorkflow(TENANT, CHILD, requested_by="ann"))
    fail(world)
    assert retried(world) == ["RETRY_REQUESTED"]
    assert world.execution(CHILD).cancel_requested
    end_child(world, ask.Cancelled())
    assert world.events()[-1] == "CHILD_WORKFLOW_CANCELLED"


def test_a_child_that_ignored_its_cancellation_and_was_sent_back_is_let_be() -> None:
    world = failed(PART)
    claim = claim_of(world, "child")
    world.ask(activation(claim, ask.SetState("k", b"1")))
    key = TENANT, CHILD
    # As one that a release before marks came to be cancelled by nobody in particular.
    history = [each for each in world.rows.history[key] if each.type != "CANCELLATION_REQUESTED"]
    world.rows.history[key] = tuple(
        replace(event, sequence=sequence) for sequence, event in enumerate(history, start=1)
    )
    world.rows.executions[key] = replace(world.execution(CHILD), last_sequence=len(history))
    assert retried(world) == ["RETRY_REQUESTED"]
    assert world.execution(CHILD).cancel_requested


def test_what_was_asked_for_in_the_last_turn_is_void() -> None:
    world = World()
    world.start()
    world.activate(ask.SetState("status", b"1"))
    fail(world, SCHEDULE, TIMER, ask.CreatePromise(PROMISE, "approval"), PART, ask.SetState("status", b"2"))
    assert world.rows.state[HERE, "status"] == b"2"
    assert retried(world) == ["RETRY_REQUESTED"]
    assert world.rows.state[HERE, "status"] == b"1"
    assert (world.task().status, world.promise().status) == (TaskStatus.CANCELLED, PromiseStatus.CANCELLED)
    assert not world.rows.timers
    # The child's end still comes.
    assert world.execution().open_items == 1
    end_child(world, ask.Cancelled())
    assert world.execution().open_items == 0


def test_what_the_code_cancelled_in_its_last_turn_is_open_again() -> None:
    world = World()
    world.start()
    world.activate(SCHEDULE, TIMER, ask.CreatePromise(PROMISE, "approval"))
    fail(world, ask.CancelTask(task_id(1)), ask.CancelTimer(timer_id(1)), ask.ResolvePromise(PROMISE, b"1"))
    assert retried(world) == ["RETRY_REQUESTED"]
    assert (world.task().status, world.promise().status) == (TaskStatus.PENDING, PromiseStatus.PENDING)
    assert (len(world.rows.timers), world.execution().open_items) == (1, 3)


def test_code_goes_on_as_new_in_the_turn_in_which_it_failed() -> None:
    world = World()
    world.start()
    world.activate(TIMER)
    world.wait(1_000)
    world.activate(outcome=Failed(BOOM, cause_sequence=3))
    retried(world)
    assert world.claim().seen_sequence == 2


def test_who_has_been_asked_to_end_is_not_asked_again_after_a_retry() -> None:
    world = World()
    world.start()
    world.activate(TIMER)
    world.ask(requests.CancelWorkflow(*HERE))
    world.activate(outcome=Failed(BOOM))
    retried(world)
    assert world.execution().cancel_requested
    assert world.ask(requests.CancelWorkflow(*HERE)) == requests.Done(changed=False)


def test_a_child_is_retried_with_its_parent_only() -> None:
    world = World()
    world.start()
    world.activate(PART)
    world.activate(outcome=Failed(BOOM))
    with pytest.raises(NotRetryable, match="its parent has heard of its end"):
        world.ask(requests.RetryWorkflow(TENANT, CHILD))


def test_a_child_may_be_retried_alone_when_nobody_can_hear_of_it_any_more() -> None:
    world = World()
    world.start()
    world.activate(PART)
    world.activate(outcome=Failed(BOOM))
    world.activate(outcome=Completed(b"1"))
    assert world.ask(requests.RetryWorkflow(TENANT, CHILD)).changed


def test_the_rounds_of_a_retry_do_not_grow_with_the_number_of_children() -> None:
    world = World()
    world.start()
    parts = [ask.StartChild(ExecutionId(f"part-{number}"), "part", "child", b"1") for number in range(20)]
    world.activate(*parts)
    fail(world)
    for claim in world.commit(executions_for=[offer(slots=20)]).executions_given[0]:
        world.ask(activation(claim, outcome=Failed(BOOM)))
    assert retried(world) == ["RETRY_REQUESTED"]
    assert (world.rounds, world.execution().open_items) == (4, 20)


def test_rows_that_are_past_their_retention_stay_away() -> None:
    world = failed(SCHEDULE, PART, ask.CreatePromise(PROMISE, "approval"))
    for rows in (world.rows.tasks, world.rows.promises):
        rows.clear()
    del world.rows.executions[TENANT, CHILD]
    assert retried(world) == ["RETRY_REQUESTED"]
    assert world.execution().status is ExecutionStatus.PENDING


def test_a_retry_lifts_the_deadline_that_ended_the_execution() -> None:
    world = World()
    world.start(timeout_ms=500)
    world.activate()
    world.wait(500)
    world.ask(RETRY)
    world.wait(10_000)
    assert world.claim().last_sequence == 3


def test_a_second_retry_in_the_same_batch_is_refused() -> None:
    world = failed(TIMER)
    first, second = world.commit(RETRY, RETRY).replies
    assert first == requests.Done()
    assert isinstance(second, NotRetryable)
    assert world.execution().open_items == 1


def test_who_waits_for_the_end_is_not_told_of_one_that_is_undone_in_the_same_batch() -> None:
    world = World()
    world.submit_task(options=FATAL)
    claim = world.claim_task()
    failing = requests.FailTask(TENANT, task_id(1), claim.token, BOOM)
    assert world.commit(failing, requests.RetryTaskExecution(TENANT, task_id(1))).ended_tasks == []


def test_a_long_history_is_read_as_a_whole() -> None:
    world = World()
    world.start(timeout_ms=500)
    notes = [ask.SetState("k", b"1")] * 80
    world.activate(TIMER, *notes)
    world.ask(requests.SignalWorkflow(*HERE, "go", b"1"))
    world.clock.set(Instant(world.now + 500))
    # The execution is offered with the end of its history, becomes overdue, and is retried, all in one batch.
    world.commit(requests.FireDue(TENANT, 10), executions_for=[offer()])
    assert retried(world) == ["RETRY_REQUESTED"]
    assert world.execution().open_items == 1
