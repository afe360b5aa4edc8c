"""Which splits and loops stand around a node, and which aggregate closes which split, is decided at save."""

from holdfast.engine.flow.definition import NodeId
from holdfast.engine.flow.graph import Graph
from tests.flow.sketches import Kind, faults, graph_of, problems_of, sketch


def node_scopes(graph: Graph) -> dict[str, tuple[str, ...]]:
    return {node.id: tuple(node.scopes) for node in graph.nodes.values()}


def test_an_aggregate_closes_the_innermost_split() -> None:
    nodes = {"start": "manual", "a": "split", "b": "split", "x": "edit", "inner": "aggregate", "outer": "aggregate"}
    graph = graph_of(dict(nodes), "start > a > b > x > inner > outer")
    assert graph.nodes[NodeId("inner")].closes == "b"
    assert graph.nodes[NodeId("outer")].closes == "a"
    assert graph.nodes[NodeId("a")].closed_by == "outer"
    assert node_scopes(graph) == {
        "start": (), "a": (), "b": ("a",), "x": ("a", "b"), "inner": ("a",), "outer": (),
    }  # fmt: skip


def test_branches_inside_of_an_item_share_its_scope() -> None:
    graph = graph_of(
        {"s": "split", "if": "conditional", "yes": "log", "no": "log", "m": "merge", "all": "aggregate"},
        "s > if",
        "if:true > yes > m > all",
        "if:false > no > m",
    )
    assert node_scopes(graph)["m"] == ("s",)
    assert graph.nodes[NodeId("all")].closes == "s"


def test_a_split_without_an_aggregate_is_sound() -> None:
    graph = graph_of({"s": "split", "x": "log"}, "s > x")
    assert graph.nodes[NodeId("s")].closed_by is None
    assert graph.results == ()


def test_an_error_edge_of_a_split_lies_outside_of_it() -> None:
    graph = graph_of(
        {"s": ("split", {}, {"error": {"type": "branch"}}), "x": "log", "handler": "log"}, "s > x", "s:error > handler"
    )
    assert node_scopes(graph) == {"s": (), "x": ("s",), "handler": ()}


def test_a_loop_is_a_scope_that_the_edge_back_closes() -> None:
    graph = graph_of({"l": "loop", "x": "log", "after": "log"}, "l:body > x > l > after")
    assert node_scopes(graph) == {"l": (), "x": ("l",), "after": ()}
    assert [edge.repeats for edge in graph.edges] == [False, True, False]
    assert graph.order == ("l", "x", "after")


def test_loops_and_splits_nest() -> None:
    graph = graph_of(
        {"o": "loop", "i": "loop", "s": "split", "x": "log", "a": "aggregate"},
        "o:body > i",
        "i:body > s > x > a > i",
        "i > o",
    )
    assert node_scopes(graph) == {"o": (), "i": ("o",), "s": ("o", "i"), "x": ("o", "i", "s"), "a": ("o", "i")}
    assert graph.results == ("o",)


def test_an_aggregate_needs_a_split() -> None:
    assert faults({"a": "log", "b": "aggregate"}, "a > b") == [("nodes[1]", "SCOPE")]


def test_an_aggregate_does_not_close_a_loop() -> None:
    assert faults({"l": "loop", "a": "aggregate"}, "l:body > a") == [("nodes[1]", "SCOPE")]


def test_a_split_is_closed_once() -> None:
    found = problems_of(sketch({"s": "split", "a": "aggregate", "b": "aggregate"}, "s > a", "s > b"))
    assert [str(problem) for problem in found] == [
        "nodes[2]: the split 's' is closed twice, by 'a' and by 'b'; join the branches first, with a merge"
    ]


def test_branches_of_different_scopes_may_not_meet() -> None:
    found = problems_of(
        sketch({"start": "manual", "s": "split", "x": "log", "m": "merge"}, "start > s > x > m", "start > m")
    )
    assert [str(problem) for problem in found] == [
        (
            "nodes[3]: 'm' is reached inside of 's' (from 'x') and outside of all scopes (from 'start'); "
            "close the inner scope before they meet"
        )
    ]


def test_an_edge_back_into_a_loop_starts_in_its_own_scope() -> None:
    assert faults({"l": "loop", "s": "split", "x": "log"}, "l:body > s > x > l") == [("edges[2]", "SCOPE")]


def test_scopes_nest_only_so_deep() -> None:
    nodes: dict[str, Kind] = {f"s{level}": "split" for level in range(17)}
    chain = " > ".join([*nodes, "end"])
    assert faults({**nodes, "end": "log"}, chain) == [("nodes[17]", "TOO_DEEP")]


def test_only_a_loop_may_repeat() -> None:
    found = problems_of(sketch({"a": "log", "b": "log", "c": "log"}, "a > b > c > b"))
    assert [str(problem) for problem in found] == [
        (
            "nodes[1]: the edges go round: 'b' → 'c' → 'b'; only a loop node may repeat, through an edge from its body "
            "back into it"
        )
    ]


def test_a_way_from_behind_a_loop_back_into_it_is_a_cycle() -> None:
    assert faults({"l": "loop", "x": "log", "y": "log"}, "l:body > x > l > y > l") == [("nodes[0]", "CYCLE")]


def test_there_are_only_so_many_loops() -> None:
    nodes: dict[str, Kind] = {f"l{index}": "loop" for index in range(101)}
    found = faults(nodes, *(f"l{index}:body > l{index}" for index in range(101)))
    assert ("nodes", "TOO_MANY") in found
