"""Promises are settled from outside or inside; state is what an execution shows of itself."""

import asyncio

import pytest

from holdfast.model import commands as asked
from holdfast.model import events as told
from holdfast.model.failures import Failure
from holdfast.sdk.workflow_context import WorkflowContext
from tests.replay.support import raw, started


async def three_promises(ctx: WorkflowContext) -> object:
    promises = [ctx.promise("a", int), ctx.promise_raw("b"), ctx.promise("c", timeout=60)]
    ends = await asyncio.gather(*promises, return_exceptions=True)
    return [end if isinstance(end, int) else str(end) for end in ends]


def test_promises_settled_from_outside() -> None:
    execution = started(three_promises)
    one, two, three = (promise.promise_id for promise in execution.all_of(told.PromiseCreated))
    execution.happens(told.PromiseTimedOut(three), told.PromiseRejected(two, Failure("No", "not me")))
    execution.happens(told.PromiseResolved(one, raw(7))).activate()
    assert execution.check().result() == [
        7,
        "promise 'b' was rejected: not me",
        "promise 'c' was not settled in time",
    ]
    assert [p.timeout_ms for p in execution.all_of(told.PromiseCreated)] == [None, None, 60_000]


async def from_inside(ctx: WorkflowContext) -> object:
    promise = ctx.promise("a", int)
    waiter = asyncio.create_task(asyncio.wait_for(promise, 60))
    await ctx.wait_for_signal("go")
    ctx.resolve_promise(promise, 5)
    ctx.resolve_promise(promise, 6)
    await ctx.wait_for_signal("end")
    return await waiter


def test_a_promise_settled_from_inside() -> None:
    execution = started(from_inside).signals("go")
    execution.activate()
    execution.signals("end").activate()
    assert execution.check().result() == 5
    assert execution.types.count("PROMISE_RESOLVED") == 1


def test_someone_outside_was_faster() -> None:
    execution = started(from_inside).signals("go")
    promise_id = execution.all_of(told.PromiseCreated)[0].promise_id
    execution.happens(told.PromiseResolved(promise_id, raw(9))).signals("end").activate()
    assert not any(isinstance(command, asked.ResolvePromise) for command in execution.commands)
    assert execution.check().result() == 5


def test_only_promises_can_be_resolved() -> None:
    async def wrong(ctx: WorkflowContext) -> object:
        ctx.resolve_promise(ctx.sleep(1), None)
        return None

    outcome = started(wrong).outcome
    assert isinstance(outcome, asked.Failed)
    assert "is not a promise of this workflow" in outcome.failure.message


def test_a_cancelled_promise_stays_open_outside() -> None:
    async def fickle(ctx: WorkflowContext) -> object:
        promise = ctx.promise("a")
        promise.cancel()
        ctx.resolve_promise(promise, 1)
        return promise.cancelled()

    execution = started(fickle)
    assert execution.check().result() is True
    assert "PROMISE_RESOLVED" not in execution.types


def test_state_is_read_as_it_was_set() -> None:
    async def stateful(ctx: WorkflowContext) -> object:
        ctx.set_state("step", 1)
        ctx.set_state("note", {"by": "me"})
        before = [ctx.get_state("step", int), ctx.get_state("note"), ctx.state_keys()]
        ctx.clear_state("step")
        ctx.clear_state("unknown")
        return [*before, ctx.get_state("step", int, 42), ctx.get_state("gone"), ctx.state_keys()]

    execution = started(stateful)
    assert execution.check().result() == [1, {"by": "me"}, ["step", "note"], 42, None, ["note"]]


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 256, "\ud800", 7])
def test_bad_names_are_refused(name: str) -> None:
    async def wrong(ctx: WorkflowContext) -> object:
        ctx.set_state(name, 1)
        return None

    outcome = started(wrong).outcome
    assert isinstance(outcome, asked.Failed)
    assert "must be 1 to 255 printable characters" in outcome.failure.message
