"""Server-sent events: what happens to an execution or a task, as it happens.

A stream reads from the store in pages and sends one page before it reads the next, so a slow client costs one page of
memory; one that does not read at all is dropped, and may come back with its Last-Event-ID.
"""

import asyncio
from collections.abc import AsyncIterator

from holdfast.model.errors import WorkflowNotFound
from holdfast.model.queries import HistoryWanted
from holdfast.model.records import Execution, Task
from holdfast.server.rest.bodies import AfterQuery
from holdfast.server.rest.calls import Answer, Call, Send
from holdfast.server.rest.documents import event_document, line_document, task_document
from holdfast.server.rest.problems import UnreadableRequest
from holdfast.server.rest.records import task_of, workflow_of
from holdfast.server.rest.server_sent import HEARTBEAT, event_text

STREAM_PAGE = 50
"""Records that a stream reads at once."""
HEARTBEAT_SECONDS = 15.0
"""A quiet stream says so often that it is alive; proxies close what says nothing."""
SEND_SECONDS = 30.0
"""A client that takes nothing for so many seconds is dropped."""
THE_END = "end"
"""The id of the last event of a task or run: whoever comes back with it has seen everything."""
MAX_EVENT_NUMBER = 2**53

STREAM_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]


class EventStream:
    """An answer that goes on."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks

    async def send_to(self, send: Send) -> None:
        """Send everything; TimeoutError if the client does not take it."""
        await send({"type": "http.response.start", "status": 200, "headers": STREAM_HEADERS})
        await _send_part(send, b": welcome\n\n", more=True)
        async for chunk in self._chunks:
            await _send_part(send, chunk, more=True)
        await _send_part(send, b"", more=False)


async def _send_part(send: Send, part: bytes, *, more: bool) -> None:
    async with asyncio.timeout(SEND_SECONDS):
        await send({"type": "http.response.body", "body": part, "more_body": more})


async def stream_workflow(call: Call, query: AfterQuery) -> Answer | EventStream:
    """The events of an execution from Last-Event-ID on, until it has ended; then 204, so that clients stop asking."""
    execution = await workflow_of(call)
    after = _start(call, query)
    if execution.closed and after >= execution.last_sequence:
        return Answer(None, 204)
    return EventStream(_workflow_events(call, execution, after))


def _start(call: Call, query: AfterQuery) -> int:
    given = last_event_id(call)
    return query.after if given is None else given


def last_event_id(call: Call) -> int | None:
    """The number of the last event that the client has received, if it says so."""
    given = call.header(b"last-event-id")
    if given is None:
        return None
    if not given.isdecimal() or not given.isascii() or int(given[:20]) > MAX_EVENT_NUMBER:
        raise UnreadableRequest("Last-Event-ID must be the number of the last event that was received")
    return int(given)


async def _workflow_events(call: Call, execution: Execution, after: int) -> AsyncIterator[bytes]:
    # Followed before the first read, so nothing can come between them.
    follower = call.engine.news.follow_execution((call.tenant, execution.id))
    while True:
        page = HistoryWanted(call.tenant, execution.id, after, STREAM_PAGE)
        [events] = await call.engine.histories([page])
        for event in events:
            yield event_text(event.type, event_document(event), number=event.sequence)
            after = event.sequence
        if len(events) == STREAM_PAGE:
            continue
        if await _has_ended(call, execution, after):
            return
        while not await follower.wait(HEARTBEAT_SECONDS):
            yield HEARTBEAT


async def _has_ended(call: Call, execution: Execution, after: int) -> bool:
    now = await call.engine.reads.execution((call.tenant, execution.id))
    if now is None:
        raise WorkflowNotFound(execution.id, call.tenant)
    return now.closed and now.last_sequence <= after


async def stream_task(call: Call, query: AfterQuery) -> Answer | EventStream:
    """A task's lines from Last-Event-ID on, and its progress and status as they change, until its end; then 204."""
    task = await task_of(call)
    if call.header(b"last-event-id") == THE_END:
        return Answer(None, 204)
    return EventStream(_task_events(call, task, _start(call, query)))


async def _task_events(call: Call, task: Task, after: int) -> AsyncIterator[bytes]:
    follower = call.engine.news.follow_task((call.tenant, task.id))
    shown: tuple[object, ...] | None = None
    while True:
        # The task before its lines: what it told before its end is then read before the end is shown.
        task = await task_of(call)
        lines = await call.engine.reads.lines((call.tenant, task.id), after, STREAM_PAGE)
        for line in lines:
            yield event_text("line", line_document(line), number=line.number)
            after = line.number
        if len(lines) == STREAM_PAGE:
            continue
        if _visible(task) != shown:
            shown = _visible(task)
            yield _status_text(task)
        if task.closed:
            return
        while not await follower.wait(HEARTBEAT_SECONDS):
            yield HEARTBEAT


def _status_text(task: Task) -> bytes:
    if task.closed:
        return event_text("end", task_document(task), number=THE_END)
    return event_text("task", task_document(task))


def _visible(task: Task) -> tuple[object, ...]:
    return task.status, task.attempt, task.progress, task.progress_message, task.cancel_requested
