"""A server of two tenants, acme and other, each with a key for each role."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.access.serving import Served, serving


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(tmp_path) as served:
        yield served
