"""The one rule for JSON: what databases and languages disagree on is refused, with the path."""

import dataclasses
import json
from enum import Enum

import attrs
import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.model.errors import NotSerialisable, PayloadTooLarge
from holdfast.sdk.payload import checked_json, encode
from holdfast.sdk.payload_rules import MAX_DEPTH, depth_of, first_offence


@dataclasses.dataclass
class Reading:
    value: float
    note: str | None = None


class Packed(msgspec.Struct):
    reading: Reading


@attrs.define
class Wrapped:
    packed: Packed


class Model(pydantic.BaseModel):
    value: float
    text: str = ""


class Unwritable(pydantic.BaseModel):
    text: bytes = b"\xff"


class Infinite(Enum):
    UP = float("inf")


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


def refused(value: object) -> str:
    with pytest.raises(NotSerialisable) as caught:
        encode(value, what="x")
    return str(caught.value).removeprefix("x cannot be written as JSON: ")


def refused_json(data: bytes) -> str:
    with pytest.raises(NotSerialisable) as caught:
        checked_json(data, what="the body")
    return str(caught.value).removeprefix("the body is refused: ")


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (float("nan"), "$"),
        ({"a": [None, float("-inf")]}, "$.a[1]"),
        (Wrapped(Packed(Reading(float("inf")))), "$.packed.reading.value"),
        ({"not a name": float("nan")}, "$['not a name']"),
        (Infinite.UP, "$"),
        ((0, float("nan")), "$[1]"),
    ],
)
def test_numbers_that_json_does_not_have(value: object, path: str) -> None:
    message = refused(value)
    assert "is a number that JSON does not have; use None or a str" in message
    assert message.endswith(f"at `{path}`")


def test_a_none_is_no_nan() -> None:
    assert encode([Reading(1.0), None], what="x") == b'[{"value":1.0,"note":null},null]'


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**64, 10**40, 10**5000], ids=int.bit_length)
def test_integers_beyond_64_bits(number: int) -> None:
    assert refused({"n": [number]}) == (
        f"an integer of {number.bit_length()} bits is beyond 64 bits signed; pass it as str or Decimal - at `$.n[0]`"
    )


@pytest.mark.parametrize(
    "value",
    [
        2**63 - 1,
        -(2**63),
        10**18,
        1.2345678901234567e-9,
        1e300,
        123456789012345678901.0,
        "9" * 50,
        "1" * 19,
        {"9" * 30: 1},
    ],
)
def test_long_numbers_that_are_fine(value: object) -> None:
    assert json.loads(encode(value, what="x")) == value


def test_nul_in_text() -> None:
    problem = "text with a NUL character cannot be stored by every database; pass bytes or remove it"
    assert refused(Packed(Reading(1, "a\0b"))) == f"{problem} - at `$.reading.note`"


def test_what_only_looks_like_nul() -> None:
    assert json.loads(encode(r"a\u0000", what="x")) == r"a\u0000"


def test_half_a_surrogate_pair() -> None:
    problem = r"text with half of a surrogate pair ('\ud800') is not Unicode; pass bytes or replace it"
    assert refused(["ok", "\ud800"]) == f"{problem} - at `$[1]`"


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        ("a\0", "a key of a dict does not fit: text with a NUL"),
        ("\udc00", "a key of a dict does not fit: text with half"),
        (2**70, "a key of a dict does not fit: an integer of 71 bits"),
        (True, "a key of a dict is True; only str and number-like keys have a JSON form"),
        (None, "a key of a dict is None"),
        ((1, 2), "a key of a dict of type tuple has no JSON form"),
    ],
)
def test_keys(key: object, problem: str) -> None:
    message = refused({"d": {key: 1}})
    assert message.startswith(problem)
    assert "$.d[key " in message


def test_deep_nesting() -> None:
    assert encode(nested(MAX_DEPTH), what="x")
    message = refused(nested(MAX_DEPTH + 1))
    assert message.startswith("nests deeper than 100 levels, or contains itself - at `$[0][0]")
    assert "…" in message
    assert len(message) < 300


def test_a_value_that_contains_itself() -> None:
    loop: list[object] = []
    loop.append(loop)
    assert refused(loop).startswith("nests deeper than 100 levels, or contains itself")


def test_brackets_in_text_are_no_nesting() -> None:
    value = ["[{" * 200, '"' + "[" * 200, "\\" + "]" * 200, "\\" * 3 + '"[']
    assert json.loads(encode(value, what="x")) == value


def test_text_cannot_hide_nesting() -> None:
    data = b'["]",' * 150 + b"1" + b',"["]' * 150
    assert depth_of(data) > MAX_DEPTH


@given(st.recursive(st.text('"\\[]{}a'), lambda part: st.lists(part) | st.dictionaries(st.text('"\\[]{}'), part)))
def test_depth_is_exact(value: object) -> None:
    data = msgspec.json.encode([value, [["x"]] * (MAX_DEPTH + 1)])
    assert depth_of(data) == max(1 + measured_depth(value), 3)


def measured_depth(value: object) -> int:
    if not isinstance(value, list | dict):
        return 0
    parts = value.values() if isinstance(value, dict) else value
    return 1 + max((measured_depth(part) for part in parts), default=0)


def test_problems_inside_pydantic_models() -> None:
    assert "nan is a number that JSON does not have; use None or a str (in the model, `$.value`)" in refused(
        [None, Model(value=float("nan"))]
    )
    assert "NUL character" in refused(Model(value=1, text="\0"))
    assert refused([Unwritable()]).startswith("the model cannot be dumped: ")


def test_a_sound_value_has_no_offence() -> None:
    assert (
        first_offence({"a": [Model(value=1), Reading(1.0), Wrapped(Packed(Reading(1.0))), 3, b"", Infinite]})
        is not None
    )
    assert first_offence({"a": [Model(value=1), Reading(1.0), Wrapped(Packed(Reading(1.0))), 3, b""], 1: 2}) is None


def test_checked_json_is_compact() -> None:
    assert checked_json(b' { "a" : [ 1 , 2.50, "\\u00e9\\u003a" ] } ', what="x") == '{"a":[1,2.5,"é:"]}'.encode()


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b'{"n":[NaN]}', "JSON is malformed: invalid character"),
        (b'{"n":[1e999]}', "inf is a number that JSON does not have; use None or a str - at `$.n[0]`"),
        (b"[" + b"1" * 5000 + b"]", "is beyond 64 bits signed; pass it as str or Decimal - at `$[0]`"),
        (b'{"n":18446744073709551616}', "an integer of 65 bits is beyond 64 bits signed"),
        (b'{"n":-9223372036854775809}', "an integer of 64 bits is beyond 64 bits signed"),
        (b'["\\u0000"]', "text with a NUL character"),
        (
            b'{"a":"\\ud800"}',
            "half of a surrogate pair ('\\ud800') is not Unicode; pass bytes or replace it - at `$.a`",
        ),
        (b'["\\udc00"', "JSON is malformed: invalid utf-16 surrogate pair"),
        (b'["\xff"]', "it is not UTF-8 (byte 0xff is out of place)"),
        (b"[" * 101 + b"]" * 101, "nests deeper than 100 levels"),
        (b"[" * 9000 + b"]" * 9000, "it nests deeper than 100 levels"),
        (b'{"a":1,"b":{"x":1,"x":2}}', "an object has the key 'x' more than once"),
        (b'{"a":1,"\\u0061":2,"c":"\\u003a"}', "an object has the key 'a' more than once"),
        (b'{"a":' + b"[" * 200 + b"]" * 200 + b',"a":1}', "it nests deeper than 100 levels"),
        (b'{"a":12345678901234567890123,"a":1}', "an object has the key 'a' more than once"),
        (b"[1,]", "trailing comma"),
        (b"", "Input data was truncated"),
        (b"[" * 150 + b"1e999" + b"]" * 150, "Number out of range"),
    ],
)
def test_foreign_json_is_refused(data: bytes, problem: str) -> None:
    assert problem in refused_json(data)


def test_foreign_json_that_is_too_large() -> None:
    with pytest.raises(PayloadTooLarge, match="the body is 5 bytes, the limit is 4"):
        checked_json(b'"123"', what="the body", limit=4)


@given(st.binary())
def test_any_bytes_are_accepted_or_refused(data: bytes) -> None:
    try:
        compact = checked_json(data, what="x")
    except NotSerialisable:
        return
    assert checked_json(compact, what="x") == compact
