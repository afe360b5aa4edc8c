"""Hosts the application on a socket of this machine, on the event loop that the engine runs on."""

import asyncio
import logging
import socket
import ssl
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import cast

import uvicorn
from uvicorn._types import ASGIApplication

from holdfast.model.errors import Unavailable
from holdfast.protocol.tls import Tls
from holdfast.server.access.gate import Gate, open_gate
from holdfast.server.host import EngineHost
from holdfast.server.readiness import Readiness
from holdfast.server.rest.application import Rest
from holdfast.server.rest.calls import MetricsPage, Service
from holdfast.server.rest.connections import Connection
from holdfast.server.rest.encryption import server_context
from holdfast.server.rest.observing import RequestObserver

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8233
BACKLOG = 1_024
KEEP_ALIVE_SECONDS = 60
CLOSE_WITHIN_SECONDS = 5
"""After so long, answers that are still under way are cut off."""
UNACKNOWLEDGED_MS = 60_000
"""A connection whose peer takes nothing for so long is ended by the system."""

logger = logging.getLogger(__name__)


class _Server(uvicorn.Server):
    """Signals are the host's business."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serve(
    engine: EngineHost,
    *,
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
    or_else: Sequence[int] = (),
    gate: Gate | None = None,
    readiness: Readiness | None = None,
    metrics: MetricsPage | None = None,
    observer: RequestObserver | None = None,
    tls: Tls | None = None,
) -> AsyncIterator[str]:
    """Serve REST for an engine that has started, as long as the block lasts; gives the URL.

    Port 0 means any; when `port` is taken, those of `or_else` are tried in turn. With TLS that has a `ca`, clients must
    show a certificate of it.
    """
    gate = gate or open_gate()
    gate.check_host(host)
    encryption = None if tls is None else server_context(tls)
    listener = _first_listener(host, [port, *or_else])
    service = Service(engine=engine, gate=gate, readiness=readiness, metrics=metrics)
    server = _server(Rest(service, observer=observer), encryption)
    serving = asyncio.create_task(server.serve(sockets=[listener]), name="holdfast-rest")
    try:
        yield _url(listener, "http" if tls is None else "https")
    finally:
        service.closing.set()
        server.should_exit = True
        await serving
        listener.close()


def _server(application: Rest, encryption: ssl.SSLContext | None) -> _Server:
    return _Server(
        uvicorn.Config(
            cast("ASGIApplication", application),
            log_config=None,
            access_log=False,
            lifespan="off",
            http=Connection,
            ws="none",
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=CLOSE_WITHIN_SECONDS,
            ssl_context_factory=None if encryption is None else lambda _, __: encryption,
        )
    )


def _first_listener(host: str, ports: Sequence[int]) -> socket.socket:
    *some, last = ports
    for port in some:
        with suppress(Unavailable):
            return _listener(host, port)
    return _listener(host, last)


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named so that asyncio knows it for TCP, and sends small answers at once.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS)
        listener.bind((DEFAULT_HOST if host == "localhost" else host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise Unavailable(f"REST cannot be served on {host}:{port}: {error.strerror}; try another --port") from error
    listener.setblocking(False)
    return listener


def _url(listener: socket.socket, scheme: str) -> str:
    host, port = listener.getsockname()[:2]
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"
