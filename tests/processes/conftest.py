"""Shops: processes that share a database and a ledger; all of them are ended with the test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes.support import Street


@pytest.fixture(params=["sqlite", "postgres"])
def street(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Street]:
    in_file = request.param == "sqlite"
    url = f"sqlite:///{tmp_path}/shop.db" if in_file else request.getfixturevalue("emptied_postgres_database")
    made = Street(tmp_path, url)
    yield made
    made.close()
