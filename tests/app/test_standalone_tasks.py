"""Tasks without a workflow: submit, results, attempts, delay, priority, keys, lines, cancel and retry."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from holdfast import Holdfast, TaskContext, task
from holdfast.app.holdfast import Opening
from holdfast.model.errors import (
    AlreadyClosed,
    IdempotencyConflict,
    InvalidArgument,
    InvalidId,
    NotRetryable,
    TaskCancelled,
    TaskFailed,
    TaskNotFound,
    TaskTimedOut,
)
from holdfast.model.statuses import AttemptStatus, TaskStatus
from holdfast.worker.settings import WorkerSettings
from tests.app import programs
from tests.app.programs import NEVER, double, mended_at, refuse
from tests.app.support import task_is

ONE = WorkerSettings(task_slots=1)
order: list[int] = []


@task
async def in_order(number: int) -> None:
    order.append(number)


@task
async def telling(ctx: TaskContext, words: list[str]) -> int:
    ctx.logger.warning("begins with %d", len(words))
    for word in words:
        ctx.stream(word, "words")
    ctx.progress(0.5, "half")
    return len(words)


@task
async def endless(ctx: TaskContext) -> None:
    ctx.heartbeat("alive")
    await asyncio.Event().wait()


@task(retries=0, timeout=timedelta(milliseconds=20))
async def too_slow() -> None:
    await asyncio.Event().wait()


TASKS = [*programs.TASKS, in_order, telling, endless, too_slow]


def opened(url: str, settings: WorkerSettings | None = None) -> Opening:
    return Holdfast.open(url, tasks=TASKS, settings=settings)


async def test_a_task_gives_its_result(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.submit_task(double, 21)
        assert await handle.result() == 42
        assert (await handle.describe()).status is TaskStatus.COMPLETED
        assert await hf.task_handle(handle.id, double).result() == 42


async def test_a_task_goes_by_its_name_too(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.submit_task("double", 4)
        assert await handle.result() == 8


async def test_many_tasks_go_in_one_transaction(url: str) -> None:
    async with opened(url) as hf:
        ids = await hf.submit_tasks(double, range(50))
        results = [await hf.task_handle(each).result() for each in ids]
    assert results == [number * 2 for number in range(50)]


async def test_many_tasks_by_name_for_workers_elsewhere(url: str) -> None:
    async with Holdfast.open(url) as hf:
        ids = await hf.submit_tasks("elsewhere", [1, 2], queue="far")
        page = await hf.list_tasks(queue="far", task_type="elsewhere", status=TaskStatus.PENDING)
    assert {each.id for each in page.tasks} == set(ids)


async def test_each_try_leaves_an_attempt(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.submit_task(mended_at, 3)
        assert await handle.result() == 3
        attempts = [(each.attempt, each.status) for each in await handle.attempts()]
    assert attempts == [(1, AttemptStatus.FAILED), (2, AttemptStatus.FAILED), (3, AttemptStatus.COMPLETED)]


async def test_a_failure_keeps_type_message_and_stack(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.submit_task(refuse, "no")
        with pytest.raises(TaskFailed, match="ValueError: no") as caught:
            await handle.result()
    assert caught.value.failure is not None
    assert "refuse" in caught.value.failure.stack


async def test_a_delayed_task_waits_for_its_time(url: str) -> None:
    async with opened(url) as hf:
        late = await hf.submit_task(double, 1, delay=NEVER)
        soon = await hf.submit_task(double, 1, delay=timedelta(milliseconds=10))
        then = await hf.submit_task(double, 1, scheduled_at=datetime.now(UTC) + timedelta(milliseconds=10))
        assert (await soon.result(), await then.result()) == (2, 2)
        assert (await late.describe()).status is TaskStatus.PENDING


async def test_the_time_of_a_task_is_given_once_and_with_a_zone(url: str) -> None:
    async with opened(url) as hf:
        with pytest.raises(InvalidArgument, match="either delay or scheduled_at"):
            await hf.submit_task(double, 1, delay=1, scheduled_at=datetime.now(UTC))
        with pytest.raises(InvalidArgument, match="time zone"):
            await hf.submit_task(double, 1, scheduled_at=datetime(2030, 1, 1))  # noqa: DTZ001


async def test_higher_priority_goes_first(url: str) -> None:
    order.clear()
    async with Holdfast.open(url) as hf:
        ids = [(await hf.submit_task("in_order", number, priority=number)).id for number in (1, 3, 2)]
    async with opened(url, ONE) as hf:
        for each in ids:
            await hf.task_handle(each).result()
    assert order == [3, 2, 1]


async def test_an_idempotency_key_makes_one_task(url: str) -> None:
    async with opened(url) as hf:
        first = await hf.submit_task(double, 1, idempotency_key="k")
        second = await hf.submit_task(double, 1, idempotency_key="k")
        assert (first.id, first.created, second.created) == (second.id, True, False)
        assert await second.result() == 2
        with pytest.raises(IdempotencyConflict, match="input"):
            await hf.submit_task(double, 2, idempotency_key="k")


async def test_an_id_of_the_caller_makes_one_task(url: str) -> None:
    mine = "018f3c1e-5a7b-7c3d-9e2f-0123456789ab"
    async with opened(url) as hf:
        handle = await hf.submit_task(double, 1, id=mine, metadata={"who": "ann"})
        assert (handle.id, (await handle.describe()).metadata) == (mine, b'{"who":"ann"}')
        assert not (await hf.submit_task(double, 1, id=mine)).created
        with pytest.raises(InvalidId, match="UUID"):
            await hf.submit_task(double, 1, id="mine")


async def test_lines_stream_and_progress_are_kept(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.submit_task(telling, ["a", "b"])
        lines = [(line.channel, line.level, line.body) async for line in handle.lines()]
        record = await handle.describe()
    assert lines == [
        ("log", "WARNING", b'"begins with 2"'),
        ("words", None, b'"a"'),
        ("words", None, b'"b"'),
    ]
    assert (record.progress, record.progress_message) == (1.0, "half")


async def test_lines_can_be_read_without_following(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.submit_task(double, 1, delay=NEVER)
        assert [line async for line in handle.lines(follow=False)] == []


async def test_a_waiting_task_is_cancelled_at_once(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.submit_task(double, 1, delay=NEVER)
        await handle.cancel("not needed")
        with pytest.raises(TaskCancelled):
            await handle.result()
        with pytest.raises(AlreadyClosed):
            await handle.cancel()


async def test_a_running_task_is_cancelled_without_waiting_for_a_heartbeat(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.submit_task(endless)
        await task_is(hf, handle.id, TaskStatus.RUNNING)
        await handle.cancel("enough")
        with pytest.raises(TaskCancelled):
            await handle.result(timeout=2)
        assert [each.status for each in await handle.attempts()] == [AttemptStatus.CANCELLED]


async def test_a_task_that_overruns_says_which_limit(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.submit_task(too_slow)
        with pytest.raises(TaskTimedOut, match="START_TO_CLOSE"):
            await handle.result()


async def test_retry_runs_a_failed_task_again(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.submit_task(mended_at, 2, retries=0)
        with pytest.raises(TaskFailed):
            await handle.result()
        await handle.retry()
        assert await handle.result() == 2
        with pytest.raises(NotRetryable):
            await hf.retry_task(handle.id)


async def test_what_is_not_there_is_not_found(url: str) -> None:
    async with opened(url) as hf:
        for asked in (hf.describe_task("x"), hf.attempts("x"), hf.task_handle("x").result()):
            with pytest.raises(TaskNotFound, match="no task 'x'"):
                await asked
        for told in (hf.cancel_task("x"), hf.retry_task("x")):
            with pytest.raises(TaskNotFound):
                await told


async def test_standalone_tasks_are_listed_newest_first(url: str) -> None:
    async with opened(url) as hf:
        ids = [(await hf.submit_task(double, number, delay=NEVER)).id for number in range(3)]
        page = await hf.list_tasks(task_type="double", limit=2)
        rest = await hf.list_tasks(limit=2, after=page.next)
    listed = [*page.tasks, *rest.tasks]
    assert {each.id for each in listed} == set(ids)
    assert [each.created_at for each in listed] == sorted((each.created_at for each in listed), reverse=True)
