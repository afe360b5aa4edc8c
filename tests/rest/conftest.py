"""An engine with a worker on a new file, and the REST application over it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.server.host import EngineHost
from holdfast.server.rest.application import Rest
from holdfast.server.rest.calls import Service
from holdfast.server.rest.serving import serve
from tests.rest.clients import Direct
from tests.rest.programs import SETTINGS, TASKS, WORKFLOWS


@pytest.fixture
async def idle_engine(tmp_path: Path) -> AsyncIterator[EngineHost]:
    """Nobody runs anything."""
    async with Holdfast.open(f"sqlite:///{tmp_path}/app.db") as hf:
        yield hf._engine  # type: ignore[misc]  # it is the engine of this process


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[EngineHost]:
    """A worker runs the programs."""
    async with Holdfast.open(f"sqlite:///{tmp_path}/app.db", workflows=WORKFLOWS, tasks=TASKS, settings=SETTINGS) as hf:
        yield hf._engine  # type: ignore[misc]  # it is the engine of this process


@pytest.fixture
async def idle(idle_engine: EngineHost) -> Direct:
    return Direct(Rest(Service(engine=idle_engine)))


@pytest.fixture
async def rest(engine: EngineHost) -> Direct:
    return Direct(Rest(Service(engine=engine)))


@pytest.fixture
async def url(engine: EngineHost) -> AsyncIterator[str]:
    """A real server."""
    async with serve(engine, port=0) as url:
        yield url
