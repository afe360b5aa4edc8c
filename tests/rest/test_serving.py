"""The server on its socket: where it listens, whom it talks to, and what it does with bodies that never end."""

import asyncio

import pytest

from holdfast.model.errors import InvalidArgument, OutcomeUnknown, Unavailable
from holdfast.server.host import EngineHost
from holdfast.server.rest import receiving
from holdfast.server.rest.application import Rest
from holdfast.server.rest.calls import Service
from holdfast.server.rest.receiving import MAX_BODY_BYTES
from holdfast.server.rest.serving import serve
from tests.rest.clients import TASKS, WITHIN, Connection, Direct


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org", ""])
async def test_only_this_machine_is_served(engine: EngineHost, host: str) -> None:
    with pytest.raises(InvalidArgument, match="no authentication"):
        async with serve(engine, host=host, port=0):
            pass


async def test_a_port_that_is_taken_is_named(engine: EngineHost, url: str) -> None:
    port = int(url.rpartition(":")[2])
    with pytest.raises(Unavailable, match=f"{port}"):
        async with serve(engine, port=port):
            pass


async def test_a_connection_serves_several_requests(url: str) -> None:
    connection = await Connection.to(url)
    for _ in range(3):
        connection.request("POST", TASKS, b'{"task_type": "a"}', content_type="application/json")
        assert (await connection.reply()).status == 201
    await connection.close()


async def test_a_declared_body_beyond_the_limit_is_refused_unread(url: str) -> None:
    connection = await Connection.to(url)
    connection.request("POST", TASKS, content_length=str(100_000_000), content_type="application/json")
    reply = await connection.reply()
    assert (reply.status, reply.code) == (413, "PAYLOAD_TOO_LARGE")
    await connection.close()


async def test_an_endless_body_is_refused_at_the_limit(url: str) -> None:
    connection = await Connection.to(url)
    connection.writer.write(f"POST {TASKS} HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n".encode())
    part = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    for _ in range(MAX_BODY_BYTES // 0x10000 + 1):
        connection.writer.write(part)
    assert (await connection.reply()).status == 413
    await connection.close()


async def test_a_body_that_does_not_come_is_given_up(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receiving, "BODY_SECONDS", 0.01)
    connection = await Connection.to(url)
    connection.request("POST", TASKS, content_length="10")
    assert (await connection.reply()).code == "REQUEST_TIMEOUT"
    await connection.close()


async def test_a_client_that_hangs_up_in_its_body_changes_nothing(url: str, rest: Direct) -> None:
    connection = await Connection.to(url)
    connection.request("POST", TASKS, b'{"task_type": ', content_length="100")
    await connection.writer.drain()
    await connection.close()
    assert (await rest.get(TASKS)).json["total"] == 0


async def test_head_has_no_body(url: str) -> None:
    connection = await Connection.to(url)
    connection.request("HEAD", "/health/live")
    status, headers = await connection.head()
    assert (status, int(headers["content-length"]) > 0) == (200, True)
    await connection.close()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "localhost:8233", "127.0.0.1:1", "LOCALHOST:80"])
async def test_names_of_this_machine_are_heard(idle: Direct, host: str) -> None:
    assert (await idle.get("/health/live", host=host)).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "evil.example:8233"},
        {"host": "localhost.evil.example"},
        {"host": "127.0.0.1.evil.example"},
        {"host": "localhost:x"},
        {"host": ""},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost:3000"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
async def test_foreign_names_and_pages_are_refused(idle: Direct, headers: dict[str, str]) -> None:
    reply = await idle.ask("POST", TASKS, b'{"task_type": "a"}', headers=headers)
    assert (reply.status, reply.code) == (403, "FOREIGN_ORIGIN")
    assert (await idle.get(TASKS)).json["total"] == 0


async def test_a_page_of_our_own_is_heard(idle: Direct) -> None:
    headers = {"origin": "http://localhost:8233", "sec_fetch_site": "same-origin"}
    assert (await idle.get(TASKS, **headers)).status == 200


@pytest.mark.parametrize("path", ["/health/live", TASKS, "/nothing", "/openapi.json"])
async def test_every_answer_forbids_sniffing_and_offers_nothing_to_other_sites(idle: Direct, path: str) -> None:
    headers = (await idle.get(path)).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert not [name for name in headers if name.startswith("access-control")]


async def test_ready_means_that_the_database_takes_writes(idle: Direct) -> None:
    assert (await idle.get("/health/ready")).json == {"status": "ready"}


@pytest.mark.parametrize("error", [Unavailable("the disk is full"), OutcomeUnknown("the disk is gone")])
async def test_not_ready_when_the_database_cannot_be_written(
    idle_engine: EngineHost, idle: Direct, monkeypatch: pytest.MonkeyPatch, error: Unavailable
) -> None:
    async def refuse() -> None:
        raise error

    monkeypatch.setattr(idle_engine.store, "check_writable", refuse)
    reply = await idle.get("/health/ready")
    assert (reply.status, reply.code, reply.headers["retry-after"]) == (503, "NOT_READY", "1")
    assert (await idle.get("/health/live")).status == 200


async def test_not_ready_when_the_database_does_not_answer(
    idle_engine: EngineHost, idle: Direct, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.server.rest.health.READY_WITHIN", 0.01)
    monkeypatch.setattr(idle_engine.store, "check_writable", lambda: asyncio.sleep(WITHIN))
    assert (await idle.get("/health/ready")).code == "NOT_READY"


async def test_a_failing_store_is_503_with_a_time_to_come_back(
    idle_engine: EngineHost, idle: Direct, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(plan: object) -> None:
        raise Unavailable("the disk is full")

    monkeypatch.setattr(idle_engine.store, "commit", refuse)
    reply = await idle.post(TASKS, {"task_type": "a"})
    assert (reply.status, reply.code, reply.headers["retry-after"]) == (503, "UNAVAILABLE", "1")


async def test_a_defect_is_500_without_its_details(
    idle_engine: EngineHost, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def break_down(key: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(idle_engine.store, "execution", break_down)
    reply = await Direct(Rest(Service(engine=idle_engine))).get("/api/tenants/default/workflows/w")
    assert (reply.status, reply.code, "secret" in reply.body.decode()) == (500, "INTERNAL", False)
    assert "secret" in caplog.text
