"""Schedules in the browser: when each is next, what came of the last times, paused, started now, deleted."""

from playwright.async_api import expect

from tests.ui.programs import nap
from tests.ui.watching import Site, Window


async def test_a_schedule_is_started_now_paused_and_deleted(site: Site, window: Window) -> None:
    await window.goto("/schedules")
    await window.sees("Nothing starts by the clock")
    await site.hf.save_schedule("nightly", nap, cron="0 3 * * *", note="<img src=x onerror=window.hacked=1>")
    schedule = window.page.get_by_role("region", name="Schedule nightly")
    await expect(schedule).to_contain_text("0 3 * * *")
    await expect(schedule).to_contain_text("<img src=x")

    await schedule.get_by_role("button", name="Start now").click()
    await window.sees_status("WAITING")
    await window.goto("/schedules")
    await schedule.get_by_role("button", name="Pause").click()
    await expect(schedule).to_contain_text("paused")
    await window.shoot("schedules")
    await schedule.get_by_role("button", name="Resume").click()
    await expect(schedule.get_by_role("button", name="Pause")).to_be_visible()
    await schedule.get_by_role("button", name="Delete").click()
    await window.button("Delete it").click()

    await window.sees("Nothing starts by the clock")
    assert await window.run("window.hacked") is None


async def test_a_schedule_is_made_by_a_form_and_changed(site: Site, window: Window) -> None:
    await window.goto("/schedules")
    await window.button("New schedule …").click()
    form = window.page.get_by_role("dialog")
    await form.get_by_label("Id", exact=True).fill("weekly")
    await form.get_by_label("Name of the workflow").fill("checkout")
    await form.get_by_label("Input, as JSON").fill('{"customer": "Ada", "cents": 1}')
    await form.get_by_label("Cron line").fill("not a line")
    await form.get_by_label("Time zone").fill("Europe/Vienna")
    await form.get_by_role("button", name="Save").click()
    await expect(form.get_by_role("alert")).to_be_visible()
    await window.shoot("schedule-form")
    await form.get_by_label("Cron line").fill("0 8 * * 1")
    await form.get_by_role("button", name="Save").click()
    schedule = window.page.get_by_role("region", name="Schedule weekly")
    await expect(schedule).to_contain_text("0 8 * * 1")
    await expect(schedule).to_contain_text("Europe/Vienna")

    await schedule.get_by_role("button", name="Edit").click()
    await form.get_by_role("button", name="by an interval").click()
    await form.get_by_label("Every").fill("90")
    await form.get_by_label("Unit").select_option("minutes")
    await form.get_by_role("button", name="Save").click()

    await expect(schedule).to_contain_text("every 1h 30m")
    await schedule.get_by_role("button", name="Start now").click()
    await window.sees_status("WAITING")
    [run] = (await site.hf.list(kind="checkout")).executions
    assert run.input == b'{"customer":"Ada","cents":1}'
