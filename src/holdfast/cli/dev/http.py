"""HTTP beside the engine of `holdfast dev`: REST, as long as the process serves."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from holdfast.server.access.gate import Gate
    from holdfast.server.host import EngineHost

NEARBY: Final = tuple(range(8_233, 8_333, 10))
"""Ports to try when none was asked for: several apps may be developed on one machine."""


@asynccontextmanager
async def serving_http(engine: "EngineHost", port: int | None) -> AsyncIterator[str]:
    """Serve HTTP to this machine as long as the block lasts; gives the URL."""
    from holdfast.server.activity import recording
    from holdfast.server.rest.serving import serve

    first, *others = NEARBY if port is None else (port,)
    async with recording(engine), serve(engine, port=first, or_else=others, gate=_gate(engine)) as url:
        yield url


def _gate(engine: "EngineHost") -> "Gate | None":
    """Open to this machine; with the tenants and keys of the database, where it keeps them."""
    from holdfast.ports.access import AccessStore
    from holdfast.server.access.building import gate_for_development

    store = engine.store
    if not isinstance(store, AccessStore):
        return None
    return gate_for_development(store, clock=engine.clock, chance=engine.chance)


def port_of(url: str) -> int | None:
    """The port that a URL names."""
    return urlsplit(url).port
