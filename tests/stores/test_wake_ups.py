"""All that time acts on can be listed, page by page: from this an index of timers is built anew."""

from typing import Any

import pytest

from holdfast.model.instants import Instant
from holdfast.model.wakes import WakeSort, WakeUp
from holdfast.ports.store import Changes, Store
from tests.stores.making import ACME, OTHER, execution, promise, schedule, task, timer, write


def rows_of_all_sorts(identity: str, due: int, **fields: Any) -> Changes:
    at = Instant(due)
    return Changes(
        new_executions=[execution(identity, wake_at=at, **fields)],
        new_tasks=[task(identity, wake_at=at, **fields)],
        new_timers=[timer(identity, fire_at=due, **fields)],
        new_promises=[promise(identity, wake_at=at, **fields)],
        schedules=[schedule(identity, wake_at=at, **fields)],
    )


async def all_pages(store: Store, sort: WakeSort, limit: int) -> list[list[WakeUp]]:
    pages = [await store.wake_ups(sort, None, limit)]
    while len(pages[-1]) == limit:
        pages.append(await store.wake_ups(sort, pages[-1][-1], limit))
    return pages


@pytest.mark.parametrize("sort", WakeSort)
async def test_wake_ups_come_page_by_page_earliest_first_of_all_tenants(store: Store, sort: WakeSort) -> None:
    for identity, due, tenant in (("c", 20, ACME), ("b", 10, OTHER), ("b", 10, ACME), ("a", 10, ACME), ("d", 5, ACME)):
        await write(store, rows_of_all_sorts(identity, due, tenant=tenant))
    expected = [(5, ACME, "d"), (10, ACME, "a"), (10, ACME, "b"), (10, OTHER, "b"), (20, ACME, "c")]
    pages = await all_pages(store, sort, 2)
    assert [len(page) for page in pages] == [2, 2, 1]
    assert [wake for page in pages for wake in page] == [
        WakeUp(Instant(due), sort, tenant, identity) for due, tenant, identity in expected
    ]


@pytest.mark.parametrize("sort", [WakeSort.EXECUTION, WakeSort.TASK, WakeSort.PROMISE, WakeSort.SCHEDULE])
async def test_rows_that_time_does_nothing_to_are_left_out(store: Store, sort: WakeSort) -> None:
    rows = Changes(new_executions=[execution()], new_tasks=[task()], new_promises=[promise()], schedules=[schedule()])
    await write(store, rows)
    assert await store.wake_ups(sort, None, 10) == []
