"""Unions of classes, and what contains them: told apart by their keys, or refused when the hint is registered."""

import dataclasses
import datetime as dt
import enum
from typing import Annotated, Generic, Literal, NamedTuple, NewType, NotRequired, TypedDict, TypeVar

import attrs
import msgspec
import pydantic
import pytest

from holdfast.model.errors import NotSerialisable
from holdfast.sdk.payload import decode, decoder_for, encode

T = TypeVar("T")


@dataclasses.dataclass
class Card:
    number: str
    limit: int = 0


@dataclasses.dataclass
class Cash:
    amount: int
    label: str = dataclasses.field(init=False, default="cash")


@attrs.define
class Voucher:
    code: str
    uses: int = 1
    state: str = attrs.field(init=False, default="new")


class Transfer(pydantic.BaseModel):
    iban: str = pydantic.Field(alias="IBAN")

    @pydantic.computed_field
    def country(self) -> str:
        return self.iban[:2]


class Coin(msgspec.Struct, rename="camel"):
    face_value: int


class Gift(TypedDict):
    giver: str
    method: NotRequired[Card | Cash]


Payment = Card | Cash | Voucher | Transfer | Coin


@dataclasses.dataclass
class Order:
    payment: Payment
    others: list[Payment] | None = None


@dataclasses.dataclass
class Leaf:
    value: int


@dataclasses.dataclass
class Tree:
    left: "Tree | Leaf"
    right: "Tree | Leaf"


@dataclasses.dataclass
class Box(Generic[T]):
    content: T
    alternatives: "list[T | Leaf]"


class Ordered(NamedTuple):
    first: Card | Cash
    second: int = 2


@dataclasses.dataclass
class Hidden:
    name: str
    _secret: int = 0


@attrs.define
class HiddenWithUnion:
    _method: Card | Cash


class Mixed(enum.Enum):
    ONE = 1
    TEXT = "x"


@attrs.define
class Holder:
    mixed: Mixed
    method: Card | Cash | None = None


class Wallet(msgspec.Struct):
    methods: dict[str, Card | Cash]
    pair: tuple[Card | Cash, int]
    row: tuple[Card | Cash, ...]
    unique: frozenset[Mixed]


CARD, CASH = Card("4", 1), Cash(5)
PAYMENTS: list[Payment] = [CARD, CASH, Voucher("v"), Transfer(IBAN="DE1"), Coin(2)]
Alias = NewType("Alias", Order)


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (PAYMENTS, list[Payment]),
        (Order(CASH, list(PAYMENTS)), Order),
        (Order(CARD), Order | None),
        (None, Card | Cash | None),
        (Tree(Tree(Leaf(1), Leaf(2)), Leaf(3)), Tree),
        (Tree(Leaf(1), Leaf(2)), Tree | Leaf),
        (Box(CARD, [CARD, Leaf(1)]), Box[Card]),
        (Ordered(CASH), Ordered),
        (Holder(Mixed.TEXT, CARD), Holder),
        (Wallet({"a": CARD}, (CASH, 1), (CARD, CASH), frozenset({Mixed.ONE})), Wallet),
        ({"giver": "g", "method": CASH}, Gift),
        ({"giver": "g"}, Gift),
        (CARD, Annotated[Card | Cash, "note"]),
        ([Order(CARD)], list[Alias]),
        (7, Transfer | int),
        ("x", Card | Cash | int | str),
        ([1], Card | Cash | list[int]),
        ({"k": Mixed.ONE}, dict[Literal["k"], Mixed]),
    ],
)
def test_round_trip(value: object, hint: object) -> None:
    assert decode(encode(value, what="x"), hint, what="x") == value


@pytest.mark.parametrize(
    ("data", "hint", "problem"),
    [
        (b'{"number":1}', Card | Cash, "Expected `str`, got `int` - at `$.number`"),
        (b'{"other":1}', Card | Cash, "the keys ['other'] fit none of Card, Cash - at `$`"),
        (b"{}", Card | Cash, "the keys [] fit several of Card, Cash"),
        (b"3", Card | Cash, "Expected an object, got `int`"),
        (b'"x"', Card | Cash | int, "Expected `int`, got `str`"),
        (b'{"payment":{"amount":"x"}}', Order, "Expected `int`, got `str` - at `$.payment.amount`"),
        (b"{}", Order, "Object missing required field `payment` - at `$`"),
        (b"[]", Order, "Expected `object`, got `list` - at `$`"),
        (b"{}", Ordered, "Expected `array`, got `dict` - at `$`"),
        (b'[{"number":"1"},"x"]', Ordered, "Expected `int`, got `str` - at `$.second`"),
        (b"{}", list[Card | Cash], "Expected `array`, got `dict` - at `$`"),
        (b'[{"number":"1"},{"number":1}]', list[Card | Cash], "at `$[1].number`"),
        (b"[]", dict[str, Card | Cash], "Expected `object`, got `list` - at `$`"),
        (b'{"a":{"number":1}}', dict[str, Card | Cash], "at `$['a'].number`"),
        (b"[1]", tuple[Card | Cash, int], "Expected `array` of length 2, got 1 - at `$`"),
        (b"2", Mixed, "Invalid value 2 for Mixed - at `$`"),
    ],
)
def test_misfits_are_named(data: bytes, hint: object, problem: str) -> None:
    with pytest.raises(NotSerialisable) as caught:
        decode(data, hint, what="x")
    assert problem in str(caught.value)


def test_an_absent_default_still_finds_its_class() -> None:
    assert decode(b'{"number":"1"}', Card | Cash, what="x") == Card("1")


def test_a_constructor_that_refuses_is_a_misfit() -> None:
    with pytest.raises(NotSerialisable, match="must be even - at `\\$`"):
        decode(b'{"method":{"number":"1"},"count":3}', Even, what="x")


@dataclasses.dataclass
class Even:
    method: Card | Cash
    count: int

    def __post_init__(self) -> None:
        if self.count % 2:
            raise ValueError("must be even")


@dataclasses.dataclass
class SameAsLeaf:
    value: str


class Alike(enum.Enum):
    PAIR = (1, 2)
    LIST = [1, 2]  # noqa: RUF012


@pytest.mark.parametrize(
    ("hint", "problem"),
    [
        (
            Leaf | SameAsLeaf,
            "Leaf and SameAsLeaf have the same fields and cannot be told apart in JSON; give one a field",
        ),
        (Card | dict[str, int], "Card and a dict cannot be told apart in JSON: both are objects"),
        (dt.datetime | str, "the members of datetime | str cannot be told apart in JSON; make each a class of its own"),
        (set[int] | list[int], "the members of set[int] | list[int] cannot be told apart"),
        (Alike, "two values of Alike are the same in JSON"),
        (list[Card | complex], "complex is no such type"),
        (list[Hidden], "field '_secret' of Hidden is not written, for its name begins with an underscore; rename it"),
        (HiddenWithUnion, "field '_method' of HiddenWithUnion is not written"),
        (list["Nowhere"], "Type ''Nowhere'' is not supported"),  # type: ignore[name-defined]  # noqa: F821
    ],
)
def test_what_cannot_be_told_apart_is_refused_at_registration(hint: object, problem: str) -> None:
    with pytest.raises(NotSerialisable) as caught:
        decoder_for(hint)
    assert problem in str(caught.value)
