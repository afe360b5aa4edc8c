"""The connection itself: health, reflection, TLS, limits, and what a server does when it stops."""

import asyncio
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from holdfast import Holdfast
from holdfast.errors import InvalidArgument, Unavailable
from holdfast.protocol.generated import client_pb2, worker_pb2
from holdfast.protocol.tls import Tls
from holdfast.server import wiring
from holdfast.server.grpc.serving import GrpcServer, serve
from holdfast.server.host import EngineHost
from tests.grpc.serving import Refused, Server, start
from tests.services.certificates import Authority

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


async def health(channel: grpc.aio.Channel, service: str = "") -> int:
    check: grpc.aio.UnaryUnaryMultiCallable[health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse]
    check = channel.unary_unary(
        "/grpc.health.v1.Health/Check",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )
    return (await check(health_pb2.HealthCheckRequest(service=service))).status


async def test_health_says_when_the_server_is_about_to_stop(tmp_path: Path) -> None:
    engine = wiring.engine_host(wiring.open_store(f"sqlite:///{tmp_path}/app.db"))
    await engine.start()
    server = GrpcServer(engine=engine)
    async with grpc.aio.insecure_channel((await server.start("127.0.0.1", 0)).removeprefix("grpc://")) as channel:
        names = ("", "holdfast.v1.WorkerService", "holdfast.v1.ClientService", "holdfast.v1.SessionService")
        assert [await health(channel, name) for name in names] == [SERVING] * len(names)
        await server.drain()
        assert [await health(channel, name) for name in names] == [NOT_SERVING] * len(names)
    await server.stop()
    await engine.stop()


async def test_reflection_tells_the_services_and_their_files(server: Server) -> None:
    ask: grpc.aio.StreamStreamMultiCallable[Any, Any] = server.channel.stream_stream(
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
    asked = [
        reflection_pb2.ServerReflectionRequest(list_services=""),
        reflection_pb2.ServerReflectionRequest(file_containing_symbol="holdfast.v1.WorkerService"),
    ]
    listed, described = [reply async for reply in ask(iter(asked))]
    names = {service.name for service in listed.list_services_response.service}
    assert {f"holdfast.v1.{name}Service" for name in ("Worker", "Client", "Access", "Session")} <= names
    assert described.file_descriptor_response.file_descriptor_proto


async def test_long_polls_end_when_the_server_stops(tmp_path: Path) -> None:
    engine = wiring.engine_host(wiring.open_store(f"sqlite:///{tmp_path}/app.db"))
    await engine.start()
    async with serve(engine, port=0) as url:
        server = Server(engine, url)
        await server.start()
        result = client_pb2.GetResultRequest(execution_id="order-1")
        poll = worker_pb2.PollTaskRequest(worker_id="w", task_types=["t"])
        waiting = [
            asyncio.create_task(server.call("GetResult", result)),
            asyncio.create_task(server.call("PollTask", poll)),
        ]
        async with asyncio.timeout(20):
            while not engine.committer.dispatch._tasks:  # noqa: ASYNC110 - an offer sets no event
                await asyncio.sleep(0.001)
    ended, polled = await asyncio.gather(*waiting)
    assert not ended.HasField("execution")
    assert not polled.tasks
    await server.channel.close()
    await engine.stop()


async def test_a_message_that_is_too_long_is_refused_unread(server: Server) -> None:
    long = start(input=b'"' + b"x" * (65 * 1024 * 1024) + b'"')
    with pytest.raises(Refused) as refused:
        await server.call("StartWorkflow", long)
    assert refused.value.status == "RESOURCE_EXHAUSTED"


async def test_an_unknown_method_is_unimplemented(server: Server) -> None:
    stub: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = server.channel.unary_unary(
        "/holdfast.v1.WorkerService/NoSuchMethod"
    )
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await stub(b"")
    assert error.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_port_that_is_taken_is_said_plainly(server: Server) -> None:
    port = int(server.url.rpartition(":")[2])
    with pytest.raises(Unavailable, match="try another --grpc-port"):
        async with serve(server.engine, port=port):
            pass


# TLS.


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "authority")


async def reached(engine: EngineHost, served: Tls, client: Tls | None) -> str:
    async with serve(engine, port=0, tls=served) as url:
        assert url.startswith("grpcs://")
        async with Holdfast.connect(url.replace("127.0.0.1", "localhost"), tls=client) as hf:
            return hf.tenant


async def test_a_client_that_trusts_the_authority_gets_through(server: Server, authority: Authority) -> None:
    certificate, key = authority.issue("server")
    served = Tls(certificate=certificate, key=key)
    assert await reached(server.engine, served, Tls(ca=authority.ca)) == "default"


async def test_a_client_that_trusts_somebody_else_does_not(
    server: Server, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.remote.engine.CONNECT_WITHIN", 0.5)
    certificate, key = authority.issue("server")
    other = Authority(tmp_path, "other")
    with pytest.raises(Unavailable):
        await reached(server.engine, Tls(certificate=certificate, key=key), Tls(ca=other.ca))


async def test_clients_show_certificates_where_they_are_asked_to(
    server: Server, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = authority.issue("server")
    served = Tls(certificate=certificate, key=key, ca=authority.ca)
    own, own_key = authority.issue("client")
    client = Tls(ca=authority.ca, certificate=own, key=own_key)
    assert await reached(server.engine, served, client) == "default"
    monkeypatch.setattr("holdfast.remote.engine.CONNECT_WITHIN", 0.5)
    with pytest.raises(Unavailable):
        await reached(server.engine, served, Tls(ca=authority.ca))


@pytest.mark.parametrize("tls", [{"ca": "x"}, {"certificate": "missing.pem", "key": "missing.key"}])
async def test_tls_that_cannot_be_served_is_refused(server: Server, tls: dict[str, str]) -> None:
    with pytest.raises(InvalidArgument, match=r"needs a certificate|cannot be read"):
        async with serve(server.engine, port=0, tls=Tls(**tls)):
            pass


def test_a_certificate_is_of_no_use_without_its_key() -> None:
    with pytest.raises(InvalidArgument, match="both"):
        Tls(certificate="x")
