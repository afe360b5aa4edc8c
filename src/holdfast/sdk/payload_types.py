"""The types beyond msgspec's own: pydantic models, paths and subclasses of the JSON scalars."""

from pathlib import PurePath
from typing import Protocol, TypeGuard

import msgspec
import msgspec.inspect


class PydanticModel(Protocol):
    """What we use of a pydantic model; pydantic itself is never imported here."""

    def model_dump(self, *, mode: str, by_alias: bool) -> object: ...


class PydanticValidator(Protocol):
    """The compiled validator of a pydantic model class."""

    def validate_json(self, data: bytes) -> object: ...


class PydanticModelClass(Protocol):
    """A pydantic model class."""

    __pydantic_validator__: PydanticValidator


def is_model_class(hint: object) -> TypeGuard[PydanticModelClass]:
    """Whether this is a pydantic model class; a pydantic dataclass is a dataclass like any other."""
    return isinstance(hint, type) and hasattr(hint, "__pydantic_validator__") and hasattr(hint, "model_dump_json")


def is_model(value: object) -> TypeGuard[PydanticModel]:
    """Whether this is an instance of a pydantic model."""
    return is_model_class(type(value))


def to_plain(value: object) -> object:
    """What msgspec shall write in place of a value that it does not know."""
    if is_model(value):
        return value.model_dump(mode="json", by_alias=True)
    if isinstance(value, PurePath):
        return str(value)
    for scalar in (str, int, float):
        # msgspec asks for a bool only where it is a key, and 1 is not what True comes back as.
        if isinstance(value, scalar) and not isinstance(value, bool):
            return scalar(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def from_plain(hint: type, value: object) -> object:
    """The value of a type that msgspec does not know, from what `to_plain` made of it."""
    if hint is object:
        return value
    if is_model_class(hint):
        return validated(hint, msgspec.json.encode(value))
    if issubclass(hint, PurePath):
        if isinstance(value, str):
            return hint(value)
        raise ValueError(f"Expected a path as `str`, got `{type(value).__name__}`")
    raise TypeError(f"{hint.__name__} cannot be read from JSON")


def validated(model_class: PydanticModelClass, data: bytes) -> object:
    """The model that the JSON stands for; JSON mode lets strict models accept dates and the like as text."""
    try:
        return model_class.__pydantic_validator__.validate_json(data)
    except ValueError as error:
        raise ValueError(_pydantic_problem(error)) from error


def _pydantic_problem(error: ValueError) -> str:
    """All that pydantic found, on one line: it writes three lines a finding, with a link in each."""
    findings_of = getattr(error, "errors", None)
    if findings_of is None:
        return str(error)
    findings: list[dict[str, object]] = findings_of(include_url=False, include_input=False, include_context=False)
    return "; ".join(f"{finding['msg']} (in the model, `{_location(finding['loc'])}`)" for finding in findings)


def _location(steps: object) -> str:
    parts = steps if isinstance(steps, tuple) else ()
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in parts)


def unreadable_part(hint: object) -> str | None:
    """What inside a hint would not survive the trip through JSON: better refused at registration than lost later."""
    waiting: list[object] = [msgspec.inspect.type_info(hint)]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting.extend(node)
        elif isinstance(node, msgspec.Struct) and id(node) not in seen:
            seen.add(id(node))
            problem = _problem_of_type(node)
            if problem is not None:
                return problem
            waiting.extend(getattr(node, name) for name in node.__struct_fields__)
    return None


def _problem_of_type(node: msgspec.Struct) -> str | None:
    if isinstance(node, msgspec.inspect.CustomType) and not _is_readable(node.cls):
        return f"{node.cls.__name__} is no such type; use a dataclass, a msgspec.Struct or a pydantic model"
    if isinstance(node, msgspec.inspect.DataclassType):
        return problem_of_fields(node.cls, [field.name for field in node.fields])
    return None


def problem_of_fields(cls: type, names: list[str]) -> str | None:
    """msgspec leaves out the fields of a dataclass or attrs class that begin with an underscore, silently."""
    for name in names:
        if name.startswith("_"):
            problem = f"field {name!r} of {cls.__name__} is not written, for its name begins with an underscore"
            return f"{problem}; rename it, or make the class a msgspec.Struct or a pydantic model"
    return None


def _is_readable(cls: type) -> bool:
    return cls is object or is_model_class(cls) or issubclass(cls, PurePath)
