"""Queries that go to the workers of one session, and their answers."""

import asyncio
from functools import partial
from typing import Final

from holdfast.model.errors import HoldfastError, InvalidArgument, NotSerialisable
from holdfast.model.ids import WorkerId, checked_id
from holdfast.model.query_errors import NoWorker, QueryFailed
from holdfast.model.workflow_queries import WorkflowQuery
from holdfast.protocol.errors import INTERNAL, error_from_wire, status_of
from holdfast.protocol.generated import session_pb2
from holdfast.protocol.generated import worker_pb2 as wire
from holdfast.protocol.packing import Outbox
from holdfast.sdk.payload import checked_json
from holdfast.server.access.gate import Caller
from holdfast.server.grpc import checking
from holdfast.server.host import EngineHost
from holdfast.server.queries import Answerer

QUERY_BYTES: Final = 512
MAX_ANSWERERS: Final = 100


def query_to_wire(number: int, query: WorkflowQuery, worker_id: WorkerId) -> wire.WorkflowQuery:
    """A query as the worker is told of it."""
    return wire.WorkflowQuery(
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


def answer_of(message: wire.QueryAnswer, query: WorkflowQuery) -> bytes:
    """What a worker has answered, or the error that it has told of.

    Whatever a worker says, it is no failure of the server.
    """
    try:
        if not message.HasField("error"):
            return checked_json(message.output, what="the answer")
        error = error_from_wire(message.error)
    except NotSerialisable as refused:
        raise QueryFailed(query.execution_id, query.name, str(refused)) from refused
    if status_of(error) == INTERNAL:
        raise QueryFailed(query.execution_id, query.name, str(error))
    raise error


class Questions:
    """What the peer of a session is asked."""

    def __init__(self, *, engine: EngineHost, caller: Caller, outbox: Outbox[session_pb2.FromServer]) -> None:
        self._engine = engine
        self._caller = caller
        self._outbox = outbox
        self._answerers: list[Answerer] = []
        self._open: dict[int, tuple[WorkflowQuery, asyncio.Future[bytes]]] = {}
        self._numbers = 0

    def receive(self, message: session_pb2.FromPeer) -> None:
        """Workers that can be asked, and answers."""
        for worker in message.answering_workers:
            self._add(worker)
        for answer in message.query_answers:
            self._answered(answer)

    def _add(self, worker: session_pb2.AnsweringWorker) -> None:
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
            room = self._outbox.room(QUERY_BYTES + len(query.input))
            room.queries.append(query_to_wire(number, query, worker_id))
            return await answer
        finally:
            self._open.pop(number, None)

    def _answered(self, message: wire.QueryAnswer) -> None:
        query, answer = self._open.get(message.number, (None, None))
        if query is None or answer is None or answer.done():
            # Whoever asked has stopped waiting.
            return
        try:
            answer.set_result(answer_of(message, query))
        except HoldfastError as error:
            answer.set_exception(error)

    def end(self) -> None:
        """The peer answers no more; what it was asked goes to others."""
        for answerer in self._answerers:
            self._engine.queries.remove(answerer)
        self._answerers = []
        for query, answer in self._open.values():
            if not answer.done():
                answer.set_exception(NoWorker(query.execution_id, query.kind))
