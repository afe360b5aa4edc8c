"""Random sound flows: splits in splits, conditionals, merges, waits, loops, failures, dead ends at every level.

The result of each is the same however its steps are interleaved: what comes out of a merge of `any` is replaced by a
constant, and of a failed item only that it failed is passed on. The work of a task is told by `stand_in`.
"""

from dataclasses import dataclass, field

from hypothesis import strategies as st

from holdfast.engine.flow.outcomes import WorkRequested
from tests.flow.reference import WorkFailed
from tests.flow.sketches import Parameters

FAILING = "fails"
ECHO = "echoes"
MAX_NODES = 40

Loose = list[tuple[str, str]]
"""Nodes and ports that an edge to the next step leaves by."""


def stand_in(request: WorkRequested) -> object:
    """What a worker makes of a task: `fails` fails for odd numbers, `echoes` wraps its input."""
    if request.name == FAILING and isinstance(request.input, int) and request.input % 2:
        raise WorkFailed("odd")
    return {"did": request.name, "with": request.input}


@dataclass
class Growing:
    """A flow that is being made."""

    draw: st.DrawFn
    nodes: list[Parameters] = field(default_factory=list)
    edges: list[Parameters] = field(default_factory=list)

    def node(self, kind: str, loose: Loose, *, error: str = "halt", **parameters: object) -> str:
        """A new node behind the loose ends."""
        node_id = f"n{len(self.nodes)}"
        name = self.draw(st.sampled_from([node_id, f"Schritt {node_id} ü", f"{node_id} “$x” {{{{"]))
        self.nodes.append(
            {"id": node_id, "name": name, "type": kind, "parameters": parameters, "error": {"type": error}}
        )
        for source, port in loose:
            self.edge(source, port, node_id)
        return node_id

    def edge(self, source: str, port: str, target: str) -> None:
        self.edges.append({"id": f"e{len(self.edges)}", "src": source, "dst": target, "port": port})

    def definition(self) -> Parameters:
        return {"name": "random", "nodes": self.nodes, "edges": self.edges}

    # Steps: each takes loose ends and gives loose ends; none means that the branch is a dead end.

    def steps(self, loose: Loose, depth: int, most: int = 4) -> Loose:
        for turn in range(self.draw(st.integers(1, most))):
            is_full = len(self.nodes) > MAX_NODES
            if not loose or (is_full and turn):
                break
            kinds = ["edit"] if is_full else SIMPLE if depth >= 3 else SIMPLE + COMPOUND
            loose = getattr(self, self.draw(st.sampled_from(kinds)))(loose, depth)
        return loose

    def edit(self, loose: Loose, _: int) -> Loose:
        made = {"n": len(self.nodes), "was": "$json", "text": "{{ $json }} of $json"}
        return [(self.node("edit", loose, value=made), "main")]

    def count(self, loose: Loose, _: int) -> Loose:
        return [(self.node("edit", loose, value=self.draw(st.integers(0, 5))), "main")]

    def wait(self, loose: Loose, _: int) -> Loose:
        return [(self.node("wait", loose, amount=self.draw(st.sampled_from([0, 1, 2]))), "main")]

    def signal(self, loose: Loose, _: int) -> Loose:
        return [(self.node("wait", loose, resume="signal", signal=f"s{len(self.nodes)}"), "main")]

    def task(self, loose: Loose, _: int) -> Loose:
        return [(self.node("task", loose, task=ECHO), "main")]

    def failing(self, loose: Loose, _: int) -> Loose:
        strategy = self.draw(st.sampled_from(["halt", "ignore", "ignore", "branch"]))
        number = (
            self.draw(st.sampled_from([0, 1, "{{ $index ?? 1 }}"])) if self.inside else self.draw(st.integers(0, 1))
        )
        failing = self.node("task", loose, error=strategy, task=FAILING, input=number)
        if strategy != "branch":
            return [(failing, "main")]
        handler = self.node("edit", [(failing, "error")], value={"handled": "$error.type", "of": "$json"})
        if self.draw(st.booleans()):
            return [(self.node("merge", [(failing, "main"), (handler, "main")]), "main")]
        return [(failing, "main")]

    def dead_end(self, loose: Loose, depth: int) -> Loose:
        self.steps(loose, depth + 1, most=2)
        return loose

    def branches(self, loose: Loose, depth: int) -> Loose:
        conditions = ["true", "{{ false }}", "$index % 2 == 0"] if self.inside else ["true", "false"]
        chooser = self.node("conditional", loose, condition=self.draw(st.sampled_from(conditions)))
        return self.joined([[(chooser, "true")], [(chooser, "false")]], depth)

    def fan_out(self, loose: Loose, depth: int) -> Loose:
        return self.joined([loose] * self.draw(st.integers(2, 3)), depth)

    def joined(self, branches: list[Loose], depth: int) -> Loose:
        ends = [self.steps(branch, depth + 1, most=2) if self.draw(st.booleans()) else branch for branch in branches]
        how = self.draw(st.sampled_from(["all", "all", "list", "any", "apart"]))
        loose = list(dict.fromkeys(end for branch in ends for end in branch))
        if how == "apart" or not loose:
            return ends[0]
        if how == "any":
            winner = self.node("merge", loose, mode="any")
            return [(self.node("edit", [(winner, "main")], value={"any": winner}), "main")]
        return [(self.node("merge", loose, combine="list" if how == "list" else "object"), "main")]

    def split(self, loose: Loose, depth: int) -> Loose:
        items = self.draw(st.sampled_from([[], ["a"], [1, 2], ["$json", {"x": "$json"}, None]]))
        unequal = "{{ range($index + 1) }}"
        tolerated = self.draw(st.sampled_from([0, 1, "100%", "50%"]))
        split = self.node(
            "split",
            loose,
            items=unequal if self.inside and self.draw(st.booleans()) else items,
            tolerated_failures=tolerated,
            on_failure=self.draw(st.sampled_from(["fail_fast", "collect"])),
            max_concurrency=self.draw(st.sampled_from([None, 1, 2])),
        )
        ends = self.scope([(split, "main")], depth)
        if not ends or self.draw(st.integers(0, 7)) == 0:
            return loose
        aggregate = self.node("aggregate", ends)
        plain = "{{ map($json, [$item.status, $item.value ?? null]) }}"
        return [(self.node("edit", [(aggregate, "main")], value=plain), "main")]

    def loop(self, loose: Loose, depth: int) -> Loose:
        loop = self.node("loop", loose, times=self.draw(st.integers(0, 3)))
        for source, port in self.scope([(loop, "body")], depth):
            self.edge(source, port, loop)
        return [(loop, "main")]

    inside: int = 0

    def scope(self, loose: Loose, depth: int) -> Loose:
        self.inside += 1
        ends = self.steps(loose, depth + 1)
        self.inside -= 1
        return ends


SIMPLE = ["edit", "count", "wait", "signal", "task", "failing"]
COMPOUND = ["split", "split", "loop", "branches", "fan_out", "dead_end"]


@st.composite
def definitions(draw: st.DrawFn) -> Parameters:
    """The JSON of a sound flow."""
    growing = Growing(draw)
    growing.steps([(growing.node("manual", []), "main")], 0, most=6)
    return growing.definition()
