"""A server process on a port that stays its own, so that it can be killed and started again."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Self

ROOT = Path(__file__).parents[2]
WITHIN = 30.0
"""Seconds after which a wait for another process has failed."""


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port


class ServerProcess:
    """`python -m tests.remote.served`: one at a time, on one database and one port."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.port = free_port()
        self.url = f"grpc://127.0.0.1:{self.port}"
        self.store = f"sqlite:///{folder}/served.db"
        self.settings = settings
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> Self:
        """Start it, and wait until it serves."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.remote.served", self.store, str(self.port)],
            cwd=ROOT,
            env={**os.environ, **self.settings},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline().strip() == "serving"
        return self

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    def ended(self) -> int:
        """Wait for its end; its exit code."""
        assert self._process is not None
        code = self._process.wait(WITHIN)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process = None
        return code

    def kill(self) -> None:
        """End it as a crash does."""
        self.signal(signal.SIGKILL)
        self.ended()

    def close(self) -> None:
        """See to it that it is gone."""
        if self._process is not None:
            self.kill()


class WorkerProcess:
    """`python -m tests.remote.working`: runs until it is killed."""

    def __init__(self, url: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.remote.working", url], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        assert self._process.stdout is not None
        assert self._process.stdout.readline().strip() == "working"
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        """End it as a crash does."""
        self._process.kill()
        self._process.wait(WITHIN)
        assert self._process.stdout is not None
        self._process.stdout.close()
