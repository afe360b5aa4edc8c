"""The frames and scopes of a run while a decision works on them; written back as rows at its end.

A draft is changed in place: a chain of nodes costs one new row and not one for each node.
"""

from collections import deque
from collections.abc import Iterable

from msgspec.structs import replace

from holdfast.engine.flow.run.graphs import RunGraph
from holdfast.engine.flow.run.places import frame_key, frame_path, opener_of, prefix_of, rows_around
from holdfast.engine.missing import MoreWanted
from holdfast.engine.state import ExecutionKey, FrameKey, ScopeKey, State
from holdfast.model.failures import Failure
from holdfast.model.flows import (
    LIVE,
    ROOT,
    Frame,
    FramePath,
    FrameState,
    FrameStatus,
    Scope,
    ScopePath,
    Visit,
    VisitKey,
    VisitStatus,
    flow_of,
)
from holdfast.model.instants import Instant
from holdfast.model.records import Execution


class Draft:
    """A frame that may be changed."""

    def __init__(self, frame: Frame, *, is_new: bool = False) -> None:
        state = frame.state
        self.frame = frame
        self.path = frame.path
        self.is_new = is_new
        self.changed = is_new
        self.visits = dict(state.visits)
        self.joins = dict(state.joins)
        self.opened = set(state.opened)
        self.results = list(state.results)
        self.generation = state.generation
        self.paused = state.paused
        self.signals = list(state.signals)
        self.listeners = list(state.listeners)
        self.heard = dict(state.heard)
        self.link_key = state.link_key
        self.live = {key for key, visit in self.visits.items() if visit.status in LIVE}
        self.ready = deque(key for key in self.live if self.visits[key].status is VisitStatus.READY)
        self.halted: tuple[Failure, int] | None = None
        """A failure that goes up, and the node that it comes from."""

    @property
    def open(self) -> bool:
        return self.frame.status is FrameStatus.OPEN

    def put(self, key: VisitKey, visit: Visit) -> None:
        """A visit as it is from now on."""
        self.changed = True
        self.visits[key] = visit
        if visit.status in LIVE:
            self.live.add(key)
        else:
            self.live.discard(key)
        if visit.status is VisitStatus.READY:
            self.ready.append(key)

    def row(self) -> Frame:
        """The frame's row."""
        state = replace(
            self.frame.state,
            visits=self.visits,
            joins=self.joins,
            opened=tuple(sorted(self.opened)),
            results=tuple(self.results),
            generation=self.generation,
            paused=self.paused,
            signals=tuple(self.signals),
            listeners=tuple(self.listeners),
            heard=self.heard,
            link_key=self.link_key,
        )
        return replace(self.frame, ready=self.open and bool(self.ready) and not self.paused, state=state)


class Run:
    """A run in the course of one decision."""

    def __init__(self, state: State, key: ExecutionKey, graph: RunGraph, steps: int) -> None:
        self.state = state
        self.key = key
        self.graph = graph
        self.steps = steps
        """How many more nodes this decision may go through."""
        self.pumps = False
        """Whether it is here to open items; else only some are opened, and the pump opens the rest."""
        self.prefix = prefix_of(self.execution)
        self.drafts: dict[FramePath, Draft] = {}
        self.scopes: dict[ScopePath, Scope] = {}
        self.new_scopes: set[ScopePath] = set()
        self.touched: deque[FramePath] = deque()
        """Frames that have something to go on with, or nothing left."""
        self.opening: deque[ScopePath] = deque()
        """Scopes that may open items."""
        self.decoded: dict[tuple[FramePath, VisitKey], object] = {}

    @property
    def execution(self) -> Execution:
        return self.state.executions.rows[self.key]

    @property
    def now(self) -> Instant:
        return self.state.now

    @property
    def root(self) -> Draft:
        return self.draft(ROOT)

    # Frames.

    def draft(self, path: FramePath) -> Draft:
        """A frame of the run, which is there."""
        draft = self.drafts.get(path)
        if draft is None:
            row = self.state.frames.rows.get(frame_key(self.key, path))
            if row is None:
                frames, scopes = rows_around(self.key, path)
                raise MoreWanted(frames=frames, scopes=scopes)
            draft = self.drafts[path] = Draft(row)
        return draft

    def new_frame(self, scope: ScopePath, index: int, item: bytes) -> Draft:
        """An item of a scope that begins now."""
        frame = Frame(*self.key, scope, index, item, self.now)
        draft = self.drafts[frame_path(scope, index)] = Draft(frame, is_new=True)
        self.touched.append(draft.path)
        return draft

    def begin_root(self, version: int, trigger: int) -> Draft:
        """The frame that the run is; its item is the execution's input."""
        state = FrameState(version=version, trigger=trigger)
        frame = Frame(*self.key, "", 0, b"null", self.now, state=state)
        draft = self.drafts[ROOT] = Draft(frame, is_new=True)
        self.touched.append(ROOT)
        return draft

    def is_open(self, path: FramePath) -> bool:
        """Whether tokens of a frame still count: neither it has ended nor any scope around it."""
        if self.execution.closed:
            return False
        while self.draft(path).open:
            if path == ROOT:
                return True
            scope = self.scope(path.rpartition(".")[0])
            if scope.closed_at is not None:
                return False
            path = opener_of(scope.path)[0]
        return False

    def touch(self, draft: Draft) -> None:
        """Look at a frame before the decision ends."""
        draft.changed = True
        self.touched.append(draft.path)

    # Scopes.

    def scope(self, path: ScopePath) -> Scope:
        """A scope of the run, which is there."""
        scope = self.scopes.get(path)
        if scope is None:
            scope = self.state.scopes.rows.get((*self.key, path))
            if scope is None:
                raise MoreWanted(scopes=[(*self.key, path)])
        return scope

    def put_scope(self, scope: Scope, *, is_new: bool = False) -> None:
        """A scope as it is from now on."""
        self.scopes[scope.path] = scope
        if is_new:
            self.new_scopes.add(scope.path)

    def write(self) -> None:
        """Turn all that has changed into rows."""
        for draft in self.drafts.values():
            if draft.changed:
                row, key = draft.row(), frame_key(self.key, draft.path)
                if draft.is_new:
                    self.state.frames.create(key, row)
                else:
                    self.state.frames.change(key, row)
        for path, scope in self.scopes.items():
            if path in self.new_scopes:
                self.state.scopes.create((*self.key, path), scope)
            else:
                self.state.scopes.change((*self.key, path), scope)


def open_run(state: State, key: ExecutionKey, steps: int, around: Iterable[FramePath] = ()) -> Run:
    """A run that is there, with frames of it and all around them."""
    missing_frames: list[FrameKey] = []
    missing_scopes: list[ScopeKey] = []
    for path in (ROOT, *around):
        frames, scopes = rows_around(key, path)
        missing_frames += [each for each in frames if each not in state.frames.rows]
        missing_scopes += [each for each in scopes if each not in state.scopes.rows]
    if missing_frames or missing_scopes:
        raise MoreWanted(frames=missing_frames, scopes=missing_scopes)
    root = state.frames.rows[(*key, "", 0)]
    return Run(state, key, graph_of(state, state.executions.rows[key], root.state.version), steps)


def graph_of(state: State, execution: Execution, version: int) -> RunGraph:
    """The graph that a run follows."""
    name = flow_of(execution.kind)
    assert name is not None, "only flows have runs"
    graph = state.graphs.get(execution.tenant, name, version)
    if graph is None:
        raise MoreWanted(flow_versions=[(execution.tenant, name, version)])
    return graph
