"""Requests that meet in one batch: each is decided as if it were alone, and a refused one spoils nothing."""

import pytest

from holdfast.engine.missing import MoreWanted
from holdfast.engine.state import Journal, Names, State
from holdfast.model import commands as ask
from holdfast.model import requests
from holdfast.model.errors import AlreadyClosed, HoldfastError, IdCollision, StaleClaim
from holdfast.model.ids import ClaimToken, PromiseId, WorkerId
from holdfast.model.instants import Milliseconds
from holdfast.model.records import RequestKey
from holdfast.model.statuses import ExecutionStatus, PromiseStatus, TaskStatus
from tests.engine.world import ORDER, QUEUE, TENANT, Middle, World, activation, offer, task_id, task_offer, timer_id

HERE = TENANT, ORDER
SCHEDULE = ask.ScheduleTask(task_id(1), "charge", b"1")
TIMER = ask.StartTimer(timer_id(1), duration_ms=Milliseconds(1_000))
TERMINATE = requests.TerminateWorkflow(*HERE)
START = requests.StartWorkflow(*HERE, "order", b"1", QUEUE)
NEW_TASK = requests.SubmitTasks(TENANT, (requests.NewTask(task_id(1), "charge", b"1", QUEUE),))


def waiting(*commands: ask.Command) -> World:
    world = World()
    world.start()
    world.activate(*commands)
    return world


def test_two_that_end_the_same_execution_both_see_what_is_open() -> None:
    world = waiting(SCHEDULE, TIMER)
    first, second = world.commit(TERMINATE, TERMINATE).replies
    assert (first, type(second)) == (requests.Done(), AlreadyClosed)
    assert (world.task().status, world.rows.timers) == (TaskStatus.CANCELLED, {})


def test_a_start_and_a_termination() -> None:
    world = World()
    world.commit(START, TERMINATE, executions_for=[offer()])
    assert world.events() == ["WORKFLOW_STARTED", "WORKFLOW_TERMINATED"]


def test_a_task_is_submitted_and_cancelled() -> None:
    world = World()
    outcome = world.commit(NEW_TASK, requests.CancelTaskExecution(TENANT, task_id(1)), tasks_for=[task_offer()])
    assert (outcome.tasks_given, world.task().status) == ([[]], TaskStatus.CANCELLED)


def test_two_claims_never_get_the_same() -> None:
    world = World()
    world.start()
    given = world.commit(executions_for=[offer("w1"), offer("w2")]).executions_given
    assert sorted(len(claims) for claims in given) == [0, 1]


def test_a_refused_activation_spoils_nothing_of_the_others() -> None:
    world = waiting(SCHEDULE)
    world.ask(requests.SignalWorkflow(*HERE, "go", b"1"))
    claim = world.claim()
    collides = ask.ScheduleTask(task_id(1), "pack", b"1")
    bad = activation(claim, ask.CreatePromise(PromiseId("p"), "p"), ask.SetState("k", b"1"), TIMER, collides)
    named = requests.SettlePromise(TENANT, execution_id=ORDER, name="p", value=b"1")
    replies = world.commit(requests.SignalWorkflow(*HERE, "go", b"2", "r2"), bad, named).replies
    assert replies[0] == requests.Done()
    assert isinstance(replies[1], IdCollision)
    assert isinstance(replies[2], HoldfastError)
    assert world.events()[-1] == "SIGNAL_RECEIVED"
    assert (world.rows.timers, world.rows.promises, world.rows.state) == ({}, {}, {})


def test_a_completion_and_the_suspend_that_it_races() -> None:
    world = waiting(SCHEDULE)
    task = world.claim_task()
    world.ask(requests.SignalWorkflow(*HERE, "go", b"1"))
    claim = world.claim()
    complete = requests.CompleteTask(TENANT, task_id(1), task.token, b"2")
    outcome = world.commit(complete, activation(claim), executions_for=[offer("w2")])
    assert [each.last_sequence for each in outcome.executions_given[0]] == [4]
    assert world.execution().open_items == 0


def test_work_that_becomes_ready_goes_to_who_waits() -> None:
    world = World()
    world.start()
    claim = world.claim()
    outcome = world.commit(activation(claim, SCHEDULE), tasks_for=[task_offer("w2")])
    assert outcome.tasks_given[0][0].task_id == task_id(1)


def test_a_sweep_acts_on_nothing_that_the_batch_has_settled() -> None:
    world = waiting(SCHEDULE, TIMER, ask.CreatePromise(PromiseId("p"), "p", Milliseconds(1_000)))
    task = world.claim_task()
    world.clock.set(world.timer().fire_at)
    settle = requests.SettlePromise(TENANT, PromiseId("p"), value=b"1")
    disarm = requests.DisarmTimer(TENANT, timer_id(1))
    world.commit(requests.CompleteTask(TENANT, task_id(1), task.token, b"2"), settle, disarm, fire_due())
    assert world.events()[-3:] == ["TASK_COMPLETED", "PROMISE_RESOLVED", "TIMER_CANCELLED"]


def fire_due() -> requests.FireDue:
    return requests.FireDue(TENANT, 512)


def test_a_sweep_leaves_alone_what_is_due_no_longer() -> None:
    world = waiting(SCHEDULE)
    task = world.claim_task()
    world.ask(requests.SignalWorkflow(*HERE, "go", b"1"))
    claim = world.claim()
    promise = ask.CreatePromise(PromiseId("p"), "p", Milliseconds(30_000))
    world.ask(activation(claim, promise, outcome=ask.Continuing()))
    world.clock.set(world.execution().wake_at or world.now)
    extend = requests.ExtendClaim(*HERE, ClaimToken(claim.token + 1))
    report = requests.ReportTask(TENANT, task_id(1), task.token)
    settle = requests.SettlePromise(TENANT, PromiseId("p"), value=b"1")
    assert world.commit(extend, report, settle, fire_due()).replies[-1] == requests.Swept(1)
    assert (world.execution().status, world.task().status) == (ExecutionStatus.RUNNING, TaskStatus.RUNNING)
    assert world.rows.promises[TENANT, PromiseId("p")].status is PromiseStatus.RESOLVED


def test_a_vanished_worker_loses_what_it_holds() -> None:
    world = waiting(SCHEDULE)
    world.claim_task()
    world.ask(requests.SignalWorkflow(*HERE, "go", b"1"))
    claim = world.claim()
    swept = world.ask(requests.ReclaimWorkers(TENANT, (WorkerId("w1"),), 10))
    assert (swept.count, world.execution().status, world.task().status) == (1, "PENDING", "PENDING")
    with pytest.raises(StaleClaim):
        world.ask(activation(claim))


def test_what_a_vanished_worker_has_just_ended_stays_ended() -> None:
    world = waiting(SCHEDULE)
    task = world.claim_task()
    world.ask(requests.SignalWorkflow(*HERE, "go", b"1"))
    claim = world.claim()
    complete = requests.CompleteTask(TENANT, task_id(1), task.token, b"2")
    world.commit(activation(claim), complete, requests.ReclaimWorkers(TENANT, (WorkerId("w1"),), 10))
    assert (world.execution().status, world.task().status) == ("PENDING", "COMPLETED")
    assert len(world.rows.attempts[TENANT, task_id(1)]) == 1


def test_a_timer_may_be_armed_again_under_its_id_in_one_activation() -> None:
    world = waiting(TIMER)
    world.ask(requests.SignalWorkflow(*HERE, "go", b"1"))
    later = ask.StartTimer(timer_id(1), duration_ms=Milliseconds(5_000))
    world.activate(ask.CancelTimer(timer_id(1)), later)
    assert (world.timer().fire_at, world.execution().open_items) == (world.now + 5_000, 1)


def test_what_a_request_gave_names_to_is_forgotten_with_it() -> None:
    state = State(World().now, Middle())
    state.keys.absorb({(TENANT, "task", "old"): "before"})
    mark = state.begin()
    for key in ("new", "old"):
        state.use_key(RequestKey(TENANT, "task", key, "after", state.now))
    state.roll_back(mark)
    names = [state.keys.get((TENANT, "task", key)) for key in ("new", "old")]
    assert (names, state.request_keys) == ([None, "before"], [])


def test_a_question_without_content_is_none() -> None:
    assert not MoreWanted()
    assert MoreWanted(histories=[HERE])


def test_names_are_given_in_and_between_requests() -> None:
    journal = Journal()
    names = Names[str, int](journal)
    names.give("a", 1)
    journal.open()
    names.give("a", 2)
    names.give("b", 3)
    journal.roll_back()
    assert (names.get("a"), names.get("b")) == (1, None)
