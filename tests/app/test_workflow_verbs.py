"""Every verb of a Holdfast for workflows: start, run, signal, cancel, terminate, retry, list, history, state."""

from datetime import timedelta

import pytest

from holdfast import Holdfast, WorkflowContext, workflow
from holdfast.app.holdfast import Opening
from holdfast.model.errors import (
    AlreadyClosed,
    IdempotencyConflict,
    InvalidArgument,
    InvalidId,
    NotRetryable,
    WorkflowCancelled,
    WorkflowFailed,
    WorkflowNotFound,
    WorkflowTerminated,
)
from holdfast.model.ids import DEFAULT_QUEUE
from holdfast.model.statuses import ExecutionStatus
from tests.app import programs
from tests.app.programs import Order, checkout, doubled, failing, sleeper, waiting


@workflow
async def noting(ctx: WorkflowContext) -> None:
    ctx.set_state("step", {"number": 1})
    ctx.set_state("gone", True)
    ctx.clear_state("gone")
    await ctx.wait_for_signal("go")


def opened(url: str) -> Opening:
    return Holdfast.open(url, workflows=[*programs.WORKFLOWS, noting], tasks=programs.TASKS)


async def test_a_workflow_starts_and_gives_its_result_and_history(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(checkout, Order("17", 999), id="order-17")
        assert await handle.result() == "receipt-17-1 box-17 note-17"
        types = [event.type for event in await handle.history()]
    assert types[0] == "WORKFLOW_STARTED"
    assert types[-3:] == ["TIMER_FIRED", "OPERATION_COMPLETED", "WORKFLOW_COMPLETED"]


async def test_run_starts_and_waits(url: str) -> None:
    async with opened(url) as hf:
        assert await hf.run(doubled, 21) == 42
        assert await hf.run("doubled", 4, id="by-name") == 8


async def test_a_result_is_there_again_after_reopening(url: str) -> None:
    async with opened(url) as hf:
        await hf.run(doubled, 21, id="a")
    async with opened(url) as hf:
        assert await hf.handle("a", doubled).result() == 42
        assert await hf.handle("a").result() == 42


async def test_the_same_start_again_gives_the_execution_that_is_there(url: str) -> None:
    async with opened(url) as hf:
        first = await hf.start(doubled, 1, id="once")
        second = await hf.start(doubled, 1, id="once")
        assert (first.created, second.created) == (True, False)
        assert await second.result() == await first.result() == 2
        with pytest.raises(IdempotencyConflict, match="another input"):
            await hf.start(doubled, 2, id="once")
        with pytest.raises(IdempotencyConflict, match="another kind"):
            await hf.start(sleeper, 1, id="once")


async def test_a_start_keeps_queue_timeout_and_metadata(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(waiting, queue="slow", timeout=timedelta(days=1), metadata={"who": "ann"})
        record = await handle.describe()
    assert (record.queue, record.metadata) == ("slow", b'{"who":"ann"}')
    assert record.deadline_at == record.created_at + 24 * 3600 * 1000


async def test_an_execution_that_overruns_its_timeout_fails(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(waiting, timeout=timedelta(milliseconds=20))
        with pytest.raises(WorkflowFailed, match="overran its timeout"):
            await handle.result()


async def test_signals_arrive_in_order_and_once_per_request_id(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(waiting, id="w")
        await hf.signal("w", "go", {"n": 1}, request_id="r1")
        await hf.signal("w", "go", {"n": 2}, request_id="r1")
        assert await handle.result() == {"n": 1}
        received = [event for event in await handle.history() if event.type == "SIGNAL_RECEIVED"]
    assert len(received) == 1


async def test_signal_with_start_starts_once(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.signal_with_start(noting, id="n", signal="other", value=1)
        again = await hf.signal_with_start(noting, id="n", signal="go", value=2)
        await again.result()
        assert (handle.created, again.created) == (True, False)
        values = [event.type for event in await handle.history()].count("SIGNAL_RECEIVED")
    assert values == 2


async def test_cancel_asks_once_and_the_reason_is_told(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(waiting, queue="nobody-here")
        assert await hf.cancel(handle.id, "changed my mind", requested_by="ann")
        assert not await hf.cancel(handle.id, "again")


async def test_a_cancelled_workflow_says_so(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(waiting)
        await handle.cancel("changed my mind")
        with pytest.raises(WorkflowCancelled, match="changed my mind"):
            await handle.result()


async def test_terminate_ends_without_asking(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(waiting)
        await handle.terminate("enough")
        with pytest.raises(WorkflowTerminated, match="enough"):
            await handle.result()
        with pytest.raises(AlreadyClosed):
            await handle.signal("go")


async def test_a_failed_workflow_raises_with_type_message_and_cause(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(failing, "no funds")
        with pytest.raises(WorkflowFailed, match="no funds") as caught:
            await handle.result()
    assert caught.value.failure is not None
    assert caught.value.failure.type == "TaskFailed"
    assert caught.value.failure.cause is not None
    assert caught.value.failure.cause.type == "ValueError"
    assert "refuse" in caught.value.failure.cause.stack


async def test_retry_lets_a_failed_task_run_again(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(failing, "still no funds")
        other = hf.handle(handle.id)
        for asked in (handle, other):
            with pytest.raises(WorkflowFailed):
                await asked.result()
        await hf.retry(handle.id, "try again", requested_by="ann")
        with pytest.raises(WorkflowFailed):
            await other.result()
        tasks = await hf.list_tasks(execution_id=handle.id)
    assert tasks.tasks[0].attempt == 2


async def test_only_a_failed_workflow_can_be_retried(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(doubled, 2)
        await handle.result()
        with pytest.raises(NotRetryable, match="COMPLETED"):
            await handle.retry()


async def test_list_filters_and_pages_from_newest_to_oldest(url: str) -> None:
    async with opened(url) as hf:
        for number in range(5):
            await hf.run(doubled, number, id=f"d{number}")
        await hf.start(waiting, id="w")
        page = await hf.list(kind="doubled", limit=3)
        rest = await hf.list(kind="doubled", limit=3, after=page.next)
        open_ones = await hf.list(status=[ExecutionStatus.PENDING, ExecutionStatus.RUNNING, ExecutionStatus.WAITING])
        done = await hf.list(status=ExecutionStatus.COMPLETED)
    assert {each.id for each in (*page.executions, *rest.executions)} == {f"d{number}" for number in range(5)}
    assert (len(page.executions), rest.next) == (3, None)
    assert [each.id for each in open_ones.executions] == ["w"]
    assert len(done.executions) == 5


async def test_history_can_be_read_from_a_sequence_number_on(url: str) -> None:
    async with opened(url) as hf:
        await hf.run(doubled, 1, id="d")
        everything = await hf.history("d")
        assert await hf.history("d", after=2) == everything[2:]
        assert await hf.history("d", after=99) == []


async def test_state_shows_what_the_code_has_set(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(noting)
        await handle.signal("go")
        await handle.result()
        assert await hf.state(handle.id) == {"step": {"number": 1}}


async def test_what_is_not_there_is_not_found(url: str) -> None:
    async with opened(url) as hf:
        for asked in (hf.describe("x"), hf.history("x"), hf.state("x"), hf.promises("x"), hf.handle("x").result()):
            with pytest.raises(WorkflowNotFound, match="no workflow 'x' in tenant 'default'"):
                await asked
        for told in (hf.signal("x", "go"), hf.cancel("x"), hf.terminate("x"), hf.retry("x")):
            with pytest.raises(WorkflowNotFound):
                await told


async def test_a_start_with_wrong_arguments_is_refused_before_anything_is_sent(url: str) -> None:
    async with opened(url) as hf:
        with pytest.raises(InvalidArgument, match="'number' is missing"):
            await hf.start(doubled)
        with pytest.raises(InvalidId, match="workflow id"):
            await hf.start(doubled, 1, id="no spaces please")
        with pytest.raises(InvalidArgument, match="timeout"):
            await hf.start(doubled, 1, timeout="soon")  # type: ignore[call-overload]
        assert (await hf.list()).executions == ()


async def test_result_gives_up_waiting_and_the_workflow_goes_on(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(waiting)
        with pytest.raises(TimeoutError):
            await handle.result(timeout=0.01)
        await handle.signal("go", "on")
        assert await handle.result() == "on"


async def test_open_work_is_counted_by_queue(url: str) -> None:
    async with opened(url) as hf:
        await hf.start(waiting, queue="nobody-here")
        await hf.submit_task("double", 1, queue=DEFAULT_QUEUE, delay=timedelta(hours=1))
        counts = {(count.queue, count.of, count.status): count.count for count in await hf.queues()}
    assert counts == {("nobody-here", "workflow", "PENDING"): 1, (DEFAULT_QUEUE, "task", "DELAYED"): 1}


async def test_a_handle_shows_its_id(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(waiting, id="w")
        task = await hf.submit_task("double", 1)
    assert repr(handle) == "<WorkflowHandle w>"
    assert repr(task) == f"<TaskHandle {task.id}>"
