"""Which splits and loops stand around each node, decided from the graph alone.

Edges are walked from the nodes that nothing leads to, each node after all that lead to it. The scopes that an edge
carries are those of its source, plus the source if the edge leaves by the port into what it opens. All edges into a
node must carry the same; an aggregate takes the innermost away.
"""

from collections.abc import Mapping, Sequence

import msgspec

from holdfast.engine.flow.definition import MAX_SCOPES, Edge, NodeId
from holdfast.engine.flow.nodes.parameters import Role
from holdfast.engine.flow.parts import Part
from holdfast.engine.flow.problems import Problems

Stack = tuple[NodeId, ...]


class Joined(msgspec.Struct, frozen=True):
    """Nodes and edges by id and place, before anything is known of scopes."""

    parts: Mapping[NodeId, Part]
    edges: Sequence[Edge]
    repeating: frozenset[int]
    """The indexes of the edges that lead from a loop's body back into it."""
    order: Sequence[NodeId]
    incoming: Mapping[NodeId, Sequence[int]]
    """By index; so are `outgoing`."""
    outgoing: Mapping[NodeId, Sequence[int]]

    def named(self, node: NodeId) -> str:
        return repr(self.parts[node].written.name)

    def opens(self, edge: Edge) -> bool:
        return edge.port == self.parts[edge.src].parameters.inner_port


class Scopes(msgspec.Struct, frozen=True):
    """What was found."""

    stacks: dict[NodeId, Stack]
    closes: dict[NodeId, NodeId]
    """The split that each aggregate closes."""


def scopes_of(graph: Joined, problems: Problems) -> Scopes:
    """The scopes of every node; a node whose edges disagree is reported, and goes on with the first."""
    found = Scopes({}, {})
    for node in graph.order:
        carried = [
            (edge, _carried(graph, edge, found.stacks[edge.src]))
            for edge in (graph.edges[index] for index in graph.incoming[node] if index not in graph.repeating)
        ]
        stack = carried[0][1] if carried else ()
        for edge, other in carried[1:]:
            if other != stack:
                problems.add(
                    graph.parts[node].path, "SCOPE", _disagreement(graph, node, carried[0][0], stack, edge, other)
                )
        if graph.parts[node].parameters.role is Role.AGGREGATE:
            stack = _closed(graph, node, stack, found, problems)
        if len(stack) > MAX_SCOPES:
            problems.add(
                graph.parts[node].path, "TOO_DEEP", f"stands in {len(stack)} splits and loops; {MAX_SCOPES} is all"
            )
        found.stacks[node] = stack
    _check_ways_back(graph, found, problems)
    return found


def _carried(graph: Joined, edge: Edge, stack: Stack) -> Stack:
    return (*stack, edge.src) if graph.opens(edge) else stack


def _closed(graph: Joined, node: NodeId, stack: Stack, found: Scopes, problems: Problems) -> Stack:
    if not stack:
        problems.add(graph.parts[node].path, "SCOPE", f"{graph.named(node)} has no split to close: none is open here")
        return stack
    scope = stack[-1]
    if graph.parts[scope].parameters.role is not Role.SPLIT:
        problems.add(
            graph.parts[node].path,
            "SCOPE",
            f"{graph.named(node)} would close the loop {graph.named(scope)}; only an edge back into the loop does that",
        )
    elif scope in found.closes.values():
        other = next(aggregate for aggregate, split in found.closes.items() if split == scope)
        problems.add(
            graph.parts[node].path,
            "SCOPE",
            f"the split {graph.named(scope)} is closed twice, by {graph.named(other)} and by {graph.named(node)}; "
            "join the branches first, with a merge",
        )
    else:
        found.closes[node] = scope
    return stack[:-1]


def _disagreement(graph: Joined, node: NodeId, first: Edge, stack: Stack, edge: Edge, other: Stack) -> str:
    return (
        f"{graph.named(node)} is reached {_place(graph, stack)} (from {graph.named(first.src)}) and "
        f"{_place(graph, other)} (from {graph.named(edge.src)}); close the inner scope before they meet"
    )


def _place(graph: Joined, stack: Stack) -> str:
    if not stack:
        return "outside of all scopes"
    return "inside of " + " in ".join(graph.named(scope) for scope in reversed(stack))


def _check_ways_back(graph: Joined, found: Scopes, problems: Problems) -> None:
    for index in sorted(graph.repeating):
        edge = graph.edges[index]
        carried = _carried(graph, edge, found.stacks[edge.src])
        if carried != (*found.stacks[edge.dst], edge.dst):
            problems.add(
                f"edges[{index}]",
                "SCOPE",
                f"leads back into the loop {graph.named(edge.dst)} from {_place(graph, carried)}; "
                "close the inner scope first",
            )
