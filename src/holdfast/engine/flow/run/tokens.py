"""Tokens: how they leave a node, come to the next, and meet at merges.

A token is a visit that has not ended. Leaving a node ends its visit and brings a token to each node behind the port; as
a visit ends once, no token comes twice. A merge opens when nothing that is
under way in its frame can still come to it; it is decided by looking at the frame, never by counting who has come.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from holdfast.engine.flow.definition import ERROR
from holdfast.engine.flow.evaluation import after_failure, timed_out
from holdfast.engine.flow.expressions.frame import Scope
from holdfast.engine.flow.graph import GraphEdge, GraphNode
from holdfast.engine.flow.nodes.fan_out import MergeParameters
from holdfast.engine.flow.nodes.parameters import Role
from holdfast.engine.flow.outcomes import Emitted, Halted, NodeFailed
from holdfast.engine.flow.run import clocks
from holdfast.engine.flow.run.data import Passed, Stored, input_key, output_of, scope_of, store, stored_output
from holdfast.engine.flow.run.drafts import Draft, Run
from holdfast.engine.flow.run.places import ENTRY, NO_EDGE, opener_of, visit_key
from holdfast.model.failures import Failure
from holdfast.model.flows import ROOT, Arrival, Join, Visit, VisitKey, VisitStatus

MAX_VISITS = 10_000
"""In one frame: branches that meet without a merge double the tokens each time."""
TOO_MANY_TOKENS = "TOO_MANY_TOKENS"

Known = Mapping[int, Stored]
"""Values that are kept already, by the identity of the object that stands for them."""


# Coming.


def arrive(run: Run, draft: Draft, edge: GraphEdge, came_from: VisitKey) -> None:
    """A token comes to a node by an edge."""
    node = run.graph.node(edge.dst)
    if ends_frame(run, draft, node, edge):
        draft.results.append(Arrival(edge.index, came_from))
    elif node.role is Role.MERGE:
        _meet(run, draft, node, Arrival(edge.index, came_from))
    else:
        visit(run, draft, node, edge.index, came_from)
    run.touch(draft)


def ends_frame(run: Run, draft: Draft, node: GraphNode, edge: GraphEdge) -> bool:
    """Whether a token that goes there has gone through the whole frame."""
    if draft.path == ROOT:
        return False
    path, key = opener_of(draft.frame.scope)
    opener = run.graph.at(run.draft(path).visits[key].node)
    return node.closes == opener.id or (edge.repeats and node.id == opener.id)


def visit(run: Run, draft: Draft, node: GraphNode, edge: int, came_from: VisitKey) -> None:
    """A token at a node, to be gone on with."""
    key = visit_key(node, edge, came_from)
    assert key not in draft.visits, "each way to a node has a key of its own"
    if len(draft.visits) >= MAX_VISITS:
        message = f"more than {MAX_VISITS:,} tokens in one branch; join branches by merges before they fan out again"
        draft.halted = Failure(TOO_MANY_TOKENS, message, retryable=False), node.index
        return
    draft.put(key, Visit(node.index, edge, (came_from,), VisitStatus.READY, run.now, tries=draft.generation))


def begin_at(run: Run, draft: Draft, node: GraphNode) -> None:
    """The first token of a run."""
    visit(run, draft, node, NO_EDGE, ENTRY)


# Merges.


def _meet(run: Run, draft: Draft, node: GraphNode, arrival: Arrival) -> None:
    if node.index in draft.opened:
        return
    join = draft.joins.get(node.index)
    if join is None:
        join = Join(node.index, ())
    join = replace(join, arrivals=(*join.arrivals, arrival))
    parameters = node.parameters
    assert isinstance(parameters, MergeParameters)
    if parameters.mode == "any":
        open_merge(run, draft, join)
        return
    if parameters.timeout is not None and join.timer_id is None:
        join = clocks.arm_merge(run, draft, join, parameters.timeout)
    draft.joins[node.index] = join


def openable(run: Run, draft: Draft) -> Join | None:
    """The first merge that nothing can come to any more."""
    for join in sorted(draft.joins.values(), key=lambda each: run.graph.merges[run.graph.at(each.node).id]):
        merge = run.graph.at(join.node).id
        alive = [draft.visits[key].node for key in draft.live]
        alive += [other for other in draft.joins if other != join.node]
        if not any(merge in run.graph.at(node).awaits for node in alive):
            return join
    return None


def open_merge(run: Run, draft: Draft, join: Join) -> VisitKey:
    """All who have come go on as one token."""
    node = run.graph.at(join.node)
    if join.timer_id is not None:
        clocks.disarm(run, join.timer_id)
    draft.joins.pop(join.node, None)
    draft.opened.add(join.node)
    arrivals = sorted(join.arrivals, key=lambda each: rank_of(draft, each))
    first = arrivals[0]
    came_from = tuple(each.visit for each in arrivals)
    key = visit_key(node, first.edge, first.visit)
    merged = Visit(node.index, first.edge, came_from, VisitStatus.READY, run.now, tries=draft.generation)
    draft.put(key, merged)
    run.touch(draft)
    return key


def merge_is_due(run: Run, draft: Draft, join: Join) -> None:
    """A merge's patience is over: what has come goes on by the timeout edge; without one the merge fails."""
    if openable(run, draft) is join:
        open_merge(run, draft, replace(join, timer_id=None))  # the last has come in the same moment
        return
    key = open_merge(run, draft, replace(join, timer_id=None))
    visit = draft.visits[key]
    scope = replace(scope_of(run, draft, visit), json=merged_pairs(run, draft, visit))
    conclude(run, draft, key, scope, timed_out(run.graph.at(visit.node), scope))


def without_timer(run: Run, draft: Draft, join: Join) -> None:
    """Somebody has disarmed a merge's timer: it waits for all, however long."""
    draft.joins[join.node] = replace(join, timer_id=None, resume_at=None)
    run.touch(draft)


def merged_pairs(run: Run, draft: Draft, visit: Visit) -> list[tuple[str, object]]:
    """What came to a merge, each with the name of its sender; of an edge the one that ranks first."""
    node = run.graph.at(visit.node)
    firsts: dict[int, tuple[str, object]] = {}
    for key in visit.came_from:
        for edge in _edges_between(run, draft, node, key):
            firsts.setdefault(edge.index, (run.graph.node(edge.src).name, output_of(run, draft, key)))
    return [firsts[index] for index in sorted(firsts)]


def _edges_between(run: Run, draft: Draft, node: GraphNode, key: VisitKey) -> list[GraphEdge]:
    """The edges by which a visit's token came to a merge."""
    if key == ENTRY:
        path, opener = opener_of(draft.frame.scope)
        source, port = run.graph.at(run.draft(path).visits[opener].node), None
    else:
        source, port = run.graph.at(draft.visits[key].node), draft.visits[key].port
    return [edge for edge in node.incoming if edge.src == source.id and port in (None, edge.port)]


def rank_of(draft: Draft, arrival: Arrival) -> tuple[int, ...]:
    """Tokens rank by the edge that they came by, then by the rank of the token before."""
    ranks = [arrival.edge]
    key = arrival.visit
    while key != ENTRY:
        visit = draft.visits[key]
        ranks.append(visit.edge)
        key = visit.came_from[0]
    return tuple(ranks)


def visit_rank(draft: Draft, key: VisitKey) -> tuple[int, ...]:
    """The rank of a visit among those of its node."""
    visit = draft.visits[key]
    return rank_of(draft, Arrival(visit.edge, visit.came_from[0]))


# Leaving.


def conclude(
    run: Run, draft: Draft, key: VisitKey, scope: Scope, outcome: Emitted | NodeFailed, known: Known | None = None
) -> None:
    """A node is done, well or not: its token goes on, or its failure goes up."""
    visit = draft.visits[key]
    node = run.graph.at(visit.node)
    if isinstance(outcome, Emitted):
        _leave(run, draft, key, scope, outcome, known or {})
        return
    after = after_failure(node, outcome.failure, scope)
    failed = replace(visit, status=VisitStatus.FAILED, ended_at=run.now, failure=outcome.failure)
    if isinstance(after, Halted):
        draft.put(key, failed)
        draft.halted = after.failure, node.index
        run.touch(draft)
    else:
        draft.put(key, failed)
        _leave(run, draft, key, scope, after, known or {}, failed=True)


def time_is_up(run: Run, draft: Draft, key: VisitKey) -> None:
    """A wait or a person's answer has not come in time."""
    visit = draft.visits[key]
    scope = scope_of(run, draft, visit)
    conclude(run, draft, key, scope, timed_out(run.graph.at(visit.node), scope))


def _leave(
    run: Run, draft: Draft, key: VisitKey, scope: Scope, emitted: Emitted, known: Known, *, failed: bool = False
) -> None:
    visit = draft.visits[key]
    kept = _kept(run, draft, key, scope, emitted.output, known)
    left = replace(
        visit,
        status=VisitStatus.FAILED if failed else VisitStatus.SUCCESS,
        ended_at=run.now,
        port=emitted.port,
        output=kept.data,
        output_ref=kept.is_name,
        awaits=None,
        timer_id=None,
        resume_at=None,
        log=None if emitted.log is None else (emitted.log.level, emitted.log.message),
    )
    draft.put(key, left)
    if not isinstance(emitted.output, Passed):
        run.decoded[draft.path, key] = emitted.output
    for edge in run.graph.at(visit.node).leaving(emitted.port):
        arrive(run, draft, edge, key)
    run.touch(draft)


def _kept(run: Run, draft: Draft, key: VisitKey, scope: Scope, output: object, known: Known) -> Stored:
    stored = known.get(id(output))
    if stored is not None:
        return stored
    visit = draft.visits[key]
    if output is scope.json and run.graph.at(visit.node).role is not Role.MERGE:
        return stored_output(run, draft, input_key(run, draft, visit))
    return store(run, draft, key, output)


def left_well(visit: Visit) -> bool:
    """Whether what a visit gave is a result."""
    return visit.port is not None and visit.port != ERROR
