"""`holdfast worker` as an operator runs it."""

import asyncio
import signal
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.model.workers import WorkerRecord
from tests.access.running import LIMIT, Command
from tests.grpc.serving import Server, serving
from tests.services.certificates import Authority

pytestmark = pytest.mark.processes

APP = str(Path(__file__).with_name("shop.py"))


def url(folder: Path) -> str:
    return f"sqlite:///{folder / 'app.db'}"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with serving(tmp_path) as served:
        yield served


async def both_workers(holdfast: Holdfast) -> Sequence[WorkerRecord]:
    """A process says that it serves a moment before the server has heard of it."""
    async with asyncio.timeout(LIMIT):
        while len(known := await holdfast.workers()) < 2:  # noqa: ASYNC110 - the server has no event for it
            await asyncio.sleep(0.01)
    return known


async def test_several_processes_work_and_drain(tmp_path: Path) -> None:
    with Command(tmp_path, "--db", url(tmp_path), "worker", APP, "--processes", "2") as worker:
        pids = {worker.until("serving")["pid"] for _ in range(2)}
        assert len(pids) == 2
        async with Holdfast.open(url(tmp_path)) as holdfast:
            assert await (await holdfast.start("total", 4)).result(timeout=LIMIT) == 6
        assert worker.stop() == 0
        worker.until("stopped")


async def test_a_process_that_crashes_is_started_again(tmp_path: Path) -> None:
    with Command(tmp_path, "--db", url(tmp_path), "worker", APP) as worker:
        first = worker.until("serving")["pid"]
        async with Holdfast.open(url(tmp_path)) as holdfast:
            handle = await holdfast.submit_task("crash_once", str(tmp_path))
            assert worker.until("crashed")["code"] == 7
            assert worker.until("serving")["pid"] != first
            assert await handle.result(timeout=LIMIT) == "alive"
        assert worker.stop(signal.SIGINT) == 0


async def test_a_worker_that_is_drained_ends_and_is_not_started_again(server: Server, tmp_path: Path) -> None:
    with Command(tmp_path, "--url", server.url, "worker", APP, "--processes", "2") as worker:
        for _ in range(2):
            await asyncio.to_thread(worker.until, "serving")
        async with Holdfast.connect(server.url) as holdfast:
            for known in await both_workers(holdfast):
                assert await holdfast.drain_worker(known.id)
            told = [await asyncio.to_thread(worker.until, "drained") for _ in range(2)]
        assert len({each["pid"] for each in told}) == 2
        assert await asyncio.to_thread(worker.ended) == 0


async def test_a_worker_and_a_command_show_their_certificate(tmp_path: Path) -> None:
    authority = Authority(tmp_path, "authority")
    certificate, key = authority.issue("server")
    files = {"TLS_CA": authority.ca, **dict(zip(("TLS_CERT", "TLS_KEY"), authority.issue("client"), strict=True))}
    shown = {f"HOLDFAST_{name}": str(file) for name, file in files.items()}
    served = ("--tls-cert", str(certificate), "--tls-key", str(key), "--tls-client-ca", str(authority.ca))
    with Command(tmp_path, "server", "--grpc-port", "0", "--rest-port", "0", *served) as server:
        at = server.until("serving")["grpc"]
        with Command(tmp_path, "--url", at, "worker", APP, **shown) as worker:
            worker.until("serving")
            with Command(tmp_path, "--url", at, "tenant", "list", **shown) as command:
                assert command.ended() == 0
            with Command(tmp_path, "--url", at, "workflow", "start", "total", "--input", "4", "--wait", **shown) as run:
                assert run.ended() == 0
            assert worker.stop() == 0
        assert server.stop() == 0


def test_an_app_that_is_broken_is_not_tried_for_ever(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import nothing_of_this_name\n", encoding="utf-8")
    with Command(tmp_path, "--db", url(tmp_path), "worker", "broken.py", "--processes", "2") as worker:
        assert worker.ended() == 1
        assert "nothing_of_this_name" in "".join(worker.errors)
