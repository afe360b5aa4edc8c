"""A private PostgreSQL: as durable as one in production, on a free port, in a temporary folder."""

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from tests.services.accounts import Account, unprivileged
from tests.services.installing import program
from tests.services.keeper import Address
from tests.services.network import LOOPBACK, free_port
from tests.services.postgres_versions import unpack, wanted

USER = "holdfast"
PACKAGE = "postgresql"
FOLDERS = ("/usr/lib/postgresql/*/bin",)

SETTINGS: Mapping[str, str | int] = {
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "",
    "fsync": "on",
    "synchronous_commit": "on",
    "max_connections": 200,
    "shared_buffers": "128MB",
    "log_min_messages": "warning",
}

ShutdownMode = Literal["smart", "fast", "immediate"]


class PostgresServer:
    """One cluster and the server that runs it; `immediate` stops are crashes as far as the data is concerned."""

    def __init__(self, **settings: str | int) -> None:
        self._account: Account = unprivileged("postgres")
        self.folder = self._account.new_folder("postgres")
        self._bin = _programs(self.folder)
        self.data = self.folder / "data"
        self.port = free_port()
        self._settings = {**SETTINGS, **settings}
        # Not synced: nothing that matters is in it yet. What is written later is, for fsync stays on.
        self._run("initdb", "--username", USER, "--auth", "trust", "--encoding", "UTF8", "--no-sync", "--no-locale")

    def start(self) -> None:
        """Returns when it answers."""
        options = " ".join(f"-c {name}='{value}'" for name, value in {**self._settings, "port": self.port}.items())
        log = str(self.folder / "log")
        self._run("pg_ctl", "--wait", "--timeout", "60", "--log", log, "--options", options, "start")

    def stop(self, mode: ShutdownMode = "fast") -> None:
        """Returns when it has ended."""
        self._run("pg_ctl", "--wait", "--timeout", "60", "--mode", mode, "stop")

    @property
    def running(self) -> bool:
        """Whether it has been started and not stopped."""
        return (self.data / "postmaster.pid").exists()

    @property
    def process_id(self) -> int:
        """Of the process that accepts connections and starts all others."""
        return int((self.data / "postmaster.pid").read_text(encoding="utf-8").split()[0])

    def log(self) -> str:
        """What it has said."""
        return (self.folder / "log").read_text(encoding="utf-8")

    def remove(self) -> None:
        """Stop it, and remove everything."""
        if self.running:
            self.stop("immediate")
        shutil.rmtree(self.folder)

    def url(self, database: str = "postgres") -> str:
        """For clients."""
        return postgres_url(self.port, database)

    def _run(self, name: str, *arguments: str) -> None:
        command = self._account.command(str(self._bin / name), "--pgdata", str(self.data), *arguments)
        # Into a file and not a pipe: the server inherits it, and a pipe would be read until the server ends.
        with (self.folder / f"{name}.out").open("w+") as output:
            ended = subprocess.run(
                command, stdout=output, stderr=output, stdin=subprocess.DEVNULL, cwd="/", check=False
            )
            if ended.returncode != 0:
                output.seek(0)
                raise RuntimeError(f"{name} failed: {output.read()}")


def _programs(folder: Path) -> Path:
    """Where the programs are: those of the machine, or those of the version that is wanted, in this folder."""
    version = wanted()
    if version is None:
        return program("initdb", package=PACKAGE, folders=FOLDERS).parent
    return unpack(version, folder)


def postgres_url(port: int, database: str) -> str:
    """How a client names a database of a private server."""
    return f"postgresql://{USER}@{LOOPBACK}:{port}/{database}"


@contextmanager
def running_postgres(**settings: str | int) -> Iterator[PostgresServer]:
    """A server of one's own, to be stopped and killed at will."""
    server = PostgresServer(**settings)
    try:
        server.start()
        yield server
    finally:
        server.remove()


@contextmanager
def postgres() -> Iterator[Address]:
    """The server that all tests of a run share."""
    with running_postgres() as server:
        yield {"port": server.port, "folder": str(Path(server.folder))}
