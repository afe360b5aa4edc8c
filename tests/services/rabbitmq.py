"""A private RabbitMQ of one node, on free ports, in a temporary folder, with an epmd of its own."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.services.accounts import Account, unprivileged
from tests.services.installing import program
from tests.services.keeper import Address
from tests.services.network import LOOPBACK, free_port

READY_SECONDS = 60.0
FOLDERS = ("/usr/lib/rabbitmq/lib/*/sbin",)

CONFIGURATION = """
loopback_users = none
log.console = false
log.file.level = warning
disk_free_limit.absolute = 10MB
raft.wal_max_size_bytes = 16000000
"""
"""Nobody reaches it but this machine; what it logs lies in its folder."""

THRIFTY = "+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none"
"""It shares few cores with the tests, and must not spin on them while it waits."""


class RabbitServer:
    """One node; its queues outlive a stop, and a kill."""

    def __init__(self) -> None:
        self._program = program("rabbitmq-server", package="rabbitmq-server", folders=FOLDERS)
        self._account: Account = unprivileged("rabbitmq")
        self.folder = self._account.new_folder("rabbitmq")
        self.port = free_port()
        self._epmd_port = free_port()
        self._dist_port = free_port()
        self._epmd: subprocess.Popen[bytes] | None = None
        self._node: subprocess.Popen[bytes] | None = None
        (self.folder / "rabbitmq.conf").write_text(CONFIGURATION, encoding="utf-8")
        (self.folder / "plugins").write_text("[].\n", encoding="utf-8")

    @property
    def url(self) -> str:
        """For clients."""
        return rabbit_url(self.port)

    def start(self) -> None:
        """Returns when it takes connections."""
        if self._epmd is None:
            self._epmd = self._run(["epmd", "-port", str(self._epmd_port), "-address", LOOPBACK], "epmd.log")
        self._node = self._run([str(self._program)], "node.log")
        self._wait_until_ready(self._node)

    def kill(self) -> None:
        """As `kill -9` of all its processes."""
        if self._node is not None:
            _end(self._node, signal.SIGKILL)
            self._node = None

    def pause(self) -> None:
        """Let it answer nobody, and refuse nobody either."""
        assert self._node is not None
        os.killpg(self._node.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """After a pause."""
        assert self._node is not None
        os.killpg(self._node.pid, signal.SIGCONT)

    def stop(self) -> None:
        """In good order."""
        if self._node is not None:
            _end(self._node, signal.SIGTERM)
            self._node = None

    def remove(self) -> None:
        """Stop it, and remove everything."""
        self.kill()
        if self._epmd is not None:
            _end(self._epmd, signal.SIGKILL)
            self._epmd = None
        shutil.rmtree(self.folder)

    def log(self) -> str:
        """What it has said."""
        return "\n".join(path.read_text(encoding="utf-8") for path in sorted(self.folder.glob("**/*.log")))

    def _run(self, command: list[str], log: str) -> "subprocess.Popen[bytes]":
        options: dict[str, Any] = self._account.popen
        with (self.folder / log).open("a") as output:
            return subprocess.Popen(
                command,
                stdout=output,
                stderr=output,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                cwd=self.folder,
                env=self._environment(),
                **options,
            )

    def _environment(self) -> dict[str, str]:
        folder = str(self.folder)
        return {
            "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin",
            "LANG": "C.UTF-8",
            "HOME": folder,
            "ERL_EPMD_PORT": str(self._epmd_port),
            "ERL_EPMD_ADDRESS": LOOPBACK,
            "RABBITMQ_NODENAME": f"rabbit{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": LOOPBACK,
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self._dist_port),
            "RABBITMQ_MNESIA_BASE": f"{folder}/data",
            "RABBITMQ_LOG_BASE": f"{folder}/logs",
            "RABBITMQ_CONFIG_FILE": f"{folder}/rabbitmq.conf",
            "RABBITMQ_CONF_ENV_FILE": f"{folder}/environment",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/plugins",
            "RABBITMQ_PID_FILE": f"{folder}/pid",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": f"{THRIFTY} -kernel inet_dist_use_interface {{127,0,0,1}}",
        }

    def _wait_until_ready(self, node: "subprocess.Popen[bytes]") -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not _greets(self.port):
            if time.monotonic() > deadline or node.poll() is not None:
                raise RuntimeError(f"rabbitmq-server does not answer: {self.log()}")
            time.sleep(0.05)


def rabbit_url(port: int) -> str:
    """How a client names a private server."""
    return f"amqp://guest:guest@{LOOPBACK}:{port}/"


def _greets(port: int) -> bool:
    """Whether a node answers the greeting of the protocol."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=1) as connection:
            connection.sendall(b"AMQP\x00\x00\x09\x01")
            return len(connection.recv(8)) == 8
    except OSError:
        return False


def _end(process: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    """A whole process group: the program begins by way of scripts."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)
    process.wait(READY_SECONDS)


@contextmanager
def running_rabbitmq() -> Iterator[RabbitServer]:
    """A server of one's own, to be stopped and killed at will."""
    server = RabbitServer()
    try:
        server.start()
        yield server
    finally:
        server.remove()


@contextmanager
def rabbitmq() -> Iterator[Address]:
    """The server that all tests of a run share."""
    with running_rabbitmq() as server:
        yield {"port": server.port, "folder": str(Path(server.folder))}
