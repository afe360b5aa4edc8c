"""The host around the committer: watches, reads of history, other processes, timers."""

import asyncio
import logging
from typing import Any

import pytest

from holdfast.model.errors import HoldfastError, Stopped, StoreDamaged, Unavailable
from holdfast.model.ids import DEFAULT_TENANT, ExecutionId, TaskId, WorkerId
from holdfast.model.queries import HistoryWanted
from holdfast.model.records import Execution, Task
from holdfast.model.requests import SubmitTasks, TerminateWorkflow
from holdfast.ports.news import News
from holdfast.ports.store import Rows
from holdfast.ports.watches import Watches
from holdfast.server import host as hosting
from holdfast.server.gathering import HistoryReader
from holdfast.server.host import EngineHost
from holdfast.server.neighbours import Neighbours
from tests.server.support import WITHIN, FailingStore, host_over, offer, start
from tests.worker.support import TASK, task_claim


async def test_who_waits_is_told_when_the_host_closes(store: FailingStore) -> None:
    host = host_over(store)
    await host.start()
    await host.send(start("open"))
    watch = host.executions.watch((DEFAULT_TENANT, "open"))
    waiting, given_up = asyncio.ensure_future(watch.closed()), asyncio.ensure_future(watch.closed())
    await asyncio.sleep(0)
    assert watch.awaited is True
    given_up.cancel()
    await asyncio.wait([given_up])
    await host.stop()
    with pytest.raises(Stopped, match="closed before"):
        await waiting


async def test_a_watch_is_shared_until_it_is_over(host: EngineHost) -> None:
    await host.send(start("w"))
    first = host.executions.watch((DEFAULT_TENANT, "w"))
    assert host.executions.watch((DEFAULT_TENANT, "w")) is first
    await host.send(TerminateWorkflow(DEFAULT_TENANT, ExecutionId("w")))
    assert (await first.closed()).status == "TERMINATED"
    assert host.executions.watch((DEFAULT_TENANT, "w")) is not first


async def test_a_watch_that_nobody_holds_is_forgotten() -> None:
    watches: Watches[Any] = Watches()
    watches.watch((DEFAULT_TENANT, "w"))
    assert watches.open() == []


async def test_reads_of_one_moment_are_answered_together(host: EngineHost) -> None:
    await asyncio.gather(*[host.send(start(name)) for name in ("a", "b")])
    wanted = [HistoryWanted(DEFAULT_TENANT, ExecutionId(name), 0, 10) for name in ("a", "b", "missing")]
    pages = await host.histories(wanted)
    assert [len(page) for page in pages] == [1, 1, 0]


async def test_a_read_that_fails_fails_for_everyone_who_asked(
    host: EngineHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_: object) -> Any:
        raise StoreDamaged("torn")

    monkeypatch.setattr(host.store, "histories", fail)
    reader = HistoryReader(host.store)
    wanted = HistoryWanted(DEFAULT_TENANT, ExecutionId("a"), 0, 10)
    asked = [asyncio.ensure_future(reader.read(wanted)) for _ in range(3)]
    await asyncio.sleep(0)
    asked[0].cancel()
    await asyncio.wait(asked)
    assert [type(each.exception()) for each in asked[1:]] == [StoreDamaged, StoreDamaged]


async def test_a_reader_who_leaves_disturbs_nobody(host: EngineHost) -> None:
    await host.send(start("a"))
    reader = HistoryReader(host.store)
    wanted = HistoryWanted(DEFAULT_TENANT, ExecutionId("a"), 0, 10)
    asked = [asyncio.ensure_future(reader.read(wanted)) for _ in range(2)]
    await asyncio.sleep(0)
    asked[0].cancel()
    assert len(await asked[1]) == 1


@pytest.mark.parametrize(
    "error", [Unavailable("down"), HoldfastError("a statement failed"), ZeroDivisionError("a defect")]
)
async def test_the_loops_survive_a_store_that_fails(
    store: FailingStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    monkeypatch.setattr(hosting, "OUTSIDE_CHECK", 0.001)
    host = host_over(store)
    await host.start()
    failed, recovered = asyncio.Event(), asyncio.Event()

    async def changed_outside() -> bool:
        if not failed.is_set():
            failed.set()
            raise error
        recovered.set()
        return False

    monkeypatch.setattr(store, "changed_outside", changed_outside)
    with caplog.at_level(logging.WARNING, logger="holdfast.server.host"):
        async with asyncio.timeout(WITHIN):
            await recovered.wait()
    await host.stop()
    assert "database" in caplog.text


async def test_timers_survive_a_statement_that_fails(
    store: FailingStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    host = host_over(store)
    await host.start()
    next_wake, failed, recovered = store.next_wake, asyncio.Event(), asyncio.Event()

    async def fails_once() -> Any:
        if not failed.is_set():
            failed.set()
            raise HoldfastError("a statement failed")
        recovered.set()
        return await next_wake()

    monkeypatch.setattr(store, "next_wake", fails_once)
    host.scheduler.poke(None)
    async with asyncio.timeout(WITHIN):
        await recovered.wait()
    await host.stop()
    assert "timers cannot be fired for now" in caplog.text


async def test_a_watch_hears_of_an_end_that_it_was_not_told(host: EngineHost, store: FailingStore) -> None:
    """As when another process has ended it."""
    await host.send(start("elsewhere"))
    watch = host.executions.watch((DEFAULT_TENANT, "elsewhere"))
    other = host_over(FailingStore(store.path))
    await other.start()
    await other.send(TerminateWorkflow(DEFAULT_TENANT, ExecutionId("elsewhere")))
    async with asyncio.timeout(WITHIN):
        assert (await watch.closed()).closed
    await other.stop()


async def test_what_is_claimed_for_a_worker_that_has_stopped_is_released(host: EngineHost) -> None:
    taken: list[Any] = []
    subscription = host.take_executions(offer(), taken.append)
    request = host.send(start("late"))
    while host.committer._running is None:  # noqa: ASYNC110 - the moment has no event
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    await subscription.stop()
    await request
    await host.send(start("another"))
    execution = await host.store.execution((DEFAULT_TENANT, ExecutionId("late")))
    assert execution is not None
    assert (taken, execution.status) == ([], "PENDING")


async def test_a_stopped_worker_leaves_no_trace_when_the_next_one_comes(host: EngineHost) -> None:
    def ignore(_: object) -> None: ...

    for _ in range(2):
        await host.take_tasks(offer("t"), ignore, ignore).stop()
        await host.take_executions(offer("w"), ignore).stop()
    assert len(host.committer.dispatch._tasks) == len(host.committer.dispatch._executions) == 1
    assert await host.send(SubmitTasks(DEFAULT_TENANT, ())) == ()
    assert await host.store.task((DEFAULT_TENANT, TaskId("x"))) is None


async def test_orders_to_cancel_go_out_before_new_claims_and_to_all_queues(host: EngineHost) -> None:
    """A task that overran its limit may be claimed again in the same batch: the order is not for the new try."""
    calls: list[str] = []
    dispatch = host.committer.dispatch
    dispatch.take_tasks(offer("t"), lambda _: calls.append("take"), lambda _: calls.append("cancel one"))
    dispatch.take_tasks(offer("t"), lambda _: calls.append("take"), lambda _: calls.append("cancel two"))
    batch = host.committer._batch([])
    batch.decide(Rows(claimable_tasks=[[] for _ in batch.wanted.task_claims]))
    assert batch.outcome is not None
    batch.outcome.tasks_given[0] = [task_claim("t")]
    batch.outcome.cancel_orders = [(DEFAULT_TENANT, WorkerId("session/worker"), TASK)]
    dispatch.deliver(batch.outcome)
    assert calls == ["cancel one", "cancel two", "take"]


async def test_what_is_heard_of_is_told_after_an_unforeseen_error(
    host: EngineHost, store: FailingStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(keys: object) -> list[Execution]:
        failed.set()
        raise ZeroDivisionError("a defect")

    await host.send(start("w"))
    await host.send(TerminateWorkflow(DEFAULT_TENANT, ExecutionId("w")))
    failed, missed = asyncio.Event(), asyncio.Event()
    executions, tasks = Watches[Execution](), Watches[Task]()
    neighbours = Neighbours(
        store=store,
        dispatch=host.committer.dispatch,
        news=host.news,
        executions=executions,
        tasks=tasks,
        on_missed=missed.set,
    )
    watch = executions.watch((DEFAULT_TENANT, "w"))
    told = News("another", executions=((DEFAULT_TENANT, "w"),))
    async with asyncio.timeout(WITHIN):
        with monkeypatch.context() as patched:
            patched.setattr(store, "executions", fail)
            neighbours.hear(told)
            await failed.wait()
            await missed.wait()
        neighbours.hear(told)
        assert (await watch.closed()).status == "TERMINATED"
    await neighbours.stop()
    assert "a defect" in caplog.text
