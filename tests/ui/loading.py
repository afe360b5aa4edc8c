"""How long the UI takes to open: from the beginning of the navigation until there is something to read and to click."""

from pathlib import Path
from typing import NamedTuple

from playwright.async_api import Browser

READY = """
window.firstData = new Promise(resolve => {
    const seen = () => document.querySelector("h1") && document.querySelector("[aria-label='By kind'] td");
    const look = () => seen() ? requestAnimationFrame(() => resolve(performance.now())) : requestAnimationFrame(look);
    look();
});
"""
"""In frames, as people see it; the clock of a page begins with its navigation."""


class Opening(NamedTuple):
    """How long one took on the clock, and how long the page's thread was busy with it on a processor."""

    passed_ms: float
    busy_ms: float


async def first_data(browser: Browser, url: str, picture: Path | None = None) -> Opening:
    """Until home has its heading and its first data, in a browser that has never been there."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    try:
        page = await context.new_page()
        await page.add_init_script(READY)
        session = await context.new_cdp_session(page)
        await session.send("Performance.enable", {"timeDomain": "threadTicks"})
        await page.goto(url, wait_until="commit")
        passed = float(await page.evaluate("window.firstData"))
        counters = (await session.send("Performance.getMetrics"))["metrics"]
        busy = 1_000 * next(float(each["value"]) for each in counters if each["name"] == "TaskDuration")
        if picture is not None:
            await page.screenshot(path=picture)
        return Opening(passed, busy)
    finally:
        await context.close()
