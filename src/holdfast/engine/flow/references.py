"""What expressions refer to, judged when a flow is saved: nodes that there are, and that can have run by then."""

from collections.abc import Iterator, Mapping

import msgspec

from holdfast.engine.flow.definition import NodeId
from holdfast.engine.flow.expressions.syntax import Call, Expression, NodeOutput, Root
from holdfast.engine.flow.graph import Graph, GraphNode
from holdfast.engine.flow.nodes.work import CustomParameters
from holdfast.engine.flow.problems import Problems, hint
from holdfast.engine.flow.values import Value
from holdfast.model.errors import shown

OF_ITEM = ("item", "index")
BINDING = frozenset({"map", "filter", "all", "any", "find", "count", "sort", "group"})
"""The functions that evaluate their second argument for each item of a list."""


class Use(msgspec.Struct, frozen=True):
    """A reference, and where it stands."""

    path: str
    reference: NodeOutput | Root
    bound: bool
    """Whether `$item` and `$index` are set there, wherever the node stands."""


def uses_of(node: GraphNode) -> Iterator[Use]:
    """All references in a node's parameters and output."""
    for path, value in values_in(node.parameters, "parameters"):
        yield from _uses(value.expression, path, value.binds_item)
    if node.output is not None:
        yield from _uses(node.output, "output", bound=False)


def values_in(holder: object, path: str) -> Iterator[tuple[str, Value]]:
    """All values in parameters, with their paths."""
    match holder:
        case Value():
            yield path, holder
        case CustomParameters(given=given):
            yield from values_in(given, path)
        case Mapping():
            for key, each in holder.items():
                yield from values_in(each, f"{path}.{key}")
        case tuple():
            for index, each in enumerate(holder):
                yield from values_in(each, f"{path}[{index}]")
        case msgspec.Struct():
            for field in msgspec.structs.fields(holder):
                yield from values_in(getattr(holder, field.name), f"{path}.{field.encode_name}")
        case _:
            pass


def _uses(expression: Expression, path: str, bound: bool) -> Iterator[Use]:
    waiting = [(expression, bound)]
    while waiting:
        part, inside = waiting.pop()
        if isinstance(part, NodeOutput | Root):
            yield Use(path, part, inside)
        if isinstance(part, Call) and part.name in BINDING:
            waiting.append((part.arguments[0], inside))
            waiting.extend((argument, True) for argument in part.arguments[1:])
        else:
            waiting.extend((inner, inside) for inner in part.parts())


def check_references(graph: Graph, problems: Problems) -> None:
    """Report references to what there is not, or what cannot have run."""
    for node in graph.nodes.values():
        for use in uses_of(node):
            path = f"nodes[{node.index}].{use.path}"
            if isinstance(use.reference, NodeOutput):
                _check_node(graph, node, use.reference.name, path, problems)
            elif use.reference.name in OF_ITEM and not (use.bound or node.scopes):
                problems.add(
                    path,
                    "REFERENCE",
                    f"there is no ${use.reference.name} here: {node.name!r} stands in no split and no loop",
                )


def _check_node(graph: Graph, node: GraphNode, name: str, path: str, problems: Problems) -> None:
    other = node.names.get(name)
    if other is None:
        near = hint(name, node.names)
        problems.add(path, "REFERENCE", f"there is no node {shown(name)}{near}")
    elif other not in node.visible:
        problems.add(path, "REFERENCE", f"refers to {shown(name)}, which {_why_not(graph, node, other)}")


def _why_not(graph: Graph, node: GraphNode, other: NodeId) -> str:
    if other == node.id:
        return "is the node itself"
    scopes = graph.nodes[other].scopes
    hidden = next((scope for scope in scopes if scope not in node.scopes), None)
    if hidden is not None:
        return f"runs inside of {graph.nodes[hidden].name!r}; outside of it there is only what its end gives"
    return f"cannot have run when {node.name!r} does"
