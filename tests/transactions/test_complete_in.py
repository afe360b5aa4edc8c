"""A task commits what it does and its own completion together: both, or neither, and once."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from holdfast import Holdfast, RetryPolicy, TaskContext, WorkflowContext, task, workflow
from holdfast.model.errors import InvalidArgument, StaleClaim, WorkflowFailed
from holdfast.model.instants import Milliseconds
from holdfast.model.requests import ReclaimWorkers
from holdfast.model.statuses import AttemptStatus
from tests.transactions.libraries import ASYNC, SYNC, of_asyncpg

WITHIN = 30.0
AGAIN = RetryPolicy(max_retries=5, initial_interval_ms=Milliseconds(1))
BOOK = "INSERT INTO booking VALUES ('order-1')"


@pytest.fixture
async def database(emptied_postgres_database: str) -> AsyncIterator[str]:
    connection = await asyncpg.connect(emptied_postgres_database)
    await connection.execute("CREATE TABLE public.booking (id text)")
    yield emptied_postgres_database
    await connection.execute("DROP TABLE public.booking")
    await connection.close()


async def bookings(database: str) -> int:
    connection = await asyncpg.connect(database)
    count: int = await connection.fetchval("SELECT count(*) FROM booking")
    await connection.close()
    return count


@workflow
async def booking(ctx: WorkflowContext) -> object:
    return await ctx.schedule_raw("book")


async def booked(database: str, book: Any) -> tuple[object, list[AttemptStatus], int]:
    """What the workflow came to, the tries of its task, and how many bookings there are."""
    async with Holdfast.open(database, workflows=[booking], tasks=[book]) as hf:
        handle = await hf.start(booking, id="order-1")
        result = await handle.result(timeout=WITHIN)
        [found] = (await hf.list_tasks(execution_id="order-1")).tasks
        return result, [each.status for each in await hf.attempts(found.id)], await bookings(database)


@pytest.mark.parametrize("begun", ASYNC)
async def test_both_are_committed_together(begun: Any, database: str) -> None:
    @task
    async def book(ctx: TaskContext) -> str:
        async with begun(database) as (connection, execute):
            await execute(BOOK)
            await ctx.complete_in(connection, "from the transaction")
        return "not this"

    assert await booked(database, book) == ("from the transaction", [AttemptStatus.COMPLETED], 1)


@pytest.mark.parametrize("begun", SYNC)
async def test_plain_tasks_do_it_too(begun: Any, database: str) -> None:
    @task
    def book(ctx: TaskContext) -> str:
        with begun(database) as (connection, execute):
            execute(BOOK)
            ctx.complete_in(connection, "from the transaction")
        return "not this"

    assert await booked(database, book) == ("from the transaction", [AttemptStatus.COMPLETED], 1)


@pytest.mark.parametrize("begun", ASYNC)
async def test_plain_tasks_are_refused_connections_of_async_libraries(begun: Any, database: str) -> None:
    async with begun(database) as (connection, execute):

        @task(retries=0)
        def book(ctx: TaskContext) -> None:
            ctx.complete_in(connection, "from the transaction")

        with pytest.raises(WorkflowFailed, match="async code"):
            await booked(database, book)
        await execute("SELECT 1")


async def test_what_fails_after_the_commit_has_no_consequence(database: str) -> None:
    @task(retries=AGAIN)
    async def book(ctx: TaskContext) -> None:
        async with of_asyncpg(database) as (connection, execute):
            await execute(BOOK)
            await ctx.complete_in(connection, 1)
        raise RuntimeError("too late")

    assert await booked(database, book) == (1, [AttemptStatus.COMPLETED], 1)


async def test_what_is_undone_is_tried_again(database: str) -> None:
    @task(retries=AGAIN)
    async def book(ctx: TaskContext) -> None:
        connection = await asyncpg.connect(database)
        transaction = connection.transaction()
        await transaction.start()
        await connection.execute(BOOK)
        await ctx.complete_in(connection, ctx.attempt)
        await (transaction.rollback() if ctx.attempt == 1 else transaction.commit())
        await connection.close()

    assert await booked(database, book) == (2, [AttemptStatus.FAILED, AttemptStatus.COMPLETED], 1)


async def test_a_try_that_has_lost_its_task_commits_nothing(database: str) -> None:
    refusals: list[Exception] = []

    async def lose(hf: Holdfast) -> None:
        worker = hf._worker
        assert worker is not None
        await hf.host.send(ReclaimWorkers(hf.tenant, (worker.introduction.worker_id,), 10))

    @task(retries=AGAIN)
    async def book(ctx: TaskContext) -> int:
        if ctx.attempt == 1:
            await lose(opened[0])
        try:
            async with of_asyncpg(database) as (connection, execute):
                await execute(BOOK)
                await ctx.complete_in(connection, ctx.attempt)
        except StaleClaim as error:
            refusals.append(error)
            raise
        return 0

    opened: list[Holdfast] = []
    async with asyncio.timeout(WITHIN), Holdfast.open(database, tasks=[book]) as hf:
        opened.append(hf)
        handle = await hf.submit_task(book)
        assert await handle.result() == 2
        assert [each.status for each in await handle.attempts()] == [AttemptStatus.LOST, AttemptStatus.COMPLETED]
    assert await bookings(database) == 1
    assert len(refusals) == 1


async def test_a_task_that_is_called_by_a_test_has_nothing_to_complete() -> None:
    context = TaskContext.__new__(TaskContext)
    context._complete = None
    with pytest.raises(InvalidArgument, match="does not run in a worker"):
        await context.complete_in(object())
