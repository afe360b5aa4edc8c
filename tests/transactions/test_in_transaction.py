"""Starts and tasks inside the user's own transaction: there when it commits, and never if it does not."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import psycopg
import pytest

from holdfast import Holdfast, WorkflowContext, task, workflow
from holdfast.app.sync import SyncHoldfast
from holdfast.model.errors import IdempotencyConflict, InvalidArgument, TaskNotFound, Unavailable, WorkflowNotFound
from holdfast.sdk.at_once import at_once
from tests.transactions.libraries import ASYNC, SYNC, Undone, of_asyncpg, of_psycopg

WITHIN = 30.0
INSERT = "INSERT INTO shop_order VALUES ('order-1')"


@task
async def double(number: int) -> int:
    return number * 2


@workflow
async def checkout(ctx: WorkflowContext, number: int) -> int:
    doubled: int = await ctx.schedule(double, number)
    return doubled + 1


@pytest.fixture
async def database(emptied_postgres_database: str) -> AsyncIterator[str]:
    connection = await asyncpg.connect(emptied_postgres_database)
    await connection.execute("DROP TABLE IF EXISTS public.shop_order")
    await connection.execute("CREATE TABLE public.shop_order (id text)")
    yield emptied_postgres_database
    await connection.execute("DROP TABLE public.shop_order")
    await connection.close()


@pytest.fixture
async def hf(database: str) -> AsyncIterator[Holdfast]:
    async with Holdfast.open(database, workflows=[checkout], tasks=[double]) as opened:
        yield opened


async def orders(database: str) -> int:
    connection = await asyncpg.connect(database)
    count: int = await connection.fetchval("SELECT count(*) FROM shop_order")
    await connection.close()
    return count


@pytest.mark.parametrize("begun", ASYNC)
async def test_what_is_asked_for_begins_with_the_commit(begun: Any, hf: Holdfast, database: str) -> None:
    async with asyncio.timeout(WITHIN):
        async with begun(database) as (connection, execute):
            await execute(INSERT)
            transaction = hf.in_transaction(connection)
            started = await transaction.start(checkout, 20, id="order-1")
            submitted = await transaction.submit_task(double, 4, idempotency_key="once")
            with pytest.raises(WorkflowNotFound):
                await hf.describe("order-1")
            with pytest.raises(TaskNotFound):
                await hf.describe_task(submitted.id)
        assert (started.created, await started.result(), await submitted.result()) == (True, 41, 8)
    assert await orders(database) == 1


@pytest.mark.parametrize("begun", ASYNC)
async def test_what_is_undone_never_was(begun: Any, hf: Holdfast, database: str) -> None:
    async def undo() -> None:
        async with begun(database) as (connection, execute):
            await execute(INSERT)
            await hf.in_transaction(connection).start(checkout, 20, id="order-1")
            raise Undone

    with pytest.raises(Undone):
        await undo()
    assert await orders(database) == 0
    assert (await hf.list()).executions == ()
    assert (await hf.start(checkout, 1, id="order-1")).created


@pytest.mark.parametrize("begun", SYNC)
async def test_the_same_with_libraries_that_are_not_async(begun: Any, hf: Holdfast, database: str) -> None:
    def undo(sync: SyncHoldfast) -> None:
        with begun(database) as (connection, execute):
            execute(INSERT)
            sync.in_transaction(connection).start(checkout, 20, id="order-2")
            raise Undone

    def use() -> tuple[int, int, bool]:
        with SyncHoldfast.open(database) as sync:
            with begun(database) as (connection, execute):
                execute(INSERT)
                transaction = sync.in_transaction(connection)
                started = transaction.start(checkout, 20, id="order-1")
                submitted = transaction.submit_task(double, 4, idempotency_key="once")
                again = transaction.submit_task(double, 4, idempotency_key="once")
            with pytest.raises(Undone):
                undo(sync)
            return started.result(timeout=WITHIN), submitted.result(timeout=WITHIN), again.created

    assert await asyncio.to_thread(use) == (41, 8, False)
    assert await orders(database) == 1
    with pytest.raises(WorkflowNotFound):
        await hf.describe("order-2")


@pytest.mark.parametrize("begun", ASYNC)
async def test_a_refusal_leaves_the_transaction_as_it_was(begun: Any, hf: Holdfast, database: str) -> None:
    async with begun(database) as (connection, execute):
        transaction = hf.in_transaction(connection)
        assert (await transaction.start(checkout, 20, id="order-1")).created
        assert not (await transaction.start(checkout, 20, id="order-1")).created
        with pytest.raises(IdempotencyConflict):
            await transaction.start(checkout, 21, id="order-1")
        await execute(INSERT)
    assert await hf.handle("order-1", checkout).result(timeout=WITHIN) == 41
    assert await orders(database) == 1


async def test_two_transactions_that_start_the_same_agree(hf: Holdfast, database: str) -> None:
    async with of_asyncpg(database) as (second, _):
        async with of_asyncpg(database) as (first, _):
            assert (await hf.in_transaction(first).start(checkout, 20, id="order-1")).created
            waiting = asyncio.create_task(hf.in_transaction(second).start(checkout, 20, id="order-1"))
            await asyncio.sleep(0.05)
            assert not waiting.done()
        assert not (await waiting).created
    assert await hf.handle("order-1", checkout).result(timeout=WITHIN) == 41


async def test_without_a_transaction_nothing_is_begun(hf: Holdfast, database: str) -> None:
    connection = await asyncpg.connect(database)
    with pytest.raises(InvalidArgument, match="not in a transaction"):
        await hf.in_transaction(connection).start(checkout, 20)
    await connection.close()
    with (
        psycopg.connect(database, autocommit=True) as committing,
        pytest.raises(InvalidArgument, match="not in a transaction"),
    ):
        await hf.in_transaction(committing).start(checkout, 20)
    with pytest.raises(InvalidArgument, match="of asyncpg, psycopg 3, SQLAlchemy"):
        await hf.in_transaction(object()).start(checkout, 20)
    assert (await hf.list()).executions == ()


async def test_nothing_waits_inside_a_transaction(hf: Holdfast, database: str) -> None:
    async with of_asyncpg(database) as (connection, _):
        with pytest.raises(InvalidArgument, match="use start"):
            await hf.in_transaction(connection).run(checkout, 20)


@pytest.mark.parametrize("begun", ASYNC)
async def test_async_connections_need_async_code(begun: Any, database: str) -> None:
    """They are refused untouched: their event loop is reading from them, and not in the thread of this code."""
    async with begun(database) as (connection, execute):

        def use() -> None:
            with SyncHoldfast.open(database) as sync:
                sync.in_transaction(connection).start(checkout, 20)

        with pytest.raises(InvalidArgument, match="async code"):
            await asyncio.to_thread(use)
        await execute("SELECT 1")


def test_what_would_wait_is_refused_where_nothing_can() -> None:
    with pytest.raises(InvalidArgument, match="async code"):
        at_once(asyncio.sleep(0))


async def test_another_database_cannot_be_joined(tmp_path: Any) -> None:
    async with Holdfast.open(f"sqlite:///{tmp_path}/other.db") as hf:
        with pytest.raises(InvalidArgument, match="on PostgreSQL"):
            hf.in_transaction(object())


async def test_a_connection_that_is_closed_says_so(hf: Holdfast, database: str) -> None:
    with of_psycopg(database) as (connection, _):
        transaction = hf.in_transaction(connection)
    with pytest.raises(Unavailable, match="closed"):
        await transaction.start(checkout, 20)
