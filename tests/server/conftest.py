"""A host with a store that can fail."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from holdfast.server.host import EngineHost
from tests.server.support import FailingStore, host_over


@pytest.fixture
def store(tmp_path: Path) -> FailingStore:
    return FailingStore(tmp_path / "app.db")


@pytest.fixture
async def host(store: FailingStore) -> AsyncIterator[EngineHost]:
    made = host_over(store)
    await made.start()
    yield made
    store.before = store.after = lambda _: None
    await made.stop()
