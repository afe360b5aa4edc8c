"""Where a workload keeps its data: a file of its own, or a database of its own on a PostgreSQL server."""

import asyncio
import itertools
import os
import tempfile
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Protocol, TypeVar
from urllib.parse import quote, urlsplit, urlunsplit

import msgspec

from holdfast.cli.bench import machine

Answer = TypeVar("Answer")

DURABILITY = ("fsync", "synchronous_commit", "full_page_writes")
CREATE, DROP = "CREATE DATABASE", "DROP DATABASE IF EXISTS"


class DatabaseUse(msgspec.Struct, frozen=True):
    """What a database server has used since it was started."""

    wal_bytes: float
    cores_seconds: float | None
    """Processor time of all its processes; None if it is not on this machine."""


class Server(Protocol):
    """A database server, as far as the bench looks at it."""

    def use(self) -> DatabaseUse:
        """What it has used so far."""

    def size_of(self, database: str) -> int:
        """Bytes that one of its databases takes."""


class Place(msgspec.Struct, frozen=True):
    """Where one store is."""

    url: str
    server: Server | None = None
    folder: Path | None = None
    """Of a file."""

    def size(self) -> int:
        """Bytes that it takes."""
        if self.server is not None:
            return self.server.size_of(urlsplit(self.url).path.removeprefix("/"))
        return sum(each.stat().st_size for each in self.folder.iterdir() if each.is_file()) if self.folder else 0


def url_of(path: Path) -> str:
    """The URL of a database file."""
    return f"sqlite:///{quote(str(path.absolute()))}"


class Files:
    """Database files, each in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = itertools.count(1)

    def new(self) -> Place:
        """A file that is not there yet."""
        folder = Path(tempfile.mkdtemp(prefix=f"{next(self._numbers)}-", dir=self._folder))
        return Place(url_of(folder / "bench.db"), folder=folder)


class Databases:
    """Databases on one server, dropped at the end. Their connection has a thread of its own, so that it can be asked
    between two looks at the clock."""

    def __init__(self, url: str) -> None:
        import asyncpg

        self._url = urlsplit(url)
        self._names: list[str] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="bench-database", daemon=True)
        self._thread.start()
        try:
            self._connection = self._ask(asyncpg.connect(url))
        except BaseException:
            self._end()
            raise
        self._parent = machine.parent_of(self._ask(self._connection.fetchval("SELECT pg_backend_pid()")), "postgres")

    def new(self) -> Place:
        """An empty database."""
        name = f"holdfast_bench_{os.getpid()}_{len(self._names) + 1}"
        self._names.append(name)
        self._ask(self._connection.execute(f"{CREATE} {name}"))
        return Place(urlunsplit(self._url._replace(path=f"/{name}")), self)

    def use(self) -> DatabaseUse:
        """What the server has used."""
        before = self._cores_seconds()
        wal = self._ask(self._connection.fetchval("SELECT pg_current_wal_insert_lsn() - '0/0'"))
        return DatabaseUse(float(wal), before)

    def size_of(self, database: str) -> int:
        """Bytes that one of its databases takes."""
        size: int = self._ask(self._connection.fetchval("SELECT pg_database_size($1)", database))
        return size

    def durability(self) -> dict[str, str]:
        """Its settings."""
        return {name: self._ask(self._connection.fetchval("SELECT current_setting($1)", name)) for name in DURABILITY}

    def version(self) -> str:
        """Of the server."""
        version: str = self._ask(self._connection.fetchval("SHOW server_version"))
        return version

    def close(self) -> None:
        """Drops them all."""
        try:
            for name in self._names:
                self._ask(self._connection.execute(f"{DROP} {name} WITH (FORCE)"))
            self._ask(self._connection.close())
        finally:
            self._end()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _cores_seconds(self) -> float | None:
        return None if self._parent is None else machine.family_seconds(self._parent)

    def _ask(self, question: Coroutine[Any, Any, Answer]) -> Answer:
        return asyncio.run_coroutine_threadsafe(question, self._loop).result()
