"""Which files are opened, and what is said about the others."""

import asyncio
import sqlite3
import tempfile
import threading
from pathlib import Path

import pytest

from holdfast.model.errors import StoreDamaged, StoreRefused, Unavailable, UnsafeSettings
from holdfast.ports.store import Changes
from holdfast.stores.sqlite import SqliteStore, connections
from holdfast.stores.sqlite.connections import Settings, pragma
from tests.stores.making import key, task, write
from tests.stores.sqlite_making import Faults, deaf_to, error_of_sqlite, opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "app.db"


async def test_a_new_file_has_the_settings_that_keep_commits(path: Path) -> None:
    expected = {"journal_mode": "wal", "synchronous": 2, "application_id": 0x486F6C64, "wal_autocheckpoint": 4_000}
    async with opened(path) as store:
        assert store._running is not None
        ask_writer, ask_reader = store._running.writer.ask, store._running.readers.ask
        assert await ask_writer(lambda connection: {name: pragma(connection, name) for name in expected}) == expected
        assert await ask_reader(lambda connection: pragma(connection, "query_only")) == 1
        assert await store.damages() == []


@pytest.mark.parametrize(
    ("statement", "named"), [("PRAGMA synchronous =", "synchronous is 1"), ("PRAGMA journal_mode =", "is delete")]
)
async def test_settings_that_could_lose_commits_are_refused(path: Path, statement: str, named: str) -> None:
    class Careless(deaf_to(statement).factory):  # type: ignore[misc]
        def __init__(self, *arguments: object, **options: object) -> None:
            super().__init__(*arguments, **options)
            sqlite3.Connection.execute(self, "PRAGMA synchronous = NORMAL")

    with pytest.raises(UnsafeSettings, match=named):
        await SqliteStore(path, settings=Settings(factory=Careless)).open()


def try_to_open(path: Path) -> None:
    asyncio.run(SqliteStore(path).open())


def test_a_file_that_is_no_database_is_refused_and_untouched(path: Path) -> None:
    path.write_bytes(b"dear diary, " * 100)
    with pytest.raises(StoreDamaged, match="is not an SQLite database"):
        try_to_open(path)
    assert path.read_bytes() == b"dear diary, " * 100


def test_the_database_of_another_program_is_refused_and_untouched(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE customer (id)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreRefused, match="another program"):
        try_to_open(path)
    assert path.read_bytes() == before


def test_a_truncated_header_is_damage(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 500)
    with pytest.raises(StoreDamaged, match="restore it from a backup"):
        try_to_open(path)


async def test_an_empty_file_is_a_new_one(tmp_path: Path) -> None:
    with tempfile.NamedTemporaryFile(dir=tmp_path) as empty:
        async with opened(Path(empty.name)) as store:
            assert await store.execution(key("order-1")) is None


async def test_a_folder_and_a_file_in_no_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreRefused, match="is a folder"):
        await SqliteStore(tmp_path).open()
    with pytest.raises(StoreRefused, match="does not exist"):
        await SqliteStore(tmp_path / "missing" / "app.db").open()


async def test_a_file_that_cannot_be_written_is_refused(path: Path) -> None:
    class ReadOnly(sqlite3.Connection):
        def __init__(self, *arguments: object, **options: object) -> None:
            super().__init__(*arguments, **options)  # type: ignore[arg-type]
            super().execute("PRAGMA query_only = 1")

    with pytest.raises(StoreRefused, match="cannot be written to"):
        await SqliteStore(path, settings=Settings(factory=ReadOnly)).open()


async def test_a_file_that_is_locked_may_be_tried_again(path: Path) -> None:
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(Unavailable, match="locked by another process"):
        await SqliteStore(path, settings=Settings(busy_timeout_ms=30)).open()
    holder.close()
    async with opened(path):
        pass


async def test_opening_waits_for_another_that_switches_to_the_log(path: Path) -> None:
    faults = Faults()
    busy = error_of_sqlite(sqlite3.SQLITE_BUSY, "database is locked")
    faults.arm("PRAGMA journal_mode =", busy)
    faults.arm("PRAGMA journal_mode =", busy)
    async with opened(path, settings=faults.settings) as store:
        assert await store.next_wake() is None


async def test_an_old_sqlite_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "OLDEST_SQLITE", (99, 0, 0))
    with pytest.raises(StoreRefused, match=r"SQLite 99\.0\.0 or newer"):
        await SqliteStore(path).open()


async def test_nothing_is_left_behind_by_a_refusal(tmp_path: Path) -> None:
    before = {thread.name for thread in threading.enumerate()}
    refused = SqliteStore(tmp_path)
    with pytest.raises(StoreRefused):
        await refused.open()
    await refused.close()
    assert not {name for name in {thread.name for thread in threading.enumerate()} - before if "holdfast" in name}


async def test_damage_is_found(path: Path) -> None:
    async with opened(path) as store:
        await write(store, Changes(new_tasks=[task(f"task-{number}") for number in range(500)]))
    damage_the_end(path)
    async with opened(path) as store:
        assert await store.damages() != []


def damage_the_end(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(-4096, 2)
        file.write(b"\xff" * 500)
