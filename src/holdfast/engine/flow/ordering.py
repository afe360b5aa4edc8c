"""In which order nodes can follow each other, and where edges go round in a circle."""

from collections.abc import Mapping, Sequence

from holdfast.engine.flow.definition import Edge, NodeId
from holdfast.engine.flow.parts import Part
from holdfast.engine.flow.problems import Problems

Ways = Mapping[NodeId, Sequence[int]]
"""Indexes of edges, by node."""


def ways_of(nodes: Sequence[NodeId], edges: Sequence[Edge]) -> tuple[Ways, Ways]:
    """The edges into and out of each node."""
    incoming: dict[NodeId, list[int]] = {node: [] for node in nodes}
    outgoing: dict[NodeId, list[int]] = {node: [] for node in nodes}
    for index, edge in enumerate(edges):
        incoming[edge.dst].append(index)
        outgoing[edge.src].append(index)
    return incoming, outgoing


def edges_back(loop: NodeId, inner_port: str, edges: Sequence[Edge], incoming: Ways, outgoing: Ways) -> set[int]:
    """The edges that lead from a loop's body back into it."""
    body: set[NodeId] = set()
    waiting = [edges[index].dst for index in outgoing[loop] if edges[index].port == inner_port]
    while waiting:
        node = waiting.pop()
        if node != loop and node not in body:
            body.add(node)
            waiting.extend(edges[index].dst for index in outgoing[node])
    return {
        index
        for index in incoming[loop]
        if edges[index].src in body or (edges[index].src == loop and edges[index].port == inner_port)
    }


def ordered(
    nodes: Sequence[NodeId], edges: Sequence[Edge], repeating: frozenset[int], incoming: Ways, outgoing: Ways
) -> list[NodeId]:
    """The nodes, each after all that lead to it; those in or behind a circle are missing."""
    open_edges = {node: sum(index not in repeating for index in incoming[node]) for node in nodes}
    ready = [node for node in nodes if not open_edges[node]]
    for node in ready:
        for index in outgoing[node]:
            if index in repeating:
                continue
            following = edges[index].dst
            open_edges[following] -= 1
            if not open_edges[following]:
                ready.append(following)
    return ready


def report_circle(
    left: Sequence[NodeId], edges: Sequence[Edge], incoming: Ways, parts: Mapping[NodeId, Part], problems: Problems
) -> None:
    """Name one circle among the nodes that could not be put in order."""
    remaining = set(left)
    node = left[0]
    walked: dict[NodeId, int] = {}
    while node not in walked:
        walked[node] = len(walked)
        node = next(edges[index].src for index in incoming[node] if edges[index].src in remaining)
    circle = list(walked)[walked[node] :][::-1]
    round_trip = " → ".join(repr(parts[each].written.name) for each in (circle[-1], *circle))
    problems.add(
        parts[circle[-1]].path,
        "CYCLE",
        f"the edges go round: {round_trip}; only a loop node may repeat, through an edge from its body back into it",
    )
