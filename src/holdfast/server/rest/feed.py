"""A tenant's feed as server-sent events: what begins, ends or is opened again, numbered without gaps."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from msgspec import Meta

from holdfast.server.rest import streams
from holdfast.server.rest.bodies import Query
from holdfast.server.rest.calls import Answer, Call
from holdfast.server.rest.reading_feed import PlaceDocument
from holdfast.server.rest.server_sent import HEARTBEAT, event_text

GATHER_SECONDS = 0.05
"""News of so long goes out together: a busy tenant has thousands of notices a second."""


class FeedQuery(Query, frozen=True):
    """Where to begin, if there is no Last-Event-ID; without either, at what comes next."""

    after: Annotated[int, Meta(ge=0, le=2**53)] | None = None


async def stream_tenant(call: Call, query: FeedQuery) -> Answer | streams.EventStream:
    """What begins, ends or is opened again in a tenant, from Last-Event-ID on, for as long as the client stays."""
    after = streams.last_event_id(call)
    return streams.EventStream(_feed(call, query.after if after is None else after))


async def _feed(call: Call, after: int | None) -> AsyncIterator[bytes]:
    # Followed before the first read, so nothing can come between them.
    follower = call.engine.news.follow_tenant(call.tenant)
    if after is None:
        after = await call.feed_reader.newest(call.tenant)
        # Whoever loses the connection before anything has come knows nevertheless where to go on.
        yield event_text("place", PlaceDocument(after), number=after)
    while True:
        chunk = await call.feed_reader.read(call.tenant, after)
        if chunk.text:
            yield chunk.text
        after = chunk.last
        if chunk.is_full:
            continue
        while not await follower.wait(streams.HEARTBEAT_SECONDS):
            yield HEARTBEAT
        await asyncio.sleep(GATHER_SECONDS)
