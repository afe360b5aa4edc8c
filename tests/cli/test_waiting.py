"""Waiting for an end: what a person is told meanwhile."""

import asyncio
import re
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest

from holdfast import Holdfast
from holdfast.app.handles import TaskHandle, WorkflowHandle
from holdfast.cli import waiting
from holdfast.cli.exits import WaitTimedOut
from holdfast.cli.output import Output
from holdfast.model.instants import Instant
from holdfast.model.records import Execution, Task
from tests.cli.support import LIMIT, PENDING_TASK, TASK, Shop


class Listener:
    """A status line that remembers what it was told, and lets the wait end after it."""

    def __init__(self) -> None:
        self.told = asyncio.Event()
        self.text = ""

    def update(self, text: str) -> None:
        self.text = text
        self.told.set()


class Watched(Output):
    """An output with a person at it."""

    def __init__(self, listener: Listener) -> None:
        super().__init__(as_json=False)
        self._listener = listener

    @contextmanager
    def progress(self, text: str) -> Iterator[Any]:
        self._listener.text = text
        yield self._listener


async def told_of_workflow(shop: Shop, execution_id: str) -> str:
    listener = Listener()
    async with Holdfast.open(shop.url) as holdfast:
        handle = cast("WorkflowHandle[object]", holdfast.handle(execution_id))
        return await first_words(waiting.workflow_result(holdfast, handle, Watched(listener), None), listener)


async def told_of_task(shop: Shop, task_id: str) -> str:
    listener = Listener()
    async with Holdfast.open(shop.url) as holdfast:
        handle: TaskHandle[object] = holdfast.task_handle(task_id)
        return await first_words(waiting.task_result(handle, Watched(listener), None), listener)


async def first_words(wait: Coroutine[Any, Any, object], listener: Listener) -> str:
    job = asyncio.create_task(wait)
    async with asyncio.timeout(LIMIT):
        await listener.told.wait()
    job.cancel()
    await asyncio.wait([job])
    return listener.text


async def test_a_waiting_workflow_tells_its_state(shop: Shop) -> None:
    assert await told_of_workflow(shop, "approval-1") == "workflow approval-1: WAITING, 4 events"


async def test_a_sleeping_workflow_counts_down(shop: Shop) -> None:
    async with Holdfast.open(shop.url) as holdfast:
        [child] = (await holdfast.list(parent_id="approval-1")).executions
    assert re.search(r"timer in 5\d min", await told_of_workflow(shop, child.id))


@pytest.mark.parametrize(("later", "words"), [(0, "PENDING"), (60_000, "is `holdfast dev` running")])
async def test_one_that_nobody_takes_asks_for_a_worker(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, later: int, words: str
) -> None:
    async with Holdfast.open(shop.url) as holdfast:
        created = (await holdfast.describe("ghost-1")).created_at
    monkeypatch.setattr(waiting, "now", lambda: Instant(created + later))
    assert words in await told_of_workflow(shop, "ghost-1")


async def test_a_task_tells_how_far_it_is(shop: Shop) -> None:
    assert "PENDING, attempt 0, 0%" in await told_of_task(shop, PENDING_TASK)


async def test_a_task_that_nobody_takes_tells_so(shop: Shop) -> None:
    async with Holdfast.open(shop.url) as holdfast:
        handle = await holdfast.submit_task("nobody")
    assert (await told_of_task(shop, handle.id)).endswith("PENDING")


async def test_a_result_that_is_there_is_given_at_once(shop: Shop) -> None:
    async with Holdfast.open(shop.url) as holdfast:
        handle: TaskHandle[object] = holdfast.task_handle(TASK)
        assert await waiting.task_result(handle, Output(as_json=True), None) == "hello Bob"


class Slow:
    """A handle whose end never comes, and whose own wait gives up."""

    id = "x"

    async def result(self, *, timeout: float | None) -> object:
        raise TimeoutError

    async def describe(self) -> Execution | Task:
        raise AssertionError


async def test_a_wait_that_gives_up_by_itself_is_told(shop: Shop) -> None:
    with pytest.raises(WaitTimedOut, match="has not ended"):
        await waiting.task_result(cast("TaskHandle[object]", Slow()), Output(as_json=True), None)
