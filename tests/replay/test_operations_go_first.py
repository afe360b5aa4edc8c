"""Law 7: an operation's result is on disk before the code goes on, and records are applied in the order of the log."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from datetime import date
from functools import partial
from typing import Any

import pytest

from holdfast.model import commands as asked
from holdfast.model import events as told
from holdfast.model.errors import InvalidArgument, NotDeterministic, NotSerialisable, OperationFailed
from holdfast.model.failures import Failure
from holdfast.model.retries import RetryPolicy
from holdfast.sdk.replay.hints import return_hint
from holdfast.sdk.workflow_context import WorkflowContext
from tests.replay.support import Execution, first, last, new_run, raw, started


def test_the_same_name_in_a_loop() -> None:
    ran: list[int] = []

    def step(number: int) -> int:
        ran.append(number)
        return number

    async def looping(ctx: WorkflowContext) -> object:
        return [await ctx.run("step", partial(step, number)) for number in range(4)]

    execution = started(looping)
    assert execution.check().result() == [0, 1, 2, 3]
    assert ran == [0, 1, 2, 3]


@pytest.mark.parametrize("next_operation", [first, last])
@pytest.mark.parametrize("evict", [False, True])
def test_parallel_operations_in_any_recorded_order(next_operation: Any, evict: bool) -> None:
    async def parallel(ctx: WorkflowContext) -> object:
        seen: list[object] = []

        async def step(name: str) -> None:
            seen.append(await ctx.run(name, lambda: name))
            seen.append(await ctx.run(f"{name}2", lambda: f"{name}2"))

        async with asyncio.TaskGroup() as group:
            for name in "abc":
                group.create_task(step(name))
        return seen

    execution = started(parallel, next_operation=next_operation, evict_in_operations=evict)
    result = execution.check().result()
    assert isinstance(result, list)
    assert sorted(result) == ["a", "a2", "b", "b2", "c", "c2"]


def test_while_one_is_outstanding_no_outside_event_is_applied() -> None:
    async def busy(ctx: WorkflowContext) -> object:
        operation = ctx.run("slow", lambda: "done")
        return [await ctx.wait_for_signal("go"), operation.done()]

    run = new_run(busy)
    events = Execution(busy).signals("go", 1).events
    activation = run.advance(events, seen_sequence=0)
    assert isinstance(activation.outcome, asked.Continuing)
    assert [operation.name for operation in activation.operations] == ["slow"]
    run.complete_operation(0, b'"done"')
    assert run.proceed().outcome == asked.Completed(b"[1,true]")


def test_each_operation_is_handed_out_once() -> None:
    async def two(ctx: WorkflowContext) -> object:
        return await asyncio.gather(ctx.run("one", int), ctx.run("two", int))

    run = new_run(two)
    assert len(run.advance(Execution(two).events, seen_sequence=0).operations) == 2
    assert run.proceed().operations == ()
    run.complete_operation(1, b"2")
    run.complete_operation(1, b"3")
    run.complete_operation(0, b"1")
    assert run.proceed().outcome == asked.Completed(b"[1,2]")


def test_a_record_that_comes_with_the_log_counts_as_done() -> None:
    async def one(ctx: WorkflowContext) -> object:
        return await ctx.run("one", int)

    run, execution = new_run(one), Execution(one)
    run.advance(execution.events, seen_sequence=0)
    execution.happens(told.OperationCompleted("one", 0, raw(1)), told.OperationCompleted("one", 0, raw(2)))
    assert run.advance(execution.events, seen_sequence=0).outcome == asked.Completed(b"1")


def test_a_signal_that_arrived_while_an_operation_ran_was_not_seen_before_it() -> None:
    async def polling(ctx: WorkflowContext) -> object:
        before = await ctx.run("look", lambda: "looked")
        polled = ctx.has_signal("hurry")
        if not polled:
            await ctx.schedule_raw("slow-way")
        return [before, polled, ctx.has_signal("hurry")]

    execution = Execution(polling)
    execution.arrivals = [told.SignalReceived("hurry", raw(None))]
    execution.activate()
    assert execution.types[1:4] == ["SIGNAL_RECEIVED", "OPERATION_COMPLETED", "TASK_SCHEDULED"]
    execution.completes(0).activate()
    assert execution.check().result() == ["looked", False, True]


def test_what_a_function_raises_is_recorded() -> None:
    async def failing(ctx: WorkflowContext) -> object:
        try:
            await ctx.run("divide", lambda: 1 / 0)
        except OperationFailed as error:
            return [str(error), error.failure and error.failure.type]
        return None

    assert started(failing).check().result() == [
        "operation 'divide' failed: ZeroDivisionError: division by zero",
        "ZeroDivisionError",
    ]


def test_deferred_operations_run_on_the_spot_and_ride_along() -> None:
    ran: list[str] = []

    def roll() -> int:
        ran.append("roll")
        return 4

    async def deferring(ctx: WorkflowContext) -> object:
        number = ctx.run("roll", roll, deferred=True)
        assert number.done()
        ctx.schedule_raw("pack")
        try:
            await ctx.run("divide", lambda: 1 / 0, deferred=True)
        except OperationFailed as error:
            return [await number, type(error).__name__, await ctx.wait_for_signal("go")]
        return None

    execution = started(deferring)
    assert execution.types[1:] == ["OPERATION_COMPLETED", "TASK_SCHEDULED", "OPERATION_FAILED"]
    execution.signals("go", 1).activate()
    assert execution.check().result() == [4, "OperationFailed", 1]
    assert ran == ["roll"]


def test_a_deferred_function_must_be_plain() -> None:
    async def wrong(ctx: WorkflowContext) -> object:
        async def later() -> int:
            return 1

        await ctx.run("later", later, deferred=True)
        return None

    outcome = started(wrong).outcome
    assert isinstance(outcome, asked.Failed)
    assert "is deferred, so its function must not be async" in outcome.failure.message


def test_a_deferred_function_may_not_use_the_context() -> None:
    async def wrong(ctx: WorkflowContext) -> object:
        await ctx.run("greedy", ctx.random, deferred=True)
        return None

    outcome = started(wrong).outcome
    assert isinstance(outcome, asked.Failed)
    assert "operation 'greedy' used the workflow's context" in outcome.failure.message


def test_a_function_may_not_use_the_context() -> None:
    async def wrong(ctx: WorkflowContext) -> object:
        return await ctx.run("greedy", lambda: ctx.schedule_raw("pack").id)

    outcome = started(wrong).outcome
    assert isinstance(outcome, asked.Failed)
    assert NotDeterministic.__name__ in outcome.failure.message
    assert "was used outside of its code" in outcome.failure.message


def test_a_result_that_is_not_awaited_is_still_recorded() -> None:
    ran: list[str] = []

    async def forgetful(ctx: WorkflowContext) -> object:
        ctx.run("notify", lambda: ran.append("notify"))
        return "done"

    assert started(forgetful).check().result() == "done"
    assert ran == ["notify"]


def test_a_workflow_that_fails_does_not_wait_for_its_operations() -> None:
    async def hopeless(ctx: WorkflowContext) -> object:
        ctx.run("notify", int)
        raise ValueError("no")

    activation = new_run(hopeless).advance(Execution(hopeless).events, seen_sequence=0)
    assert isinstance(activation.outcome, asked.Failed)
    assert activation.operations == ()


@pytest.mark.parametrize("recorded", [False, True])
def test_a_cancelled_operation_is_out_of_the_way(recorded: bool) -> None:
    async def changing(ctx: WorkflowContext) -> object:
        kept, dropped = ctx.run("kept", int), ctx.run("dropped", int)
        await asyncio.sleep(0)
        dropped.cancel()
        await kept
        return await ctx.wait_for_signal("go")

    execution = Execution(changing)
    if recorded:
        execution.happens(told.OperationCompleted("dropped", 1, raw(1)))
    execution.signals("go", 5).activate()
    assert execution.check().result() == 5


def test_options_reach_the_driver() -> None:
    policy = RetryPolicy(max_retries=9)

    async def optional(ctx: WorkflowContext) -> object:
        one, two, three = ctx.run("one", int), ctx.run("two", int, retry=policy), ctx.run("three", int, retry=2)
        return await asyncio.gather(one, two, three)

    operations = new_run(optional).advance(Execution(optional).events, seen_sequence=0).operations
    assert [operation.retry for operation in operations] == [None, policy, RetryPolicy(max_retries=2)]
    failure = Failure("ValueError", "no")
    assert operations[0].record(failure) == asked.RecordOperation("one", 0, failure=failure)


def test_the_result_is_read_as_what_the_function_says() -> None:
    def annotated() -> date:
        return date(2026, 1, 2)

    async def typed(ctx: WorkflowContext) -> object:
        one = await ctx.run("one", annotated)
        two = await ctx.run("two", lambda: date(2026, 1, 2), type=date)
        three = await ctx.run("three", lambda: date(2026, 1, 2))
        return [isinstance(one, date), isinstance(two, date), isinstance(three, str)]

    assert started(typed).check().result() == [True, True, True]


def test_a_result_that_does_not_fit_is_an_error_at_the_await() -> None:
    async def typed(ctx: WorkflowContext) -> object:
        try:
            await ctx.run("one", lambda: "text", type=int)
        except NotSerialisable as error:
            return str(error)
        return None

    assert "the result of operation 'one' is not int" in str(started(typed).check().result())


def _text() -> "str": ...  # type: ignore[empty-body]
def _unknown() -> "Missing": ...  # type: ignore[name-defined]  # noqa: F821
def _nothing() -> None: ...
def _awaitable() -> Awaitable[int]: ...  # type: ignore[empty-body]
def _coroutine() -> Coroutine[Any, Any, bytes]: ...  # type: ignore[empty-body]
def _list() -> list[int]: ...  # type: ignore[empty-body]


HINTS: list[tuple[Callable[[], object], object]] = [
    (_text, str),
    (_unknown, object),
    (_nothing, type(None)),
    (_awaitable, int),
    (_coroutine, bytes),
    (_list, list[int]),
    (lambda: 1, object),
    (int, object),
]


@pytest.mark.parametrize(("function", "hint"), HINTS)
def test_return_hints(function: Callable[[], object], hint: object) -> None:
    assert return_hint(function) == hint


def test_an_operation_needs_a_name() -> None:
    async def nameless(ctx: WorkflowContext) -> object:
        await ctx.run("", int)
        return None

    outcome = started(nameless).outcome
    assert isinstance(outcome, asked.Failed)
    assert outcome.failure.type == InvalidArgument.__name__


def test_an_operation_that_is_cancelled_at_once_is_never_handed_out() -> None:
    async def fickle(ctx: WorkflowContext) -> object:
        ctx.run("dropped", int).cancel()
        return await ctx.run("kept", int)

    operations = new_run(fickle).advance(Execution(fickle).events, seen_sequence=0).operations
    assert [operation.name for operation in operations] == ["kept"]


def test_code_that_goes_on_from_a_new_operation_is_not_replaying() -> None:
    async def telling(ctx: WorkflowContext) -> object:
        before = ctx.is_replaying
        await ctx.run("new", int)
        return [before, ctx.is_replaying]

    run = new_run(telling)
    run.advance(Execution(telling).events, seen_sequence=1)
    run.complete_operation(0, b"0")
    assert run.proceed().outcome == asked.Completed(b"[true,false]")
