"""A flow that has been found sound: its nodes joined up, and all that can be known before it runs.

**Scopes.** A split opens a scope for each of its items and an aggregate closes it; a loop opens one for each iteration
and the edge back into the loop closes it. `scopes` of a node names the splits and loops around it, outermost first; a
token there has exactly one lineage frame for each.

**Joins.** A merge opens in a scope when no live token of that scope can reach it any more. Which merges a token may
still reach is `awaits` of the node where it stands; a token in a deeper scope stands for its split, which will go on
when its items have ended, however they ended. So a merge can open as soon as it is in `awaits` of no live token whose
lineage begins with the merge's, those apart that have arrived at it.
"""

from collections.abc import Mapping

import msgspec

from holdfast.engine.flow.definition import ERROR, EdgeId, ErrorStrategy, FlowDefinition, Node, NodeId
from holdfast.engine.flow.expressions.syntax import Expression
from holdfast.engine.flow.nodes.parameters import Parameters, Role


class GraphEdge(msgspec.Struct, frozen=True, gc=False):
    """An edge and its place in the definition: of rivals that could both be taken, the lower index wins."""

    id: EdgeId
    index: int
    src: NodeId
    dst: NodeId
    port: str
    repeats: bool = False
    """Whether it leads from the body of a loop back into it, and so ends an iteration."""


class GraphNode(msgspec.Struct, frozen=True, eq=False):
    """A node, and all that is known of its place."""

    written: Node
    index: int
    parameters: Parameters
    incoming: tuple[GraphEdge, ...]
    outgoing: Mapping[str, tuple[GraphEdge, ...]]
    """The edges of each port that has any."""
    scopes: tuple[NodeId, ...]
    """The splits and loops around the node, outermost first."""
    closes: NodeId | None
    """Of an aggregate: the split that it closes."""
    closed_by: NodeId | None
    """Of a split: the aggregate that closes it; a split without one ends when its last item has."""
    awaits: frozenset[NodeId]
    """The merges, in this scope or one around it, that have to wait for a token that stands here."""
    visible: frozenset[NodeId]
    """The nodes whose output a token here may carry."""
    names: Mapping[str, NodeId]
    """How expressions call the nodes of the flow: by name, or by id."""
    output: Expression | None = None
    """What makes the output of the result, if it is not the result itself."""

    @property
    def id(self) -> NodeId:
        return self.written.id

    @property
    def name(self) -> str:
        return self.written.name

    @property
    def type(self) -> str:
        return self.written.type

    @property
    def role(self) -> Role:
        return self.parameters.role

    @property
    def error(self) -> ErrorStrategy:
        return self.written.error

    def leaving(self, port: str) -> tuple[GraphEdge, ...]:
        """The edges of a port; none means that the token ends here."""
        return self.outgoing.get(port, ())

    @property
    def ends(self) -> bool:
        """Whether nothing follows the node (an error edge apart), so that its output is a result of its scope."""
        inside = (ERROR, self.parameters.inner_port)
        return self.role is not Role.SPLIT and all(port in inside for port in self.outgoing)


class Graph(msgspec.Struct, frozen=True, eq=False):
    """A sound flow."""

    definition: FlowDefinition
    nodes: Mapping[NodeId, GraphNode]
    """In the order of the definition."""
    edges: tuple[GraphEdge, ...]
    order: tuple[NodeId, ...]
    """Every node after those that lead to it, loops' way back apart."""
    entries: tuple[NodeId, ...]
    """The triggers; without any, all nodes that no edge leads to, and a run starts at each of them."""
    results: tuple[NodeId, ...]
    """The nodes outside of all scopes that nothing follows: their outputs are the run's."""
    unreachable: tuple[NodeId, ...] = ()
    """The nodes that no run can come to."""
