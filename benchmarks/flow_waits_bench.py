"""A burst of wait nodes: many runs of a flow that wait for one instant, woken by way of Redis and RabbitMQ, or without.

    python benchmarks/flow_waits_bench.py [--timers redis://…] [--broker amqp://…] [--private] [--runs 100000]

One engine over SQLite. It says how many runs a second end after the instant, how early or late the first one is, how
long new work takes meanwhile, and what a woken run costs each thread. `--private` starts a Redis and a RabbitMQ of its
own, as the tests do.
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from holdfast.brokers.guarded import GuardedQueue
from holdfast.model.flow_requests import SaveFlow, StartFlow
from holdfast.model.ids import DEFAULT_QUEUE, DEFAULT_TENANT, ExecutionId
from holdfast.model.queries import ExecutionFilter
from holdfast.model.records import Execution
from holdfast.model.statuses import ExecutionStatus
from holdfast.server import wiring
from holdfast.server.host import EngineHost
from holdfast.timers.guarded import GuardedTimers

STARTS = 700
"""Runs that any machine starts in a second; they are due when all of them wait."""
TOGETHER = 500
IDLE_SECONDS = 3.0
TICKS = os.sysconf("SC_CLK_TCK")

PURE = {"name": "pure", "nodes": [{"id": "a", "type": "edit", "parameters": {"value": 1}}], "edges": []}
"""New work."""


def flow(due: float) -> dict[str, object]:
    """Waits for the instant, and does a little after it."""
    until = datetime.fromtimestamp(due, UTC).isoformat()
    return {
        "name": "burst",
        "nodes": [
            {"id": "go", "type": "manual"},
            {"id": "nap", "type": "wait", "parameters": {"resume": "until", "until": until}},
            {"id": "end", "type": "edit", "parameters": {"value": 1}},
        ],
        "edges": [{"id": "a", "src": "go", "dst": "nap"}, {"id": "b", "src": "nap", "dst": "end"}],
    }


async def ready(host: EngineHost) -> None:
    """Wait until what is outside of the database is used."""
    while isinstance(host.timers, GuardedTimers) and not host.timers.trusted:
        await asyncio.sleep(0.01)
    while isinstance(host.queue, GuardedQueue) and not host.queue.carries:
        await asyncio.sleep(0.01)


async def start(host: EngineHost, flow_name: str, ids: Iterable[str]) -> None:
    """Start runs, and wait until that is on disk."""
    requests = [StartFlow(DEFAULT_TENANT, ExecutionId(each), flow_name, b"null", DEFAULT_QUEUE) for each in ids]
    await asyncio.gather(*[host.send(request) for request in requests])


async def new_work(host: EngineHost, name: str, stop: asyncio.Event) -> str:
    """How long a small run takes, one after the other: median and 99th percentile."""
    took: list[float] = []
    while not stop.is_set():
        began = time.perf_counter()
        await start(host, "pure", [f"{name}-{len(took)}"])
        took.append(time.perf_counter() - began)
        await asyncio.sleep(0.005)
    cuts = statistics.quantiles(took, n=100)
    return f"p50 {cuts[49] * 1000:.1f} ms, p99 {cuts[98] * 1000:.1f} ms"


def thread_seconds() -> dict[str, float]:
    """The processor time of each thread so far; nothing where the system does not tell."""
    found: dict[str, float] = {}
    for thread in threading.enumerate():
        told = Path(f"/proc/self/task/{thread.native_id}/stat")
        if told.exists():
            fields = told.read_text().rpartition(")")[2].split()
            found[thread.name] = (int(fields[11]) + int(fields[12])) / TICKS
    return found


class Ends:
    """When runs of the burst have ended."""

    def __init__(self, host: EngineHost) -> None:
        self.at: list[float] = []
        self._settle = host.executions.settle
        host.executions.settle = self._note  # type: ignore[method-assign, assignment]  # it listens in

    def _note(self, rows: Iterable[Execution]) -> None:
        now, closed = time.time(), list(rows)
        self.at.extend([now for each in closed if each.kind == "flow:burst"])
        self._settle(closed)


async def burst(host: EngineHost, runs: int) -> None:
    """All due at one instant."""
    due = time.time() + runs / STARTS + 2
    await host.send(SaveFlow(DEFAULT_TENANT, "burst", msgspec.json.encode(flow(due))))
    ends = Ends(host)
    for first in range(0, runs, TOGETHER):
        await start(host, "burst", [f"r{number}" for number in range(first, min(runs, first + TOGETHER))])
    print(f"all {runs:,} wait {due - time.time():.1f} s before the instant")
    await asyncio.sleep(max(0.0, due - time.time() - 0.05))
    before, stop = thread_seconds(), asyncio.Event()
    work = asyncio.ensure_future(new_work(host, "meanwhile", stop))
    while len(ends.at) < runs:
        await asyncio.sleep(0.02)
    after = thread_seconds()
    stop.set()
    found = await host.store.list_executions(
        ExecutionFilter(DEFAULT_TENANT, kind="flow:burst", statuses=(ExecutionStatus.COMPLETED,), limit=1)
    )
    assert found.executions, "they ended well"
    assert min(ends.at) >= due, "no run went on early"
    print(
        f"{runs / (max(ends.at) - due):,.0f} runs/s, the first {1000 * (min(ends.at) - due):.0f} ms after the instant"
    )
    print(f"new work meanwhile: {await work}")
    costs = {name: (seconds - before.get(name, 0.0)) / runs * 1_000_000 for name, seconds in after.items()}
    told = ", ".join(f"{name} {cost:.0f}" for name, cost in costs.items() if cost >= 1)
    print(f"processor time of a woken run, µs: {told or 'not told by this system'}")


async def main(timers: str | None, broker: str | None, runs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = wiring.open_store(f"sqlite:///{Path(folder) / 'bench.db'}")
        host = wiring.engine_host(store, timers=timers, broker=broker)
        await host.start()
        try:
            await ready(host)
            print(f"timers: {timers or 'database'}, runs: {broker or 'database'}")
            await host.send(SaveFlow(DEFAULT_TENANT, "pure", msgspec.json.encode(PURE)))
            idle = asyncio.Event()
            asyncio.get_running_loop().call_later(IDLE_SECONDS, idle.set)
            print(f"new work, idle: {await new_work(host, 'idle', idle)}")
            await burst(host, runs)
            for part in (host.timers, host.queue):
                print(getattr(part, "counts", ""))
        finally:
            await host.stop()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def private(servers: ExitStack) -> tuple[str, str]:
    """Servers that nobody else uses."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.services.rabbitmq import running_rabbitmq
    from tests.services.redis import running_redis

    return servers.enter_context(running_redis()).url, servers.enter_context(running_rabbitmq()).url


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--timers")
    parser.add_argument("--broker")
    parser.add_argument("--private", action="store_true")
    parser.add_argument("--runs", type=int, default=10_000)
    arguments = parser.parse_args()
    with ExitStack() as servers:
        urls = private(servers) if arguments.private else (arguments.timers, arguments.broker)
        asyncio.run(main(urls[0], urls[1], arguments.runs))
