"""The data of a token: where its values are kept, and what expressions at its node see of them.

A visit keeps what the node gave. A large value is a row of its own, and visits keep its name; a node that passes on
what it was given keeps the name that came. What no expression looks at is never read.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from holdfast.engine.flow.definition import ERROR, NodeId
from holdfast.engine.flow.evaluation import error_data
from holdfast.engine.flow.expressions.frame import MISSING, Scope
from holdfast.engine.flow.graph import GraphNode
from holdfast.engine.flow.nodes.parameters import Role
from holdfast.engine.flow.run.drafts import Draft, Run
from holdfast.engine.flow.run.places import ENTRY, awaited, opener_of, tried
from holdfast.engine.missing import MoreWanted
from holdfast.model.flows import ROOT, FlowValue, Visit, VisitKey, flow_of

INLINE_BYTES = 1_024
"""A larger value is a row of its own."""

OF_FRAME = msgspec.Raw(b'"."')
"""The name of the value that a frame was given."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode
_decode_name = msgspec.json.Decoder(str).decode


class Passed:
    """Stands for a value that no expression looks at."""


class Stored(NamedTuple):
    """A value as a visit keeps it."""

    data: msgspec.Raw
    is_name: bool = False


# Values.


def item_bytes(run: Run, draft: Draft) -> bytes:
    """What a frame was given."""
    return run.execution.input if draft.path == ROOT else draft.frame.item


def item_of(run: Run, draft: Draft) -> object:
    """What a frame was given, decoded; that of the root once for all that a batch does with it."""
    cache = run.decoded
    if (draft.path, ENTRY) not in cache:
        cache[draft.path, ENTRY] = (
            _read_once(run, ROOT, run.execution.input) if draft is run.root else _decode(draft.frame.item)
        )
    return cache[draft.path, ENTRY]


def _read_once(run: Run, name: str, data: bytes) -> object:
    key = (*run.key, name)
    if key not in run.state.decoded:
        run.state.decoded[key] = _decode(data)
    return run.state.decoded[key]


def stored_item(run: Run, draft: Draft) -> Stored:
    """What a frame was given, as a visit of it keeps it."""
    data = item_bytes(run, draft)
    return Stored(msgspec.Raw(data)) if len(data) <= INLINE_BYTES else Stored(OF_FRAME, is_name=True)


def stored_output(run: Run, draft: Draft, key: VisitKey) -> Stored:
    """What a visit gave, or what the frame began with."""
    if key == ENTRY:
        return stored_item(run, draft)
    visit = draft.visits[key]
    return Stored(visit.output, visit.output_ref)


def bytes_of(run: Run, draft: Draft, stored: Stored) -> bytes:
    """The value as JSON."""
    if not stored.is_name:
        return bytes(stored.data)
    name = _decode_name(stored.data)
    return item_bytes(run, draft) if stored.data == OF_FRAME else large_value(run, name)


def large_value(run: Run, name: str) -> bytes:
    """A value that is a row of its own."""
    data = run.state.flow_values.get((*run.key, name))
    if data is None:
        raise MoreWanted(flow_values=[(*run.key, name)])
    return data


def output_of(run: Run, draft: Draft, key: VisitKey) -> object:
    """What a visit gave, decoded."""
    if key == ENTRY:
        return item_of(run, draft)
    cache = run.decoded
    if (draft.path, key) not in cache:
        cache[draft.path, key] = _decoded(run, draft, stored_output(run, draft, key))
    return cache[draft.path, key]


def _decoded(run: Run, draft: Draft, stored: Stored) -> object:
    if not stored.is_name:
        return _decode(stored.data)
    if stored.data == OF_FRAME:
        return item_of(run, draft)
    name = _decode_name(stored.data)
    return _read_once(run, name, large_value(run, name))


def store(run: Run, draft: Draft, key: VisitKey, value: object) -> Stored:
    """Keep what a visit gave; a large value as a row."""
    return store_bytes(run, draft, key, _encode(value))


def store_bytes(run: Run, draft: Draft, key: VisitKey, data: bytes) -> Stored:
    """Keep what a visit gave, as JSON."""
    if len(data) <= INLINE_BYTES:
        return Stored(msgspec.Raw(data))
    visit = draft.visits[key]
    name = f"{draft.path}:{tried(key, visit.tries)}"
    put_value(run, name, data)
    return Stored(msgspec.Raw(_encode(name)), is_name=True)


def put_value(run: Run, name: str, data: bytes) -> None:
    """Write a large value."""
    run.state.new_flow_values.append(FlowValue(*run.key, name, data))
    run.state.flow_values.give((*run.key, name), data)


def encode(value: object) -> bytes:
    """The value as JSON."""
    return _encode(value)


def decode(data: bytes | msgspec.Raw) -> object:
    """The value that JSON stands for."""
    return _decode(data)


# What a token sees.


def input_key(run: Run, draft: Draft, visit: Visit) -> VisitKey:
    """The visit whose output a visit has got; an aggregate goes on with what its split got."""
    (source, *_) = visit.came_from
    if run.graph.at(visit.node).role is Role.AGGREGATE:
        return draft.visits[source].came_from[0]
    return source


def scope_of(run: Run, draft: Draft, visit: Visit) -> Scope:
    """What expressions at the visit's node see."""
    node = run.graph.at(visit.node)
    item, index = _surroundings(run, draft, node) if draft.path != ROOT else (MISSING, MISSING)
    uses = run.graph.uses
    json = output_of(run, draft, input_key(run, draft, visit)) if uses(node, "json") else Passed()
    is_trigger = node.role is Role.TRIGGER
    return Scope(
        json=json,
        outputs=Outputs(run, draft, visit),
        trigger=json if is_trigger else item_of(run, run.root) if uses(node, "trigger") else None,
        item=item,
        index=index,
        error=error_of(run, draft, visit) if uses(node, "error") else MISSING,
        run=_about(run) if uses(node, "run") else MISSING,
        signals={name: _decode(each) for name, each in run.root.heard.items()} if uses(node, "signals") else {},
    )


def _about(run: Run) -> dict[str, object]:
    return {"id": run.execution.id, "flow": flow_of(run.execution.kind), "version": run.graph.version}


def _surroundings(run: Run, draft: Draft, node: GraphNode) -> tuple[object, object]:
    """`$item` of the innermost split, and `$index` of the innermost frame."""
    index = draft.frame.item_index
    while draft.path != ROOT:
        path, key = opener_of(draft.frame.scope)
        outer = run.draft(path)
        if run.graph.at(outer.visits[key].node).role is Role.SPLIT:
            return (item_of(run, draft) if run.graph.uses(node, "item") else None), index
        draft = outer
    return MISSING, index


def error_of(run: Run, draft: Draft, visit: Visit) -> object:
    """`$error`: the failure behind whose error edge the token goes; the last one on its way, the first of a merge's."""
    if not run.graph.has_error_edges:
        return MISSING
    seen: set[VisitKey] = set()
    keys = list(reversed(visit.came_from))
    while keys:
        key = keys.pop()
        if key in seen:
            continue
        seen.add(key)
        if key != ENTRY:
            before = draft.visits[key]
            if before.port == ERROR and before.failure is not None:
                return error_data(run.graph.at(before.node), before.failure)
            keys.extend(reversed(before.came_from))
        elif draft.path != ROOT:
            path, opener = opener_of(draft.frame.scope)
            outer = run.draft(path)
            return error_of(run, outer, outer.visits[opener])
    return MISSING


class Outputs(Mapping[NodeId, object]):
    """What the nodes on a token's way gave; looked for only when an expression asks."""

    def __init__(self, run: Run, draft: Draft, visit: Visit) -> None:
        self._run = run
        self._draft = draft
        self._visit = visit
        self._found: dict[NodeId, tuple[Draft, VisitKey] | None] = {}

    def __contains__(self, node: object) -> bool:
        return self._place(NodeId(str(node))) is not None

    def __getitem__(self, node: NodeId) -> object:
        place = self._place(node)
        if place is None:
            raise KeyError(node)
        return output_of(self._run, *place)

    def __iter__(self) -> Iterator[NodeId]:
        return (node for node in self._run.graph.graph.nodes if node in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _place(self, node: NodeId) -> tuple[Draft, VisitKey] | None:
        if node not in self._found:
            self._found[node] = self._search(node)
        return self._found[node]

    def _search(self, node: NodeId) -> tuple[Draft, VisitKey] | None:
        draft, visit = self._draft, self._visit
        index = self._run.graph.node(node).index
        while True:
            key = _on_the_way(self._run, draft, visit, index)
            if key is not None:
                return draft, key
            if draft.path == ROOT:
                return None
            path, opener = opener_of(draft.frame.scope)
            outer = self._run.draft(path)
            visit = outer.visits[opener]
            if visit.node == index:
                return draft, ENTRY
            draft = outer


def _on_the_way(run: Run, draft: Draft, visit: Visit, node: int) -> VisitKey | None:
    """The visit to a node that lies behind another visit of its frame; of a merge's branches the first has it."""
    seen: set[VisitKey] = set()
    keys = _before(run, draft, visit)
    while keys:
        key = keys.pop()
        if key == ENTRY or key in seen:
            continue
        seen.add(key)
        before = draft.visits[key]
        if before.node == node and before.port != ERROR:
            return key
        keys.extend(_before(run, draft, before))
    return None


def _before(run: Run, draft: Draft, visit: Visit) -> list[VisitKey]:
    """The visits before one, the first last; what a split gave its items is not seen behind its aggregate."""
    came_from = visit.came_from
    if run.graph.at(visit.node).role is Role.AGGREGATE:
        came_from = draft.visits[came_from[0]].came_from
    return list(reversed(came_from))


def awaited_by(run: Run, draft: Draft, key: VisitKey) -> str:
    """The id of what a visit waits for."""
    return awaited(run.prefix, draft.path, tried(key, draft.visits[key].tries))
