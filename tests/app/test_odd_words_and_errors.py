"""What user code hands over besides payloads, and raises besides exceptions: it fails alone, and clearly."""

import asyncio
import logging
from typing import Any

import pytest

from holdfast import Holdfast, TaskContext, WorkflowContext, task, workflow
from holdfast.app.holdfast import Opening
from holdfast.model.errors import HoldfastError, InvalidArgument, TaskFailed, WorkflowFailed
from tests.app.programs import WITHIN

HALF_A_PAIR = "\ud800"


class Outcome(BaseException):
    """As test frameworks and other loops raise them."""


@task(retries=0)
async def raises_an_outcome() -> None:
    raise Outcome("of another kind")


@task(retries=0)
def raises_an_outcome_in_a_thread() -> None:
    raise Outcome("of another kind")


@task(retries=0)
async def tells(ctx: TaskContext, what: str) -> str:
    match what:
        case "progress":
            ctx.progress(0.5, HALF_A_PAIR + "\0" + "x" * 5_000)
        case "channel":
            ctx.stream(1, channel="no spaces")
        case "log":
            ctx.logger.info("\0%s %(odd)d", HALF_A_PAIR)
            ctx.logger.info("y" * 100_000)
            try:
                raise KeyError("lost")
            except KeyError:
                ctx.logger.exception("caught %s", "it")
            ctx.logger.error("given", exc_info=ValueError("no stack"))
        case _:
            for _ in range(10):
                ctx.stream("z" * 1_000_000)
    return what


@workflow
async def asks_with(ctx: WorkflowContext, what: str) -> object:
    options: Any = {
        "priority": {"priority": 1 << 70},
        "fraction": {"priority": 1.5},
        "queue": {"queue": "no spaces"},
        "no queue": {"queue": ""},
        "key": {"idempotency_key": "k" * 300},
        "late": {"delay": 1e300, "timeout": 1e300},
    }[what]
    job = ctx.schedule(tells, "well", **options)
    await asyncio.wait([job, ctx.sleep_until(-(1 << 70))], return_when=asyncio.FIRST_COMPLETED)  # type: ignore[arg-type]
    return what


@workflow
async def starts_a_child_in(ctx: WorkflowContext, queue: str) -> object:
    return await ctx.schedule_workflow("part", waits, queue=queue)


@workflow
async def waits(ctx: WorkflowContext) -> object:
    return await ctx.wait_for_signal("go")


@workflow
async def operates(ctx: WorkflowContext) -> object:
    def breaks() -> None:
        raise Outcome("of another kind")

    return await ctx.run("breaks", breaks)


def opened(url: str) -> Opening:
    return Holdfast.open(
        url,
        workflows=[asks_with, starts_a_child_in, waits, operates],
        tasks=[raises_an_outcome, raises_an_outcome_in_a_thread, tells],
    )


@pytest.mark.parametrize("definition", [raises_an_outcome, raises_an_outcome_in_a_thread])
async def test_a_task_that_raises_no_exception_has_failed_all_the_same(url: str, definition: Any) -> None:
    async with opened(url) as hf:
        with pytest.raises(TaskFailed, match="Outcome: of another kind"):
            await (await hf.submit_task(definition)).result(timeout=WITHIN)


async def test_an_operation_that_raises_no_exception_has_failed_all_the_same(url: str) -> None:
    async with opened(url) as hf:
        with pytest.raises(WorkflowFailed, match="Outcome: of another kind"):
            await (await hf.start(operates)).result(timeout=WITHIN)


@pytest.mark.parametrize("what", ["priority", "fraction", "queue", "no queue", "key"])
async def test_what_no_engine_can_take_is_refused_at_its_line(url: str, what: str) -> None:
    async with opened(url) as hf:
        with pytest.raises(WorkflowFailed) as caught:
            await (await hf.start(asks_with, what)).result(timeout=WITHIN)
        assert caught.value.failure is not None
        assert caught.value.failure.type in ("InvalidArgument", "InvalidId")
        assert "test_odd_words_and_errors.py" in caught.value.failure.stack


async def test_for_ever_is_until_the_last_instant_and_long_ago_is_now(url: str) -> None:
    async with opened(url) as hf:
        assert await (await hf.start(asks_with, "late")).result(timeout=WITHIN) == "late"
        with pytest.raises(WorkflowFailed, match="the queue 'no spaces'"):
            await (await hf.start(starts_a_child_in, "no spaces")).result(timeout=WITHIN)


def test_queues_and_priorities_are_checked_where_they_are_declared() -> None:
    with pytest.raises(HoldfastError, match="the queue"):
        task(queue="no spaces")(raises_an_outcome.function)
    with pytest.raises(InvalidArgument, match="priority"):
        task(priority=1 << 40)(raises_an_outcome.function)


async def test_the_words_of_a_task_are_kept_as_far_as_they_can_be(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.submit_task(tells, "progress")
        assert await handle.result(timeout=WITHIN) == "progress"
        message = (await handle.describe()).progress_message
        assert message is not None
        assert message.startswith("\\ud800\\x00x")
        assert len(message) <= 1_000
        with pytest.raises(TaskFailed, match="the channel 'no spaces'"):
            await (await hf.submit_task(tells, "channel")).result(timeout=WITHIN)


async def test_no_log_line_makes_a_task_fail(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging, "raiseExceptions", False)
    async with opened(url) as hf:
        handle = await hf.submit_task(tells, "log")
        assert await handle.result(timeout=WITHIN) == "log"
        odd, long, caught, given = [line.body.decode() async for line in handle.lines()]
    assert "x00" in odd
    assert len(long) < 60_000
    assert caught.startswith('"caught it\\nTraceback (most recent call last)')
    assert "KeyError: 'lost'" in caught
    assert given == '"given\\nValueError: no stack"'


async def test_what_a_task_tells_faster_than_it_can_be_kept_is_dropped_and_counted(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.submit_task(tells, "much")
        assert await handle.result(timeout=WITHIN) == "much"
        lines = [line.body async for line in handle.lines()]
    assert any(b"lines were dropped" in line for line in lines)
    assert sum(map(len, lines)) < 10_000_000


@pytest.mark.parametrize("words", [HALF_A_PAIR, "a\0b", "x" * 10_000, 5])
async def test_reasons_are_checked_before_they_reach_a_batch(url: str, words: Any) -> None:
    async with opened(url) as hf:
        handle = await hf.start(waits, id="order-1")
        task_id = (await hf.submit_task(tells, "well", delay=3_600)).id
        for asked in (
            handle.cancel(words),
            handle.terminate(words),
            handle.retry(words),
            handle.reset(to_sequence=1, reason=words),
            hf.cancel("order-1", requested_by=words),
            hf.cancel_task(task_id, words),
            hf.pause_queue("default", words),
            hf.resume_queue("default", requested_by=words),
            hf.rerun_flow("run-1", "node", words),
            hf.pause_schedule("nightly", words),
        ):
            with pytest.raises(InvalidArgument, match="must be text of up to"):
                await asked
        if isinstance(words, str):
            with pytest.raises(InvalidArgument, match="the error must be text"):
                await hf.fail_task(task_id, words)
            with pytest.raises(InvalidArgument, match="the error must be text"):
                await hf.reject_promise("p", words)
        await handle.signal("go", "still well")
        assert await handle.result(timeout=WITHIN) == "still well"
