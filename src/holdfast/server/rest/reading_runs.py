"""Reads a run of a flow, or one part of it, again and again: the definition that it keeps to is read once."""

import msgspec

from holdfast.engine.flow.run import links
from holdfast.model.errors import FlowNotFound, WorkflowNotFound
from holdfast.model.flows import ROOT, Frame, FramePath, ScopePath, VisitKey, flow_of
from holdfast.model.records import Execution
from holdfast.ports.store import FrameKey
from holdfast.server.rest.calls import Call
from holdfast.server.rest.run_counts import sums_inside
from holdfast.server.rest.run_documents import InnerDocument, Nodes, RunDocument, frame_document, with_links


class Pinned(msgspec.Struct, frozen=True):
    """The flow of a run, and the nodes of the version that it keeps to."""

    flow: str
    nodes: Nodes


class Looked(msgspec.Struct, frozen=True):
    """What was there at one moment: the run without its sums, and the scopes that they are made of."""

    run: RunDocument
    opened: set[ScopePath]
    nodes: Nodes


class RunReader:
    """One part of one run."""

    def __init__(self, call: Call, execution: Execution, path: FramePath) -> None:
        self._call = call
        self._key = (call.tenant, execution.id)
        self._path = path
        self._pinned: Pinned | None = None

    async def read(self, execution: Execution) -> Looked:
        """How it stands."""
        root = await frame_at(self._call, execution, ROOT)
        self._pinned = pinned = self._pinned or await pinned_of(self._call, execution, root)
        frame = root if self._path == ROOT else await frame_at(self._call, execution, self._path)
        opened = pinned.nodes.scopes_of(frame.path, frame.state)
        scopes = await self._call.engine.store.scopes_at([(*self._key, each) for each in opened])
        run = RunDocument(
            id=execution.id,
            flow=pinned.flow,
            version=root.state.version,
            status=execution.status,
            paused=root.state.paused,
            frame=frame_document(execution, frame, pinned.nodes, {each.path: each for each in scopes}),
        )
        return Looked(with_links(run, self._links(execution, root, frame, pinned.nodes)), opened, pinned.nodes)

    def _links(self, execution: Execution, root: Frame, frame: Frame, nodes: Nodes) -> dict[VisitKey, str]:
        """To waits, for callers who could end these by a verb too."""
        if execution.closed or not self._call.caller.may("DeliverWebhook"):
            return {}
        now = self._call.engine.clock.now()
        waits = [(key, visit) for key, visit in frame.state.visits.items() if nodes.waits_for_request(visit.node)]
        paths = {key: links.path_of(execution, root, frame.path, key, visit, now) for key, visit in waits}
        return {key: path for key, path in paths.items() if path is not None}

    async def sums(self, looked: Looked) -> list[InnerDocument]:
        """The sums of what is in the splits and loops that were there."""
        return await sums_inside(self._call.engine.store, self._key, self._path, looked.opened, looked.nodes)


async def pinned_of(call: Call, execution: Execution, root: Frame) -> Pinned:
    """What a run keeps to."""
    flow = flow_of(execution.kind) or execution.kind
    [version] = await call.engine.store.flow_versions(call.tenant, flow, root.state.version + 1, 1)
    return Pinned(flow, Nodes(version.document))


async def frame_at(call: Call, execution: Execution, path: FramePath) -> Frame:
    """A frame of a run; an execution of code has none."""
    if flow_of(execution.kind) is None:
        raise FlowNotFound(execution.kind, call.tenant)
    frame = await call.engine.store.frame(_frame_key(call, execution, path))
    if frame is None:
        raise WorkflowNotFound(f"{execution.id} {path}", call.tenant)
    return frame


def _frame_key(call: Call, execution: Execution, path: FramePath) -> FrameKey:
    scope, _, index = path.rpartition(".")
    place = (scope, int(index)) if index.isdecimal() and scope else ("", 0 if path == ROOT else -1)
    return (call.tenant, execution.id, *place)
