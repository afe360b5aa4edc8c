"""From JSON to a sound graph, or to everything that is wrong with it.

First each node and edge is read by itself; only if all of them are sound are they joined up and judged as a whole.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from holdfast.engine.flow.definition import (
    ERROR,
    MAX_DEFINITION_BYTES,
    MAX_DESCRIPTION,
    MAX_EDGES,
    MAX_LOOPS,
    MAX_NODES,
    Edge,
    FlowDefinition,
    NodeId,
)
from holdfast.engine.flow.graph import Graph, GraphEdge, GraphNode
from holdfast.engine.flow.nodes.parameters import Role
from holdfast.engine.flow.ordering import edges_back, ordered, report_circle, ways_of
from holdfast.engine.flow.parts import Part, check_id, check_port, read_edges, read_nodes
from holdfast.engine.flow.problems import Problems
from holdfast.engine.flow.reachability import Reachability
from holdfast.engine.flow.reading import read_struct
from holdfast.engine.flow.references import check_references
from holdfast.engine.flow.scopes import Joined, Scopes, scopes_of
from holdfast.model.errors import PayloadTooLarge

UNNAMED = "(unnamed)"


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A definition, of which only the outermost level has been read."""

    name: str
    nodes: list[object]
    edges: list[object] = []
    description: str = ""


def load_json(data: bytes) -> Graph:
    """The graph that a definition in JSON describes; InvalidFlow with all its problems if it is not sound."""
    if len(data) > MAX_DEFINITION_BYTES:
        raise PayloadTooLarge("the definition of a flow", len(data), MAX_DEFINITION_BYTES)
    problems = Problems()
    given: object = None
    try:
        given = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        problems.add("$", "JSON", f"is not JSON: {error}")
    problems.raise_if_any(UNNAMED)
    return load(given)


def load(given: object) -> Graph:
    """The graph that a definition describes; InvalidFlow with all its problems if it is not sound."""
    problems = Problems()
    header = read_struct(Header, given, "$", problems)
    problems.raise_if_any(_name_of(given))
    assert header is not None
    _check_size(header, problems)
    problems.raise_if_any(header.name)
    check_id(header.name, "the name of a flow", "name", problems)
    parts, paths = read_nodes(header.nodes, problems)
    edges = read_edges(header.edges, paths, problems)
    problems.raise_if_any(header.name)
    for index, edge in enumerate(edges):
        check_port(edge, f"edges[{index}]", parts[edge.src], problems)
    joined = _joined(parts, edges, problems)
    _check_ways_out(joined, problems)
    problems.raise_if_any(header.name)
    scopes = scopes_of(joined, problems)
    problems.raise_if_any(header.name)
    nodes = tuple(part.written for part in parts.values())
    definition = FlowDefinition(header.name, nodes, tuple(edges), header.description)
    graph = _graph(definition, joined, scopes)
    check_references(graph, problems)
    problems.raise_if_any(header.name)
    return graph


def _name_of(given: object) -> str:
    name = given.get("name") if isinstance(given, Mapping) else None
    return name if isinstance(name, str) else UNNAMED


def _check_size(header: Header, problems: Problems) -> None:
    if len(header.description) > MAX_DESCRIPTION:
        problems.add("description", "TOO_LONG", f"must be at most {MAX_DESCRIPTION:,} characters")
    if not header.nodes:
        problems.add("nodes", "EMPTY", "a flow needs at least one node")
    for what, found, limit in (("nodes", header.nodes, MAX_NODES), ("edges", header.edges, MAX_EDGES)):
        if len(found) > limit:
            problems.add(what, "TOO_MANY", f"there are {len(found):,} {what}; {limit:,} is all; make parts of it flows")


def _joined(parts: Mapping[NodeId, Part], edges: Sequence[Edge], problems: Problems) -> Joined:
    ids = list(parts)
    incoming, outgoing = ways_of(ids, edges)
    loops = {node: part.parameters.inner_port for node, part in parts.items() if part.parameters.role is Role.LOOP}
    if len(loops) > MAX_LOOPS:
        problems.add("nodes", "TOO_MANY", f"there are {len(loops)} loops; {MAX_LOOPS} is all; make parts of it flows")
        loops = {}
    repeating: set[int] = set()
    for loop, port in loops.items():
        repeating |= edges_back(loop, str(port), edges, incoming, outgoing)
    frozen = frozenset(repeating)
    order = ordered(ids, edges, frozen, incoming, outgoing)
    if len(order) < len(ids):
        done = set(order)
        report_circle([node for node in ids if node not in done], edges, incoming, parts, problems)
    return Joined(parts, edges, frozen, order, incoming, outgoing)


def _check_ways_out(joined: Joined, problems: Problems) -> None:
    for node, part in joined.parts.items():
        written, parameters = part.written, part.parameters
        if (parameters.role is Role.TRIGGER or written.trigger) and joined.incoming[node]:
            problems.add(part.path, "TRIGGER", f"{written.name!r} is a trigger: no edge can lead to it")
        leaves = {joined.edges[index].port for index in joined.outgoing[node]}
        if written.error.type == "branch" and ERROR not in leaves:
            problems.add(f"{part.path}.error", "ERROR_EDGE", "the strategy 'branch' needs an edge with port 'error'")
        inner = parameters.inner_port
        if inner is not None and inner not in leaves:
            problems.add(part.path, "EMPTY_SCOPE", f"{written.name!r} leads nowhere: it needs an edge by {inner!r}")


def _graph(definition: FlowDefinition, joined: Joined, scopes: Scopes) -> Graph:
    edges = tuple(
        GraphEdge(edge.id, index, edge.src, edge.dst, edge.port, index in joined.repeating)
        for index, edge in enumerate(joined.edges)
    )
    reach = Reachability(joined, scopes)
    names = {node.id: node.id for node in definition.nodes} | {node.name: node.id for node in definition.nodes}
    closed_by = {split: aggregate for aggregate, split in scopes.closes.items()}
    nodes = {
        node.id: GraphNode(
            written=node,
            index=index,
            parameters=joined.parts[node.id].parameters,
            incoming=tuple(edges[i] for i in joined.incoming[node.id]),
            outgoing=_by_port([edges[i] for i in joined.outgoing[node.id]]),
            scopes=scopes.stacks[node.id],
            closes=scopes.closes.get(node.id),
            closed_by=closed_by.get(node.id),
            awaits=reach.awaits(node.id),
            visible=reach.visible(node.id),
            names=names,
            output=joined.parts[node.id].output,
        )
        for index, node in enumerate(definition.nodes)
    }
    entries = _entries(nodes.values())
    reached = reach.reached_from(entries)
    return Graph(
        definition=definition,
        nodes=nodes,
        edges=edges,
        order=tuple(joined.order),
        entries=entries,
        results=tuple(node.id for node in nodes.values() if not node.scopes and node.ends),
        unreachable=tuple(node for node in nodes if node not in reached),
    )


def _by_port(edges: Sequence[GraphEdge]) -> dict[str, tuple[GraphEdge, ...]]:
    ports = dict.fromkeys(edge.port for edge in edges)
    return {port: tuple(edge for edge in edges if edge.port == port) for port in ports}


def _entries(nodes: Iterable[GraphNode]) -> tuple[NodeId, ...]:
    nodes = tuple(nodes)
    triggers = tuple(node.id for node in nodes if node.written.trigger or node.role is Role.TRIGGER)
    return triggers or tuple(node.id for node in nodes if all(edge.repeats for edge in node.incoming))
