"""What has changed in a run of a flow between two looks at it: a stream tells the whole once, and then only this."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from holdfast.server.rest.documents import Document
from holdfast.server.rest.run_documents import (
    FrameDocument,
    InnerDocument,
    JoinDocument,
    RunDocument,
    VisitDocument,
)

T = TypeVar("T")


class FrameChangeDocument(Document, frozen=True):
    """How the part of the run that is looked at differs from before; what is left out is as it was."""

    status: str
    closed_at: str | None
    result: msgspec.Raw | UnsetType | None = UNSET
    error: msgspec.Raw | UnsetType | None = UNSET
    visits: list[VisitDocument] | UnsetType = UNSET
    """Those that are new or stand otherwise."""
    gone: list[str] | UnsetType = UNSET
    """The keys of visits that have been forgotten."""
    joins: list[JoinDocument] | UnsetType = UNSET
    """All of them."""
    inside: list[InnerDocument] | UnsetType = UNSET
    """Nodes whose sums are others; all are 0 where no token is left."""


class RunChangeDocument(Document, frozen=True):
    """How a run differs from what was told before."""

    status: str
    paused: bool
    frame: FrameChangeDocument


def change_of(before: RunDocument, now: RunDocument) -> RunChangeDocument | None:
    """What is to be told; None if nothing has changed."""
    if before == now:
        return None
    return RunChangeDocument(now.status, now.paused, _frame_change(before.frame, now.frame))


def _frame_change(before: FrameDocument, now: FrameDocument) -> FrameChangeDocument:
    known = {each.visit for each in now.visits}
    gone = [each.visit for each in before.visits if each.visit not in known]
    nodes = {each.node for each in now.inside}
    emptied = [InnerDocument(each.node, 0, 0, 0, 0, 0, 0, None) for each in before.inside if each.node not in nodes]
    return FrameChangeDocument(
        status=now.status,
        closed_at=now.closed_at,
        result=UNSET if before.result == now.result else now.result,
        error=UNSET if before.error == now.error else now.error,
        visits=_others(before.visits, now.visits, lambda each: each.visit) or UNSET,
        gone=gone or UNSET,
        joins=UNSET if before.joins == now.joins else now.joins,
        inside=_others(before.inside, now.inside, lambda each: each.node) + emptied or UNSET,
    )


def _others(before: Iterable[T], now: Iterable[T], key: Callable[[T], str]) -> list[T]:
    """Those that are not as they were."""
    known = {key(each): each for each in before}
    return [each for each in now if known.get(key(each)) != each]
