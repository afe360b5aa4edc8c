"""What the page of one execution tells and lets one do: children, attempts, forms, commands, and changed code."""

import re
from datetime import datetime

from playwright.async_api import expect

from tests.ui.programs import Order, Road, changing, checkout, greeted, judged, nap, parent, stubborn
from tests.ui.watching import Site, Window

ORDER = Order("Ada", 4200)


async def test_a_child_opens_in_place(site: Site, window: Window) -> None:
    await site.hf.start(parent, ORDER, id="parent-1")
    await window.goto("/workflows/parent-1")
    timeline = window.page.get_by_role("table", name="Timeline")
    await expect(timeline).to_contain_text("the child")
    await expect(timeline).not_to_contain_text("approval")

    await window.button("Show what the child did").click()
    await expect(timeline).to_contain_text("charge")
    await expect(timeline).to_contain_text("approval")
    await window.shoot("child-in-place")
    await window.button("Show what the child did").click()

    await expect(timeline).not_to_contain_text("approval")


async def test_each_attempt_of_a_task_is_told(site: Site, window: Window) -> None:
    handle = await site.hf.start(stubborn, id="stubborn-1")
    await handle.result()
    await window.goto("/workflows/stubborn-1")
    await expect(window.page.locator(".bar .attempt")).to_have_count(3)

    await window.button("resist").click()

    attempts = window.page.get_by_role("complementary", name="Details").locator(".attempts li")
    await expect(attempts).to_have_count(3)
    await expect(attempts.first).to_contain_text("ValueError: not yet")
    assert "at=task" in window.page.url
    await window.page.reload()
    await expect(attempts).to_have_count(3)


async def test_code_that_no_longer_fits_is_shown_beside_what_is_recorded(site: Site, window: Window) -> None:
    Road.closed = False
    handle = await site.hf.start(changing, id="changing-1")
    await handle.result()
    Road.closed = True
    await site.hf.reset("changing-1", to_sequence=3)
    await window.goto("/workflows/changing-1")

    await window.sees("The code no longer fits the history")
    sides = window.page.locator(".sides")
    await expect(sides).to_contain_text(re.compile("Recorded.*task 'add'.*Attempted.*task 'ship'", re.DOTALL))
    await window.shoot("violation")


async def test_a_promise_is_resolved_by_a_form_made_of_its_type(site: Site, window: Window) -> None:
    handle = await site.hf.start(judged, id="judged-1")
    await window.goto("/workflows/judged-1")
    await window.button("Resolve …").click()
    dialog = window.page.get_by_role("dialog")
    await dialog.get_by_label("reason").fill("sound business")
    await dialog.get_by_role("checkbox", name="approved").check()
    await window.sees("holdfast promise resolve judged-1 verdict")
    await window.shoot("promise-form")
    await dialog.get_by_role("button", name="Resolve").last.click()

    await window.sees_status("COMPLETED")
    assert await handle.result() == "sound business"


async def test_it_is_cancelled_or_terminated_with_a_reason(site: Site, window: Window) -> None:
    for verb, status in (("Cancel", "CANCELLED"), ("Terminate", "TERMINATED")):
        await site.hf.start(nap, id=f"nap-{verb}")
        await window.goto(f"/workflows/nap-{verb}")
        await window.sees_status("WAITING")
        await window.button(verb).click()
        await window.page.get_by_label("Reason").fill("no longer needed")
        await window.sees(f"holdfast workflow {verb.lower()} nap-{verb} --reason 'no longer needed'")
        await window.button(f"{verb} it").click()

        await window.sees_status(status)
        await window.page.get_by_role("tab", name="History").click()
        await window.sees("no longer needed")


async def test_another_one_like_it_is_a_copy_away(site: Site, window: Window) -> None:
    await site.hf.start(checkout, Order("O'Hara", 1), id="order-1")
    await window.goto("/workflows/order-1")
    await window.button("Copy as").click()

    shown = window.page.get_by_role("dialog").locator("pre")
    command = """holdfast workflow start checkout --input '{"customer":"O'"'"'Hara","cents":1}'"""
    await expect(shown.first).to_have_text(command)
    await expect(shown.last).to_contain_text("""hf.start("checkout", {"customer": "O'Hara", "cents": 1})""")


async def test_times_tell_the_exact_instant(site: Site, window: Window) -> None:
    await site.hf.start(nap, id="nap-1")
    await window.goto("/workflows/nap-1")
    await window.sees_status("WAITING")
    [timer] = (await site.hf.timers("nap-1")).timers

    shown = window.page.locator(".waits .countdown time")
    fires = datetime.fromisoformat(str(await shown.get_attribute("datetime")))
    assert round(fires.timestamp() * 1_000) == timer.fire_at
    assert str(await shown.get_attribute("datetime")) in str(await shown.get_attribute("title"))


async def test_recorded_events_can_be_read_as_they_are(site: Site, window: Window) -> None:
    await site.hf.start(greeted, id="greeted-1")
    await site.hf.signal("greeted-1", "greeting", "hello")
    await window.goto("/workflows/greeted-1?tab=history")
    await window.sees("Received signal")
    await window.button("Events").click()

    await window.sees("SIGNAL_RECEIVED")
    await window.page.get_by_role("searchbox").fill("WORKFLOW_COMPLETED")
    await expect(window.page.get_by_role("table", name="History")).not_to_contain_text("SIGNAL_RECEIVED")
