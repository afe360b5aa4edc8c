"""Hosts the services on a port of this machine, on the event loop that the engine runs on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import grpc
import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from holdfast.model.errors import InvalidArgument, Unavailable
from holdfast.protocol.generated import access_pb2, client_pb2, session_pb2, worker_pb2
from holdfast.protocol.tls import Tls, read_pem
from holdfast.server.access.gate import Gate, open_gate
from holdfast.server.grpc.access_verbs import AccessVerbs
from holdfast.server.grpc.admission import Admission
from holdfast.server.grpc.answering import handlers
from holdfast.server.grpc.asking import Asking
from holdfast.server.grpc.client_verbs import ClientVerbs
from holdfast.server.grpc.limits import KEEPALIVE_MS, KEEPALIVE_TIMEOUT_MS, MAX_MESSAGE_BYTES, SHORTEST_PING_MS
from holdfast.server.grpc.observing import CallObserver, Unobserved
from holdfast.server.grpc.polled_questions import PolledQuestions
from holdfast.server.grpc.polls import Polls
from holdfast.server.grpc.sessions import Sessions
from holdfast.server.grpc.worker_verbs import WorkerVerbs
from holdfast.server.host import EngineHost
from holdfast.server.readiness import Readiness

DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8234
CLOSE_WITHIN: Final = 5.0
"""Seconds that calls have to end by themselves when the server stops."""

WORKER = worker_pb2.DESCRIPTOR.services_by_name["WorkerService"]
CLIENT = client_pb2.DESCRIPTOR.services_by_name["ClientService"]
ACCESS = access_pb2.DESCRIPTOR.services_by_name["AccessService"]
SESSION = session_pb2.DESCRIPTOR.services_by_name["SessionService"]

OPTIONS: Final = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.keepalive_time_ms", KEEPALIVE_MS),
    ("grpc.keepalive_timeout_ms", KEEPALIVE_TIMEOUT_MS),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", SHORTEST_PING_MS),
    # Two servers on one port would share the connections between two engines.
    ("grpc.so_reuseport", 0),
)


class GrpcServer:
    """The services over one engine."""

    def __init__(self, *, engine: EngineHost, gate: Gate | None = None, observer: CallObserver | None = None) -> None:
        """Without a gate everyone on this machine may do everything in the default tenant."""
        self._gate = gate or open_gate()
        admission = Admission(self._gate)
        observer = observer or Unobserved()
        self._closing = asyncio.Event()
        asking = Asking(engine=engine)
        polls = Polls(engine=engine, closing=self._closing)
        self._questions = PolledQuestions(engine=engine, closing=self._closing)
        self.worker_verbs = WorkerVerbs(
            engine=engine, directory=engine.directory, polls=polls, questions=self._questions, asking=asking
        )
        client_verbs = ClientVerbs(engine=engine, asking=asking, closing=self._closing)
        self._sessions = Sessions(engine=engine, admission=admission, closing=self._closing, observer=observer)
        self._health = health.aio.HealthServicer()
        self._server = grpc.aio.server(options=OPTIONS)
        self._server.add_generic_rpc_handlers(
            (
                handlers(WORKER, self.worker_verbs.behaviours(), admission, observer),
                handlers(CLIENT, client_verbs.behaviours(), admission, observer),
                handlers(ACCESS, AccessVerbs(gate=self._gate).behaviours(), admission, observer),
                _session_handler(self._sessions),
            )
        )
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        self._names = [service.full_name for service in (WORKER, CLIENT, ACCESS, SESSION)]
        reflection.enable_server_reflection([*self._names, health.SERVICE_NAME, reflection.SERVICE_NAME], self._server)

    async def start(self, host: str, port: int, tls: Tls | None = None) -> str:
        """Listen; gives the URL. With TLS that has a `ca`, clients must show a certificate of it."""
        self._gate.check_host(host)
        shown = f"[{host}]" if ":" in host else host
        try:
            bound = self._listen(f"{shown}:{port}", tls)
        except RuntimeError as error:
            raise Unavailable(f"gRPC cannot be served on {host}:{port}: try another --grpc-port") from error
        await self._server.start()
        for name in ("", *self._names):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        return f"{'grpc' if tls is None else 'grpcs'}://{shown}:{bound}"

    def _listen(self, address: str, tls: Tls | None) -> int:
        if tls is None:
            return self._server.add_insecure_port(address)
        key, certificate, authority = read_pem(tls.key), read_pem(tls.certificate), read_pem(tls.ca)
        if key is None or certificate is None:
            raise InvalidArgument("TLS of a server needs a certificate and its key")
        credentials = grpc.ssl_server_credentials([(key, certificate)], authority, authority is not None)
        return self._server.add_secure_port(address, credentials)

    async def drain(self) -> None:
        """Tell those who ask for the server's health that it is about to stop."""
        await self._health.enter_graceful_shutdown()

    async def stop(self) -> None:
        """Take no new calls, let long polls and streams end, and cut off what is not over in time."""
        await self.drain()
        self._closing.set()
        await self._server.stop(CLOSE_WITHIN)
        await self._sessions.stop()
        self._questions.stop()


@asynccontextmanager
async def serve(
    engine: EngineHost,
    *,
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
    gate: Gate | None = None,
    readiness: Readiness | None = None,
    observer: CallObserver | None = None,
    tls: Tls | None = None,
) -> AsyncIterator[str]:
    """Serve gRPC for an engine that has started, as long as the block lasts; gives the URL. Port 0 means any."""
    server = GrpcServer(engine=engine, gate=gate, observer=observer)
    if readiness is not None:
        readiness.on_drain(server.drain)
    try:
        yield await server.start(host, port, tls)
    finally:
        await server.stop()


def _session_handler(sessions: Sessions) -> "grpc.GenericRpcHandler":
    handler = grpc.stream_stream_rpc_method_handler(
        sessions.open,
        request_deserializer=session_pb2.FromPeer.FromString,
        response_serializer=session_pb2.FromServer.SerializeToString,
    )
    return grpc.method_handlers_generic_handler(SESSION.full_name, {"Open": handler})
