"""A run can be dropped at any activation: its finally blocks run, nothing they ask for counts, nothing is said."""

import asyncio
import gc
import logging
import weakref
from collections.abc import Awaitable, Callable

import pytest

from holdfast.model import commands as asked
from holdfast.model.events import EVENT_TYPES, EventData
from holdfast.sdk.replay import history, machine
from holdfast.sdk.replay.loop import MAX_CLOSING_ROUNDS
from holdfast.sdk.replay.run import WorkflowRun
from holdfast.sdk.workflow_context import WorkflowContext
from tests.replay.support import Execution, Function, new_run, open_runs, started


def dropped(function: Function) -> WorkflowRun:
    run = new_run(function)
    assert run.advance(Execution(function).events, seen_sequence=0).outcome == asked.Suspended()
    run.close()
    run.close()
    gc.collect()
    return run


def test_finally_blocks_run_and_ask_in_vain(caplog: pytest.LogCaptureFixture) -> None:
    said: list[str] = []

    async def tidy(ctx: WorkflowContext) -> object:
        timer = ctx.sleep(60)
        try:
            async with asyncio.timeout(60), asyncio.TaskGroup() as group:
                group.create_task(ctx_wait(ctx))
                await timer
        except Exception:  # noqa: BLE001 - what users write
            said.append("an exception")
        finally:
            said.append("finally")
            timer.cancel()
            ctx.schedule_raw("clean-up")
            said.append("never")
        return None

    async def ctx_wait(ctx: WorkflowContext) -> None:
        await ctx.wait_for_signal("never")

    run = dropped(tidy)
    assert said == ["finally"]
    assert run.proceed().commands == ()
    assert caplog.records == []


def test_tasks_that_never_began_are_dropped_silently() -> None:
    async def spawning(ctx: WorkflowContext) -> object:
        asyncio.get_running_loop().call_soon(lambda: asyncio.ensure_future(asyncio.sleep(60)))
        await ctx.wait_for_signal("never")
        return None

    dropped(spawning)


def test_new_tasks_cannot_be_made_while_being_dropped() -> None:
    said: list[str] = []

    async def resisting(ctx: WorkflowContext) -> object:
        try:
            await ctx.wait_for_signal("never")
        finally:
            asyncio.create_task(asyncio.sleep(1))  # noqa: RUF006
            said.append("never")
        return None

    dropped(resisting)
    assert said == []


@pytest.mark.parametrize("seconds", [0, 1])
def test_code_that_awaits_in_its_finally_block_is_told_again(seconds: int) -> None:
    async def slow_to_go(ctx: WorkflowContext) -> object:
        try:
            await ctx.wait_for_signal("never")
        finally:
            await asyncio.sleep(seconds)
        return None

    dropped(slow_to_go)


def test_code_that_will_not_go_is_left_to_the_collector() -> None:
    told: list[str] = []

    async def stubborn(ctx: WorkflowContext) -> object:
        for _ in range(MAX_CLOSING_ROUNDS):
            try:
                await asyncio.Event().wait()
            except BaseException:  # noqa: BLE001 - what users should not write
                told.append("go")
        return await asyncio.Event().wait()

    dropped(stubborn)
    assert len(told) == MAX_CLOSING_ROUNDS


WAITS: dict[str, Callable[[WorkflowContext], Awaitable[object]]] = {
    "task": lambda ctx: ctx.schedule_raw("charge"),
    "child": lambda ctx: ctx.schedule_workflow_raw("leg", "trip"),
    "timer": lambda ctx: ctx.sleep(60),
    "asyncio timer": lambda _: asyncio.sleep(60),
    "promise": lambda ctx: ctx.promise_raw("approval"),
    "signal": lambda ctx: ctx.wait_for_signal("go"),
    "signal or timer": lambda ctx: ctx.wait_for_signal("go", timeout=60),
    "operation": lambda ctx: ctx.run("note", lambda: 1),
    "several": lambda ctx: asyncio.gather(ctx.schedule_raw("charge"), ctx.sleep(60)),
    "one of several": lambda ctx: asyncio.wait([ctx.schedule_raw("charge"), ctx.sleep(60)]),
    "task of asyncio": lambda ctx: asyncio.shield(asyncio.ensure_future(ctx.sleep(60))),
}


@pytest.mark.parametrize("waits_for", WAITS)
def test_a_run_that_is_dropped_leaves_nothing_to_the_collector(waits_for: str) -> None:
    loops: list[weakref.ref[asyncio.AbstractEventLoop]] = []

    async def waiting(ctx: WorkflowContext) -> object:
        loops.append(weakref.ref(asyncio.get_running_loop()))
        return await WAITS[waits_for](ctx)

    run = new_run(waiting)
    open_runs.clear()
    gc.collect()
    gc.disable()
    try:
        run.advance(Execution(waiting).events, seen_sequence=0)
        run.close()
        del run
        assert [loop() for loop in loops] == [None]
    finally:
        gc.enable()


def test_a_run_that_was_closed_before_it_began() -> None:
    async def never(ctx: WorkflowContext) -> object:
        return None

    new_run(never).close()


def test_an_ended_run_says_the_same_again() -> None:
    async def brief(ctx: WorkflowContext) -> object:
        ctx.schedule_raw("pack")
        return 1

    run = new_run(brief)
    first = run.advance(Execution(brief).events, seen_sequence=0)
    assert isinstance(first.outcome, asked.Completed)
    assert len(first.commands) == 1
    second = run.proceed()
    assert (second.commands, second.outcome) == ((), first.outcome)


def test_events_that_were_given_are_skipped() -> None:
    async def counting(ctx: WorkflowContext) -> object:
        return [await ctx.wait_for_signal("n"), await ctx.wait_for_signal("n")]

    run, execution = new_run(counting), Execution(counting).signals("n", 1)
    run.advance(execution.events, seen_sequence=0)
    assert run.advance(execution.events, seen_sequence=0).outcome == asked.Suspended()
    run.recorded(2)
    assert run.last_sequence == 2
    execution.signals("n", 2)
    assert run.advance(execution.events, seen_sequence=0).outcome == asked.Completed(b"[1,2]")


def test_a_failed_future_that_nobody_awaits_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    async def careless(ctx: WorkflowContext) -> object:
        ctx.schedule_raw("pack")
        return await ctx.wait_for_signal("end")

    execution = started(careless).fails(0).signals("end")
    execution.activate()
    execution.check()
    gc.collect()
    assert caplog.records == []


def test_what_code_sets_itself_stays() -> None:
    async def meddling(ctx: WorkflowContext) -> object:
        tasks = [ctx.schedule_raw("pack"), ctx.schedule_raw("charge")]
        for task in tasks:
            task.set_result("mine")
        await ctx.wait_for_signal("end")
        return [await task for task in tasks]

    execution = started(meddling).completes(0).fails(1).signals("end")
    execution.activate()
    assert execution.check().result() == ["mine", "mine"]


async def logging_workflow(ctx: WorkflowContext) -> object:
    ctx.logger.info("before", extra={"order": 17})
    replaying = [ctx.is_replaying]
    await ctx.wait_for_signal("go")
    ctx.logger.info("after")
    return [*replaying, ctx.is_replaying]


def test_the_logger_is_silent_while_replaying(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    execution = started(logging_workflow, evict=True).signals("go")
    execution.activate()
    assert [record.getMessage() for record in caplog.records] == ["before", "after"]
    assert execution.result() == [True, False]
    record = caplog.records[0].__dict__
    assert (record["workflow_id"], record["workflow_kind"], record["order"]) == ("order-17", "checkout", 17)


def test_an_operation_that_ran_just_now_is_no_replay(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    async def noting(ctx: WorkflowContext) -> object:
        await ctx.run("note", int)
        ctx.logger.info("noted")
        return None

    execution = started(noting)
    execution.replayed()
    assert len(caplog.records) == 1


def test_every_event_type_has_its_place_in_replay() -> None:
    types = {kind for kind in EventData.__subclasses__() if kind.event_type in EVENT_TYPES}
    assert set(history._TAKE) == types
    assert set(machine._APPLY) <= types
