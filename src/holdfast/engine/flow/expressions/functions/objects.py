"""Functions on objects and JSON."""

from collections.abc import Mapping
from typing import Final

import msgspec

from holdfast.engine.flow.expressions.failures import EvaluationError
from holdfast.engine.flow.expressions.frame import Frame
from holdfast.engine.flow.expressions.functions.calling import eager, texts_in
from holdfast.engine.flow.expressions.kinds import kind_of
from holdfast.engine.flow.expressions.syntax import Function
from holdfast.engine.flow.expressions.written import json_text

Object = Mapping[str, object]


def _entries(_: Frame, value: Object) -> list[dict[str, object]]:
    return [{"key": key, "value": each} for key, each in value.items()]


def _from_entries(_: Frame, entries: list[object]) -> dict[str, object]:
    made: dict[str, object] = {}
    for entry in entries:
        if not isinstance(entry, Mapping) or not isinstance(entry.get("key"), str) or "value" not in entry:
            raise EvaluationError('from_entries() wants objects such as {"key": "a", "value": 1}')
        made[entry["key"]] = entry["value"]
    return made


def _merge(frame: Frame, *objects: Object) -> dict[str, object]:
    made: dict[str, object] = {}
    for each in objects:
        frame.budget.make(len(each))
        made.update(each)
    return made


def _pick(_: Frame, value: Object, keys: list[object]) -> dict[str, object]:
    return {key: value[key] for key in texts_in("pick", keys) if key in value}


def _omit(_: Frame, value: Object, keys: list[object]) -> dict[str, object]:
    left_out = set(texts_in("omit", keys))
    return {key: each for key, each in value.items() if key not in left_out}


def _get(_: Frame, value: object, key: object, otherwise: object = None) -> object:
    if isinstance(value, Mapping) and isinstance(key, str):
        return value.get(key, otherwise)
    if isinstance(value, list) and isinstance(key, int):
        return value[key] if -len(value) <= key < len(value) else otherwise
    raise EvaluationError(f"get() cannot look up {kind_of(key)} in {kind_of(value)}")


def _from_json(frame: Frame, text: str) -> object:
    frame.budget.make(len(text))
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise EvaluationError(f"from_json() cannot read it: {error}") from error


OBJECTS: Final[Mapping[str, Function]] = {
    "keys": eager(lambda _, value: list(value), "object", "object", "The names of its fields."),
    "values": eager(lambda _, value: list(value.values()), "object", "object", "What its fields hold."),
    "entries": eager(_entries, "object", "object", 'A list of `{"key": …, "value": …}`.'),
    "from_entries": eager(_from_entries, "list", "list", "The object that such a list stands for."),
    "merge": eager(_merge, "object", "object, …", "One object; later fields win.", rest=True),
    "pick": eager(_pick, "object list", "object, names", "Only these fields."),
    "omit": eager(_omit, "object list", "object, names", "All but these fields."),
    "get": eager(
        _get, "any any any", "value, key, otherwise", "A field or element, or `otherwise` (null).", optional=1
    ),
    "to_json": eager(lambda _, value: json_text(value), "any", "value", "The value as JSON text."),
    "from_json": eager(_from_json, "text", "text", "The value of JSON text; expressions in it stay text."),
}
