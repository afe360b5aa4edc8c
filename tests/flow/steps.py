"""Evaluating one node on its own."""

from collections.abc import Mapping

from holdfast.engine.flow.definition import NodeId
from holdfast.engine.flow.evaluation import evaluate
from holdfast.engine.flow.expressions.frame import MISSING, Budget, Frame, Scope
from holdfast.engine.flow.expressions.templates import template
from holdfast.engine.flow.graph import GraphNode
from holdfast.engine.flow.loading import load
from holdfast.engine.flow.outcomes import Emitted, NodeFailed, Outcome
from holdfast.model.failures import Failure
from holdfast.model.instants import Instant
from tests.flow.sketches import sketch

NOW = Instant(1_790_000_000_000)
"""2026-09-21T14:13:20Z"""


def node(kind: str, *edges: str, **parameters: object) -> GraphNode:
    """A node `it`, with the edges that are asked for; `more` has other fields of it than its parameters."""
    more = parameters.pop("more", {})
    assert isinstance(more, dict)
    graph = load(sketch({"it": (kind, parameters, more), "x": "log", "y": "log"}, *edges))
    return graph.nodes[NodeId("it")]


def outcome_of(kind: str, *edges: str, json: object = None, **parameters: object) -> Outcome:
    """What the node asks for with this input."""
    return evaluate(node(kind, *edges, **parameters), Scope(json=json), NOW)


def emitted(kind: str, *edges: str, json: object = None, **parameters: object) -> Emitted:
    """What the node gives, which must not fail."""
    outcome = outcome_of(kind, *edges, json=json, **parameters)
    assert isinstance(outcome, Emitted), outcome
    return outcome


def output(kind: str, *edges: str, json: object = None, **parameters: object) -> object:
    return emitted(kind, *edges, json=json, **parameters).output


def failure(kind: str, *edges: str, json: object = None, **parameters: object) -> Failure:
    """How the node fails."""
    outcome = outcome_of(kind, *edges, json=json, **parameters)
    assert isinstance(outcome, NodeFailed), outcome
    return outcome.failure


def value_of(
    expression: object,
    json: object = None,
    outputs: Mapping[str, object] | None = None,
    *,
    item: object = MISSING,
    budget: Budget | None = None,
) -> object:
    """What an expression gives in the parameters of a node that follows others of the given names."""
    names = {name: NodeId(f"n{index}") for index, name in enumerate(outputs or {})}
    scope = Scope(json=json, outputs={names[name]: value for name, value in (outputs or {}).items()}, item=item)
    return template(expression).evaluate(Frame(scope, names, NOW, budget or Budget()))
