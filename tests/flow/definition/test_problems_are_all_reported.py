"""A definition that is not sound is refused with everything that is wrong with it, and where."""

import json

import pytest

from holdfast.engine.flow.loading import load, load_json
from holdfast.model.errors import InvalidFlow, PayloadTooLarge
from tests.flow.sketches import Kind, faults, graph_of, problems_of, sketch


def messages(definition: object) -> list[str]:
    return [str(problem) for problem in problems_of(definition)]


def test_every_wrong_node_and_edge_is_named() -> None:
    definition = sketch(
        {"a": ("manul", {}), "b": ("wait", {"amunt": 2, "unit": "hors"}), "c": ("limit", {})}, "a > bb", "c:tru > b"
    )
    assert messages(definition) == [
        "nodes[0].type: there is no node type 'manul'; did you mean 'manual'?",
        "nodes[1].parameters.amunt: there is no field 'amunt'; did you mean 'amount'?",
        "nodes[1].parameters.unit: Invalid enum value 'hors'",
        "nodes[2].parameters.count: is missing",
        "edges[0].dst: there is no node 'bb'; did you mean 'b'?",
    ]


def test_the_error_says_how_much_is_wrong() -> None:
    with pytest.raises(InvalidFlow, match=r"flow 'sketch' has 2 problems:\n  edges\[0\].src: .*\n  edges\[0\].dst: "):
        load(sketch({"a": "log"}, "x > y"))


def test_a_hundred_problems_are_listed_and_the_rest_counted() -> None:
    with pytest.raises(InvalidFlow, match="has 150 problems") as refused:
        load(sketch({f"n{index}": "logg" for index in range(150)}))
    assert len(refused.value.problems) == 100
    assert refused.value.more == 50


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        (17, "$: must be an object, not a number"),
        (None, "$: must be an object, not null"),
        ([], "$: must be an object, not a list"),
        ({"nodes": []}, "$.name: is missing"),
        ({"name": "x", "nodes": []}, "nodes: a flow needs at least one node"),
        ({"name": "x", "nodes": 1}, "$.nodes: Expected `array`, got `int`"),
        ({"name": "x", "nodes": [True]}, "nodes[0]: must be an object, not true or false"),
        ({"name": "x", "nodes": ["a"]}, "nodes[0]: must be an object, not text"),
        ({"name": "x", "nodes": [{"id": "a"}]}, "nodes[0].type: is missing"),
        (sketch({"a b": "log"}), "nodes[0].id: the id of a node 'a b' is not a valid id: "),
        (sketch({"a": "log"}, name="ü"), "name: the name of a flow 'ü' is not a valid id: "),
        ({**sketch({"a": "log"}), "description": "x" * 10_001}, "description: must be at most 10,000 characters"),
        ({**sketch({"a": "log"}), "nods": []}, "$.nods: there is no field 'nods'; did you mean 'nodes'?"),
        (sketch({"a": ("log", {}, {"retry": {"max_retries": -1}})}), "nodes[0].retry: max_retries must lie between"),
        (sketch({"a": ("log", {}, {"timeout_ms": 0})}), "nodes[0].timeout_ms: Expected `int` >= 1"),
        (sketch({"a": ("log", {}, {"timeout_ms": 2**62})}), "nodes[0].timeout_ms: Expected `int` <= 253402300799000"),
        (sketch({"a": ("task", {"task": "t", "priority": 2**31})}), "nodes[0].parameters.priority: Expected `int` <="),
        (sketch({"a": ("task", {"task": "t", "priority": -(2**62)})}), "nodes[0].parameters.priority: Expected `int`"),
        (sketch({"a": ("flow", {"flow": "f", "version": 2**63 - 1})}), "nodes[0].parameters.version: Expected `int`"),
        (sketch({"a": ("log", {}, {"error": {"type": "stop"}})}), "nodes[0].error.type: Invalid enum value 'stop'"),
        (
            sketch({"s": ("split", {}, {"error": {"type": "ignore"}}), "x": "log"}, "s > x"),
            "nodes[0].error.type: a split bears failed items by tolerated_failures: '100%'",
        ),
        (sketch({"a": ("log", {}, {"name": "x\ny"})}), "nodes[0].name: must be 1 to 100 printable characters"),
        (sketch({"a": "manual", "b": "log"}, "b > a"), "nodes[0]: 'a' is a trigger: no edge can lead to it"),
        (sketch({"s": "split"}), "nodes[0]: 's' leads nowhere: it needs an edge by 'main'"),
        (sketch({"a": "conditional", "b": "log"}, "a:ture > b"), "edges[0].port: 'a' has no port 'ture'; did you mean"),
        (sketch({"a": "log", "b": "log"}, "a:zzz > b"), "edges[0].port: 'a' has no port 'zzz'; there are main"),
        (sketch({"a": "log", "b": "log"}, "a:error > b"), "edges[0].port: the error edge of 'a' would never be taken"),
        (sketch({"a": ("log", {}, {"error": {"type": "branch"}})}), "nodes[0].error: the strategy 'branch' needs"),
        ({**sketch({"a": "log"}), "edges": [{"src": "a", "dst": "a"}]}, "edges[0].id: is missing"),
    ],
)  # fmt: skip
def test_what_is_refused(definition: object, expected: str) -> None:
    found = messages(definition)
    assert len(found) == 1
    assert found[0].startswith(expected)


def test_ids_and_names_are_unique() -> None:
    definition = sketch({"a": ("log", {}, {"name": "same"}), "b": ("log", {}, {"name": "same"})}, "a > b")
    definition["nodes"] = [*list(definition["nodes"]), {"id": "a", "type": "log"}]  # type: ignore[call-overload]
    definition["edges"] = [{"id": "e", "src": "a", "dst": "b"}] * 2
    assert messages(definition) == [
        "nodes[1].name: 'same' is the name of nodes[0] already",
        "nodes[2].id: 'a' is the id of nodes[0] already",
        "edges[1].id: 'e' is the id of edges[0] already",
    ]


def test_size_is_bounded() -> None:
    nodes: dict[str, Kind] = {f"n{index}": "log" for index in range(2_001)}
    assert faults(nodes) == [("nodes", "TOO_MANY")]
    assert faults({"a": "log", "b": "log"}, *["a > b"] * 10_001) == [("edges", "TOO_MANY")]


def test_a_hundred_thousand_nodes_are_refused_without_reading_them() -> None:
    definition = {"name": "x", "nodes": [{"id": "a", "type": "log"}] * 100_000}
    assert messages(definition) == ["nodes: there are 100,000 nodes; 2,000 is all; make parts of it flows"]


def test_json_is_read_with_care() -> None:
    assert list(load_json(json.dumps(sketch({"a": "log"})).encode()).nodes) == ["a"]
    for bad in (b"{", b"\xff", b"[" * 100_000, b'{"name": NaN}'):
        with pytest.raises(InvalidFlow, match=r"\$: is not JSON"):
            load_json(bad)
    with pytest.raises(PayloadTooLarge):
        load_json(b" " * (4 * 1024 * 1024 + 1))


def test_a_name_is_the_id_if_there_is_none() -> None:
    assert [node.name for node in graph_of({"a": "log", "b": ("log", {}, {"name": "Bé 1"})}).nodes.values()] == [
        "a",
        "Bé 1",
    ]
