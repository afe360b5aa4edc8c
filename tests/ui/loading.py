"""How long the UI takes to open: from the beginning of the navigation until there is something to read and to click."""

from pathlib import Path

from playwright.async_api import Browser

READY = """
window.firstData = new Promise(resolve => {
    const seen = () => document.querySelector("h1") && document.querySelector("[aria-label='By kind'] td");
    const look = () => seen() ? requestAnimationFrame(() => resolve(performance.now())) : requestAnimationFrame(look);
    look();
});
"""
"""In frames, as people see it; the clock of a page begins with its navigation."""


async def first_data_ms(browser: Browser, url: str, picture: Path | None = None) -> float:
    """Until home has its heading and its first data, in a browser that has never been there."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    try:
        page = await context.new_page()
        await page.add_init_script(READY)
        await page.goto(url, wait_until="commit")
        passed = float(await page.evaluate("window.firstData"))
        if picture is not None:
            await page.screenshot(path=picture)
        return passed
    finally:
        await context.close()
