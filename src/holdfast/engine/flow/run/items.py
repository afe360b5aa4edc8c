"""Splits and loops: the frames of their items and iterations, and what follows when these have ended.

Which items have ended is kept by index, so no message counts twice. Items wait as chunks of JSON and become frames as
many at a time as the split allows and the decision may go through; the pump opens the rest.
"""

from msgspec.structs import replace

from holdfast.engine.flow.definition import MAIN, TIMEOUT
from holdfast.engine.flow.evaluation import aggregated, left_early, repeated
from holdfast.engine.flow.expressions.frame import Scope as Sight
from holdfast.engine.flow.graph import GraphNode
from holdfast.engine.flow.nodes.fan_out import BODY, AggregateParameters, LoopParameters
from holdfast.engine.flow.nodes.fan_out import ItemResult as Result
from holdfast.engine.flow.nodes.parameters import Role
from holdfast.engine.flow.outcomes import Emitted, IterationStarted, NodeFailed, SplitOpened
from holdfast.engine.flow.run import clocks
from holdfast.engine.flow.run.data import (
    Passed,
    awaited_by,
    bytes_of,
    decode,
    encode,
    input_key,
    large_value,
    put_value,
    scope_of,
    store_bytes,
    stored_output,
)
from holdfast.engine.flow.run.drafts import Draft, Run
from holdfast.engine.flow.run.halts import decode_halt
from holdfast.engine.flow.run.places import ENTRY, NO_EDGE, opener_of, scope_path, visit_key
from holdfast.engine.flow.run.tokens import arrive, conclude
from holdfast.engine.missing import MoreWanted
from holdfast.model.flows import (
    FrameStatus,
    ItemResult,
    Scope,
    ScopePath,
    Visit,
    VisitKey,
    VisitStatus,
)

ITEMS_PER_CHUNK = 100
OPENED_TOGETHER = 10
"""So many items begin before the first of them goes on: what a decision begins it should also bring on its way."""


# Opening.


def open_split(run: Run, draft: Draft, key: VisitKey, sight: Sight, opened: SplitOpened) -> None:
    """A scope with a frame for each item; an empty list has none, and goes on at once."""
    visit = draft.visits[key]
    node = run.graph.at(visit.node)
    total = len(opened.items)
    if not total:
        _closed(run, draft, key, node, [])
        return
    path = scope_path(draft.path, key, visit.tries)
    for start in range(0, total, ITEMS_PER_CHUNK):
        chunk = opened.items[start : start + ITEMS_PER_CHUNK]
        put_value(run, _chunk_name(path, start), encode(chunk))
    scope = Scope(
        tenant=run.key[0],
        execution_id=run.key[1],
        path=path,
        visit=key,
        total=total,
        concurrency=opened.max_concurrency or total,
        tolerated=opened.tolerated,
        fail_fast=opened.fail_fast,
        created_at=run.now,
        ready=True,
    )
    run.put_scope(scope, is_new=True)
    run.opening.append(path)
    draft.put(key, replace(visit, status=VisitStatus.WAITING, awaits=path))
    _arm_aggregate(run, draft, key, node, sight)


def _chunk_name(path: ScopePath, index: int) -> str:
    return f"{path}#{index // ITEMS_PER_CHUNK}"


def _arm_aggregate(run: Run, draft: Draft, key: VisitKey, node: GraphNode, sight: Sight) -> None:
    """The timeout of the aggregate counts from the opening of its split."""
    if node.closed_by is None:
        return
    parameters = run.graph.node(node.closed_by).parameters
    assert isinstance(parameters, AggregateParameters)
    if parameters.timeout is None:
        return
    at = clocks.deadline(run, node, sight, parameters.timeout)
    if at is not None:
        timer_id = awaited_by(run, draft, key)
        clocks.arm(run, timer_id, at)
        draft.put(key, replace(draft.visits[key], timer_id=timer_id, resume_at=at))


def open_items(run: Run, path: ScopePath) -> None:
    """Begin with some of the items that the scope has room for."""
    scope = run.scope(path)
    outer, key = opener_of(path)
    draft = run.draft(outer)
    node = run.graph.at(draft.visits[key].node)
    _require_chunks(run, scope)
    room = min(scope.room, OPENED_TOGETHER)
    for index in range(scope.opened, scope.opened + room):
        chunk = decode_chunk(run, _chunk_name(path, index))
        _begin_frame(run, run.new_frame(path, index, encode(chunk[index % ITEMS_PER_CHUNK])), node, MAIN)
        run.steps -= 1
    scope = replace(scope, opened=scope.opened + room)
    run.put_scope(replace(scope, ready=scope.room > 0))
    if scope.room and (run.pumps or path in run.new_scopes):
        run.opening.append(path)


def _require_chunks(run: Run, scope: Scope) -> None:
    """Ask at once for all items that this decision may open."""
    together = max(run.steps, OPENED_TOGETHER) if run.pumps else OPENED_TOGETHER
    last = scope.opened + min(scope.room, together)
    names = dict.fromkeys(_chunk_name(scope.path, index) for index in range(scope.opened, last))
    keys = [(*run.key, name) for name in names]
    missing = [key for key in keys if key not in run.state.decoded and run.state.flow_values.get(key) is None]
    if missing:
        raise MoreWanted(flow_values=missing)


def decode_chunk(run: Run, name: str) -> list[object]:
    """Items that wait, decoded once for all that a batch does with them."""
    key = (*run.key, name)
    if key not in run.state.decoded:
        run.state.decoded[key] = decode(large_value(run, name))
    chunk = run.state.decoded[key]
    assert isinstance(chunk, list), "chunks are lists"
    return chunk


def _begin_frame(run: Run, draft: Draft, node: GraphNode, port: str) -> None:
    for edge in node.leaving(port):
        arrive(run, draft, edge, ENTRY)


def open_loop(run: Run, draft: Draft, key: VisitKey, value: object) -> None:
    """A scope whose only frame is the iteration that runs."""
    visit = draft.visits[key]
    node = run.graph.at(visit.node)
    parameters = node.parameters
    assert isinstance(parameters, LoopParameters)
    path = scope_path(draft.path, key, visit.tries)
    given = stored_output(run, draft, input_key(run, draft, visit))
    data = bytes_of(run, draft, given) if isinstance(value, Passed) else encode(value)
    scope = Scope(
        tenant=run.key[0],
        execution_id=run.key[1],
        path=path,
        visit=key,
        total=parameters.max_iterations,
        concurrency=1,
        tolerated=0,
        fail_fast=True,
        created_at=run.now,
        opened=1,
    )
    run.put_scope(scope, is_new=True)
    draft.put(key, replace(visit, status=VisitStatus.WAITING, awaits=path))
    _begin_frame(run, run.new_frame(path, 0, data), node, BODY)


# Ending.


def item_ended(run: Run, inner: Draft) -> None:
    """A frame has ended: its split or loop counts it, goes on, or ends as well."""
    path = inner.frame.scope
    scope = run.scope(path)
    outer, key = opener_of(path)
    draft = run.draft(outer)
    node = run.graph.at(draft.visits[key].node)
    bit = 1 << inner.frame.item_index
    failed = inner.frame.status is FrameStatus.FAILED
    scope = replace(scope, ended=scope.ended | bit, failed=scope.failed | bit if failed else scope.failed)
    run.put_scope(scope)
    if node.role is Role.LOOP:
        _iteration_ended(run, draft, key, node, inner, scope)
        return
    failures = scope.failed.bit_count()
    if scope.processed == scope.total or (scope.fail_fast and failures > scope.tolerated):
        _end_split(run, draft, key, node, scope)
    elif scope.room and not scope.ready:
        # If it is ready already, the pump is about to open more.
        run.put_scope(replace(scope, ready=True))
        run.opening.append(path)


def _end_split(run: Run, draft: Draft, key: VisitKey, node: GraphNode, scope: Scope) -> None:
    results = results_of(run, scope)
    close_scope(run, scope)
    _disarm(run, draft, key)
    if scope.failed.bit_count() > scope.tolerated:
        sight = scope_of(run, draft, draft.visits[key])
        first = next(each for each in results if each.status is FrameStatus.FAILED)
        conclude(run, draft, key, sight, NodeFailed(decode_halt(first.failure or b"").failure))
    else:
        _closed(run, draft, key, node, results)


def _disarm(run: Run, draft: Draft, key: VisitKey) -> None:
    visit = draft.visits[key]
    if visit.timer_id is not None:
        clocks.disarm(run, visit.timer_id)
        draft.put(key, replace(visit, timer_id=None, resume_at=None))


def find_scope(run: Run, path: ScopePath) -> Scope | None:
    """The scope that a visit has opened, if it has."""
    key = (*run.key, path)
    if key not in run.state.scopes.rows and key not in run.state.looked_for:
        raise MoreWanted(scopes=[key])
    return run.state.scopes.rows.get(key)


def close_scope(run: Run, scope: Scope) -> None:
    """Nothing of a scope counts any more; the pump ends what is still open in it."""
    left_over = scope.opened > scope.processed
    run.put_scope(replace(scope, closed_at=run.now, ready=left_over))


def results_of(run: Run, scope: Scope) -> list[ItemResult]:
    """How the items have ended that have, in their order."""
    key = (*run.key, scope.path)
    is_new = scope.path in run.new_scopes or key in run.state.scopes.created
    if not is_new and key not in run.state.item_results:
        raise MoreWanted(item_results=[key])
    found = {each.index: each for each in run.state.item_results.get(key, ())}
    frames = {path: row for path, row in run.state.frames.rows.items() if path[:3] == key}
    rows = [*frames.values(), *(each.frame for each in run.drafts.values() if each.frame.scope == scope.path)]
    for row in rows:
        if row.status is not FrameStatus.OPEN:
            found[row.item_index] = ItemResult(row.item_index, row.status, row.result, row.failure)
    return [found[index] for index in sorted(found)]


def _closed(
    run: Run, draft: Draft, key: VisitKey, node: GraphNode, results: list[ItemResult], port: str = MAIN
) -> None:
    """A split has ended well: its aggregate, if there is one, goes on with the results."""
    split = draft.visits[key]
    done = replace(split, status=VisitStatus.SUCCESS, ended_at=run.now, port=MAIN, awaits=None)
    draft.put(key, done)
    run.touch(draft)
    if node.closed_by is None:
        return
    aggregate = run.graph.node(node.closed_by)
    made = Visit(aggregate.index, NO_EDGE, (key,), VisitStatus.RUNNING, split.started_at, tries=draft.generation)
    aggregate_key = visit_key(aggregate, NO_EDGE, key) if "-" in key else str(aggregate.index)
    draft.put(aggregate_key, made)
    sight = scope_of(run, draft, made)
    outcome = aggregated(aggregate, sight, [_plain(each) for each in results], run.now)
    if isinstance(outcome, Emitted):
        outcome = replace(outcome, port=port)
    conclude(run, draft, aggregate_key, sight, outcome)


def close_again(run: Run, draft: Draft, key: VisitKey) -> None:
    """An aggregate that has failed is begun again, with the results that its split has had."""
    visit = draft.visits[key]
    scope = find_scope(run, scope_path(draft.path, key, visit.tries))
    results = [] if scope is None else results_of(run, scope)
    _closed(run, draft, key, run.graph.at(visit.node), results)


def _plain(result: ItemResult) -> Result:
    match result.status:
        case FrameStatus.SUCCESS:
            return Result(result.index, "success", decode(result.result or b"null"))
        case FrameStatus.FAILED:
            return Result(result.index, "failed", error=decode_halt(result.failure or b"").error)
        case _:
            return Result(result.index, "skipped")


def time_is_up(run: Run, draft: Draft, key: VisitKey) -> None:
    """The aggregate's timeout: the items that have not ended are skipped."""
    visit = draft.visits[key]
    node = run.graph.at(visit.node)
    scope = run.scope(visit.awaits or "")
    known = {each.index: each for each in results_of(run, scope)}
    results = [known.get(index, ItemResult(index, FrameStatus.SKIPPED, None, None)) for index in range(scope.total)]
    close_scope(run, scope)
    draft.put(key, replace(visit, timer_id=None, resume_at=None))
    assert node.closed_by is not None, "only aggregates have this timer"
    port = TIMEOUT if run.graph.node(node.closed_by).leaving(TIMEOUT) else MAIN
    _closed(run, draft, key, node, results, port)


# Loops.


def _iteration_ended(run: Run, draft: Draft, key: VisitKey, node: GraphNode, inner: Draft, scope: Scope) -> None:
    entry = scope_of(run, draft, draft.visits[key])
    if inner.frame.status is FrameStatus.FAILED:
        close_scope(run, scope)
        conclude(run, draft, key, entry, NodeFailed(decode_halt(inner.frame.failure or b"").failure))
        return
    looks = run.graph.uses(node, "json")
    came_back = inner.frame.result
    data = inner.frame.item if came_back is None else came_back
    value: object = decode(data) if looks else Passed()
    iteration = inner.frame.item_index + 1
    outcome: IterationStarted | Emitted | NodeFailed
    if came_back is None:
        outcome = left_early(node, entry, value, run.now)
    else:
        outcome = repeated(node, entry, value, iteration, run.now)
    if isinstance(outcome, IterationStarted):
        run.put_scope(replace(scope, opened=iteration + 1))
        again = data if outcome.output is value else encode(outcome.output)
        _begin_frame(run, run.new_frame(scope.path, iteration, again), node, BODY)
        return
    close_scope(run, scope)
    unchanged = isinstance(outcome, Emitted) and outcome.output is value
    known = {id(value): store_bytes(run, draft, key, data)} if unchanged else None
    conclude(run, draft, key, entry, outcome, known)
