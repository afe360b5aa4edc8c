"""An editor is told what is wrong while its author types, and what the parameters of each node type look like."""

import msgspec
import pytest

from holdfast.engine.flow.catalogue import BUILT_IN
from holdfast.engine.flow.nodes.parameters import Parameters, Role
from holdfast.engine.flow.outline import outline
from holdfast.engine.flow.schemas import node_types, parameters_schema
from tests.flow.sketches import sketch


def test_a_sound_flow_is_told_with_its_scopes() -> None:
    found = outline(sketch({"s": "split", "w": "wait", "a": "aggregate", "alone": "log"}, "s > w > a"))
    nodes = {node.id: node for node in found.nodes}

    assert found.problems == ()
    assert nodes["s"].role is Role.SPLIT
    assert nodes["w"].scopes == ("s",)
    assert nodes["a"].closes == "s"
    assert nodes["s"].inner_port in nodes["s"].ports


def test_what_is_sound_is_told_beside_what_is_wrong() -> None:
    definition = sketch(
        {
            "h": ("human", {"title": "May I?", "timeout": 60}),
            "b": ("log", {}, {"error": {"type": "branch"}}),
            "x": ("wiat", {}),
        },
        "h:approved > b",
    )

    found = outline(definition)

    assert [problem.path for problem in found.problems] == ["nodes[2].type"]
    assert [(node.id, node.ports) for node in found.nodes] == [
        ("h", ("approved", "rejected", "timeout")),
        ("b", ("main", "error")),
    ]


def test_a_node_that_no_run_can_come_to_is_told() -> None:
    found = outline(sketch({"start": "manual", "a": "log", "lost": "log"}, "start > a"))

    assert (found.problems, found.unreachable) == ((), ("lost",))


@pytest.mark.parametrize("given", [None, [], {}, {"nodes": 7}, {"name": "f", "nodes": [None]}])
def test_what_is_no_flow_at_all_is_told(given: object) -> None:
    found = outline(given)

    assert found.problems
    assert found.nodes == ()


def test_every_node_type_is_described() -> None:
    types = node_types()

    assert [each.name for each in types] == list(BUILT_IN)
    assert all(each.description for each in types)
    assert msgspec.json.decode(msgspec.json.encode(types))


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_schema_names_every_parameter_once_and_refers_to_nothing(name: str) -> None:
    model = BUILT_IN[name]
    schema = parameters_schema(model)

    fields = msgspec.structs.fields(model)
    assert list(schema["properties"]) == [field.encode_name for field in fields]
    assert schema["required"] == [field.encode_name for field in fields if field.required]
    assert b"$ref" not in msgspec.json.encode(schema)


def test_defaults_are_shown_as_they_are_written() -> None:
    wait = parameters_schema(BUILT_IN["wait"])["properties"]
    split = parameters_schema(BUILT_IN["split"])["properties"]
    http = parameters_schema(BUILT_IN["http"])["properties"]

    assert wait["resume"]["default"] == "time_interval"
    assert wait["timeout"]["default"] is None
    assert "default" not in wait["amount"]
    assert split["items"]["default"] == "$json"
    assert http["headers"]["default"] == {}
    [key] = parameters_schema(BUILT_IN["sort"])["properties"]["keys"]["default"]
    assert key == {"by": "$item", "order": "ascending"}


def test_a_type_that_nobody_knows_is_no_parameter() -> None:
    class Strange:
        """Nothing that JSON could write."""

    class StrangeParameters(Parameters, frozen=True, kw_only=True):
        """Strange."""

        what: Strange

    with pytest.raises(TypeError, match="not supported"):
        parameters_schema(StrangeParameters)
