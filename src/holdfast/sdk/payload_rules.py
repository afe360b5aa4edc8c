"""The one rule for JSON that every store, every wire and Python itself can hold.

Refused, with the path: NaN and infinities, integers beyond 64 bits signed, NUL characters and halves of surrogate pairs
in text, nesting beyond MAX_DEPTH, and in JSON from outside also duplicate keys and bytes that are not UTF-8. A value
is encoded first; cheap scans of the bytes decide whether anything can be wrong, and only then is the value walked.
"""

import dataclasses
import math
import re
from collections.abc import Callable, Iterator
from enum import Enum
from typing import NamedTuple

import msgspec

from holdfast.model.errors import shown
from holdfast.sdk.payload_types import is_model, to_plain

MAX_DEPTH = 100
LARGEST_INTEGER = 2**63 - 1
SMALLEST_INTEGER = -(2**63)
MAX_PATH_SHOWN = 160

_LONG_NUMBER = 19
"""The digits of the largest integer: anything shorter fits."""

_DIGITS_TO_ZERO = bytes.maketrans(b"123456789", b"000000000")
_LONG_RUN = b"0" * _LONG_NUMBER
_RUN = re.compile(rb"0+")
_BRACES_TO_BRACKETS = bytes.maketrans(b"{}", b"[]")
_NO_STRUCTURE = bytes(byte for byte in range(256) if byte not in b'[]{}"')
_NOT_FINITE_IN_MSGPACK = re.compile(rb"\xcb[\x7f\xff][\xf0-\xff]")
_SURROGATE = re.compile("[\ud800-\udfff]")

ENCODER = msgspec.json.Encoder(enc_hook=to_plain)
_to_msgpack = msgspec.msgpack.Encoder(enc_hook=to_plain).encode


class Offence(NamedTuple):
    """What breaks the rule, and where."""

    path: str
    problem: str

    def __str__(self) -> str:
        path = self.path
        if len(path) > MAX_PATH_SHOWN:
            path = f"{path[: MAX_PATH_SHOWN // 2]}…{path[-MAX_PATH_SHOWN // 2 :]}"
        return f"{self.problem} - at `{path}`"


class _Key(NamedTuple):
    key: object


_Child = tuple[str, object]


def offence_in_encoded(value: object, data: bytes) -> Offence | None:
    """What breaks the rule in a value of which `data` is the encoding."""
    if (
        (b"\\" in data and b"\\u0000" in data)
        or (len(data) >= _LONG_NUMBER and _holds_long_integer(data))
        or (len(data) > 2 * MAX_DEPTH and depth_of(data) > MAX_DEPTH)
        or (b"null" in data and _holds_nan(value))
    ):
        return first_offence(value)
    return None


def _holds_nan(value: object) -> bool:
    """Whether there may be a NaN or infinity, which msgspec writes as null in JSON, but in full in MessagePack."""
    if value is None:
        return False
    try:
        return _NOT_FINITE_IN_MSGPACK.search(_to_msgpack(value)) is not None
    except (TypeError, ValueError, OverflowError, RecursionError):
        return True


def _holds_long_integer(data: bytes) -> bool:
    """Whether there may be an integer beyond 64 bits (or text that looks like one)."""
    zeros = data.translate(_DIGITS_TO_ZERO)
    start = zeros.find(_LONG_RUN)
    while start >= 0:
        run = _RUN.match(zeros, start)
        end = start if run is None else run.end()
        if _is_too_long(data, start, end):
            return True
        start = zeros.find(_LONG_RUN, end)
    return False


def _is_too_long(data: bytes, start: int, end: int) -> bool:
    if data[start - 1 : start] in (b".", b"+") or data[end : end + 1] in (b".", b"e", b"E"):
        return False
    # To compare 20 digits is enough, and Python refuses to read more than 4,300.
    return end - start > _LONG_NUMBER or int(data[start:end]) > LARGEST_INTEGER


def depth_of(data: bytes) -> int:
    """How deep well-formed JSON nests, counted up to just beyond MAX_DEPTH; 0 if it cannot be as deep.

    Text is taken out, until only brackets are left; then each pass takes away the innermost pairs: a hundred passes
    in C instead of a step in Python for every character.
    """
    if data.count(b"[") + data.count(b"{") <= MAX_DEPTH:
        return 0
    if b"\\" in data:
        data = data.replace(rb"\\", b"").replace(rb"\"", b"")
    brackets = data.translate(_BRACES_TO_BRACKETS, _NO_STRUCTURE).replace(b'""', b"")
    if b'"' in brackets:
        brackets = b"".join(brackets.split(b'"')[::2])
    depth = 0
    while brackets and depth <= MAX_DEPTH:
        brackets = brackets.replace(b"[]", b"")
        depth += 1
    return depth


def first_offence(value: object) -> Offence | None:
    """The first part of a value that breaks the rule or has no JSON form, depth first."""
    waiting: list[tuple[object, str, int]] = [(value, "$", 0)]
    while waiting:
        item, path, depth = waiting.pop()
        children = _children_of(item)
        if children is None:
            problem = _problem_of(item)
            if problem is not None:
                return Offence(path, problem)
        elif depth >= MAX_DEPTH:
            return Offence(path, f"nests deeper than {MAX_DEPTH} levels, or contains itself")
        else:
            waiting.extend([(child, path + step, depth + 1) for step, child in children][::-1])
    return None


def _children_of(item: object) -> list[_Child] | None:
    """The parts of a container with their steps in the path; None for what has no parts."""
    if isinstance(item, dict):
        return list(_entries(item))
    if isinstance(item, list | set | frozenset) or (isinstance(item, tuple) and not isinstance(item, _Key)):
        return [(f"[{index}]", child) for index, child in enumerate(item)]
    names = _field_names(item)
    if names is None:
        return None
    return [(f".{name}", getattr(item, name)) for name in names if hasattr(item, name)]


def _entries(item: dict[object, object]) -> Iterator[_Child]:
    for key, child in item.items():
        text = _key_text(key)
        yield f"[key {text}]", _Key(key)
        yield f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{text}]", child


def _key_text(key: object) -> str:
    try:
        return shown(key)
    except (ValueError, RecursionError):  # such as an integer of 5,000 digits
        return type(key).__name__


def _field_names(item: object) -> list[str] | None:
    if isinstance(item, msgspec.Struct):
        return list(item.__struct_fields__)
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        return [field.name for field in dataclasses.fields(item)]
    attributes = getattr(type(item), "__attrs_attrs__", None)
    return None if attributes is None else [attribute.name for attribute in attributes]


def _problem_of(item: object) -> str | None:
    """Why a value without parts cannot be written."""
    if isinstance(item, _Key):
        return _problem_of_key(item.key)
    if isinstance(item, Enum):
        inner = first_offence(item.value)
        return None if inner is None else inner.problem
    if isinstance(item, str):
        return _problem_of_text(item)
    if isinstance(item, int):
        return _problem_of_integer(item)
    if isinstance(item, float):
        return None if math.isfinite(item) else f"{item} is a number that JSON does not have; use None or a str"
    return _problem_of_object(item)


def _problem_of_key(key: object) -> str | None:
    if isinstance(key, bool) or key is None:
        return f"a key of a dict is {key}; only str and number-like keys have a JSON form"
    problem = _problem_of(key)
    if problem is not None:
        return f"a key of a dict does not fit: {problem}"
    return _encoding_problem({key: None}, f"a key of a dict of type {_type_name(key)}")


def _problem_of_text(text: str) -> str | None:
    if "\0" in text:
        return "text with a NUL character cannot be stored by every database; pass bytes or remove it"
    half = _SURROGATE.search(text)
    if half is not None:
        return f"text with half of a surrogate pair ({half.group()!r}) is not Unicode; pass bytes or replace it"
    return None


def _problem_of_integer(number: int) -> str | None:
    if SMALLEST_INTEGER <= number <= LARGEST_INTEGER:
        return None
    return f"an integer of {number.bit_length()} bits is beyond 64 bits signed; pass it as str or Decimal"


def _problem_of_object(item: object) -> str | None:
    if is_model(item):
        return _problem_of_model(lambda: to_plain(item))
    return _encoding_problem(item, f"an object of type {_type_name(item)}")


def _problem_of_model(dump: Callable[[], object]) -> str | None:
    """The first problem inside a pydantic model, with its place in it."""
    try:
        inner = first_offence(dump())
    except (TypeError, ValueError) as error:
        return f"the model cannot be dumped: {error}"
    return None if inner is None else f"{inner.problem} (in the model, `{inner.path}`)"


def _encoding_problem(item: object, name: str) -> str | None:
    try:
        ENCODER.encode(item)
    except (TypeError, ValueError, RecursionError):
        return f"{name} has no JSON form; use a dataclass, a msgspec.Struct, a pydantic model or plain values"
    return None


def _type_name(item: object) -> str:
    cls = type(item)
    return cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
