"""The reply is lost after the commit: the server is killed between them, or the wire swallows it. One effect stays."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from holdfast import Holdfast, WorkflowContext, task, workflow
from holdfast.errors import OutcomeUnknown
from holdfast.model.statuses import ExecutionStatus
from tests.app.programs import WITHIN
from tests.app.support import eventually
from tests.faults.proxy import Proxy
from tests.remote.servers import ServerProcess

pytestmark = pytest.mark.processes

TASK_ID = "00000000-0000-4000-8000-000000000001"


@task
async def step(number: int) -> int:
    return number + 1


@workflow
async def two_steps(ctx: WorkflowContext) -> int:
    return await ctx.schedule(step, await ctx.schedule(step, 0))


@workflow
async def waiting(ctx: WorkflowContext) -> object:
    return await ctx.wait_for_signal("go")


Act = Callable[[Holdfast], Awaitable[object]]

ACTS: dict[str, Act] = {
    "StartWorkflow": lambda hf: hf.start("waiting", id="w"),
    "SignalWorkflow": lambda hf: hf.signal("there", "go", 1, request_id="once"),
    "CancelWorkflow": lambda hf: hf.cancel("there"),
    "SubmitTasks": lambda hf: hf.submit_task("nobody-runs-it", id=TASK_ID),
}
EFFECTS = {
    "StartWorkflow": Counter(WORKFLOW_STARTED=1),
    "SignalWorkflow": Counter(WORKFLOW_STARTED=1, SIGNAL_RECEIVED=1),
    "CancelWorkflow": Counter(WORKFLOW_STARTED=1, CANCELLATION_REQUESTED=1),
}


async def effect(hf: Holdfast, verb: str) -> Counter[str]:
    """What the history holds of it."""
    name = "w" if verb == "StartWorkflow" else "there"
    return Counter(event.type for event in await hf.history(name))


async def assert_one_effect(hf: Holdfast, verb: str) -> None:
    if verb == "SubmitTasks":
        assert (await hf.list_tasks()).tasks[0].id == TASK_ID
        assert len((await hf.list_tasks()).tasks) == 1
    else:
        assert await effect(hf, verb) == EFFECTS[verb]


@pytest.mark.parametrize("verb", ACTS)
async def test_a_server_that_dies_before_it_has_answered(tmp_path: Path, verb: str) -> None:
    server = ServerProcess(tmp_path)
    try:
        server.start()
        async with Holdfast.connect(server.url) as hf:
            await hf.start("waiting", id="there")
            await asyncio.to_thread(server.kill)
            server.settings["DIE_AFTER_COMMIT_OF"] = verb
            await asyncio.to_thread(server.start)
            acting = asyncio.create_task(_acted(ACTS[verb], hf))
            assert await asyncio.to_thread(server.ended) < 0  # it killed itself
            server.settings.clear()
            await asyncio.to_thread(server.start)
            async with asyncio.timeout(WITHIN):
                await acting
            await assert_one_effect(hf, verb)
    finally:
        server.close()


async def _acted(act: Act, hf: Holdfast) -> object:
    return await act(hf)


@pytest.mark.parametrize("verb", ["SubmitActivation", "CompleteTask"])
async def test_a_worker_s_word_that_was_committed_and_not_answered(tmp_path: Path, verb: str) -> None:
    server = ServerProcess(tmp_path, DIE_AFTER_COMMIT_OF=verb)
    try:
        server.start()
        async with Holdfast.connect(server.url, workflows=[two_steps], tasks=[step]) as hf:
            handle = await hf.start(two_steps, id="w")
            assert await asyncio.to_thread(server.ended) < 0
            server.settings.clear()
            await asyncio.to_thread(server.start)
            assert await handle.result(timeout=WITHIN) == 2
            types = Counter(event.type for event in await handle.history())
        assert types == Counter(WORKFLOW_STARTED=1, TASK_SCHEDULED=2, TASK_COMPLETED=2, WORKFLOW_COMPLETED=1)
    finally:
        server.close()


# A wire that swallows replies.


@pytest.fixture
async def wire(server: ServerProcess) -> AsyncIterator[Proxy]:
    server.start()
    proxy = Proxy(server.port)
    await proxy.start()
    yield proxy
    await proxy.stop()


def through(proxy: Proxy) -> str:
    return f"grpc://127.0.0.1:{proxy.port}"


@pytest.mark.parametrize("verb", ACTS)
async def test_a_reply_that_the_wire_has_swallowed(server: ServerProcess, wire: Proxy, verb: str) -> None:
    async with Holdfast.connect(server.url) as beside, Holdfast.connect(through(wire)) as hf:
        await beside.start("waiting", id="there")
        wire.become("deaf")
        acting = asyncio.create_task(_acted(ACTS[verb], hf))
        await eventually(lambda: _has_happened(beside, verb))
        assert not acting.done()
        wire.become("sound")
        async with asyncio.timeout(WITHIN):
            await acting
        await assert_one_effect(hf, verb)


async def _has_happened(hf: Holdfast, verb: str) -> bool:
    if verb == "SubmitTasks":
        return bool((await hf.list_tasks()).tasks)
    if verb == "StartWorkflow" and not (await hf.list(limit=10)).executions[1:]:
        return False
    return await effect(hf, verb) == EFFECTS[verb]


async def test_what_may_not_be_repeated_is_unknown(server: ServerProcess, wire: Proxy) -> None:
    async with Holdfast.connect(server.url) as beside, Holdfast.connect(through(wire)) as hf:
        await beside.start("waiting", id="there")
        wire.become("deaf")
        signalled = asyncio.create_task(hf.signal("there", "go", 1))
        await eventually(lambda: _has_happened(beside, "SignalWorkflow"))
        wire.become("sound")
        with pytest.raises(OutcomeUnknown):
            await signalled


async def test_a_worker_behind_such_a_wire_does_everything_once(server: ServerProcess, wire: Proxy) -> None:
    async with (
        Holdfast.connect(server.url) as beside,
        Holdfast.connect(through(wire), workflows=[two_steps], tasks=[step]),
    ):
        handles = [await beside.start("two_steps", id=f"w{number}") for number in range(20)]
        results = asyncio.gather(*[handle.result(timeout=60) for handle in handles])
        for _ in range(4):
            wire.become("deaf")
            await asyncio.sleep(0.05)
            wire.become("sound")
            await asyncio.sleep(0.15)
        assert await results == [2] * 20
        for handle in handles:
            types = Counter(event.type for event in await handle.history())
            assert types == Counter(WORKFLOW_STARTED=1, TASK_SCHEDULED=2, TASK_COMPLETED=2, WORKFLOW_COMPLETED=1)
            assert (await handle.describe()).status is ExecutionStatus.COMPLETED
