"""The node types as JSON documents: what each is for, and the JSON Schema of its parameters."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from holdfast.engine.flow.catalogue import BUILT_IN
from holdfast.engine.flow.definition import MAX_DESCRIPTION, MAX_EDGES, MAX_NODES, Edge, Node
from holdfast.engine.flow.nodes.parameters import Parameters, Role
from holdfast.engine.flow.values import Value
from holdfast.model.ids import MAX_ID_BYTES

Schema = dict[str, Any]

_TEMPLATE = "#/$defs/{name}"


class NodeType(msgspec.Struct, frozen=True):
    """A type of nodes."""

    name: str
    role: Role
    description: str
    parameters: Schema


def node_types(models: Mapping[str, type[Parameters]] = BUILT_IN) -> list[NodeType]:
    """All of them, in the order of the catalogue."""
    return [
        NodeType(name, model.role, (model.__doc__ or "").strip(), parameters_schema(model))
        for name, model in models.items()
    ]


def parameters_schema(model: type[Parameters]) -> Schema:
    """The JSON Schema of a node type's parameters, without references."""
    fields = msgspec.structs.fields(model)
    # Defaults are objects of ours, which msgspec cannot write: the types are described without them.
    bare = msgspec.defstruct(model.__name__, [(field.name, field.type) for field in fields], kw_only=True)
    _, components = msgspec.json.schema_components([bare], schema_hook=_schema_of_value, ref_template=_TEMPLATE)
    described = _inlined(components[model.__name__]["properties"], components)
    for field in fields:
        default = _default_of(field)
        if default is not msgspec.NODEFAULT:
            described[field.name]["default"] = default
    return {
        "type": "object",
        "properties": {field.encode_name: described[field.name] for field in fields},
        "required": [field.encode_name for field in fields if field.required],
        "additionalProperties": False,
    }


def _schema_of_value(kind: type) -> Schema:
    if issubclass(kind, Value):
        return dict(kind.schema)
    if kind is object:
        return {"description": "any JSON"}
    raise NotImplementedError(f"{kind} is no type of a parameter")


def _default_of(field: msgspec.structs.FieldInfo) -> object:
    default = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
    if default is msgspec.UNSET or default is msgspec.NODEFAULT:
        return msgspec.NODEFAULT
    return msgspec.to_builtins(default, enc_hook=_source_of)


def _source_of(value: object) -> object:
    assert isinstance(value, Value)
    return value.source


def _inlined(part: Any, components: Mapping[str, Schema]) -> Any:
    match part:
        case {"$ref": str(reference)}:
            return _inlined(components[reference.rpartition("/")[2]], components)
        case dict():
            return {key: _inlined(each, components) for key, each in part.items()}
        case list():
            return [_inlined(each, components) for each in part]
        case _:
            return part


def _apart(each: NodeType) -> NodeType:
    """References in its schema lead to places in that schema, and not in the whole document."""
    identity = f"urn:holdfast:node-type:{quote(each.name, safe='')}"
    return msgspec.structs.replace(each, parameters={"$id": identity, **each.parameters})


def definition_schema(models: Mapping[str, type[Parameters]] = BUILT_IN, users_own: Iterable[NodeType] = ()) -> Schema:
    """The JSON Schema of a whole definition, for editors and tools; what it cannot say, validation does."""
    types = [*node_types(models), *(_apart(each) for each in users_own)]
    structs = (Node, Edge)
    _, components = msgspec.json.schema_components(structs, schema_hook=_schema_of_value, ref_template=_TEMPLATE)
    node, edge = (_inlined(components[each.__name__], components) for each in structs)
    # Types of users' own are known to servers, when their workers have come.
    names = [each.name for each in types]
    node["properties"]["type"] = {"anyOf": [{"enum": names}, {"type": "string", "pattern": "^node:."}]}
    node["additionalProperties"] = edge["additionalProperties"] = False
    node["allOf"] = [
        {
            "if": {"properties": {"type": {"const": each.name}}, "required": ["type"]},
            "then": {"properties": {"parameters": {"description": each.description, **each.parameters}}},
        }
        for each in types
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Holdfast flow",
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": MAX_ID_BYTES},
            "description": {"type": "string", "maxLength": MAX_DESCRIPTION},
            "nodes": {"type": "array", "items": node, "minItems": 1, "maxItems": MAX_NODES},
            "edges": {"type": "array", "items": edge, "maxItems": MAX_EDGES},
        },
        "required": ["name", "nodes"],
        "additionalProperties": False,
    }
