"""A task's tries: retries, its four limits, leases, heartbeats and cancellation, as time passes."""

import pytest
from msgspec.structs import replace

from holdfast.model import commands as ask
from holdfast.model import requests
from holdfast.model.commands import TaskOptions
from holdfast.model.ids import ClaimToken, WorkerId
from holdfast.model.instants import Instant, Milliseconds
from holdfast.model.retries import RetryPolicy
from holdfast.model.statuses import AttemptStatus, TaskStatus
from tests.engine.world import BOOM, TENANT, World, task_id

SECOND = Milliseconds(1_000)
ONCE = RetryPolicy(max_retries=1, initial_interval_ms=SECOND, jitter=0)
NEVER = RetryPolicy(max_retries=0)
LEASE = 30_000
TASK = TENANT, task_id(1)


def attempts(world: World) -> list[AttemptStatus]:
    return [attempt.status for attempt in world.rows.attempts.get(TASK, ())]


def running(options: TaskOptions) -> World:
    world = World()
    world.submit_task(options=options)
    world.claim_task()
    return world


def test_a_failed_try_waits_for_its_next_one_and_then_is_ready() -> None:
    world = running(TaskOptions(retry=ONCE))
    world.ask(requests.FailTask(*TASK, ClaimToken(1), BOOM))
    world.wait(999)
    assert not world.task().ready
    world.wait(1)
    assert world.claim_task().attempt == 2


@pytest.mark.parametrize("backoff", [1e300, 1e10, 1.5])
def test_however_steep_the_backoff_no_pause_is_longer_than_the_longest(backoff: float) -> None:
    """A power that is no number any more would break each sweep that the task is in, and with it everybody's timers."""
    longest = Milliseconds(3_600_000)
    world = running(TaskOptions(retry=RetryPolicy(200, SECOND, backoff, longest, jitter=0)))
    world.ask(requests.FailTask(*TASK, ClaimToken(1), BOOM))
    for _ in range(150):
        world.wait(longest)
        world.claim_task()
        world.wait(LEASE)
    assert (world.task().status, world.task().scheduled_at) == (TaskStatus.PENDING, world.now + longest)


def test_retries_that_are_used_up_end_the_task_with_the_count_of_its_tries() -> None:
    world = running(TaskOptions(retry=ONCE))
    world.ask(requests.FailTask(*TASK, ClaimToken(1), BOOM))
    world.wait(1_000)
    world.ask(requests.FailTask(*TASK, world.claim_task().token, BOOM))
    assert world.task().failure == b'{"type":"ValueError","message":"boom","attempts":2}'
    assert attempts(world) == [AttemptStatus.FAILED, AttemptStatus.FAILED]


@pytest.mark.parametrize(
    ("limit", "timeout_type", "tries"),
    [
        ("schedule_to_close_ms", "SCHEDULE_TO_CLOSE", [AttemptStatus.TIMEOUT]),
        ("start_to_close_ms", "START_TO_CLOSE", [AttemptStatus.TIMEOUT]),
        ("heartbeat_ms", "HEARTBEAT", [AttemptStatus.TIMEOUT]),
    ],
)
def test_a_running_task_overruns_a_limit(limit: str, timeout_type: str, tries: list[AttemptStatus]) -> None:
    world = running(replace(TaskOptions(retry=NEVER), **{limit: SECOND}))
    world.wait(999)
    assert world.task().status is TaskStatus.RUNNING
    world.wait(1)
    assert world.task().status is TaskStatus.TIMED_OUT
    assert timeout_type.encode() in (world.task().failure or b"")
    assert attempts(world) == tries


@pytest.mark.parametrize("limit", ["start_to_close_ms", "heartbeat_ms"])
def test_a_try_that_overruns_its_limit_is_tried_again(limit: str) -> None:
    world = running(replace(TaskOptions(retry=ONCE), **{limit: SECOND}))
    world.wait(1_000)
    assert (world.task().status, world.task().scheduled_at) == (TaskStatus.PENDING, world.now + 1_000)


def test_the_limit_of_the_whole_spans_the_tries() -> None:
    world = running(TaskOptions(retry=ONCE, schedule_to_close_ms=Milliseconds(1_500)))
    world.wait(900)
    world.ask(requests.FailTask(*TASK, ClaimToken(1), BOOM))
    world.wait(600)
    assert world.task().status is TaskStatus.TIMED_OUT
    assert attempts(world) == [AttemptStatus.FAILED]


def test_a_task_that_nobody_takes_overruns_its_wait() -> None:
    world = World()
    world.submit_task(options=TaskOptions(schedule_to_start_ms=SECOND))
    world.wait(1_000)
    assert world.task().status is TaskStatus.TIMED_OUT
    assert attempts(world) == []


def test_the_wait_of_a_delayed_task_begins_when_it_may_start() -> None:
    world = World()
    world.submit_task(options=TaskOptions(schedule_to_start_ms=SECOND), scheduled_at=Instant(world.now + 500))
    world.wait(1_400)
    assert world.task().ready
    world.wait(100)
    assert world.task().status is TaskStatus.TIMED_OUT


def test_the_wait_of_a_task_that_was_due_long_ago_begins_now() -> None:
    world = World()
    world.submit_task(options=TaskOptions(schedule_to_start_ms=SECOND), scheduled_at=Instant(5))
    assert world.task().wake_at == world.now + 1_000


def test_a_task_that_comes_back_has_the_whole_of_its_wait_again() -> None:
    world = running(TaskOptions(schedule_to_start_ms=SECOND))
    world.wait(LEASE)
    assert (world.task().status, world.task().wake_at) == (TaskStatus.PENDING, world.now + 1_000)


def test_a_lease_that_runs_out_counts_as_a_try_and_the_first_is_repeated_at_once() -> None:
    world = running(TaskOptions(retry=ONCE))
    world.wait(LEASE)
    assert (world.task().ready, attempts(world)) == (True, [AttemptStatus.LOST])
    world.claim_task()
    world.wait(LEASE)
    assert world.task().status is TaskStatus.FAILED


def test_only_the_tasks_own_code_resets_its_heartbeat_limit() -> None:
    world = running(TaskOptions(retry=NEVER, heartbeat_ms=SECOND))
    world.wait(600)
    world.ask(requests.ReportTask(*TASK, ClaimToken(1), heartbeat=True, details=b"3"))
    world.wait(600)
    world.ask(requests.ReportTask(*TASK, ClaimToken(1)))
    world.wait(400)
    assert world.task().status is TaskStatus.TIMED_OUT


def test_a_report_extends_the_lease_and_keeps_what_it_tells() -> None:
    world = running(TaskOptions())
    line = requests.Line(world.now, "log", "INFO", b'"hello"')
    world.clock.set(Instant(world.now + 20_000))
    world.ask(requests.ReportTask(*TASK, ClaimToken(1), progress=0.5, progress_message="half", lines=(line,)))
    world.ask(requests.ReportTask(*TASK, ClaimToken(1)))
    task = world.task()
    assert (task.wake_at, task.progress, task.progress_message) == (world.now + LEASE, 0.5, "half")
    assert [line.body for line in world.rows.lines[TASK]] == [b'"hello"']


def test_details_reach_the_next_try() -> None:
    world = running(TaskOptions())
    world.ask(requests.ReportTask(*TASK, ClaimToken(1), heartbeat=True, details=b"3"))
    world.wait(LEASE)
    assert world.claim_task().details == b"3"


@pytest.mark.parametrize("milliseconds", [LEASE, 500])
def test_a_task_that_is_being_cancelled_is_not_tried_again(milliseconds: int) -> None:
    world = running(TaskOptions(start_to_close_ms=Milliseconds(500) if milliseconds == 500 else None))
    world.ask(requests.CancelTaskExecution(*TASK))
    world.wait(milliseconds)
    assert world.task().status is TaskStatus.CANCELLED


def test_the_worker_of_a_task_is_told_of_its_cancellation_and_of_its_timeout() -> None:
    world = running(TaskOptions(start_to_close_ms=SECOND))
    orders = world.commit(requests.CancelTaskExecution(*TASK)).cancel_orders
    world.clock.set(Instant(world.now + 1_000))
    orders += world.commit(requests.FireDue(TENANT, 10)).cancel_orders
    assert orders == [(TENANT, WorkerId("w1"), task_id(1))] * 2


def test_a_retried_task_has_its_retries_and_limits_anew() -> None:
    world = running(TaskOptions(retry=NEVER, schedule_to_close_ms=SECOND))
    world.wait(1_000)
    world.ask(requests.RetryTaskExecution(*TASK))
    world.wait(1_000)
    claim = world.claim_task()
    assert (claim.attempt, claim.options.retry) == (2, NEVER)


def test_each_retry_by_hand_gives_a_task_its_own_retries_again_and_no_more() -> None:
    """With the pauses that its policy begins with, and the first vanished worker made up for at once."""
    world = running(TaskOptions(retry=replace(ONCE, max_retries=2)))
    tries = 1
    for _ in range(4):
        world.wait(LEASE)
        assert world.task().ready
        world.ask(requests.FailTask(*TASK, world.claim_task().token, BOOM))
        assert world.task().scheduled_at == world.now + 2 * SECOND
        world.wait(2 * SECOND)
        world.ask(requests.FailTask(*TASK, world.claim_task().token, BOOM))
        tries += 2
        assert (world.task().status, world.task().attempt) == (TaskStatus.FAILED, tries)
        world.ask(requests.RetryTaskExecution(*TASK))
        world.claim_task()
        tries += 1


def test_a_workflows_task_may_be_delayed() -> None:
    world = World()
    world.start()
    world.activate(ask.ScheduleTask(task_id(1), "charge", b"1", delay_ms=SECOND, queue="other"))
    world.wait(999)
    assert not world.task().ready
    world.wait(1)
    assert (world.task().ready, world.task().queue) == (True, "other")
