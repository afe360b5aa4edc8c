"""A run of a flow as clients see it: documents, and how they are made of frames, visits and scopes."""

import msgspec
from msgspec.structs import replace

from holdfast.engine.flow.run.places import awaited, prefix_of, scope_path, tried
from holdfast.model.flows import ROOT, Frame, FramePath, FrameState, Scope, ScopePath
from holdfast.model.records import Execution
from holdfast.server.rest.documents import Document, optional_text, text_of

SCOPES = frozenset({"split", "loop"})


class ScopeDocument(Document, frozen=True):
    """A split or loop at work: how many items there are, have begun, have ended, and have failed."""

    path: str
    total: int
    opened: int
    processed: int
    failed: int
    closed_at: str | None


class LoggedDocument(Document, frozen=True):
    """What a log node has said."""

    level: str
    message: str


class VisitDocument(Document, frozen=True):
    """A token at a node."""

    visit: str
    node: str
    status: str
    started_at: str
    ended_at: str | None
    port: str | None
    awaits: str | None
    """The id of the task, timer, promise, child or signal wait that it waits for."""
    work: str
    """The id that its task, promise or child has, or would have."""
    timer_id: str | None
    resume_at: str | None
    link: str | None
    """Of a wait for a request: the path of the link that ends it, for those who may end it themselves."""
    error: msgspec.Raw | None
    tries: int
    scope: ScopeDocument | None
    log: LoggedDocument | None


class JoinDocument(Document, frozen=True):
    """A merge that has been come to and has not opened."""

    node: str
    arrived: int
    resume_at: str | None


class InnerDocument(Document, frozen=True):
    """A node in the splits and loops of a frame, summed up over all their items: how many tokens stand how."""

    node: str
    ready: int
    running: int
    waiting: int
    success: int
    failed: int
    skipped: int
    resume_at: str | None
    """When the first of its waits ends."""


class FrameDocument(Document, frozen=True):
    """The run itself, an item of a split, or an iteration of a loop."""

    path: str
    item_index: int
    status: str
    created_at: str
    closed_at: str | None
    item: msgspec.Raw
    result: msgspec.Raw | None
    error: msgspec.Raw | None
    visits: list[VisitDocument]
    joins: list[JoinDocument]
    inside: list[InnerDocument]
    """Nodes in its splits and loops; none if they have not been asked for."""


class RunDocument(Document, frozen=True):
    """A run of a flow: the version that it keeps to, and one part of it."""

    id: str
    flow: str
    version: int
    status: str
    paused: bool
    frame: FrameDocument


class ItemDocument(Document, frozen=True):
    """An item of a split, in short."""

    index: int
    frame: str
    status: str
    created_at: str
    closed_at: str | None
    resume_at: str | None
    """When the first of its waits ends."""
    nodes: list[str]
    """Where its tokens are now."""


class ItemList(Document, frozen=True):
    """Items that have begun, in order; `next_after` is the `after` of the next page."""

    scope: ScopeDocument
    items: list[ItemDocument]
    next_after: int | None


class VisitDetail(Document, frozen=True):
    """What a node was given, and what it gave."""

    input: msgspec.Raw | None
    output: msgspec.Raw | None


class _WrittenParameters(msgspec.Struct, frozen=True):
    resume: object = None


class _WrittenNode(msgspec.Struct, frozen=True):
    id: str
    type: str
    parameters: _WrittenParameters = _WrittenParameters()


class _Written(msgspec.Struct, frozen=True):
    nodes: list[_WrittenNode]


class Nodes:
    """The nodes of a definition, by their places."""

    def __init__(self, document: bytes) -> None:
        self._nodes = msgspec.json.decode(document, type=_Written).nodes

    def at(self, place: int) -> str:
        """The id of the node at a place."""
        return self._nodes[place].id

    def waits_for_request(self, place: int) -> bool:
        """Whether the node at a place waits for a request."""
        node = self._nodes[place]
        return node.type == "wait" and node.parameters.resume == "webhook"

    def opens_scope(self, place: int) -> bool:
        """Whether the node at a place is a split or a loop."""
        return self._nodes[place].type in SCOPES

    def scopes_of(self, path: FramePath, state: FrameState) -> set[ScopePath]:
        """The scopes that the visits of a frame have opened, those that were begun again by their last try."""
        return {
            scope_path(path, key, visit.tries) for key, visit in state.visits.items() if self.opens_scope(visit.node)
        }


def frame_document(execution: Execution, frame: Frame, nodes: Nodes, scopes: dict[ScopePath, Scope]) -> FrameDocument:
    """A frame, and the scopes that its visits have opened."""
    state = frame.state
    return FrameDocument(
        path=frame.path,
        item_index=frame.item_index,
        status=frame.status,
        created_at=text_of(frame.created_at),
        closed_at=optional_text(frame.closed_at),
        item=msgspec.Raw(execution.input if frame.path == ROOT else frame.item),
        result=None if frame.result is None else msgspec.Raw(frame.result),
        error=None if frame.failure is None else msgspec.Raw(frame.failure),
        visits=[
            _visit_document(execution, frame, key, nodes, scopes.get(scope_path(frame.path, key, visit.tries)))
            for key, visit in state.visits.items()
        ],
        joins=[
            JoinDocument(nodes.at(join.node), len(join.arrivals), optional_text(join.resume_at))
            for join in state.joins.values()
        ],
        inside=[],
    )


def _visit_document(execution: Execution, frame: Frame, key: str, nodes: Nodes, scope: Scope | None) -> VisitDocument:
    visit = frame.state.visits[key]
    return VisitDocument(
        visit=key,
        node=nodes.at(visit.node),
        status=visit.status,
        started_at=text_of(visit.started_at),
        ended_at=optional_text(visit.ended_at),
        port=visit.port,
        awaits=visit.awaits,
        work=awaited(prefix_of(execution), frame.path, tried(key, visit.tries)),
        timer_id=visit.timer_id,
        resume_at=optional_text(visit.resume_at),
        link=None,
        error=None if visit.failure is None else msgspec.Raw(msgspec.json.encode(visit.failure)),
        tries=visit.tries,
        scope=None if scope is None else scope_document(scope),
        log=None if visit.log is None else LoggedDocument(*visit.log),
    )


def scope_document(scope: Scope) -> ScopeDocument:
    """How far a split or loop is."""
    failed = scope.failed.bit_count()
    closed_at = optional_text(scope.closed_at)
    return ScopeDocument(scope.path, scope.total, scope.opened, scope.processed, failed, closed_at)


def item_document(frame: Frame, nodes: Nodes) -> ItemDocument:
    """An item, and where its tokens are."""
    live = [visit for visit in frame.state.visits.values() if visit.ended_at is None]
    return ItemDocument(
        index=frame.item_index,
        frame=frame.path,
        status=frame.status,
        created_at=text_of(frame.created_at),
        closed_at=optional_text(frame.closed_at),
        resume_at=optional_text(min((each.resume_at for each in live if each.resume_at is not None), default=None)),
        nodes=[nodes.at(each.node) for each in live],
    )


def with_links(run: RunDocument, links: dict[str, str]) -> RunDocument:
    """The same with the links to its waits, by visit."""
    visits = [replace(each, link=links.get(each.visit)) for each in run.frame.visits]
    return replace(run, frame=replace(run.frame, visits=visits)) if links else run


def with_sums(run: RunDocument, sums: list[InnerDocument]) -> RunDocument:
    """The same with what is in its splits and loops."""
    return replace(run, frame=replace(run.frame, inside=sums))
