"""Queries that go to the workers of one session, and their answers."""

import asyncio
from functools import partial
from typing import Final

from holdfast.model.errors import InvalidArgument
from holdfast.model.ids import WorkerId, checked_id
from holdfast.model.query_errors import NoWorker
from holdfast.model.workflow_queries import WorkflowQuery
from holdfast.protocol.errors import error_from_wire
from holdfast.protocol.generated import session_pb2 as wire
from holdfast.protocol.packing import Outbox
from holdfast.sdk.payload import checked_json
from holdfast.server.access.gate import Caller
from holdfast.server.grpc import checking
from holdfast.server.host import EngineHost
from holdfast.server.queries import Answerer

QUERY_BYTES: Final = 512
MAX_ANSWERERS: Final = 100


class Questions:
    """What the peer of a session is asked."""

    def __init__(self, *, engine: EngineHost, caller: Caller, outbox: Outbox[wire.FromServer]) -> None:
        self._engine = engine
        self._caller = caller
        self._outbox = outbox
        self._answerers: list[Answerer] = []
        self._open: dict[int, tuple[WorkflowQuery, asyncio.Future[bytes]]] = {}
        self._numbers = 0

    def receive(self, message: wire.FromPeer) -> None:
        """Workers that can be asked, and answers."""
        for worker in message.answering_workers:
            self._add(worker)
        for answer in message.query_answers:
            self._answered(answer)

    def _add(self, worker: wire.AnsweringWorker) -> None:
        self._caller.allow("PollWorkflow")
        if len(self._answerers) >= MAX_ANSWERERS:
            raise InvalidArgument(f"a session has up to {MAX_ANSWERERS} workers that answer queries")
        worker_id = WorkerId(checked_id(worker.worker_id, "worker_id"))
        queues = frozenset([checking.queue(each) for each in worker.queues])
        kinds = checking.names(worker.kinds, "kinds")
        answerer = Answerer(self._caller.tenant, worker_id, queues, kinds, partial(self._ask, worker_id))
        self._answerers.append(answerer)
        self._engine.queries.add(answerer)

    async def _ask(self, worker_id: WorkerId, query: WorkflowQuery) -> bytes:
        self._numbers = number = self._numbers + 1
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._open[number] = query, answer
        try:
            self._outbox.room(QUERY_BYTES + len(query.input)).queries.add(
                number=number,
                worker_id=worker_id,
                execution_id=query.execution_id,
                kind=query.kind,
                queue=query.queue,
                last_sequence=query.last_sequence,
                name=query.name,
                input=query.input,
                parent_id=query.parent_id,
            )
            return checked_json(await answer, what=f"the answer to query {query.name!r}")
        finally:
            self._open.pop(number, None)

    def _answered(self, message: wire.QueryAnswer) -> None:
        _, answer = self._open.get(message.number, (None, None))
        if answer is None or answer.done():
            # Whoever asked has stopped waiting.
            return
        if message.HasField("error"):
            answer.set_exception(error_from_wire(message.error))
        else:
            answer.set_result(message.output)

    def end(self) -> None:
        """The peer answers no more; what it was asked goes to others."""
        for answerer in self._answerers:
            self._engine.queries.remove(answerer)
        self._answerers = []
        for query, answer in self._open.values():
            if not answer.done():
                answer.set_exception(NoWorker(query.execution_id, query.kind))
