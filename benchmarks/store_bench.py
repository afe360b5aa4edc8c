"""How fast the store is without an engine: the raw limit that the other figures are divided by.

The rows of one workflow with one task (1 execution with 3 updates, 1 task with 1 update, 1 attempt, 4 events: 11 rows)
are written in four commits for each batch of workflows: bare, and loaded by key as the committer does before each.

    python benchmarks/store_bench.py [--batches 60] [--busy] [--page-size 4096]
"""

import argparse
import asyncio
import contextlib
import gc
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import msgspec

from holdfast.model.commands import DEFAULT_TASK_OPTIONS
from holdfast.model.events import Event, EventData, TaskCompleted, TaskScheduled, WorkflowCompleted, WorkflowStarted
from holdfast.model.ids import (
    DEFAULT_QUEUE,
    DEFAULT_TENANT,
    ClaimToken,
    DerivedIds,
    ExecutionId,
    TaskId,
    WorkerId,
    time_ordered_id,
)
from holdfast.model.instants import Instant
from holdfast.model.records import NO_METADATA, Attempt, Execution, HistoryEntry, Task
from holdfast.model.statuses import AttemptStatus, ExecutionStatus, TaskStatus
from holdfast.ports.store import Changes, ClaimWanted, Rows, Wanted
from holdfast.stores.sqlite import SqliteStore
from holdfast.stores.sqlite.connections import Settings

NOW = Instant(1_800_000_000_000)
LEASE = Instant(NOW + 30_000)
WORKER = WorkerId("0123456789abcdef/worker-1")
PAYLOAD = b'{"order":"17","amount":999,"lines":[{"sku":"A-1","count":2}]}'
RAW = msgspec.Raw(PAYLOAD)
ROWS_OF_A_WORKFLOW = 11


class WritePlan:
    """Writes changes that were made beforehand; measures the processor time of its own thread."""

    def __init__(self, wanted: Wanted, changes: Changes, clock: "WriterClock") -> None:
        self.wanted = wanted
        self._changes = changes
        self._clock = clock

    def decide(self, _rows: Rows) -> Changes:
        self._clock.read()
        return self._changes


class WriterClock:
    """The processor time that the writer's thread has used."""

    def __init__(self) -> None:
        self.last = 0.0

    def read(self) -> None:
        self.last = time.thread_time()


class Batch:
    """The commits that carry a batch of one-task workflows from start to end."""

    def __init__(self, number: int, size: int) -> None:
        created = Instant(NOW + number)
        ids = [ExecutionId(time_ordered_id(created, (number << 40) + index)) for index in range(size)]
        self.executions = [
            Execution(
                DEFAULT_TENANT, each, "checkout", DEFAULT_QUEUE, PAYLOAD, NO_METADATA, None, None, created, None,
                last_sequence=1,
            )
            for each in ids
        ]  # fmt: skip
        self.tasks = [
            Task(
                DEFAULT_TENANT, DerivedIds(DEFAULT_TENANT, each, created).task(0), each, "charge", DEFAULT_QUEUE, 0,
                PAYLOAD, DEFAULT_TASK_OPTIONS, None, None, created, None, TaskStatus.RUNNING, False, 1, ClaimToken(1),
                WORKER, LEASE, LEASE, created,
            )
            for each in ids
        ]  # fmt: skip

    def commits(self) -> Iterator[tuple[Wanted, Changes]]:
        keys = {(each.tenant, each.id) for each in self.executions}
        task_keys = {(each.tenant, each.id) for each in self.tasks}
        yield Wanted(executions=keys), self._start()
        yield Wanted(executions=keys), self._schedule()
        yield Wanted(tasks=task_keys), self._complete()
        yield Wanted(executions=keys), self._close()

    def _start(self) -> Changes:
        return Changes(new_executions=self.executions, events=self._events(1, lambda _: WorkflowStarted(input=RAW)))

    def _schedule(self) -> Changes:
        return Changes(
            changed_executions=self._executions(
                status=ExecutionStatus.RUNNING, worker_id=WORKER, lease_expires_at=LEASE, wake_at=LEASE, last_sequence=2
            ),
            new_tasks=self.tasks,
            events=self._events(2, lambda task: TaskScheduled(task.id, "charge", RAW)),
        )

    def _complete(self) -> Changes:
        return Changes(
            changed_executions=self._executions(status=ExecutionStatus.PENDING, last_sequence=3, seen_sequence=2),
            changed_tasks=[
                msgspec.structs.replace(
                    task, status=TaskStatus.COMPLETED, worker_id=None, lease_expires_at=None, wake_at=None,
                    output=PAYLOAD, closed_at=NOW,
                )
                for task in self.tasks
            ],
            attempts=[
                Attempt(task.tenant, task.id, 1, NOW, NOW, AttemptStatus.COMPLETED, WORKER, PAYLOAD)
                for task in self.tasks
            ],
            events=self._events(3, lambda task: TaskCompleted(task.id, "charge", RAW)),
        )  # fmt: skip

    def _close(self) -> Changes:
        return Changes(
            changed_executions=self._executions(
                status=ExecutionStatus.COMPLETED, last_sequence=4, seen_sequence=4, output=PAYLOAD, closed_at=NOW
            ),
            events=self._events(4, lambda _: WorkflowCompleted(output=RAW)),
        )

    def _executions(self, **changes: object) -> list[Execution]:
        return [msgspec.structs.replace(each, **changes) for each in self.executions]

    def _events(self, sequence: int, data: Callable[[Task], EventData]) -> list[HistoryEntry]:
        return [
            HistoryEntry(task.tenant, execution.id, Event(sequence, NOW, data(task)))
            for execution, task in zip(self.executions, self.tasks, strict=True)
        ]


class Figure(msgspec.Struct):
    """One measurement."""

    name: str
    per_second: float
    cpu_us: float
    """Of the writer's thread, for each item."""
    commit_ms: float


async def measure(
    store: SqliteStore, name: str, commits: list[tuple[Wanted, Changes]], items: int, *, busy: bool
) -> Figure:
    """Commits one after the other; `busy` keeps the event loop's thread at work meanwhile."""
    clock = WriterClock()
    await store.commit(WritePlan(Wanted(), Changes(), clock))
    cpu, start = clock.last, time.perf_counter()
    for wanted, changes in commits:
        committed = asyncio.ensure_future(store.commit(WritePlan(wanted, changes, clock)))
        while busy and not committed.done():
            spin()
            await asyncio.sleep(0)
        await committed
    elapsed = time.perf_counter() - start
    await store.commit(WritePlan(Wanted(), Changes(), clock))
    return Figure(name, items / elapsed, (clock.last - cpu) / items * 1e6, elapsed / len(commits) * 1e3)


def spin() -> None:
    """About 200 µs of Python, as an event loop with much to do has between two turns."""
    for _ in range(8_000):
        pass


def standalone(number: int, count: int) -> Changes:
    """A batch of tasks that belong to no workflow."""
    created = Instant(NOW + number)
    ids = [TaskId(time_ordered_id(created, (number << 40) + index)) for index in range(count)]
    return Changes(
        new_tasks=[
            Task(
                DEFAULT_TENANT, each, None, "charge", DEFAULT_QUEUE, 0, PAYLOAD, DEFAULT_TASK_OPTIONS, None, None,
                created, None,
            )
            for each in ids
        ]
    )  # fmt: skip


async def figures(folder: Path, settings: Settings, *, batches: int, busy: bool) -> list[Figure]:
    found: list[Figure] = []
    for size in (1, 20, 100, 200):
        count = max(5, batches * 200 // max(size, 40))
        for loaded in (False, True):
            async with opened(folder, settings) as store:
                commits = [each for number in range(count) for each in Batch(number, size).commits()]
                if not loaded:
                    commits = [(Wanted(), changes) for _, changes in commits]
                name = f"workflows, batches of {size}, {'loaded' if loaded else 'bare'}"
                found.append(await measure(store, name, commits, size * count, busy=busy))
    async with opened(folder, settings) as store:
        commits = [(Wanted(), standalone(number, 1_000)) for number in range(batches)]
        found.append(await measure(store, "submit 1,000 standalone tasks", commits, 1_000 * batches, busy=busy))
        claim = ClaimWanted(DEFAULT_TENANT, DEFAULT_QUEUE, frozenset({"charge", "pack"}), 100)
        claims = [(Wanted(task_claims=[claim]), Changes()) for _ in range(batches)]
        found.append(await measure(store, "find and load 100 of them", claims, 100 * batches, busy=busy))
    return found


@contextlib.asynccontextmanager
async def opened(folder: Path, settings: Settings) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(Path(tempfile.mkdtemp(dir=folder)) / "bench.db", settings=settings)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", type=int, default=30)
    parser.add_argument("--busy", action="store_true", help="keep the event loop's thread busy")
    parser.add_argument("--switch-ms", type=float, default=5.0, help="the interpreter's switch interval")
    parser.add_argument("--page-size", type=int, default=Settings().page_size)
    parser.add_argument("--checkpoint-pages", type=int, default=Settings().checkpoint_pages)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    sys.setswitchinterval(asked.switch_ms / 1000)
    settings = Settings(page_size=asked.page_size, checkpoint_pages=asked.checkpoint_pages)
    gc.freeze()
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(figures(Path(folder), settings, batches=asked.batches, busy=asked.busy))
    if asked.json:
        print(json.dumps(msgspec.to_builtins(found), indent=2))
        return
    for each in found:
        print(f"{each.name:40} {each.per_second:10,.0f}/s {each.cpu_us:8.1f} µs CPU {each.commit_ms:8.2f} ms a commit")


if __name__ == "__main__":
    main()
