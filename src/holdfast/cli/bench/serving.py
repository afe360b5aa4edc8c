"""A server in a process of its own, and what it uses: the worker and the clients are this process."""

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from holdfast.cli.bench import machine
from holdfast.cli.bench.places import DatabaseUse, Place, Server

END_WITHIN = 20.0
PORTS = ("--grpc-port", "0", "--rest-port", "0")


class Served(msgspec.Struct, frozen=True):
    """A server that is measured."""

    grpc: str
    rest: str | None = None
    pid: int | None = None
    """Of a server on this machine that this bench has started."""
    database: Server | None = None
    """The database server beside it, if there is one that the bench can ask."""


@asynccontextmanager
async def own_server(place: Place) -> AsyncIterator[Served]:
    """A server on a fresh store, as `holdfast server` starts it."""
    words = [sys.executable, "-m", "holdfast", "--json", "server", "--store", place.url, *PORTS]
    process = await asyncio.create_subprocess_exec(
        *words,
        "--grpc-port",
        "0",
        "--rest-port",
        "0",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdout is not None
    try:
        told = json.loads(await process.stdout.readline())
        yield Served(told["grpc"], told["rest"], process.pid, place.server)
    finally:
        process.terminate()
        await asyncio.wait_for(process.wait(), END_WITHIN)


class Used:
    """Adds up what server, worker, database and others use while something is measured."""

    def __init__(self, served: Served) -> None:
        self._pid = served.pid
        self._place = served.database
        self._seconds = self._server = self._own = 0.0
        self._others = self._database = self._wal = 0.0
        self.items = 0
        """How many workflows or tasks were measured; counted by whoever measures."""

    def __enter__(self) -> None:
        self._stood = self._database_use()
        self._began = self._sample()

    def __exit__(self, *_: object) -> None:
        wall, own, server, everyone = [end - begin for begin, end in zip(self._began, self._sample(), strict=True)]
        now = self._database_use()
        database = (now.cores_seconds or 0.0) - (self._stood.cores_seconds or 0.0)
        self._wal += now.wal_bytes - self._stood.wal_bytes
        self._database += database
        self._seconds += wall
        self._own += own
        self._server += server
        self._others += max(0.0, everyone - own - server - database)

    def _database_use(self) -> DatabaseUse:
        return DatabaseUse(0.0, None) if self._place is None else self._place.use()

    def _sample(self) -> tuple[float, float, float, float]:
        server = 0.0 if self._pid is None else machine.process_seconds(self._pid) or 0.0
        return time.perf_counter(), time.process_time(), server, machine.busy_seconds() or 0.0

    @property
    def server_cores(self) -> float:
        """Of the server's process."""
        return self._server / max(self._seconds, 1e-9)

    def details(self) -> dict[str, float]:
        """As a report shows it."""
        wall = max(self._seconds, 1e-9)
        found = {"worker_cores": self._own / wall, "load": os.getloadavg()[0]}
        if self._pid is not None:
            found |= {"server_cores": self._server / wall, "other_cores": self._others / wall}
        if self._place is not None:
            found |= {"database_cores": self._database / wall, "wal_bytes_each": self._wal / max(self.items, 1)}
        return found
