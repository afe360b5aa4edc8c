"""What in a sound flow is probably not meant: nodes that no run comes to, joins of rivals, outputs for nobody."""

from collections.abc import Iterator

from holdfast.engine.flow.definition import ERROR, NodeId
from holdfast.engine.flow.expressions.syntax import NodeOutput
from holdfast.engine.flow.graph import Graph, GraphNode
from holdfast.engine.flow.nodes.parameters import Role
from holdfast.engine.flow.nodes.waiting import WaitParameters
from holdfast.engine.flow.references import uses_of
from holdfast.model.errors import FlowProblem

CHOICES = frozenset({"conditional", "switch"})
SILENT = frozenset({Role.TRIGGER, Role.SPLIT, Role.LOOP, Role.WAIT, Role.MERGE, Role.HUMAN})
"""Roles whose nodes are there for more than their output."""
DOING = frozenset({"http", "log", "smtp", "task", "workflow", "flow"})
"""Types that do something besides."""


def lint(graph: Graph) -> list[FlowProblem]:
    """All warnings, in the order of the definition."""
    warnings = [*_unreachable(graph), *_joins(graph), *_unused(graph), *_endless_waits(graph)]
    return sorted(warnings, key=_place)


def _place(warning: FlowProblem) -> int:
    return int(warning.path.removeprefix("nodes[").partition("]")[0])


def _warning(node: GraphNode, code: str, message: str) -> FlowProblem:
    return FlowProblem(f"nodes[{node.index}]", code, f"{node.name!r} {message}")


def _unreachable(graph: Graph) -> Iterator[FlowProblem]:
    for identity in graph.unreachable:
        yield _warning(graph.nodes[identity], "UNREACHABLE", "is never come to: no trigger leads to it")


def _joins(graph: Graph) -> Iterator[FlowProblem]:
    """Merges of all whose branches leave one choice by different ports: they never come together."""
    for merge in graph.nodes.values():
        if merge.type != "merge" or getattr(merge.parameters, "mode", "all") != "all":
            continue
        for choice in graph.nodes.values():
            if choice.type in CHOICES and _excludes(graph, choice, merge):
                yield _warning(
                    merge,
                    "UNTAKEN_BRANCH",
                    f"waits for all, but of the branches of {choice.name!r} only one is ever taken: "
                    "it opens with what has come; the mode 'any' says so",
                )


def _excludes(graph: Graph, choice: GraphNode, merge: GraphNode) -> bool:
    """Whether some two ways into the merge come from different ports of the choice, and from those alone."""
    by_way: dict[int, set[str]] = {}
    for port, edges in choice.outgoing.items():
        ahead = _ahead(graph, {edge.dst for edge in edges} - {merge.id})
        for way in merge.incoming:
            is_direct = way.src == choice.id and way.port == port
            if is_direct or way.src in ahead:
                by_way.setdefault(way.index, set()).add(port)
    ways = list(by_way.values())
    return any(not (one & other) for place, one in enumerate(ways) for other in ways[place + 1 :])


def _ahead(graph: Graph, starts: set[NodeId]) -> set[NodeId]:
    found, waiting = set(starts), list(starts)
    while waiting:
        for edges in graph.nodes[waiting.pop()].outgoing.values():
            fresh = {edge.dst for edge in edges if not edge.repeats} - found
            found |= fresh
            waiting.extend(fresh)
    return found


def _unused(graph: Graph) -> Iterator[FlowProblem]:
    """Nodes that only make an output, which nobody reads."""
    named = {
        other
        for node in graph.nodes.values()
        for use in uses_of(node)
        if isinstance(use.reference, NodeOutput) and (other := node.names.get(use.reference.name)) is not None
    }
    for node in graph.nodes.values():
        if node.role in SILENT or node.type in DOING | CHOICES or node.id in named or node.ends:
            continue
        followers = [graph.nodes[edge.dst] for port, edges in node.outgoing.items() if port != ERROR for edge in edges]
        if followers and not any(_takes(follower) for follower in followers):
            yield _warning(node, "UNUSED_OUTPUT", "makes an output that nothing after it reads")


def _takes(node: GraphNode) -> bool:
    """Whether the node reads what comes by its edge, or hands it on."""
    passes_on = node.role in SILENT | {Role.AGGREGATE} or node.type in CHOICES
    return (
        passes_on or node.parameters.reads_input or _reads_json(node) or node.type in ("filter", "sort", "limit", "log")
    )


def _reads_json(node: GraphNode) -> bool:
    return any(not isinstance(use.reference, NodeOutput) and use.reference.name == "json" for use in uses_of(node))


def _endless_waits(graph: Graph) -> Iterator[FlowProblem]:
    for node in graph.nodes.values():
        parameters = node.parameters
        if not isinstance(parameters, WaitParameters) or parameters.timeout is not None:
            continue
        if parameters.resume in ("signal", "webhook"):
            yield _warning(node, "NO_TIMEOUT", f"waits for a {parameters.resume} for ever; a timeout gives it an end")
