"""An installation: servers on one database, each behind a wire, and workers; any part can be ended or paused."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.faults.databases import Database
from tests.faults.journal import Ledger
from tests.faults.programs import HELD
from tests.faults.proxy import Proxy
from tests.services.network import free_port

ROOT = Path(__file__).parents[2]
WITHIN = 90.0
"""Seconds in which a process must have started."""


class Process:
    """A server or a worker, that is started again after it was ended."""

    def __init__(self, name: str, arguments: list[str], environment: dict[str, str], log: Path) -> None:
        self.name = name
        self._arguments = arguments
        self._environment = environment
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        """Start it, and wait until it is ready."""
        self._process = self._spawned()
        assert self._process.stdout is not None
        async with asyncio.timeout(WITHIN):
            said = await asyncio.to_thread(self._process.stdout.readline)
        assert said == b"ready\n", f"{self.name} did not start: {self._log.read_text()[-2_000:]}"

    def _spawned(self) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "tests.faults.process", *self._arguments],
                cwd=ROOT,
                env=self._environment,
                stdout=subprocess.PIPE,
                stderr=log,
            )

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    async def kill(self) -> None:
        """End it as a crash does."""
        if self._process is not None:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    @property
    def process_id(self) -> int:
        """Of the process that runs now."""
        assert self._process is not None
        return self._process.pid

    @property
    def descriptors(self) -> int:
        """How many files and connections it has open."""
        assert self._process is not None
        return sum(1 for _ in Path(f"/proc/{self._process.pid}/fd").iterdir())


class Installation:
    """All parts, and where their files are."""

    def __init__(
        self, folder: Path, database: Database, *, servers: int = 2, workers: int = 2, plant: str | None = None
    ) -> None:
        self.folder = folder
        self.database = database
        self.ledger = Ledger(folder / "ledger")
        self._held = folder / HELD.name
        self._ports = [free_port() for _ in range(servers)]
        self.wires = [Proxy(port) for port in self._ports]
        self._workers = workers
        self._plant = plant
        self.servers: list[Process] = []
        self.workers: list[Process] = []

    def url(self, server: int) -> str:
        """Where a server is reached, over its wire."""
        return f"grpc://127.0.0.1:{self.wires[server].port}"

    async def start(self) -> None:
        """All servers at once, on a database in which there is nothing; then the workers."""
        await self.database.start()
        for wire in self.wires:
            await wire.start()
        self.servers = [
            self._process(f"server{number}", ["server", self.database.url, str(port)])
            for number, port in enumerate(self._ports)
        ]
        await asyncio.gather(*[server.start() for server in self.servers])
        self.workers = [
            self._process(f"worker{number}", ["worker", self.url(number % len(self.wires))])
            for number in range(self._workers)
        ]
        await asyncio.gather(*[worker.start() for worker in self.workers])

    def labouring(self) -> list[Process]:
        """The workers that are in the midst of a long task."""
        busy = self.ledger.labouring()
        return [worker for worker in self.workers if worker.process_id in busy]

    @contextmanager
    def labours_held(self) -> Iterator[None]:
        """No long task ends meanwhile."""
        self._held.touch()
        try:
            yield
        finally:
            self._held.unlink()

    def _process(self, name: str, arguments: list[str]) -> Process:
        environment = {**os.environ, "FAULTS_LEDGER": str(self.ledger.file)}
        if self._plant is not None:
            environment["FAULTS_PLANT"] = self._plant
        return Process(name, arguments, environment, self.folder / f"{name}.log")

    async def stop(self) -> None:
        """See to it that everything is gone."""
        for process in (*self.workers, *self.servers):
            await process.kill()
        for wire in self.wires:
            await wire.stop()
        await self.database.stop()
