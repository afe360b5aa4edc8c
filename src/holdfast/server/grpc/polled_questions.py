"""Queries to workers that poll for them, and the answers that come by calls of their own."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from functools import partial
from typing import Any, Final, cast

from holdfast.model.errors import HoldfastError, InvalidArgument, LimitExceeded
from holdfast.model.ids import TenantId, WorkerId, checked_id
from holdfast.model.query_errors import NoWorker
from holdfast.model.workflow_queries import WorkflowQuery
from holdfast.protocol.generated import worker_pb2 as wire
from holdfast.server.grpc import checking
from holdfast.server.grpc.admission import Call, Context
from holdfast.server.grpc.polls import most_items, patience
from holdfast.server.grpc.questions import answer_of, query_to_wire
from holdfast.server.host import EngineHost
from holdfast.server.queries import Answerer

ABSENCE: Final = 10.0
"""Seconds after the end of its last poll for which a worker counts as there."""
MAX_POLLED_WORKERS: Final = 1_000
"""Workers of one tenant that poll for queries."""
MAX_ANSWERS: Final = 1_000

WorkerKey = tuple[TenantId, WorkerId]


class PolledQuestions:
    """All workers that poll for queries."""

    def __init__(self, *, engine: EngineHost, closing: asyncio.Event) -> None:
        self._engine = engine
        self._closing = closing
        self._workers: dict[WorkerKey, _Polled] = {}
        self._numbers = 0

    async def poll(self, message: wire.PollQueriesRequest, call: Call) -> wire.PollQueriesResponse:
        """What a worker is asked."""
        key = call.tenant, WorkerId(checked_id(message.worker_id, "worker_id"))
        queues = frozenset([checking.queue(each) for each in message.queues])
        kinds, most = checking.names(message.kinds, "kinds"), most_items(message.max_items)
        seconds = patience(message.wait_ms, call)
        worker = self._worker(key)
        worker.describe(self._engine, queues, kinds)
        worker.polls += 1
        worker.is_awaited(None)
        try:
            await worker.until_asked(seconds, self._closing)
            numbers = worker.take(most)
        finally:
            worker.polls -= 1
            if not worker.polls:
                worker.is_awaited(asyncio.get_running_loop().call_later(ABSENCE, self._leave, key))
        worker.mind(numbers, call.context)
        return wire.PollQueriesResponse(queries=[query_to_wire(each, worker.open[each][0], key[1]) for each in numbers])

    async def answer(self, message: wire.AnswerQueriesRequest, call: Call) -> wire.BatchResponse:
        """Hand answers to those who asked."""
        if len(message.answers) > MAX_ANSWERS:
            raise InvalidArgument(f"up to {MAX_ANSWERS:,} answers are taken at once, not {len(message.answers):,}")
        worker = self._workers.get((call.tenant, WorkerId(message.worker_id)))
        heard = [worker is not None and worker.hear(each) for each in message.answers]
        return wire.BatchResponse(items=[wire.ItemResult(changed=each) for each in heard])

    def stop(self) -> None:
        """Nobody answers any more."""
        for key in tuple(self._workers):
            self._leave(key)

    def _worker(self, key: WorkerKey) -> "_Polled":
        if key not in self._workers:
            if Counter(tenant for tenant, _ in self._workers)[key[0]] >= MAX_POLLED_WORKERS:
                raise LimitExceeded("workers that poll for queries", MAX_POLLED_WORKERS)
            self._workers[key] = _Polled(key, self._next_number)
        return self._workers[key]

    def _next_number(self) -> int:
        self._numbers += 1
        return self._numbers

    def _leave(self, key: WorkerKey) -> None:
        self._workers.pop(key).leave(self._engine)


class _Polled:
    """One worker, and what it is asked."""

    def __init__(self, key: WorkerKey, next_number: Callable[[], int]) -> None:
        self._tenant, self._worker_id = key
        self._next_number = next_number
        self._answerer: Answerer | None = None
        self._waiting: deque[int] = deque()
        self._came = asyncio.Event()
        self._leaving: asyncio.TimerHandle | None = None
        self.open: dict[int, tuple[WorkflowQuery, asyncio.Future[bytes]]] = {}
        self.polls = 0

    def describe(self, engine: EngineHost, queues: frozenset[str], kinds: frozenset[str]) -> None:
        """What the worker can be asked about, by its last poll."""
        now = self._answerer
        if now is not None:
            if (now.queues, now.kinds) == (queues, kinds):
                return
            engine.queries.remove(now)
        self._answerer = Answerer(self._tenant, self._worker_id, queues, kinds, self._ask)
        engine.queries.add(self._answerer)

    def is_awaited(self, leaving: asyncio.TimerHandle | None) -> None:
        """When the worker is to count as gone, if it does not poll before."""
        if self._leaving is not None:
            self._leaving.cancel()
        self._leaving = leaving

    async def until_asked(self, seconds: float, closing: asyncio.Event) -> None:
        """Wait for a query, for so long."""
        waits = [asyncio.ensure_future(event.wait()) for event in (self._came, closing)]
        try:
            await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    def take(self, most: int) -> list[int]:
        """The numbers of queries for one poll; those that nobody waits for any more are passed over."""
        taken: list[int] = []
        while self._waiting and len(taken) < most:
            number = self._waiting.popleft()
            if number in self.open:
                taken.append(number)
        if not self._waiting:
            self._came.clear()
        return taken

    def mind(self, numbers: list[int], context: Context) -> None:
        """Keep for the next poll what could not be told to this one: its caller had gone."""
        # The stubs declare the callback as an instance of a class that only they know.
        context.add_done_callback(cast("Any", partial(self._ended, numbers)))

    def _ended(self, numbers: list[int], context: Context) -> None:
        if context.cancelled():
            self._wait(numbers)

    def _wait(self, numbers: list[int]) -> None:
        if numbers:
            self._waiting.extend(numbers)
            self._came.set()

    async def _ask(self, query: WorkflowQuery) -> bytes:
        number = self._next_number()
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.open[number] = query, answer
        self._wait([number])
        try:
            return await answer
        finally:
            del self.open[number]

    def hear(self, message: wire.QueryAnswer) -> bool:
        """Hand an answer on; False if nobody waits for it."""
        query, answer = self.open.get(message.number, (None, None))
        if query is None or answer is None or answer.done():
            return False
        try:
            answer.set_result(answer_of(message, query))
        except HoldfastError as error:
            answer.set_exception(error)
        return True

    def leave(self, engine: EngineHost) -> None:
        """The worker is gone; what it was asked goes to others."""
        self.is_awaited(None)
        if self._answerer is not None:
            engine.queries.remove(self._answerer)
        for query, answer in self.open.values():
            if not answer.done():
                answer.set_exception(NoWorker(query.execution_id, query.kind))
