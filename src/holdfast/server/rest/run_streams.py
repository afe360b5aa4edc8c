"""Server-sent events of a run of a flow: how it stands, and then what changes, until it has ended.

Summing up what is in its splits takes long when they are large, so the sums follow behind: they are made anew after a
pause that is longer the longer they took.
"""

import asyncio
from collections.abc import AsyncIterator
from http import HTTPStatus

from holdfast.model.records import Execution
from holdfast.server.rest import streams
from holdfast.server.rest.calls import Answer, Call
from holdfast.server.rest.reading_runs import Looked, RunReader
from holdfast.server.rest.records import workflow_of
from holdfast.server.rest.run_changes import change_of
from holdfast.server.rest.run_documents import InnerDocument, RunDocument, with_sums
from holdfast.server.rest.run_views import FrameQuery
from holdfast.server.rest.server_sent import HEARTBEAT, event_text

GATHER_SECONDS = 0.2
"""What moves within so long is shown together."""
LEAST_PAUSE = 0.5
PAUSE_BY_WORK = 10
"""Between two sums pass so many times as many seconds as the last one took."""


class SlowSums:
    """The sums of what is in the splits of a run, as they were a moment ago."""

    def __init__(self, reader: RunReader, *, wanted: bool) -> None:
        self._reader = reader
        self._wanted = wanted
        self._stale = wanted
        self._due = 0.0
        self._found: list[InnerDocument] = []

    def moved(self) -> None:
        """Something has moved: they are to be made anew."""
        self._stale = self._wanted

    async def take(self, looked: Looked, *, at_once: bool) -> list[InnerDocument]:
        """The last ones, or new ones if it is time for them or they are wanted at once."""
        clock = asyncio.get_running_loop().time
        begun = clock()
        if self._stale and (at_once or begun >= self._due):
            self._stale = False
            self._found = await self._reader.sums(looked)
            ended = clock()
            self._due = ended + max(LEAST_PAUSE, PAUSE_BY_WORK * (ended - begun))
        return self._found

    @property
    def seconds_left(self) -> float | None:
        """Until they are to be made anew; None if they are as they should be."""
        return max(0.0, self._due - asyncio.get_running_loop().time()) if self._stale else None


async def stream_run(call: Call, query: FrameQuery) -> Answer | streams.EventStream:
    """The run, or an item of it, and then what changes in it, until the run has ended; then 204."""
    execution = await workflow_of(call)
    if execution.closed and call.header(b"last-event-id") == streams.THE_END:
        return Answer(None, HTTPStatus.NO_CONTENT)
    reader = RunReader(call, execution, query.frame)
    await reader.read(execution)
    return streams.EventStream(_run_events(call, execution, reader, inside=query.inside))


async def _run_events(call: Call, execution: Execution, reader: RunReader, *, inside: bool) -> AsyncIterator[bytes]:
    # Followed before the first read, so nothing can come between them.
    follower = call.engine.news.follow_execution((call.tenant, execution.id))
    sums = SlowSums(reader, wanted=inside)
    shown: RunDocument | None = None
    while True:
        execution = await workflow_of(call)
        looked = await reader.read(execution)
        run = with_sums(looked.run, await sums.take(looked, at_once=execution.closed))
        told = _told(shown, run, is_last=execution.closed)
        if told is not None:
            shown = run
            yield told
        if execution.closed:
            return
        quiet = sums.seconds_left
        while not await follower.wait(streams.HEARTBEAT_SECONDS if quiet is None else quiet):
            if quiet is not None:
                break
            yield HEARTBEAT
        else:
            sums.moved()
            await asyncio.sleep(GATHER_SECONDS)


def _told(shown: RunDocument | None, run: RunDocument, *, is_last: bool) -> bytes | None:
    """An event; the last one has an id, so that whoever comes back after it is told that there is nothing more."""
    number = streams.THE_END if is_last else None
    if shown is None:
        return event_text("run", run, number=number)
    change = change_of(shown, run)
    return None if change is None else event_text("change", change, number=number)
