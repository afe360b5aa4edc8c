"""What replay could not repeat is refused with the line and the way that works."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from holdfast.model import commands as asked
from holdfast.model import events as told
from holdfast.model.errors import NotDeterministic
from holdfast.model.ids import DEFAULT_TENANT
from holdfast.sdk.replay import loop as loop_module
from holdfast.sdk.replay.journal import Journal
from holdfast.sdk.replay.refusals import REFUSED
from holdfast.sdk.workflow_context import WorkflowContext
from tests.replay.support import CODEC, ID, Execution, Function, new_run, started


def failure(function: Function) -> str:
    outcome = started(function).outcome
    assert isinstance(outcome, asked.Failed), outcome
    return f"{outcome.failure.type}: {outcome.failure.message}"


def doing(act: Callable[[], Awaitable[object] | object]) -> Function:
    async def workflow(ctx: WorkflowContext) -> object:
        done = act()
        return await done if isinstance(done, Awaitable) else None

    return workflow


REFUSALS: list[tuple[Callable[[], Any], str]] = [
    (lambda: asyncio.to_thread(int), "run_in_executor() , run blocking or threaded code in a task"),
    (lambda: asyncio.open_connection("localhost", 1), "create_connection() , do I/O in a task"),
    (lambda: asyncio.create_subprocess_exec("true"), "subprocess_exec() , do I/O in a task"),
    (lambda: asyncio.get_running_loop().add_signal_handler(1, int), "add_signal_handler() , wait for"),
    (lambda: asyncio.get_running_loop().stop(), "stop() , the loop of a workflow is run by Holdfast"),
    (lambda: asyncio.get_running_loop().call_soon_threadsafe(int), "call_soon_threadsafe() , run blocking"),
]


@pytest.mark.parametrize(("act", "told_of"), REFUSALS)
def test_it_is_refused_with_line_and_advice(act: Callable[[], Any], told_of: str) -> None:
    message = failure(doing(act))
    call, advice = told_of.split(" , ")
    assert message.startswith(f"NotDeterministic: workflow code used the event loop's {call}")
    assert "at test_the_world_is_refused.py:" in message
    assert advice in message


@pytest.mark.parametrize("name", [name for names in REFUSED.values() for name in names])
def test_every_outside_call_of_a_loop_is_refused(name: str) -> None:
    with pytest.raises(NotDeterministic, match=name):
        getattr(Journal(tenant=DEFAULT_TENANT, execution_id=ID, codec=CODEC).loop, name)()


def test_no_call_of_a_loop_is_forgotten() -> None:
    public = {name for name in vars(asyncio.AbstractEventLoop) if not name.startswith("_")}
    ours = set(vars(loop_module.DeterministicLoop)) | {name for names in REFUSED.values() for name in names}
    assert public <= ours


def test_the_harmless_calls_of_a_loop_answer() -> None:
    async def asking(ctx: WorkflowContext) -> object:
        loop = asyncio.get_running_loop()
        loop.set_debug(True)
        await loop.shutdown_asyncgens()
        await loop.shutdown_default_executor()
        return [
            loop.is_running(),
            loop.is_closed(),
            loop.get_debug(),
            loop.get_task_factory(),
            loop.get_exception_handler(),
        ]

    assert started(asking).result() == [True, False, False, None, None]


def test_as_completed_on_bare_coroutines_is_refused() -> None:
    async def shuffled(ctx: WorkflowContext) -> object:
        naps = [asyncio.sleep(1), asyncio.sleep(2)]
        try:
            for each in asyncio.as_completed(naps):
                await each
        finally:
            for nap in naps:
                nap.close()
        return None

    assert "asyncio.as_completed() on bare coroutines" in failure(shuffled)


def test_what_belongs_to_another_loop_is_refused() -> None:
    other = asyncio.new_event_loop()
    future = other.create_future()

    async def foreign(ctx: WorkflowContext) -> object:
        return await future

    assert failure(foreign).startswith("NotDeterministic: workflow code awaited something of another event loop")
    other.close()


def test_a_lock_of_another_loop_is_refused() -> None:
    lock = asyncio.Lock()

    async def contend() -> None:
        await lock.acquire()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(lock.acquire(), 0.001)

    asyncio.run(contend())

    async def foreign(ctx: WorkflowContext) -> object:
        await lock.acquire()
        return None

    assert failure(foreign).startswith("NotDeterministic")


def test_other_runtime_errors_keep_their_words() -> None:
    async def broken(ctx: WorkflowContext) -> object:
        raise RuntimeError("my own")

    assert failure(broken) == "RuntimeError: my own"


def test_endless_turns_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_module, "MAX_TURNS", 1000)

    async def spinning(ctx: WorkflowContext) -> object:
        while not ctx.has_signal("stop"):  # noqa: ASYNC110 - the mistake that is tested
            await asyncio.sleep(0)
        return None

    assert "turns without waiting for anything" in failure(spinning)


def test_leaving_the_process_is_a_failure_of_the_workflow() -> None:
    async def leaving(ctx: WorkflowContext) -> object:
        raise SystemExit(3)

    assert failure(leaving) == "SystemExit: 3"


def test_an_interrupt_from_the_keyboard_passes() -> None:
    async def interrupted(ctx: WorkflowContext) -> object:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        started(interrupted)


def test_the_context_is_useless_outside_of_the_workflow() -> None:
    kept: list[WorkflowContext] = []

    async def leaking(ctx: WorkflowContext) -> object:
        kept.append(ctx)
        return await ctx.wait_for_signal("never")

    started(leaking)
    with pytest.raises(NotDeterministic, match="was used outside of its code, at test_the_world_is_refused"):
        kept[0].schedule_raw("pack")


def test_a_workflow_that_cannot_go_on_is_merely_suspended() -> None:
    async def stuck(ctx: WorkflowContext) -> object:
        return await asyncio.Event().wait()

    assert isinstance(started(stuck).outcome, asked.Suspended)


def test_a_workflow_without_its_start_waits() -> None:
    async def never(ctx: WorkflowContext) -> object:
        return None

    assert new_run(never).advance([], seen_sequence=0).outcome == asked.Suspended()


def test_output_that_cannot_be_written_fails_the_workflow() -> None:
    async def unwritable(ctx: WorkflowContext) -> object:
        return socket.AF_INET, object()

    assert failure(unwritable).startswith("NotSerialisable: the result of workflow 'checkout'")


def test_input_that_cannot_be_written_fails_at_the_line_and_takes_no_place() -> None:
    from holdfast.model.errors import NotSerialisable

    async def careful(ctx: WorkflowContext) -> object:
        try:
            ctx.schedule_raw("pack", object())
        except NotSerialisable:
            return await ctx.schedule_raw("charge")
        return None

    execution = started(careful)
    execution.completes(0, result=1).activate()
    assert execution.check().result() == 1
    assert len(execution.all_of(told.TaskScheduled)) == 1


def test_a_plain_function_may_be_a_workflow() -> None:
    def plain(ctx: WorkflowContext) -> Any:
        ctx.schedule_raw("pack")
        return 5

    execution = Execution(plain)
    execution.activate()
    assert execution.check().result() == 5
