"""Graphs that others have written: brought into the form of a definition, and told what was assumed.

Nothing is guessed about what a node does: only names of fields and of types are translated, and what may be left out is
filled in. Whether the result is sound, `load` judges.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from holdfast.engine.flow.definition import Edge, Node
from holdfast.model.errors import InvalidArgument, shown

WRAPPERS: Final = ("definition", "graph", "workflow", "flow", "data")
NODE_FIELDS: Final = {
    "label": "name",
    "title": "name",
    "params": "parameters",
    "config": "parameters",
    "data": "parameters",
}
EDGE_FIELDS: Final = {
    "source": "src", "from": "src", "target": "dst", "to": "dst", "sourceHandle": "port", "source_port": "port",
    "branch": "port",
}  # fmt: skip
TYPES: Final = {
    "if": "conditional", "condition": "conditional", "email": "smtp", "mail": "smtp", "delay": "wait", "sleep": "wait",
    "set": "edit", "http_request": "http", "request": "http", "approval": "human", "subflow": "flow",
    "sub_flow": "flow", "start": "manual", "trigger": "manual", "for_each": "split", "collect": "aggregate",
    "datetime": "date_time", "cron": "schedule",
}  # fmt: skip

_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9._:/@=+~#-]+")


class Imported(msgspec.Struct, frozen=True):
    """A definition, and what was assumed to make it of what was given."""

    definition: dict[str, object]
    assumptions: tuple[str, ...]


def imported(given: object, name: str) -> Imported:
    """The definition that a graph means; `name` is for one that does not say its own."""
    assumed: list[str] = []
    graph = _unwrapped(given, assumed)
    nodes = [_node(each, index, assumed) for index, each in enumerate(_listed(graph.get("nodes"), assumed))]
    found = graph.get("edges", graph.get("connections", graph.get("links", [])))
    edges = [_edge(each, index, assumed) for index, each in enumerate(found if isinstance(found, list) else [])]
    own = graph.get("name")
    if not isinstance(own, str) or not _slug(own):
        assumed.append(f"the flow has no name: it is called {name!r}")
        own = name
    elif _slug(own) != own:
        assumed.append(f"the name {shown(own)} cannot be one here: it is called {_slug(own)!r}")
    definition: dict[str, object] = {"name": _slug(own), "nodes": nodes, "edges": edges}
    if isinstance(graph.get("description"), str):
        definition["description"] = graph["description"]
    return Imported(definition, tuple(assumed))


def _unwrapped(given: object, assumed: list[str]) -> Mapping[str, object]:
    while isinstance(given, Mapping) and "nodes" not in given:
        wrapper = next((each for each in WRAPPERS if isinstance(given.get(each), Mapping)), None)
        if wrapper is None:
            break
        assumed.append(f"the graph is what stands in {wrapper!r}")
        inner = given[wrapper]
        given = inner if "name" in inner or "name" not in given else {**inner, "name": given["name"]}
    if not isinstance(given, Mapping) or "nodes" not in given:
        raise InvalidArgument("this is no graph: it is no object with nodes")
    return given


def _listed(nodes: object, assumed: list[str]) -> Sequence[object]:
    if isinstance(nodes, Mapping):
        assumed.append("nodes are an object: its keys are their ids")
        return [{"id": key, **each} if isinstance(each, Mapping) else each for key, each in nodes.items()]
    return nodes if isinstance(nodes, list) else []


def _node(given: object, index: int, assumed: list[str]) -> object:
    if not isinstance(given, Mapping):
        return given
    where = f"nodes[{index}]"
    node = _renamed(given, NODE_FIELDS, where, assumed)
    _drop_empty(node)
    if not isinstance(node.get("id"), str):
        made = str(node["id"]) if "id" in node else _slug(str(node.get("name", ""))) or f"node-{index + 1}"
        assumed.append(f"{where}: its id is {made!r}")
        node["id"] = made
    kind = node.get("type")
    if isinstance(kind, str) and kind in TYPES:
        assumed.append(f"{where}: type {kind!r} is {TYPES[kind]!r}")
        node["type"] = TYPES[kind]
    if isinstance(node.get("error"), str):
        node["error"] = {"type": node["error"]}
    return _known_fields(node, Node, where, assumed)


def _edge(given: object, index: int, assumed: list[str]) -> object:
    if not isinstance(given, Mapping):
        return given
    where = f"edges[{index}]"
    edge = _renamed(given, EDGE_FIELDS, where, assumed)
    _drop_empty(edge)
    for end in ("src", "dst"):
        if isinstance(edge.get(end), int):
            edge[end] = str(edge[end])
    if not isinstance(edge.get("id"), str):
        edge["id"] = f"edge-{index + 1}"
        assumed.append(f"{where}: its id is {edge['id']!r}")
    return _known_fields(edge, Edge, where, assumed)


def _renamed(
    given: Mapping[str, object], names: Mapping[str, str], where: str, assumed: list[str]
) -> dict[str, object]:
    made = dict(given)
    for old, new in names.items():
        if old in made and new not in made:
            made[new] = made.pop(old)
            assumed.append(f"{where}: {old!r} is {new!r}")
    return made


def _drop_empty(given: dict[str, object]) -> None:
    for field in [field for field, value in given.items() if value is None]:
        del given[field]


def _known_fields(
    given: dict[str, object], struct: type[msgspec.Struct], where: str, assumed: list[str]
) -> dict[str, object]:
    known = {field.encode_name for field in msgspec.structs.fields(struct)}
    assumed.extend(f"{where}: {shown(field)} is left out" for field in sorted(given.keys() - known))
    return {field: value for field, value in given.items() if field in known}


def _slug(text: str) -> str:
    return _NOT_ALLOWED.sub("-", text.strip()).strip("-._:/@=+~#")
