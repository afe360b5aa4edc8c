"""Queries on their way to the code: each goes to a worker that is connected here and runs the kind.

They are kept in memory alone, and change nothing: one that a worker was lost with is asked of the next.
"""

import asyncio
from collections.abc import Awaitable, Callable, Container
from typing import Final

import msgspec

from holdfast.model.errors import (
    InvalidArgument,
    LimitExceeded,
    WorkflowNotFound,
)
from holdfast.model.flows import FLOW_KIND
from holdfast.model.ids import TenantId, WorkerId
from holdfast.model.query_errors import NoWorker, QueryTimedOut
from holdfast.model.records import Execution
from holdfast.model.workflow_queries import MAX_QUERY_TIMEOUT, QueryWorkflow, WorkflowQuery
from holdfast.ports.store import Questions

MAX_OPEN_QUERIES: Final = 1_000
"""Of one tenant, at one engine."""

Ask = Callable[[WorkflowQuery], Awaitable[bytes]]
"""Asks a worker; NoWorker says that it cannot be asked any more."""


class Answerer(msgspec.Struct, frozen=True, eq=False):
    """A worker that can be asked."""

    tenant: TenantId
    worker_id: WorkerId
    queues: frozenset[str]
    kinds: frozenset[str]
    ask: Ask


class Queries:
    """The workers that are connected here, and what they are asked."""

    def __init__(self, *, reads: Questions) -> None:
        self._reads = reads
        self._answerers: list[Answerer] = []
        self._open: dict[TenantId, int] = {}

    def add(self, answerer: Answerer) -> None:
        """A worker has come."""
        self._answerers.append(answerer)

    def remove(self, answerer: Answerer) -> None:
        """A worker has gone."""
        self._answerers.remove(answerer)

    async def ask(self, query: QueryWorkflow) -> bytes:
        """What the code of an execution says."""
        if not 0 < query.timeout_ms <= MAX_QUERY_TIMEOUT:
            raise InvalidArgument(f"a query waits 1 to {MAX_QUERY_TIMEOUT:,} ms, not {query.timeout_ms:,}")
        execution = await self._reads.execution((query.tenant, query.execution_id))
        if execution is None:
            raise WorkflowNotFound(query.execution_id, query.tenant)
        if execution.kind.startswith(FLOW_KIND):
            raise InvalidArgument(f"{query.execution_id!r} is the run of a flow, which has no code to be queried")
        if self._open.get(query.tenant, 0) >= MAX_OPEN_QUERIES:
            raise LimitExceeded("open queries", MAX_OPEN_QUERIES)
        self._open[query.tenant] = self._open.get(query.tenant, 0) + 1
        try:
            async with asyncio.timeout(query.timeout_ms / 1000):
                return await self._ask_one(query, execution)
        except TimeoutError:
            raise QueryTimedOut(query.execution_id, query.name, query.timeout_ms) from None
        finally:
            self._open[query.tenant] -= 1
            if not self._open[query.tenant]:
                del self._open[query.tenant]

    async def _ask_one(self, query: QueryWorkflow, execution: Execution) -> bytes:
        asked = WorkflowQuery(
            tenant=query.tenant,
            execution_id=query.execution_id,
            kind=execution.kind,
            queue=execution.queue,
            last_sequence=execution.last_sequence,
            name=query.name,
            input=query.input,
            parent_id=execution.parent_id,
        )
        asked_before: set[Answerer] = set()
        while (answerer := self._likeliest(execution, asked_before)) is not None:
            asked_before.add(answerer)
            try:
                return await answerer.ask(asked)
            except NoWorker:
                # It has gone, and somebody else may have come meanwhile.
                continue
        raise NoWorker(query.execution_id, execution.kind)

    def _likeliest(self, execution: Execution, asked_before: Container[Answerer]) -> Answerer | None:
        """Who runs the kind, and rather its queue too; whoever is chosen goes to the end of the line."""
        fitting = [
            each
            for each in self._answerers
            if each.tenant == execution.tenant and execution.kind in each.kinds and each not in asked_before
        ]
        if not fitting:
            return None
        chosen = min(fitting, key=lambda each: execution.queue not in each.queues)
        self._answerers.remove(chosen)
        self._answerers.append(chosen)
        return chosen
