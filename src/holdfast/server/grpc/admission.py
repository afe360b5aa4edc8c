"""The gate as gRPC sees it: what of a call's metadata says who makes it, and to which tenant.

Verbs have the names of the methods in the .proto files. A call of a session has the name of the method that does the
same, so one table of verbs covers both.
"""

from typing import Any, Final, NamedTuple

import grpc.aio

from holdfast.model.errors import Unauthenticated
from holdfast.model.ids import TenantId
from holdfast.protocol.errors import TENANT_KEY
from holdfast.server.access.gate import Caller, Gate

# The messages of a method are those that its descriptor names; no type checker sees that.
Context = grpc.aio.ServicerContext[Any, Any]

CREDENTIALS: Final = "authorization"
BEARER: Final = "bearer "


class Call(NamedTuple):
    """One call: what the transport knows of it, and who makes it."""

    context: Context
    caller: Caller

    @property
    def tenant(self) -> TenantId:
        """Whose things the call is about."""
        return self.caller.tenant


class Admission:
    """Lets callers in."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate

    async def admit(self, context: Context) -> Caller:
        """Who makes this call, by its metadata; the error that refuses it if nobody who may."""
        tokens, tenants = [], []
        for key, value in context.invocation_metadata() or ():
            if key == CREDENTIALS:
                tokens.append(str(value))
            elif key == TENANT_KEY:
                tenants.append(str(value))
        if len(tokens) > 1 or len(tenants) > 1:
            raise Unauthenticated("one token and one tenant make clear who calls; there are several")
        return await self.gate.admit(_bearer(tokens), tenants[0] if tenants else None)


def _bearer(tokens: list[str]) -> str | None:
    if not tokens or tokens[0][: len(BEARER)].lower() != BEARER:
        return None
    return tokens[0][len(BEARER) :].strip()
