"""A database for each test; most tests run three times: on a file, at a server that hosts it, and on PostgreSQL."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from holdfast.server import wiring
from holdfast.server.grpc.serving import serve


@pytest.fixture
def file_url(tmp_path: Path) -> str:
    """For what can only be done to an engine in this process."""
    return f"sqlite:///{tmp_path}/app.db"


@pytest.fixture(params=["open", "connect", "postgres"])
def hosting(request: pytest.FixtureRequest, file_url: str) -> tuple[str, str]:
    """How the engine is hosted, and its database."""
    if request.param == "postgres":
        return request.param, request.getfixturevalue("emptied_postgres_database")
    return request.param, file_url


@pytest.fixture
async def url(hosting: tuple[str, str]) -> AsyncIterator[str]:
    """An engine in this process, or a server."""
    how, database = hosting
    if how != "connect":
        yield database
        return
    engine = wiring.engine_host(wiring.open_store(database))
    await engine.start()
    try:
        async with serve(engine, port=0) as served:
            yield served
    finally:
        await engine.stop()
