"""Dead paths: which merges wait for a token that stands somewhere; and which outputs a token may carry."""

from holdfast.engine.flow.definition import NodeId
from holdfast.engine.flow.graph import Graph
from tests.flow.sketches import Kind, graph_of


def awaited(graph: Graph) -> dict[str, set[str]]:
    return {node.id: set(node.awaits) for node in graph.nodes.values()}


def visible(graph: Graph, node: str) -> set[str]:
    return set(graph.nodes[NodeId(node)].visible)


BRANCHES: dict[str, Kind] = {"if": "conditional", "yes": "log", "no": "log", "stray": "log", "m": "merge", "end": "log"}


def branches() -> Graph:
    return graph_of(BRANCHES, "if:true > yes > m > end", "if:false > no > m", "no > stray")


def test_a_merge_waits_for_tokens_that_can_reach_it() -> None:
    assert awaited(branches()) == {"if": {"m"}, "yes": {"m"}, "no": {"m"}, "stray": set(), "m": set(), "end": set()}


def test_a_token_in_a_split_stands_for_what_its_aggregate_leads_to() -> None:
    graph = graph_of(
        {"start": "manual", "s": "split", "x": "log", "dead": "log", "a": "aggregate", "m": "merge"},
        "start > s > x > a > m",
        "s > dead",
        "start > m",
    )
    assert awaited(graph)["dead"] == {"m"}
    assert awaited(graph)["x"] == {"m"}


def test_a_token_in_a_split_may_yet_fail_it() -> None:
    graph = graph_of(
        {"start": "manual", "s": ("split", {}, {"error": {"type": "branch"}}), "x": "log", "m": "merge"},
        "start > s > x",
        "s:error > m",
        "start > m",
    )
    assert awaited(graph)["x"] == {"m"}


def test_a_token_in_a_loop_stands_for_what_follows_the_loop() -> None:
    graph = graph_of({"start": "manual", "l": "loop", "x": "log", "m": "merge"}, "start > l", "l:body > x", "l > m")
    assert awaited(graph)["x"] == {"m"}


def test_a_merge_inside_of_a_scope_is_no_matter_of_tokens_outside() -> None:
    graph = graph_of({"s": "split", "x": "log", "m": "merge", "a": "aggregate"}, "s > x > m > a", "s > m")
    assert awaited(graph) == {"s": set(), "x": {"m"}, "m": set(), "a": set()}


def test_a_token_carries_what_lies_behind_it() -> None:
    assert visible(branches(), "end") == {"if", "yes", "no", "m"}
    assert visible(branches(), "if") == set()


def test_an_aggregate_hides_what_happened_in_its_split() -> None:
    graph = graph_of(
        {"start": "manual", "s": "split", "x": "log", "a": "aggregate", "end": "log"}, "start > s > x > a > end"
    )
    assert visible(graph, "x") == {"start", "s"}
    assert visible(graph, "end") == {"start", "a"}


def test_an_error_edge_carries_no_output_of_the_node_that_failed() -> None:
    graph = graph_of(
        {"a": "log", "b": ("task", {"task": "t"}, {"error": {"type": "branch"}}), "c": "log"}, "a > b", "b:error > c"
    )
    assert visible(graph, "c") == {"a"}


def test_nodes_that_no_run_comes_to_are_known() -> None:
    graph = graph_of({"start": "manual", "a": "log", "lost": "log", "m": "merge"}, "start > a > m", "lost > m")
    assert graph.entries == ("start",)
    assert graph.unreachable == ("lost",)


def test_without_a_trigger_a_run_starts_wherever_nothing_leads_to() -> None:
    graph = graph_of({"a": "log", "b": "log", "c": "merge"}, "a > c", "b > c")
    assert graph.entries == ("a", "b")
    assert graph.results == ("c",)
