"""Flows in a few words: nodes as `{id: (type, parameters)}` or `{id: type}`, edges as `a > b` and `a:port > b`."""

from collections.abc import Mapping
from itertools import pairwise

from holdfast.engine.flow.graph import Graph
from holdfast.engine.flow.loading import load
from holdfast.model.errors import FlowProblem, InvalidFlow

Parameters = dict[str, object]
Kind = str | tuple[str, Mapping[str, object]] | tuple[str, Mapping[str, object], Mapping[str, object]]

PARAMETERS_OF: Mapping[str, Parameters] = {
    "conditional": {"condition": "true"},
    "loop": {"times": 2},
    "task": {"task": "work"},
    "limit": {"count": 1},
    "filter": {"where": "true"},
    "human": {"title": "May I?"},
    "switch": {"cases": [{"port": "a", "when": "true"}]},
}


def node_of(node_id: str, kind: Kind) -> Parameters:
    """A node's JSON; a third part of `kind` has more fields of it."""
    if isinstance(kind, str):
        kind = (kind, PARAMETERS_OF.get(kind, {}))
    more = kind[2] if len(kind) == 3 else {}
    return {"id": node_id, "type": kind[0], "parameters": kind[1], **more}


def edge_of(index: int, text: str) -> Parameters:
    """An edge's JSON."""
    source, target = text.split(" > ")
    src, _, port = source.partition(":")
    return {"id": f"e{index}", "src": src, "dst": target, **({"port": port} if port else {})}


def sketch(nodes: Mapping[str, Kind], *edges: str, name: str = "sketch") -> Parameters:
    """A definition's JSON; an edge text may be a chain, `a > b > c`."""
    pairs = [pair for chain in edges for pair in pairs_of(chain)]
    return {
        "name": name,
        "nodes": [node_of(node_id, kind) for node_id, kind in nodes.items()],
        "edges": [edge_of(index, pair) for index, pair in enumerate(pairs)],
    }


def pairs_of(chain: str) -> list[str]:
    stops = chain.split(" > ")
    return [f"{a} > {b.partition(':')[0]}" for a, b in pairwise(stops)]


def graph_of(nodes: Mapping[str, Kind], *edges: str) -> Graph:
    return load(sketch(nodes, *edges))


def problems_of(definition: object) -> list[FlowProblem]:
    """What is wrong with a definition."""
    try:
        load(definition)
    except InvalidFlow as error:
        return list(error.problems)
    return []


def faults(nodes: Mapping[str, Kind], *edges: str) -> list[tuple[str, str]]:
    """Path and code of all that is wrong."""
    return [(problem.path, problem.code) for problem in problems_of(sketch(nodes, *edges))]
