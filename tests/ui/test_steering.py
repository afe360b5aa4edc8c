"""What people do from the browser beside looking: start, pause, drain, end by hand, find."""

from playwright.async_api import expect

from tests.ui.programs import Order, charge, nap
from tests.ui.watching import Site, Window

ROWS = '[aria-label="Executions"] [role=row][aria-rowindex]'


async def test_a_workflow_is_started_by_a_form_and_watched(site: Site, window: Window) -> None:
    await window.goto("/workflows")
    await window.button("Start …").click()
    await window.page.get_by_role("dialog").get_by_label("Workflow").fill("checkout")
    await window.page.get_by_label("customer").fill("Ada")
    await window.page.get_by_label("cents").fill("4200")
    await window.page.get_by_label("Id; one is made").fill("order-1")
    await window.shoot("start")
    await window.button("Start").last.click()

    await window.sees_status("WAITING")
    execution = await site.hf.describe("order-1")
    assert execution.input == b'{"customer":"Ada","cents":4200}'


async def test_whoever_sees_home_for_the_first_time_can_start_something(window: Window) -> None:
    await window.goto("/")
    await window.button("New execution …").click()
    await window.page.get_by_role("dialog").get_by_label("Workflow").fill("nap")
    await window.button("Start").last.click()

    await window.sees_status("WAITING")


async def test_an_input_that_does_not_fit_is_refused_with_its_place(site: Site, window: Window) -> None:
    await window.goto("/workflows")
    await window.button("Start …").click()
    await window.page.get_by_role("dialog").get_by_label("Workflow").fill("checkout")
    await window.button("JSON").click()
    await window.page.get_by_role("textbox", name="Input").fill('{"customer": "Ada"}')
    await window.button("Start").last.click()

    await expect(window.page.get_by_role("alert")).to_contain_text("cents")


async def test_executions_are_found_by_text_and_metadata(site: Site, window: Window) -> None:
    await site.hf.start(nap, id="nap-1", metadata={"customer": "acme"})
    await site.hf.start(nap, id="nap-2", metadata={"customer": "globex"})
    await window.goto("/workflows")
    await expect(window.page.locator(ROWS)).to_have_count(2)

    await window.page.get_by_label("Metadata").fill("customer:globex")
    await expect(window.page.locator(ROWS)).to_have_count(1)
    await expect(window.page.locator(ROWS)).to_contain_text("nap-2")
    await expect(window.page.locator(ROWS)).to_contain_text("customer: globex")
    await window.page.get_by_label("Metadata").fill("")
    await window.page.get_by_label("Text").fill("ACME")

    await expect(window.page.locator(ROWS)).to_contain_text("nap-1")
    await expect(window.page.locator(ROWS)).to_have_count(1)


async def test_a_queue_is_paused_with_a_reason_and_resumed(site: Site, window: Window) -> None:
    await site.hf.start(nap, id="lost", queue="far-away")
    await window.goto("/queues")
    queue = window.page.get_by_role("region", name="Queue far-away")
    await queue.get_by_role("button", name="Pause").click()
    await window.page.get_by_label("Reason").fill("the bank is down")
    await window.button("Pause it").click()
    await expect(queue).to_contain_text("the bank is down")
    await window.shoot("queue-paused")
    await window.goto("/")
    await window.sees("is paused: the bank is down")

    await window.goto("/queues")
    await queue.get_by_role("button", name="Resume").click()

    await expect(queue.get_by_role("button", name="Pause")).to_be_visible()


async def test_a_worker_shows_what_it_runs_and_can_be_drained(site: Site, window: Window) -> None:
    await window.goto("/workers")
    await window.sees("1 worker online")
    await window.sees("Nothing: it waits for work.")
    await window.shoot("workers")

    await window.button("Drain …").click()
    await window.button("Drain it").click()

    await window.sees("draining")


async def test_a_task_is_ended_by_hand(site: Site, window: Window) -> None:
    task = await site.hf.submit_task(charge, Order("Ada", 1), queue="far-away")
    await window.goto(f"/tasks/{task.id}")
    await window.button("End by hand").click()
    await window.page.get_by_role("textbox", name="Output").fill('"paid in cash"')
    await window.button("Complete it").click()

    await window.sees_status("COMPLETED")
    assert await task.result() == "paid in cash"


async def test_home_moves_as_things_happen(site: Site, window: Window) -> None:
    await window.goto("/")
    await window.sees("Nothing has run yet")

    await site.hf.start(nap, id="nap-1")

    await expect(window.page.get_by_role("link", name="1 open executions")).to_be_visible()
    await expect(window.page.get_by_role("region", name="By kind")).to_contain_text("nap")
    await expect(window.page.get_by_role("link", name="1 workers online")).to_be_visible()


async def test_timers_are_foretold(site: Site, window: Window) -> None:
    await site.hf.start(nap, id="nap-1")
    await window.goto("/timers")
    await window.sees("0 timers due in the next day")

    await window.button("month").click()

    await window.sees("1 timer due in the next 30 days")
    await expect(window.page.get_by_role("img", name="Timers due in the next 30 days: 1")).to_be_visible()
    assert window.page.url.endswith("?within=month")
