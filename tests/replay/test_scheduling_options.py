"""The options of tasks and children reach the command, checked, over what their definitions say."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from holdfast.model import commands as asked
from holdfast.model.commands import ScheduleTask, StartChild, StartTimer, TaskOptions
from holdfast.model.ids import ExecutionId
from holdfast.model.instants import Milliseconds
from holdfast.model.retries import RetryPolicy
from holdfast.sdk.payload import decode, encode
from holdfast.sdk.replay.options import duration_ms, task_options
from holdfast.sdk.replay.replayer import replay
from holdfast.sdk.workflow_context import WorkflowContext
from tests.replay.support import CODEC, ID, Code, Execution, started


class Pack:
    """A task's definition."""

    task_type = "pack"
    kind = "packing"
    queue: str | None = "heavy"
    options = TaskOptions(retry=RetryPolicy(max_retries=7))
    priority = 3
    timeout_ms = None

    def __call__(self, weight: int) -> int:
        return weight

    def encode_input(self, args: tuple[object, ...], kwargs: dict[str, object]) -> bytes:
        return encode(args[0], what="the input of task 'pack'")

    def decode_output(self, data: bytes) -> object:
        return decode(data, int, what="the result of task 'pack'")


def command(ask: Any) -> Any:
    async def workflow(ctx: WorkflowContext) -> object:
        return await ask(ctx)

    execution = started(workflow)
    assert isinstance(execution.outcome, asked.Suspended), execution.outcome
    return execution.commands[0]


def test_a_definition_says_what_the_caller_does_not() -> None:
    plain = command(lambda ctx: ctx.schedule(Pack(), 5))
    assert isinstance(plain, ScheduleTask)
    assert (plain.task_type, plain.input, plain.queue, plain.priority) == ("pack", b"5", "heavy", 3)
    assert plain.options is Pack.options


def test_the_caller_overrides_the_definition() -> None:
    given = command(
        lambda ctx: ctx.schedule(
            Pack(),
            5,
            queue="light",
            max_retries=1,
            timeout=timedelta(minutes=1),
            schedule_to_start_timeout=2,
            schedule_to_close_timeout=3,
            heartbeat_timeout=0.5,
            priority=0,
            delay=10,
            idempotency_key="once",
        )
    )
    assert isinstance(given, ScheduleTask)
    assert (given.queue, given.priority, given.delay_ms, given.idempotency_key) == ("light", 0, 10_000, "once")
    limits = [Milliseconds(each) for each in (2000, 60_000, 3000, 500)]
    assert given.options == TaskOptions(RetryPolicy(max_retries=1), limits[0], limits[1], limits[2], limits[3])


def test_a_policy_wins_over_a_number() -> None:
    policy = RetryPolicy(max_retries=0)
    raw = command(lambda ctx: ctx.schedule_raw("pack", retry=policy, max_retries=5, delay=1))
    assert raw.options.retry == policy
    assert raw.delay_ms == 1000


def test_the_result_is_read_by_the_definition() -> None:
    async def workflow(ctx: WorkflowContext) -> object:
        return await ctx.schedule(Pack(), 5) + 1

    execution = started(workflow)
    execution.completes(0, result=41).activate()
    assert execution.check().result() == 42


@pytest.mark.parametrize("timeout", [None, 60])
def test_children_have_a_queue_and_a_timeout(timeout: int | None) -> None:
    child = command(lambda ctx: ctx.schedule_workflow("part", Pack(), 5, timeout=timeout))
    assert isinstance(child, StartChild)
    limit = None if timeout is None else 60_000
    assert (child.name, child.kind, child.queue, child.timeout_ms) == ("part", "packing", "heavy", limit)


def test_raw_children_have_a_timeout() -> None:
    child = command(lambda ctx: ctx.schedule_workflow_raw("part", "packing", queue="light", timeout=1))
    assert (child.queue, child.timeout_ms) == ("light", 1000)


INSTANT = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(("instant", "fire_at"), [(INSTANT, 1_893_456_000_000), (1_893_456_000_000, 1_893_456_000_000)])
def test_sleeping_until_an_instant(instant: Any, fire_at: int) -> None:
    timer = command(lambda ctx: ctx.sleep_until(instant))
    assert isinstance(timer, StartTimer)
    assert (timer.fire_at, timer.duration_ms) == (fire_at, None)


def test_a_sleep_is_never_shorter_than_asked() -> None:
    assert command(lambda ctx: ctx.sleep(0.0001)).duration_ms == 1
    assert command(lambda ctx: ctx.sleep(-5)).duration_ms == 0
    assert duration_ms(timedelta(milliseconds=3), "x") == 3


BAD: list[tuple[Any, str]] = [
    (lambda ctx: ctx.sleep(float("inf")), "must be a timedelta or a number of seconds, not inf"),
    (lambda ctx: ctx.sleep("long"), "not 'long'"),
    (lambda ctx: ctx.sleep_until(datetime(2030, 1, 1)), "a datetime with a time zone"),  # noqa: DTZ001
    (lambda ctx: ctx.sleep_until("noon"), "a datetime with a time zone"),
    (lambda ctx: ctx.schedule_raw("pack", timeout=0), "timeout must be longer than nothing"),
    (lambda ctx: ctx.schedule_raw("pack", max_retries=-1), "retries must be a number from 0"),
    (lambda ctx: ctx.schedule_raw("pack", max_retries=True), "retries must be a number from 0"),
    (lambda ctx: ctx.schedule_raw("pack", retires=3), "a task has no option 'retires'; it has queue, max_retries"),
    (lambda ctx: ctx.schedule_raw("p a c k"), "the task type 'p a c k' is not a valid id"),
]


@pytest.mark.parametrize(("ask", "message"), BAD)
def test_bad_options_are_refused(ask: Any, message: str) -> None:
    async def workflow(ctx: WorkflowContext) -> object:
        return await ask(ctx)

    outcome = started(workflow).outcome
    assert isinstance(outcome, asked.Failed)
    assert message in outcome.failure.message


def test_without_options_the_default_is_shared() -> None:
    default = TaskOptions()
    assert task_options(default=default) is default


def test_the_context_tells_who_it_is() -> None:
    async def workflow(ctx: WorkflowContext) -> object:
        assert ctx.cancellation_reason is None
        return [ctx.execution_id, ctx.tenant, ctx.kind, ctx.queue, ctx.parent_id, ctx.is_cancelled, repr(ctx)]

    replayed = replay(
        Code(workflow), Execution(workflow).events, execution_id=ID, codec=CODEC, parent_id=ExecutionId("order-1")
    )
    assert isinstance(replayed.outcome, asked.Completed)
    assert decode(replayed.outcome.output, object, what="it") == [
        "order-17",
        "default",
        "checkout",
        "default",
        "order-1",
        False,
        "<WorkflowContext of 'checkout' 'order-17'>",
    ]


def test_an_empty_history_replays_to_nothing() -> None:
    async def workflow(ctx: WorkflowContext) -> object:
        return None

    assert replay(Code(workflow), [], execution_id=ID, codec=CODEC).outcome == asked.Suspended()
