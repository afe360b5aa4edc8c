"""Graphs that others have written become definitions, and what was assumed is told."""

from typing import Any

import pytest
from jsonschema_rs import validator_for

from holdfast.engine.flow.importing import imported
from holdfast.engine.flow.loading import load
from holdfast.engine.flow.schemas import definition_schema
from holdfast.model.errors import InvalidArgument
from tests.flow.sketches import sketch

WAIT = {
    "id": "wait_node_1", "type": "wait", "name": "Wait for Approval",
    "parameters": {"resume": "time_interval", "amount": 2, "unit": "hours"}, "output": {}, "error": {"type": "ignore"},
}  # fmt: skip


def test_a_definition_stays_as_it_is() -> None:
    given = sketch({"a": "manual", "b": "log"}, "a > b")
    found = imported(given, "file")
    assert (found.definition, found.assumptions) == (given, ())


def test_what_may_be_left_out_is_filled_in_and_told() -> None:
    given = {"nodes": [{**WAIT, "trigger": None}, {"type": "log"}], "edges": [{"src": "wait_node_1", "dst": "node-2"}]}
    found = imported(given, "approval")
    graph = load(found.definition)
    assert (graph.definition.name, list(graph.nodes)) == ("approval", ["wait_node_1", "node-2"])
    assert len(found.assumptions) == 3


def test_names_of_others_are_translated() -> None:
    given: dict[str, Any] = {
        "name": "My Flow!",
        "graph": {
            "description": "what it does",
            "nodes": {
                "1": {"type": "if", "label": "Big?", "params": {"condition": "true"}, "colour": "red"},
                "2": {"type": "sleep", "data": {"amount": 1}, "error": "ignore"},
            },
            "connections": [{"source": 1, "target": 2, "sourceHandle": "true"}],
        },
    }
    found = imported(given, "file")
    graph = load(found.definition)
    assert graph.definition.name == "My-Flow"
    assert graph.definition.description == "what it does"
    assert [node.type for node in graph.nodes.values()] == ["conditional", "wait"]
    assert graph.edges[0].port == "true"
    assert any("colour" in each for each in found.assumptions)


@pytest.mark.parametrize("given", [None, 7, [], {}, {"graph": {}}, {"graph": 3}])
def test_what_is_no_graph_is_refused(given: object) -> None:
    with pytest.raises(InvalidArgument, match="no graph"):
        imported(given, "x")


def test_what_cannot_be_read_is_left_to_the_judge() -> None:
    found = imported({"nodes": [3, {"id": 4, "type": "log"}], "edges": ["x"]}, "x")
    assert found.definition["nodes"] == [3, {"id": "4", "type": "log"}]
    assert found.definition["edges"] == ["x"]
    assert imported({"nodes": "none", "edges": None}, "x").definition["nodes"] == []


def test_the_schema_admits_what_is_sound_and_refuses_what_is_not() -> None:
    judge = validator_for(definition_schema())
    judge.validate(sketch({"a": "manual", "b": ("wait", {"amount": 2, "unit": "hours"}), "c": "human"}, "a > b > c"))
    judge.validate({"name": "approval", "nodes": [WAIT]})
    judge.validate(sketch({"a": ("node:charge", {"cents": 5})}))
    for wrong in (
        {"name": "x"},
        sketch({"a": "no-such-type"}),
        sketch({"a": ("wait", {"amunt": 2})}),
        sketch({"a": ("wait", {"unit": "weeks"})}),
        {"name": "x", "nodes": [{**WAIT, "colour": "red"}]},
    ):
        assert not judge.is_valid(wrong), wrong
