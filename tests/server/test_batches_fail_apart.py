"""The committer when something goes wrong: one bad request is refused alone, a bad store refuses all, nothing hangs."""

import asyncio
import logging
from typing import Any, cast

import pytest

from holdfast.model.errors import HoldfastError, InvalidArgument, OutcomeUnknown, Stopped, StoreDamaged, Unavailable
from holdfast.model.ids import DEFAULT_TENANT, ExecutionId
from holdfast.model.requests import ExecutionClaim, SignalWorkflow, Started, TerminateWorkflow
from holdfast.ports.store import Plan
from holdfast.server.batch import Batch
from holdfast.server.host import EngineHost
from tests.server.support import WITHIN, FailingStore, host_over, offer, start


class Sink:
    """Takes claimed executions."""

    def __init__(self) -> None:
        self.claims: list[ExecutionClaim] = []
        self.filled = asyncio.Event()

    def __call__(self, claims: Any) -> None:
        self.claims += claims
        self.filled.set()


def fails_with(error: Exception, *, times: int = 1, only: str | None = None) -> Any:
    """Fails so often, and only while a request with that id is in the batch."""
    left = [times]

    def fail(plan: Plan) -> None:
        requests = cast("Batch", plan)._requests
        concerned = only is None or any(getattr(each, "execution_id", None) == only for each in requests)
        if left[0] and concerned and requests:
            left[0] -= 1
            raise error

    return fail


async def test_a_request_that_breaks_the_batch_is_refused_alone(host: EngineHost, store: FailingStore) -> None:
    store.before = fails_with(ZeroDivisionError("a defect"), times=2, only="bad")
    good, bad, other = (host.send(start(name)) for name in ("good", "bad", "other"))
    with pytest.raises(HoldfastError, match="a defect"):
        await bad
    assert [(await good).created, (await other).created] == [True, True]


async def test_a_value_that_the_database_does_not_take_is_told_as_such(host: EngineHost, store: FailingStore) -> None:
    store.before = fails_with(InvalidArgument("no text may have a NUL"), times=2, only="bad")
    good, bad = (host.send(start(name)) for name in ("good", "bad"))
    with pytest.raises(InvalidArgument, match="NUL"):
        await bad
    assert (await good).created


@pytest.mark.parametrize("error", [Unavailable("down"), StoreDamaged("torn")])
async def test_a_store_that_fails_refuses_the_batch(host: EngineHost, store: FailingStore, error: Exception) -> None:
    store.before = fails_with(error)
    requests = [host.send(start(name)) for name in ("a", "b")]
    for request in requests:
        with pytest.raises(type(error)):
            await request
    assert (await host.send(start("a"))).created


async def test_work_that_comes_right_after_a_failure_is_delivered(host: EngineHost, store: FailingStore) -> None:
    """The batches of the pause after a failure go without offers; what they leave behind is found afterwards."""
    sink = Sink()
    host.take_executions(offer(), sink)
    await host.send(start("before"))
    store.before = fails_with(Unavailable("down"))
    with pytest.raises(Unavailable):
        await host.send(start("refused"))
    await host.send(start("right-after"))
    async with asyncio.timeout(WITHIN):
        while len(sink.claims) < 2:
            sink.filled.clear()
            await sink.filled.wait()
    assert {claim.execution_id for claim in sink.claims} == {"before", "right-after"}


async def test_work_that_cannot_be_claimed_is_tried_again(
    host: EngineHost, store: FailingStore, caplog: pytest.LogCaptureFixture
) -> None:
    await host.send(start("waits"))
    failures = [Unavailable("down"), ZeroDivisionError("a defect")]

    def fail(plan: Plan) -> None:
        if failures and not cast("Batch", plan)._requests:
            raise failures.pop(0)

    store.before = fail
    sink = Sink()
    with caplog.at_level(logging.WARNING, logger="holdfast.server.committer"):
        host.take_executions(offer(), sink)
        async with asyncio.timeout(WITHIN):
            await sink.filled.wait()
    assert "work could not be claimed: down" in caplog.text
    assert "the engine failed on an offer" in caplog.text


async def test_an_unclear_commit_is_told_as_such_and_the_same_request_again_is_safe(
    host: EngineHost, store: FailingStore
) -> None:
    store.after = fails_with(OutcomeUnknown("half-way"), only="unclear")
    with pytest.raises(OutcomeUnknown):
        await host.send(start("unclear"))
    again: Started = await host.send(start("unclear"))
    assert not again.created


async def test_an_end_in_an_unclear_commit_still_reaches_who_waits(host: EngineHost, store: FailingStore) -> None:
    await host.send(start("unclear"))
    watch = host.executions.watch((DEFAULT_TENANT, "unclear"))
    store.after = fails_with(OutcomeUnknown("half-way"))
    with pytest.raises(OutcomeUnknown):
        await host.send(TerminateWorkflow(DEFAULT_TENANT, ExecutionId("unclear")))
    async with asyncio.timeout(WITHIN):
        assert (await watch.closed()).closed


async def test_a_plan_that_was_not_carried_out_is_an_error(host: EngineHost, store: FailingStore) -> None:
    batch = host.committer._batch([])
    with pytest.raises(Unavailable, match="did not carry"):
        host.committer._answer([], batch)


async def test_a_request_that_nobody_waits_for_any_more_is_left_out(host: EngineHost) -> None:
    host.send(start("given-up")).cancel()
    await host.send(start("other"))
    assert await host.store.execution((DEFAULT_TENANT, ExecutionId("given-up"))) is None


async def test_who_gives_up_while_the_commit_is_under_way_disturbs_nobody(
    host: EngineHost, store: FailingStore
) -> None:
    futures = [host.send(start("first")), host.send(start("second"))]

    def give_up(_: Plan) -> None:
        futures[0].cancel()

    store.before = give_up
    assert (await futures[1]).created
    assert futures[0].cancelled()


async def test_a_quiet_request_may_fail(host: EngineHost, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="holdfast.server.committer")
    missing = SignalWorkflow(DEFAULT_TENANT, ExecutionId("nobody"), "go", b"null")
    future = host.committer.send_quietly(missing)
    await asyncio.wait([future])
    await asyncio.sleep(0)
    assert "without a listener was refused" in caplog.text


async def test_what_has_gathered_is_committed_before_the_end(store: FailingStore) -> None:
    host = host_over(store)
    await host.start()
    last = host.send(start("last"))
    await host.stop()
    assert (await last).created
    with pytest.raises(Stopped):
        await host.send(start("too-late"))
    assert host.committer.idle


async def test_an_error_after_the_commit_does_not_end_the_committer(
    host: EngineHost, caplog: pytest.LogCaptureFixture
) -> None:
    deliver = host.committer.dispatch.deliver

    def fail_once(outcome: Any) -> None:
        host.committer.dispatch.deliver = deliver  # type: ignore[method-assign]
        raise ZeroDivisionError("in delivery")

    host.committer.dispatch.deliver = fail_once  # type: ignore[method-assign]
    assert (await host.send(start("one"))).created
    assert (await host.send(start("two"))).created
    assert "the committer failed" in caplog.text
