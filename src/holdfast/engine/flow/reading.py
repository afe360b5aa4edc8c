"""JSON into structs, field by field, so that every wrong field is reported and not just the first."""

from collections.abc import Mapping
from typing import TypeVar

import msgspec
from msgspec.structs import FieldInfo

from holdfast.engine.flow.expressions.kinds import kind_of
from holdfast.engine.flow.problems import Problems, described, hint
from holdfast.engine.flow.values import Value

S = TypeVar("S", bound=msgspec.Struct)

MAX_UNKNOWN_SHOWN = 5
MAX_UNKNOWN_NAME = 100


def read_value(wanted: type, given: object) -> object:
    """How msgspec reads the types that it does not know."""
    if issubclass(wanted, Value):
        return wanted.read(given)
    if wanted is object:
        return given
    raise NotImplementedError(f"{wanted} is no type of a parameter")


def read_struct(model: type[S], given: object, path: str, problems: Problems) -> S | None:
    """The struct that the JSON stands for; None, and the problems, if it stands for none."""
    if not isinstance(given, Mapping):
        problems.add(path, "TYPE", f"must be an object, not {kind_of(given)}")
        return None
    fields = {field.encode_name: field for field in msgspec.structs.fields(model)}
    sound = _no_unknown_fields(fields, given, path, problems)
    read: dict[str, object] = {}
    for key, field in fields.items():
        if key in given:
            sound &= _read_field(field, given[key], f"{path}.{key}", read, problems)
        elif field.required:
            problems.add(f"{path}.{key}", "MISSING", "is missing")
            sound = False
    return _made(model, read, path, problems) if sound else None


def _no_unknown_fields(
    fields: Mapping[str, FieldInfo], given: Mapping[object, object], path: str, problems: Problems
) -> bool:
    unknown = [key for key in given if key not in fields]
    for key in unknown[:MAX_UNKNOWN_SHOWN]:
        name = str(key)[:MAX_UNKNOWN_NAME]
        rest = hint(name, fields, f"; there are {', '.join(fields)}" if fields else "; there are none")
        problems.add(f"{path}.{name}", "UNKNOWN_FIELD", f"there is no field {name!r}{rest}")
    return not unknown


def _read_field(field: FieldInfo, given: object, path: str, read: dict[str, object], problems: Problems) -> bool:
    try:
        read[field.name] = msgspec.convert(given, field.type, dec_hook=read_value)
    except msgspec.ValidationError as error:
        place, reason = described(error, path)
        problems.add(place, "INVALID", reason)
        return False
    return True


def _made(model: type[S], read: dict[str, object], path: str, problems: Problems) -> S | None:
    try:
        return model(**read)
    except ValueError as error:
        problems.add(path, "INVALID", str(error))
        return None
