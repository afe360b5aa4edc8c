"""Passes requests of the wire on to the engine."""

import asyncio
from collections.abc import Iterable
from typing import Any, TypeVar

from google.protobuf.message import Message

from holdfast.model.errors import HoldfastError, InvalidArgument
from holdfast.model.ids import TenantId
from holdfast.model.requests import Done, Request
from holdfast.protocol.errors import error_to_wire
from holdfast.protocol.generated import worker_pb2 as wire
from holdfast.protocol.requests import BY_REQUEST, reply_to_wire
from holdfast.server.grpc.admission import Call
from holdfast.server.grpc.answering import Behaviour
from holdfast.server.grpc.checking import checked
from holdfast.server.host import EngineHost

Reply = TypeVar("Reply")

MAX_ITEMS = 1_000
"""In one message of a verb that takes many."""


class Asking:
    """Asks the engine in the name of the caller's tenant."""

    def __init__(self, *, engine: EngineHost) -> None:
        self._engine = engine

    def verb(self, request: type[Request[Any]]) -> Behaviour:
        """The behaviour of a method whose message is this request."""
        from_wire = BY_REQUEST[request].from_wire

        async def behaviour(message: Message, call: Call) -> Message:
            reply: Message = reply_to_wire(await self.one(from_wire(message, call.tenant)))
            return reply

        return behaviour

    def batch(self, request: type[Request[Any]], field: str) -> Behaviour:
        """The behaviour of a method that takes many of these requests in one field."""

        async def behaviour(message: Message, call: Call) -> wire.BatchResponse:
            replies = await self.all(request, getattr(message, field), call.tenant)
            return wire.BatchResponse(items=[_item(reply) for reply in replies])

        return behaviour

    async def one(self, request: Request[Reply]) -> Reply:
        """Check a request, and have it carried out."""
        return await self._engine.send(checked(request))

    async def all(self, request: type[Request[Any]], messages: Iterable[Message], tenant: TenantId) -> list[Any]:
        """Have many requests carried out together; an error stands in the place of a reply."""
        given = list(messages)
        if len(given) > MAX_ITEMS:
            raise InvalidArgument(f"up to {MAX_ITEMS:,} items go into one request, not {len(given):,}")
        from_wire = BY_REQUEST[request].from_wire

        async def ask(message: Message) -> object:
            try:
                return await self.one(from_wire(message, tenant))
            except HoldfastError as error:
                return error

        return await asyncio.gather(*[ask(message) for message in given])


def _item(reply: Done | HoldfastError) -> wire.ItemResult:
    if isinstance(reply, HoldfastError):
        return wire.ItemResult(error=error_to_wire(reply))
    return wire.ItemResult(changed=reply.changed)
