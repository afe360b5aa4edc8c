"""Reading the hints that msgspec refuses: unions of several classes, enums of mixed values, and what contains them.

JSON does not say which class an object was, so a union is told apart by what can be seen: null, a scalar or array
(at most what msgspec itself can tell apart), or an object, whose keys must then be those of exactly one class. Two
classes with the same fields are refused when the hint is registered, never guessed at when data arrives.
"""

import dataclasses
import functools
import operator
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import (
    Annotated,
    Literal,
    NamedTuple,
    NotRequired,
    Required,
    TypeGuard,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

import msgspec

from holdfast.sdk.payload_types import from_plain, is_model_class, problem_of_fields, unreadable_part

Reader = Callable[[object, str], object]
"""Makes the typed value of a plain JSON value; the text is the path, for the error."""

_ARRAYS = (list, set, frozenset)
_WRAPPERS = (Annotated, Required, NotRequired)


class Misfit(ValueError):
    """JSON that does not fit its hint; the message ends with the path."""


class UnreadableHint(TypeError):
    """A hint that nothing can be read as."""


class _Field(NamedTuple):
    name: str | None
    """The parameter of the class; None for what it sets itself."""
    key: str
    hint: object
    required: bool


def reader_of(hint: object) -> Reader:
    """A reader for any hint; raises UnreadableHint, saying why, if there can be none."""
    return _Readers().reader_of(hint, {})


class _Readers:
    """Builds the readers of one hint; records are remembered, for a class may contain itself."""

    def __init__(self) -> None:
        self._records: dict[object, _Record] = {}

    def reader_of(self, hint: object, variables: Mapping[object, object]) -> Reader:
        hint = _substituted(hint, variables)
        if not _mentions(hint, self._records):
            refusal = refusal_of_msgspec(hint)
            if refusal is None:
                return _converting(hint)
        else:
            refusal = ""
        return self._composed(hint, refusal)

    def _composed(self, hint: object, refusal: str) -> Reader:
        origin, arguments = get_origin(hint), get_args(hint)
        if origin in (Union, types.UnionType):
            return self._union(arguments)
        if origin in _WRAPPERS:
            return self.reader_of(arguments[0], {})
        if isinstance(hint, typing.NewType):
            return self.reader_of(hint.__supertype__, {})
        if origin in _ARRAYS:
            return _array(typing.cast("Callable[[Iterable[object]], object]", origin), self.reader_of(arguments[0], {}))
        if origin is tuple:
            return self._tuple(arguments)
        if origin is dict:
            return _mapping(self.reader_of(arguments[0], {}), self.reader_of(arguments[1], {}))
        if isinstance(hint, type) and issubclass(hint, Enum):
            return _enum(hint)
        return self._record(hint, refusal)

    def _tuple(self, arguments: tuple[object, ...]) -> Reader:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return _array(tuple, self.reader_of(arguments[0], {}))
        return _fixed_array([self.reader_of(argument, {}) for argument in arguments])

    def _record(self, hint: object, refusal: str) -> Reader:
        if hint in self._records:
            return self._records[hint].read
        fields = _fields_of(hint)
        if fields is None:
            raise UnreadableHint(refusal or f"{hint_name(hint)} cannot be read from JSON")
        cls = get_origin(hint) or hint
        problem = problem_of_fields(cls, [field.key for field in fields]) if _hides_fields(cls) else None
        if problem is not None:
            raise UnreadableHint(problem)
        record = self._records[hint] = _Record(cls, fields)
        variables = _variables_of(hint)
        record.readers = {field.key: self.reader_of(field.hint, variables) for field in fields}
        return record.read

    def _union(self, members: tuple[object, ...]) -> Reader:
        choices = [(member, names) for member in members if (names := _keys_of(member)) is not None]
        _check_distinct(choices)
        rest = tuple(member for member in members if member is not type(None) and _keys_of(member) is None)
        objects = [_Choice(member, names, self.reader_of(member, {})) for member, names in choices]
        if objects and any(_is_mapping(member) for member in rest):
            raise UnreadableHint(
                f"{hint_name(objects[0].hint)} and a dict cannot be told apart in JSON: both are objects"
            )
        return _Union(objects, self._rest(rest), optional=type(None) in members).read

    def _rest(self, members: tuple[object, ...]) -> Reader | None:
        if not members:
            return None
        if len(members) == 1:
            return self.reader_of(members[0], {})
        joined: object = functools.reduce(operator.or_, members)
        if refusal_of_msgspec(joined) is not None:
            names = " | ".join(hint_name(member) for member in members)
            raise UnreadableHint(f"the members of {names} cannot be told apart in JSON; make each a class of its own")
        return _converting(joined)


class _Choice(NamedTuple):
    hint: object
    keys: frozenset[str]
    read: Reader


class _Union(NamedTuple):
    objects: list[_Choice]
    rest: Reader | None
    optional: bool

    def read(self, value: object, path: str) -> object:
        if value is None and self.optional:
            return None
        if isinstance(value, dict) and self.objects:
            return self._choice_for(value.keys(), path).read(value, path)
        if self.rest is None:
            raise Misfit(f"Expected an object, got `{type(value).__name__}` - at `{path}`")
        return self.rest(value, path)

    def _choice_for(self, keys: Iterable[str], path: str) -> _Choice:
        """The class with exactly these keys, or else the only one that has them all (others may have defaults)."""
        given = frozenset(keys)
        fitting = [choice for choice in self.objects if given == choice.keys]
        fitting = fitting or [choice for choice in self.objects if given <= choice.keys]
        if len(fitting) != 1:
            names = ", ".join(hint_name(choice.hint) for choice in self.objects)
            how_many = "several" if fitting else "none"
            raise Misfit(f"the keys {sorted(given)} fit {how_many} of {names} - at `{path}`")
        return fitting[0]


class _Record:
    """Reads an object (or, for a named tuple, an array) field by field."""

    def __init__(self, cls: object, fields: list[_Field]) -> None:
        self._make = typing.cast("Callable[..., object]", cls)
        self._fields = fields
        self._as_array = isinstance(cls, type) and issubclass(cls, tuple)
        self.readers: dict[str, Reader] = {}

    def read(self, value: object, path: str) -> object:
        entries = self._entries(value, path)
        missing = [field.key for field in self._fields if field.required and field.key not in entries]
        if missing:
            raise Misfit(f"Object missing required field `{missing[0]}` - at `{path}`")
        given = [(field.name, field.key) for field in self._fields if field.name and field.key in entries]
        arguments = {name: self.readers[key](entries[key], f"{path}.{key}") for name, key in given}
        try:
            return self._make(**arguments)
        except (TypeError, ValueError) as error:
            raise Misfit(f"{error} - at `{path}`") from error

    def _entries(self, value: object, path: str) -> dict[str, object]:
        if self._as_array and isinstance(value, list):
            return dict(zip((field.key for field in self._fields), value, strict=False))
        if isinstance(value, dict) and not self._as_array:
            return value
        kind = "array" if self._as_array else "object"
        raise Misfit(f"Expected `{kind}`, got `{type(value).__name__}` - at `{path}`")


def _converting(hint: object) -> Reader:
    def read(value: object, path: str) -> object:
        try:
            return msgspec.convert(value, typing.cast("type[object]", hint), dec_hook=from_plain, str_keys=True)
        except msgspec.ValidationError as error:
            problem, _, inner = str(error).partition(" - at `$")
            raise Misfit(f"{problem} - at `{path}{inner.removesuffix('`')}`") from error

    return read


def _array(make: Callable[[Iterable[object]], object], read_item: Reader) -> Reader:
    def read(value: object, path: str) -> object:
        return make([read_item(item, f"{path}[{index}]") for index, item in enumerate(_list(value, path))])

    return read


def _fixed_array(readers: list[Reader]) -> Reader:
    def read(value: object, path: str) -> object:
        items = _list(value, path)
        if len(items) != len(readers):
            raise Misfit(f"Expected `array` of length {len(readers)}, got {len(items)} - at `{path}`")
        parts = enumerate(zip(readers, items, strict=True))
        return tuple(read_item(item, f"{path}[{index}]") for index, (read_item, item) in parts)

    return read


def _mapping(read_key: Reader, read_value: Reader) -> Reader:
    def read(value: object, path: str) -> object:
        if not isinstance(value, dict):
            raise Misfit(f"Expected `object`, got `{type(value).__name__}` - at `{path}`")
        return {read_key(key, path): read_value(item, f"{path}[{key!r}]") for key, item in value.items()}

    return read


def _enum(cls: type[Enum]) -> Reader:
    """Enums of any values; two values that look alike in JSON (1 and True, a tuple and a list) are refused."""
    members = {msgspec.json.encode(member.value): member for member in cls}
    if len(members) != len(cls):
        raise UnreadableHint(f"two values of {cls.__name__} are the same in JSON")

    def read(value: object, path: str) -> object:
        member = members.get(msgspec.json.encode(value))
        if member is None:
            raise Misfit(f"Invalid value {value!r} for {cls.__name__} - at `{path}`")
        return member

    return read


def _list(value: object, path: str) -> list[object]:
    if isinstance(value, list):
        return value
    raise Misfit(f"Expected `array`, got `{type(value).__name__}` - at `{path}`")


def refusal_of_msgspec(hint: object) -> str | None:
    """Why msgspec cannot read the hint; None if it can."""
    try:
        msgspec.json.Decoder(typing.cast("type[object]", hint), dec_hook=from_plain)
        problem = unreadable_part(hint)
    except TypeError as error:
        return str(error)
    except NameError as error:
        raise UnreadableHint(f"{error}; the types of fields must be names of the module of their class") from error
    if problem is None:
        return None
    raise UnreadableHint(problem)


def _mentions(hint: object, records: Mapping[object, object]) -> bool:
    """Whether a hint contains a class that msgspec has refused already: asking again would build it all again."""
    if get_origin(hint) in (Literal, Annotated):
        return get_origin(hint) is Annotated and _mentions(get_args(hint)[0], records)
    return hint in records or any(_mentions(argument, records) for argument in get_args(hint))


def _substituted(hint: object, variables: Mapping[object, object]) -> object:
    if isinstance(hint, TypeVar):
        return variables.get(hint, object)
    parameters = getattr(hint, "__parameters__", ())
    if not variables or not parameters or isinstance(hint, type):
        return hint
    indexed = typing.cast("Mapping[tuple[object, ...], object]", hint)
    return indexed[tuple(variables.get(parameter, object) for parameter in parameters)]


def _variables_of(hint: object) -> dict[object, object]:
    origin = get_origin(hint)
    return dict(zip(getattr(origin, "__parameters__", ()), get_args(hint), strict=False))


def _is_mapping(member: object) -> bool:
    origin = get_origin(member) or member
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _check_distinct(choices: list[tuple[object, frozenset[str]]]) -> None:
    for index, (member, keys) in enumerate(choices):
        for other, other_keys in choices[:index]:
            if keys == other_keys:
                names = f"{hint_name(other)} and {hint_name(member)}"
                raise UnreadableHint(
                    f"{names} have the same fields and cannot be told apart in JSON; "
                    "give one a field of its own, or make both msgspec.Struct with tag=True"
                )


def _keys_of(member: object) -> frozenset[str] | None:
    """The keys that the JSON object of a class has; None for what is no object of fixed keys."""
    if is_model_class(member):
        fields: dict[str, object] = getattr(member, "model_fields", {})
        computed: dict[str, object] = getattr(member, "model_computed_fields", {})
        names = {getattr(field, "serialization_alias", None) or name for name, field in fields.items()}
        return frozenset(names | computed.keys())
    origin = get_origin(member) or member
    if isinstance(origin, type) and issubclass(origin, tuple):
        return None
    fields_of = _fields_of(member)
    return None if fields_of is None else frozenset(field.key for field in fields_of)


def _fields_of(hint: object) -> list[_Field] | None:
    """The fields of a class that is a record of some kind; None for anything else."""
    cls = get_origin(hint) or hint
    if not isinstance(cls, type):
        return None
    if issubclass(cls, msgspec.Struct):
        return _struct_fields(cls)
    if dataclasses.is_dataclass(cls):
        return _dataclass_fields(cls)
    attributes: Iterable[object] | None = getattr(cls, "__attrs_attrs__", None)
    if attributes is not None:
        return _attrs_fields(cls, attributes)
    if typing.is_typeddict(cls) or (issubclass(cls, tuple) and hasattr(cls, "_fields")):
        return _typing_fields(cls)
    return None


def _hides_fields(cls: object) -> TypeGuard[type]:
    return dataclasses.is_dataclass(cls) or hasattr(cls, "__attrs_attrs__")


def _struct_fields(cls: type[msgspec.Struct]) -> list[_Field]:
    fields = msgspec.structs.fields(cls)
    return [_Field(field.name, field.encode_name, field.type, field.required) for field in fields]


def _dataclass_fields(cls: type) -> list[_Field]:
    hints = typing.get_type_hints(cls, include_extras=True)
    absent = dataclasses.MISSING
    return [
        _Field(
            field.name if field.init else None,
            field.name,
            hints[field.name],
            required=field.init and field.default is absent and field.default_factory is absent,
        )
        for field in dataclasses.fields(cls)
    ]


def _attrs_fields(cls: type, attributes: Iterable[object]) -> list[_Field]:
    hints = typing.get_type_hints(cls, include_extras=True)
    fields = []
    for attribute in attributes:
        name, alias, default, init = (getattr(attribute, part) for part in ("name", "alias", "default", "init"))
        required = init and getattr(default, "name", None) == "NOTHING"
        fields.append(_Field(alias if init else None, name, hints.get(name, object), required))
    return fields


def _typing_fields(cls: type) -> list[_Field]:
    """The fields of a TypedDict or a NamedTuple."""
    hints = typing.get_type_hints(cls, include_extras=True)
    defaults: Mapping[str, object] = getattr(cls, "_field_defaults", {})
    required: Iterable[str] = getattr(cls, "__required_keys__", hints.keys() - defaults.keys())
    return [_Field(name, name, hint, name in required) for name, hint in hints.items()]


def hint_name(hint: object) -> str:
    """A hint as its author wrote it, near enough."""
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint).replace("typing.", "")
