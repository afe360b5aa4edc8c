"""What one server commits on PostgreSQL reaches those who wait at another: it is told, and not found by looking."""

import asyncio

import asyncpg
import pytest

from holdfast import Holdfast, WorkflowContext, task, workflow
from holdfast.ports.news import News
from holdfast.server import host as hosting
from holdfast.server import neighbours
from holdfast.stores.postgres import news as telling
from holdfast.stores.postgres import sessions

WITHIN = 20.0


@task
async def double(number: int) -> int:
    return number * 2


@workflow
async def doubled(ctx: WorkflowContext, number: int) -> int:
    return await ctx.schedule(double, number)


@pytest.fixture
def nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the safety net, whatever happens has been told."""
    monkeypatch.setattr(hosting, "SAFETY_CHECK", 1e6)


@pytest.mark.usefixtures("nobody_looks")
async def test_a_start_at_one_is_work_at_the_other_and_its_result_comes_back(emptied_postgres_database: str) -> None:
    url = emptied_postgres_database
    async with Holdfast.open(url) as client, Holdfast.open(url, workflows=[doubled], tasks=[double]):
        async with asyncio.timeout(WITHIN):
            assert await client.run("doubled", 21) == 42
            submitted = await client.submit_task("double", 4)
            assert await submitted.result() == 8


@pytest.mark.usefixtures("nobody_looks")
async def test_more_than_can_be_told_is_looked_for(
    emptied_postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telling, "MOST_NAMED", 0)
    url = emptied_postgres_database
    async with Holdfast.open(url) as client, Holdfast.open(url, workflows=[doubled], tasks=[double]):
        async with asyncio.timeout(WITHIN):
            handles = [await client.start("doubled", number) for number in range(5)]
            assert [await handle.result() for handle in handles] == [0, 2, 4, 6, 8]


@pytest.mark.usefixtures("nobody_looks")
async def test_who_was_cut_off_hears_again_and_looks_for_what_was_missed(
    emptied_postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "LOOK_SECONDS", 0.05)
    url = emptied_postgres_database
    async with Holdfast.open(url) as client, Holdfast.open(url, workflows=[doubled], tasks=[double]):
        await cut_off(url)
        async with asyncio.timeout(WITHIN):
            assert await client.run("doubled", 3) == 6


async def test_the_safety_net_alone_is_enough(emptied_postgres_database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def deaf(_: News | None) -> None:
        """As if nothing were ever told."""

    url = emptied_postgres_database
    monkeypatch.setattr(neighbours.Neighbours, "hear", lambda _, told: deaf(told))
    async with Holdfast.open(url) as client, Holdfast.open(url, workflows=[doubled], tasks=[double]):
        async with asyncio.timeout(WITHIN):
            assert await client.run("doubled", 3) == 6


async def cut_off(url: str) -> None:
    """End all connections that listen."""
    connection = await asyncpg.connect(url)
    ended = await connection.fetch(
        "SELECT pg_terminate_backend(pid) FROM pg_locks"
        " WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )
    await connection.close()
    assert len(ended) == 2
