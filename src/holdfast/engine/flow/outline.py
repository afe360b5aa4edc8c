"""What can be told of a definition that is still being written: what is wrong with it, and what is sound already."""

from collections.abc import Mapping

import msgspec

from holdfast.engine.flow.definition import ERROR
from holdfast.engine.flow.graph import Graph, GraphNode
from holdfast.engine.flow.loading import load
from holdfast.engine.flow.nodes.parameters import Role
from holdfast.engine.flow.parts import Part, read_nodes
from holdfast.engine.flow.problems import Problems
from holdfast.model.errors import FlowProblem, InvalidFlow


class NodeOutline(msgspec.Struct, frozen=True):
    """A node that is sound in itself. Where it stands is known once the whole flow is sound."""

    id: str
    role: Role
    ports: tuple[str, ...]
    """By which edges may leave it."""
    inner_port: str | None
    """The one that leads into the scope that it opens."""
    scopes: tuple[str, ...] = ()
    """The splits and loops around it, outermost first."""
    closes: str | None = None
    """Of an aggregate: its split."""


class Outline(msgspec.Struct, frozen=True):
    """A definition as an editor sees it."""

    problems: tuple[FlowProblem, ...]
    more: int
    """How many problems are not listed."""
    nodes: tuple[NodeOutline, ...]
    unreachable: tuple[str, ...] = ()


def outline(given: object) -> Outline:
    """What there is to tell of a definition, sound or not."""
    try:
        graph = load(given)
    except InvalidFlow as error:
        return Outline(error.problems, error.more, tuple(_of_part(part) for part in _parts(given)))
    return outline_of(graph)


def outline_of(graph: Graph) -> Outline:
    """The outline of a sound flow."""
    return Outline((), 0, tuple(_of_node(node) for node in graph.nodes.values()), graph.unreachable)


def _parts(given: object) -> list[Part]:
    nodes = given.get("nodes") if isinstance(given, Mapping) else None
    parts, _ = read_nodes(nodes if isinstance(nodes, list) else [], Problems())
    return list(parts.values())


def _of_part(part: Part) -> NodeOutline:
    parameters = part.parameters
    ports = parameters.ports()
    if part.written.error.type == "branch":
        ports = (*ports, ERROR)
    return NodeOutline(part.written.id, parameters.role, ports, parameters.inner_port)


def _of_node(node: GraphNode) -> NodeOutline:
    part = Part("", node.written, node.parameters, node.output)
    return msgspec.structs.replace(_of_part(part), scopes=node.scopes, closes=node.closes)
