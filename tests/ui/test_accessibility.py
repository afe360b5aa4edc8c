"""Every view passes axe, in light and dark, on a desk and on a phone."""

import json
from typing import Literal, NamedTuple

import pytest
from playwright.async_api import ViewportSize, expect

from scripts.build_ui import ROOT
from tests.ui.flows import ORDER, keep
from tests.ui.programs import Order, Road, charge, checkout, delivery, nap
from tests.ui.test_flow_runs import STEPS
from tests.ui.watching import Site, Window

AXE = ROOT / "ui/node_modules/axe-core/axe.min.js"
RUN = """async options => {
    const { violations } = await axe.run(document, { resultTypes: ["violations"], ...options });
    const told = nodes => nodes.slice(0, 5).map(each => `${each.html} ${each.failureSummary}`);
    return violations.map(({ id, help, nodes }) => ({ id, help, nodes: told(nodes) }));
}"""
DESK: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}
EXECUTION_VIEWS = {
    "home": "/",
    "executions": "/workflows",
    "waiting": "/workflows/order-1",
    "history": "/workflows/order-1?tab=history",
    "data": "/workflows/order-1?tab=data",
    "logs": "/workflows/order-1?tab=logs",
    "failed": "/workflows/delivery-1?at=execution",
    "tasks": "/tasks",
    "queues": "/queues",
}
OTHER_VIEWS = {
    "flows": "/flows",
    "flow": "/flows/order",
    "versions": "/flows/order?tab=versions",
    "editor": "/flows/order/edit",
    "run": "/workflows/steps-1?node=pause&frame=r~1.0",
    "workers": "/workers",
    "schedules": "/schedules",
    "settings": "/settings",
    "keys": "/settings?tab=keys",
    "tenants": "/settings?tab=tenants",
    "retention": "/settings?tab=retention",
    "audit": "/settings?tab=audit",
    "run-sums": "/workflows/steps-1?node=more",
    "timers": "/timers",
}
"""Two parts, so that two processes can look at them."""


class Look(NamedTuple):
    """A screen, and what axe looks for on it."""

    theme: Literal["light", "dark"]
    size: ViewportSize
    options: dict[str, object]


# Colours depend on the theme alone, and all else does not: looking at everything three times takes long.
LOOKS = (
    Look("light", DESK, {}),
    Look("dark", DESK, {"runOnly": ["color-contrast"]}),
    Look("light", PHONE, {"rules": {"color-contrast": {"enabled": False}}}),
)


async def _populate(site: Site) -> None:
    Road.closed = True
    await site.hf.start(checkout, Order("Ada", 4200), id="order-1")
    await site.hf.start(nap, id="nap-1")
    await site.hf.start(nap, id="lost-1", queue="far-away")
    await (await site.hf.submit_task(charge, Order("Ada", 1))).result()
    await site.hf.save_flow(STEPS)
    await site.hf.start_flow("steps", [1, 2], id="steps-1")
    failed = await site.hf.start(delivery, id="delivery-1")
    with pytest.raises(Exception, match="nothing was delivered"):
        await failed.result()


async def _violations(window: Window, name: str, look: Look) -> object:
    """What axe says of the view that is open, on a screen that becomes another one meanwhile."""
    await window.page.emulate_media(color_scheme=look.theme, reduced_motion="reduce")
    await window.page.set_viewport_size(look.size)
    await window.run("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    await window.shoot(f"{name}-{look.theme}-{look.size['width']}")
    wider = await window.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wider <= 0, f"{name} is wider than the screen"
    return await window.run(RUN, look.options)


@pytest.mark.parametrize("views", [EXECUTION_VIEWS, OTHER_VIEWS], ids=["executions", "others"])
async def test_every_view_passes_axe(site: Site, window: Window, views: dict[str, str]) -> None:
    await _populate(site)
    await keep(site, ORDER, ORDER)
    found = {}
    for name, path in views.items():
        await window.page.set_viewport_size(DESK)
        await window.goto(path)
        await expect(window.page.locator("h1")).to_be_visible()
        await expect(window.page.locator("[aria-busy=true]")).to_have_count(0)
        await window.run(AXE.read_text(encoding="utf-8"))
        for look in LOOKS:
            violations = await _violations(window, name, look)
            if violations:
                found[f"{name} {look.theme} {look.size['width']}"] = violations

    assert found == {}, json.dumps(found, indent=1)
