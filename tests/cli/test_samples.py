"""Signatures to read, and inputs to copy."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal

import msgspec
import pytest

from holdfast import WorkflowContext, workflow
from holdfast.cli.samples import _sample_of, sample_input, signature_text


class Colour(Enum):
    RED = "red"


class Tagged(msgspec.Struct, tag="t"):
    number: int


@dataclass
class Order:
    id: str
    when: datetime
    price: Decimal
    colour: Colour
    note: str | None
    lines: list[int] = field(default_factory=list)


@dataclass
class Tree:
    below: "list[Tree]"
    twin: "Tree"


async def nothing(ctx: WorkflowContext) -> None: ...
async def one(ctx: WorkflowContext, order: Order) -> "Order":
    raise NotImplementedError


async def several(a: int, b: Literal["x", "y"], c: bool = True) -> str:
    raise NotImplementedError


async def structure(tagged: Tagged, pair: tuple[int, str], table: dict[str, int]) -> str:
    raise NotImplementedError


async def endless(tree: Tree) -> str:
    raise NotImplementedError


async def whatever(value: "Any") -> None: ...


async def either(value: int | str) -> "str":
    raise NotImplementedError


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (nothing, "nothing() -> None"),
        (one, "one(order: Order) -> Order"),
        (several, "several(a: int, b: Literal['x', 'y'], c: bool = True) -> str"),
        (whatever, "whatever(value: Any) -> None"),
    ],
)
def test_signatures(function: Callable[..., Any], text: str) -> None:
    assert signature_text(workflow(function)).replace("typing.", "") == text


ORDER = {"id": "text", "when": "2027-01-31T09:30:00Z", "price": "9.99", "colour": "red", "note": None}


@pytest.mark.parametrize(
    ("function", "sample"),
    [
        (one, ORDER),
        (several, {"a": 1, "b": "x"}),
        (structure, {"tagged": {"type": "t", "number": 1}, "pair": [1, "text"], "table": {}}),
        (whatever, {}),
        (either, 1),
    ],
)
def test_inputs_are_accepted(function: Callable[..., Any], sample: object) -> None:
    assert msgspec.json.decode(sample_input(workflow(function)) or "") == sample


def test_a_type_that_cannot_be_described_is_an_open_object() -> None:
    assert _sample_of("not a type") == {}


def test_no_input_has_no_sample() -> None:
    assert sample_input(workflow(nothing)) is None


def test_a_type_that_has_no_small_value_is_left_to_the_person() -> None:
    assert sample_input(workflow(endless)) == "…"
