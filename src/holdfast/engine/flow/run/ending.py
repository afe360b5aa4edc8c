"""What a frame leaves behind when it ends before its tokens do: tasks, timers, promises, children, inner scopes."""

from msgspec.structs import replace

from holdfast.engine import executions, tasks
from holdfast.engine.flow.nodes.parameters import Role
from holdfast.engine.flow.run import clocks
from holdfast.engine.flow.run.drafts import Draft, Run
from holdfast.engine.flow.run.items import close_scope
from holdfast.engine.flow.run.places import frame_path
from holdfast.engine.missing import MoreWanted
from holdfast.model.events import PromiseTimedOut
from holdfast.model.flows import FrameStatus, Scope, ScopePath, Visit, VisitKey, VisitStatus
from holdfast.model.ids import ExecutionId, PromiseId, TaskId
from holdfast.model.statuses import PromiseStatus

REASON = "another branch has ended it"


def end_frame(run: Run, draft: Draft) -> None:
    """Nobody waits any more for what is under way in a frame."""
    more = MoreWanted()
    for key in sorted(draft.live):
        try:
            _end_visit(run, draft, key)
        except MoreWanted as wanted:
            more.join(wanted)
    for node, join in draft.joins.items():
        if join.timer_id is not None:
            try:
                clocks.disarm(run, join.timer_id)
            except MoreWanted as wanted:
                more.join(wanted)
            # Who has come stays on record: a retry lets the merge go on from there.
            draft.joins[node] = replace(join, timer_id=None)
    if more:
        raise more
    draft.changed = True


def _end_visit(run: Run, draft: Draft, key: VisitKey) -> None:
    visit = draft.visits[key]
    role = run.graph.at(visit.node).role
    if visit.timer_id is not None:
        clocks.disarm(run, visit.timer_id)
    if visit.awaits:
        if role in (Role.SPLIT, Role.LOOP):
            close_scope(run, run.scope(visit.awaits))
        elif role is Role.HUMAN:
            _end_promise(run, visit.awaits)
        elif role is Role.WORK:
            _end_work(run, visit)
    ended = replace(visit, status=VisitStatus.SKIPPED, ended_at=run.now, timer_id=None, resume_at=None)
    draft.put(key, ended)


def _end_promise(run: Run, identity: str) -> None:
    key = run.key[0], PromiseId(identity)
    promise = run.state.promises.rows.get(key)
    if promise is None:
        raise MoreWanted(promises=[key])
    if promise.status is PromiseStatus.PENDING:
        ended = replace(promise, status=PromiseStatus.CANCELLED, wake_at=None, closed_at=run.now)
        run.state.promises.change(key, ended)
        execution = run.state.append(run.execution, PromiseTimedOut(key[1]))
        run.state.executions.change(run.key, replace(execution, open_items=execution.open_items - 1))


def _end_work(run: Run, visit: Visit) -> None:
    identity = visit.awaits or ""
    task_key, child_key = (run.key[0], TaskId(identity)), (run.key[0], ExecutionId(identity))
    task = run.state.tasks.rows.get(task_key)
    child = run.state.executions.rows.get(child_key)
    if task is not None:
        tasks.request_cancel(run.state, task_key, REASON)
    elif child is not None:
        executions.request_cancel(run.state, child, REASON, "")
    elif task_key not in run.state.looked_for:
        raise MoreWanted(tasks=[task_key], executions=[child_key])


def clear_scope(run: Run, scope: Scope) -> None:
    """End what is still open in a scope that has closed, as much of it as the decision has steps left."""
    open_items = [index for index in range(scope.opened) if not scope.ended >> index & 1][: max(run.steps, 1)]
    _require(run, scope.path, open_items)
    more = MoreWanted()
    for index in open_items:
        draft = run.draft(frame_path(scope.path, index))
        try:
            end_frame(run, draft)
        except MoreWanted as wanted:
            more.join(wanted)
            continue
        draft.frame = replace(draft.frame, status=FrameStatus.SKIPPED, closed_at=run.now)
        scope = replace(scope, ended=scope.ended | 1 << index)
        run.steps -= 1
    if more:
        raise more
    run.put_scope(replace(scope, ready=scope.opened > scope.processed))


def _require(run: Run, path: ScopePath, indexes: list[int]) -> None:
    keys = [(*run.key, path, index) for index in indexes]
    missing = [key for key in keys if key not in run.state.frames.rows and frame_path(path, key[3]) not in run.drafts]
    if missing:
        raise MoreWanted(frames=missing)
