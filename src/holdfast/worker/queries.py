"""Answers queries: from the code that waits in memory, if it has seen all; otherwise by replaying the history."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Final

from holdfast.model.errors import HoldfastError
from holdfast.model.events import Event
from holdfast.model.queries import HistoryWanted
from holdfast.model.query_errors import NoWorker, QueryFailed
from holdfast.model.workflow_queries import WorkflowQuery
from holdfast.ports.transport import Transport
from holdfast.sdk.replay.run import WorkflowRun
from holdfast.worker.executions import CODEC, PAGE, ExecutionRunner
from holdfast.worker.registry import Registry

MAX_REPLAYS: Final = 8
"""Histories that are read for queries at one time; further ones wait."""


class QueryAnswerer:
    """Answers for the workflows of one worker."""

    def __init__(
        self,
        *,
        transport: Transport,
        registry: Registry,
        runners: Sequence[ExecutionRunner],
        user_code: Callable[[str], AbstractContextManager[None]],
    ) -> None:
        self._transport = transport
        self._registry = registry
        self._runners = runners
        self._user_code = user_code
        self._replays = asyncio.Semaphore(MAX_REPLAYS)
        self.is_open = True

    async def answer(self, query: WorkflowQuery) -> bytes:
        """What the code says."""
        if not self.is_open or query.kind not in self._registry.workflows:
            raise NoWorker(query.execution_id, query.kind)
        for runner in self._runners:
            run = runner.suspended((query.tenant, query.execution_id))
            if run is not None and run.last_sequence >= query.last_sequence:
                return self._answer_from_memory(runner, run, query)
        async with self._replays:
            return self._replay(query, await self._history(query))

    def _answer_from_memory(self, runner: ExecutionRunner, run: WorkflowRun, query: WorkflowQuery) -> bytes:
        try:
            with self._user_code(query.execution_id):
                return run.answer(query.name, query.input)
        except QueryFailed:
            # What a handler did before it failed may not be what a replay would find.
            runner.forget((query.tenant, query.execution_id))
            raise

    async def _history(self, query: WorkflowQuery) -> list[Event]:
        events: list[Event] = []
        while len(events) < query.last_sequence:
            wanted = HistoryWanted(query.tenant, query.execution_id, len(events), PAGE)
            page = (await self._transport.histories([wanted]))[0]
            if not page:
                raise HoldfastError(f"the history of {query.execution_id!r} ends at event {len(events)}")
            events += page
        return events

    def _replay(self, query: WorkflowQuery, events: Sequence[Event]) -> bytes:
        run = WorkflowRun(
            definition=self._registry.workflow(query.kind),
            tenant=query.tenant,
            execution_id=query.execution_id,
            queue=query.queue,
            codec=CODEC,
            parent_id=query.parent_id,
        )
        with self._user_code(query.execution_id):
            try:
                run.advance(events, seen_sequence=events[-1].sequence)
                if run.violation is not None:
                    raise QueryFailed(query.execution_id, query.name, run.violation.message(query.execution_id))
                return run.answer(query.name, query.input)
            finally:
                run.close()
