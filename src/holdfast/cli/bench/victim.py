"""The process that `recovering` kills, and the one that takes over: `python -m holdfast.cli.bench.victim ROLE …`."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from holdfast.app.holdfast import Holdfast
from holdfast.cli.bench import programs
from holdfast.cli.bench.hosting import Host
from holdfast.cli.bench.measuring import closed_loop
from holdfast.cli.bench.places import Place
from holdfast.worker.registry import Registry
from holdfast.worker.settings import WorkerSettings

IN_FLIGHT = 100
RESULT_TIMEOUT = 90.0


async def main(role: str, url: str, trail: Path, count: int) -> None:
    """Start workflows and then run them until the end, or wait for the results of those that another has started."""
    descriptor = os.open(trail, os.O_WRONLY | os.O_APPEND)
    # One write to a file opened for appending is whole, and outlives the process that made it.
    noted = programs.noting_task(lambda number: _ignore(os.write(descriptor, f"{number}\n".encode())))
    workflow = programs.one_step(noted)
    host = Host(Place(url))
    await host.engine.start()
    holdfast = host.holdfast(Registry([workflow], [noted]), WorkerSettings())
    if role == "start":
        await closed_loop(count, IN_FLIGHT, lambda number: holdfast.start(workflow, number, id=f"recovered-{number}"))
        print("started", flush=True)
        await holdfast.start_worker()
    else:
        await holdfast.start_worker()
        await closed_loop(count, IN_FLIGHT, lambda number: _result(holdfast, number))
        print("all results are there", flush=True)
    await _until_terminated()
    await holdfast.close()


async def _result(holdfast: Holdfast, number: int) -> object:
    return await holdfast.handle(f"recovered-{number}").result(timeout=RESULT_TIMEOUT)


async def _until_terminated() -> None:
    terminated = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminated.set)
    await terminated.wait()


def _ignore(written: int) -> None:
    del written


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])))
