"""The runner of workflow code: leases, refusals, cold starts, shutdown."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest

from holdfast import WorkflowContext, task, workflow
from holdfast.model.commands import Completed, Failed, Suspended
from holdfast.model.errors import IdCollision, InvalidArgument, StaleClaim, StoreRefused, TenantSuspended
from holdfast.model.events import Event, TaskCompleted
from holdfast.model.requests import ExecutionClaim, ExtendClaim, ReleaseExecution, Request, SubmitActivation
from holdfast.sdk.watchdog import Watchdog
from holdfast.worker import executions
from holdfast.worker.executions import ExecutionRunner
from holdfast.worker.operations import OperationRunner
from holdfast.worker.registry import Registry
from tests.worker.support import CLOCK, EXECUTION, NOW, WITHIN, ScriptedTransport, accept, execution_claim, started

MUCH = 1e12


class Dice:
    """Chance without chance."""

    def random(self) -> float:
        return 0.5

    def getrandbits(self, k: int, /) -> int:
        return 0


@task
async def nothing() -> None: ...


async def forever() -> None:
    await asyncio.Event().wait()


@workflow
async def at_once(ctx: WorkflowContext) -> str:
    return "done"


@workflow
async def asking(ctx: WorkflowContext) -> None:
    await ctx.schedule(nothing)


@workflow
async def operating(ctx: WorkflowContext) -> None:
    await ctx.run("forever", forever)


@workflow
async def both(ctx: WorkflowContext) -> None:
    future = ctx.schedule(nothing)
    await ctx.run("forever", forever)
    await future


class Bench:
    """A runner over a scripted transport."""

    def __init__(self) -> None:
        self.transport = ScriptedTransport()
        self.threads = ThreadPoolExecutor(1)
        self.given_back = 0
        self.runner = ExecutionRunner(
            transport=self.transport,
            registry=Registry(workflows=[at_once, asking, operating, both]),
            operations=OperationRunner(threads=self.threads, clock=CLOCK, chance=Dice()),
            watchdog=Watchdog(report=lambda _: None, limit_seconds=60),
            cached=10,
            give_back=self._give_back,
            guarded=False,
        )

    def _give_back(self, slots: int) -> None:
        self.given_back += slots

    def answer_to(self, sort: type, *answers: object) -> None:
        """Answer requests of a type with these, in turn, and then as usual."""
        waiting = list(answers)

        def answer(request: Request[Any]) -> object:
            return waiting.pop(0) if isinstance(request, sort) and waiting else accept(request)

        self.transport.answer = answer

    async def holding(self) -> None:
        """Wait until an operation runs."""
        async with asyncio.timeout(WITHIN):
            while not any(held.operations for held in self.runner._held.values()):  # noqa: ASYNC110 - it has no event
                await asyncio.sleep(0)


@pytest.fixture
async def bench() -> Any:
    made = Bench()
    yield made
    await made.runner.stop(0)
    made.threads.shutdown()


async def test_code_that_ends_is_submitted_with_its_outcome(bench: Bench) -> None:
    bench.runner.take([execution_claim("at_once")])
    [submitted] = await bench.transport.sent_of(SubmitActivation)
    assert submitted.outcome == Completed(b'"done"')


async def test_code_that_waits_is_kept(bench: Bench) -> None:
    bench.runner.take([execution_claim("asking")])
    [submitted] = await bench.transport.sent_of(SubmitActivation)
    await asyncio.sleep(0)
    assert isinstance(submitted.outcome, Suspended)
    assert (len(bench.runner._cache), bench.given_back) == (1, 1)


@pytest.mark.parametrize("error", [InvalidArgument("no such event"), IdCollision("task", "x", "this", "that")])
async def test_what_can_never_be_accepted_fails_the_execution(bench: Bench, error: Exception) -> None:
    bench.answer_to(SubmitActivation, error)
    bench.runner.take([execution_claim("asking")])
    _, failed = await bench.transport.sent_of(SubmitActivation, 2)
    assert isinstance(failed.outcome, Failed)
    assert failed.commands == ()
    assert str(error) in failed.outcome.failure.message


@pytest.mark.parametrize(
    "error", [StaleClaim("workflow", EXECUTION), StoreRefused("the password has changed"), TenantSuspended("acme")]
)
async def test_an_execution_does_not_fail_for_what_is_not_its_fault(bench: Bench, error: Exception) -> None:
    bench.answer_to(SubmitActivation, error)
    bench.runner.take([execution_claim("asking")])
    await bench.transport.sent_of(SubmitActivation)
    await asyncio.sleep(0)
    assert (len(bench.runner._cache), len(bench.runner._held), bench.given_back) == (0, 0, 1)


async def test_what_is_held_for_long_is_extended(bench: Bench) -> None:
    bench.runner.take([execution_claim("operating")])
    await bench.holding()
    bench.runner.extend(0)
    assert bench.transport.sent == []
    bench.runner.extend(MUCH)
    [extended] = await bench.transport.sent_of(ExtendClaim)
    assert extended.token == 1
    assert EXECUTION in {key[1] for key in bench.runner._held}


async def test_what_was_taken_away_is_let_go(bench: Bench) -> None:
    bench.answer_to(ExtendClaim, StaleClaim("workflow", EXECUTION))
    bench.runner.take([execution_claim("operating")])
    await bench.holding()
    bench.runner.extend(MUCH)
    await bench.transport.sent_of(ExtendClaim)
    await asyncio.sleep(0)
    assert bench.runner._held == {}


async def test_what_was_asked_before_an_operation_does_not_wait_for_it(bench: Bench) -> None:
    bench.runner.take([execution_claim("both")])
    [submitted] = await bench.transport.sent_of(SubmitActivation)
    assert len(submitted.commands) == 1
    await bench.holding()
    await asyncio.sleep(0)
    assert bench.runner._held[submitted.tenant, EXECUTION].token == 2


async def test_a_run_that_was_torn_is_given_back(bench: Bench) -> None:
    bench.runner.take([execution_claim("operating")])
    await bench.holding()
    [held] = bench.runner._held.values()
    for operation in list(held.operations):
        operation.cancel()
        await asyncio.wait([operation])
    bench.runner.extend(MUCH)
    await bench.transport.sent_of(ReleaseExecution)
    assert bench.runner._held == {}


async def test_a_history_is_read_in_pages(bench: Bench) -> None:
    bench.transport.pages = [[started()]]
    bench.runner.take([execution_claim("at_once", events=())])
    [submitted] = await bench.transport.sent_of(SubmitActivation)
    assert isinstance(submitted.outcome, Completed)


async def waiting_for_its_task(bench: Bench) -> tuple[ExecutionClaim, Event]:
    """The code is in memory; its task has ended, and the claim that says so has not brought the event along."""
    bench.runner.take([execution_claim("asking")])
    [submitted] = await bench.transport.sent_of(SubmitActivation)
    await asyncio.sleep(0)
    [command] = submitted.commands
    ended = Event(3, NOW, TaskCompleted(command.task_id, "nothing", msgspec.Raw(b"null")))
    return msgspec.structs.replace(execution_claim("asking", events=(), token=3), last_sequence=3), ended


async def test_code_in_memory_is_given_only_the_events_that_it_lacks(bench: Bench) -> None:
    claim, ended = await waiting_for_its_task(bench)
    bench.transport.pages = [[ended]]
    bench.runner.take([claim])
    _, submitted = await bench.transport.sent_of(SubmitActivation, 2)
    assert isinstance(submitted.outcome, Completed)
    assert bench.transport.read_after == [2]


async def test_code_in_memory_is_put_away_if_the_events_that_it_lacks_cannot_be_read(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executions, "PAUSE_AFTER_UNREADABLE", 0)
    claim, _ = await waiting_for_its_task(bench)
    bench.runner.take([claim])
    await bench.transport.sent_of(ReleaseExecution)
    assert (bench.given_back, len(bench.runner._cache)) == (2, 0)


async def test_a_history_that_cannot_be_read_is_given_back(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executions, "PAUSE_AFTER_UNREADABLE", 0)
    bench.runner.take([execution_claim("at_once", events=())])
    await bench.transport.sent_of(ReleaseExecution)
    assert bench.given_back == 1


async def test_stopping_gives_back_what_is_held_and_what_comes_late(bench: Bench) -> None:
    bench.runner.take([execution_claim("operating")])
    await bench.holding()
    await bench.runner.stop(WITHIN)
    bench.runner.take([execution_claim("at_once")])
    await bench.transport.sent_of(ReleaseExecution, 2)
    assert bench.given_back == 2


async def test_stopping_waits_for_a_submit_and_gives_back_what_goes_on(bench: Bench) -> None:
    bench.answer_to(SubmitActivation, None)
    bench.runner.take([execution_claim("both")])
    await bench.transport.sent_of(SubmitActivation)
    await bench.runner.stop(0.01)
    assert bench.runner._held == {}


async def test_a_submit_that_is_accepted_while_stopping_ends_the_claim(bench: Bench) -> None:
    bench.runner.take([execution_claim("both")])
    await bench.transport.sent_of(SubmitActivation)
    await bench.runner.stop(WITHIN)
    [released] = await bench.transport.sent_of(ReleaseExecution)
    assert released.token == 2


@pytest.mark.parametrize(("tokens", "kept"), [((1, 3), 3), ((3, 1), 3)])
async def test_the_later_of_two_claims_counts(bench: Bench, tokens: tuple[int, int], kept: int) -> None:
    for token in tokens:
        bench.runner.take([execution_claim("operating", token=token)])
        await asyncio.sleep(0)
    assert [held.claim.token for held in bench.runner._held.values()] == [kept]
    assert bench.given_back == 1
