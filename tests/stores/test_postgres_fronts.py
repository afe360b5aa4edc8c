"""Where a queue is searched from: nothing is overlooked, the order is kept, and what was claimed is passed over."""

from collections.abc import AsyncIterator

import asyncpg
import msgspec
import pytest

from holdfast.model.instants import Instant
from holdfast.model.records import Task
from holdfast.model.statuses import TaskStatus
from holdfast.ports.store import Changes, ClaimWanted, Rows, Wanted
from holdfast.stores.postgres import PostgresStore, fronts
from holdfast.stores.postgres.fronts import BEGINNING, Fronts
from holdfast.stores.postgres.store import STATEMENTS
from holdfast.stores.statements import Statements
from tests.stores.making import ACME, QUEUE, Decision, execution, ids, task, write
from tests.stores.postgres_making import opened, outside

PLACE = ("acme", "default", "charge")
NEVER = 1e9
MANY, TOGETHER = 10_000, 500


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def crowded(clock: Clock) -> Fronts:
    """A queue from which much was claimed; the last search found rank 500 first."""
    found = Fronts(clock)
    found.found("task", 1, {PLACE: BEGINNING}, {PLACE: [100] * fronts.CROWDED}, 0.001)
    found.found("task", 1, {PLACE: 100}, {PLACE: [500]}, 0.001)
    return found


def start(of: Fronts) -> int:
    return of.starts("task", [PLACE])[0]


def test_a_quiet_queue_is_searched_from_its_beginning(clock: Clock) -> None:
    quiet = Fronts(clock)
    quiet.found("task", 1, {PLACE: BEGINNING}, {PLACE: [100]}, 0.001)
    assert start(quiet) == BEGINNING


def test_a_crowded_one_is_searched_from_where_the_first_was_found(crowded: Fronts) -> None:
    assert start(crowded) == 500
    assert crowded.starts("execution", [PLACE]) == [BEGINNING]


def test_from_time_to_time_it_is_searched_from_its_beginning(crowded: Fronts, clock: Clock) -> None:
    clock.now += fronts.EVERY_SECONDS
    assert start(crowded) == BEGINNING


def test_searches_that_take_long_are_made_less_often(crowded: Fronts, clock: Clock) -> None:
    crowded.found("task", 1, {PLACE: BEGINNING}, {PLACE: [500]}, 1.0)
    clock.now += fronts.SHARE - 1
    assert start(crowded) == 500
    clock.now += 1
    assert start(crowded) == BEGINNING


def test_a_queue_that_has_too_little_is_not_crowded_any_more(crowded: Fronts) -> None:
    crowded.found("task", 10, {PLACE: BEGINNING}, {PLACE: [500]}, 0.001)
    assert start(crowded) == BEGINNING


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (Changes(new_tasks=[task(created_at=Instant(400))]), 400),
        (Changes(changed_tasks=[task(created_at=Instant(600), priority=1)]), 600 - 60_000),
        (Changes(new_tasks=[task(created_at=Instant(400), ready=False)]), 500),
        (Changes(new_tasks=[task(created_at=Instant(400), task_type="pack")]), 500),
        (Changes(new_executions=[execution(created_at=Instant(400), kind="charge")]), 500),
    ],
)
def test_what_is_written_before_it_moves_it_back(crowded: Fronts, written: Changes, expected: int) -> None:
    crowded.written(written)
    assert start(crowded) == expected


def test_executions_have_a_beginning_of_their_own(clock: Clock) -> None:
    found = Fronts(clock)
    found.found("execution", 1, {PLACE: BEGINNING}, {PLACE: [500] * fronts.CROWDED}, 0.001)
    assert found.starts("execution", [PLACE]) == [500]
    found.written(Changes(changed_executions=[execution(created_at=Instant(300), kind="charge")]))
    assert found.starts("execution", [PLACE]) == [300]


class Claimer:
    """Takes tasks from a store, one search after the other."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store

    async def claim(self, limit: int) -> list[str]:
        """The ids of those that it got."""
        taken: list[Task] = []

        def take(rows: Rows) -> Changes:
            taken.extend(rows.tasks[key] for key in rows.claimable_tasks[0])
            claimed = [
                msgspec.structs.replace(each, ready=False, status=TaskStatus.RUNNING, attempt=1) for each in taken
            ]
            return Changes(changed_tasks=claimed)

        claims = [ClaimWanted(ACME, QUEUE, frozenset({"charge", "pack"}), limit)]
        await self._store.commit(Decision(Wanted(task_claims=claims), take))
        return ids(taken)


def tasks(first: int, last: int) -> list[Task]:
    """Each is younger than the one before."""
    return [task(f"task-{number:03}", created_at=Instant(1_000 + number)) for number in range(first, last + 1)]


@pytest.fixture
async def store(emptied_postgres_database: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[PostgresStore]:
    """Crowded from the second claim on, and never searched from the beginning but for want of tasks."""
    monkeypatch.setattr(fronts, "CROWDED", 1)
    monkeypatch.setattr(fronts, "EVERY_SECONDS", NEVER)
    async with opened(emptied_postgres_database) as store:
        await write(store, Changes(new_tasks=tasks(1, 40)))
        yield store


async def test_all_are_claimed_in_their_order(store: PostgresStore) -> None:
    claimer = Claimer(store)
    got = [identity for _ in range(9) for identity in await claimer.claim(5)]
    assert got == ids(tasks(1, 40))


async def test_one_that_is_more_urgent_is_next(store: PostgresStore) -> None:
    claimer = Claimer(store)
    await claimer.claim(5)
    await write(store, Changes(new_tasks=[task("urgent", created_at=Instant(2_000), priority=1)]))
    assert await claimer.claim(2) == ["urgent", "task-006"]


async def test_one_of_another_server_is_found_at_the_next_search_from_the_beginning(
    store: PostgresStore, emptied_postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    claimer = Claimer(store)
    await claimer.claim(5)
    async with opened(emptied_postgres_database) as other:
        await write(other, Changes(new_tasks=[task("urgent", created_at=Instant(2_000), priority=1)]))
    assert await claimer.claim(1) == ["task-006"]
    monkeypatch.setattr(fronts, "EVERY_SECONDS", 0.0)
    monkeypatch.setattr(fronts, "SHARE", 0)
    assert await claimer.claim(1) == ["urgent"]


async def test_nothing_is_overlooked_when_the_queue_runs_dry(
    store: PostgresStore, emptied_postgres_database: str
) -> None:
    claimer = Claimer(store)
    await claimer.claim(35)
    async with opened(emptied_postgres_database) as other:
        await write(other, Changes(new_tasks=[task("older", created_at=Instant(1)), task("other", task_type="pack")]))
    assert sorted(await claimer.claim(9)) == ["older", "other", *ids(tasks(36, 40))]


async def test_a_search_reads_no_more_after_thousands_of_claims(
    emptied_postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With nothing vacuumed: each claimed task leaves an entry in the index, before all that wait."""
    monkeypatch.setattr(fronts, "EVERY_SECONDS", NEVER)
    read = []
    async with opened(emptied_postgres_database) as store, outside(emptied_postgres_database) as connection:
        await connection.execute("ALTER TABLE holdfast.task SET (autovacuum_enabled = false)")
        waiting = [task(f"task-{number:05}", created_at=Instant(1_000 + number)) for number in range(MANY)]
        await write(store, Changes(new_tasks=waiting))
        claimer = Claimer(store)
        for _ in range(MANY // TOGETHER - 1):
            assert len(await claimer.claim(TOGETHER)) == TOGETHER
            read.append(await _pages_read(connection, store))
        await connection.execute("ALTER TABLE holdfast.task RESET (autovacuum_enabled)")
    quiet = fronts.CROWDED // TOGETHER
    assert max(read[quiet:]) <= 2 * read[0], read


async def _pages_read(connection: "asyncpg.Connection[asyncpg.Record]", store: PostgresStore) -> int:
    """By the search for one task, begun where the store would begin it; the second time, when the dead are marked."""
    [begin] = store._transactions._fronts.starts("task", [PLACE])
    search = f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {Statements(STATEMENTS)['find_claimable_tasks']}"
    pages = 0
    for _ in range(2):
        await connection.execute("SET enable_seqscan = off")
        told = await connection.fetchval(search, *[[each] for each in PLACE], [begin], 1)
        plan = msgspec.json.decode(told)[0]["Plan"]
        pages = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    return pages
