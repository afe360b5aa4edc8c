"""Retrying a run that has failed: what failed is begun again, and so is what the failure had cut off.

What has ended well is not done twice: items that are done stay done, and merges keep who has come. Each thing that is
begun again has a new try in its name, so that nothing of the try before can be taken for it.
"""

from msgspec.structs import replace

from holdfast.engine.flow.nodes.parameters import Role
from holdfast.engine.flow.run import clocks, items
from holdfast.engine.flow.run.drafts import Draft, Run
from holdfast.engine.flow.run.places import JOIN, awaited, frame_path, scope_path, tried
from holdfast.engine.missing import MoreWanted
from holdfast.model.flows import LIVE, FrameStatus, Scope, Visit, VisitKey, VisitStatus

CUT_OFF = frozenset({*LIVE, VisitStatus.SKIPPED})


def revive(run: Run) -> None:
    """Let the root go on, and all frames in it that had not ended well."""
    _revive_frame(run, run.root)


def _revive_frame(run: Run, draft: Draft) -> None:
    draft.generation += 1
    draft.halted = None
    draft.frame = replace(draft.frame, status=FrameStatus.OPEN, result=None, failure=None, closed_at=None)
    for key, visit in list(draft.visits.items()):
        if visit.status in CUT_OFF or (visit.status is VisitStatus.FAILED and visit.port is None):
            _revive_visit(run, draft, key, visit)
    for node, join in draft.joins.items():
        if join.resume_at is not None:
            timer_id = awaited(run.prefix, draft.path, tried(f"{JOIN}{node}", draft.generation))
            clocks.arm(run, timer_id, join.resume_at)
            draft.joins[node] = replace(join, timer_id=timer_id)
    run.touch(draft)


def _revive_visit(run: Run, draft: Draft, key: VisitKey, visit: Visit) -> None:
    role = run.graph.at(visit.node).role
    if role is Role.AGGREGATE:
        draft.visits.pop(key)
        items.close_again(run, draft, visit.came_from[0])
        return
    path = scope_path(draft.path, key, visit.tries)
    opens = role in (Role.SPLIT, Role.LOOP)
    scope = items.find_scope(run, path) if opens else None
    if scope is not None and not _is_done(run, scope, role):
        waiting = replace(visit, status=VisitStatus.WAITING, awaits=path, failure=None, ended_at=None, timer_id=None)
        draft.put(key, waiting)
        _revive_scope(run, scope)
        return
    again = Visit(visit.node, visit.edge, visit.came_from, VisitStatus.READY, run.now, tries=draft.generation)
    draft.put(key, again)


def _revive_scope(run: Run, scope: Scope) -> None:
    """Begin again with the items that failed or were cut off."""
    ended = {each.index: each for each in items.results_of(run, scope)}
    again = [index for index in range(scope.opened) if index not in ended or not _done(ended[index].status)]
    keys = [(*run.key, scope.path, index) for index in again]
    missing = [key for key in keys if key not in run.state.frames.rows]
    if missing:
        raise MoreWanted(frames=missing)
    gone, failed = scope.ended, scope.failed
    for index in again:
        draft = run.draft(frame_path(scope.path, index))
        if draft.frame.status is FrameStatus.SKIPPED and not _was_cut_off(draft):
            continue
        gone, failed = gone & ~(1 << index), failed & ~(1 << index)
        _revive_frame(run, draft)
    opened = replace(scope, ended=gone, failed=failed, closed_at=None)
    run.put_scope(replace(opened, ready=opened.room > 0))


def _is_done(run: Run, scope: Scope, role: Role) -> bool:
    """Whether a loop's last iteration went well, so that it is the loop that failed: it begins anew."""
    if role is not Role.LOOP:
        return False
    last = run.draft(frame_path(scope.path, scope.opened - 1))
    return last.frame.status in (FrameStatus.SUCCESS, FrameStatus.SKIPPED) and not _was_cut_off(last)


def _done(status: FrameStatus) -> bool:
    return status is FrameStatus.SUCCESS


def _was_cut_off(draft: Draft) -> bool:
    """Whether an item without a result was ended from outside, and did not come to a dead end by itself."""
    return any(visit.status is VisitStatus.SKIPPED for visit in draft.visits.values())
