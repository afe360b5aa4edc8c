"""The parts of a connection: its URL, its reads, what it refuses by itself, and how it ends."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from holdfast import Holdfast, WorkflowContext, task, workflow
from holdfast.errors import InvalidArgument, PayloadTooLarge, Stopped
from holdfast.model.ids import ExecutionId, TaskId
from holdfast.protocol.errors import error_of
from holdfast.protocol.generated import session_pb2 as wire
from holdfast.protocol.packing import Outbox
from holdfast.protocol.tls import Tls
from holdfast.remote import session
from holdfast.remote.channel import connection_to
from holdfast.remote.engine import RemoteEngine
from tests.grpc.serving import Server, serving


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Server]:
    """A server in this process."""
    async with serving(tmp_path) as made:
        yield made


@workflow
async def waiting(ctx: WorkflowContext) -> object:
    ctx.set_state("at", "the door")
    await ctx.promise("approval", str)
    return None


@task
async def told(number: int) -> int:
    return number


@pytest.mark.parametrize(
    "url",
    [
        "http://h:1",
        "grpc://",
        "grpc://h:port",
        "grpc://h:99999999",
        "grpc://h:1/path",
        "grpc://h:1?x=1",
        "grpc://u@h:1",
    ],
)
def test_what_is_no_server_s_url_is_refused(url: str) -> None:
    with pytest.raises(InvalidArgument, match="not a server's URL"):
        connection_to(url)


def test_a_url_says_where_and_how() -> None:
    assert connection_to("grpc://[::1]:7").address == "[::1]:7"
    assert connection_to("grpc://h").address == "h:8234"
    assert connection_to("grpcs://h:1").tls == Tls()
    made = connection_to("grpc://h:1", token="t", tenant="acme")
    assert made.metadata == (("authorization", "Bearer t"), ("holdfast-tenant", "acme"))
    with pytest.raises(InvalidArgument, match="use grpcs://"):
        connection_to("grpc://h:1", tls=Tls())


def test_an_error_of_a_newer_server_is_still_an_error() -> None:
    made = error_of("SOMETHING_NEW", "it says why", b"")
    assert (type(made).__name__, str(made)) == ("HoldfastError", "it says why")


def engine_of(hf: Holdfast) -> RemoteEngine:
    assert isinstance(hf._engine, RemoteEngine)
    return hf._engine


async def test_reads_of_many_at_once(served: Server) -> None:
    async with Holdfast.connect(served.url) as hf:
        for name in ("a", "b"):
            await hf.start("nobody-runs-it", id=name)
        task_id = (await hf.submit_task("nobody-runs-it")).id
        reads = engine_of(hf).reads
        keys = [(hf.tenant, ExecutionId(name)) for name in ("a", "missing", "b")]
        assert sorted(found.id for found in await reads.executions(keys)) == ["a", "b"]
        found = await reads.tasks([(hf.tenant, task_id), (hf.tenant, TaskId("missing"))])
        assert [each.id for each in found] == [task_id]
        assert await reads.execution((hf.tenant, ExecutionId("missing"))) is None
        assert await reads.task((hf.tenant, TaskId("missing"))) is None
        assert await reads.lines((hf.tenant, task_id), 0, 10) == []
        assert (await reads.list_timers(hf.tenant, None, 10)).total == 0
        counts = {(count.of, count.count) for count in await reads.queue_counts(hf.tenant)}
        assert counts == {("workflow", 2), ("task", 1)}


async def test_promises_and_state_are_read(served: Server) -> None:
    async with Holdfast.connect(served.url, workflows=[waiting]) as hf:
        handle = await hf.start(waiting, id="w")
        await _opened(hf)
        await hf.resolve_promise(execution_id="w", name="approval", value="yes")
        await handle.result(timeout=20)
        assert [promise.name for promise in await engine_of(hf).reads.promises((hf.tenant, handle.id))] == ["approval"]
        assert (await engine_of(hf).reads.state((hf.tenant, handle.id))).entries == {"at": b'"the door"'}


async def _opened(hf: Holdfast) -> None:
    async with asyncio.timeout(20):
        while not await engine_of(hf).reads.promises((hf.tenant, ExecutionId("w"))):  # noqa: ASYNC110 - on disk
            await asyncio.sleep(0.005)


async def test_a_request_that_no_message_holds_is_refused_here(served: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.remote.session.MAX_CALL_BYTES", 1_000)
    async with Holdfast.connect(served.url) as hf:
        with pytest.raises(PayloadTooLarge):
            await hf.start("nobody-runs-it", "x" * 2_000)


async def test_a_session_that_fails_on_a_message_is_opened_again(
    served: Server, caplog: pytest.LogCaptureFixture
) -> None:
    async with Holdfast.connect(served.url) as hf:
        opened = engine_of(hf)._session
        receive = opened._receive

        def fail_once(_: object) -> None:
            opened._receive = receive
            raise ZeroDivisionError("a defect")

        opened._receive = fail_once
        async with asyncio.timeout(20):
            started = [await hf.start("nobody-runs-it", id=name) for name in ("a", "b")]
        assert [each.id for each in started] == ["a", "b"]
    assert "a defect" in caplog.text


async def test_a_session_that_fails_in_writing_is_opened_again(
    served: Server, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_all = session._write_all

    async def fail_once(stream: session.Stream, outbox: Outbox[wire.FromPeer]) -> None:
        monkeypatch.setattr(session, "_write_all", write_all)
        await outbox.next()
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(session, "_write_all", fail_once)
    async with Holdfast.connect(served.url) as hf, asyncio.timeout(20):
        assert (await hf.start("nobody-runs-it", id="a")).id == "a"
    assert "a defect" in caplog.text


async def test_a_closed_connection_says_so(served: Server) -> None:
    async with Holdfast.connect(served.url) as hf:
        waiting_for = asyncio.create_task((await hf.start("nobody-runs-it", id="a")).result())
        await asyncio.sleep(0)
    with pytest.raises(Stopped):
        await waiting_for
    with pytest.raises(Stopped):
        await hf.start("nobody-runs-it")
    with pytest.raises(Stopped):
        await hf.describe("a")


async def test_a_watch_that_nobody_holds_is_taken_back(served: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.remote.engine.SWEEP_EVERY", 0.01)
    async with Holdfast.connect(served.url) as hf:
        await hf.start("nobody-runs-it", id="a")
        await hf.submit_task("nobody-runs-it")
        async with asyncio.timeout(20):
            while served.engine.executions.open() or served.engine.tasks.open():  # noqa: ASYNC110 - sets no event
                await asyncio.sleep(0.005)


async def test_a_worker_that_is_told_to_drain_drains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.server.grpc.worker_verbs.HEARTBEAT_INTERVAL_MS", 100)
    async with serving(tmp_path) as served, Holdfast.connect(served.url, tasks=[told]) as hf:
        async with asyncio.timeout(20):
            while not (known := served.engine.directory.workers(hf.tenant)):  # noqa: ASYNC110 - sets no event
                await asyncio.sleep(0.01)
            assert served.engine.directory.drain(known[0].key)
            assert hf._worker is not None
            await hf._worker.drained.wait()
        task_id = (await hf.submit_task("told", 1)).id
        assert (await served.claim_task("told")).task_id == task_id
