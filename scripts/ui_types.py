"""Writes ui/src/api/schema.d.ts, the types of the REST API, from its OpenAPI description; only type checks read it."""

from pathlib import Path
from typing import Any

from holdfast.server.rest.openapi import description
from holdfast.server.rest.routes import BASE

TARGET = Path(__file__).parents[1] / "ui/src/api/schema.d.ts"
SIMPLE = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def typescript(document: dict[str, Any]) -> str:
    """The whole file."""
    lines = ["// Generated from the OpenAPI description by scripts/ui_types.py."]
    for name, schema in sorted(document["components"]["schemas"].items()):
        lines.append(f"export type {name} = {type_of(schema)};")
    lines.append("export interface Operations {")
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            lines.append(f"  {_quoted(f'{method.upper()} {path.removeprefix(BASE)}')}: {_operation(operation)};")
    return "\n".join([*lines, "}", ""])


def _operation(operation: dict[str, Any]) -> str:
    parameters = operation["parameters"]
    named = [each for each in parameters if each["in"] == "path" and each["name"] != "tenant_id"]
    asked = [each for each in parameters if each["in"] == "query"]
    body = operation.get("requestBody")
    answers = [
        _content(each) for status, each in operation["responses"].items() if status != "default" and status < "300"
    ]
    return (
        f"{{ names: {_fields([(each['name'], each['schema'], True) for each in named])}; "
        f"query: {_fields([(each['name'], each['schema'], False) for each in asked])}; "
        f"body: {_content(body) if body else 'undefined'}; answer: {_union(answers)} }}"
    )


def _content(part: dict[str, Any]) -> str:
    for media in part.get("content", {}).values():
        return type_of(media["schema"])
    return "undefined"


def type_of(schema: dict[str, Any]) -> str:
    """The TypeScript type of a JSON schema."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "enum" in schema:
        return _union([_quoted(str(each)) for each in schema["enum"]])
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return _union([type_of(each) for each in schema[choice]])
    match schema.get("type"):
        case "array":
            return f"Array<{type_of(schema.get('items', {}))}>"
        case "object":
            return _object(schema)
        case list() as several:
            return _union([SIMPLE[each] for each in several])
        case str() as name:
            return SIMPLE[name]
        case _:
            return "unknown"


def _object(schema: dict[str, Any]) -> str:
    if "properties" not in schema:
        values = schema.get("additionalProperties")
        return f"Record<string, {type_of(values) if isinstance(values, dict) else 'unknown'}>"
    required = set(schema.get("required", ()))
    return _fields([(name, of, name in required) for name, of in schema["properties"].items()])


def _fields(fields: list[tuple[str, dict[str, Any], bool]]) -> str:
    written = [f"{_quoted(name)}{'' if required else '?'}: {type_of(of)}" for name, of, required in fields]
    return f"{{ {'; '.join(written)} }}"


def _union(types: list[str]) -> str:
    unique = list(dict.fromkeys(types))
    return "unknown" if "unknown" in unique else " | ".join(unique) or "never"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


if __name__ == "__main__":
    TARGET.write_text(typescript(description()), encoding="utf-8")
