"""What a process has just written is not read again by PostgreSQL's store, and much is written at once."""

from collections.abc import AsyncIterator, Callable

import pytest

from holdfast.model.commands import TaskOptions
from holdfast.model.errors import HoldfastError
from holdfast.model.ids import WorkerId
from holdfast.ports.store import Changes, Rows, Wanted
from holdfast.stores import recent
from holdfast.stores.postgres import PostgresStore
from tests.stores.making import Decision, execution, key, keys, task, write
from tests.stores.postgres_making import opened


@pytest.fixture
async def store(emptied_postgres_database: str) -> AsyncIterator[PostgresStore]:
    async with opened(emptied_postgres_database) as store:
        yield store


def cancel_seen(seen: list[bool]) -> Decision:
    """Cancels an execution, and notes whether that had been asked for before."""

    def decide(rows: Rows) -> Changes:
        [found] = rows.executions.values()
        seen.append(found.cancel_requested)
        if found.cancel_requested:
            return Changes()
        return Changes(changed_executions=[execution(cancel_requested=True)])

    return Decision(Wanted(executions=keys("order-1")), decide)


async def test_a_row_that_was_just_written_is_not_read_again(store: PostgresStore) -> None:
    await write(store, Changes(new_executions=[execution()]))
    seen: list[bool] = []
    before = store.statistics.rows_read
    await store.commit(cancel_seen(seen))
    assert (seen, store.statistics.rows_read - before) == ([False], 0)
    # What writes nothing has not been checked by a write, so it takes a look.
    await store.commit(cancel_seen(seen))
    assert seen[1:] == [True, True]


async def test_a_row_that_another_server_has_changed_is_read_again(
    store: PostgresStore, emptied_postgres_database: str
) -> None:
    await write(store, Changes(new_executions=[execution()]))
    async with opened(emptied_postgres_database) as other:
        await write(other, Changes(changed_executions=[execution(cancel_requested=True)]))
    seen: list[bool] = []
    await store.commit(cancel_seen(seen))
    assert seen == [False, True]
    assert store.statistics.restarts == 1


async def test_a_running_task_that_another_server_has_taken_away_is_read_again(
    store: PostgresStore, emptied_postgres_database: str
) -> None:
    running = task(worker_id=WorkerId("w"), claim_token=1)
    await write(store, Changes(new_tasks=[running]))
    async with opened(emptied_postgres_database) as other:
        await write(other, Changes(changed_tasks=[task(worker_id=None, claim_token=2)]))
    seen: list[int] = []

    def decide(rows: Rows) -> Changes:
        [found] = rows.tasks.values()
        seen.append(found.claim_token)
        return Changes(changed_tasks=[task(attempt=5, claim_token=found.claim_token)])

    await store.commit(Decision(Wanted(tasks=keys("task-1")), decide))
    assert seen == [1, 2]
    assert await store.task(key("task-1")) == task(attempt=5, claim_token=2)


def giving(changes: Changes) -> Callable[[Rows], Changes]:
    return lambda _: changes


async def test_no_more_rows_are_kept_than_there_is_room_for(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recent, "MOST", 1)
    await write(store, Changes(new_executions=[execution("a"), execution("b")]))
    before = store.statistics.rows_read
    for name in "b", "a":
        change = Changes(changed_executions=[execution(name, open_items=1)])
        await store.commit(Decision(Wanted(executions=keys(name)), giving(change)))
    assert store.statistics.rows_read - before == 1


async def test_many_tasks_are_written_at_once_and_none_if_one_is_there(store: PostgresStore) -> None:
    many = [task(f"task-{number:04}", metadata=b"{}", options=TaskOptions(trace="00-1")) for number in range(300)]
    await write(store, Changes(new_tasks=many))
    assert sorted(await store.tasks([key(each.id) for each in many]), key=lambda each: each.id) == many
    again = [task(f"task-{number:04}") for number in range(299, 599)]
    with pytest.raises(HoldfastError):
        await write(store, Changes(new_tasks=again))
    assert await store.task(key("task-0598")) is None
