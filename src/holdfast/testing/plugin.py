"""The pytest plugin: the fixture `holdfast_test`, and the histories of a failed test in its report.

pytest loads it in every run of everyone who has Holdfast installed, so it imports nothing before it is used. It works
with any plugin that runs async tests (pytest-asyncio, anyio), and under xdist: everything is in memory.
"""

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from holdfast.testing.environment import HoldfastTest

OPENED = pytest.StashKey["list[HoldfastTest]"]()

MAX_HISTORIES = 20
"""In the report of one failed test."""


@pytest.fixture
def holdfast_test(request: pytest.FixtureRequest) -> "Callable[..., HoldfastTest]":
    """Makes HoldfastTest objects, `async with holdfast_test(workflows=[…]) as hf:`; a failure shows their histories."""
    from holdfast.testing.environment import HoldfastTest

    opened: list[HoldfastTest] = []
    request.node.stash[OPENED] = opened

    def make(**options: Any) -> HoldfastTest:
        made = HoldfastTest(**options)
        opened.append(made)
        return made

    return make


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show what the workflows of a failed test did."""
    report = yield
    if report.failed:
        for made in item.stash.get(OPENED, []):
            if made.opened is not None:
                histories = list(made.opened.histories().items())
                for title, history in histories[:MAX_HISTORIES]:
                    report.sections.append((f"Holdfast: {title}", history))
    return report
