"""Peers that mean harm, or are broken: slow, endless, too many, or not speaking HTTP."""

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest

from holdfast.server.host import EngineHost
from holdfast.server.rest import connections, receiving
from holdfast.server.rest.serving import serve
from tests.rest.clients import TASKS, WITHIN, Connection


@pytest.fixture
async def connection(url: str) -> AsyncIterator[Connection]:
    connection = await Connection.to(url)
    yield connection
    connection.writer.close()


async def end_of(connection: Connection) -> bytes:
    """Everything until the server closes the connection."""
    async with asyncio.timeout(WITHIN):
        try:
            return await connection.reader.read()
        except ConnectionResetError:
            return b""


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.05)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("said", [b"", b"GET /health/live HTTP/1.1\r\nhost: loc", b"GET "])
async def test_a_head_that_does_not_come_to_its_end_is_given_up(connection: Connection, said: bytes) -> None:
    connection.writer.write(said)
    assert await end_of(connection) == b""


@pytest.mark.usefixtures("impatient")
async def test_a_head_that_drips_wins_no_time(connection: Connection) -> None:
    connection.writer.write(b"GET /health/live HTTP/1.1\r\n")
    dripping = asyncio.create_task(drip(connection))
    assert await end_of(connection) == b""
    dripping.cancel()


async def drip(connection: Connection) -> None:
    while True:
        connection.writer.write(b"x: y\r\n")
        await asyncio.sleep(0.005)


async def test_after_an_answer_the_rest_of_the_body_must_come(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection.request("POST", TASKS, content_length="10", content_type="application/json")
    monkeypatch.setattr(receiving, "BODY_SECONDS", 0.01)
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.05)
    assert (await connection.reply()).status == 408
    assert await end_of(connection) == b""


async def test_an_idle_connection_may_ask_again(connection: Connection) -> None:
    for _ in range(2):
        connection.request("GET", "/health/live")
        assert (await connection.reply()).status == 200


async def test_a_head_beyond_the_limit_is_431(connection: Connection) -> None:
    connection.writer.write(b"GET /health/live HTTP/1.1\r\nhost: localhost\r\n" + b"x: " + b"y" * 100_000)
    reply = await connection.reply()
    assert (reply.status, reply.code) == (431, "HEAD_TOO_LARGE")
    assert await end_of(connection) == b""


@pytest.mark.parametrize(
    "said",
    [b"\x16\x03\x01\x02\x00", b"GET /\r\n\r\n", b"GET / HTTP/1.1\r\nbad header\r\n\r\n"],
)
async def test_what_is_not_http_is_refused(connection: Connection, said: bytes) -> None:
    connection.writer.write(said + b"\r\n\r\n")
    reply = await connection.reply()
    assert (reply.status, reply.code) == (400, "NOT_HTTP")
    assert await end_of(connection) == b""


async def test_a_body_that_breaks_off_in_nonsense_is_refused_once(
    connection: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    head = f"POST {TASKS} HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n"
    connection.writer.write(head.encode() + b"nonsense\r\n")
    assert (await connection.reply()).status == 400
    assert await end_of(connection) == b""
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


async def test_a_body_that_turns_into_nonsense_after_the_answer_ends_the_connection(
    connection: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    head = f"POST {TASKS}x HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n"
    connection.writer.write(head.encode())
    assert (await connection.reply()).status == 404
    connection.writer.write(b"nonsense\r\n")
    assert await end_of(connection) == b""
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


async def test_beyond_the_limit_peers_are_not_heard(engine: EngineHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 2)
    async with serve(engine, port=0) as url:
        heard = [await Connection.to(url) for _ in range(2)]
        for connection in heard:
            connection.request("GET", "/health/live")
            assert (await connection.reply()).status == 200
        third = await Connection.to(url)
        assert await end_of(third) == b""
        await heard.pop().close()
        # The one that has gone makes room for another.
        fourth = await Connection.to(url)
        fourth.request("GET", "/health/live")
        assert (await fourth.reply()).status == 200
        for connection in (*heard, third, fourth):
            connection.writer.close()
