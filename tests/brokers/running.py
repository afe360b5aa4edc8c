"""Engines that share a database and a broker, and flows that run on them."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import msgspec

from holdfast.brokers.guarded import GuardedQueue
from holdfast.model.flow_requests import SaveFlow, StartFlow
from holdfast.model.ids import DEFAULT_QUEUE, DEFAULT_TENANT, ExecutionId, QueueName
from holdfast.model.records import Execution
from holdfast.model.statuses import ExecutionStatus
from holdfast.ports.store import Store
from holdfast.server import wiring
from holdfast.server.host import EngineHost
from tests.flow.sketches import sketch

WITHIN = 60.0
"""Seconds after which a test that waits for something has failed."""

NAP = sketch(
    {
        "go": "manual",
        "nap": ("wait", {"amount": 0.2}),
        "work": ("edit", {"value": {"done": True}}),
        "doze": ("wait", {"amount": 0.1}),
    },
    "go > nap > work > doze",
    name="nap",
)
"""The last node is a wait."""

SPREAD = sketch(
    {
        "go": "manual",
        "split": ("split", {"items": "{{ $trigger }}"}),
        "nap": ("wait", {"amount": 0.1}),
        "work": ("edit", {"value": {"item": "{{ $item }}"}}),
        "gather": "aggregate",
    },
    "go > split > nap > work > gather",
    name="spread",
)
"""A wait inside a split."""


@asynccontextmanager
async def engines(
    file: Path, broker: str, *, count: int = 1, timers: str | None = None
) -> AsyncIterator[list[EngineHost]]:
    """Servers of one database."""
    async with AsyncExitStack() as closing:
        hosts = []
        for _ in range(count):
            store = wiring.open_store(f"sqlite:///{file}")
            host = wiring.engine_host(store, timers=timers, broker=broker)
            closing.push_async_callback(host.stop)
            await host.start()
            hosts.append(host)
        yield hosts


def queue_of(host: EngineHost) -> GuardedQueue:
    """The queue of an engine."""
    assert isinstance(host.queue, GuardedQueue)
    return host.queue


async def until(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds; it is looked at again and again."""
    async with asyncio.timeout(WITHIN):
        while not holds():  # noqa: ASYNC110 - what is waited for sets no event of ours
            await asyncio.sleep(0.005)


async def carried(*hosts: EngineHost) -> None:
    """Wait until all of them use the broker."""
    await until(lambda: all(queue_of(host).carries for host in hosts))


async def save(host: EngineHost, definition: dict[str, object]) -> None:
    await host.send(SaveFlow(DEFAULT_TENANT, str(definition["name"]), msgspec.json.encode(definition)))


async def start(host: EngineHost, flow: str, count: int, trigger: object = None, prefix: str = "run") -> list[str]:
    """Start runs; their ids."""
    ids = [f"{prefix}-{number}" for number in range(count)]
    data = msgspec.json.encode(trigger)
    queue = QueueName(DEFAULT_QUEUE)
    await asyncio.gather(*[host.send(StartFlow(DEFAULT_TENANT, ExecutionId(each), flow, data, queue)) for each in ids])
    return ids


async def ended(store: Store, ids: Sequence[str]) -> list[Execution]:
    """Wait until all runs have ended."""
    keys = [(DEFAULT_TENANT, ExecutionId(each)) for each in ids]
    async with asyncio.timeout(WITHIN):
        while True:
            rows = await store.executions(keys)
            if len(rows) == len(ids) and all(row.closed for row in rows):
                return rows
            await asyncio.sleep(0.02)


async def check_ends(host: EngineHost, ids: Sequence[str]) -> None:
    """Each run has completed, exactly once."""
    rows = await ended(host.store, ids)
    failures = {row.failure for row in rows if row.failure is not None}
    assert not failures, failures
    assert Counter(row.status for row in rows) == {ExecutionStatus.COMPLETED: len(ids)}
