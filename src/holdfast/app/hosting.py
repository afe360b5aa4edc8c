"""The two hostings of an engine: in this process on a database, or in a server that is connected to."""

import os
import random
import re
import secrets
import socket
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Final, NamedTuple

from holdfast.model.errors import InvalidArgument
from holdfast.model.ids import DEFAULT_TENANT, TenantId
from holdfast.ports.engine import Engine
from holdfast.ports.time import Chance, Clock
from holdfast.protocol.tls import Tls
from holdfast.server import wiring
from holdfast.server.clock import SystemClock

SERVER_SCHEMES: Final = ("grpc://", "grpcs://")
MAX_HOST: Final = 100


class Hosted(NamedTuple):
    """An engine that has started."""

    engine: Engine
    session: str
    """What the ids of workers of this process begin with."""
    tenant: TenantId


Hosting = Callable[[AsyncExitStack], Awaitable[Hosted]]
"""Starts an engine; the stack stops it."""


def is_server(url: str) -> bool:
    """Whether a URL names a server, not a database."""
    return url.startswith(SERVER_SCHEMES)


def embedded(url: str, clock: Clock | None, chance: Chance | None) -> Hosting:
    """An engine in this process; a URL that names no database is refused at once."""
    wiring.check_database(url)

    async def start(closing: AsyncExitStack) -> Hosted:
        store = wiring.open_store(url)
        engine = wiring.engine_host(store, clock=clock, chance=chance, tenants=store)
        closing.push_async_callback(engine.stop)
        await engine.start()
        return Hosted(engine, store.session, DEFAULT_TENANT)

    return start


def connected(url: str, token: str | None = None, tenant: str | None = None, tls: Tls | None = None) -> Hosting:
    """An engine at a server; a URL that names none is refused at once."""
    try:
        from holdfast.remote.channel import connection_to
        from holdfast.remote.engine import RemoteEngine
    except ModuleNotFoundError as error:
        raise InvalidArgument(
            f"to talk to a server install holdfast[server]: there is no module {error.name!r}"
        ) from error
    connection = connection_to(url, token=token, tenant=tenant, tls=tls)

    async def start(closing: AsyncExitStack) -> Hosted:
        engine = RemoteEngine(connection, clock=SystemClock(), chance=random.SystemRandom())
        closing.push_async_callback(engine.stop)
        await engine.start()
        return Hosted(engine, _new_session(), engine.tenant)

    return start


def _new_session() -> str:
    """Names this connection to people who look for a worker: its machine, its process, and some chance."""
    host = re.sub("[^A-Za-z0-9]+", "-", socket.gethostname())[:MAX_HOST].strip("-")
    return f"{host or 'host'}-{os.getpid()}-{secrets.token_hex(4)}"
