"""What lies ahead of a node and what lies behind it; sets of nodes are the bits of one number."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from holdfast.engine.flow.definition import ERROR, NodeId
from holdfast.engine.flow.nodes.parameters import Role
from holdfast.engine.flow.scopes import Joined, Scopes

Bits = dict[NodeId, int]


class Reachability:
    """Reckons once, over a graph in order."""

    def __init__(self, graph: Joined, scopes: Scopes) -> None:
        self._graph = graph
        self._scopes = scopes
        self._bit = {node: 1 << place for place, node in enumerate(graph.order)}
        self._closed_by = {split: aggregate for aggregate, split in scopes.closes.items()}
        self._merges = [node for node in graph.order if graph.parts[node].parameters.role is Role.MERGE]
        self._ahead = self._reckon_ahead()
        self._behind = self._reckon_behind()

    def awaits(self, node: NodeId) -> frozenset[NodeId]:
        """The merges in this scope, or in one around it, that a token at the node may still reach."""
        stack = self._scopes.stacks[node]
        ahead = self._ahead[node]
        for scope in stack:
            ahead |= self._after_scope(scope)
        return frozenset(
            merge
            for merge in self._merges
            if ahead & self._bit[merge] and stack[: len(self._scopes.stacks[merge])] == self._scopes.stacks[merge]
        )

    def visible(self, node: NodeId) -> frozenset[NodeId]:
        """The nodes whose output a token at the node may carry."""
        return frozenset(self._nodes_of(self._behind[node]))

    def reached_from(self, entries: Iterable[NodeId]) -> set[NodeId]:
        """All nodes that a run may come to."""
        ahead = 0
        for entry in entries:
            ahead |= self._ahead[entry] | self._bit[entry]
        return set(self._nodes_of(ahead))

    def _nodes_of(self, bits: int) -> Iterator[NodeId]:
        while bits:
            yield self._graph.order[bits.bit_length() - 1]
            bits ^= 1 << (bits.bit_length() - 1)

    def _reckon_ahead(self) -> Bits:
        ahead: Bits = {}
        for node in reversed(self._graph.order):
            ahead[node] = self._after_edges(ahead, self._graph.outgoing[node])
        return ahead

    def _after_edges(self, ahead: Mapping[NodeId, int], edges: Sequence[int]) -> int:
        found = 0
        for index in edges:
            edge = self._graph.edges[index]
            if index not in self._graph.repeating:
                found |= self._bit[edge.dst] | ahead[edge.dst]
        return found

    def _after_scope(self, scope: NodeId) -> int:
        """What may follow when all items or iterations of a scope have ended, well or not."""
        outer = [i for i in self._graph.outgoing[scope] if not self._graph.opens(self._graph.edges[i])]
        found = self._after_edges(self._ahead, outer)
        aggregate = self._closed_by.get(scope)
        return found if aggregate is None else found | self._bit[aggregate] | self._ahead[aggregate]

    def _reckon_behind(self) -> Bits:
        behind: Bits = {}
        for node in self._graph.order:
            found = 0
            for index in self._graph.incoming[node]:
                if index not in self._graph.repeating:
                    found |= self._carried(behind, index, node)
            behind[node] = found
        return behind

    def _carried(self, behind: Bits, index: int, node: NodeId) -> int:
        split = self._scopes.closes.get(node)
        if split is not None:
            return behind[split]
        edge = self._graph.edges[index]
        return behind[edge.src] | (0 if edge.port == ERROR else self._bit[edge.src])
