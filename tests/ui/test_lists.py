"""Lists in the browser: filters that can be linked to, bulk verbs, tasks, timers and queues."""

import asyncio
import time
from urllib.parse import urlsplit

from playwright.async_api import expect

from holdfast.model.ids import DEFAULT_TENANT, QueueName
from holdfast.model.instants import Instant
from holdfast.ports.store import Changes
from tests.stores.making import execution, write
from tests.ui.programs import Order, Road, charge, delivery, greeted, nap
from tests.ui.watching import API, Site, Window

ROWS = '[aria-label="Executions"] [role=row][aria-rowindex]'
TASK_ROWS = '[aria-label="Tasks"] [role=row][aria-rowindex]'


async def test_a_filter_is_an_address_and_can_be_saved(site: Site, window: Window) -> None:
    Road.closed = True
    await site.hf.start(nap, id="nap-1")
    await site.hf.start(delivery, id="delivery-1")
    rows = window.page.locator(ROWS)
    await window.goto("/workflows")
    await expect(rows).to_have_count(2)

    await window.button("failed").click()
    await expect(rows).to_have_count(1)
    assert urlsplit(window.page.url).query == "status=FAILED"
    await window.button("Save this view").click()
    await window.page.get_by_role("textbox", name="Name of the view").fill("Broken")
    await window.button("Save").click()
    await window.link("All").click()
    await expect(rows).to_have_count(2)
    await window.page.reload()
    await window.link("Broken").click()

    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("delivery-1")
    await expect(rows).to_contain_text("RuntimeError: nothing was delivered")


async def test_what_starts_appears_by_itself(site: Site, window: Window) -> None:
    await site.hf.start(nap, id="nap-1")
    await window.goto("/workflows?status=WAITING")
    await window.sees("nap-1")

    await site.hf.start(nap, id="nap-2")

    await window.sees("nap-2")


async def test_chosen_executions_are_cancelled_together(site: Site, window: Window) -> None:
    handles = [await site.hf.start(nap, id=f"nap-{number}") for number in range(5)]
    await window.goto("/workflows")
    await window.page.get_by_label("Choose all that are loaded").check()
    await window.sees("5 executions chosen")

    await window.button("Cancel …").click()
    await window.page.get_by_label("Reason").fill("no longer needed")
    await window.shoot("bulk-cancel")
    await window.button("Cancel 5 executions").click()
    await window.sees("5 of 5 asked")
    await window.button("Close").last.click()

    await expect(window.page.locator(f"{ROWS} [data-status=CANCELLED]")).to_have_count(5)
    assert {(await handle.describe()).status for handle in handles} == {"CANCELLED"}


async def test_failed_executions_are_retried_together(site: Site, window: Window) -> None:
    Road.closed = True
    await asyncio.gather(*[site.hf.start(delivery, id=f"delivery-{number}") for number in range(3)])
    await window.goto("/workflows?status=FAILED")
    await expect(window.page.locator(ROWS)).to_have_count(3)
    await window.page.get_by_label("Choose all that are loaded").check()

    Road.closed = False
    await window.button("Retry …").click()
    await window.button("Retry 3 executions").click()
    await window.sees("3 of 3 asked")
    await window.button("Close").last.click()
    await window.goto("/workflows")

    await expect(window.page.locator(f"{ROWS} [data-status=COMPLETED]")).to_have_count(3)


async def test_a_list_is_walked_with_the_keyboard(site: Site, window: Window) -> None:
    for number in range(3):
        await site.hf.start(nap, id=f"nap-{number}")
    await window.goto("/workflows")
    await expect(window.page.locator(ROWS)).to_have_count(3)

    await window.page.get_by_role("table", name="Executions").focus()
    for key in ("j", "ArrowDown", "k", "Enter"):
        await window.page.keyboard.press(key)

    await expect(window.page).to_have_url(f"{site.url}/workflows/nap-2")


async def test_a_standalone_task_is_seen_with_its_attempts_and_lines(site: Site, window: Window) -> None:
    await window.goto("/tasks")
    await window.sees("No standalone task has been made")
    handle = await site.hf.submit_task(charge, Order("Ada", 4200))
    await handle.result()

    await expect(window.page.locator(TASK_ROWS)).to_have_count(1)
    await window.page.locator(f"{TASK_ROWS} a").click()

    await window.sees_status("COMPLETED")
    await window.sees("receipt for Ada")
    await window.sees("charging Ada")
    await window.shoot("task")


async def test_a_timer_is_rescheduled(site: Site, window: Window) -> None:
    await site.hf.start(nap, id="nap-1")
    await window.goto("/timers")
    await window.sees("2d 23h")
    await window.shoot("timers")

    await window.button("Reschedule …").click()
    await window.page.get_by_label("Fires at").fill("2020-01-01T00:00:00")
    await window.button("Reschedule").last.click()

    await window.sees("No timer is armed")
    await window.goto("/workflows/nap-1")
    await window.sees_status("COMPLETED")


async def test_a_timer_is_fired_and_one_is_cancelled_from_the_list(site: Site, window: Window) -> None:
    for number in range(2):
        await site.hf.start(nap, id=f"nap-{number}")
    await window.goto("/timers")
    row = window.page.get_by_role("row")

    await row.filter(has_text="nap-0").get_by_role("button", name="Fire now").click()
    await expect(row.filter(has_text="nap-0")).to_have_count(0)
    await row.filter(has_text="nap-1").get_by_role("button", name="Cancel").click()

    await window.sees("No timer is armed")
    await window.goto("/workflows/nap-0")
    await window.sees_status("COMPLETED")


async def test_executions_are_filtered_by_the_time_of_their_start(site: Site, window: Window) -> None:
    yesterday = Instant(int(time.time() * 1_000) - 30 * 3_600_000)
    old = execution("old-1", tenant=DEFAULT_TENANT, created_at=yesterday, queue=QueueName("far-away"))
    await write(site.store, Changes(new_executions=[old]))
    await site.hf.start(nap, id="new-1")
    await window.goto("/workflows")
    await expect(window.page.locator(ROWS)).to_have_count(2)

    await window.page.get_by_label("Started in").select_option("24h")

    await expect(window.page.locator(ROWS)).to_have_count(1)
    await window.sees("new-1")
    await window.page.get_by_label("Started in").select_option("7d")
    await expect(window.page.locator(ROWS)).to_have_count(2)
    assert "since=7d" in window.page.url


async def test_work_that_nobody_can_do_is_seen_in_its_queue(site: Site, window: Window) -> None:
    await window.goto("/queues")
    await window.sees("No queue has open work")

    await site.hf.start(nap, id="lost", queue="far-away")

    await expect(window.page.get_by_role("region", name="Queue far-away")).to_contain_text("nap")


async def test_a_signal_is_sent(site: Site, window: Window) -> None:
    handle = await site.hf.start(greeted, id="greeted-1")
    await window.goto("/workflows/greeted-1")
    await window.sees("A signal.")

    await window.button("Signal").click()
    await window.page.get_by_label("Name").fill("greeting")
    await window.page.get_by_role("textbox", name="Value").fill("hello")
    await window.sees("Not JSON yet")
    await window.page.get_by_role("textbox", name="Value").fill('"hello"')
    await window.button("Send").click()

    await window.sees_status("COMPLETED")
    assert await handle.result() == "hello"


async def test_a_server_that_is_away_is_told_and_found_again(site: Site, window: Window) -> None:
    await site.hf.start(nap, id="nap-1")
    await window.page.route(f"**{API}/**", lambda route: route.abort())
    await window.goto("/workflows/nap-1")
    await window.sees("The server cannot be reached")

    await window.page.unroute(f"**{API}/**")

    await window.sees_status("WAITING")


async def test_what_is_not_there_is_told_with_advice(window: Window) -> None:
    await window.goto("/workflows/nothing")
    await window.sees("no workflow 'nothing'")
    await window.sees("past its retention")

    await window.goto("/workflows/a/b/c")
    await window.sees("There is no such page")
