"""The graphs of the versions that run at present, read once; versions never change, so nothing here can be stale."""

from collections import OrderedDict

from holdfast.engine.flow.definition import ERROR, NodeId
from holdfast.engine.flow.expressions.syntax import Root
from holdfast.engine.flow.graph import Graph, GraphNode
from holdfast.engine.flow.loading import load_json
from holdfast.engine.flow.nodes.parameters import Role
from holdfast.engine.flow.references import uses_of
from holdfast.model.flows import FlowVersion
from holdfast.model.ids import TenantId

MAX_GRAPHS = 500


class RunGraph:
    """A graph and its nodes by their places, by which paths and visits name them."""

    def __init__(self, version: int, graph: Graph, document: bytes) -> None:
        self.version = version
        self.document = document
        self.graph = graph
        self.nodes: tuple[GraphNode, ...] = tuple(graph.nodes.values())
        self.has_error_edges = any(edge.port == ERROR for edge in graph.edges)
        self.merges = {node: rank for rank, node in enumerate(graph.order) if graph.nodes[node].role is Role.MERGE}
        """Each with its place in the order."""
        self._roots: dict[NodeId, frozenset[str]] = {}

    def at(self, place: int) -> GraphNode:
        """The node at a place of the definition."""
        return self.nodes[place]

    def node(self, node_id: NodeId) -> GraphNode:
        """The node with an id."""
        return self.graph.nodes[node_id]

    def uses(self, node: GraphNode, root: str) -> bool:
        """Whether a node's expressions look at `$trigger`, `$error`, …: what nobody looks at need not be read."""
        roots = self._roots.get(node.id)
        if roots is None:
            found = {use.reference.name for use in uses_of(node) if isinstance(use.reference, Root)}
            found |= {"json"} if node.parameters.reads_input else set()
            roots = self._roots[node.id] = frozenset(found)
        return root in roots


class Graphs:
    """What has been read last."""

    def __init__(self) -> None:
        self._graphs: OrderedDict[tuple[TenantId, str, int], RunGraph] = OrderedDict()

    def get(self, tenant: TenantId, name: str, version: int) -> RunGraph | None:
        """The graph of a version, if it is at hand."""
        graph = self._graphs.get((tenant, name, version))
        if graph is not None:
            self._graphs.move_to_end((tenant, name, version))
        return graph

    def put(self, row: FlowVersion) -> None:
        """Read a version that the store has."""
        key = row.tenant, row.name, row.version
        if key not in self._graphs:
            self._graphs[key] = RunGraph(row.version, load_json(row.document), row.document)
            while len(self._graphs) > MAX_GRAPHS:
                self._graphs.popitem(last=False)
