"""kill -9 at each step from a timer to a message and its effect: every run ends once, no timer fires early."""

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.model.events import TimerFired, TimerStarted
from holdfast.model.ids import DEFAULT_TENANT, ExecutionId
from holdfast.model.queries import HistoryWanted
from holdfast.ports.store import Store
from holdfast.server import wiring
from tests.brokers.running import ended
from tests.crashes.victim import STEPS

pytestmark = [pytest.mark.processes, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
RUNS = 30
WITHIN = 60.0


class Servers:
    """Processes over one database, one Redis and one RabbitMQ."""

    def __init__(self, file: Path, redis: str, rabbitmq: str) -> None:
        self._arguments = [str(file), redis, rabbitmq]
        self._processes: list[subprocess.Popen[str]] = []

    def serve(self, step: str, runs: int) -> "subprocess.Popen[str]":
        """A server that dies at a step."""
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.crashes.victim", *self._arguments, step, str(runs)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            stdout=subprocess.PIPE,
            text=True,
        )
        self._processes.append(process)
        return process

    def end(self) -> None:
        """See to it that they are gone."""
        for process in self._processes:
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "flows.db"


@pytest.fixture
def servers(file: Path, redis_keys: str, rabbitmq_queues: str) -> Iterator[Servers]:
    servers = Servers(file, redis_keys, rabbitmq_queues)
    yield servers
    servers.end()


@pytest.mark.parametrize("step", [step for step in STEPS if step != "never"])
async def test_every_run_ends_once(servers: Servers, file: Path, step: str) -> None:
    assert servers.serve(step, RUNS).wait(WITHIN) == -signal.SIGKILL
    # Starts are answered one by one: the second server starts those again that the first one has not.
    survivor = servers.serve("never", RUNS)
    assert survivor.stdout is not None
    assert survivor.stdout.readline() == "started\n"
    store = wiring.open_store(f"sqlite:///{file}")
    await store.open()
    try:
        await check(store)
    finally:
        await store.close()


async def check(store: Store) -> None:
    """Each run has ended once, each of its timers has fired once, and none of them early."""
    for row in await ended(store, [f"run-{number}" for number in range(RUNS)]):
        [events] = await store.histories([HistoryWanted(DEFAULT_TENANT, ExecutionId(row.id), 0, 1_000)])
        assert Counter(event.type for event in events) == {
            "WORKFLOW_STARTED": 1,
            "TIMER_STARTED": 2,
            "TIMER_FIRED": 2,
            "WORKFLOW_COMPLETED": 1,
        }
        due = {event.data.timer_id: event.data.fire_at for event in events if isinstance(event.data, TimerStarted)}
        fired = {event.data.timer_id: event.time for event in events if isinstance(event.data, TimerFired)}
        assert all(fired[timer] >= (at or 0) for timer, at in due.items())
