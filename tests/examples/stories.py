"""Runs the examples as their readers do: as programs of their own, on a database of their own."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PATIENCE_SECONDS = 60.0


def command(example: str, database: Path) -> list[str]:
    return [sys.executable, str(REPOSITORY / "examples" / f"{example}.py"), f"sqlite:///{database}"]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(REPOSITORY / "src"), "PYTHONUNBUFFERED": "1"}


def told(example: str, database: Path) -> list[str]:
    """What the example prints, line by line."""
    ended = subprocess.run(
        command(example, database),
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    return ended.stdout.splitlines()


@contextmanager
def running(example: str, database: Path) -> Iterator[subprocess.Popen[str]]:
    """The example as a process; it does not outlive the test."""
    with subprocess.Popen(command(example, database), env=environment(), stdout=subprocess.PIPE, text=True) as process:
        patience = threading.Timer(PATIENCE_SECONDS, process.kill)
        patience.start()
        try:
            yield process
        finally:
            patience.cancel()
            process.kill()


def told_before_kill(example: str, database: Path, *, last: str) -> list[str]:
    """What the example prints until it is killed with -9, which is right after a line that begins with `last`."""
    lines: list[str] = []
    with running(example, database) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith(last):
                process.kill()
                break
        process.wait(PATIENCE_SECONDS)
    assert process.returncode == -9, f"it ended before it said {last!r}: {lines}"
    return lines
