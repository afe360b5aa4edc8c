"""Reaches an engine by its URL: a server over gRPC, or a database that is opened in this process."""

import getpass
import random
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from holdfast.app.hosting import is_server
from holdfast.cli.configuration import Configuration
from holdfast.ports.access import Administering

if TYPE_CHECKING:
    from holdfast.app.holdfast import Opening
    from holdfast.protocol.tls import Tls
    from holdfast.worker.nodes.offering import FlowNodes
    from holdfast.worker.registry import AnyTask, AnyWorkflow
    from holdfast.worker.settings import WorkerSettings


def tls_of(configuration: Configuration) -> "Tls | None":
    """Which certificates are trusted and shown; None: those that grpc brings along, and none."""
    from holdfast.protocol.tls import Tls

    given = configuration.tls_ca, configuration.tls_cert, configuration.tls_key
    if given == (None, None, None):
        return None
    return Tls(ca=configuration.tls_ca, certificate=configuration.tls_cert, key=configuration.tls_key)


def reach(
    configuration: Configuration,
    *,
    workflows: "Iterable[AnyWorkflow]" = (),
    tasks: "Iterable[AnyTask]" = (),
    queues: Iterable[str] = (),
    settings: "WorkerSettings | None" = None,
    nodes: "FlowNodes | None" = None,
) -> "Opening":
    """A Holdfast at the server or on the database of the configuration, as an async context manager."""
    from holdfast.app.holdfast import Holdfast

    url = configuration.target
    if not is_server(url):
        return Holdfast.open(url, workflows=workflows, tasks=tasks, queues=queues, settings=settings, nodes=nodes)
    return Holdfast.connect(
        url,
        workflows=workflows,
        tasks=tasks,
        queues=queues,
        settings=settings,
        nodes=nodes,
        token=None if configuration.token is None else configuration.token.text,
        tenant=configuration.tenant,
        tls=tls_of(configuration),
    )


@asynccontextmanager
async def administer(configuration: Configuration) -> AsyncIterator[Administering]:
    """Who changes tenants and keys: a server is asked; a database is changed by whoever may write its file."""
    if is_server(configuration.target):
        async with _at_server(configuration) as administration:
            yield administration
        return
    from holdfast.server import wiring
    from holdfast.server.access.administration import Administration, Kept
    from holdfast.server.access.audit import AuditLog
    from holdfast.server.clock import SystemClock

    store = wiring.open_served_store(configuration.target)
    await store.open()
    try:
        clock = SystemClock()
        audit = AuditLog(store=store, clock=clock, chance=random.SystemRandom())
        yield Administration(kept=Kept(store, clock, audit), by=f"cli:{getpass.getuser()}")
    finally:
        await store.close()


@asynccontextmanager
async def _at_server(configuration: Configuration) -> AsyncIterator[Administering]:
    from holdfast.remote.access import RemoteAdministration
    from holdfast.remote.channel import connection_to

    connection = connection_to(
        configuration.target,
        token=None if configuration.token is None else configuration.token.text,
        tenant=configuration.tenant,
        tls=tls_of(configuration),
    )
    administration = RemoteAdministration(connection, chance=random.SystemRandom())
    try:
        yield administration
    finally:
        await administration.close()
