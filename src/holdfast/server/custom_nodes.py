"""Node types of users' own: workers have told what their parameters are, and definitions are held against it at save.

Names, and the kinds of values that are written down, are judged; what expressions give, the worker judges. A type that
no worker has told of is let through, as tasks are: the flow may be saved before its workers come.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from holdfast.engine.flow.expressions.templates import TemplateProblem, template
from holdfast.engine.flow.nodes.parameters import Role
from holdfast.engine.flow.problems import Problems, hint
from holdfast.engine.flow.schemas import NodeType
from holdfast.model.errors import FlowProblem
from holdfast.model.flows import NODE_TASK
from holdfast.model.ids import TenantId
from holdfast.model.oversight import WorkSort
from holdfast.ports.oversight import Oversight

Schema = dict[str, Any]
DEFINITIONS = "#/$defs/"
QUEUE = "queue"
QUEUE_SCHEMA: Schema = {"type": "string", "description": "which workers may do it; the run's own, if it is not given"}
TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


class _Node(msgspec.Struct, frozen=True):
    type: str = ""
    parameters: dict[str, object] = {}


class _Definition(msgspec.Struct, frozen=True):
    name: str
    nodes: list[_Node]


def read_schema(written: bytes | None) -> Schema:
    """The schema of a type's parameters; of one that says nothing, a schema that takes everything."""
    schema: Schema = {} if written is None else msgspec.json.decode(written, type=Schema)
    definitions = schema.get("$defs", {})
    whole = _resolved(schema, definitions)
    if whole.get("type") == "null":
        return {"type": "object", "properties": {}, "additionalProperties": False}
    return whole | ({"$defs": definitions} if definitions else {})


async def node_schemas(oversight: Oversight, tenant: TenantId) -> dict[str, Schema]:
    """What the types of a tenant's workers take."""
    kinds = await oversight.kinds(tenant)
    return {
        kind.name: read_schema(kind.input_schema)
        for kind in kinds
        if kind.of is WorkSort.TASK and kind.name.startswith(NODE_TASK)
    }


def custom_types(known: Mapping[str, Schema]) -> list[NodeType]:
    """They, as the palette shows them."""
    return [
        NodeType(name, Role.WORK, str(schema.get("description", "")), _with_queue(schema))
        for name, schema in sorted(known.items())
    ]


def _with_queue(schema: Schema) -> Schema:
    return schema | {"type": "object", "properties": schema.get("properties", {}) | {QUEUE: QUEUE_SCHEMA}}


def check_custom_nodes(definition: bytes, known: Mapping[str, Schema]) -> None:
    """InvalidFlow if nodes of known types have other parameters than their types."""
    problems = Problems()
    for found in custom_problems(definition, known):
        problems.add(*found)
    if problems.found:
        problems.raise_if_any(msgspec.json.decode(definition, type=_Definition).name)


def custom_problems(definition: bytes, known: Mapping[str, Schema]) -> Sequence[FlowProblem]:
    """What is wrong with the parameters of nodes of known types; what cannot be read at all, others report."""
    if not known:
        return ()
    try:
        nodes = msgspec.json.decode(definition, type=_Definition).nodes
    except msgspec.DecodeError:
        return ()
    return [
        problem
        for index, node in enumerate(nodes)
        if node.type in known
        for problem in _problems(f"nodes[{index}].parameters", node.parameters, known[node.type])
    ]


def _problems(path: str, given: Mapping[str, object], schema: Schema) -> Iterator[FlowProblem]:
    properties: dict[str, Schema] = schema.get("properties", {})
    definitions = schema.get("$defs", {})
    is_closed = schema.get("type") == "object" and schema.get("additionalProperties") in (None, False)
    for name in schema.get("required", ()):
        if name not in given:
            yield FlowProblem(f"{path}.{name}", "MISSING", "is missing")
    for name, value in given.items():
        place = f"{path}.{name}"
        if name in properties:
            wanted = properties[name]
            if _is_written_down(value) and not _fits(value, wanted, definitions):
                yield FlowProblem(place, "INVALID", f"is not what the node's type takes: {_told(wanted, definitions)}")
        elif is_closed and name != QUEUE:
            yield FlowProblem(place, "UNKNOWN_FIELD", f"there is no field {name!r}{hint(name, properties)}")


def _is_written_down(value: object) -> bool:
    try:
        return template(value).constant
    except TemplateProblem:
        return False


def _resolved(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    reference = str(schema.get("$ref", ""))
    return definitions.get(reference.removeprefix(DEFINITIONS), schema) if reference else schema


def _fits(value: object, schema: Schema, definitions: Mapping[str, Schema]) -> bool:
    wanted = _resolved(schema, definitions)
    choices = wanted.get("anyOf") or wanted.get("oneOf")
    if choices:
        return any(_fits(value, each, definitions) for each in choices)
    if "enum" in wanted:
        return value in wanted["enum"]
    kinds = wanted.get("type")
    names = [kinds] if isinstance(kinds, str) else kinds or list(TYPES)
    return any(isinstance(value, TYPES.get(name, (object,))) and _is_no_flag(value, name) for name in names)


def _is_no_flag(value: object, name: str) -> bool:
    return name == "boolean" or not isinstance(value, bool)


def _told(schema: Schema, definitions: Mapping[str, Schema]) -> str:
    wanted = _resolved(schema, definitions)
    choices = wanted.get("anyOf") or wanted.get("oneOf")
    if choices:
        return " or ".join([_told(each, definitions) for each in choices])
    return ", ".join([str(each) for each in wanted["enum"]]) if "enum" in wanted else str(wanted.get("type"))
