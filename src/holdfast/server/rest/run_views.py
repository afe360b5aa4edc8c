"""A run of a flow as its graph: where its tokens have been, in the run itself and in each item of its splits."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

import msgspec
from msgspec import Meta

from holdfast.engine.flow.run.places import awaited, prefix_of, scope_path, tried
from holdfast.model.errors import FlowNotFound, WorkflowNotFound
from holdfast.model.flows import ROOT, Frame, Scope, flow_of
from holdfast.model.records import Execution
from holdfast.ports.store import FrameKey
from holdfast.server.rest import streams
from holdfast.server.rest.bodies import DEFAULT_PAGE, MAX_PAGE, Limit, Query
from holdfast.server.rest.calls import Answer, Call
from holdfast.server.rest.documents import Document, optional_text, text_of
from holdfast.server.rest.records import workflow_of
from holdfast.server.rest.server_sent import HEARTBEAT, event_text

MAX_PATH = 1_000
SCOPES = frozenset({"split", "loop"})
GATHER_SECONDS = 0.2
"""What moves within so long is shown together."""

PathText = Annotated[str, Meta(min_length=1, max_length=MAX_PATH, pattern=r"^r[0-9a-f~.+:-]*$")]


class FrameQuery(Query, frozen=True):
    """Which part of the run: `r` is the run itself, `r~4.12` item 12 of the split that node 4 opened."""

    frame: PathText = ROOT


class ItemsQuery(Query, frozen=True):
    """Which items of which split or loop."""

    scope: PathText = ROOT
    after: Annotated[int, Meta(ge=-1, le=2**31)] = -1
    limit: Limit = DEFAULT_PAGE


class VisitQuery(Query, frozen=True):
    """Which visit of a token to a node."""

    visit: Annotated[str, Meta(max_length=MAX_PATH)] = ""
    """None, if it is not given."""
    frame: PathText = ROOT


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
    error: msgspec.Raw | None
    tries: int
    scope: ScopeDocument | None
    log: LoggedDocument | None


class JoinDocument(Document, frozen=True):
    """A merge that has been come to and has not opened."""

    node: str
    arrived: int
    resume_at: str | None


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


class _WrittenNode(msgspec.Struct, frozen=True):
    id: str
    type: str


class _Written(msgspec.Struct, frozen=True):
    nodes: list[_WrittenNode]


class Nodes:
    """The nodes of a definition, by their places."""

    def __init__(self, document: bytes) -> None:
        self._nodes = msgspec.json.decode(document, type=_Written).nodes

    def at(self, place: int) -> str:
        """The id of the node at a place."""
        return self._nodes[place].id

    def opens_scope(self, place: int) -> bool:
        """Whether the node at a place is a split or a loop."""
        return self._nodes[place].type in SCOPES


async def get_run(call: Call, query: FrameQuery) -> Answer:
    """A run of a flow, or one item of it: which nodes its tokens have come to, and how they stand."""
    return Answer(await _run(call, await workflow_of(call), query.frame))


async def stream_run(call: Call, query: FrameQuery) -> Answer | streams.EventStream:
    """The run, or an item of it, each time that something of it has moved, until the run has ended."""
    execution = await workflow_of(call)
    await _run(call, execution, query.frame)
    return streams.EventStream(_runs(call, execution, query.frame))


async def _runs(call: Call, execution: Execution, path: str) -> AsyncIterator[bytes]:
    # Followed before the first read, so nothing can come between them.
    follower = call.engine.news.follow_execution((call.tenant, execution.id))
    shown: RunDocument | None = None
    while True:
        execution = await workflow_of(call)
        run = await _run(call, execution, path)
        if run != shown:
            shown = run
            yield event_text("run", run)
        if execution.closed:
            return
        while not await follower.wait(streams.HEARTBEAT_SECONDS):
            yield HEARTBEAT
        await asyncio.sleep(GATHER_SECONDS)


async def list_items(call: Call, query: ItemsQuery) -> Answer:
    """The items of a split that have begun, and where each stands."""
    execution = await workflow_of(call)
    nodes, _, _ = await _pinned(call, execution)
    key = (call.tenant, execution.id, query.scope)
    scopes = await call.engine.store.scopes_at([key])
    if not scopes:
        raise WorkflowNotFound(f"{execution.id} {query.scope}", call.tenant)
    limit = min(query.limit, MAX_PAGE)
    frames = await call.engine.store.frames(key, query.after, limit)
    following = frames[-1].item_index if len(frames) == limit else None
    return Answer(ItemList(_scope_document(scopes[0]), [_item_document(each, nodes) for each in frames], following))


async def get_visit(call: Call, query: VisitQuery) -> Answer:
    """The input and the output of a node, as a token brought and took them."""
    execution = await workflow_of(call)
    await _pinned(call, execution)
    frame = await _frame(call, execution, query.frame)
    visit = frame.state.visits.get(query.visit)
    if visit is None:
        raise WorkflowNotFound(f"{execution.id} {query.frame} {query.visit}", call.tenant)
    came_from = visit.came_from[0] if visit.came_from else ""
    given = await _value(call, execution, frame, came_from)
    ended = visit.ended_at is not None and visit.failure is None
    return Answer(VisitDetail(given, await _value(call, execution, frame, query.visit) if ended else None))


async def _value(call: Call, execution: Execution, frame: Frame, key: str) -> msgspec.Raw | None:
    """What a visit gave, wherever it is kept; the frame's own value for the beginning."""
    visit = frame.state.visits.get(key)
    whole = execution.input if frame.path == ROOT else frame.item
    if visit is None:
        return msgspec.Raw(whole) if key == "" else None
    if not visit.output_ref:
        return visit.output
    name = msgspec.json.decode(visit.output, type=str)
    if name == ".":
        return msgspec.Raw(whole)
    value_key = (call.tenant, execution.id, name)
    found = (await call.engine.store.flow_values([value_key])).get(value_key)
    return None if found is None else msgspec.Raw(found)


async def _run(call: Call, execution: Execution, path: str) -> RunDocument:
    nodes, root, flow = await _pinned(call, execution)
    frame = root if path == ROOT else await _frame(call, execution, path)
    opened = [
        scope_path(frame.path, key, visit.tries)
        for key, visit in frame.state.visits.items()
        if nodes.opens_scope(visit.node)
    ]
    scopes = await call.engine.store.scopes_at([(call.tenant, execution.id, each) for each in opened])
    return RunDocument(
        id=execution.id,
        flow=flow,
        version=root.state.version,
        status=execution.status,
        paused=root.state.paused,
        frame=_frame_document(execution, frame, nodes, {each.path: each for each in scopes}),
    )


async def _pinned(call: Call, execution: Execution) -> tuple[Nodes, Frame, str]:
    """The nodes of the definition that a run keeps to, its root, and the flow's name."""
    flow = flow_of(execution.kind)
    if flow is None:
        raise FlowNotFound(execution.kind, call.tenant)
    root = await _frame(call, execution, ROOT)
    [version] = await call.engine.store.flow_versions(call.tenant, flow, root.state.version + 1, 1)
    return Nodes(version.document), root, flow


async def _frame(call: Call, execution: Execution, path: str) -> Frame:
    frame = await call.engine.store.frame(_frame_key(call, execution, path))
    if frame is None:
        raise WorkflowNotFound(f"{execution.id} {path}", call.tenant)
    return frame


def _frame_key(call: Call, execution: Execution, path: str) -> FrameKey:
    scope, _, index = path.rpartition(".")
    place = (scope, int(index)) if index.isdecimal() and scope else ("", 0 if path == ROOT else -1)
    return (call.tenant, execution.id, *place)


def _frame_document(execution: Execution, frame: Frame, nodes: Nodes, scopes: dict[str, Scope]) -> FrameDocument:
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
        error=None if visit.failure is None else msgspec.Raw(msgspec.json.encode(visit.failure)),
        tries=visit.tries,
        scope=None if scope is None else _scope_document(scope),
        log=None if visit.log is None else LoggedDocument(*visit.log),
    )


def _scope_document(scope: Scope) -> ScopeDocument:
    failed = scope.failed.bit_count()
    closed_at = optional_text(scope.closed_at)
    return ScopeDocument(scope.path, scope.total, scope.opened, scope.processed, failed, closed_at)


def _item_document(frame: Frame, nodes: Nodes) -> ItemDocument:
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
