"""Claims on PostgreSQL: beside a million tasks that wait against an empty table, and whether the queue's tables bloat.

    python benchmarks/claims_bench.py postgresql://user@host/postgres [--pending 1000000] [--claims 2000]
        [--through 1000000] [--rounds 20] [--json]

Both databases are there at once and are asked in turn, so that what disturbs the machine disturbs both. A claim is the
engine's own transaction: work is looked for, locked, and written as RUNNING under a lease. Then `--through` tasks are
submitted, claimed and completed in so many rounds; each round tells the latency of claims, how many pages the search of
a claim reads, and the sizes. The tasks stay, as they do without a retention, so the table grows; what must not grow is
what a claim reads. Between two VACUUMs the index that claims go by grows too, and they begin behind what is dead in it.
"""

import argparse
import asyncio
import itertools
import os
import random
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import msgspec

from holdfast.model.ids import DEFAULT_QUEUE, DEFAULT_TENANT, TaskId, WorkerId, time_ordered_id
from holdfast.model.requests import CompleteTask, NewTask, Offer, Request, SubmitTasks, TaskClaim
from holdfast.server.batch import Batch
from holdfast.stores.postgres import PostgresStore
from holdfast.stores.postgres.fronts import BEGINNING
from holdfast.stores.postgres.store import STATEMENTS
from holdfast.stores.statements import Statements

KIND = "charge"
TOGETHER = 500
"""So many tasks are submitted, claimed and completed in one commit each."""
QUEUE_INDEX = "task_in_order"
WATCHED = (QUEUE_INDEX, "task", "task_pkey", "task_held", "task_wake")

FILL = """
INSERT INTO holdfast.task (
    tenant, id, task_type, queue, priority, input, created_at, status, ready, attempt, claim_token, progress,
    cancel_requested
)
SELECT $1, to_char(n, 'FM0000000000') || '-filled', $2, $3, 0, '1', $4 + n, 'PENDING', true, 0, 0, 0, false
FROM generate_series(1, $5::bigint) AS n
"""
SIZES = """
SELECT relname, pg_relation_size(oid) AS bytes FROM pg_class
WHERE relnamespace = 'holdfast'::regnamespace AND relname = ANY ($1)
"""
CHURN = """
SELECT n_tup_upd, n_tup_hot_upd, n_dead_tup, autovacuum_count FROM pg_stat_user_tables
WHERE relid = 'holdfast.task'::regclass
"""


class Round(msgspec.Struct):
    """What one round has shown."""

    through: int
    per_second: float
    claim_p50_ms: float
    claim_p99_ms: float
    pages_of_a_search: int
    bytes: dict[str, int]
    dead_rows: int
    updates: int
    hot_updates: int
    vacuums: int


class Found(msgspec.Struct):
    """All figures."""

    server: str
    pending: int
    empty_p50_ms: float
    empty_p99_ms: float
    full_p50_ms: float
    full_p99_ms: float
    rounds: list[Round]


class Queue:
    """A store, and a worker that takes what there is."""

    def __init__(self, store: PostgresStore, inspector: "asyncpg.Connection[asyncpg.Record]") -> None:
        self._store = store
        self._numbers = itertools.count(1)
        self._chance = random.Random(1)
        self.inspector = inspector

    def _offer(self, slots: int) -> Offer:
        worker = WorkerId(f"{self._store.session}/claimer")
        return Offer(DEFAULT_TENANT, worker, DEFAULT_QUEUE, frozenset({KIND}), slots)

    async def _commit(self, requests: Sequence[Request[object]], offers: Sequence[Offer] = ()) -> Batch:
        batch = Batch(
            requests=requests,
            execution_offers=[],
            task_offers=offers,
            executions_wait=[],
            tasks_wait=[True for _ in offers],
            clock=self._store.clock,
            chance=self._chance,
        )
        await self._store.commit(batch)
        return batch

    async def submit(self, count: int) -> None:
        """New tasks."""
        now = self._store.clock.now()
        tasks = tuple(
            NewTask(TaskId(time_ordered_id(now, next(self._numbers))), KIND, b"1", DEFAULT_QUEUE) for _ in range(count)
        )
        await self._commit([SubmitTasks(DEFAULT_TENANT, tasks)])

    async def claim(self, slots: int) -> tuple[float, list[TaskClaim]]:
        """How long it took, and what was got."""
        began = time.perf_counter()
        batch = await self._commit([], [self._offer(slots)])
        took = time.perf_counter() - began
        assert batch.outcome is not None
        return took, list(batch.outcome.tasks_given[0])

    async def complete(self, claims: Sequence[TaskClaim]) -> None:
        """They are done."""
        await self._commit([CompleteTask(each.tenant, each.task_id, each.token, b"1") for each in claims])

    async def fill(self, count: int) -> None:
        """So many tasks wait, older than all that are submitted."""
        before = self._store.clock.now() - count - 1_000
        await self.inspector.execute(FILL, DEFAULT_TENANT, KIND, DEFAULT_QUEUE, before, count, timeout=600)
        await self.inspector.execute("VACUUM (ANALYZE) holdfast.task", timeout=600)

    async def pages_of_a_search(self) -> int:
        """How many pages the search for one claimable task touches, begun where the store begins it."""
        search = Statements(STATEMENTS)["find_claimable_tasks"]
        place = (DEFAULT_TENANT, DEFAULT_QUEUE, KIND)
        front = self._store._transactions._fronts._fronts.get(("task", place))  # noqa: SLF001
        start = BEGINNING if front is None else front.rank
        async with self.inspector.transaction():
            await self.inspector.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
            for _ in range(2):  # the first one marks what is dead, for all that follow
                told = await self.inspector.fetchval(
                    f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {search}", *[[each] for each in place], [start], 1
                )
        plan = msgspec.json.decode(told)[0]["Plan"]
        return int(plan["Shared Hit Blocks"]) + int(plan["Shared Read Blocks"])


@asynccontextmanager
async def queue_of(server: str, name: str) -> AsyncIterator[Queue]:
    """On a database that is dropped again."""
    administrator = await asyncpg.connect(server)
    await administrator.execute(f"CREATE DATABASE {name}")
    url = urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    try:
        store = PostgresStore(url)
        await store.open()
        inspector = await asyncpg.connect(url)
        try:
            yield Queue(store, inspector)
        finally:
            await inspector.close()
            await store.close()
    finally:
        await administrator.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await administrator.close()


def percentile(times: Sequence[float], share: float) -> float:
    """In milliseconds."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1e3


async def beside(server: str, pending: int, claims: int) -> tuple[list[float], list[float]]:
    """The times of claims in an empty table, and of claims beside so many that wait."""
    empty_times, full_times = [], []
    name = f"claims_{os.getpid()}"
    async with queue_of(server, f"{name}_empty") as empty, queue_of(server, f"{name}_full") as full:
        await full.fill(pending)
        for number in range(claims + claims // 10):
            for queue, times in ((empty, empty_times), (full, full_times)):
                await queue.submit(1)
                took, claimed = await queue.claim(1)
                assert len(claimed) == 1, "there is a task, and nobody else takes it"
                if number >= claims // 10:  # those before are to warm up
                    times.append(took)
                await queue.complete(claimed)
    return empty_times, full_times


async def pass_through(queue: Queue, total: int, rounds: int) -> AsyncIterator[Round]:
    """Submit, claim and complete; what each round has shown."""
    done = 0
    for _ in range(rounds):
        began, before, times = time.perf_counter(), done, []
        while done - before < total // rounds:
            await queue.submit(TOGETHER)
            took, claimed = await queue.claim(TOGETHER)
            times.append(took)
            await queue.complete(claimed)
            done += len(claimed)
        seconds = time.perf_counter() - began
        single = []
        for _ in range(20):
            await queue.submit(1)
            took, claimed = await queue.claim(1)
            single.append(took)
            await queue.complete(claimed)
        await queue.submit(1)
        pages = await queue.pages_of_a_search()
        churn = await queue.inspector.fetchrow(CHURN)
        sizes = await queue.inspector.fetch(SIZES, WATCHED)
        yield Round(
            through=done,
            per_second=(done - before) / seconds,
            claim_p50_ms=percentile(single, 0.5),
            claim_p99_ms=percentile(single, 0.99),
            pages_of_a_search=pages,
            bytes={row["relname"]: row["bytes"] for row in sizes},
            dead_rows=churn["n_dead_tup"],
            updates=churn["n_tup_upd"],
            hot_updates=churn["n_tup_hot_upd"],
            vacuums=churn["autovacuum_count"],
        )


async def measure(asked: argparse.Namespace) -> Found:
    """All of it."""
    connection = await asyncpg.connect(asked.server)
    version = await connection.fetchval("SHOW server_version")
    await connection.close()
    empty, full = await beside(asked.server, asked.pending, asked.claims)
    found = Found(
        f"PostgreSQL {version}", asked.pending, percentile(empty, 0.5), percentile(empty, 0.99), percentile(full, 0.5),
        percentile(full, 0.99), [],
    )  # fmt: skip
    say = sys.stderr if asked.json else sys.stdout
    print(
        f"{found.server}, {asked.claims:,} claims of one task each\n"
        f"  empty table:         p50 {found.empty_p50_ms:6.2f} ms  p99 {found.empty_p99_ms:6.2f} ms\n"
        f"  {asked.pending:9,} pending:   p50 {found.full_p50_ms:6.2f} ms  p99 {found.full_p99_ms:6.2f} ms  "
        f"({found.full_p99_ms / found.empty_p99_ms:.2f} × at p99)",
        file=say,
        flush=True,
    )
    async with queue_of(asked.server, f"claims_{os.getpid()}_through") as queue:
        async for each in pass_through(queue, asked.through, asked.rounds):
            found.rounds.append(each)
            print(
                f"  {each.through:11,} through, {each.per_second:8,.0f}/s, a claim p50 {each.claim_p50_ms:.2f} p99 "
                f"{each.claim_p99_ms:.2f} ms, {each.pages_of_a_search:3} pages read, "
                f"{each.bytes[QUEUE_INDEX] / 1024:8,.0f} KiB of index, {each.bytes['task'] / 2**20:7,.1f} MiB of table, "
                f"{each.dead_rows:7,} dead, HOT {each.hot_updates / max(1, each.updates):.0%}, "
                f"{each.vacuums} vacuums",
                file=say,
                flush=True,
            )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server", help="postgresql://…; databases are created there, and dropped again")
    parser.add_argument("--pending", type=int, default=1_000_000)
    parser.add_argument("--claims", type=int, default=2_000)
    parser.add_argument("--through", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", action="store_true", help="print one JSON document at the end")
    asked = parser.parse_args()
    found = asyncio.run(measure(asked))
    if asked.json:
        print(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
    else:
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
