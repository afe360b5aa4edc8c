"""The service: one engine behind gRPC and REST, in one process.

It stops in the order in which nobody is surprised: it says that it is not ready, waits until load balancers have heard
of it, lets calls and streams end, and lets go of the database last.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import msgspec

from holdfast.protocol.tls import Tls
from holdfast.server import wiring
from holdfast.server.access.building import AccessSettings, build_gate
from holdfast.server.activity import recording
from holdfast.server.grpc import serving as grpc_serving
from holdfast.server.metrics.serving import counting
from holdfast.server.readiness import Readiness
from holdfast.server.rest import serving as rest_serving


class ServiceSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What is served, and where."""

    store: str
    host: str = "127.0.0.1"
    grpc_port: int = grpc_serving.DEFAULT_PORT
    rest_port: int = rest_serving.DEFAULT_PORT
    timers: str | None = None
    """The URL of an index of timers; None: the database's own."""
    broker: str | None = None
    """The URL of a broker for runs of flows; None: the database carries them."""
    access: AccessSettings = AccessSettings()
    tls: Tls | None = None
    """Of gRPC, and of REST too unless that is plain."""
    plain_rest: bool = False
    """Whether REST is served without TLS all the same, for a proxy that ends it."""
    notice_seconds: float = 0.0
    """How long the server still takes calls when it has said that it is not ready any more."""


class Addresses(msgspec.Struct, frozen=True):
    """Where the service is reached."""

    grpc: str
    rest: str


@asynccontextmanager
async def serve(settings: ServiceSettings) -> AsyncIterator[Addresses]:
    """Serve as long as the block lasts; leaving it drains."""
    store = wiring.open_served_store(settings.store)
    engine = wiring.engine_host(store, timers=settings.timers, broker=settings.broker, tenants=store)
    readiness = Readiness()
    async with AsyncExitStack() as closing:
        closing.push_async_callback(engine.stop)
        # Whoever starts an engine makes it commit: those who count are there before.
        metrics = await closing.enter_async_context(counting(engine, store))
        await engine.start()
        gate = await build_gate(
            settings.access, host=settings.host, store=store, clock=engine.clock, chance=engine.chance
        )
        await closing.enter_async_context(recording(engine))
        rest = await closing.enter_async_context(
            rest_serving.serve(
                engine,
                host=settings.host,
                port=settings.rest_port,
                gate=gate,
                readiness=readiness,
                metrics=metrics.page,
                observer=metrics.requests,
                tls=None if settings.plain_rest else settings.tls,
            )
        )
        grpc = await closing.enter_async_context(
            grpc_serving.serve(
                engine,
                host=settings.host,
                port=settings.grpc_port,
                gate=gate,
                readiness=readiness,
                observer=metrics.calls,
                tls=settings.tls,
            )
        )
        yield Addresses(grpc, rest)
        await readiness.drain()
        await asyncio.sleep(settings.notice_seconds)
