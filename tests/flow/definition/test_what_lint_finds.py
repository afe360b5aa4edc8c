"""Lint: what in a sound flow is probably not meant."""

from collections.abc import Mapping

import pytest

from holdfast.engine.flow.linting import lint
from tests.flow.sketches import Kind, graph_of


def found(nodes: Mapping[str, Kind], *edges: str) -> list[tuple[str, str]]:
    """Node and code of all warnings."""
    graph = graph_of(nodes, *edges)
    ids = list(nodes)
    return [(ids[int(each.path[6:-1])], each.code) for each in lint(graph)]


def test_a_flow_as_it_should_be_has_no_warnings() -> None:
    nodes: dict[str, Kind] = {
        "start": "manual",
        "choose": "conditional",
        "yes": ("task", {"task": "work"}),
        "no": "log",
        "join": ("merge", {"mode": "any"}),
    }
    edges = ("start > choose", "choose:true > yes > join", "choose:false > no > join")
    assert found(nodes, *edges) == []


def test_nodes_that_no_trigger_leads_to() -> None:
    nodes: dict[str, Kind] = {"start": "manual", "a": "log", "lost": "log", "too": "log"}
    assert found(nodes, "start > a", "lost > too") == [("lost", "UNREACHABLE"), ("too", "UNREACHABLE")]


@pytest.mark.parametrize("first", ["choose:true > join", "choose:true > a > join"])
def test_a_join_of_all_with_branches_of_which_one_is_taken(first: str) -> None:
    nodes: dict[str, Kind] = {"choose": "conditional", "a": "log", "b": "log", "join": "merge"}
    edges = [first, "choose:false > b > join"]
    if "a" not in first.split():
        del nodes["a"]
    assert found(nodes, *edges) == [("join", "UNTAKEN_BRANCH")]


def test_branches_that_come_together_before_the_join_are_no_rivals() -> None:
    nodes: dict[str, Kind] = {
        "start": "manual",
        "choose": "conditional",
        "a": "log",
        "either": ("merge", {"mode": "any"}),
        "beside": "log",
        "join": "merge",
    }
    edges = (
        "start > choose", "choose:true > a > either", "choose:false > either > join", "start > beside > join",
    )  # fmt: skip
    assert found(nodes, *edges) == []


def test_an_output_that_nobody_reads() -> None:
    nodes: dict[str, Kind] = {
        "made": ("edit", {"value": {"a": 1}}),
        "other": ("edit", {"value": "fixed"}),
        "last": ("edit", {"value": "$other"}),
    }
    assert found(nodes, "made > other > last") == [("made", "UNUSED_OUTPUT")]
    nodes["last"] = ("edit", {"value": ["$made", "$other"]})
    assert found(nodes, "made > other > last") == []


def test_an_output_that_is_passed_on_is_read() -> None:
    nodes: dict[str, Kind] = {"made": ("edit", {"value": 1}), "w": ("wait", {"amount": 1}), "last": "log"}
    assert found(nodes, "made > w > last") == []
    nodes["w"] = ("edit", {"value": "{{ $json + 1 }}"})
    assert found(nodes, "made > w > last") == []


def test_a_wait_for_somebody_without_an_end() -> None:
    nodes: dict[str, Kind] = {"w": ("wait", {"resume": "signal", "signal": "go"})}
    assert found(nodes) == [("w", "NO_TIMEOUT")]
    nodes["w"] = ("wait", {"resume": "signal", "signal": "go", "timeout": {"amount": 1, "unit": "days"}})
    assert found(nodes) == []
