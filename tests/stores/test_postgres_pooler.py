"""Behind PgBouncer in transaction mode nothing of a session is relied on."""

import asyncio
from collections.abc import Iterator
from urllib.parse import quote, urlsplit

import pytest

from holdfast import Holdfast, WorkflowContext, task, workflow
from holdfast.model.errors import InvalidArgument, StoreRefused
from holdfast.ports.store import Changes
from holdfast.stores.postgres import PostgresStore
from holdfast.stores.postgres.addresses import Address, address_of
from tests.services.pgbouncer import running_pgbouncer
from tests.services.postgres import postgres_url
from tests.stores.making import execution, key, write
from tests.stores.postgres_making import opened

WITHIN = 30.0


@task
async def double(number: int) -> int:
    return number * 2


@workflow
async def sums(ctx: WorkflowContext, count: int) -> int:
    return sum(await asyncio.gather(*[ctx.schedule(double, number) for number in range(count)]))


@pytest.fixture
def pooled_url(postgres_port: int, emptied_postgres_database: str) -> Iterator[str]:
    database = urlsplit(emptied_postgres_database).path.removeprefix("/")
    with running_pgbouncer(postgres_port) as port:
        yield f"{postgres_url(port, database)}?pooled=transaction"


async def test_work_is_done_without_a_connection_that_stays(pooled_url: str) -> None:
    async with Holdfast.open(pooled_url, workflows=[sums], tasks=[double]) as hf, asyncio.timeout(WITHIN):
        assert await asyncio.gather(*[hf.run(sums, 10) for _ in range(20)]) == [90] * 20


async def test_servers_hear_of_each_other_by_a_direct_way(pooled_url: str, emptied_postgres_database: str) -> None:
    url = f"{pooled_url}&direct={quote(emptied_postgres_database, safe='')}"
    async with (
        Holdfast.open(url) as client,
        Holdfast.open(url, workflows=[sums], tasks=[double]),
        asyncio.timeout(WITHIN),
    ):
        assert await client.run("sums", 3) == 6


async def test_servers_without_a_direct_way_look_for_work(pooled_url: str) -> None:
    async with (
        Holdfast.open(pooled_url) as client,
        Holdfast.open(pooled_url, workflows=[sums], tasks=[double]),
        asyncio.timeout(WITHIN),
    ):
        assert await client.run("sums", 3) == 6


async def test_by_session_everything_is_as_without_a_pooler(postgres_port: int, emptied_postgres_database: str) -> None:
    database = urlsplit(emptied_postgres_database).path.removeprefix("/")
    with running_pgbouncer(postgres_port, "session") as port:
        url = f"{postgres_url(port, database)}?pooled=session"
        async with (
            opened(url) as store,
            Holdfast.open(url) as client,
            Holdfast.open(url, workflows=[sums], tasks=[double]),
            asyncio.timeout(WITHIN),
        ):
            assert await client.run("sums", 3) == 6
            assert await store.settings_in_force(["statement_timeout"]) == {"statement_timeout": "25000"}


async def test_a_pooler_that_the_url_does_not_name_is_refused_and_not_tried_again(
    postgres_port: int, emptied_postgres_database: str
) -> None:
    database = urlsplit(emptied_postgres_database).path.removeprefix("/")
    with running_pgbouncer(postgres_port) as port, pytest.raises(StoreRefused, match="pooled=transaction"):
        await PostgresStore(postgres_url(port, database)).open()


async def test_limits_of_time_and_plans_hold_for_each_transaction(pooled_url: str) -> None:
    async with opened(pooled_url) as store:
        await write(store, Changes(new_executions=[execution()]))
        assert await store.execution(key("order-1")) == execution()
        assert await store.abandoned_workers() == ()


def test_what_is_ours_in_a_url_is_not_given_to_postgresql() -> None:
    url = "postgresql://u:p@h:6432/db?sslmode=require&pooled=transaction&direct=postgresql%3A%2F%2Fh%2Fdb"
    assert address_of(url) == Address("postgresql://u:p@h:6432/db?sslmode=require", True, "postgresql://h/db")
    assert address_of("postgres://h/db") == Address("postgres://h/db", False, "postgres://h/db")
    assert address_of(f"{url}&x=1").shown == "postgresql://h:6432/db"


@pytest.mark.parametrize("bad", ["mysql://h/db", "postgresql://h/db?pooled=statement", "postgresql://h/d?direct=x"])
def test_a_url_that_is_not_understood_is_refused(bad: str) -> None:
    with pytest.raises(InvalidArgument):
        address_of(bad)
