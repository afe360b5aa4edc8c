"""Queries that a server asks the workers of this process."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from holdfast.model.errors import HoldfastError
from holdfast.model.ids import ExecutionId, QueueName, TenantId
from holdfast.model.query_errors import NoWorker
from holdfast.model.workflow_queries import WorkflowQuery
from holdfast.ports.engine import Guest
from holdfast.protocol.errors import error_to_wire
from holdfast.protocol.generated import session_pb2
from holdfast.protocol.generated import worker_pb2 as wire

logger = logging.getLogger(__name__)

ANNOUNCEMENT_BYTES: Final = 512
ANSWER_BYTES: Final = 32

Room = Callable[[int], session_pb2.FromPeer | None]


class Answering:
    """Has queries answered, and sends the answers while there is a stream."""

    def __init__(self, *, room: Room) -> None:
        self._room = room
        self._tasks: set[asyncio.Task[None]] = set()

    def announce(self, guest: Guest) -> None:
        """Tell the server on the stream that there is now what a worker can be asked about."""
        told = guest.introduction
        message = self._room(ANNOUNCEMENT_BYTES)
        if message is not None and told.workflows:
            message.answering_workers.add(
                worker_id=told.worker_id, queues=told.queues, kinds=sorted([each.name for each in told.workflows])
            )

    def receive(self, queries: Iterable[wire.WorkflowQuery], guests: Sequence[Guest], tenant: TenantId) -> None:
        """Have them answered."""
        for query in queries:
            guest = next((each for each in guests if each.introduction.worker_id == query.worker_id), None)
            task = asyncio.get_running_loop().create_task(self._answer(query, guest, tenant), name="holdfast-query")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _answer(self, message: wire.WorkflowQuery, guest: Guest | None, tenant: TenantId) -> None:
        query = WorkflowQuery(
            tenant=tenant,
            execution_id=ExecutionId(message.execution_id),
            kind=message.kind,
            queue=QueueName(message.queue),
            last_sequence=message.last_sequence,
            name=message.name,
            input=message.input,
            parent_id=ExecutionId(message.parent_id) if message.HasField("parent_id") else None,
        )
        answer = wire.QueryAnswer(number=message.number)
        try:
            if guest is None:
                raise NoWorker(query.execution_id, query.kind)
            answer.output = await guest.answer(query)
        except HoldfastError as error:
            logger.debug("query %r of workflow %s is not answered: %s", query.name, query.execution_id, error)
            answer.error.CopyFrom(error_to_wire(error))
        # Without a stream there is nobody to tell: the server has given the query to someone else.
        room = self._room(ANSWER_BYTES + answer.ByteSize())
        if room is not None:
            room.query_answers.append(answer)

    async def stop(self) -> None:
        """Answer nothing more."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
