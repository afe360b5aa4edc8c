"""What an operator does by hand: tasks that are ended, and queues that rest."""

import asyncio

import pytest

from holdfast import Holdfast, TaskContext, task
from holdfast.model.errors import AlreadyClosed, InvalidId, TaskFailed, TaskNotFound, WorkerNotFound
from holdfast.model.statuses import TaskStatus
from tests.app.programs import double
from tests.app.support import task_is

WITHIN = 10


@task
async def endless(ctx: TaskContext) -> str:
    ctx.heartbeat("alive")
    await asyncio.Event().wait()
    return "never"


async def test_a_task_that_runs_is_completed_by_hand(url: str) -> None:
    async with Holdfast.open(url, tasks=[endless]) as hf:
        handle = await hf.submit_task(endless)
        await task_is(hf, handle.id, TaskStatus.RUNNING)
        await hf.complete_task(handle.id, "by hand")
        assert await handle.result(timeout=WITHIN) == "by hand"
        with pytest.raises(AlreadyClosed):
            await hf.fail_task(handle.id)


async def test_a_task_that_waits_is_failed_by_hand(url: str) -> None:
    async with Holdfast.open(url) as hf:
        handle = await hf.submit_task("nobody-runs-this", 1)
        await hf.fail_task(handle.id, "the shop is closed")
        with pytest.raises(TaskFailed, match="the shop is closed"):
            await handle.result(timeout=WITHIN)
        with pytest.raises(TaskNotFound):
            await hf.complete_task("00000000-0000-7000-8000-000000000001")


async def test_a_paused_queue_gives_nothing_until_it_is_resumed(url: str) -> None:
    async with Holdfast.open(url, tasks=[double]) as hf:
        assert [await hf.pause_queue("default", "why not"), await hf.pause_queue("default")] == [True, False]
        handle = await hf.submit_task(double, 4)
        assert (await hf.describe_task(handle.id)).status is TaskStatus.PENDING
        assert [await hf.resume_queue("default"), await hf.resume_queue("default")] == [True, False]
        assert await handle.result(timeout=WITHIN) == 8


async def test_a_queue_has_a_name(url: str) -> None:
    async with Holdfast.open(url) as hf:
        with pytest.raises(InvalidId):
            await hf.pause_queue("a b")


async def test_workers_are_known_and_drained(url: str) -> None:
    async with Holdfast.open(url, tasks=[endless]) as hf:
        handle = await hf.submit_task(endless)
        await task_is(hf, handle.id, TaskStatus.RUNNING)
        [worker] = await hf.workers()
        assert [each.name for each in worker.tasks] == ["endless"]
        assert [each.id for each in worker.work] == [handle.id]
        assert not worker.draining
        assert [await hf.drain_worker(worker.id) for _ in range(2)] == [True, False]
        assert (await hf.workers())[0].draining
        with pytest.raises(WorkerNotFound):
            await hf.drain_worker("nobody")
