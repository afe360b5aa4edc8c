"""`holdfast worker list|show|drain`, and that `holdfast worker app.py` is still `holdfast worker run app.py`."""

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from holdfast.cli.exits import Exit
from holdfast.cli.program import program
from holdfast.cli.workers.group import worker
from holdfast.protocol.generated import worker_pb2
from tests.grpc.serving import Server, serving

LIMIT = 30.0
HELD = "order-1"


class Background:
    """A server with one busy worker and one idle one, on a loop of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self.url = ""

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        async with serving(self._folder) as server:
            await register(server, "idle", tasks=[{"name": "charge"}])
            await register(server, "busy", workflows=[{"name": "order", "version": "7"}])
            await server.start(HELD)
            await server.call("PollWorkflow", worker_pb2.PollWorkflowRequest(worker_id="busy", kinds=["order"]))
            self.url = server.url
            self._ready.set()
            await self._over.wait()

    def __enter__(self) -> "Background":
        self._thread.start()
        assert self._ready.wait(LIMIT)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(LIMIT)

    def call(self, *words: str, terminal: bool = False) -> click.testing.Result:
        shown = "--no-json" if terminal else "--json"
        environment = {"COLUMNS": "200", "TERM": "dumb"}
        return CliRunner().invoke(program, [shown, "--url", self.url, *words], env=environment, prog_name="holdfast")

    def answer(self, *words: str) -> Any:
        called = self.call(*words)
        assert called.exit_code == 0, called.output
        return json.loads(called.stdout)


async def register(server: Server, name: str, **can: Any) -> None:
    await server.call("Register", worker_pb2.RegisterRequest(worker_id=name, queues=["default"], client="raw", **can))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Background]:
    with Background(tmp_path_factory.mktemp("workers")) as server:
        yield server


def test_all_workers_are_listed_with_what_they_hold(server: Background) -> None:
    busy, idle = server.answer("worker", "list")["workers"]
    assert (busy["id"], busy["client"], busy["queues"]) == ("busy", "raw", ["default"])
    assert busy["workflows"] == [{"name": "order", "version": "7"}]
    [held] = busy["work"]
    assert (held["of"], held["id"], held["kind"]) == ("workflow", HELD, "order")
    assert (idle["id"], idle["tasks"], idle["work"]) == ("idle", [{"name": "charge", "version": ""}], [])
    shown = server.call("worker", "list", terminal=True).stdout
    assert "1 workflows, 0 tasks" in shown


def test_one_worker_is_shown(server: Background) -> None:
    assert server.answer("worker", "show", "busy")["work"][0]["id"] == HELD
    assert "workflows: order 7" in server.call("worker", "show", "busy", terminal=True).stdout
    assert "busy with nothing" in server.call("worker", "show", "idle", terminal=True).stdout


def test_a_worker_is_drained_once(server: Background) -> None:
    assert server.answer("worker", "drain", "idle") == {"id": "idle", "changed": True}
    assert server.answer("worker", "drain", "idle") == {"id": "idle", "changed": False}
    assert "was told to drain before" in server.call("worker", "drain", "idle", terminal=True).stdout
    assert server.answer("worker", "show", "idle")["draining"]


@pytest.mark.parametrize("verb", ["show", "drain"])
def test_one_that_nobody_knows_is_not_found(server: Background, verb: str) -> None:
    called = server.call("worker", verb, "nobody")
    assert (called.exit_code, json.loads(called.stderr)["code"]) == (Exit.NOT_FOUND, "WORKER_NOT_FOUND")


def words_of_run(*words: str) -> list[str]:
    """What `run` would be given."""
    context = click.Context(worker)
    worker.parse_args(context, list(words))
    return [*context._protected_args, *context.args]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("app.py",), ["run", "app.py"]),
        (("--queue", "light", "app.py"), ["run", "--queue", "light", "app.py"]),
        ((), ["run"]),
        (("run", "list"), ["run", "list"]),
        (("drain", "w"), ["drain", "w"]),
    ],
)
def test_the_word_run_may_be_left_out(words: tuple[str, ...], meant: list[str]) -> None:
    assert words_of_run(*words) == meant


def test_the_help_tells_of_both() -> None:
    shown = CliRunner().invoke(program, ["worker", "--help"]).stdout
    assert "--task-slots" in shown
    assert "drain" in shown


def test_no_workers_are_no_error(tmp_path: Path) -> None:
    (tmp_path / "app.db").touch()
    words = ["--no-json", "--db", f"sqlite:///{tmp_path}/app.db", "worker", "list"]
    assert "no workers are connected" in CliRunner().invoke(program, words).stdout
