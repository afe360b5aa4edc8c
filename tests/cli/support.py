"""The command line as tests call it: in this process on a copy of a shop's database, and as real processes."""

import asyncio
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from click.testing import CliRunner, Result

from holdfast import Holdfast
from holdfast.cli.application import load_application
from holdfast.cli.program import program
from holdfast.model.errors import WorkError

SHOP = Path(__file__).with_name("shop_app.py")
LIMIT = 30.0
"""Seconds after which a wait for another process has failed."""


class Shop:
    """A folder with a database that has been worked on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"sqlite:///{folder / 'shop.db'}"

    def call(self, *words: str, terminal: bool = False, stdin: str | None = None) -> Result:
        """Call a command in this process, on a terminal or not."""
        shown = ("--no-json",) if terminal else ("--json",)
        arguments = [*shown, "--db", self.url, *words]
        environment = {"COLUMNS": "200", "TERM": "dumb"}
        return CliRunner().invoke(program, arguments, input=stdin, env=environment, prog_name="holdfast")

    def answer(self, *words: str) -> Any:
        """The JSON document that a command prints."""
        called = self.call(*words)
        assert called.exit_code == 0, called.output
        return json.loads(called.stdout)

    def shown(self, *words: str) -> str:
        """What a command shows on a terminal."""
        called = self.call(*words, terminal=True)
        assert called.exit_code == 0, called.output
        return called.stdout

    def refusal(self, *words: str) -> tuple[int, Any]:
        """The exit code of a command, and the error document that it prints."""
        called = self.call(*words)
        return called.exit_code, json.loads(called.stderr)


async def work_in(folder: Path) -> None:
    """What the shop did before the tests look at it."""
    app = load_application(str(SHOP))
    url = Shop(folder).url
    async with Holdfast.open(url, workflows=app.workflows, tasks=app.tasks) as holdfast:
        await holdfast.run("hello", "Ada", id="hello-1")
        await (await holdfast.submit_task("greet", "Bob", id=TASK)).result()
        for failing in (
            await holdfast.start("failing", 7, id="failing-1"),
            await holdfast.submit_task("explode", 7, id=FAILED_TASK),
        ):
            await _ended(failing.result())
        await holdfast.start("approval", {"id": "17", "cents": 999}, id="approval-1")
        await holdfast.start("counter", id="counter-1")
        await _until_asleep(holdfast)
    async with Holdfast.open(url) as holdfast:
        await holdfast.start("ghost", id="ghost-1")
        await holdfast.submit_task("nobody", id=PENDING_TASK, delay=3600)


TASK = "018f3c1e-5a7b-7c3d-9e2f-000000000001"
FAILED_TASK = "018f3c1e-5a7b-7c3d-9e2f-000000000002"
PENDING_TASK = "018f3c1e-5a7b-7c3d-9e2f-000000000003"


async def _ended(result: Any) -> None:
    try:
        await result
    except WorkError:
        return
    raise AssertionError("it should have failed")


async def _until_asleep(holdfast: Holdfast) -> None:
    """Until the child of the approval sleeps and the counter waits."""
    async with asyncio.timeout(LIMIT):
        while (await holdfast.timers()).total < 1 or (await holdfast.describe("counter-1")).status != "WAITING":  # noqa: ASYNC110
            await asyncio.sleep(0.01)


class DevProcess:
    """A running `holdfast dev`."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        words = [sys.executable, "-m", "holdfast", "--json", "dev", "app.py", *options]
        environment = {**os.environ, "HOLDFAST_DB": "sqlite:///shop.db", "PYTHONDONTWRITEBYTECODE": "1"}
        self.process = subprocess.Popen(
            words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self._events: queue.Queue[dict[str, Any]] = queue.Queue()
        self.errors: list[str] = []
        self._threads = [
            threading.Thread(target=self._read_events, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read_events(self) -> None:
        for line in cast("Iterator[str]", self.process.stdout):
            self._events.put(json.loads(line))

    def _read_errors(self) -> None:
        self.errors.extend(cast("Iterator[str]", self.process.stderr))

    def until(self, event: str) -> dict[str, Any]:
        """The next event of that name."""
        while True:
            found = self._events.get(timeout=LIMIT)
            if found["event"] == event:
                return found

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to end; its exit code."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self) -> int:
        """Its exit code, when it has ended."""
        code = self.process.wait(LIMIT)
        for thread in self._threads:
            thread.join(LIMIT)
        return code

    def has_said_all(self) -> bool:
        """Whether nobody can write to its output any more."""
        return not any(thread.is_alive() for thread in self._threads)

    def close(self) -> None:
        """See that nothing is left of it."""
        if self.process.poll() is None:
            self.process.terminate()
            self.ended()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


@contextmanager
def developing(folder: Path, code: str, *options: str) -> Iterator[DevProcess]:
    """`holdfast dev` on an app with this code."""
    (folder / "app.py").write_text(code, encoding="utf-8")
    process = DevProcess(folder, *options)
    try:
        yield process
    finally:
        process.close()


def second_terminal(folder: Path, *words: str) -> Any:
    """What a command prints that is called from a process of its own."""
    environment = {**os.environ, "HOLDFAST_DB": "sqlite:///shop.db"}
    called = subprocess.run(
        [sys.executable, "-m", "holdfast", *words],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT, check=True,
    )  # fmt: skip
    return json.loads(called.stdout)
