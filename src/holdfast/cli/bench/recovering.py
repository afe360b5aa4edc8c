"""W7: a process is killed with many started workflows, and another one takes over."""

import asyncio
import sys
import tempfile
import time
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

from holdfast.cli.bench import machine
from holdfast.cli.bench.figures import Measurement, figure
from holdfast.cli.bench.setting import Setting

VICTIM = "holdfast.cli.bench.victim"
SHARE_BEFORE_KILL = 3
"""The kill comes when one in so many steps has run."""
LOOK_EVERY = 0.002
TIMEOUT = 120.0


async def kill_and_restart(setting: Setting) -> AsyncIterator[Measurement]:
    """W7."""
    sizes = setting.sizes
    probe = machine.probe_disk(setting.folder, seconds=sizes.probe_seconds)
    runs = [await _run(setting, sizes.recovered) for _ in range(sizes.repetitions)]
    yield Measurement(
        workload="W7",
        title=f"kill -9 with {sizes.recovered:,} started one-step workflows: until all results are there",
        figures=(
            figure("W7", [seconds for seconds, _, _ in runs]),
            figure("W7 repeated", [float(repeated) for _, repeated, _ in runs]),
        ),
        details={"steps_before_kill": float(runs[-1][2]), "results": sizes.recovered},
        probe=probe,
        limited_by="starting Python, opening the file and running the remaining workflows",
    )


async def _run(setting: Setting, count: int) -> tuple[float, int, int]:
    """Seconds until all results were there, steps that ran more than once, steps before the kill."""
    place = setting.place()
    trail = Path(tempfile.mkdtemp(dir=setting.folder)) / "trail"
    trail.touch()
    victim = await _spawn("start", place.url, trail, count)
    try:
        await _line(victim)
        await _wait_for_steps(trail, count // SHARE_BEFORE_KILL)
    finally:
        victim.kill()
    start = time.perf_counter()
    await victim.wait()
    before = len(_steps(trail))
    successor = await _spawn("resume", place.url, trail, count)
    try:
        await _line(successor)
        seconds = time.perf_counter() - start
    finally:
        successor.terminate()
        await successor.wait()
    ran = Counter(_steps(trail))
    return seconds, sum(ran.values()) - len(ran), before


async def _spawn(role: str, url: str, trail: Path, count: int) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", VICTIM, role, url, str(trail), str(count), stdout=PIPE
    )


async def _line(process: Process) -> str:
    """What a process says next; that it says nothing more is an error."""
    if process.stdout is None:
        raise RuntimeError("the process was started without a pipe")
    async with asyncio.timeout(TIMEOUT):
        line = await process.stdout.readline()
    if not line:
        raise RuntimeError(f"the process under test ended by itself with exit code {await process.wait()}")
    return line.decode().strip()


async def _wait_for_steps(trail: Path, count: int) -> None:
    async with asyncio.timeout(TIMEOUT):
        while len(_steps(trail)) < count:  # noqa: ASYNC110 - another process writes the file
            await asyncio.sleep(LOOK_EVERY)


def _steps(trail: Path) -> list[str]:
    return trail.read_text(encoding="ascii").split()
