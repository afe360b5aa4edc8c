"""kill -9 while schedules act: each nominal time starts exactly one thing, whoever dies at whichever moment."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from holdfast.model.flow_requests import SaveFlow
from holdfast.model.ids import DEFAULT_TENANT
from holdfast.model.instants import Instant, Milliseconds
from holdfast.model.queries import ExecutionFilter, HistoryWanted, TaskFilter
from holdfast.model.schedule_requests import SaveSchedule
from holdfast.model.schedules import (
    Overlap,
    ScheduleSpec,
    Starts,
    StartsFlow,
    StartsTask,
    StartsWorkflow,
    execution_of_time,
    task_named,
)
from holdfast.ports.store import Store
from holdfast.server import wiring
from tests.crashes.scheduling import MOMENTS
from tests.flow.sketches import sketch
from tests.timers.running import MovedClock

pytestmark = [pytest.mark.processes, pytest.mark.slow, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
WITHIN = 120.0
SECOND = Milliseconds(1_000)
PAST, AHEAD = 300, 3
"""Nominal times that have passed when the first server begins, and that come while they serve."""
WHAT: dict[str, Starts] = {
    "code": StartsWorkflow("report"), "graph": StartsFlow("told"), "work": StartsTask("sweep")
}  # fmt: skip
DEATHS = [(moment, number) for moment in MOMENTS if moment != "never" for number in (1, 2)]


class Servers:
    """Processes over one database."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._processes: list[subprocess.Popen[bytes]] = []

    def serve(self, moment: str, number: int = 0) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.crashes.scheduling", str(self._file), moment, str(number)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        self._processes.append(process)
        return process

    def end(self) -> None:
        """See to it that they are gone."""
        for process in self._processes:
            process.kill()
            process.wait()


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    servers = Servers(tmp_path / "app.db")
    yield servers
    servers.end()


@pytest.fixture
async def times(tmp_path: Path) -> list[Instant]:
    """The nominal times of three schedules; whoever has made them was gone before the first."""
    now = int(time.time()) * 1_000
    first, last = Instant(now - (PAST - 30) * SECOND), Instant(now + AHEAD * SECOND)
    clock = MovedClock()
    clock.move(-PAST - 1)
    host = wiring.engine_host(wiring.open_store(f"sqlite:///{tmp_path}/app.db"), clock=clock)
    await host.start()
    flow = sketch({"say": "log"}, name="told")
    await host.send(SaveFlow(DEFAULT_TENANT, "told", msgspec.json.encode(flow)))
    for name, starts in WHAT.items():
        spec = ScheduleSpec(starts, every_ms=SECOND, not_before=first, not_after=last, overlap=Overlap.ALLOW)
        await host.send(SaveSchedule(DEFAULT_TENANT, name, spec))
    await host.stop()
    return [Instant(at) for at in range(first, last + 1, SECOND)]


@pytest.fixture
async def store(tmp_path: Path, times: list[Instant]) -> AsyncIterator[Store]:
    del times  # the database has been made
    store = wiring.open_store(f"sqlite:///{tmp_path}/app.db")
    await store.open()
    yield store
    await store.close()


async def started(store: Store) -> Counter[str]:
    """How often each id is there, of executions and tasks; ids are unique, so more than once would be another id."""
    found: Counter[str] = Counter()
    wanted = ExecutionFilter(DEFAULT_TENANT, limit=500)
    while True:
        page = await store.list_executions(wanted)
        found.update(each.id for each in page.executions)
        if page.next is None:
            break
        wanted = replace(wanted, after=page.next)
    tasks = await store.list_tasks(TaskFilter(DEFAULT_TENANT, limit=500))
    assert tasks.next is None
    found.update(each.id for each in tasks.tasks)
    return found


async def test_each_nominal_time_starts_one_thing(servers: Servers, store: Store, times: list[Instant]) -> None:
    for moment, number in DEATHS:
        assert servers.serve(moment, number).wait(WITHIN) == -signal.SIGKILL, moment
    pair = [servers.serve("after the commit", 1), servers.serve("after the write, before the commit", 2)]
    assert [each.wait(WITHIN) for each in pair] == [-signal.SIGKILL] * 2
    servers.serve("never")
    servers.serve("never")
    expected: set[str] = {execution_of_time(name, at) for name in ("code", "graph") for at in times}
    expected |= {task_named(DEFAULT_TENANT, execution_of_time("work", at)) for at in times}
    async with asyncio.timeout(WITHIN):
        while len(await started(store)) < len(expected):  # noqa: ASYNC110 - other processes start them
            await asyncio.sleep(0.1)
    assert await started(store) == dict.fromkeys(expected, 1)
    for name in WHAT:
        schedule = await store.schedule((DEFAULT_TENANT, name))
        assert schedule is not None
        assert (schedule.started, schedule.missed, schedule.skipped) == (len(times), 0, 0)
    runs = [execution_of_time("graph", at) for at in times]
    histories = await store.histories([HistoryWanted(DEFAULT_TENANT, each, 0, 100) for each in runs])
    assert {tuple(event.type for event in events) for events in histories} == {
        ("WORKFLOW_STARTED", "WORKFLOW_COMPLETED")
    }
