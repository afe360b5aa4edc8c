"""The runner of tasks: cancellation, shutdown, and what it tells while bodies run."""

import asyncio
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from holdfast import TaskContext, task
from holdfast.model.errors import HoldfastError, StaleClaim
from holdfast.model.ids import TaskId
from holdfast.model.requests import (
    AcknowledgeTaskCancel,
    CompleteTask,
    FailTask,
    ReleaseTask,
    ReportTask,
    Request,
    TaskOrders,
)
from holdfast.worker.processes import Processes
from holdfast.worker.registry import Registry
from holdfast.worker.sending import Sender
from holdfast.worker.tasks import TaskRunner
from tests.worker.support import CLOCK, TASK, WITHIN, ScriptedTransport, accept, task_claim

MUCH = 1e12
OTHER_TASK = TaskId("018f3c1e-5a7b-8c3d-9e2f-000000100001")
"""Later than any loop time."""

cleaned: list[str] = []
let_go = threading.Event()


@task
async def quick() -> str:
    return "done"


@task
async def endless() -> None:
    await asyncio.Event().wait()


@task
def in_thread() -> str:
    return "done" if let_go.wait(WITHIN) else "nobody let it go"


@task
async def tidy(ctx: TaskContext) -> None:
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        await asyncio.sleep(0)
        cleaned.append("clean")
        raise


@task
async def stubborn() -> str:
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cleaned.append("asked")
            if len(cleaned) > 1:
                return "in the end"


class Bench:
    """A runner over a scripted transport."""

    def __init__(self) -> None:
        self.transport = ScriptedTransport()
        self.given_back = 0
        self.threads = ThreadPoolExecutor(1)
        self.runner = TaskRunner(
            registry=Registry(tasks=[quick, endless, in_thread, tidy, stubborn]),
            sender=Sender(self.transport),
            clock=CLOCK,
            threads=self.threads,
            processes=Processes(1),
            give_back=self._give_back,
        )

    def _give_back(self, slots: int) -> None:
        self.given_back += slots

    async def begin(self, task_type: str, *, attempt: int = 1) -> None:
        """Give it a task, and let its body begin."""
        self.runner.take([task_claim(task_type, attempt=attempt)])
        await asyncio.sleep(0)


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    cleaned.clear()
    made = Bench()
    yield made
    made.threads.shutdown()


async def test_a_task_is_run_and_completed(bench: Bench) -> None:
    await bench.begin("quick")
    [request] = await bench.transport.sent_of(CompleteTask)
    assert (request.output, bench.given_back) == (b'"done"', 1)


async def test_a_second_order_does_not_tear_the_cleanup(bench: Bench) -> None:
    await bench.begin("tidy")
    bench.runner.cancel(TASK)
    await asyncio.sleep(0)
    bench.runner.cancel(TASK)
    await bench.transport.sent_of(AcknowledgeTaskCancel)
    assert cleaned == ["clean"]


async def test_an_order_before_the_body_has_begun_is_kept(bench: Bench) -> None:
    bench.runner.take([task_claim("quick")])
    bench.runner.cancel(TASK)
    await bench.transport.sent_of(AcknowledgeTaskCancel)
    assert bench.given_back == 1


async def test_an_order_for_a_task_that_is_not_here_passes(bench: Bench) -> None:
    bench.runner.cancel(TASK)
    assert bench.transport.sent == []


async def test_an_order_that_comes_while_reports_are_flushed_changes_nothing(bench: Bench) -> None:
    bench.transport.answer = lambda request: None if isinstance(request, ReportTask) else accept(request)
    await bench.begin("tidy")
    bench.runner.extend(MUCH)
    bench.runner.cancel(TASK)
    await bench.transport.sent_of(ReportTask)
    running = bench.runner._running[TASK]
    async with asyncio.timeout(WITHIN):
        while running.body_runs:  # noqa: ASYNC110 - the moment has no event
            await asyncio.sleep(0)
    running.stop()
    assert running.job is not None
    assert not running.job.cancelling() > 1
    running.job.cancel()


async def test_a_worker_that_stops_releases_what_comes_late(bench: Bench) -> None:
    await bench.runner.stop(WITHIN)
    await bench.begin("quick")
    await bench.transport.sent_of(ReleaseTask)


async def test_running_tasks_may_end_within_the_grace_period(bench: Bench) -> None:
    await bench.begin("quick")
    await bench.runner.stop(WITHIN)
    assert [type(request) for request in bench.transport.sent] == [CompleteTask]


async def test_what_waits_for_a_thread_is_given_back_without_an_attempt(bench: Bench) -> None:
    let_go.clear()
    first, second = task_claim("in_thread"), msgspec.structs.replace(task_claim("in_thread"), task_id=OTHER_TASK)
    bench.runner.take([first, second])
    await asyncio.sleep(0)
    stopping = asyncio.ensure_future(bench.runner.stop(WITHIN))
    [released] = await bench.transport.sent_of(ReleaseTask)
    let_go.set()
    await stopping
    [completed] = await bench.transport.sent_of(CompleteTask)
    assert (released.task_id, completed.task_id, completed.output) == (OTHER_TASK, TASK, b'"done"')


async def test_after_the_grace_period_they_are_interrupted(bench: Bench) -> None:
    await bench.begin("endless")
    await bench.runner.stop(0.01)
    [request] = await bench.transport.sent_of(FailTask)
    assert request.failure.type == "WorkerStopped"
    assert request.failure.retryable


async def test_a_body_that_refuses_to_end_does_not_keep_the_worker(bench: Bench) -> None:
    await bench.begin("stubborn")
    await bench.runner.stop(0.01)
    assert cleaned == ["asked"]
    assert bench.transport.sent == []
    for job in [running.job for running in bench.runner._running.values()]:
        assert job is not None
        job.cancel()
        await asyncio.wait([job])


async def test_a_store_that_does_not_answer_does_not_keep_the_worker(bench: Bench) -> None:
    bench.transport.answer = lambda _: None
    await bench.begin("quick")
    async with asyncio.timeout(WITHIN):
        await bench.runner.stop(0.02)
    assert len(bench.transport.sent) == 1


async def test_what_runs_long_is_reported_without_a_context(bench: Bench) -> None:
    await bench.begin("endless")
    bench.runner.extend(0)
    assert bench.transport.sent == []
    bench.runner.extend(MUCH)
    [report] = await bench.transport.sent_of(ReportTask)
    assert not report.heartbeat
    bench.runner.extend(MUCH)
    await bench.transport.sent_of(ReportTask, 2)
    await bench.runner.stop(0)


@pytest.mark.parametrize("answer", [TaskOrders(cancel=True), StaleClaim("task", TASK)])
async def test_a_report_brings_back_that_the_task_is_to_end(bench: Bench, answer: object) -> None:
    bench.transport.answer = lambda request: answer if isinstance(request, ReportTask) else accept(request)
    await bench.begin("endless")
    bench.runner.extend(MUCH)
    await bench.transport.sent_of(AcknowledgeTaskCancel)


async def test_the_next_try_is_not_forgotten_when_the_one_before_ends(bench: Bench) -> None:
    await bench.begin("endless")
    bench.runner.cancel(TASK)
    await bench.begin("endless", attempt=2)
    await bench.transport.sent_of(AcknowledgeTaskCancel)
    assert bench.runner._running[TASK].claim.attempt == 2
    await bench.runner.stop(0)


async def test_an_end_that_is_refused_is_let_go(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="holdfast.worker.tasks")

    def refuse(_: Request[object]) -> HoldfastError:
        return StaleClaim("task", TASK)

    bench.transport.answer = refuse
    await bench.begin("quick")
    await bench.runner.stop(WITHIN)
    assert "was not accepted" in caplog.text
