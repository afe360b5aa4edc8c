"""A private Redis, on a free port, in a temporary folder; it forgets everything when it stops, as an index may."""

import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import redis

from tests.services.accounts import Account, unprivileged
from tests.services.installing import program
from tests.services.keeper import Address
from tests.services.network import LOOPBACK, free_port

READY_SECONDS = 30.0


class RedisServer:
    """One server; what it holds is kept nowhere."""

    def __init__(self) -> None:
        self._program = program("redis-server", package="redis-server")
        self._account: Account = unprivileged("redis")
        self.folder = self._account.new_folder("redis")
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """For clients."""
        return redis_url(self.port, 0)

    def start(self) -> None:
        """Returns when it answers."""
        options: dict[str, Any] = self._account.popen
        # The program decides by its name what it is; the file has another one.
        command = ["redis-server", "--port", str(self.port), "--bind", LOOPBACK, "--dir", str(self.folder)]
        with (self.folder / "log").open("a") as log:
            self._process = subprocess.Popen(
                [*command, "--save", "", "--appendonly", "no"],
                executable=self._program,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                **options,
            )
        self._wait_until_ready()

    def stop(self) -> None:
        """Returns when it has ended; as suddenly as a crash."""
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)
            self._process.kill()
            self._process.wait()
            self._process = None

    def pause(self) -> None:
        """Let it answer nobody, and refuse nobody either."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """After a pause."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def forget(self) -> None:
        """FLUSHALL."""
        with self.client() as client:
            client.flushall()

    def client(self) -> "redis.Redis":
        """To look into it."""
        return redis.Redis.from_url(self.url, decode_responses=True)

    def remove(self) -> None:
        """Stop it, and remove everything."""
        self.stop()
        shutil.rmtree(self.folder)

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        with self.client() as client:
            while True:
                try:
                    client.ping()
                    return
                except redis.RedisError:
                    if time.monotonic() > deadline or self._process is None or self._process.poll() is not None:
                        log = (self.folder / "log").read_text(encoding="utf-8")
                        raise RuntimeError(f"redis-server does not answer: {log}") from None
                    time.sleep(0.02)


def redis_url(port: int, database: int) -> str:
    """How a client names a database of a private server."""
    return f"redis://{LOOPBACK}:{port}/{database}"


@contextmanager
def running_redis() -> Iterator[RedisServer]:
    """A server of one's own, to be stopped, paused and emptied at will."""
    server = RedisServer()
    try:
        server.start()
        yield server
    finally:
        server.remove()


@contextmanager
def redis_server() -> Iterator[Address]:
    """The server that all tests of a run share."""
    with running_redis() as server:
        yield {"port": server.port}
