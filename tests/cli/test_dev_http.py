"""Where `holdfast dev` serves HTTP."""

import socket
from collections.abc import AsyncIterator
from types import SimpleNamespace

import pytest

from holdfast import Holdfast
from holdfast.cli.dev import http
from holdfast.cli.dev.http import port_of, serving_http
from holdfast.model.errors import Unavailable
from holdfast.server.host import EngineHost
from holdfast.server.rest.application import Rest
from holdfast.server.rest.calls import Service
from tests.cli.support import Shop
from tests.rest.clients import Direct


@pytest.fixture
async def engine(shop: Shop) -> AsyncIterator[EngineHost]:
    async with Holdfast.open(shop.url) as holdfast:
        yield holdfast.host


@pytest.fixture
def taken() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


async def test_a_taken_port_makes_way_for_the_next(
    engine: EngineHost, taken: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = taken.getsockname()[1]
    monkeypatch.setattr(http, "NEARBY", (port, 0))
    with taken:
        async with serving_http(engine, None) as url:
            assert port_of(url) not in (None, port)


async def test_tenants_keys_and_retention_are_managed_in_development_too(engine: EngineHost) -> None:
    rest = Direct(Rest(Service(engine=engine, gate=http._gate(engine))))
    assert (await rest.get("/api/session")).json["keeps_tenants"] is True
    changed = await rest.ask("PATCH", "/api/tenants/default", b'{"retention": {"workflows_ms": 60000}}')
    assert (changed.status, changed.json["retention"]["workflows_ms"]) == (200, 60_000)


async def test_a_store_without_tenants_is_served_without_them(engine: EngineHost) -> None:
    assert http._gate(SimpleNamespace(store=object())) is None  # type: ignore[arg-type]  # nothing else is looked at


async def test_a_port_that_was_asked_for_is_served_or_refused(engine: EngineHost, taken: socket.socket) -> None:
    with taken, pytest.raises(Unavailable, match="try another --port"):
        async with serving_http(engine, taken.getsockname()[1]):
            pass
