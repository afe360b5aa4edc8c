"""The OpenAPI 3.1 description, made from the table of resources and the structs that they take and give."""

import inspect
import re
from importlib.metadata import version

import msgspec

from holdfast.server.access.roles import ROLES_OF
from holdfast.server.rest.problems import Problem
from holdfast.server.rest.routes import BASE, RESOURCES, STREAM, TENANTS, Resource

Json = dict[str, object]

PROBLEM_TYPE = "application/problem+json"
JSON_TYPE = "application/json"

_NAMES = re.compile(r"{(\w+)}")
_TEMPLATE = "#/components/schemas/{name}"


def description() -> Json:
    """The whole document."""
    documents = {each for resource in RESOURCES for each in _types_of(resource)} | {Problem}
    ordered = sorted(documents, key=lambda each: each.__name__)
    schemas, components = msgspec.json.schema_components(ordered, ref_template=_TEMPLATE)
    references: dict[type, Json] = dict(zip(ordered, schemas, strict=True))
    paths: dict[str, Json] = {}
    for resource in RESOURCES:
        paths.setdefault(resource.path, {})[resource.method.lower()] = _operation(resource, references)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Holdfast", "version": version("holdfast")},
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _types_of(resource: Resource) -> set[type]:
    given = {each for each in resource.answers.values() if isinstance(each, type)}
    return given | ({resource.body} if resource.body is not None else set())


def _name_of(resource: Resource) -> str:
    """Of the function that acts; with the method, if it acts on several."""
    name: str = getattr(resource.act, "__name__", "")
    several = sum(each.act is resource.act for each in RESOURCES) > 1
    return f"{name}_{resource.method.lower()}" if several else name


def _operation(resource: Resource, references: dict[type, Json]) -> Json:
    operation: Json = {
        "operationId": _name_of(resource),
        "summary": (inspect.getdoc(resource.act) or "").splitlines()[0],
        "tags": [_tag(resource)],
        "parameters": _parameters(resource),
        "responses": {str(int(status)): _response(given, references) for status, given in resource.answers.items()},
    }
    if resource.verb is not None:
        # A server without authentication asks for no token: both are right.
        operation["security"] = [{"token": []}, {}]
        operation["x-holdfast-roles"] = sorted(ROLES_OF[resource.verb])
    if resource.body is not None:
        operation["requestBody"] = {
            "required": _has_required(resource.body),
            "content": {JSON_TYPE: {"schema": references[resource.body]}},
        }
    refused = {"description": "Refused; the code says why.", "content": {PROBLEM_TYPE: {"schema": references[Problem]}}}
    responses = operation["responses"]
    assert isinstance(responses, dict)
    responses["default"] = refused
    return operation


def _tag(resource: Resource) -> str:
    inside = resource.path.removeprefix(BASE) or TENANTS
    return inside.removeprefix("/api").split("/")[1]


def _has_required(body: type) -> bool:
    return any(field.required for field in msgspec.structs.fields(body))


def _response(given: type | str | None, references: dict[type, Json]) -> Json:
    match given:
        case None:
            return {"description": "Done; there is nothing to tell."}
        case str():
            return {"description": "Server-sent events.", "content": {STREAM: {"schema": {"type": "string"}}}}
        case _:
            described = (given.__doc__ or "").splitlines()[0]
            return {"description": described, "content": {JSON_TYPE: {"schema": references[given]}}}


def _parameters(resource: Resource) -> list[Json]:
    text = {"type": "string"}
    named: list[Json] = [
        {"name": name, "in": "path", "required": True, "schema": text} for name in _NAMES.findall(resource.path)
    ]
    if STREAM in resource.answers.values():
        named.append({"name": "Last-Event-ID", "in": "header", "required": False, "schema": text})
    if resource.query is None:
        return named
    _, components = msgspec.json.schema_components([resource.query], ref_template=_TEMPLATE)
    properties = components[resource.query.__name__]["properties"]
    # Enumerations of a query stand apart in msgspec's answer, and are put where they are used.
    return named + [
        {"name": name, "in": "query", "required": False, "schema": _resolved(of, components)}
        for name, of in properties.items()
    ]


def _resolved(schema: object, components: dict[str, Json]) -> object:
    match schema:
        case {"$ref": str(reference)}:
            return components[reference.rpartition("/")[2]]
        case dict():
            return {key: _resolved(value, components) for key, value in schema.items()}
        case list():
            return [_resolved(value, components) for value in schema]
        case _:
            return schema
