"""A server in a process of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.remote.servers import ServerProcess


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    made = ServerProcess(tmp_path)
    yield made
    made.close()
