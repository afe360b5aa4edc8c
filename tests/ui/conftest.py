"""A browser, and Holdfast with its UI on a new file."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, async_playwright

from holdfast import Holdfast
from holdfast.server.access.building import gate_for_development
from holdfast.server.activity import recording
from holdfast.server.host import EngineHost
from holdfast.server.rest.serving import serve
from holdfast.stores.sqlite.store import SqliteStore
from scripts.build_ui import locked_build
from tests.services.chromium import ARGUMENTS, chromium
from tests.ui.programs import SETTINGS, TASKS, WORKFLOWS
from tests.ui.watching import Site, Window

HERE = Path(__file__).parent
ARTEFACTS = HERE.parents[1] / ".tools/screenshots"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One event loop for all tests of this folder: the browser lives on it."""
    for item in items:
        if HERE in item.path.parents and item.get_closest_marker("asyncio") is not None:
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.fixture(scope="session")
def built_ui() -> None:
    """The UI as it is in this checkout."""
    locked_build()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Chromium; it is started once."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def site(built_ui: None, tmp_path: Path) -> AsyncIterator[Site]:
    """Engine, worker, REST and the UI."""
    url = f"sqlite:///{tmp_path}/app.db"
    async with Holdfast.open(url, workflows=WORKFLOWS, tasks=TASKS, settings=SETTINGS) as hf:
        engine = hf._engine
        assert isinstance(engine, EngineHost)
        store = engine.store
        assert isinstance(store, SqliteStore)
        gate = gate_for_development(store, clock=engine.clock, chance=engine.chance)
        async with recording(engine, seconds=0.1), serve(engine, port=0, gate=gate) as http:
            yield Site(hf=hf, store=store, url=http)


@pytest_asyncio.fixture(loop_scope="session")
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    """A browser that remembers nothing."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    yield context
    await context.close()


@pytest_asyncio.fixture(loop_scope="session")
async def window(site: Site, context: BrowserContext) -> AsyncIterator[Window]:
    """A page; at the end nothing may have gone wrong on it."""
    window = Window(await context.new_page(), site.url, ARTEFACTS)
    yield window
    assert window.complaints == []
