"""One execution in the browser: it is watched as it goes, acted upon, and understood when it has failed."""

from playwright.async_api import expect

from tests.ui.programs import ATTACK, Order, Road, checkout, delivery, hostile, nap
from tests.ui.watching import Site, Window

ORDER = Order("Ada", 4200)


async def test_an_execution_is_watched_live_and_its_promise_resolved(site: Site, window: Window) -> None:
    await window.goto("/workflows")
    await window.sees("Nothing has run yet")

    handle = await site.hf.start(checkout, ORDER, id="order-1")
    await window.link("order-1").click()
    await window.sees_status("WAITING")
    await window.sees("waits for somebody")
    await window.shoot("execution-waiting")
    await window.button("Resolve …").click()
    await expect(window.page.get_by_role("checkbox", name="approval")).to_be_checked()
    await window.shoot("resolve")
    await window.button("Resolve").last.click()

    await window.sees_status("COMPLETED")
    assert await handle.result() == "on its way"
    await window.shoot("execution-completed")


async def test_a_timer_counts_down_and_can_be_fired(site: Site, window: Window) -> None:
    await site.hf.start(nap, id="nap-1")
    await window.goto("/workflows/nap-1")

    countdown = window.page.locator(".waits .countdown")
    await expect(countdown).to_have_text("2d 23h")
    await window.shoot("countdown")
    await window.button("Fire now").click()

    await window.sees_status("COMPLETED")


async def test_a_failure_is_shown_with_its_cause_and_retried(site: Site, window: Window) -> None:
    Road.closed = True
    handle = await site.hf.start(delivery, id="delivery-1")
    await window.goto("/workflows/delivery-1")
    await window.sees_status("FAILED")
    await window.sees("nothing was delivered")
    await window.sees("the road is closed")
    await window.shoot("failure")

    Road.closed = False
    await window.button("Retry").click()
    await window.button("Retry it").click()

    await window.sees_status("COMPLETED")
    assert await handle.result() == "arrived"


async def test_an_execution_is_sent_back_to_its_beginning(site: Site, window: Window) -> None:
    Road.closed = False
    handle = await site.hf.start(delivery, id="delivery-2")
    await handle.result()
    await window.goto("/workflows/delivery-2")
    await window.sees_status("COMPLETED")
    await window.button("Reset").click()
    await window.button("Reset it").click()

    await window.goto("/workflows/delivery-2?tab=history")
    await window.sees("reset")
    await handle.result()
    await window.sees_status("COMPLETED")
    types = [event.type for event in await handle.history()]
    assert types.count("WORKFLOW_COMPLETED") == 2
    assert types.count("RESET_REQUESTED") == 1


async def test_hostile_names_and_values_are_only_text(site: Site, window: Window) -> None:
    await site.hf.start(hostile, ATTACK, id="hostile-1", metadata={ATTACK: ATTACK})
    for tab in ("timeline", "history", "data", "logs"):
        await window.goto(f"/workflows/hostile-1?tab={tab}")
        await window.sees_status("FAILED")
        await window.sees(ATTACK)

    assert await window.run("window.hacked") is None
    assert await window.page.locator("img, script:not([src])").count() == 0
