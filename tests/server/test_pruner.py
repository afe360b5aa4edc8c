"""Each tenant's retention is kept: kind by kind, in small steps, and again and again."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from holdfast.model.access import AccessChanges, Tenant
from holdfast.model.errors import Unavailable
from holdfast.model.instants import Instant, Milliseconds
from holdfast.model.oversight import Notice, Notices, WorkSort
from holdfast.model.records import Execution, Task
from holdfast.model.retention import KindRetention, Pruned, PruneWanted, Retention
from holdfast.model.statuses import ExecutionStatus, TaskStatus
from holdfast.ports.store import Changes
from holdfast.server import pruner
from holdfast.server.pruner import PruningLoop
from holdfast.stores.sqlite import SqliteStore
from holdfast.testing import ManualClock
from tests.stores.making import ACME, OTHER, execution, key, task, write

DAY = Milliseconds(86_400_000)


class StumblingStore(SqliteStore):
    """Cannot be written to, so often."""

    error: Exception = Unavailable("the disk is full")
    stumbles = 0
    steps = 0

    async def prune(self, wanted: PruneWanted) -> Pruned:
        self.steps += 1
        if self.stumbles:
            self.stumbles -= 1
            raise self.error
        return await super().prune(wanted)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[StumblingStore]:
    made = StumblingStore(tmp_path / "holdfast.db")
    await made.open()
    yield made
    await made.close()


def pruning(store: StumblingStore, clock: ManualClock) -> PruningLoop:
    return PruningLoop(store=store, clock=clock, chance=Random(1), look_every=0.001, rest=0)


def ended(clock: ManualClock, identity: str, days_ago: int, **fields: Any) -> Execution:
    at = Instant(clock.now() - days_ago * DAY)
    return execution(identity, status=ExecutionStatus.COMPLETED, closed_at=at, **fields)


def done(clock: ManualClock, identity: str, days_ago: int) -> Task:
    at = Instant(clock.now() - days_ago * DAY)
    return task(identity, status=TaskStatus.COMPLETED, ready=False, closed_at=at)


async def keep(store: StumblingStore, **lengths: Any) -> None:
    await store.write_access(AccessChanges(tenants=[Tenant(ACME, Instant(1), retention=Retention(**lengths))]))


async def test_each_kind_is_kept_for_as_long_as_its_tenant_says(store: StumblingStore) -> None:
    clock = ManualClock()
    audit = KindRetention(WorkSort.WORKFLOW, "audit", None)
    refund = KindRetention(WorkSort.WORKFLOW, "refund", DAY)
    await keep(store, workflows_ms=Milliseconds(5 * DAY), kinds=(audit, refund))
    rows = [
        ended(clock, "old", 6),
        ended(clock, "young", 4),
        ended(clock, "audited", 600, kind="audit"),
        ended(clock, "refunded", 2, kind="refund"),
        ended(clock, "another's", 600, tenant=OTHER),
    ]
    await write(store, Changes(new_executions=rows, new_tasks=[done(clock, "task", 600)]))
    loop = pruning(store, clock)
    await loop.look()
    left = await store.executions([(row.tenant, row.id) for row in rows])
    assert sorted(row.id for row in left) == ["another's", "audited", "young"]
    assert loop.removed == 2
    assert await store.task(key("task")) is not None


async def test_what_is_kept_for_ever_is_not_even_looked_for(store: StumblingStore) -> None:
    clock = ManualClock()
    await keep(store)
    await write(store, Changes(new_executions=[ended(clock, "old", 600)]))
    await pruning(store, clock).look()
    assert store.steps == 0


async def test_the_feed_is_trimmed_whether_anything_else_is_removed_or_not(
    store: StumblingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pruner, "KEPT_NOTICES", 2)
    await keep(store)
    told = [Notices(ACME, Instant(1), (Notice("task", str(number), "charge", "PENDING"),)) for number in range(5)]
    await write(store, Changes(feed=told))
    await pruning(store, ManualClock()).look()
    page = await store.feed(ACME, 0, 10)
    assert (page.oldest, [each.id for _, each in page.notices]) == (4, ["3", "4"])


async def test_many_go_in_many_steps(store: StumblingStore) -> None:
    clock = ManualClock()
    await keep(store, tasks_ms=DAY)
    await write(store, Changes(new_tasks=[done(clock, f"task-{number}", 2) for number in range(350)]))
    loop = pruning(store, clock)
    await loop.look()
    assert (loop.removed, store.steps) == (350, 5)


@pytest.mark.parametrize("error", [Unavailable("the disk is full"), ZeroDivisionError("a defect")])
async def test_it_goes_on_after_an_error(
    store: StumblingStore, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    clock = ManualClock()
    await keep(store, workflows_ms=DAY)
    await write(store, Changes(new_executions=[ended(clock, "old", 2)]))
    store.error, store.stumbles = error, 2
    loop = pruning(store, clock)
    loop.start()
    async with asyncio.timeout(10):
        while not loop.removed:  # noqa: ASYNC110 - it tells nobody what it does
            await asyncio.sleep(0.001)
    await loop.stop()
    assert str(error) in caplog.text
