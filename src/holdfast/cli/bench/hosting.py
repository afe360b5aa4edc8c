"""Holdfast on a fresh file, put together piece by piece so that the bench can read the counters of its parts."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import cast

from holdfast.app.holdfast import Holdfast
from holdfast.cli.bench.places import Place
from holdfast.cli.bench.raw_limit import Recorder
from holdfast.model.ids import DEFAULT_TENANT
from holdfast.ports.store import Store
from holdfast.server import wiring
from holdfast.server.host import EngineHost
from holdfast.worker.registry import AnyTask, AnyWorkflow, Registry
from holdfast.worker.settings import WorkerSettings


class Host:
    """An open Holdfast and what it is made of."""

    def __init__(self, place: Place) -> None:
        self.database = place.server
        self.store = wiring.open_store(place.url)
        self.recorder = Recorder(self.store)
        self.engine: EngineHost = wiring.engine_host(cast("Store", self.recorder))

    def holdfast(self, registry: Registry, settings: WorkerSettings) -> Holdfast:
        """The front door of this engine."""
        return Holdfast(
            self.engine,
            session=self.store.session,
            tenant=DEFAULT_TENANT,
            registry=registry,
            queues=(),
            settings=settings,
        )


@asynccontextmanager
async def hosted(
    place: Place,
    *,
    workflows: Iterable[AnyWorkflow] = (),
    tasks: Iterable[AnyTask] = (),
    settings: WorkerSettings | None = None,
) -> AsyncIterator[tuple[Host, Holdfast]]:
    """An engine with a worker for what is registered; without that it only starts and asks."""
    host = Host(place)
    await host.engine.start()
    holdfast = host.holdfast(Registry(workflows, tasks), settings or WorkerSettings())
    await holdfast.start_worker()
    try:
        yield host, holdfast
    finally:
        await asyncio.shield(holdfast.close())
