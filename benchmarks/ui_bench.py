"""How long the UI takes to open on localhost: home with its heading and first data, each time in a new browser context.

A server and its worker run in this process, with 1,000 executions on SQLite; Chromium beside them.

    python -m benchmarks.ui_bench [--openings 15]
"""

import argparse
import asyncio
import os
import statistics
import tempfile

from playwright.async_api import async_playwright

from holdfast import Holdfast
from holdfast.server.activity import recording
from holdfast.server.host import EngineHost
from holdfast.server.rest.serving import serve
from scripts.build_ui import locked_build
from tests.services.chromium import ARGUMENTS, chromium
from tests.ui.loading import first_data
from tests.ui.programs import SETTINGS, TASKS, WORKFLOWS, nap

EXECUTIONS = 1_000


async def measure(openings: int) -> list[float]:
    """In ms; the first one, for which the browser itself is still warming up, is left out."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/app.db"
        async with (
            Holdfast.open(url, workflows=WORKFLOWS, tasks=TASKS, settings=SETTINGS) as hf,
            async_playwright() as playwright,
        ):
            engine = hf._engine
            assert isinstance(engine, EngineHost)
            await asyncio.gather(*[hf.start(nap, id=f"execution-{number}") for number in range(EXECUTIONS)])
            browser = await playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
            async with recording(engine, seconds=0.1), serve(engine, port=0) as http:
                times = [(await first_data(browser, http)).passed_ms for _ in range(openings + 1)]
            await browser.close()
            return times[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--openings", type=int, default=15)
    locked_build()
    times = asyncio.run(measure(parser.parse_args().openings))
    print(
        f"home has its first data after {statistics.median(times):.0f} ms "
        f"(median of {len(times)}), worst {max(times):.0f} ms"
    )
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
