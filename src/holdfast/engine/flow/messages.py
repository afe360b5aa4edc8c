"""What a batch has to tell about runs of flows: tokens that are ready, nodes with another status, ends of runs."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice

import msgspec

from holdfast.engine.state import FrameKey, State
from holdfast.model.flows import ROOT, Frame, FramePath, Scope, ScopePath, Visit, VisitKey, VisitStatus, flow_of
from holdfast.model.ids import ExecutionId, TenantId, time_ordered_id
from holdfast.model.messages import (
    CompletionMessage,
    Enclosing,
    NodeExecutionMessage,
    NodeMetadata,
    NodeStatusMessage,
    OutboxEntry,
    Topic,
)

TOGETHER = 64
"""The most messages in one entry of the outbox: they are published, and consumed, as one."""

RANDOM_BITS = 74

_encode = msgspec.json.Encoder().encode

Message = NodeExecutionMessage | NodeStatusMessage | CompletionMessage


def outbox_of(state: State, before: Mapping[FrameKey, Frame]) -> list[OutboxEntry]:
    """The entries that a batch writes; `before` are the frames as they were loaded."""
    frames = [*state.frames.new_rows(), *state.frames.changed_rows()]
    scopes = [*state.scopes.new_rows(), *state.scopes.changed_rows()]
    teller = _Teller(state)
    return [
        *_entries(state, Topic.EXECUTION, chain(teller.ready_tokens(frames), teller.ready_scopes(scopes))),
        *_entries(state, Topic.NODE_STATUS, chain(teller.statuses(frames, before), teller.progress(scopes))),
        *_entries(state, Topic.COMPLETION, teller.ends()),
    ]


def _entries(state: State, topic: Topic, messages: Iterable[Message]) -> Iterator[OutboxEntry]:
    lines = map(_encode, messages)
    while some := list(islice(lines, TOGETHER)):
        identity = time_ordered_id(state.now, state.chance.getrandbits(RANDOM_BITS))
        yield OutboxEntry(identity, topic, state.now, b"\n".join(some))


class _Teller:
    """Makes messages of rows."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._runs: dict[tuple[TenantId, ExecutionId], tuple[str, int, tuple[str, ...]]] = {}

    def ready_tokens(self, frames: Iterable[Frame]) -> Iterator[Message]:
        for frame in frames:
            if frame.ready:
                ready = [(key, visit) for key, visit in frame.state.visits.items() if visit.status is VisitStatus.READY]
                for key, visit in ready:
                    yield self._token(frame, key, visit)

    def ready_scopes(self, scopes: Iterable[Scope]) -> Iterator[Message]:
        for scope in scopes:
            if scope.ready:
                run = scope.tenant, scope.execution_id
                name, version, _ = self._run(run)
                frame, visit = _opener(scope.path)
                yield NodeExecutionMessage(
                    *run, name, version, self._node(run, _place(visit)), frame, visit,
                    lineage_stack=self._lineage(run, frame), scope=scope.path,
                )  # fmt: skip

    def statuses(self, frames: Iterable[Frame], before: Mapping[FrameKey, Frame]) -> Iterator[Message]:
        for frame in frames:
            run = frame.tenant, frame.execution_id
            loaded = before.get((*run, frame.scope, frame.item_index))
            known = {} if loaded is None else loaded.state.visits
            for key, visit in frame.state.visits.items():
                was = known.get(key)
                if visit.status is not VisitStatus.READY and (was is None or was.status is not visit.status):
                    yield self._status(frame, key, visit)

    def progress(self, scopes: Iterable[Scope]) -> Iterator[Message]:
        """How far the splits are that go on."""
        for scope in scopes:
            if scope.closed_at is None and scope.processed:
                run = scope.tenant, scope.execution_id
                name, version, _ = self._run(run)
                frame, visit = _opener(scope.path)
                yield NodeStatusMessage(
                    *run, name, version, self._node(run, _place(visit)), frame, visit, VisitStatus.RUNNING.value,
                    self._state.now, self._lineage(run, frame),
                    NodeMetadata(processed=scope.processed, total=scope.total),
                )  # fmt: skip

    def ends(self) -> Iterator[Message]:
        rows = [self._state.executions.rows[key] for key in self._state.closed]
        # A retry in the same batch may have opened it again.
        for row, name in [(row, flow_of(row.kind)) for row in rows if row.closed]:
            if name is not None:
                yield CompletionMessage(row.tenant, row.id, name, row.status.value, self._state.now, row.failure_type)

    def _token(self, frame: Frame, key: VisitKey, visit: Visit) -> NodeExecutionMessage:
        run = frame.tenant, frame.execution_id
        name, version, _ = self._run(run)
        came_from = next((each for each in visit.came_from if each), None)
        return NodeExecutionMessage(
            *run,
            name,
            version,
            self._node(run, visit.node),
            frame.path,
            key,
            None if came_from is None else self._node(run, _place(came_from)),
            self._lineage(run, frame.path),
        )

    def _status(self, frame: Frame, key: VisitKey, visit: Visit) -> NodeStatusMessage:
        run = frame.tenant, frame.execution_id
        name, version, _ = self._run(run)
        return NodeStatusMessage(
            *run,
            name,
            version,
            self._node(run, visit.node),
            frame.path,
            key,
            visit.status.value,
            self._state.now,
            self._lineage(run, frame.path),
            NodeMetadata(resume_at=visit.resume_at),
            None if visit.failure is None else visit.failure.type,
        )

    def _run(self, run: tuple[TenantId, ExecutionId]) -> tuple[str, int, tuple[str, ...]]:
        """The flow of a run, its version, and the ids of its nodes by their places."""
        known = self._runs.get(run)
        if known is None:
            root = self._state.frames.rows[(*run, "", 0)]
            name = flow_of(self._state.executions.rows[run].kind) or ""
            version = root.state.version
            graph = self._state.graphs.get(run[0], name, version)
            assert graph is not None, "what has changed a frame has read its graph"
            known = self._runs[run] = name, version, tuple(node.id for node in graph.nodes)
        return known

    def _node(self, run: tuple[TenantId, ExecutionId], place: int) -> str:
        return self._run(run)[2][place]

    def _lineage(self, run: tuple[TenantId, ExecutionId], path: FramePath) -> tuple[Enclosing, ...]:
        """The splits and loops around a frame, the outermost first."""
        enclosing: list[Enclosing] = []
        while path != ROOT:
            scope_path, _, index = path.rpartition(".")
            outer, visit = _opener(scope_path)
            scope = self._state.scopes.rows.get((*run, scope_path))
            total = None if scope is None else scope.total
            enclosing.append(Enclosing(self._node(run, _place(visit)), path, int(index), total))
            path = outer
        return tuple(reversed(enclosing))


def _opener(path: ScopePath) -> tuple[FramePath, VisitKey]:
    """The frame and the visit that have opened a scope."""
    frame, _, visit = path.rpartition("~")
    return frame, visit


def _place(visit: VisitKey) -> int:
    """The place of a visit's node in the definition."""
    return int(visit.partition("+")[0].partition("-")[0])
