"""When the code changes under running executions, is not repeatable, or blocks."""

import asyncio
import logging
import random
import threading
import time
import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from holdfast import Holdfast, WorkflowContext, unguarded, workflow
from holdfast.model.errors import DeterminismViolation, WorkflowFailed
from holdfast.model.statuses import ExecutionStatus
from holdfast.sdk.definitions import WorkflowDefinition
from holdfast.worker.settings import WorkerSettings
from tests.app import programs
from tests.app.programs import double, mended_at
from tests.app.support import workflow_is


def named(function: Callable[..., Any]) -> WorkflowDefinition[..., Any]:
    """Another version of the workflow "evolving"."""
    return workflow(kind="evolving")(function)


async def original(ctx: WorkflowContext) -> int:
    first = await ctx.schedule(double, 1)
    await ctx.wait_for_signal("go")
    return first + await ctx.schedule(double, 10)


async def swapped(ctx: WorkflowContext) -> int:
    first = await ctx.schedule(mended_at, 1)
    await ctx.wait_for_signal("go")
    return first + await ctx.schedule(double, 10)


async def extended(ctx: WorkflowContext) -> int:
    first = await ctx.schedule(double, 1)
    await ctx.wait_for_signal("go")
    more = await ctx.schedule(mended_at, 1)
    return first + more + await ctx.schedule(double, 10)


async def patched(ctx: WorkflowContext) -> int:
    first = await (ctx.schedule(mended_at, 1) if ctx.patched("new-start") else ctx.schedule(double, 1))
    await ctx.wait_for_signal("go")
    return first


async def open_with(url: str, function: Callable[..., Any], *, signal: bool) -> Any:
    """Go on with the execution "e" under this version of its code."""
    async with Holdfast.open(url, workflows=[named(function)], tasks=programs.TASKS) as hf:
        handle = await hf.start("evolving", id="e")
        if not signal:
            await workflow_is(hf, "e", ExecutionStatus.WAITING)
            while len(await handle.history()) < 3:  # the task has ended
                await workflow_is(hf, "e", ExecutionStatus.WAITING)
            return None
        await handle.signal("go")
        return await handle.result()


async def test_code_that_no_longer_fits_fails_and_goes_on_once_it_is_right(url: str) -> None:
    await open_with(url, original, signal=False)
    with pytest.raises(DeterminismViolation, match="Task\\(0\\)") as caught:
        await open_with(url, swapped, signal=True)
    message = str(caught.value)
    assert "recorded:  task 'double'" in message
    assert "attempted: task 'mended_at'" in message
    assert "test_code_and_history.py" in message
    async with Holdfast.open(url, workflows=[named(original)], tasks=programs.TASKS) as hf:
        assert (await hf.describe("e")).failure_type == "DETERMINISM_VIOLATION"
        await hf.retry("e", "the code is put back")
        assert await hf.handle("e").result() == 22


async def test_extending_the_code_is_legal(url: str) -> None:
    await open_with(url, original, signal=False)
    assert await open_with(url, extended, signal=True) == 23


async def test_a_patch_keeps_old_executions_on_the_old_way(url: str) -> None:
    await open_with(url, original, signal=False)
    assert await open_with(url, patched, signal=True) == 2


@workflow
async def careless(ctx: WorkflowContext, what: str) -> str:
    match what:
        case "time":
            return str(time.time())
        case "now":
            return str(datetime.now())  # noqa: DTZ005
        case "random":
            return str(random.random())
        case "uuid":
            return str(uuid.uuid4())
        case "sleep":
            time.sleep(0.001)  # noqa: ASYNC251
        case "file":
            open(__file__).close()  # noqa: ASYNC230, PTH123
        case "thread":
            threading.Thread(target=print).start()
        case _:
            return "unknown"
    return "went through"


@workflow
async def excused(ctx: WorkflowContext) -> bool:
    with unguarded():
        return time.time() > 0


@pytest.mark.parametrize(
    ("what", "instead"),
    [
        ("time", "ctx.current_time_millis|ctx.now"),
        ("now", "ctx.now"),
        ("random", "ctx.random"),
        ("uuid", "ctx.random_uuid"),
        ("sleep", "ctx.sleep"),
        ("file", "ctx.run|task"),
        ("thread", "ctx.run|task"),
    ],
)
async def test_what_replay_cannot_repeat_is_refused_with_its_line(url: str, what: str, instead: str) -> None:
    async with Holdfast.open(url, workflows=[careless]) as hf:
        with pytest.raises(WorkflowFailed, match="NotDeterministic") as caught:
            await hf.run(careless, what)
    assert caught.value.failure is not None
    assert "test_code_and_history.py" in caught.value.failure.message
    assert any(word in caught.value.failure.message for word in instead.split("|"))


async def test_the_guard_rails_can_be_switched_off_or_left_for_a_moment(url: str) -> None:
    async with Holdfast.open(url, workflows=[careless], settings=WorkerSettings(guards=False)) as hf:
        assert float(await hf.run(careless, "time")) > 0
    async with Holdfast.open(url, workflows=[excused]) as hf:
        assert await hf.run(excused)


async def test_outside_of_workflows_nothing_is_guarded(url: str) -> None:
    async with Holdfast.open(url, workflows=[careless]):
        assert time.time() > 0
        assert uuid.uuid4().version == 4
    assert not hasattr(time.time, "original")


release = threading.Event()


@workflow
async def blocking(ctx: WorkflowContext) -> str:
    release.wait(10)
    return "at last"


async def test_a_workflow_that_blocks_is_reported_with_its_line(url: str, caplog: pytest.LogCaptureFixture) -> None:
    release.clear()
    caplog.set_level(logging.ERROR, logger="holdfast.worker.worker")
    settings = WorkerSettings(stall_seconds=0.05, guards=False)
    releaser = threading.Thread(target=_release_when_reported, args=(caplog,))
    async with Holdfast.open(url, workflows=[blocking], settings=settings) as hf:
        releaser.start()
        assert await hf.run(blocking, id="b") == "at last"
    releaser.join()
    assert "workflow b has blocked the event loop" in caplog.text
    assert "test_code_and_history.py" in caplog.text


def _release_when_reported(caplog: pytest.LogCaptureFixture) -> None:
    deadline = time.monotonic() + 8
    while not caplog.records and time.monotonic() < deadline:
        time.sleep(0.01)
    release.set()


@pytest.mark.parametrize("cached", [0, 1, 1_000])
async def test_the_cache_changes_nothing_for_a_crowd(url: str, cached: int) -> None:
    settings = WorkerSettings(cached_workflows=cached, workflow_slots=3)
    async with Holdfast.open(url, workflows=[named(original)], tasks=programs.TASKS, settings=settings) as hf:
        handles = [await hf.start("evolving", id=f"e{number}") for number in range(12)]
        for handle in handles:
            await handle.signal("go")
        async with asyncio.timeout(20):
            assert [await handle.result() for handle in handles] == [22] * 12
