"""A burst of wait nodes: many runs of a flow that wait for one instant, woken by way of Redis and RabbitMQ, or without.

    python benchmarks/flow_waits_bench.py [--timers redis://…] [--broker amqp://…] [--runs 10000]

One engine over SQLite. It says how many runs a second end after the instant, and how early or late the first one is.
"""

import argparse
import asyncio
import os
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from holdfast.brokers.guarded import GuardedQueue
from holdfast.model.flow_requests import SaveFlow, StartFlow
from holdfast.model.ids import DEFAULT_QUEUE, DEFAULT_TENANT, ExecutionId
from holdfast.model.queries import ExecutionFilter
from holdfast.model.statuses import ExecutionStatus
from holdfast.server import wiring
from holdfast.server.host import EngineHost
from holdfast.timers.guarded import GuardedTimers

STARTS = 500
"""Runs that any machine starts in a second; they are due when all of them wait."""


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


async def burst(host: EngineHost, runs: int) -> None:
    """All due at one instant."""
    due = time.time() + runs / STARTS + 2
    await host.send(SaveFlow(DEFAULT_TENANT, "burst", msgspec.json.encode(flow(due))))
    ends: list[float] = []
    settle = host.executions.settle

    def note(rows: object) -> None:
        now = time.time()
        closed = list(rows)  # type: ignore[call-overload]
        ends.extend([now] * len(closed))
        settle(closed)

    host.executions.settle = note  # type: ignore[method-assign]
    for start in range(0, runs, 500):
        await asyncio.gather(
            *[
                host.send(StartFlow(DEFAULT_TENANT, ExecutionId(f"r{number}"), "burst", b"null", DEFAULT_QUEUE))
                for number in range(start, min(runs, start + 500))
            ]
        )
    print(f"all {runs:,} wait {due - time.time():.1f} s before the instant")
    while len(ends) < runs:
        await asyncio.sleep(0.05)
    found = await host.store.list_executions(
        ExecutionFilter(DEFAULT_TENANT, statuses=(ExecutionStatus.COMPLETED,), limit=1)
    )
    assert found.executions, "they ended well"
    print(f"{runs / (max(ends) - due):,.0f} runs/s, the first {1000 * (min(ends) - due):.0f} ms after the instant")


async def main(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = wiring.open_store(f"sqlite:///{Path(folder) / 'bench.db'}")
        host = wiring.engine_host(store, timers=arguments.timers, broker=arguments.broker)
        await host.start()
        try:
            await ready(host)
            print(f"timers: {arguments.timers or 'database'}, runs: {arguments.broker or 'database'}")
            await burst(host, arguments.runs)
            for part in (host.timers, host.queue):
                print(getattr(part, "counts", ""))
        finally:
            await host.stop()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--timers")
    parser.add_argument("--broker")
    parser.add_argument("--runs", type=int, default=10_000)
    asyncio.run(main(parser.parse_args()))
