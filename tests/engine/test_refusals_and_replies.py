"""What each request gets in each state: one table a machine, of (state, request) -> (reply or refusal, status)."""

from collections.abc import Callable

import pytest

from holdfast.model import commands as ask
from holdfast.model import errors, requests
from holdfast.model.commands import Cancelled, Completed, Continuing, Failed, Outcome, Suspended, TaskOptions
from holdfast.model.ids import ClaimToken, ExecutionId, PromiseId, WorkerId
from holdfast.model.instants import Instant, Milliseconds
from holdfast.model.requests import Done, Request
from holdfast.model.retries import RetryPolicy
from holdfast.model.statuses import TaskStatus
from tests.engine.world import BOOM, ORDER, QUEUE, TENANT, World, activation, task_id, timer_id

Given = Callable[[World], None]

NO_RETRIES = TaskOptions(retry=RetryPolicy(max_retries=0))
HERE = TENANT, ORDER
TASK = TENANT, task_id(1)
PROMISE = PromiseId("promise-1")


# States of an execution.


def nothing(_: World) -> None:
    """There is no execution."""


def pending(world: World) -> None:
    world.start()


def running(world: World) -> None:
    world.start()
    world.claim()


def waiting(world: World) -> None:
    world.start()
    world.activate()


def ended(outcome: Outcome) -> Given:
    def given(world: World) -> None:
        world.start()
        world.activate(outcome=outcome)

    return given


def terminated(world: World) -> None:
    running(world)
    world.ask(requests.TerminateWorkflow(*HERE))


completed, failed = ended(Completed(b"7")), ended(Failed(BOOM))
cancelled = ended(Cancelled("no"))

START = requests.StartWorkflow(*HERE, "order", b"1", QUEUE)
SIGNAL = requests.SignalWorkflow(*HERE, "go", b"1", "r1")
CANCEL = requests.CancelWorkflow(*HERE, "enough")
TERMINATE = requests.TerminateWorkflow(*HERE, "now")
RETRY = requests.RetryWorkflow(*HERE, "again")
SUSPEND = requests.SubmitActivation(*HERE, ClaimToken(1), 1, (), Suspended())
RELEASE = requests.ReleaseExecution(*HERE, ClaimToken(1))
EXTEND = requests.ExtendClaim(*HERE, ClaimToken(1))


def started(status: str, *, created: bool) -> requests.Started:
    return requests.Started(ORDER, created, status)  # type: ignore[arg-type]  # statuses are text


ON_EXECUTIONS = [
    (nothing, START, started("PENDING", created=True), "PENDING"),
    (pending, START, started("PENDING", created=False), "PENDING"),
    (running, START, started("RUNNING", created=False), "RUNNING"),
    (completed, START, started("COMPLETED", created=False), "COMPLETED"),
    (nothing, SIGNAL, errors.WorkflowNotFound, None),
    (pending, SIGNAL, Done(), "PENDING"),
    (running, SIGNAL, Done(), "RUNNING"),
    (waiting, SIGNAL, Done(), "PENDING"),
    (completed, SIGNAL, errors.AlreadyClosed, "COMPLETED"),
    (nothing, CANCEL, errors.WorkflowNotFound, None),
    (pending, CANCEL, Done(), "PENDING"),
    (running, CANCEL, Done(), "RUNNING"),
    (waiting, CANCEL, Done(), "PENDING"),
    (failed, CANCEL, errors.AlreadyClosed, "FAILED"),
    (nothing, TERMINATE, errors.WorkflowNotFound, None),
    (pending, TERMINATE, Done(), "TERMINATED"),
    (running, TERMINATE, Done(), "TERMINATED"),
    (waiting, TERMINATE, Done(), "TERMINATED"),
    (terminated, TERMINATE, errors.AlreadyClosed, "TERMINATED"),
    (nothing, RETRY, errors.WorkflowNotFound, None),
    (waiting, RETRY, errors.NotRetryable, "WAITING"),
    (failed, RETRY, Done(), "PENDING"),
    (completed, RETRY, errors.NotRetryable, "COMPLETED"),
    (cancelled, RETRY, errors.NotRetryable, "CANCELLED"),
    (terminated, RETRY, errors.NotRetryable, "TERMINATED"),
    (nothing, SUSPEND, errors.WorkflowNotFound, None),
    (pending, SUSPEND, errors.StaleClaim, "PENDING"),
    (running, SUSPEND, requests.ActivationAccepted(1, 1), "WAITING"),
    (waiting, SUSPEND, requests.ActivationAccepted(1, 1), "WAITING"),
    (completed, SUSPEND, requests.ActivationAccepted(2, 2, closed=True), "COMPLETED"),
    (terminated, SUSPEND, errors.StaleClaim, "TERMINATED"),
    (nothing, RELEASE, errors.WorkflowNotFound, None),
    (pending, RELEASE, errors.StaleClaim, "PENDING"),
    (running, RELEASE, Done(), "PENDING"),
    (waiting, RELEASE, errors.StaleClaim, "WAITING"),
    (nothing, EXTEND, errors.WorkflowNotFound, None),
    (running, EXTEND, Done(), "RUNNING"),
    (waiting, EXTEND, errors.StaleClaim, "WAITING"),
    (terminated, EXTEND, errors.StaleClaim, "TERMINATED"),
]


def decided(world: World, request: Request[object]) -> object:
    """The reply; or the class of the error, and nothing has changed."""
    before = world.rows.copy()
    (reply,) = world.commit(request).replies
    if isinstance(reply, errors.HoldfastError):
        assert world.rows == before
        return type(reply)
    return reply


@pytest.mark.parametrize(("given", "request_", "expected", "status"), ON_EXECUTIONS)
def test_requests_to_an_execution(
    given: Given, request_: Request[object], expected: object, status: str | None
) -> None:
    world = World()
    given(world)
    assert decided(world, request_) == expected
    row = world.rows.executions.get(HERE)
    assert (None if row is None else row.status) == status


# States of a task; claims carry token 1.


def task_pending(world: World) -> None:
    world.submit_task(options=NO_RETRIES)


def task_running(world: World) -> None:
    task_pending(world)
    world.claim_task()


def task_cancelling(world: World) -> None:
    task_running(world)
    world.ask(requests.CancelTaskExecution(*TASK, "enough"))


def task_after(message: Request[object], given: Given = task_running) -> Given:
    def after(world: World) -> None:
        given(world)
        world.ask(message)

    return after


def task_retrying(world: World) -> None:
    world.submit_task()
    world.claim_task()
    world.ask(FAIL)


def task_timed_out(world: World) -> None:
    world.submit_task(options=TaskOptions(retry=RetryPolicy(max_retries=0), start_to_close_ms=Milliseconds(10)))
    world.claim_task()
    world.wait(10)


def task_lost(world: World) -> None:
    world.submit_task()
    world.claim_task()
    world.ask(requests.ReclaimWorkers(TENANT, (WorkerId("w1"),), 10))


def task_of_workflow(world: World) -> None:
    world.start()
    world.activate(ask.ScheduleTask(task_id(1), "charge", b"1"))
    world.ask(CANCEL_TASK)


COMPLETE = requests.CompleteTask(*TASK, ClaimToken(1), b"2")
FAIL = requests.FailTask(*TASK, ClaimToken(1), BOOM)
STOPPED = requests.AcknowledgeTaskCancel(*TASK, ClaimToken(1))
GIVE_BACK = requests.ReleaseTask(*TASK, ClaimToken(1))
REPORT = requests.ReportTask(*TASK, ClaimToken(1))
CANCEL_TASK = requests.CancelTaskExecution(*TASK, "enough")
DELETE_TASK = requests.CancelTaskExecution(*TASK, "enough", only_pending=True)
RETRY_TASK = requests.RetryTaskExecution(*TASK)
AGAIN = Done(changed=False)

task_done, task_failed, task_released = task_after(COMPLETE), task_after(FAIL), task_after(GIVE_BACK)
task_cancelled = task_after(CANCEL_TASK, task_pending)
task_stopped, task_failed_cancelling = task_after(STOPPED, task_cancelling), task_after(FAIL, task_cancelling)

ON_TASKS = [
    (nothing, COMPLETE, errors.TaskNotFound, None),
    (task_pending, COMPLETE, errors.StaleClaim, "PENDING"),
    (task_running, COMPLETE, Done(), "COMPLETED"),
    (task_done, COMPLETE, AGAIN, "COMPLETED"),
    (task_failed, COMPLETE, errors.StaleClaim, "FAILED"),
    (task_released, COMPLETE, errors.StaleClaim, "PENDING"),
    (task_timed_out, COMPLETE, errors.StaleClaim, "TIMED_OUT"),
    (task_lost, COMPLETE, errors.StaleClaim, "PENDING"),
    (task_cancelling, COMPLETE, Done(), "COMPLETED"),
    (nothing, FAIL, errors.TaskNotFound, None),
    (task_running, FAIL, Done(), "FAILED"),
    (task_failed, FAIL, AGAIN, "FAILED"),
    (task_retrying, FAIL, AGAIN, "PENDING"),
    (task_done, FAIL, errors.StaleClaim, "COMPLETED"),
    (task_lost, FAIL, errors.StaleClaim, "PENDING"),
    (task_cancelling, FAIL, Done(), "CANCELLED"),
    (task_failed_cancelling, FAIL, AGAIN, "CANCELLED"),
    (task_cancelling, STOPPED, Done(), "CANCELLED"),
    (task_stopped, STOPPED, AGAIN, "CANCELLED"),
    (task_running, STOPPED, Done(), "PENDING"),
    (task_done, STOPPED, errors.StaleClaim, "COMPLETED"),
    (task_running, GIVE_BACK, Done(), "PENDING"),
    (task_released, GIVE_BACK, AGAIN, "PENDING"),
    (task_cancelling, GIVE_BACK, Done(), "CANCELLED"),
    (task_lost, GIVE_BACK, errors.StaleClaim, "PENDING"),
    (nothing, REPORT, errors.TaskNotFound, None),
    (task_running, REPORT, requests.TaskOrders(cancel=False), "RUNNING"),
    (task_cancelling, REPORT, requests.TaskOrders(cancel=True), "RUNNING"),
    (task_done, REPORT, errors.StaleClaim, "COMPLETED"),
    (task_lost, REPORT, errors.StaleClaim, "PENDING"),
    (nothing, CANCEL_TASK, errors.TaskNotFound, None),
    (task_pending, CANCEL_TASK, Done(), "CANCELLED"),
    (task_retrying, CANCEL_TASK, Done(), "CANCELLED"),
    (task_running, CANCEL_TASK, Done(), "RUNNING"),
    (task_pending, DELETE_TASK, Done(), "CANCELLED"),
    (task_running, DELETE_TASK, errors.Conflict, "RUNNING"),
    (task_cancelling, CANCEL_TASK, AGAIN, "RUNNING"),
    (task_done, CANCEL_TASK, errors.AlreadyClosed, "COMPLETED"),
    (nothing, RETRY_TASK, errors.TaskNotFound, None),
    (task_running, RETRY_TASK, errors.NotRetryable, "RUNNING"),
    (task_done, RETRY_TASK, errors.NotRetryable, "COMPLETED"),
    (task_failed, RETRY_TASK, Done(), "PENDING"),
    (task_timed_out, RETRY_TASK, Done(), "PENDING"),
    (task_cancelled, RETRY_TASK, Done(), "PENDING"),
    (task_of_workflow, RETRY_TASK, errors.NotRetryable, "CANCELLED"),
]


@pytest.mark.parametrize(("given", "request_", "expected", "status"), ON_TASKS)
def test_requests_to_a_task(given: Given, request_: Request[object], expected: object, status: str | None) -> None:
    world = World()
    given(world)
    assert decided(world, request_) == expected
    row = world.rows.tasks.get(TASK)
    assert (None if row is None else row.status) == status


# Timers and promises of a waiting execution.


def promised(world: World) -> None:
    world.start()
    world.activate(ask.CreatePromise(PROMISE, "approval"))


def settled_by(message: Request[object]) -> Given:
    return task_after(message, promised)


def armed(world: World) -> None:
    world.start()
    world.activate(ask.StartTimer(timer_id(1), duration_ms=Milliseconds(100)))


RESOLVE = requests.SettlePromise(TENANT, PROMISE, value=b"1")
REJECT = requests.SettlePromise(TENANT, execution_id=ORDER, name="approval", failure=BOOM)
BOTH = requests.SettlePromise(TENANT, PROMISE, value=b"1", failure=BOOM)
NAMELESS = requests.SettlePromise(TENANT, value=b"1")
MISNAMED = requests.SettlePromise(TENANT, execution_id=ORDER, name="other", value=b"1")
DISARM = requests.DisarmTimer(TENANT, timer_id(1))
POSTPONE = requests.MoveTimer(TENANT, timer_id(1), Instant(4_000_000_000_000))
FIRE_NOW = requests.MoveTimer(TENANT, timer_id(1), Instant(0))

promise_dropped = task_after(TERMINATE, promised)

ON_ITEMS = [
    (nothing, RESOLVE, errors.PromiseNotFound, None),
    (promised, RESOLVE, Done(), "PROMISE_RESOLVED"),
    (promised, REJECT, Done(), "PROMISE_REJECTED"),
    (promised, BOTH, errors.InvalidArgument, "PROMISE_CREATED"),
    (promised, NAMELESS, errors.InvalidArgument, "PROMISE_CREATED"),
    (promised, MISNAMED, errors.PromiseNotFound, "PROMISE_CREATED"),
    (settled_by(RESOLVE), RESOLVE, AGAIN, "PROMISE_RESOLVED"),
    (settled_by(RESOLVE), REJECT, errors.AlreadyClosed, "PROMISE_RESOLVED"),
    (promise_dropped, RESOLVE, errors.AlreadyClosed, "WORKFLOW_TERMINATED"),
    (nothing, DISARM, errors.TimerNotFound, None),
    (armed, DISARM, Done(), "TIMER_CANCELLED"),
    (armed, POSTPONE, Done(), "TIMER_STARTED"),
    (armed, FIRE_NOW, Done(), "TIMER_FIRED"),
    (task_after(FIRE_NOW, armed), FIRE_NOW, errors.TimerNotFound, "TIMER_FIRED"),
    (task_after(TERMINATE, armed), POSTPONE, errors.TimerNotFound, "WORKFLOW_TERMINATED"),
]


@pytest.mark.parametrize(("given", "request_", "expected", "last"), ON_ITEMS)
def test_requests_to_timers_and_promises(
    given: Given, request_: Request[object], expected: object, last: str | None
) -> None:
    world = World()
    given(world)
    assert decided(world, request_) == expected
    assert (world.events()[-1] if world.rows.history else None) == last


# Commands that are refused, with all that came with them.

SCHEDULE = ask.ScheduleTask(task_id(1), "charge", b"1")
CHILD = ExecutionId("part-1")
REFUSED = [
    (ask.ScheduleTask(task_id(1), "pack", b"1"), errors.IdCollision),
    (ask.ScheduleTask(task_id(9), "charge", b"1"), errors.IdCollision),
    (ask.ScheduleTask("17", "charge", b"1"), errors.InvalidId),  # type: ignore[arg-type]  # no UUID
    (ask.StartTimer(timer_id(9), duration_ms=Milliseconds(1)), errors.IdCollision),
    (ask.StartTimer(timer_id(2)), errors.InvalidArgument),
    (ask.CreatePromise(PROMISE, "other"), errors.IdCollision),
    (ask.ResolvePromise(PromiseId("promise-9"), b"1"), errors.PromiseNotFound),
    (ask.ResolvePromise(PromiseId("nowhere"), b"1"), errors.PromiseNotFound),
    (ask.StartChild(ExecutionId("order-9"), "part", "child", b"1"), errors.IdCollision),
    (ask.CancelTask(task_id(9)), errors.TaskNotFound),
    (ask.CancelTask(task_id(7)), errors.TaskNotFound),
    (ask.Command(), errors.InvalidArgument),
]


@pytest.mark.parametrize(("command", "expected"), REFUSED)
def test_a_refused_command_leaves_the_whole_activation_unapplied(
    command: ask.Command, expected: type[errors.HoldfastError]
) -> None:
    world = World()
    world.start("order-9")
    others = ask.StartTimer(timer_id(9), duration_ms=Milliseconds(1)), ask.CreatePromise(PromiseId("promise-9"), "p")
    world.activate(ask.ScheduleTask(task_id(9), "charge", b"1"), *others)
    world.start()
    world.activate(SCHEDULE, ask.CreatePromise(PROMISE, "approval"), outcome=Continuing())
    message = requests.SubmitActivation(
        *HERE, ClaimToken(2), 3, (ask.StartTimer(timer_id(1), duration_ms=Milliseconds(1)), command), Suspended()
    )
    assert decided(world, message) is expected


@pytest.mark.parametrize(
    ("outcome", "seen", "expected"),
    [(Suspended(), 2, errors.InvalidArgument), (Outcome(), 1, errors.InvalidArgument)],
)
def test_an_impossible_activation_is_refused(outcome: Outcome, seen: int, expected: type[errors.HoldfastError]) -> None:
    world = World()
    world.start()
    assert decided(world, activation(world.claim(), outcome=outcome, seen=seen)) is expected


# Idempotency.

NEW = requests.NewTask(task_id(1), "charge", b"1", QUEUE, idempotency_key="k")
OTHER = requests.NewTask(task_id(2), "charge", b"1", QUEUE, idempotency_key="k")


@pytest.mark.parametrize(
    "other",
    [
        requests.StartWorkflow(*HERE, "child", b"1", QUEUE),
        requests.StartWorkflow(*HERE, "order", b"2", QUEUE),
        requests.SubmitTasks(TENANT, (requests.NewTask(task_id(1), "pack", b"1", QUEUE),)),
        requests.SubmitTasks(TENANT, (requests.NewTask(task_id(1), "charge", b"2", QUEUE),)),
        requests.SubmitTasks(TENANT, (requests.NewTask(task_id(7), "charge", b"1", QUEUE),)),
        requests.SubmitTasks(TENANT, (requests.NewTask(task_id(3), "pack", b"1", QUEUE, idempotency_key="k"),)),
    ],
)
def test_an_id_or_key_cannot_be_used_for_something_else(other: Request[object]) -> None:
    world = World()
    world.start()
    world.activate(ask.ScheduleTask(task_id(7), "charge", b"1"))
    world.ask(requests.SubmitTasks(TENANT, (NEW,)))
    assert decided(world, other) is errors.IdempotencyConflict


@pytest.mark.parametrize("batches", [[[NEW], [OTHER]], [[NEW, OTHER]]])
def test_the_same_key_gives_the_same_task(batches: list[list[requests.NewTask]]) -> None:
    world = World()
    answers = [made for batch in batches for made in world.ask(requests.SubmitTasks(TENANT, tuple(batch)))]
    assert [(made.id, made.created) for made in answers] == [(task_id(1), True), (task_id(1), False)]


def test_the_same_key_in_two_requests_of_one_batch_gives_the_same_task() -> None:
    world = World()
    asked = [requests.SubmitTasks(TENANT, (new,)) for new in (NEW, OTHER)]
    made = [requests.SubmittedTask(task_id(1), created, TaskStatus.PENDING) for created in (True, False)]
    assert world.commit(*asked).replies == [(made[0],), (made[1],)]
