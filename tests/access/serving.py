"""Serves an engine in this process behind both protocols, with keys for everyone."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import msgspec
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from holdfast.model.access import NO_LIMITS, Limits, NewKey, Role
from holdfast.model.ids import ALL_TENANTS, TenantId
from holdfast.model.instants import Instant
from holdfast.ports.time import Clock
from holdfast.protocol.errors import CODE_KEY, TENANT_KEY
from holdfast.protocol.generated import access_pb2, client_pb2, session_pb2, worker_pb2
from holdfast.server import wiring
from holdfast.server.access.administration import Administration, Kept
from holdfast.server.access.audit import AuditLog
from holdfast.server.access.building import AccessSettings, build_gate
from holdfast.server.access.gate import Gate
from holdfast.server.grpc import serving as grpc_serving
from holdfast.server.host import EngineHost
from holdfast.server.rest.application import Rest
from holdfast.server.rest.calls import Service
from tests.rest.clients import Direct, Reply

ACME, OTHER = TenantId("acme"), TenantId("other")
FILES = (access_pb2, client_pb2, session_pb2, worker_pb2)
METHODS = {
    method.name: (service, method)
    for file in FILES
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}


class Asked(msgspec.Struct):
    """What a call over gRPC was answered."""

    status: str
    code: str
    message: str
    reply: Any = None


class Served:
    """A server, and ways to ask it."""

    def __init__(self, engine: EngineHost, gate: Gate, kept: Kept, grpc_url: str) -> None:
        self.engine = engine
        self.gate = gate
        self.kept = kept
        self.grpc_url = grpc_url
        self.rest = Direct(Rest(Service(engine=engine, gate=gate)))
        self.channel = grpc.aio.insecure_channel(grpc_url.removeprefix("grpc://"))
        self.administration = Administration(kept=kept, by="test", changed=gate._forget)

    async def token(self, *roles: Role, tenant: TenantId = ACME, expires_at: Instant | None = None) -> str:
        return (await self.key(*roles, tenant=tenant, expires_at=expires_at)).token

    async def key(self, *roles: Role, tenant: TenantId = ACME, expires_at: Instant | None = None) -> NewKey:
        return await self.administration.create_key(tenant, roles, expires_at=expires_at)

    async def limit(self, tenant: TenantId, limits: Limits) -> None:
        await self.administration.change_tenant(tenant, limits=limits)

    async def ask(
        self, method: str, path: str, body: object = msgspec.UNSET, *, token: str | None = None, **headers: str
    ) -> Reply:
        """Over REST."""
        data = b"" if body is msgspec.UNSET else msgspec.json.encode(body)
        given = headers if token is None else {"authorization": f"Bearer {token}", **headers}
        return await self.rest.ask(method, path, data, headers=given)

    async def call(
        self, method: str, message: Message | None = None, *, token: str | None = None, tenant: str | None = None
    ) -> Asked:
        """Over gRPC, with a raw stub."""
        service, described = METHODS[method]
        request = GetMessageClass(described.input_type)
        reply = GetMessageClass(described.output_type)
        metadata = [] if token is None else [("authorization", f"Bearer {token}")]
        metadata += [] if tenant is None else [(TENANT_KEY, tenant)]
        stub = self.channel.unary_unary(
            f"/{service.full_name}/{method}",
            request_serializer=request.SerializeToString,
            response_deserializer=reply.FromString,
        )
        try:
            answer = await stub(message if message is not None else request(), metadata=metadata, timeout=10)
        except grpc.aio.AioRpcError as error:
            told = dict(error.trailing_metadata() or ())
            return Asked(error.code().name, str(told.get(CODE_KEY)), error.details() or "")
        return Asked("OK", "OK", "", answer)


@asynccontextmanager
async def serving(folder: Path, *, limits: Limits = NO_LIMITS, clock: Clock | None = None) -> AsyncIterator[Served]:
    """With keys asked for; there is one key already, of the installation."""
    store = wiring.open_served_store(f"sqlite:///{folder}/app.db")
    engine = wiring.engine_host(store, clock=clock)
    await engine.start()
    try:
        kept = Kept(store, engine.clock, AuditLog(store=store, clock=engine.clock, chance=random.Random(1)))
        administration = Administration(kept=kept, by="test")
        for tenant in (ACME, OTHER):
            await administration.create_tenant(tenant, limits)
        await administration.create_key(ALL_TENANTS, [Role.ADMIN])
        settings = AccessSettings(methods=("keys",))
        gate = await build_gate(settings, host="0.0.0.0", store=store, clock=engine.clock, chance=engine.chance)
        async with grpc_serving.serve(engine, port=0, gate=gate) as url:
            served = Served(engine, gate, kept, url)
            try:
                yield served
            finally:
                await served.channel.close()
    finally:
        await engine.stop()
