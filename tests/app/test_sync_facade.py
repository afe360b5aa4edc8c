"""SyncHoldfast: the same verbs for scripts and notebooks, on a background thread."""

import inspect
import os
import signal
import threading

import pytest

from holdfast import Holdfast, SyncHoldfast, TaskContext, WorkflowContext, task, workflow
from holdfast.app.handles import TaskHandle, WorkflowHandle
from holdfast.app.sync import SyncTaskHandle, SyncWorkflowHandle
from holdfast.model.errors import Stopped, StoreRefused, WorkflowFailed
from tests.app import programs
from tests.app.programs import Order, approval, checkout, double, doubled, failing, waiting

OF_THE_ASYNC_ONE_ONLY = {"start_worker", "watch_execution", "watch_task", "tenant", "stop_worker", "host"}


@task
async def streaming(ctx: TaskContext) -> None:
    ctx.stream("a")
    ctx.stream("b")


holder: list[SyncHoldfast] = []


@task
async def waits_for_itself() -> str:
    return str(holder[0].run(doubled, 1))


@workflow
async def asks_itself(ctx: WorkflowContext) -> str:
    return await ctx.schedule(waits_for_itself, max_retries=0)


def opened(file_url: str) -> SyncHoldfast:
    return SyncHoldfast.open(
        file_url, workflows=[*programs.WORKFLOWS, asks_itself], tasks=[*programs.TASKS, streaming, waits_for_itself]
    )


def public_names(of: type) -> set[str]:
    return {name for name in dir(of) if not name.startswith("_")}


@pytest.mark.parametrize(
    ("sync_class", "async_class"),
    [(SyncHoldfast, Holdfast), (SyncWorkflowHandle, WorkflowHandle), (SyncTaskHandle, TaskHandle)],
)
def test_the_sync_classes_have_what_the_async_ones_have(sync_class: type, async_class: type) -> None:
    missing = public_names(async_class) - public_names(sync_class) - OF_THE_ASYNC_ONE_ONLY
    assert missing == set()


def test_nothing_of_the_sync_class_is_async() -> None:
    for name in public_names(SyncHoldfast):
        assert not inspect.iscoroutinefunction(inspect.unwrap(getattr(SyncHoldfast, name), stop=lambda _: True))


def test_a_script_starts_waits_and_reads(file_url: str) -> None:
    with opened(file_url) as hf:
        handle = hf.start(checkout, Order("17", 999), id="order-17")
        assert handle.result() == "receipt-17-1 box-17 note-17"
        assert (handle.id, handle.created) == ("order-17", True)
        assert handle.history()[-1].type == "WORKFLOW_COMPLETED"
        assert hf.run(doubled, 4) == 8
        assert hf.handle("order-17", checkout).result().startswith("receipt")
        assert len(hf.list().executions) == 2
        assert repr(handle) == "<sync <WorkflowHandle order-17>>"


def test_a_task_is_submitted_and_followed(file_url: str) -> None:
    with opened(file_url) as hf:
        handle = hf.submit_task(double, 21)
        assert (handle.result(), handle.created) == (42, True)
        assert hf.task_handle(handle.id, double).result() == 42
        assert [line.body for line in hf.submit_task(streaming).lines()] == [b'"a"', b'"b"']


def test_signals_and_promises_from_a_script(file_url: str) -> None:
    with opened(file_url) as hf:
        waiter, asker = hf.start(waiting), hf.start(approval, id="a")
        hf.signal(waiter.id, "go", 1)
        assert waiter.result() == 1
        with pytest.raises(TimeoutError):
            asker.result(timeout=0.05)
        hf.resolve_promise(execution_id="a", name="manager", value="yes")
        assert asker.result() == "yes"


def test_errors_come_through(file_url: str) -> None:
    with opened(file_url) as hf, pytest.raises(WorkflowFailed, match="no funds"):
        hf.run(failing, "no funds")


async def test_it_works_inside_a_running_loop_as_in_a_notebook(file_url: str) -> None:
    hf = opened(file_url)
    assert hf.run(doubled, 2) == 4
    hf.close()
    hf.close()
    with pytest.raises(Stopped):
        hf.run(doubled, 2)


def test_a_database_that_cannot_be_opened_leaves_no_thread(tmp_path: object) -> None:
    with pytest.raises(StoreRefused):
        SyncHoldfast.open(f"sqlite:///{tmp_path}/missing/app.db")
    assert "holdfast-loop" not in {thread.name for thread in threading.enumerate()}


def test_waiting_for_itself_is_refused_instead_of_hanging(file_url: str) -> None:
    with opened(file_url) as hf:
        holder[:] = [hf]
        with pytest.raises(WorkflowFailed, match="would wait for itself") as caught:
            hf.run(asks_itself)
    assert caught.value.failure is not None


def test_a_script_serves_until_a_signal(file_url: str) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with opened(file_url) as hf:
        timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGTERM))
        timer.start()
        hf.serve_until_stopped()
        timer.join()
    assert signal.getsignal(signal.SIGTERM) is before


async def test_the_async_one_serves_until_a_signal(file_url: str) -> None:
    async with Holdfast.open(file_url) as hf:
        timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGTERM))
        timer.start()
        await hf.serve_until_stopped()
        timer.join()
