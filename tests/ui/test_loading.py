"""The UI opens fast. `benchmarks/ui_bench.py` prints the figure; here a machine may be busy with other things.

So it is the work of the page that is bounded: what its thread does on a processor until there is something to read
and to click. Waiting for the processor, and for the server, is not in it.
"""

from playwright.async_api import Browser

from tests.ui.conftest import ARTEFACTS
from tests.ui.loading import first_data
from tests.ui.programs import Order, checkout
from tests.ui.watching import Site

OPENINGS = 3
BUSY_MS = 1_000


async def test_home_is_there_soon(site: Site, browser: Browser) -> None:
    await site.hf.start(checkout, Order("Ada", 4200), id="order-1")
    ARTEFACTS.mkdir(parents=True, exist_ok=True)

    openings = [await first_data(browser, site.url, ARTEFACTS / "first-data.png") for _ in range(OPENINGS)]

    told = ", ".join(f"{each.passed_ms:.0f} ms ({each.busy_ms:.0f} ms of work)" for each in openings)
    (ARTEFACTS / "first-data.txt").write_text(f"home has its first data after {told}\n", encoding="utf-8")
    assert 0 < min(each.busy_ms for each in openings) < BUSY_MS, told
