"""What the SQLite store alone bounds: how far a search looks, and how much of a feed is kept."""

from pathlib import Path

import pytest

from holdfast.model.instants import Instant
from holdfast.model.queries import ExecutionFilter
from holdfast.ports.store import Changes
from holdfast.stores.sqlite import SqliteStore, queries, writing
from tests.stores.making import ACME, execution, ids, write
from tests.stores.test_oversight import told


async def test_a_search_that_has_looked_far_enough_says_where_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "MOST_SEARCHED", 2)
    store = SqliteStore(tmp_path / "a.db")
    await store.open()
    made = [execution(f"e{number}", created_at=Instant(number)) for number in range(4)]
    await write(store, Changes(new_executions=[*made, execution("found", created_at=Instant(0))]))
    pages: list[list[str]] = []
    page = await store.list_executions(ExecutionFilter(ACME, text="found"))
    pages.append(ids(list(page.executions)))
    while page.next is not None:
        page = await store.list_executions(ExecutionFilter(ACME, text="found", after=page.next))
        pages.append(ids(list(page.executions)))
    await store.close()
    assert pages == [[], ["found"], []]


async def test_old_notices_are_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "KEPT_NOTICES", 4)
    monkeypatch.setattr(writing, "FORGET_EVERY", 1)
    store = SqliteStore(tmp_path / "a.db")
    await store.open()
    for number in range(10):
        await write(store, Changes(feed=[told(f"{number}a", f"{number}b")]))
    page = await store.feed(ACME, 0, 100)
    await store.close()
    assert page.newest == 20
    assert page.first == page.oldest == 20 - len(page.notices) + 1
    assert 4 <= len(page.notices) <= 6
