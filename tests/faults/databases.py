"""The databases that the servers of a fault test share, and what their tables say."""

import asyncio
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol

import asyncpg

from tests.faults.proxy import Proxy
from tests.services.postgres import PostgresServer

Row = tuple[object, ...]
TRIES = 10


class Database(Protocol):
    """What the servers keep everything in."""

    @property
    def url(self) -> str:
        """For a server."""

    async def start(self) -> None:
        """Make it ready."""

    async def stop(self) -> None:
        """Let it go."""

    async def rows(self, statement: str) -> Sequence[Row]:
        """What the tables say, whoever is or is not running."""


class SqliteFile:
    """A file."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "faults.db"

    @property
    def url(self) -> str:
        return f"sqlite:///{self._file}"

    async def start(self) -> None:
        """The first server makes it."""

    async def stop(self) -> None:
        """It goes with its folder."""

    async def rows(self, statement: str) -> Sequence[Row]:
        return await asyncio.to_thread(self._rows, statement)

    def _rows(self, statement: str) -> Sequence[Row]:
        with closing(sqlite3.connect(self._file)) as connection:
            return connection.execute(statement).fetchall()


class PostgresCluster:
    """A PostgreSQL that may be crashed, behind a wire that may be cut."""

    def __init__(self, server: PostgresServer) -> None:
        self.server = server
        self.wire = Proxy(server.port)

    @property
    def url(self) -> str:
        return self.server.url().replace(f":{self.server.port}/", f":{self.wire.port}/")

    async def start(self) -> None:
        await self.wire.start()

    async def stop(self) -> None:
        await self.wire.stop()

    async def rows(self, statement: str) -> Sequence[Row]:
        connection = await asyncpg.connect(self.server.url(), server_settings={"search_path": "holdfast, public"})
        try:
            return [tuple(row) for row in await connection.fetch(statement)]
        finally:
            await connection.close()

    async def crash(self) -> None:
        """Every process of it ends at once; then it recovers from its log."""
        await asyncio.to_thread(self._crash)

    def _crash(self) -> None:
        """As often as it takes: a fork of a process in which gRPC has threads may die before it becomes pg_ctl."""
        failures: list[str] = []
        while len(failures) < TRIES:
            try:
                if not failures or self.server.running:
                    self.server.stop("immediate")
                self.server.start()
            except RuntimeError as error:
                failures.append(str(error))
                time.sleep(0.5)
            else:
                return
        raise RuntimeError(f"{failures}: {self.server.log()[-2_000:]}")

    async def end_connections(self) -> None:
        """As an administrator does it, or a failover."""
        await self.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
