"""What running tasks tell, on its way to the engine: gathered while a report is under way, so a chatty task costs
no more than a quiet one."""

import asyncio
import threading
from collections.abc import Callable

from holdfast.model.errors import HoldfastError, StaleClaim
from holdfast.model.requests import Line, ReportTask, TaskClaim, TaskOrders
from holdfast.ports.time import Clock
from holdfast.sdk.payload import MAX_PAYLOAD_BYTES
from holdfast.worker.sending import Sender

MAX_LINES = 1_000
"""Lines of one task that wait for a report; what is more is dropped and counted, so that memory stays bounded."""

MAX_LINE_BYTES = 2 * MAX_PAYLOAD_BYTES
"""The same in bytes, so that a report fits into one message."""


class TaskReporter:
    """The reports of one running task (sdk.task_context.Reporter)."""

    def __init__(self, *, claim: TaskClaim, sender: Sender, clock: Clock, stop_task: Callable[[], None]) -> None:
        self._claim = claim
        self._sender = sender
        self._clock = clock
        self._stop_task = stop_task
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._heartbeat = False
        self._details: bytes | None = None
        self._progress: float | None = None
        self._message: str | None = None
        self._lines: list[Line] = []
        self._line_bytes = 0
        self._dropped = 0
        self._scheduled = False
        self._sending = False
        self._quiet = asyncio.Event()
        self._quiet.set()

    def report(
        self,
        *,
        heartbeat: bool = False,
        details: bytes | None = None,
        progress: float | None = None,
        message: str | None = None,
    ) -> None:
        """The task is alive, and how far it is."""
        with self._lock:
            self._heartbeat |= heartbeat
            self._details = self._details if details is None else details
            self._progress = self._progress if progress is None else progress
            self._message = self._message if message is None else message
            self._schedule()

    def line(self, channel: str, level: str | None, body: bytes) -> None:
        """A log line, or an item of a stream."""
        with self._lock:
            if len(self._lines) >= MAX_LINES or self._line_bytes + len(body) > MAX_LINE_BYTES:
                self._dropped += 1
                return
            self._line_bytes += len(body)
            self._lines.append(Line(self._clock.now(), channel, level, body))
            self._schedule()

    async def flush(self) -> None:
        """Wait until what has been told is on disk."""
        while self._scheduled or self._sending:
            self._quiet.clear()
            await self._quiet.wait()

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon_threadsafe(self._send)

    def _send(self) -> None:
        if self._sending:
            return
        self._sending = True
        self._sender.send(self._take(), self._settled)

    def _take(self) -> ReportTask:
        with self._lock:
            self._scheduled = False
            lines, self._lines, self._line_bytes = self._lines, [], 0
            if self._dropped:
                body = f'"{self._dropped} lines were dropped: the task wrote them faster than they could be kept"'
                lines.append(Line(self._clock.now(), "log", "WARNING", body.encode()))
            request = ReportTask(
                self._claim.tenant,
                self._claim.task_id,
                self._claim.token,
                self._heartbeat,
                self._details,
                self._progress,
                self._message,
                tuple(lines),
            )
            self._heartbeat, self._details, self._progress, self._message, self._dropped = False, None, None, None, 0
            return request

    def _settled(self, reply: TaskOrders | HoldfastError) -> None:
        self._sending = False
        if isinstance(reply, StaleClaim) or (isinstance(reply, TaskOrders) and reply.cancel):
            self._stop_task()
        if self._scheduled:
            self._send()
        else:
            self._quiet.set()
