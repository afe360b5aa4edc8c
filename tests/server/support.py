"""A host over a real file, and a store that fails when a test tells it to."""

from collections.abc import Callable
from pathlib import Path
from random import Random

from holdfast.model.ids import DEFAULT_QUEUE, DEFAULT_TENANT, ExecutionId, QueueName, WorkerId
from holdfast.model.requests import Offer, StartWorkflow
from holdfast.ports.store import Plan
from holdfast.server import wiring
from holdfast.server.clock import SystemClock
from holdfast.server.host import EngineHost
from holdfast.stores.sqlite.store import SqliteStore

WITHIN = 10.0


class FailingStore(SqliteStore):
    """Before or after each commit it asks the test whether something is to go wrong."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.before: Callable[[Plan], None] = lambda _: None
        self.after: Callable[[Plan], None] = lambda _: None

    async def commit(self, plan: Plan) -> None:
        self.before(plan)
        await super().commit(plan)
        self.after(plan)


def host_over(store: SqliteStore) -> EngineHost:
    return wiring.engine_host(store, clock=SystemClock(), chance=Random(1))


def start(name: str, kind: str = "order", queue: str = DEFAULT_QUEUE) -> StartWorkflow:
    return StartWorkflow(DEFAULT_TENANT, ExecutionId(name), kind, b"null", QueueName(queue))


def offer(*kinds: str, slots: int = 10, worker: str = "session/worker") -> Offer:
    return Offer(DEFAULT_TENANT, WorkerId(worker), DEFAULT_QUEUE, frozenset(kinds or ["order"]), slots)
