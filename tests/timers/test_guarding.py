"""How the database stands behind an outside index: with an index in memory that fails when a test says so."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from holdfast.model.commands import TaskOptions
from holdfast.model.errors import InvalidArgument, StoreDamaged, Unavailable
from holdfast.model.ids import TenantId
from holdfast.model.instants import Instant, Milliseconds
from holdfast.model.requests import FireDue, FireIfDue
from holdfast.model.statuses import ExecutionStatus, PromiseStatus, TaskStatus
from holdfast.model.wakes import WakeKey, WakeSort, WakeUp
from holdfast.ports.store import Changes
from holdfast.testing.store import MemoryStore
from holdfast.timers import guarded
from holdfast.timers.guarded import GuardedTimers
from holdfast.timers.news import news_of
from holdfast.timers.outside import Claimed
from holdfast.timers.settings import GuardSettings, split_settings
from tests.stores.making import ACME, execution, promise, task, timer, write
from tests.timers.running import until

NOW = 100_000
OTHERS = 5


class Clock:
    def __init__(self) -> None:
        self.time = NOW

    def now(self) -> Instant:
        return Instant(self.time)


class MemoryIndex:
    """An outside index (timers.outside.OutsideIndex) that is as good as a test lets it be."""

    def __init__(self) -> None:
        self.waits: dict[WakeKey, Instant] = {}
        self.in_hand = 0
        self.filled = True
        self.failure: Exception | None = None
        self.acknowledged: list[WakeKey] = []
        self.puts = 0

    def reach(self) -> None:
        if self.failure is not None:
            raise self.failure

    async def open(self) -> bool:
        self.reach()
        return self.filled

    async def close(self) -> None:
        pass

    async def put(self, armed: Sequence[WakeUp], gone: Sequence[WakeKey]) -> None:
        self.reach()
        self.puts += 1
        self.waits.update({wake.key: wake.due for wake in armed})
        for key in gone:
            self.waits.pop(key, None)

    async def add_missing(self, wakes: Sequence[WakeUp]) -> int:
        self.reach()
        missing = {wake.key: wake.due for wake in wakes if wake.key not in self.waits}
        self.waits |= missing
        return len(missing)

    async def lacking(self, wakes: Sequence[WakeUp]) -> list[WakeUp]:
        self.reach()
        return [wake for wake in wakes if wake.key not in self.waits or self.waits[wake.key] > wake.due]

    async def mark_filled(self) -> None:
        self.filled = True

    async def claim(self, now: Instant, limit: int) -> Claimed:
        self.reach()
        due = [WakeUp(at, *key) for key, at in self.waits.items() if at <= now][:limit]
        for wake in due:
            del self.waits[wake.key]
        return Claimed(tuple(due), min(self.waits.values(), default=None), self.in_hand, self.filled)

    async def acknowledge(self, keys: Sequence[WakeKey]) -> None:
        self.reach()
        self.acknowledged += keys

    async def recover(self, now: Instant, limit: int) -> int:
        return 0


class Guarding:
    """A guard and what it stands between."""

    def __init__(self) -> None:
        self.clock, self.index, self.store = Clock(), MemoryIndex(), MemoryStore()
        self.looks = 0
        self.timers = GuardedTimers(index=self.index, store=self.store, clock=self.clock)

    async def commit(self, changes: Changes) -> None:
        await write(self.store, changes)
        self.timers.note(changes)

    async def claim(self, *, is_known: bool = False) -> FireDue | FireIfDue | None:
        return await self.timers.claim(self.clock.now(), 10, is_known=is_known)

    def look(self) -> None:
        self.looks += 1

    async def open(self) -> None:
        await self.store.open()
        await self.timers.open(self.look)
        await until(lambda: self.timers.trusted)


@pytest.fixture
async def guarding() -> AsyncIterator[Guarding]:
    guarding = Guarding()
    await guarding.open()
    yield guarding
    await guarding.timers.close()


def key(identity: str, sort: WakeSort = WakeSort.TIMER, tenant: TenantId = ACME) -> WakeKey:
    return sort, tenant, identity


def ids(due: FireDue | FireIfDue | None) -> list[str]:
    assert isinstance(due, FireIfDue)
    return [identity for _, _, identity in due.keys]


async def test_the_scheduler_looks_at_an_index_that_is_trusted_from_now_on(guarding: Guarding) -> None:
    assert guarding.looks == 1
    guarding.index.failure = Unavailable("gone")
    await guarding.claim()
    guarding.index.failure = None
    await until(lambda: guarding.timers.trusted)
    assert guarding.looks == 2


async def test_what_was_noted_can_be_claimed_at_once(guarding: Guarding) -> None:
    await guarding.commit(Changes(new_timers=[timer("a", fire_at=NOW)]))
    assert ids(await guarding.claim()) == ["a"]


async def test_what_could_not_be_committed_is_claimed_still(guarding: Guarding) -> None:
    await guarding.commit(Changes(new_timers=[timer("a", fire_at=NOW)]))
    first = await guarding.claim()
    assert await guarding.claim() == first
    assert first is not None
    await guarding.timers.settle(first, [])
    assert guarding.index.acknowledged == [key("a")]


async def test_a_row_that_was_not_due_comes_back_at_its_time(guarding: Guarding) -> None:
    await guarding.commit(Changes(new_timers=[timer("a", fire_at=NOW)]))
    claimed = await guarding.claim()
    assert claimed is not None
    await guarding.timers.settle(claimed, [WakeUp(Instant(NOW + 50), *key("a"))])
    assert await guarding.claim() is None
    assert await guarding.timers.next_due() == NOW + 50
    guarding.clock.time += 50
    assert ids(await guarding.claim()) == ["a"]


async def test_a_lease_that_has_run_out_is_found_and_is_no_repair(guarding: Guarding) -> None:
    lease = {"wake_at": Instant(NOW), "lease_expires_at": Instant(NOW)}
    held = task("held", status=TaskStatus.RUNNING, ready=False, **lease)
    running = execution("running", status=ExecutionStatus.RUNNING, **lease)
    await guarding.commit(Changes(new_tasks=[held], new_executions=[running]))
    assert guarding.timers._pending == {}
    assert sorted(ids(await guarding.claim())) == ["held", "running"]
    assert guarding.timers.counts.repaired == 0


async def test_a_row_that_is_overdue_and_unknown_to_the_index_makes_the_database_take_over(guarding: Guarding) -> None:
    await write(guarding.store, Changes(new_timers=[timer("lost", fire_at=NOW - guarded.GRACE_MS)]))
    assert isinstance(await guarding.claim(), FireDue)
    assert guarding.timers.tally()["repaired"] == 1
    assert not guarding.timers.trusted


async def test_who_knows_that_something_is_due_need_not_look(guarding: Guarding) -> None:
    guarding.timers._distrust("a test says so")
    assert await guarding.claim() is None
    assert isinstance(await guarding.claim(is_known=True), FireDue)


async def test_what_somebody_has_in_hand_is_not_missing(guarding: Guarding) -> None:
    await write(guarding.store, Changes(new_timers=[timer("theirs", fire_at=NOW - guarded.GRACE_MS)]))
    guarding.index.in_hand = OTHERS
    assert await guarding.claim() is None
    assert guarding.timers.counts.repaired == 0


async def test_a_row_that_is_hardly_late_is_left_to_others(guarding: Guarding) -> None:
    await write(guarding.store, Changes(new_timers=[timer("soon", fire_at=NOW - 1)]))
    assert await guarding.claim() is None


async def test_the_database_is_looked_at_once_in_a_while(guarding: Guarding) -> None:
    assert await guarding.claim() is None
    await write(guarding.store, Changes(new_timers=[timer("lost", fire_at=NOW - guarded.GRACE_MS)]))
    assert await guarding.claim() is None
    guarding.clock.time += guarded.LOOK_EVERY_MS
    assert isinstance(await guarding.claim(), FireDue)


async def test_what_is_lost_and_due_soon_is_put_back_before_it_is_late(guarding: Guarding) -> None:
    soon = NOW + GuardSettings().interval_ms * 3
    lease = {"wake_at": Instant(soon), "lease_expires_at": Instant(soon)}
    held = task("held", status=TaskStatus.RUNNING, ready=False, **lease)
    lost, far = timer("lost", fire_at=soon), timer("far", fire_at=NOW + 10 * GuardSettings().ahead_ms)
    await write(guarding.store, Changes(new_timers=[lost, far], new_tasks=[held]))
    await looked_ahead(guarding)
    assert (guarding.index.waits, guarding.timers.counts.repaired) == ({}, 0)
    await looked_ahead(guarding)
    assert (guarding.index.waits, guarding.timers.counts.repaired) == ({key("lost"): soon}, 1)
    await looked_ahead(guarding)
    assert guarding.timers.counts.repaired == 1
    assert guarding.timers.trusted


async def test_a_look_ahead_that_fails_leaves_the_index_in_use(
    guarding: Guarding, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def unreadable(*_: object) -> list[WakeUp]:
        raise Unavailable("the database is busy")

    caplog.set_level("INFO")
    monkeypatch.setattr(guarding.store, "wake_ups", unreadable)
    await looked_ahead(guarding)
    assert "could not be compared with the database: the database is busy" in caplog.text
    assert guarding.timers.trusted


async def test_what_was_under_way_to_the_index_is_no_loss(guarding: Guarding) -> None:
    soon = NOW + GuardSettings().interval_ms * 3
    await write(guarding.store, Changes(new_timers=[timer("slow", fire_at=soon)]))
    await looked_ahead(guarding)
    await guarding.index.put([WakeUp(Instant(soon), *key("slow"))], [])
    await looked_ahead(guarding)
    assert guarding.timers.counts.repaired == 0


async def looked_ahead(guarding: Guarding) -> None:
    guarding.clock.time += GuardSettings().interval_ms
    due = guarding.clock.time
    await until(lambda: guarding.timers._look_ahead_at > due)
    # The loop fills, puts and gathers again when the look is over.
    before = guarding.index.puts
    await guarding.commit(Changes(new_timers=[timer(f"after-{due}", fire_at=NOW + 10 * GuardSettings().ahead_ms)]))
    await until(lambda: guarding.index.puts > before)
    await guarding.index.put([], [key(f"after-{due}")])


def test_the_url_says_how_much_at_once_and_how_often() -> None:
    plain, settings = split_settings("redis://localhost:6379/0?prefix=shop:&batch=100&interval=5")
    assert (plain, settings) == ("redis://localhost:6379/0?prefix=shop%3A", GuardSettings(100, 5_000))
    assert split_settings("redis://localhost") == ("redis://localhost", GuardSettings())


@pytest.mark.parametrize("options", ["batch=0", "batch=many", "interval=-1", "interval=1e9", "batch="])
def test_settings_that_cannot_be_meant_are_refused(options: str) -> None:
    with pytest.raises(InvalidArgument, match=r"use a number from 1"):
        split_settings(f"redis://localhost?{options}")


async def test_many_that_wait_are_put_in_at_once(guarding: Guarding, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded, "PUT_AT_ONCE", 3)
    monkeypatch.setattr(guarded, "GATHER_SECONDS", 3_600)
    await asyncio.sleep(0)
    await guarding.commit(Changes(new_timers=[timer(f"t{number}", fire_at=NOW + 10_000) for number in range(3)]))
    await until(lambda: len(guarding.index.waits) == 3)


async def test_the_last_timers_are_put_in_at_the_end() -> None:
    guarding = Guarding()
    await guarding.open()
    await guarding.commit(Changes(new_timers=[timer("a", fire_at=NOW + 10_000)]))
    await guarding.timers.close()
    assert key("a") in guarding.index.waits


async def test_an_index_that_is_gone_at_the_end_harms_nobody(caplog: pytest.LogCaptureFixture) -> None:
    guarding = Guarding()
    await guarding.open()
    await guarding.commit(Changes(new_timers=[timer("a", fire_at=NOW + 10_000)]))
    guarding.index.failure = Unavailable("gone")
    await guarding.timers.close()
    assert not guarding.timers.trusted or "could not be told" in caplog.text


async def test_a_guard_that_was_never_opened_can_be_closed() -> None:
    await Guarding().timers.close()


async def test_an_index_that_fails_while_it_is_told_is_filled_again(guarding: Guarding) -> None:
    guarding.index.failure = Unavailable("gone")
    await guarding.commit(Changes(new_timers=[timer("a", fire_at=NOW + 10_000)]))
    await until(lambda: not guarding.timers.trusted)
    await guarding.commit(Changes(new_timers=[timer("b", fire_at=NOW + 10_000)]))
    guarding.index.failure = None
    await until(lambda: guarding.timers.trusted)
    assert set(guarding.index.waits) == {key("a"), key("b")}
    assert guarding.timers.counts.repaired == 2


async def test_an_index_that_fails_when_it_is_acknowledged_is_not_trusted(guarding: Guarding) -> None:
    await guarding.commit(Changes(new_timers=[timer("a", fire_at=NOW)]))
    claimed = await guarding.claim()
    guarding.index.failure = Unavailable("gone")
    assert claimed is not None
    await guarding.timers.settle(claimed, [])
    assert not guarding.timers.trusted


async def test_a_database_that_cannot_be_read_delays_the_filling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded, "PAUSE_AFTER_FAILURE", 0.01)
    guarding = Guarding()
    guarding.index.failure = StoreDamaged("torn")
    await guarding.timers.open(guarding.look)
    await asyncio.sleep(0.05)
    assert not guarding.looks
    assert not guarding.timers.trusted
    guarding.index.failure = None
    await until(lambda: guarding.timers.trusted)
    await guarding.timers.close()


def dues(changes: Changes) -> dict[str, int | None]:
    return {identity: due for (_, _, identity), due in news_of(changes)}


def test_deadlines_of_executions_are_news_and_leases_are_not() -> None:
    open_one = execution("open", deadline_at=Instant(9), wake_at=Instant(5))
    ended = execution("ended", deadline_at=Instant(9), status=ExecutionStatus.FAILED)
    leased = execution("leased", wake_at=Instant(5))
    assert dues(Changes(new_executions=[open_one, leased], changed_executions=[ended])) == {"open": 9, "ended": None}


def test_limits_and_retries_of_tasks_are_news() -> None:
    limited = TaskOptions(start_to_close_ms=Milliseconds(10), schedule_to_close_ms=Milliseconds(99))
    running = task("running", options=limited, status=TaskStatus.RUNNING, ready=False, started_at=Instant(2_000))
    ended = task("ended", options=limited, status=TaskStatus.COMPLETED, ready=False)
    retried = task("retried", scheduled_at=Instant(7_000), ready=False)
    given_up = task("given-up", scheduled_at=Instant(7_000), ready=False, status=TaskStatus.CANCELLED)
    plain = task("plain")
    told = dues(Changes(new_tasks=[plain, retried], changed_tasks=[running, ended, given_up]))
    assert told == {"running": 1_099, "ended": None, "retried": 7_000, "given-up": None}


def test_promises_are_news_while_they_can_time_out() -> None:
    kept = promise("kept", status=PromiseStatus.RESOLVED)
    assert dues(Changes(new_promises=[promise("a", wake_at=Instant(3)), promise("b")], changed_promises=[kept])) == {
        "a": 3,
        "kept": None,
    }
