"""Schedules: they come back as they were written, by key, by page, and when they are due."""

import msgspec

from holdfast.model.instants import Instant
from holdfast.model.schedules import (
    Overlap,
    RunOutcome,
    Schedule,
    ScheduledRun,
    ScheduleSpec,
    StartsTask,
    StartsWorkflow,
)
from holdfast.ports.store import Changes, DueWanted, Store, Wanted
from tests.stores.making import ACME, OTHER, load, schedule, write

FULL = schedule(
    "nightly",
    spec=ScheduleSpec(
        StartsTask("pack", msgspec.Raw(b'{"a":[1,"\xe2\x9c\x93"]}'), priority=3),
        cron="0 9 * * 1-5",
        timezone="Europe/Vienna",
        not_before=Instant(1),
        not_after=Instant(2),
        overlap=Overlap.BUFFER_ONE,
        note="it's",
    ),
    paused=True,
    reason="holidays",
    next_at=Instant(7_000),
    buffered=Instant(6_000),
    running=("nightly@x", "nightly@y"),
    recent=(ScheduledRun(Instant(5), Instant(6), RunOutcome.FAILED, error="no such flow"),),
    started=4,
    skipped=3,
    missed=2,
    failed=1,
)


def ids(found: list[Schedule]) -> list[str]:
    return [each.id for each in found]


async def test_a_schedule_comes_back_whole(store: Store) -> None:
    await write(store, Changes(schedules=[FULL, schedule("other")]))
    rows = await load(store, Wanted(schedules={(ACME, "nightly"), (ACME, "nothing")}))
    assert rows.schedules == {(ACME, "nightly"): FULL}
    assert await store.schedule((ACME, "nightly")) == FULL
    assert await store.schedule((OTHER, "nightly")) is None


async def test_a_schedule_takes_the_place_of_the_one_before(store: Store) -> None:
    await write(store, Changes(schedules=[schedule("nightly", wake_at=Instant(9))]))
    await write(store, Changes(schedules=[FULL]))
    assert await store.schedule((ACME, "nightly")) == FULL
    assert await store.next_wake() is None


async def test_a_schedule_that_is_gone_is_gone(store: Store) -> None:
    await write(store, Changes(schedules=[schedule("a", wake_at=Instant(9)), schedule("b")]))
    await write(store, Changes(gone_schedules=[(ACME, "a"), (ACME, "never")]))
    assert ids(await store.schedules(ACME, "", 10)) == ["b"]
    assert await store.next_wake() is None


async def test_schedules_are_listed_page_by_page_within_a_tenant(store: Store) -> None:
    await write(store, Changes(schedules=[schedule(each) for each in ("c", "a", "b")]))
    await write(store, Changes(schedules=[schedule("x", tenant=OTHER)]))
    assert ids(await store.schedules(ACME, "", 2)) == ["a", "b"]
    assert ids(await store.schedules(ACME, "b", 2)) == ["c"]


async def test_due_schedules_are_found_the_earliest_first(store: Store) -> None:
    due = [schedule(name, wake_at=Instant(at)) for name, at in (("a", 30), ("b", 10), ("c", 20), ("d", 31))]
    await write(store, Changes(schedules=[*due, schedule("rests")]))
    rows = await load(store, Wanted(due=DueWanted(Instant(30), 2)))
    assert rows.due_schedules == [(ACME, "b"), (ACME, "c")]
    assert set(rows.schedules) == set(rows.due_schedules)
    assert await store.next_wake() == 10


def test_specifications_say_what_they_start() -> None:
    started = ScheduleSpec(StartsWorkflow("report"), every_ms=60_000)  # type: ignore[arg-type]  # plain milliseconds
    assert msgspec.json.decode(msgspec.json.encode(started), type=ScheduleSpec) == started
