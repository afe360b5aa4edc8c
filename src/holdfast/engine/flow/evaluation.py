"""The step of one node: what it asks for when a token reaches it, and what follows when that has come about.

Nothing here does I/O or reads a clock: the data, the instant and the budget are given, so the same step gives the same
outcome again. A node that cannot be evaluated gives NodeFailed; `after_failure` turns that into what follows.
"""

from collections.abc import Mapping, Sequence

import msgspec

from holdfast.engine.flow.definition import ERROR, TIMEOUT, NodeId
from holdfast.engine.flow.expressions.failures import BudgetExceeded, EvaluationError
from holdfast.engine.flow.expressions.frame import Budget, Frame, Scope
from holdfast.engine.flow.graph import Graph, GraphNode
from holdfast.engine.flow.nodes.fan_out import AggregateParameters, ItemResult, LoopParameters, MergeParameters
from holdfast.engine.flow.outcomes import Emitted, Halted, IterationStarted, NodeFailed, Outcome
from holdfast.model.failures import Failure
from holdfast.model.instants import Instant

MAX_DEPTH = 100
"""How deep an output may nest: as deep as every store and wire can carry."""
NODE_TIMED_OUT = "NODE_TIMED_OUT"
NOWHERE = ""
"""A port that has no edges: the token ends."""


def evaluate(node: GraphNode, scope: Scope, now: Instant, budget: Budget | None = None) -> Outcome:
    """What the node asks for when a token with this data has reached it.

    Of a parked condition: evaluated again, it gives Emitted once it holds; the timeout of the first Parked counts on.
    """
    frame = Frame(scope, node.names, now, budget or Budget())
    try:
        if isinstance(node.parameters, LoopParameters):
            return _shaped(node, node.parameters.iterate(frame, frame, 0), frame)
        return _shaped(node, node.parameters.evaluate(frame), frame)
    except EvaluationError as error:
        return NodeFailed(failure_of(node, error))


def completed(node: GraphNode, scope: Scope, result: object, now: Instant) -> Emitted | NodeFailed:
    """What follows when that which the node waited for (work, a person, a signal, a time) has given its result."""
    frame = Frame(scope, node.names, now, Budget())
    try:
        return _emitted(node, node.parameters.completed(frame, result), frame)
    except EvaluationError as error:
        return NodeFailed(failure_of(node, error))


def timed_out(node: GraphNode, scope: Scope) -> Emitted | NodeFailed:
    """What follows when a node's time is up: its input leaves by the timeout edge; without one the node fails."""
    if node.leaving(TIMEOUT):
        return Emitted(scope.json, TIMEOUT)
    return NodeFailed(Failure(NODE_TIMED_OUT, f"node {node.name!r}: its time is up", retryable=False))


def repeated(
    node: GraphNode, entry: Scope, value: object, iteration: int, now: Instant
) -> IterationStarted | Emitted | NodeFailed:
    """What a loop does when an iteration has ended with a value; `iteration` is the number of those that have ended.

    `entry` is the scope that the loop was entered with. An iteration of which no token came back gives the value that
    it was started with, and ends the loop: `left_early` says how.
    """
    assert isinstance(node.parameters, LoopParameters)
    scope = msgspec.structs.replace(entry, json=value, index=iteration)
    budget = Budget()
    frame = Frame(scope, node.names, now, budget)
    try:
        outcome = node.parameters.iterate(Frame(entry, node.names, now, budget), frame, iteration)
        return outcome if isinstance(outcome, IterationStarted) else _emitted(node, outcome, frame)
    except EvaluationError as error:
        return NodeFailed(failure_of(node, error))


def left_early(node: GraphNode, entry: Scope, value: object, now: Instant) -> Emitted | NodeFailed:
    """What a loop does when no token of an iteration has come back: it goes on with the last value."""
    return completed(node, entry, value, now)


def merged(node: GraphNode, scope: Scope, arrivals: Sequence[tuple[str, object]], now: Instant) -> Emitted | NodeFailed:
    """What a merge gives for the values that came, with the name of the sending node, in the order of the edges."""
    assert isinstance(node.parameters, MergeParameters)
    frame = Frame(scope, node.names, now, Budget())
    try:
        return _emitted(node, Emitted(node.parameters.combined(arrivals)), frame)
    except EvaluationError as error:
        return NodeFailed(failure_of(node, error))


def aggregated(node: GraphNode, scope: Scope, results: Sequence[ItemResult], now: Instant) -> Emitted | NodeFailed:
    """What an aggregate gives for the results of all items, in the order of the items; `scope` is that of the split."""
    assert isinstance(node.parameters, AggregateParameters)
    frame = Frame(scope, node.names, now, Budget())
    try:
        return _emitted(node, Emitted(node.parameters.collected(results)), frame)
    except EvaluationError as error:
        return NodeFailed(failure_of(node, error))


def after_failure(node: GraphNode, failure: Failure, scope: Scope) -> Emitted | Halted:
    """What follows a failure for good: by the node's error strategy, the token goes on or the failure goes up."""
    match node.error.type:
        case "halt":
            return Halted(failure, node.id)
        case "ignore":
            return Emitted(None, node.parameters.ignored_port or NOWHERE)
        case _:
            return Emitted(scope.json, ERROR, error=error_data(node, failure))


def error_data(node: GraphNode, failure: Failure) -> dict[str, object]:
    """What `$error` is: plain data about the failure."""
    data: dict[str, object] = {"node": node.name, "type": failure.type, "message": failure.message}
    return data | ({"attempts": failure.attempts} if failure.attempts else {})


def run_output(graph: Graph, outputs: Mapping[NodeId, object]) -> object:
    """The output of a run: that of its only result node, or an object of all that ran, by name."""
    if len(graph.results) == 1:
        return outputs.get(graph.results[0])
    return {graph.nodes[node].name: outputs[node] for node in graph.results if node in outputs}


def _shaped(node: GraphNode, outcome: Outcome, frame: Frame) -> Outcome:
    return _emitted(node, outcome, frame) if isinstance(outcome, Emitted) else outcome


def _emitted(node: GraphNode, emitted: Emitted, frame: Frame) -> Emitted:
    """The output as the node's `output` template makes it, if there is one."""
    if node.output is not None:
        inner = Frame(msgspec.structs.replace(frame.scope, json=emitted.output), frame.names, frame.now, frame.budget)
        emitted = msgspec.structs.replace(emitted, output=node.output.evaluate(inner))
    if emitted.output is not frame.scope.json:
        check_depth(emitted.output)
    return emitted


def check_depth(value: object) -> None:
    """Refuse an output that nests deeper than can be stored."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for each in level if isinstance(each, dict | list) for child in _children(each)]
        if not level:
            return
    raise BudgetExceeded(f"its output nests deeper than {MAX_DEPTH} levels")


def _children(value: dict[str, object] | list[object]) -> Sequence[object]:
    return list(value.values()) if isinstance(value, dict) else value


def failure_of(node: GraphNode, error: EvaluationError) -> Failure:
    """The failure of a node whose parameters have no value; trying again would not help."""
    place = f" (in {error.source})" if error.source else ""
    return Failure(error.type, f"node {node.name!r}: {error}{place}", retryable=False)
