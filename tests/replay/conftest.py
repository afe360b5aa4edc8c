"""Puts away what the tests of replay leave suspended, as a worker would."""

from collections.abc import Iterator

import pytest

from tests.replay.support import open_runs


@pytest.fixture(autouse=True)
def _close_runs() -> Iterator[None]:
    yield
    for run in open_runs:
        run.close()
    open_runs.clear()
