"""Waiting for what comes about by itself, and a clock that tests move."""

import asyncio
from collections.abc import Awaitable, Callable

from holdfast import Holdfast
from holdfast.model.instants import Instant
from holdfast.model.statuses import ExecutionStatus, TaskStatus
from holdfast.server.host import EngineHost
from tests.app.programs import WITHIN


async def eventually(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait until a condition holds; it is looked at again and again, and a test never waits for a time."""
    async with asyncio.timeout(WITHIN):
        while not await holds():  # noqa: ASYNC110 - what is waited for is on disk, and sets no event
            await asyncio.sleep(0.005)


async def task_is(hf: Holdfast, task_id: str, *statuses: TaskStatus) -> None:
    """Wait until a task has one of these statuses."""

    async def holds() -> bool:
        return (await hf.describe_task(task_id)).status in statuses

    await eventually(holds)


async def workflow_is(hf: Holdfast, execution_id: str, *statuses: ExecutionStatus) -> None:
    """Wait until an execution has one of these statuses."""

    async def holds() -> bool:
        return (await hf.describe(execution_id)).status in statuses

    await eventually(holds)


class ManualClock:
    """A clock that stands still until a test moves it."""

    def __init__(self, start: int = 1_700_000_000_000) -> None:
        self._now = start

    def now(self) -> Instant:
        return Instant(self._now)

    def move(self, hf: Holdfast, milliseconds: int) -> None:
        """Move it, and let the scheduler of a Holdfast look at it."""
        self._now += milliseconds
        assert isinstance(hf._engine, EngineHost)
        hf._engine.scheduler.poke(None)
