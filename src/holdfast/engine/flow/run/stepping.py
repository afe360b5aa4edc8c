"""Stepping: goes on with all that is ready in a run, until nothing is or the decision's steps are used up.

Frames are looked at one by one: ready tokens go through their nodes, merges open that nothing can come to any more, and
a frame in which no token is left ends and tells the split or loop around it. The root's end is the run's.
"""

from typing import assert_never

import msgspec
from msgspec.structs import replace

from holdfast.engine import closing
from holdfast.engine.flow.evaluation import error_data, evaluate, merged, run_output
from holdfast.engine.flow.expressions.frame import Scope as Sight
from holdfast.engine.flow.graph import GraphNode
from holdfast.engine.flow.nodes.parameters import Role
from holdfast.engine.flow.outcomes import (
    Asked,
    Emitted,
    IterationStarted,
    NodeFailed,
    Outcome,
    Parked,
    SplitOpened,
    WorkRequested,
)
from holdfast.engine.flow.run import ending, items, waits, work
from holdfast.engine.flow.run.data import bytes_of, encode, output_of, scope_of, stored_output
from holdfast.engine.flow.run.drafts import Draft, Run
from holdfast.engine.flow.run.halts import Halt, encode_halt
from holdfast.engine.flow.run.places import opener_of
from holdfast.engine.flow.run.tokens import conclude, left_well, merged_pairs, open_merge, openable, rank_of, visit_rank
from holdfast.model.events import WorkflowCompleted, WorkflowFailed
from holdfast.model.failures import Failure
from holdfast.model.flows import ROOT, FrameStatus, VisitKey, VisitStatus
from holdfast.model.statuses import ExecutionStatus

NODE_FAILED = "NODE_FAILED"
"""The failure type of a run that a node's failure has ended."""


def go_on(run: Run) -> None:
    """Do all that can be done now."""
    paused = run.root.paused
    while run.touched or (run.opening and run.steps > 0 and not paused):
        if run.touched:
            draft = run.draft(run.touched.popleft())
            if run.is_open(draft.path):
                _settle(run, draft, paused=paused)
        else:
            path = run.opening.popleft()
            # One in a branch that has ended is closed when that is cleared.
            if run.scope(path).closed_at is None and run.is_open(opener_of(path)[0]):
                items.open_items(run, path)


def _settle(run: Run, draft: Draft, *, paused: bool) -> None:
    while draft.halted is None:
        if draft.ready:
            if paused or run.steps <= 0:
                return
            _step(run, draft, draft.ready.popleft())
            continue
        join = openable(run, draft)
        if join is None:
            break
        open_merge(run, draft, join)
    if draft.halted is not None:
        _halt(run, draft, *draft.halted)
    elif not (draft.live or draft.joins):
        _finish(run, draft)


def _step(run: Run, draft: Draft, key: VisitKey) -> None:
    """A token goes through its node."""
    visit = draft.visits[key]
    if visit.status is not VisitStatus.READY:
        return
    run.steps -= 1
    node = run.graph.at(visit.node)
    sight = scope_of(run, draft, visit)
    if node.role is Role.MERGE:
        pairs = merged_pairs(run, draft, visit)
        sight = replace(sight, json=pairs)
        conclude(run, draft, key, sight, merged(node, sight, pairs, run.now))
    else:
        _act(run, draft, key, sight, evaluate(node, sight, run.now))


def _act(run: Run, draft: Draft, key: VisitKey, sight: Sight, outcome: Outcome) -> None:
    match outcome:
        case Emitted() | NodeFailed():
            conclude(run, draft, key, sight, outcome)
        case WorkRequested():
            work.request(run, draft, key, sight, outcome)
        case Parked():
            waits.park(run, draft, key, sight, outcome)
        case Asked():
            waits.ask(run, draft, key, outcome)
        case SplitOpened():
            items.open_split(run, draft, key, sight, outcome)
        case IterationStarted(output):
            items.open_loop(run, draft, key, output)
        case _:
            assert_never(outcome)


# Ends of frames.


def _finish(run: Run, draft: Draft) -> None:
    """No token is left: the lowest of those that came to the end is the frame's result."""
    if draft.path == ROOT:
        _complete(run, draft)
        return
    result: bytes | None = None
    if draft.results:
        first = min(draft.results, key=lambda arrival: rank_of(draft, arrival))
        result = bytes_of(run, draft, stored_output(run, draft, first.visit))
    status = FrameStatus.SUCCESS if draft.results else FrameStatus.SKIPPED
    draft.frame = replace(draft.frame, status=status, result=result, closed_at=run.now)
    items.item_ended(run, draft)


def _complete(run: Run, root: Draft) -> None:
    lowest: dict[int, VisitKey] = {}
    for key, visit in root.visits.items():
        if left_well(visit) and run.graph.at(visit.node).ends:
            other = lowest.get(visit.node)
            if other is None or visit_rank(root, key) < visit_rank(root, other):
                lowest[visit.node] = key
    nodes = {run.graph.at(node).id: key for node, key in lowest.items()}
    graph = run.graph.graph
    if len(graph.results) == 1 and graph.results[0] in nodes:
        output = bytes_of(run, root, stored_output(run, root, nodes[graph.results[0]]))
    else:
        output = encode(run_output(graph, {node: output_of(run, root, key) for node, key in nodes.items()}))
    root.frame = replace(root.frame, status=FrameStatus.SUCCESS, result=None, closed_at=run.now)
    root.changed = True
    fact = WorkflowCompleted(msgspec.Raw(output))
    closing.close(run.state, run.execution, ExecutionStatus.COMPLETED, fact, output=output)


def _halt(run: Run, draft: Draft, failure: Failure, place: int) -> None:
    """A failure goes up: what else is under way in the frame ends."""
    node = run.graph.at(place)
    if draft.path == ROOT:
        draft.frame = replace(draft.frame, status=FrameStatus.FAILED, closed_at=run.now)
        told = of_run(node, failure)
        fact = WorkflowFailed(told, NODE_FAILED)
        closing.close(run.state, run.execution, ExecutionStatus.FAILED, fact, failure=told, failure_type=NODE_FAILED)
        return
    ending.end_frame(run, draft)
    kept = encode_halt(Halt(failure, error_data(node, failure)))
    draft.frame = replace(draft.frame, status=FrameStatus.FAILED, failure=kept, closed_at=run.now)
    items.item_ended(run, draft)


def of_run(node: GraphNode, failure: Failure) -> Failure:
    """The failure as the run's, which names the node."""
    name = f"node {node.name!r}"
    return failure if failure.message.startswith(name) else replace(failure, message=f"{name}: {failure.message}")
