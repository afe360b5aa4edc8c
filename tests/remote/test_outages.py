"""The server is killed, stopped and started again under load: workers and waiting clients go on."""

import asyncio
import signal

import pytest

from holdfast import Holdfast, WorkflowContext, task, workflow
from holdfast.model.errors import OutcomeUnknown, Unavailable
from holdfast.model.statuses import AttemptStatus, TaskStatus
from tests.app.programs import WITHIN
from tests.app.support import eventually, task_is
from tests.remote.programs import bodies, slow
from tests.remote.servers import ServerProcess, WorkerProcess

pytestmark = pytest.mark.processes


@task
async def count_up(number: int) -> int:
    await asyncio.sleep(0.002)
    return number + 1


@workflow
async def counting(ctx: WorkflowContext, steps: int) -> int:
    number = 0
    for _ in range(steps):
        number = await ctx.schedule(count_up, number)
    await ctx.sleep(0.01)
    return number


@workflow
async def waiting(ctx: WorkflowContext) -> object:
    return await ctx.wait_for_signal("go")


async def test_killed_servers_lose_nothing_that_was_acknowledged(server: ServerProcess) -> None:
    server.start()
    async with Holdfast.connect(server.url, workflows=[counting], tasks=[count_up]) as hf:
        handles = await asyncio.gather(*[hf.start(counting, 20, id=f"c{number}") for number in range(40)])
        results = asyncio.gather(*[handle.result() for handle in handles])
        for _ in range(3):
            await eventually(lambda: _has_grown(hf))
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
        async with asyncio.timeout(60):
            assert await results == [20] * 40
        for handle in handles:
            sequences = [event.sequence for event in await handle.history()]
            assert sequences == list(range(1, len(sequences) + 1))


grown = 0


async def _has_grown(hf: Holdfast) -> bool:
    global grown
    before, grown = grown, (await hf.describe("c7")).last_sequence
    return grown > before > 0 or (await hf.describe("c7")).closed


async def test_a_client_that_waits_survives_an_outage_and_a_request_made_meanwhile_waits_too(
    server: ServerProcess,
) -> None:
    server.start()
    async with Holdfast.connect(server.url, workflows=[waiting]) as worker, Holdfast.connect(server.url) as client:
        handle = await client.start("waiting", id="w")
        result = asyncio.create_task(handle.result())
        await asyncio.to_thread(server.kill)
        signalled = asyncio.create_task(client.signal("w", "go", "after all", request_id="once"))
        described = asyncio.create_task(client.describe("w"))
        await asyncio.to_thread(server.start)
        async with asyncio.timeout(WITHIN):
            await signalled
            assert (await described).id == "w"
            assert await result == "after all"
        assert worker.tenant == "default"


async def test_a_task_that_runs_through_an_outage_is_not_run_twice(server: ServerProcess) -> None:
    server.start()
    async with Holdfast.connect(server.url, tasks=[slow]) as hf:
        handle = await hf.submit_task(slow, "through")
        await task_is(hf, handle.id, TaskStatus.RUNNING)
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        assert await handle.result(timeout=WITHIN) == "through 1"
    assert bodies["through"] == 1


async def test_a_server_that_stops_lets_its_workers_come_back(server: ServerProcess) -> None:
    server.start()
    async with Holdfast.connect(server.url, workflows=[counting], tasks=[count_up]) as hf:
        assert await hf.run(counting, 2) == 2
        server.signal(signal.SIGTERM)
        assert await asyncio.to_thread(server.ended) == 0
        started = asyncio.create_task(hf.start(counting, 3))
        await asyncio.to_thread(server.start)
        handle = await started
        assert await handle.result(timeout=WITHIN) == 3


async def test_the_work_of_a_worker_that_vanishes_is_given_to_others_long_before_its_lease_ends(
    server: ServerProcess,
) -> None:
    server.start()
    with WorkerProcess(server.url) as vanishing:
        async with Holdfast.connect(server.url) as client:
            handle = await client.submit_task(slow, "taken over")
            await task_is(client, handle.id, TaskStatus.RUNNING)
        vanishing.kill()
    async with Holdfast.connect(server.url, tasks=[slow]) as hf:
        # A lease lasts thirty seconds: only what is taken back before it ends comes in time.
        assert await hf.task_handle(handle.id).result(timeout=WITHIN) == "taken over 2"
        attempts = [each.status for each in await hf.attempts(handle.id)]
    assert attempts == [AttemptStatus.LOST, AttemptStatus.COMPLETED]


async def test_without_a_server_connecting_says_so(server: ServerProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.remote.engine.CONNECT_WITHIN", 0.3)
    with pytest.raises(Unavailable, match="is `holdfast server` running"):
        async with Holdfast.connect(server.url):
            pass


async def test_a_request_that_a_server_may_have_got_before_it_went_is_not_called_undone(
    server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.start()
    async with Holdfast.connect(server.url) as client:
        server.signal(signal.SIGSTOP)
        doubtful = asyncio.create_task(client.start("waiting", id="sent"))
        await eventually(lambda: _is_sent(client))
        await asyncio.to_thread(server.kill)
        await eventually(lambda: _is_away(client))
        monkeypatch.setattr("holdfast.remote.session.PATIENCE", 0.1)
        undone = asyncio.create_task(client.start("waiting", id="never-sent"))
        with pytest.raises(OutcomeUnknown, match="may have been carried out"):
            await doubtful
        with pytest.raises(Unavailable) as refusal:
            await undone
    assert not isinstance(refusal.value, OutcomeUnknown)


async def _is_sent(client: Holdfast) -> bool:
    return bool(client._engine._session._calls)  # type: ignore[attr-defined]  # of a remote engine


async def _is_away(client: Holdfast) -> bool:
    return client._engine._session._outbox is None  # type: ignore[attr-defined]  # of a remote engine
