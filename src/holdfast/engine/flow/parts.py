"""Nodes and edges, each read and judged by itself."""

from collections.abc import Mapping, Sequence

import msgspec

from holdfast.engine.flow.catalogue import BUILT_IN
from holdfast.engine.flow.custom import read_custom
from holdfast.engine.flow.definition import ERROR, MAX_NAME, Edge, Node, NodeId
from holdfast.engine.flow.expressions.syntax import Expression
from holdfast.engine.flow.expressions.templates import TemplateProblem, template
from holdfast.engine.flow.nodes.parameters import Parameters, Role
from holdfast.engine.flow.problems import Problems, hint
from holdfast.engine.flow.reading import read_struct
from holdfast.model.errors import InvalidId, shown
from holdfast.model.flows import NODE_TASK
from holdfast.model.ids import checked_id


class Part(msgspec.Struct, frozen=True):
    """A node that is sound in itself."""

    path: str
    written: Node
    parameters: Parameters
    output: Expression | None


def check_id(text: str, what: str, path: str, problems: Problems) -> None:
    """Report an id that is none."""
    try:
        checked_id(text, what)
    except InvalidId as error:
        problems.add(path, "ID", str(error))


# Nodes


def read_nodes(given: Sequence[object], problems: Problems) -> tuple[dict[NodeId, Part], dict[NodeId, str]]:
    """The nodes that are sound, and the ids and paths of all that could be read at all."""
    parts: dict[NodeId, Part] = {}
    paths: dict[NodeId, str] = {}
    names: dict[str, str] = {}
    for index, each in enumerate(given):
        path = f"nodes[{index}]"
        node = read_struct(Node, each, path, problems)
        if node is None:
            continue
        node = msgspec.structs.replace(node, name=node.name or node.id)
        check_id(node.id, "the id of a node", f"{path}.id", problems)
        _check_name(node.name, names.setdefault(node.name, path), path, problems)
        if paths.setdefault(node.id, path) != path:
            problems.add(f"{path}.id", "DUPLICATE", f"{shown(node.id)} is the id of {paths[node.id]} already")
            continue
        parameters, output = _read_parameters(node, path, problems), _read_output(node, path, problems)
        if parameters is not None:
            parts[node.id] = Part(path, node, parameters, output)
    return parts, paths


def _check_name(name: str, first: str, path: str, problems: Problems) -> None:
    if len(name) > MAX_NAME or not name.isprintable() or name != name.strip():
        problems.add(f"{path}.name", "NAME", f"must be 1 to {MAX_NAME} printable characters, no spaces around")
    if first != path:
        problems.add(f"{path}.name", "DUPLICATE", f"{shown(name)} is the name of {first} already")


def _read_parameters(node: Node, path: str, problems: Problems) -> Parameters | None:
    if node.type.startswith(NODE_TASK):
        return read_custom(node, path, problems)
    model = BUILT_IN.get(node.type)
    if model is None:
        near = hint(node.type, BUILT_IN, f"; there are {', '.join(BUILT_IN)}")
        problems.add(f"{path}.type", "UNKNOWN_TYPE", f"there is no node type {shown(node.type)}{near}")
        return None
    read = read_struct(model, node.parameters, f"{path}.parameters", problems)
    if read is not None:
        for field, objection in read.objections():
            problems.add(f"{path}.parameters.{field}", "INVALID", objection)
        if read.role is Role.SPLIT and node.error.type == "ignore":
            problems.add(f"{path}.error.type", "INVALID", "a split bears failed items by tolerated_failures: '100%'")
    return read


def _read_output(node: Node, path: str, problems: Problems) -> Expression | None:
    if not node.output:
        return None
    try:
        return template(node.output)
    except TemplateProblem as error:
        problems.add(f"{path}.output{error.path}", "INVALID", error.problem)
        return None


# Edges


def read_edges(given: Sequence[object], nodes: Mapping[NodeId, str], problems: Problems) -> list[Edge]:
    """The edges that can be read; those whose ends are no nodes are reported."""
    edges: list[Edge] = []
    places: dict[str, str] = {}
    for index, each in enumerate(given):
        path = f"edges[{index}]"
        edge = read_struct(Edge, each, path, problems)
        if edge is None:
            continue
        check_id(edge.id, "the id of an edge", f"{path}.id", problems)
        first = places.setdefault(edge.id, path)
        if first != path:
            problems.add(f"{path}.id", "DUPLICATE", f"{shown(edge.id)} is the id of {first} already")
        for field, end in (("src", edge.src), ("dst", edge.dst)):
            if end not in nodes:
                problems.add(f"{path}.{field}", "DANGLING", f"there is no node {shown(end)}{hint(end, nodes)}")
        edges.append(edge)
    return edges


def check_port(edge: Edge, path: str, source: Part, problems: Problems) -> None:
    """Report an edge that no token could ever take."""
    name, strategy, ports = source.written.name, source.written.error.type, source.parameters.ports()
    if edge.port == ERROR:
        if strategy != "branch":
            problems.add(
                f"{path}.port",
                "PORT",
                f"the error edge of {name!r} would never be taken: its error strategy is {strategy!r}, not 'branch'",
            )
    elif edge.port not in ports:
        near = hint(edge.port, ports, f"; there are {', '.join(ports)}")
        problems.add(f"{path}.port", "PORT", f"{name!r} has no port {shown(edge.port)}{near}")
