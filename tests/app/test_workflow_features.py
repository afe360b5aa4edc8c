"""Children, promises, signals, operations, state and time, end to end."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from holdfast import Holdfast, RetryPolicy, WorkflowContext, task, workflow
from holdfast.app.holdfast import Opening
from holdfast.model.errors import (
    AlreadyClosed,
    ChildFailed,
    InvalidArgument,
    OperationFailed,
    PromiseNotFound,
    PromiseRejected,
    PromiseTimedOut,
    TimerDisarmed,
    TimerNotFound,
    WorkflowCancelled,
)
from holdfast.model.events import PromiseCreated
from holdfast.model.instants import Milliseconds
from tests.app import programs
from tests.app.programs import approval, double, doubled, failing, sleeper, waiting
from tests.app.support import eventually

tries: list[int] = []
ledger: list[str] = []


@workflow
async def family(ctx: WorkflowContext) -> list[int]:
    total = []
    for number in range(3):
        child = ctx.schedule_workflow(f"child-{number}", doubled, number)
        await ctx.sleep(0.001)
        total.append(await child)
    return total


@workflow
async def strict_parent(ctx: WorkflowContext) -> str:
    try:
        await ctx.schedule_workflow("bad", failing, "no funds")
    except ChildFailed as error:
        return f"{error.name} {error.status}: {error.failure and error.failure.type}"
    return "fine"


@workflow
async def impatient_parent(ctx: WorkflowContext) -> str:
    child = ctx.schedule_workflow("slow", waiting)
    await ctx.sleep(0.001)
    child.cancel()
    try:
        await child
    except asyncio.CancelledError:
        return child.id
    return "not cancelled"


@workflow
async def raw_parent(ctx: WorkflowContext) -> object:
    return await ctx.schedule_workflow_raw("by-kind", "doubled", 8)


@workflow
async def patient(ctx: WorkflowContext) -> str:
    try:
        return await ctx.promise("manager", str, timedelta(milliseconds=20))
    except PromiseTimedOut as error:
        return f"timed out: {error.name}"


@workflow
async def rejected(ctx: WorkflowContext) -> str:
    try:
        return await ctx.promise("manager", str)
    except PromiseRejected as error:
        return str(error.failure and f"{error.failure.type}: {error.failure.message}")


@workflow
async def asking(ctx: WorkflowContext) -> object:
    return await asyncio.gather(ctx.promise("approved", bool), ctx.promise("anything"))


@workflow
async def settles_itself(ctx: WorkflowContext) -> str:
    promise = ctx.promise("own", str)
    ctx.resolve_promise(promise, "from inside")
    return await promise


@workflow
async def polling(ctx: WorkflowContext) -> list[object]:
    while not ctx.has_signal("stop"):
        await ctx.sleep(0.005)
    return [ctx.drain_signals("item"), ctx.has_signal("item")]


@workflow
async def hurried(ctx: WorkflowContext) -> str:
    try:
        await ctx.wait_for_signal("never", timeout=timedelta(milliseconds=10))
    except TimeoutError:
        return "no signal"
    return "signal"


async def fetch() -> int:
    tries.append(1)
    if len(tries) < 3:
        raise ConnectionError("not yet")
    return len(tries)


def broken() -> int:
    raise KeyError("gone")


@workflow
async def operating(ctx: WorkflowContext) -> list[object]:
    policy = RetryPolicy(max_retries=5, initial_interval_ms=Milliseconds(1), jitter=0)
    plain = await ctx.run("plain", lambda: "plain")
    fetched = await ctx.run("fetch", fetch, retry=policy)
    cheap = await ctx.run("cheap", lambda: "cheap", deferred=True)
    same = [await ctx.run("same", lambda: "again") for _ in range(3)]
    try:
        await ctx.run("broken", broken)
    except OperationFailed as error:
        return [plain, fetched, cheap, *same, str(error)]
    return []


@workflow
async def remembering(ctx: WorkflowContext) -> list[object]:
    ctx.set_state("a", 1)
    ctx.set_state("b", [2])
    await ctx.sleep(0.001)
    ctx.clear_state("a")
    return [ctx.get_state("a"), ctx.get_state("b"), ctx.state_keys(), ctx.get_state("c", default="none")]


@workflow
async def timing(ctx: WorkflowContext) -> float:
    begin = ctx.now()
    await ctx.sleep_until(begin + timedelta(milliseconds=30))
    await ctx.sleep_until(begin - timedelta(days=1))
    return (ctx.now() - begin).total_seconds()


@workflow
async def disarmed(ctx: WorkflowContext) -> str:
    try:
        await ctx.sleep(timedelta(days=1))
    except TimerDisarmed:
        return "disarmed"
    return "slept"


@task
async def book(what: str) -> str:
    ledger.append(f"book {what}")
    if what == "car":
        raise LookupError("no cars")
    return what


@task
async def unbook(what: str) -> None:
    ledger.append(f"unbook {what}")


@workflow
async def saga(ctx: WorkflowContext) -> str:
    booked: list[str] = []
    try:
        for what in ("flight", "hotel", "car"):
            parcel = await ctx.schedule(book, what, max_retries=0)
            booked.append(parcel)
    except Exception as error:  # noqa: BLE001 - whatever went wrong, it is undone
        for what in reversed(booked):
            await ctx.schedule(unbook, what)
        return f"undone: {error}"
    return "booked"


@workflow
async def cleaning(ctx: WorkflowContext) -> str:
    try:
        await ctx.sleep(timedelta(days=1))
    finally:
        await asyncio.shield(ctx.schedule(unbook, "room"))
    return "slept"


WORKFLOWS = [
    *(family, strict_parent, impatient_parent, raw_parent, patient, rejected, settles_itself, polling, hurried),
    *(asking, operating, remembering, timing, disarmed, saga, cleaning, *programs.WORKFLOWS),
]


def opened(url: str) -> Opening:
    return Holdfast.open(url, workflows=WORKFLOWS, tasks=[*programs.TASKS, book, unbook])


async def armed(hf: Holdfast, execution_id: str) -> str:
    """Wait until the execution has a timer."""

    async def holds() -> bool:
        return (await hf.timers(execution_id)).total > 0

    await eventually(holds)
    return (await hf.timers(execution_id)).timers[0].id


async def promised(hf: Holdfast, execution_id: str) -> str:
    """Wait until the execution has a promise."""

    async def holds() -> bool:
        return len(await hf.promises(execution_id)) > 0

    await eventually(holds)
    return (await hf.promises(execution_id))[0].id


async def test_a_promise_tells_what_its_value_looks_like(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(asking)
        await promised(hf, handle.id)
        created = [event.data for event in await hf.history(handle.id) if isinstance(event.data, PromiseCreated)]
    assert {each.promise_name: bytes(each.value_schema) for each in created} == {
        "approved": b'{"type":"boolean"}',
        "anything": b"null",
    }


async def test_three_children_in_a_loop(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(family)
        assert await handle.result() == [0, 2, 4]
        children = await hf.list(parent_id=handle.id)
    assert {child.child_name for child in children.executions} == {"child-0", "child-1", "child-2"}


async def test_a_child_that_fails_is_an_error_in_its_parent(url: str) -> None:
    async with opened(url) as hf:
        assert await hf.run(strict_parent) == "bad FAILED: TaskFailed"
        assert await hf.run(raw_parent) == 16


async def test_a_child_is_cancelled_by_its_future(url: str) -> None:
    async with opened(url) as hf:
        child_id = await hf.run(impatient_parent)
        with pytest.raises(WorkflowCancelled, match="its parent"):
            await hf.handle(child_id).result()


async def test_a_promise_is_resolved_by_id_or_by_name(url: str) -> None:
    async with opened(url) as hf:
        first, second = await hf.start(approval), await hf.start(approval, id="two")
        await hf.resolve_promise(await promised(hf, first.id), "by id")
        await promised(hf, "two")
        await hf.resolve_promise(execution_id="two", name="manager", value="by name")
        assert [await first.result(), await second.result()] == ["by id", "by name"]


async def test_a_promise_is_rejected_with_an_error_or_a_reason(url: str) -> None:
    async with opened(url) as hf:
        first, second = await hf.start(rejected), await hf.start(rejected)
        await hf.reject_promise(await promised(hf, first.id), ValueError("too dear"))
        await hf.reject_promise(await promised(hf, second.id), "no")
        assert [await first.result(), await second.result()] == ["ValueError: too dear", "Rejected: no"]


async def test_a_promise_is_settled_once(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(approval)
        promise_id = await promised(hf, handle.id)
        await hf.resolve_promise(promise_id, "yes")
        await hf.resolve_promise(promise_id, "yes")
        assert await handle.result() == "yes"
        with pytest.raises(AlreadyClosed):
            await hf.reject_promise(promise_id)
        with pytest.raises(PromiseNotFound):
            await hf.resolve_promise(execution_id=handle.id, name="nobody")
        with pytest.raises(InvalidArgument, match="by its id, or by"):
            await hf.resolve_promise(promise_id, 1, execution_id="x", name="y")


async def test_a_promise_times_out_or_is_settled_from_inside(url: str) -> None:
    async with opened(url) as hf:
        assert await hf.run(patient) == "timed out: manager"
        assert await hf.run(settles_itself) == "from inside"


async def test_signals_can_be_polled_and_drained(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(polling)
        for number in range(3):
            await handle.signal("item", number)
        await handle.signal("stop")
        assert await handle.result() == [[0, 1, 2], False]


async def test_waiting_for_a_signal_has_a_limit(url: str) -> None:
    async with opened(url) as hf:
        assert await hf.run(hurried) == "no signal"


async def test_operations_run_once_with_retries_and_failures(url: str) -> None:
    tries.clear()
    async with opened(url) as hf:
        assert await hf.run(operating) == [
            *("plain", 3, "cheap", "again", "again", "again"),
            "operation 'broken' failed: KeyError: 'gone'",
        ]
    assert len(tries) == 3


async def test_state_is_read_written_and_cleared(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(remembering)
        assert await handle.result() == [None, [2], ["b"], "none"]
        assert await hf.state(handle.id) == {"b": [2]}


async def test_sleeping_until_an_instant(url: str) -> None:
    async with opened(url) as hf:
        assert await hf.run(timing) >= 0.03


async def test_timers_can_be_listed_fired_moved_and_cancelled(url: str) -> None:
    async with opened(url) as hf:
        fired, moved = await hf.start(sleeper, 86_400), await hf.start(sleeper, 86_400)
        gone = await hf.start(disarmed)
        await hf.fire_timer(await armed(hf, fired.id))
        await hf.reschedule_timer(await armed(hf, moved.id), datetime.now(UTC) + timedelta(milliseconds=20))
        timer_id = await armed(hf, gone.id)
        await hf.cancel_timer(timer_id)
        assert [await fired.result(), await moved.result(), await gone.result()] == ["awake", "awake", "disarmed"]
        assert (await hf.timers()).total == 0
        for told in (hf.fire_timer(timer_id), hf.cancel_timer(timer_id)):
            with pytest.raises(TimerNotFound):
                await told


async def test_a_saga_undoes_what_was_done(url: str) -> None:
    ledger.clear()
    async with opened(url) as hf:
        assert (await hf.run(saga)).startswith("undone: task 'book' failed")
    assert ledger == ["book flight", "book hotel", "book car", "unbook hotel", "unbook flight"]


async def test_cancellation_lets_the_code_clean_up(url: str) -> None:
    ledger.clear()
    async with opened(url) as hf:
        handle = await hf.start(cleaning)
        await armed(hf, handle.id)
        await handle.cancel("closing time")
        with pytest.raises(WorkflowCancelled, match="closing time"):
            await handle.result()
    assert ledger == ["unbook room"]


async def test_a_decorated_function_is_still_a_function() -> None:
    assert await double(4) == 8
    assert await double.function(4) == 8
