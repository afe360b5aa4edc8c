"""What tasks can do: timeouts, heartbeats, retries, threads, processes, methods, and calls in plain tests."""

import asyncio
import contextvars
import os
import sys
import threading
from datetime import timedelta
from typing import Any

import pytest

from holdfast import Holdfast, NonRetryable, RetryPolicy, TaskContext, WorkflowContext, task, workflow
from holdfast.app.holdfast import Opening
from holdfast.model.errors import TaskCancelled, TaskFailed, TaskTimedOut, WorkflowFailed
from holdfast.model.instants import Milliseconds
from holdfast.model.statuses import AttemptStatus, TaskStatus
from holdfast.sdk.definitions import TaskDefinition
from holdfast.worker.settings import WorkerSettings
from tests.app import process_tasks
from tests.app.process_tasks import Shop, dying, exiting, logging_only, raising, reporting, squared
from tests.app.programs import AT_ONCE, WITHIN, double, doubled
from tests.app.support import task_is

WHO = contextvars.ContextVar("WHO", default="nobody")
SOON = timedelta(milliseconds=30)
OVERRUN = timedelta(seconds=1)
"""A first try runs into it; the second must not, on a machine that is busy with other things."""
events: dict[str, threading.Event] = {}


@task(retries=AT_ONCE)
async def resuming(ctx: TaskContext) -> list[object]:
    """Leaves its position to the next try."""
    seen = ctx.last_details(int)
    if ctx.attempt < 3:
        ctx.heartbeat(ctx.attempt * 10)
        raise ConnectionError("lost")
    return [seen, ctx.last_details(), ctx.idempotency_key == ctx.task_id, ctx.queue, ctx.task_type]


@task(retries=RetryPolicy(max_retries=5, initial_interval_ms=Milliseconds(1), non_retryable=("LookupError",)))
async def picky(ctx: TaskContext, how: str) -> int:
    if how == "lookup":
        raise LookupError("no use")
    if how == "never":
        raise NonRetryable("give up") from ValueError("inner")
    raise OSError("perhaps later")


@task(retries=0, timeout=SOON)
async def slow() -> None:
    await asyncio.Event().wait()


@task(retries=AT_ONCE, timeout=OVERRUN)
async def slow_once(ctx: TaskContext) -> int:
    if ctx.attempt == 1:
        await asyncio.Event().wait()
    return ctx.attempt


@task(retries=AT_ONCE, heartbeat_timeout=OVERRUN)
async def silent_once(ctx: TaskContext) -> object:
    if ctx.last_details() is None:
        ctx.heartbeat("once")
        await asyncio.Event().wait()
    return ctx.last_details()


@task(retries=1_000, schedule_to_close_timeout=SOON)
async def hopeless() -> None:
    raise ConnectionError("still down")


@task(retries=0)
def in_a_thread(ctx: TaskContext) -> list[object]:
    ctx.progress(0.25, "a quarter")
    return [WHO.get(), threading.current_thread() is threading.main_thread()]


@task(retries=0)
def stubborn(ctx: TaskContext) -> None:
    events["begun"].set()
    while True:
        ctx.raise_if_cancelled()
        events["look"].wait(0.005)


@task(retries=0)
async def tidy() -> None:
    try:
        await asyncio.Event().wait()
    finally:
        await asyncio.sleep(0)
        events["tidied"].set()


@task(retries=0)
async def quitting() -> None:
    sys.exit(7)


@task(retries=0)
def quitting_in_a_thread() -> None:
    sys.exit(7)


@task(retries=0)
async def cancelled_by_itself() -> None:
    raise asyncio.CancelledError


@task(retries=0)
def returns_an_awaitable() -> object:
    return asyncio.sleep(0, "awaited")


class Counter:
    """Its methods are a workflow and a task."""

    def __init__(self, step: int) -> None:
        self.step = step

    @task
    async def add(self, number: int) -> int:
        return number + self.step

    @workflow
    async def count(self, ctx: WorkflowContext, number: int) -> int:
        return await ctx.schedule(self.add, number)


TASKS: list[TaskDefinition[..., Any]] = [
    *(resuming, picky, slow, slow_once, silent_once, hopeless, in_a_thread, stubborn, tidy, quitting, double),
    *(quitting_in_a_thread, cancelled_by_itself, returns_an_awaitable, squared, raising, dying, exiting, reporting),
    logging_only,
]


def opened(url: str) -> Opening:
    return Holdfast.open(url, tasks=TASKS, settings=WorkerSettings(process_slots=1))


async def test_heartbeat_details_reach_the_next_try(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.submit_task(resuming)
        assert await handle.result() == [20, 20, True, "default", "resuming"]


@pytest.mark.parametrize(("how", "tries"), [("lookup", 1), ("never", 1), ("perhaps", 6)])
async def test_only_what_may_mend_is_retried(url: str, how: str, tries: int) -> None:
    async with opened(url) as hf:
        handle = await hf.submit_task(picky, how)
        with pytest.raises(TaskFailed):
            await handle.result()
        assert len(await handle.attempts()) == tries


async def test_a_try_that_overruns_is_tried_again(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.submit_task(slow_once)
        assert await handle.result() == 2
        assert [each.status for each in await handle.attempts()] == [AttemptStatus.TIMEOUT, AttemptStatus.COMPLETED]


async def test_a_silent_try_is_tried_again_with_its_details(url: str) -> None:
    async with opened(url) as hf:
        assert await (await hf.submit_task(silent_once)).result() == "once"


@pytest.mark.parametrize(("task_type", "limit"), [("slow", "START_TO_CLOSE"), ("hopeless", "SCHEDULE_TO_CLOSE")])
async def test_each_limit_ends_with_its_own_name(url: str, task_type: str, limit: str) -> None:
    async with opened(url) as hf:
        with pytest.raises(TaskTimedOut, match=limit):
            await (await hf.submit_task(task_type)).result()


async def test_a_task_that_no_worker_takes_in_time_says_so(url: str) -> None:
    @workflow
    async def asking(ctx: WorkflowContext) -> str:
        try:
            await ctx.schedule(double, 1, queue="nobody", schedule_to_start_timeout=SOON)
        except TaskTimedOut as error:
            return error.timeout_type
        return "taken"

    async with Holdfast.open(url, workflows=[asking]) as hf:
        assert await hf.run(asking) == "SCHEDULE_TO_START"


async def test_a_plain_function_runs_in_a_thread_with_its_context(url: str) -> None:
    WHO.set("ann")
    async with opened(url) as hf:
        handle = await hf.submit_task(in_a_thread)
        assert await handle.result() == ["ann", False]
        assert (await handle.describe()).progress_message == "a quarter"


async def test_a_thread_is_asked_to_stop(url: str) -> None:
    events.update(begun=threading.Event(), look=threading.Event())
    async with opened(url) as hf:
        handle = await hf.submit_task(stubborn)
        assert await asyncio.to_thread(events["begun"].wait, WITHIN)
        await handle.cancel()
        with pytest.raises(TaskCancelled):
            await handle.result()


async def test_an_async_task_may_clean_up_when_it_is_cancelled(url: str) -> None:
    events.update(tidied=threading.Event())
    async with opened(url) as hf:
        handle = await hf.submit_task(tidy)
        await task_is(hf, handle.id, TaskStatus.RUNNING)
        await handle.cancel()
        with pytest.raises(TaskCancelled):
            await handle.result()
    assert events["tidied"].is_set()


@pytest.mark.parametrize("task_type", ["quitting", "quitting_in_a_thread", "exiting"])
async def test_exit_ends_the_task_and_not_the_worker(url: str, task_type: str) -> None:
    async with opened(url) as hf:
        with pytest.raises(TaskFailed, match="SystemExit"):
            await (await hf.submit_task(task_type)).result()
        assert await (await hf.submit_task(double, 2)).result() == 4


async def test_a_task_that_cancels_itself_has_failed(url: str) -> None:
    async with opened(url) as hf:
        with pytest.raises(TaskFailed, match="own code raised CancelledError"):
            await (await hf.submit_task(cancelled_by_itself)).result()


async def test_a_plain_function_may_return_an_awaitable(url: str) -> None:
    async with opened(url) as hf:
        assert await (await hf.submit_task(returns_an_awaitable)).result() == "awaited"


async def test_a_process_runs_the_task_and_its_errors_come_back(url: str) -> None:
    async with opened(url) as hf:
        number, process, attempt = await (await hf.submit_task(squared, 5)).result()
        assert (number, attempt) == (25, 1)
        assert process != os.getpid()
        with pytest.raises(TaskFailed, match="LookupError: gone"):
            await (await hf.submit_task(raising, "gone")).result()
        with pytest.raises(TaskFailed, match="cannot report while it runs"):
            await (await hf.submit_task(reporting)).result()
        assert await (await hf.submit_task(logging_only)).result() == "logged"


async def test_a_task_that_kills_its_process_fails_and_the_next_one_runs(url: str) -> None:
    async with opened(url) as hf:
        with pytest.raises(TaskFailed, match="ProcessDied"):
            await (await hf.submit_task(dying)).result()
        assert (await (await hf.submit_task(squared, 3)).result())[0] == 9


async def test_a_method_cannot_run_in_a_process(url: str) -> None:
    sell = Shop().sell
    async with Holdfast.open(url, tasks=[sell]) as hf:
        with pytest.raises(TaskFailed, match="top of a module"):
            await (await hf.submit_task("sell", "tea")).result()
    assert process_tasks.squared.executor == "process"


async def test_methods_are_workflows_and_tasks(url: str) -> None:
    counter = Counter(10)
    async with Holdfast.open(url, workflows=[counter.count], tasks=[counter.add]) as hf:
        assert await hf.run(counter.count, 5) == 15
        assert await hf.run("count", 6) == 16


async def test_a_method_without_its_instance_is_refused(url: str) -> None:
    with pytest.raises(Exception, match="without its instance"):
        Holdfast.open(url, workflows=[Counter.count])


async def test_tasks_of_all_queues_can_be_cancelled_while_they_run(url: str) -> None:
    elsewhere = task(task_type="elsewhere", queue="zzz")(slow.function)
    async with Holdfast.open(url, tasks=[slow, elsewhere]) as hf:
        for task_type, queue in (("slow", "default"), ("elsewhere", "zzz")):
            handle = await hf.submit_task(task_type, queue=queue, timeout=60, retries=0)
            await task_is(hf, handle.id, TaskStatus.RUNNING)
            await handle.cancel()
            with pytest.raises(TaskCancelled):
                await handle.result(timeout=3)


async def test_a_new_try_is_not_hit_by_the_end_of_the_one_before(url: str) -> None:
    """With no pause between tries the next one is claimed in the same batch that ends the last."""
    policy = RetryPolicy(max_retries=3, initial_interval_ms=Milliseconds(0))
    async with opened(url) as hf:
        handle = await hf.submit_task(slow_once, retries=policy)
        assert await handle.result() == 2


async def test_a_workflow_can_be_unit_tested_by_calling_its_tasks() -> None:
    assert await Counter(1).add(2) == 3
    assert squared.function.__name__ == "squared"
    assert doubled.kind == "doubled"


async def test_tasks_keep_their_error_chain_in_a_workflow(url: str) -> None:
    @workflow
    async def chained(ctx: WorkflowContext) -> int:
        return await ctx.schedule(picky, "never")

    async with Holdfast.open(url, workflows=[chained], tasks=[picky]) as hf:
        with pytest.raises(WorkflowFailed) as caught:
            await hf.run(chained)
    failure = caught.value.failure
    assert failure is not None
    assert failure.cause is not None
    assert failure.cause.cause is not None
    assert [failure.type, failure.cause.type, failure.cause.cause.type] == ["TaskFailed", "NonRetryable", "ValueError"]
