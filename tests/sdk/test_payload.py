"""Values of every supported type survive the trip through JSON, nested in each other, and misfits are named."""

import dataclasses
import datetime as dt
import enum
import math
import sys
import uuid
from decimal import Decimal
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, NotRequired, TypedDict, TypeVar

import attrs
import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.model.errors import NotSerialisable, PayloadTooLarge
from holdfast.sdk.payload import MAX_PAYLOAD_BYTES, decode, decoder_for, encode

T = TypeVar("T")
OrderId = NewType("OrderId", str)


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Odd(enum.Enum):
    HALF = 0.5
    PAIR = (1, 2)


@dataclasses.dataclass
class Line:
    sku: str
    count: int
    price: Decimal


class Struct(msgspec.Struct):
    name: str
    line: Line


class Model(pydantic.BaseModel):
    when: dt.datetime
    amount: Decimal
    tags: set[str] = set()


class StrictModel(pydantic.BaseModel, strict=True):
    when: dt.datetime
    label: str = pydantic.Field(alias="Label")


@attrs.define
class Attributes:
    model: Model
    flag: bool = False


class Typed(TypedDict):
    name: str
    line: NotRequired[Line]


class Pair(NamedTuple):
    left: int
    right: Line


@dataclasses.dataclass
class Box(Generic[T]):
    content: T


@dataclasses.dataclass
class Everything:
    model: Model
    lines: list[Line]
    by_name: dict[str, Struct]
    pair: Pair
    attributes: Attributes
    odd: Odd | None = None


LINE = Line("a", 2, Decimal("1.10"))
MODEL = Model(when=dt.datetime(2026, 1, 2, tzinfo=dt.UTC), amount=Decimal("0.10"), tags={"x"})
EVERYTHING = Everything(MODEL, [LINE], {"s": Struct("s", LINE)}, Pair(1, LINE), Attributes(MODEL), Odd.PAIR)


def round_trip(value: object, hint: object) -> object:
    return decode(encode(value, what="a value"), hint, what="a value")


def refused(value: object) -> str:
    with pytest.raises(NotSerialisable) as caught:
        encode(value, what="the input of task 'pack'")
    return str(caught.value)


def misfit(data: bytes, hint: object) -> str:
    with pytest.raises(NotSerialisable) as caught:
        decode(data, hint, what="the result")
    return str(caught.value)


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (LINE, Line),
        (Struct("s", LINE), Struct),
        (MODEL, Model),
        (StrictModel(when=dt.datetime(2026, 1, 2, tzinfo=dt.UTC), Label="x"), StrictModel),
        ([MODEL], list[Model]),
        ({"m": MODEL}, dict[str, Model]),
        (Attributes(MODEL, True), Attributes),
        ({"name": "x", "line": LINE}, Typed),
        (Pair(1, LINE), Pair),
        (Box(LINE), Box[Line]),
        (Box([MODEL]), Box[list[Model]]),
        (EVERYTHING, Everything),
        (Colour.RED, Colour),
        (Level.HIGH, Level),
        (Odd.HALF, Odd),
        (Odd.PAIR, Odd),
        ({Colour.BLUE: 1}, dict[Colour, int]),
        (dt.date(2026, 1, 2), dt.date),
        (dt.time(1, 2, 3, 4), dt.time),
        (uuid.UUID(int=7), uuid.UUID),
        (b"\x00\xff", bytes),
        ({1, 2}, set[int]),
        (frozenset({"a"}), frozenset[str]),
        ((1, "a"), tuple[int, str]),
        ((1, 2, 3), tuple[int, ...]),
        (Path("/tmp/x"), Path),
        ({"p": PurePosixPath("a/b")}, dict[str, PurePosixPath]),
        (None, str | None),
        ("x", int | str | None),
        ("on", Literal["on", "off"]),
        (OrderId("17"), OrderId),
        (5, Annotated[int, msgspec.Meta(ge=1)]),
        (5, Annotated[int, ["unhashable"]]),
        ({"a": [1, 2.5, None, True, "x"]}, object),
        ({"a": [1]}, Any),
        (None, None),
    ],
)
def test_round_trip(value: object, hint: object) -> None:
    assert round_trip(value, hint) == value


@given(st.datetimes() | st.datetimes(timezones=st.just(dt.UTC)))
def test_datetimes_are_exact(value: dt.datetime) -> None:
    assert round_trip(value, dt.datetime) == value


@given(st.timedeltas())
def test_timedeltas_are_exact(value: dt.timedelta) -> None:
    assert round_trip(value, dt.timedelta) == value


@given(st.decimals(allow_nan=False))
def test_decimals_keep_every_digit(value: Decimal) -> None:
    assert str(round_trip(value, Decimal)) == str(value)


@given(st.binary())
def test_bytes_are_exact(value: bytes) -> None:
    assert round_trip(value, bytes) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_exact(value: float) -> None:
    again = round_trip(value, float)
    assert isinstance(again, float)
    assert again == value
    assert math.copysign(1, again) == math.copysign(1, value)


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
)
PLAIN = st.recursive(SCALARS | TEXT, lambda part: st.lists(part) | st.dictionaries(TEXT, part))


@given(PLAIN)
def test_plain_json_comes_back_as_it_was(value: object) -> None:
    assert round_trip(value, object) == value


@given(st.lists(st.builds(Line, TEXT, st.integers(0, 100), st.decimals(allow_nan=False))))
def test_dataclasses_come_back_as_they_were(value: list[Line]) -> None:
    assert round_trip(value, list[Line]) == value


def test_subclasses_of_scalars_are_written_as_the_scalar() -> None:
    class Text(str):
        __slots__ = ()

    class Number(int):
        pass

    class Ratio(float):
        pass

    assert encode([Text("a"), Number(1), Ratio(0.5)], what="x") == b'["a",1,0.5]'


def test_a_pydantic_class_is_needed_for_none_of_it() -> None:
    source = "import sys, holdfast.sdk.payload; sys.exit('pydantic' in sys.modules)"
    import subprocess

    assert subprocess.run([sys.executable, "-c", source], check=False).returncode == 0


def test_too_large() -> None:
    with pytest.raises(
        PayloadTooLarge, match=r"the input is 2,097,155 bytes, the limit is 2,097,152; keep it elsewhere"
    ):
        encode("x" * (MAX_PAYLOAD_BYTES + 1), what="the input")


def test_limit_can_be_set() -> None:
    assert encode("xx", what="the input", limit=4) == b'"xx"'
    with pytest.raises(PayloadTooLarge):
        encode("xxx", what="the input", limit=4)


def test_a_value_without_json_form_is_named_with_its_path() -> None:
    assert refused({"orders": [LINE, object()]}) == (
        "the input of task 'pack' cannot be written as JSON: an object of type object has no JSON form; "
        "use a dataclass, a msgspec.Struct, a pydantic model or plain values - at `$.orders[1]`"
    )


def test_a_misfit_names_the_path_the_type_and_what_came() -> None:
    assert misfit(b'{"sku":"a","count":"x","price":"1"}', Line) == (
        'the result is not Line: Expected `int`, got `str` - at `$.count` (it is {"sku":"a","count":"x","price":"1"})'
    )


def test_a_long_misfit_is_shown_in_part() -> None:
    assert misfit(b'"' + b"x" * 500 + b'"', int).endswith("xxx…)")


def test_a_misfit_of_pydantic_is_one_line() -> None:
    data = b'{"model":{"when":"x","amount":"1","tags":[1]},"flag":true}'
    message = misfit(data, Attributes)
    assert "\n" not in message
    assert "Input should be a valid string (in the model, `$.tags[0]`)" in message
    assert "at `$.model`" in message


def test_a_misfit_of_a_top_level_model() -> None:
    message = misfit(b'{"amount":"1"}', Model)
    assert message.startswith("the result is not Model: Field required (in the model, `$.when`)")


def test_a_value_error_of_a_validator_is_kept() -> None:
    class Broken:
        model_dump_json = None

        class __pydantic_validator__:  # noqa: N801
            @staticmethod
            def validate_json(data: bytes) -> object:
                raise ValueError("no good")

    assert "no good" in misfit(b"{}", Broken)


def test_a_path_must_be_text() -> None:
    assert "Expected a path as `str`, got `int` - at `$[0]`" in misfit(b"[1]", list[Path])


def test_json_that_is_none_or_too_deep() -> None:
    assert "JSON is malformed" in misfit(b"{]", object)
    assert misfit(b"[" * 9000 + b"]" * 9000, object) == "the result is refused: it nests deeper than 100 levels"


def test_a_type_that_cannot_be_read_is_refused_early() -> None:
    with pytest.raises(NotSerialisable) as caught:
        decoder_for(list[complex], what="parameter 'x' of task 'pack'")
    assert str(caught.value) == (
        "parameter 'x' of task 'pack' has a type that cannot be read from JSON: complex is no such type; "
        "use a dataclass, a msgspec.Struct or a pydantic model"
    )


def test_a_field_whose_type_cannot_be_found() -> None:
    @dataclasses.dataclass
    class Lost:
        other: "Nowhere"  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(
        NotSerialisable, match="'Nowhere' is not defined; the types of fields must be names of the module"
    ):
        decoder_for(Lost)


def test_decoders_are_cached() -> None:
    assert decoder_for(list[Line]) is decoder_for(list[Line])


def test_accepts() -> None:
    assert decoder_for(int | None).accepts(b"null")
    assert not decoder_for(int).accepts(b"null")


@pytest.mark.parametrize("hint", [list[object], dict[str, object], dict[str, list[object]], object | None])
def test_object_means_any_json_wherever_it_stands(hint: object) -> None:
    value: object = {"a": [1, None, {"b": "c"}]} if "dict" in str(hint) else [1, {"b": None}]
    assert decode(encode(value, what="a value"), hint, what="a value") == value
