"""The engine port: all that a client needs of an engine, whether it runs in this process or behind a wire."""

from typing import Protocol

from holdfast.model.ids import TenantId
from holdfast.model.records import Execution, Task
from holdfast.model.workers import Introduction, WorkerRecord
from holdfast.model.workflow_queries import QueryWorkflow, WorkflowQuery
from holdfast.ports.store import Questions
from holdfast.ports.time import Chance, Clock
from holdfast.ports.transport import Transport
from holdfast.ports.watches import Watches


class Guest(Protocol):
    """A worker, as the engine that it works for sees it."""

    @property
    def introduction(self) -> Introduction:
        """Who it is, and what it can run."""

    async def answer(self, query: WorkflowQuery) -> bytes:
        """What the code of an execution says; NoWorker if this one takes no queries, or no more."""

    def drain(self) -> None:
        """Take no more work."""

    def returned(self) -> None:
        """Contact was lost and has been found again: the engine must hear soon of all that is still held."""


class Engine(Transport, Protocol):
    """An engine that can be asked, watched and worked for."""

    @property
    def clock(self) -> Clock:
        """Where ids and delays take the time from."""

    @property
    def chance(self) -> Chance:
        """Where ids take their random part from."""

    @property
    def reads(self) -> Questions:
        """Questions about what there is."""

    @property
    def executions(self) -> Watches[Execution]:
        """Whoever waits for the end of an execution."""

    @property
    def tasks(self) -> Watches[Task]:
        """Whoever waits for the end of a task."""

    def introduce(self, tenant: TenantId, guest: Guest) -> None:
        """A worker has come; it is known from now on, and may be told to drain."""

    async def query(self, query: QueryWorkflow) -> bytes:
        """What the code of an execution says; nothing of it is kept."""

    async def workers(self, tenant: TenantId) -> list[WorkerRecord]:
        """The workers that are connected to this engine, the one that was heard of last first."""

    async def drain_worker(self, tenant: TenantId, worker_id: str) -> bool:
        """Let a worker end what it has and take nothing more; False if it has been told to already."""

    async def start(self) -> None:
        """Begin to serve."""

    async def stop(self) -> None:
        """Serve no more; whoever still waits is told so."""
