"""Reads a tenant's feed for all who follow it.

Many followers of one tenant stand at the same place and are woken together: they share one read and one text.
"""

import asyncio

import msgspec

from holdfast.model.ids import TenantId
from holdfast.model.oversight import FeedPage
from holdfast.ports.oversight import Oversight
from holdfast.server.rest.documents import Document, text_of
from holdfast.server.rest.server_sent import event_text

FEED_PAGE = 200


class NoticeDocument(Document, frozen=True):
    """Something began, ended or was opened again."""

    number: int
    time: str
    of: str
    id: str
    kind: str
    what: str


class PlaceDocument(Document, frozen=True):
    """Where the stream stands: everything after this number follows."""

    number: int


class GapDocument(Document, frozen=True):
    """Notices that are no longer kept, or that have never been: look at everything anew."""

    after: int
    number: int
    """The last that is missing."""


class Chunk(msgspec.Struct, frozen=True):
    """A page of the feed as it goes out, and the number of its last notice."""

    text: bytes
    last: int
    is_full: bool


class FeedReader:
    """Reads feeds; the same questions of one moment are answered together."""

    def __init__(self, *, oversight: Oversight) -> None:
        self._oversight = oversight
        self._gathering: dict[tuple[TenantId, int], asyncio.Task[Chunk]] = {}

    async def read(self, tenant: TenantId, after: int) -> Chunk:
        """The notices after a number, as they are when this is asked or later."""
        key = tenant, after
        reading = self._gathering.get(key)
        if reading is None:
            reading = self._gathering[key] = asyncio.create_task(self._read(tenant, after), name="holdfast-feed")
        # One who hangs up must not take the answer away from the others.
        return await asyncio.shield(reading)

    async def _read(self, tenant: TenantId, after: int) -> Chunk:
        # Nobody joins once the store is asked: the answer may lack what has woken those who come now.
        del self._gathering[tenant, after]
        page = await self._oversight.feed(tenant, after, FEED_PAGE)
        text = b"".join(_notices(page))
        last = page.first + len(page.notices) - 1 if page.notices else after
        if page.notices and page.first > after + 1:
            text = _gap(after, page.first - 1) + text
        if not page.notices and page.newest < after:
            # A number from another life of the database, such as one before a backup was put back.
            text, last = _gap(after, page.newest), page.newest
        return Chunk(text, last, len(page.notices) == FEED_PAGE)

    async def newest(self, tenant: TenantId) -> int:
        """The number of the last notice."""
        return (await self._oversight.feed(tenant, 2**53, 1)).newest


def _notices(page: FeedPage) -> list[bytes]:
    return [
        event_text(
            notice.of,
            NoticeDocument(number, text_of(time), notice.of, notice.id, notice.kind, notice.what),
            number=number,
        )
        for number, (time, notice) in enumerate(page.notices, page.first)
    ]


def _gap(after: int, number: int) -> bytes:
    return event_text("gap", GapDocument(after, number), number=number)
