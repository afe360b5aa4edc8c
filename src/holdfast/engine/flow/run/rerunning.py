"""Rerunning an ended run from one of its nodes, and finding all that a pause has held up."""

from msgspec.structs import replace

from holdfast.engine.flow.nodes.parameters import Role
from holdfast.engine.flow.run import reviving
from holdfast.engine.flow.run.drafts import Draft, Run
from holdfast.engine.flow.run.places import frame_path
from holdfast.engine.flow.run.tokens import arrive
from holdfast.engine.missing import MoreWanted
from holdfast.engine.reopening import reopen
from holdfast.model.errors import InvalidArgument, shown
from holdfast.model.events import RetryRequested
from holdfast.model.flow_requests import RerunFlow
from holdfast.model.flows import Scope, Visit, VisitKey, VisitStatus


def rerun(run: Run, request: RerunFlow) -> None:
    """Open the run again at a node of its root."""
    root = run.root
    again = _visits_to(run, root, request.node)
    reopen(run.state, run.execution, RetryRequested(request.reason, request.requested_by))
    behind = _descendants(root, again)
    for key in behind:
        root.visits.pop(key)
        root.live.discard(key)
    root.opened = {node for node in root.opened if str(node) in root.visits}
    root.joins = {}
    reviving.revive(run)
    for key in again:
        visit = root.visits[key]
        renewed = Visit(visit.node, visit.edge, visit.came_from, VisitStatus.READY, run.now, tries=root.generation)
        root.put(key, renewed)
    _arrive_at_merges(run, root)


def _visits_to(run: Run, root: Draft, named: str) -> list[VisitKey]:
    node = next((each for each in run.graph.nodes if named in (each.id, each.name)), None)
    if node is None:
        raise InvalidArgument(f"the flow has no node {shown(named)}")
    if node.role is Role.AGGREGATE:
        raise InvalidArgument(f"{shown(named)} is an aggregate; rerun from its split")
    found = [key for key, visit in root.visits.items() if visit.node == node.index]
    if not found:
        raise InvalidArgument(f"the run has not come to {shown(named)} outside of its splits and loops")
    return found


def _descendants(root: Draft, keys: list[VisitKey]) -> set[VisitKey]:
    """The visits behind some others."""
    behind: set[VisitKey] = set()
    grown = set(keys)
    while grown:
        grown = {key for key, visit in root.visits.items() if key not in behind and grown.intersection(visit.came_from)}
        behind |= grown
    return behind - set(keys)


def _arrive_at_merges(run: Run, root: Draft) -> None:
    """Branches that are left as they were come again to the merges that have been forgotten."""
    for key, visit in list(root.visits.items()):
        if visit.port is None:
            continue
        for edge in run.graph.at(visit.node).leaving(visit.port):
            if run.graph.node(edge.dst).role is Role.MERGE:
                arrive(run, root, edge, key)


def touch_all(run: Run, draft: Draft) -> None:
    """Look at a frame and all open frames in it."""
    run.touch(draft)
    for key in draft.live:
        visit = draft.visits[key]
        if run.graph.at(visit.node).role in (Role.SPLIT, Role.LOOP) and visit.awaits:
            _touch_scope(run, run.scope(visit.awaits))


def _touch_scope(run: Run, scope: Scope) -> None:
    indexes = [index for index in range(scope.opened) if not scope.ended >> index & 1]
    keys = [(*run.key, scope.path, index) for index in indexes]
    missing = [key for key in keys if key not in run.state.frames.rows]
    if missing:
        raise MoreWanted(frames=missing)
    for index in indexes:
        touch_all(run, run.draft(frame_path(scope.path, index)))
    if scope.room:
        run.put_scope(replace(scope, ready=True))
        run.opening.append(scope.path)
