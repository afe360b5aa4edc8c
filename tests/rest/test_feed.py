"""A tenant's feed: no gap and no duplicate for whoever comes back, and one read for many followers."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from holdfast.server.host import EngineHost
from holdfast.server.rest import reading_feed
from holdfast.server.rest.reading_feed import FeedReader
from tests.rest.clients import API, TASKS, Connection, Direct
from tests.rest.test_streams import followed
from tests.rest.test_tasks import submitted

FEED = f"{API}/events"


@pytest.fixture
async def connection(url: str) -> AsyncIterator[Connection]:
    connection = await Connection.to(url)
    yield connection
    await connection.close()


async def next_of(events: AsyncIterator[dict[str, str]], count: int) -> list[dict[str, str]]:
    return [await anext(events) for _ in range(count)]


async def test_the_feed_begins_with_its_place_and_tells_what_comes_next(rest: Direct, connection: Connection) -> None:
    await submitted(rest, "nobody-runs-this")
    events = await followed(connection, FEED)
    place = await anext(events)
    task_id = await submitted(rest, "nobody-runs-this")
    await rest.ask("DELETE", f"{TASKS}/{task_id}")
    told = [json.loads(event["data"]) for event in await next_of(events, 2)]
    assert (place["event"], place["id"]) == ("place", "1")
    assert [(each["number"], each["of"], each["id"], each["what"]) for each in told] == [
        (2, "task", task_id, "PENDING"),
        (3, "task", task_id, "CANCELLED"),
    ]


async def test_whoever_comes_back_misses_nothing_and_sees_nothing_twice(rest: Direct, url: str) -> None:
    seen: list[str] = ["0"]
    for _ in range(4):
        await rest.post(f"{TASKS}/bulk", {"tasks": [{"task_type": "nobody-runs-this"}] * 3})
        connection = await Connection.to(url)
        events = await followed(connection, FEED, last_event_id=seen[-1])
        # The connection breaks off in the middle: one of three has not been taken.
        seen += [event["id"] for event in await next_of(events, 2)]
        await connection.close()
    assert seen == [str(number) for number in range(9)]


async def test_a_long_absence_comes_in_several_pages(
    rest: Direct, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_feed, "FEED_PAGE", 2)
    await rest.post(f"{TASKS}/bulk", {"tasks": [{"task_type": "nobody-runs-this"}] * 5})
    events = await followed(connection, f"{FEED}?after=0")
    assert [event["id"] for event in await next_of(events, 5)] == ["1", "2", "3", "4", "5"]


async def test_a_place_that_has_never_been_is_told_and_left(rest: Direct, connection: Connection) -> None:
    await submitted(rest, "nobody-runs-this")
    events = await followed(connection, FEED, last_event_id="700")
    gap = await anext(events)
    await submitted(rest, "nobody-runs-this")
    assert (gap["event"], json.loads(gap["data"])) == ("gap", {"after": 700, "number": 1})
    assert (await anext(events))["id"] == "2"


async def test_notices_that_are_no_longer_kept_are_told_as_a_gap(idle_engine: EngineHost, idle: Direct) -> None:
    await idle.post(f"{TASKS}/bulk", {"tasks": [{"task_type": "a"}] * 3})
    reader = FeedReader(oversight=Forgetful(idle_engine))  # type: ignore[arg-type]  # it is asked for the feed only
    chunk = await reader.read("default", 0)  # type: ignore[arg-type]  # plain text will do
    assert chunk.text.startswith(b'id: 2\nevent: gap\ndata: {"after":0,"number":2}\n\nid: 3\n')


class Forgetful:
    """A store that has let two notices go."""

    def __init__(self, engine: EngineHost) -> None:
        self.engine = engine
        self.asked = 0

    async def feed(self, tenant: str, after: int, limit: int) -> object:
        self.asked += 1
        return await self.engine.store.feed(tenant, max(2, after), limit)  # type: ignore[arg-type]  # as above


async def test_many_followers_share_one_read(idle_engine: EngineHost, idle: Direct) -> None:
    await submitted(idle)
    store = Forgetful(idle_engine)
    reader = FeedReader(oversight=store)  # type: ignore[arg-type]  # it is asked for the feed only
    chunks = await asyncio.gather(*[reader.read("default", 2) for _ in range(100)])  # type: ignore[arg-type]  # text
    assert (store.asked, len({id(chunk) for chunk in chunks})) == (1, 1)


class Slow:
    """A store whose first answer is from before the notice that woke the second reader."""

    def __init__(self, engine: EngineHost) -> None:
        self.engine = engine
        self.asked = asyncio.Event()
        self.go_on = asyncio.Event()

    async def feed(self, tenant: str, after: int, limit: int) -> object:
        page = await self.engine.store.feed(tenant, after, limit)  # type: ignore[arg-type]  # as above
        self.asked.set()
        await self.go_on.wait()
        return page


async def test_whoever_is_woken_while_another_reads_is_given_what_woke_it(
    idle_engine: EngineHost, idle: Direct
) -> None:
    store = Slow(idle_engine)
    reader = FeedReader(oversight=store)  # type: ignore[arg-type]  # it is asked for the feed only
    first = asyncio.create_task(reader.read("default", 0))  # type: ignore[arg-type]  # plain text will do
    await store.asked.wait()
    await submitted(idle)
    second = asyncio.create_task(reader.read("default", 0))  # type: ignore[arg-type]  # the same
    await asyncio.sleep(0)
    store.go_on.set()
    assert [(await first).last, (await second).last] == [0, 1]


async def test_the_queues_are_in_the_feed(rest: Direct, connection: Connection) -> None:
    events = await followed(connection, f"{FEED}?after=0")
    await rest.post(f"{API}/queues/slow/pause", {})
    told = json.loads((await anext(events))["data"])
    assert (told["of"], told["id"], told["what"]) == ("queue", "slow", "PAUSED")
