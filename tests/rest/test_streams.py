"""Server-sent events and long polls over a real socket: no gap, no duplicate, and an end for everyone."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from holdfast.server.host import EngineHost
from holdfast.server.rest import streams
from holdfast.server.rest.application import Rest
from holdfast.server.rest.calls import Message, Service
from holdfast.server.rest.serving import serve
from tests.rest.clients import TASKS, WITHIN, WORKFLOWS, Connection, Direct
from tests.rest.test_tasks import submitted
from tests.rest.test_workflows import started
from tests.rest.waiting import until


@pytest.fixture
async def connection(url: str) -> AsyncIterator[Connection]:
    connection = await Connection.to(url)
    yield connection
    await connection.close()


async def followed(connection: Connection, path: str, **headers: str) -> AsyncIterator[dict[str, str]]:
    connection.request("GET", path, b"", **headers)
    status, given = await connection.head()
    assert (status, given["content-type"]) == (200, "text/event-stream; charset=utf-8")
    return connection.events()


async def test_events_come_as_they_happen_and_the_stream_ends_with_the_execution(
    rest: Direct, connection: Connection
) -> None:
    await started(rest, "greeted")
    events = await followed(connection, f"{WORKFLOWS}/w/events")
    first = await anext(events)
    await rest.post(f"{WORKFLOWS}/w/signal", {"name": "greeting", "value": "hello"})
    later = [event async for event in events]
    assert (first["id"], first["event"]) == ("1", "WORKFLOW_STARTED")
    assert [int(event["id"]) for event in later] == list(range(2, len(later) + 2))
    assert later[-1]["event"] == "WORKFLOW_COMPLETED"


async def test_a_reconnect_has_no_gap_and_no_duplicate(rest: Direct, url: str) -> None:
    await rest.post(WORKFLOWS, {"kind": "doubled", "input": 4, "id": "w", "wait_seconds": 10})
    seen: list[str] = []
    while len(seen) < (await rest.get(f"{WORKFLOWS}/w")).json["last_sequence"]:
        connection = await Connection.to(url)
        headers = {"last_event_id": seen[-1]} if seen else {}
        seen.append((await anext(await followed(connection, f"{WORKFLOWS}/w/events", **headers)))["id"])
        await connection.close()
    assert seen == [str(number) for number in range(1, len(seen) + 1)]


async def test_whoever_has_seen_the_end_is_told_not_to_come_back(rest: Direct) -> None:
    await rest.post(WORKFLOWS, {"kind": "doubled", "input": 4, "id": "w", "wait_seconds": 10})
    last = (await rest.get(f"{WORKFLOWS}/w")).json["last_sequence"]
    assert (await rest.get(f"{WORKFLOWS}/w/events", last_event_id=str(last))).status == 204


@pytest.mark.parametrize("given", ["-1", "x", "9" * 30, "²"])
async def test_a_last_event_id_that_was_not_given_is_refused(rest: Direct, given: str) -> None:
    await started(rest, "asleep")
    assert (await rest.get(f"{WORKFLOWS}/w/events", last_event_id=given)).status == 400


async def test_a_long_history_comes_in_several_pages(
    rest: Direct, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "STREAM_PAGE", 2)
    await rest.post(WORKFLOWS, {"kind": "doubled", "input": 4, "id": "w", "wait_seconds": 10})
    events = [event async for event in await followed(connection, f"{WORKFLOWS}/w/events?after=1")]
    last = (await rest.get(f"{WORKFLOWS}/w")).json["last_sequence"]
    assert [int(event["id"]) for event in events] == list(range(2, last + 1))


async def test_a_task_shows_its_lines_and_its_end(rest: Direct, connection: Connection) -> None:
    task_id = await submitted(rest, "tell", input=3)
    events = [event async for event in await followed(connection, f"{TASKS}/{task_id}/stream")]
    assert [event["event"] for event in events if event["event"] == "line"] == ["line"] * 3
    assert (events[-1]["event"], events[-1]["id"]) == ("end", "end")
    assert (await rest.get(f"{TASKS}/{task_id}/stream", last_event_id="end")).status == 204


async def test_a_task_that_waits_is_shown_and_then_followed(rest: Direct, connection: Connection) -> None:
    task_id = await submitted(rest, "nobody-runs-this")
    events = await followed(connection, f"{TASKS}/{task_id}/stream")
    first = await anext(events)
    await rest.ask("DELETE", f"{TASKS}/{task_id}")
    assert first["event"] == "task"
    assert [event["event"] async for event in events] == ["end"]


async def test_a_quiet_stream_says_that_it_is_alive(
    rest: Direct, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_SECONDS", 0.01)
    await started(rest, "asleep")
    await followed(connection, f"{WORKFLOWS}/w/events")
    async with asyncio.timeout(WITHIN):
        while b"still here" not in await connection.reader.readline():
            pass


async def test_streams_and_long_polls_end_when_the_server_does(engine: EngineHost) -> None:
    async with serve(engine, port=0) as url:
        follower, poller = await Connection.to(url), await Connection.to(url)
        await started(Direct(Rest(Service(engine=engine))), "asleep")
        events = await followed(follower, f"{WORKFLOWS}/w/events")
        await anext(events)
        poller.request("GET", f"{WORKFLOWS}/w/result?wait_seconds=60")
    assert [event async for event in events if event["event"] == "WORKFLOW_COMPLETED"] == []
    assert (await poller.reply()).status in (202, 503)
    await follower.close()
    await poller.close()


class Calls:
    """A client of the application that can hang up, or take nothing."""

    def __init__(self, engine: EngineHost) -> None:
        self.service = Service(engine=engine)
        self.hung_up = asyncio.Event()
        self.first_part = asyncio.Event()
        self.takes = True

    async def receive(self) -> Message:
        await self.hung_up.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.body":
            self.first_part.set()
            if not self.takes:
                await asyncio.get_running_loop().create_future()

    def ask(self, path: str) -> "asyncio.Task[None]":
        path, _, query = path.partition("?")
        scope: dict[str, Any] = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode()}
        scope |= {"query_string": query.encode(), "headers": [(b"host", b"localhost")]}
        return asyncio.create_task(Rest(self.service)(scope, self.receive, self.send))


@pytest.mark.parametrize("path", ["events", "result?wait_seconds=60"])
async def test_a_client_that_hangs_up_is_forgotten(engine: EngineHost, rest: Direct, path: str) -> None:
    await started(rest, "asleep")
    calls = Calls(engine)
    asked = calls.ask(f"{WORKFLOWS}/w/{path}")
    async with asyncio.timeout(WITHIN):
        while not calls.service.waiting:  # noqa: ASYNC110 - nothing tells when the call has begun to wait
            await asyncio.sleep(0)
        calls.hung_up.set()
        await asked
    assert calls.service.waiting == 0


async def test_a_client_that_takes_nothing_is_dropped(
    engine: EngineHost, rest: Direct, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "SEND_SECONDS", 0.01)
    await started(rest, "asleep")
    calls = Calls(engine)
    calls.takes = False
    async with asyncio.timeout(WITHIN):
        await calls.ask(f"{WORKFLOWS}/w/events")
    assert calls.service.waiting == 0


async def test_streams_are_bounded(engine: EngineHost, monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service(engine=engine)
    direct = Direct(Rest(service))
    await started(direct, "asleep")
    monkeypatch.setattr("holdfast.server.rest.calls.MAX_WAITING", 0)
    reply = await direct.get(f"{WORKFLOWS}/w/events")
    assert (reply.status, reply.code, reply.headers["retry-after"]) == (503, "TOO_MANY_STREAMS", "1")


async def test_news_from_another_process_reaches_a_stream(
    engine: EngineHost, rest: Direct, connection: Connection
) -> None:
    await started(rest, "greeted")
    await until(rest, f"{WORKFLOWS}/w", "WAITING")
    events = await followed(connection, f"{WORKFLOWS}/w/events")
    await anext(events)
    follower = engine.news.follow_execution(("default", "w"))  # type: ignore[arg-type]  # plain text will do here
    engine.news.look_again()
    assert await follower.wait(WITHIN)
