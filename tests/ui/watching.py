"""What a test does at the screen, and what must not happen there meanwhile."""

import re
from pathlib import Path
from typing import Any

from playwright.async_api import ConsoleMessage, Error, Locator, Page, Request, expect

from holdfast import Holdfast
from holdfast.ports.store import Store

API = "/api/tenants/default"
SLOW_MS = 60_000
"""How long anything may take on a machine that is busy with other tests."""

expect.set_options(timeout=SLOW_MS)


class Window:
    """A page of the UI; it keeps a list of what a browser complains about."""

    def __init__(self, page: Page, url: str, artefacts: Path) -> None:
        self.page = page
        self.url = url
        self.complaints: list[str] = []
        self._artefacts = artefacts
        page.on("console", self._heed)
        page.on("pageerror", self._crashed)
        page.on("request", self._requested)

    def _heed(self, message: ConsoleMessage) -> None:
        # Chromium itself logs answers such as 404, which tests may ask for.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            self.complaints.append(f"{message.type}: {message.text}")

    def _crashed(self, error: Error) -> None:
        self.complaints.append(f"uncaught: {error.message}")

    def _requested(self, request: Request) -> None:
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.complaints.append(f"asked for {request.url}, which is somewhere else")

    async def goto(self, path: str) -> None:
        """Open a view."""
        await self.page.goto(self.url + path)

    def text(self, text: str | re.Pattern[str]) -> Locator:
        return self.page.get_by_text(text).first

    def button(self, name: str | re.Pattern[str]) -> Locator:
        return self.page.get_by_role("button", name=name)

    def link(self, name: str) -> Locator:
        return self.page.get_by_role("link", name=name, exact=True)

    async def sees(self, text: str | re.Pattern[str]) -> None:
        """Wait until a text can be read."""
        await expect(self.text(text)).to_be_visible()

    async def sees_status(self, status: str) -> None:
        """Wait until the execution's own status is this."""
        await expect(self.page.locator(f".page-head [data-status={status}]")).to_be_visible()

    async def shoot(self, name: str) -> None:
        """Keep a picture."""
        self._artefacts.mkdir(parents=True, exist_ok=True)
        await self.page.screenshot(path=self._artefacts / f"{name}.png")

    async def run(self, script: str, *given: Any) -> Any:
        return await self.page.evaluate(script, *given)


class Site:
    """Holdfast and its address."""

    def __init__(self, *, hf: Holdfast, store: Store, url: str) -> None:
        self.hf = hf
        self.store = store
        self.url = url
