"""Threads that own a connection each, and the way to ask them for something from an event loop."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Generic, TypeVar

from holdfast.model.errors import Stopped

Answer = TypeVar("Answer")
Job = Callable[[sqlite3.Connection], Answer]


class _Asked(Generic[Answer]):
    """A job on its way to a thread, and the future that its answer goes to."""

    __slots__ = ("_answer", "_job", "_loop")

    def __init__(self, job: Job[Answer], loop: asyncio.AbstractEventLoop) -> None:
        self._job = job
        self._loop = loop
        self._answer: asyncio.Future[Answer] = loop.create_future()

    @property
    def answer(self) -> asyncio.Future[Answer]:
        return self._answer

    def carry_out(self, connection: sqlite3.Connection) -> None:
        """Runs the job; whatever it raises belongs to the one who asked."""
        try:
            answer = self._job(connection)
        except BaseException as error:  # noqa: BLE001 - raised again where the answer is awaited
            self._send(self._fail, error)
        else:
            self._send(self._succeed, answer)

    def _send(self, settle: Callable[..., None], outcome: object) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(settle, outcome)

    def _succeed(self, answer: Answer) -> None:
        if not self._answer.done():
            self._answer.set_result(answer)

    def _fail(self, error: BaseException) -> None:
        if not self._answer.done():
            self._answer.set_exception(error)


class ConnectionThreads:
    """One thread for each connection; they share a queue and take jobs in order."""

    def __init__(self, *, name: str, connections: Sequence[sqlite3.Connection]) -> None:
        self._queue: SimpleQueue[Job[None] | None] = SimpleQueue()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._serve, args=(connection,), name=f"{name}-{number}", daemon=True)
            for number, connection in enumerate(connections)
        ]
        for thread in self._threads:
            thread.start()

    def ask(self, job: Job[Answer]) -> "asyncio.Future[Answer]":
        """The job is carried out, whether or not anyone still awaits its answer."""
        if self._closed:
            raise Stopped("the store has been closed")
        asked = _Asked(job, asyncio.get_running_loop())
        self._queue.put(asked.carry_out)
        return asked.answer

    async def close(self) -> None:
        """Finishes what has been asked, then closes the connections."""
        if not self._closed:
            self._closed = True
            for _ in self._threads:
                self._queue.put(None)
        await asyncio.to_thread(self._join)

    def _join(self) -> None:
        for thread in self._threads:
            thread.join()

    def _serve(self, connection: sqlite3.Connection) -> None:
        try:
            while (carry_out := self._queue.get()) is not None:
                carry_out(connection)
                del carry_out  # a batch and its rows must not live until the next one comes
        finally:
            connection.close()
