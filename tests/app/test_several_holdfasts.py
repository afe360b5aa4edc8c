"""Several Holdfasts in one process: on files of their own, and on the same one."""

import asyncio
from pathlib import Path

from holdfast import Holdfast, WorkflowContext, workflow
from holdfast.worker.settings import WorkerSettings
from tests.app import programs
from tests.app.programs import double, doubled, waiting

FEW = WorkerSettings(task_slots=2, workflow_slots=2)


@workflow
async def many(ctx: WorkflowContext, count: int) -> int:
    return sum(await asyncio.gather(*[ctx.schedule(double, number) for number in range(count)]))


async def test_each_file_has_its_own_executions(tmp_path: Path) -> None:
    first, second = (f"sqlite:///{tmp_path}/{name}.db" for name in ("a", "b"))
    async with (
        Holdfast.open(first, workflows=[doubled], tasks=[double]) as one,
        Holdfast.open(second, workflows=[doubled], tasks=[double]) as two,
    ):
        assert [await one.run(doubled, 1, id="x"), await two.run(doubled, 2, id="x")] == [2, 4]
        assert len((await one.list()).executions) == len((await two.list()).executions) == 1


async def test_two_on_one_file_share_the_work_and_hear_of_each_others_results(url: str) -> None:
    async with (
        Holdfast.open(url, workflows=[many], tasks=[double], settings=FEW) as one,
        Holdfast.open(url, workflows=[many], tasks=[double], settings=FEW) as two,
        Holdfast.open(url) as client,
    ):
        async with asyncio.timeout(20):
            handle = await client.start("many", 40, id="m")
            handles = [handle, one.handle("m"), two.handle("m")]
            results = [await each.result() for each in handles]
    assert results == [1560, 1560, 1560]


async def test_a_client_starts_and_a_worker_elsewhere_runs(url: str) -> None:
    async with Holdfast.open(url) as client, Holdfast.open(url, workflows=[waiting]) as _:
        handle = await client.start("waiting")
        task_handle = await client.submit_task("double", 4)
        await client.signal(handle.id, "go", "hello")
        assert await handle.result(timeout=10) == "hello"
        async with Holdfast.open(url, tasks=programs.TASKS):
            assert await task_handle.result(timeout=10) == 8


async def test_a_worker_takes_what_was_started_before_it_came(url: str) -> None:
    async with Holdfast.open(url) as client:
        started = [await client.start("doubled", number, id=f"d{number}") for number in range(10)]
    async with Holdfast.open(url, workflows=[doubled], tasks=[double]) as hf:
        assert [await hf.handle(handle.id).result() for handle in started] == [number * 2 for number in range(10)]


async def test_queues_are_served_beside_the_default_one(url: str) -> None:
    async with Holdfast.open(url, workflows=[doubled], tasks=[double], queues=["slow"]) as hf:
        handle = await hf.start(doubled, 4, queue="slow")
        assert await handle.result() == 8
        assert (await hf.list_tasks(execution_id=handle.id)).tasks[0].queue == "slow"
