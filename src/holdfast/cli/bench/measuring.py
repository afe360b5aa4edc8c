"""Closed loops, and a meter for what they use."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from holdfast.cli.bench import machine
from holdfast.cli.bench.figures import Usage
from holdfast.cli.bench.hosting import Host
from holdfast.cli.bench.places import DatabaseUse

Call = Callable[[int], Awaitable[object]]


class LoopTimes(NamedTuple):
    """How long a loop took as a whole, and each of its calls."""

    seconds: float
    calls: list[float]


async def closed_loop(count: int, in_flight: int, call: Call) -> LoopTimes:
    """Call `count` times with so many under way at once: the next begins when one has ended."""
    numbers = iter(range(count))
    calls: list[float] = []

    async def lane() -> None:
        for number in numbers:
            began = time.perf_counter()
            await call(number)
            calls.append(time.perf_counter() - began)

    start = time.perf_counter()
    await asyncio.gather(*[lane() for _ in range(min(count, in_flight))])
    return LoopTimes(time.perf_counter() - start, calls)


def count_for(rate: float, seconds: float, *, least: int, most: int) -> int:
    """How many calls fill so many seconds."""
    return max(least, min(most, int(rate * seconds)))


class _Sample(NamedTuple):
    wall: float
    process: float
    loop: float
    waited: float | None
    writer: tuple[float, float] | None
    machine: float | None
    commits: int
    statements: int
    rows: int
    requests: int
    database: DatabaseUse | None


class Meter:
    """Adds up what spans of work use; a span begins and ends on the event loop's thread."""

    def __init__(self) -> None:
        self._items = 0
        self._spans: list[tuple[_Sample, _Sample]] = []

    @contextmanager
    def span(self, host: Host, items: int) -> Iterator[None]:
        """Measure meanwhile; so many workflows or tasks are in it."""
        began = _sample(host)
        yield
        self._spans.append((began, _sample(host)))
        self._items += items

    def usage(self) -> Usage:
        """All spans together."""
        wall = self._total(lambda sample: sample.wall) or 1e-9
        cores = self._total(lambda sample: sample.process) / wall
        writer = self._known_total(lambda sample: sample.writer and sample.writer[0])
        writer_waited = self._known_total(lambda sample: sample.writer and sample.writer[1])
        loop_waited = self._known_total(lambda sample: sample.waited)
        busy = self._known_total(lambda sample: sample.machine)
        database = self._known_total(lambda sample: None if sample.database is None else sample.database.cores_seconds)
        waited = None if writer_waited is None or loop_waited is None else (writer_waited + loop_waited) / wall
        return Usage(
            seconds=wall,
            cores=cores,
            event_loop_cores=self._total(lambda sample: sample.loop) / wall,
            writer_cores=None if writer is None else writer / wall,
            waiting_cores=waited,
            other_cores=None if busy is None else max(0.0, (busy - (database or 0.0)) / wall - cores),
            commits=int(self._total(lambda sample: sample.commits)),
            statements=int(self._total(lambda sample: sample.statements)),
            rows_written=int(self._total(lambda sample: sample.rows)),
            requests=int(self._total(lambda sample: sample.requests)),
            items=self._items,
            database_cores=None if database is None else database / wall,
            wal_bytes=self._known_total(lambda sample: None if sample.database is None else sample.database.wal_bytes),
        )

    def _total(self, value: Callable[[_Sample], float]) -> float:
        return sum(value(end) - value(begin) for begin, end in self._spans)

    def _known_total(self, value: Callable[[_Sample], float | None]) -> float | None:
        total = 0.0
        for begin, end in self._spans:
            first, last = value(begin), value(end)
            if first is None or last is None:
                return None
            total += last - first
        return total


def _sample(host: Host) -> _Sample:
    done, own = host.store.statistics, machine.own_seconds()
    return _Sample(
        wall=time.perf_counter(),
        process=time.process_time(),
        loop=time.thread_time(),
        waited=None if own is None else own[1],
        writer=machine.writer_seconds(),
        machine=machine.busy_seconds(),
        commits=done.commits,
        statements=done.statements,
        rows=done.rows_written,
        requests=host.engine.committer.requests,
        database=None if host.database is None else host.database.use(),
    )


MUCH = 0.3
"""Cores of other processes above which figures are disturbed."""
LOCKED = 0.85
"""Cores of event loop and writer together above which the interpreter's lock has no time left."""
ON_DISK = 0.5
"""The share of time in flushes above which the disk is what counts."""


def limit_of(usage: Usage, median_us: float) -> str:
    """What most likely kept the figure from being better: inferred, not proven."""
    found = _own_limit(usage, usage.commits * median_us / 1e6 / usage.seconds)
    if usage.other_cores is not None and usage.other_cores > MUCH:
        found += f"; disturbed by other processes ({usage.other_cores:.1f} cores)"
    return found


def _own_limit(usage: Usage, flushing: float) -> str:
    locked = usage.event_loop_cores + (usage.writer_cores or 0.0)
    if usage.event_loop_cores >= LOCKED:
        return f"CPU of the event loop ({usage.event_loop_cores:.2f} of a core)"
    if usage.writer_cores is not None and usage.writer_cores >= LOCKED:
        return f"CPU of the writer ({usage.writer_cores:.2f} of a core)"
    if flushing >= ON_DISK:
        return f"the disk (about {flushing:.0%} of the time in flushes)"
    if locked >= LOCKED:
        shares = f"event loop {usage.event_loop_cores:.2f}, writer {locked - usage.event_loop_cores:.2f}"
        return f"the interpreter's lock, which the threads share ({shares})"
    return f"waiting between event loop, writer and disk ({flushing:.0%} of the time in flushes)"
