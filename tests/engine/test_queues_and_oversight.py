"""Paused queues give nothing away; tasks are ended by hand; what happens goes into the feed."""

import pytest

from holdfast.engine import oversight
from holdfast.model.commands import Completed, CreatePromise, ScheduleTask, Suspended
from holdfast.model.errors import AlreadyClosed, HoldfastError, TaskNotFound
from holdfast.model.ids import QueueName
from holdfast.model.instants import Instant
from holdfast.model.oversight import Activity, WorkSort
from holdfast.model.requests import (
    CompleteTask,
    Done,
    KindDescription,
    NewTask,
    PauseQueue,
    RecordActivity,
    RegisterKinds,
    ReportTask,
    ResumeQueue,
    SettleTask,
    StartWorkflow,
    SubmitTasks,
)
from holdfast.model.statuses import AttemptStatus, ExecutionStatus, TaskStatus
from tests.engine.world import BOOM, ORDER, QUEUE, TENANT, World, activation, offer, task_id, task_offer

PAUSE, RESUME = PauseQueue(TENANT, QUEUE, "a flood", "me"), ResumeQueue(TENANT, QUEUE, "me")


def told(world: World) -> list[tuple[str, str, str]]:
    return [(notice.of, notice.id, notice.what) for _, notice in world.rows.feed[TENANT]]


# Queues.


def test_nothing_of_a_paused_queue_is_claimed_until_it_is_resumed() -> None:
    world = World()
    world.start()
    world.submit_task()
    world.ask(PAUSE)
    paused = world.commit(executions_for=[offer()], tasks_for=[task_offer()])
    assert (paused.executions_given, paused.tasks_given) == ([[]], [[]])
    # They are not kept busy with looking, though there is something to be found.
    assert (paused.drained_executions, paused.drained_tasks) == ([True], [True])
    resumed = world.commit(RESUME, executions_for=[offer()], tasks_for=[task_offer()])
    assert (len(resumed.executions_given[0]), len(resumed.tasks_given[0])) == (1, 1)


def test_what_becomes_ready_in_a_paused_queue_is_not_handed_over() -> None:
    world = World()
    world.ask(PAUSE)
    task = SubmitTasks(TENANT, (NewTask(task_id(1), "charge", b"1", QUEUE),))
    start = StartWorkflow(TENANT, ORDER, "order", b"1", QUEUE)
    outcome = world.commit(task, start, executions_for=[offer()], tasks_for=[task_offer()])
    assert (outcome.executions_given, outcome.tasks_given) == ([[]], [[]])
    # Nobody is told to look for it.
    assert (outcome.executions_left, outcome.tasks_left) == ([], [])
    assert (world.execution().status, world.task().status) == (ExecutionStatus.PENDING, TaskStatus.PENDING)


def test_what_runs_may_end_while_its_queue_is_paused() -> None:
    world = World()
    world.submit_task()
    claim = world.claim_task()
    world.ask(PAUSE)
    assert world.ask(CompleteTask(TENANT, claim.task_id, claim.token, b"2")) == Done()


def test_another_queue_goes_on() -> None:
    world = World()
    world.ask(PauseQueue(TENANT, QueueName("slow")))
    world.submit_task()
    assert world.claim_task().task_id == task_id(1)


def test_pausing_and_resuming_again_changes_nothing() -> None:
    world = World()
    assert [world.ask(each).changed for each in (RESUME, PAUSE, PAUSE, RESUME, RESUME, PAUSE)] == [
        False, True, False, True, False, True,
    ]  # fmt: skip
    setting = world.rows.queues[TENANT, QUEUE]
    assert (setting.paused_at, setting.changed_by, setting.reason) == (world.now, "me", "a flood")
    assert [what for _, _, what in told(world)] == ["PAUSED", "RESUMED", "PAUSED"]


# Tasks ended by hand.


def test_a_waiting_task_is_completed_by_hand() -> None:
    world = World()
    world.submit_task()
    assert world.ask(SettleTask(TENANT, task_id(1), b"42")) == Done()
    assert (world.task().status, world.task().output, world.task().attempt) == (TaskStatus.COMPLETED, b"42", 0)
    assert world.commit(tasks_for=[task_offer()]).tasks_given == [[]]


def test_a_task_without_an_output_gives_null() -> None:
    world = World()
    world.submit_task()
    world.ask(SettleTask(TENANT, task_id(1)))
    assert world.task().output == b"null"


def test_whoever_runs_a_task_that_is_ended_by_hand_has_lost_it() -> None:
    world = World()
    world.submit_task()
    claim = world.claim_task()
    outcome = world.commit(SettleTask(TENANT, task_id(1), failure=BOOM))
    assert outcome.cancel_orders == [(TENANT, "w1", task_id(1))]
    late = world.commit(CompleteTask(TENANT, claim.task_id, claim.token, b"1")).replies[0]
    assert isinstance(late, HoldfastError)
    assert late.code == "STALE_CLAIM"
    [attempt] = world.rows.attempts[TENANT, task_id(1)]
    assert (world.task().status, attempt.status) == (TaskStatus.FAILED, AttemptStatus.CANCELLED)


def test_the_workflow_hears_of_a_task_that_was_ended_by_hand() -> None:
    world = World()
    world.start()
    world.activate(ScheduleTask(task_id(1), "charge", b"1"))
    world.ask(SettleTask(TENANT, task_id(1), b"7"))
    assert world.events()[-1] == "TASK_COMPLETED"
    assert world.execution().status is ExecutionStatus.PENDING


def test_a_closed_or_unknown_task_is_not_ended_again() -> None:
    world = World()
    with pytest.raises(TaskNotFound):
        world.ask(SettleTask(TENANT, task_id(1)))
    world.submit_task()
    world.ask(SettleTask(TENANT, task_id(1)))
    with pytest.raises(AlreadyClosed):
        world.ask(SettleTask(TENANT, task_id(1)))


# The record.


def test_kinds_are_remembered_with_their_schemas() -> None:
    world = World()
    assert not world.ask(RegisterKinds(TENANT, ())).changed
    world.ask(RegisterKinds(TENANT, (KindDescription(WorkSort.TASK, "charge", "2", b"true", b"false"),)))
    [kind] = world.rows.kinds.values()
    assert (kind.name, kind.version, kind.input_schema, kind.output_schema) == ("charge", "2", b"true", b"false")


def test_activity_is_added_up() -> None:
    world = World()
    entry = Activity(TENANT, 7, WorkSort.TASK, QUEUE, "charge", "COMPLETED", 3, 2, 10)
    assert not world.ask(RecordActivity(TENANT, ())).changed
    world.ask(RecordActivity(TENANT, (entry, entry)))
    [found] = world.rows.activity.values()
    assert (found.count, found.total_ms) == (4, 20)


# The feed.


def test_the_feed_tells_of_beginnings_and_ends() -> None:
    world = World()
    world.start()
    promise = CreatePromise("promise-1", "approval")  # type: ignore[arg-type]  # tests write ids as plain text
    claim = world.claim()
    world.ask(activation(claim, ScheduleTask(task_id(9), "charge", b"1"), promise, outcome=Suspended()))
    world.submit_task()
    task = world.claim_task("w1") if world.task().ready else None
    assert task is not None
    world.ask(ReportTask(TENANT, task.task_id, task.token, progress=0.5))
    world.commit(tasks_for=[task_offer()])
    assert told(world)[:3] == [
        ("workflow", ORDER, "WORKFLOW_STARTED"),
        ("promise", "promise-1", "PENDING"),
        ("task", task_id(1), "PENDING"),
    ]
    # Tasks of a workflow are seen through it, and progress is for those who follow the task.
    assert {each[1] for each in told(world) if each[0] == "task"} == {task_id(1)}


def test_a_task_that_is_taken_and_ends_is_told_each_time() -> None:
    world = World()
    world.submit_task()
    claim = world.claim_task()
    world.clock.set(Instant(world.now + 1))
    world.ask(CompleteTask(TENANT, claim.task_id, claim.token, b"2"))
    assert [what for _, _, what in told(world)] == ["PENDING", "RUNNING", "COMPLETED"]


def test_the_end_of_an_execution_is_told() -> None:
    world = World()
    world.start()
    world.activate(outcome=Completed(b"1"))
    assert [what for _, _, what in told(world)] == ["WORKFLOW_STARTED", "WORKFLOW_COMPLETED"]


def test_a_large_batch_makes_several_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oversight, "MAX_NOTICES", 2)
    tasks = tuple(NewTask(task_id(number), "charge", b"1", QUEUE) for number in range(5))
    outcome = World().commit(SubmitTasks(TENANT, tasks))
    assert [len(row.notices) for row in outcome.changes.feed] == [2, 2, 1]
