"""Functions on numbers."""

import math
import re
from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Final

from holdfast.engine.flow.expressions.failures import EvaluationError
from holdfast.engine.flow.expressions.frame import Frame
from holdfast.engine.flow.expressions.functions.calling import eager, numbers_in
from holdfast.engine.flow.expressions.operators import checked_number
from holdfast.engine.flow.expressions.syntax import Function
from holdfast.model.errors import shown

MOST_DIGITS: Final = 15
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?\Z")


def _number(_: Frame, value: object) -> int | float:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float):
        return value
    if isinstance(value, str):
        text = value.strip()
        found = _NUMBER.match(text) if len(text) < 400 else None
        if found is not None:
            whole = found.group(1) is None and found.group(2) is None
            return checked_number(int(text) if whole else float(text), "number()")
    raise EvaluationError(f"number() cannot read {shown(value)} as a number")


def _whole(value: int | float, round_it: object) -> int | float:
    return checked_number(round_it(value), "rounding") if callable(round_it) else value


def _round(_: Frame, value: int | float, digits: int = 0) -> int | float:
    if not 0 <= digits <= MOST_DIGITS:
        raise EvaluationError(f"round() keeps 0 to {MOST_DIGITS} digits, not {digits}")
    if isinstance(value, int):
        return value
    rounded = Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN) if abs(value) < 1e12 else value
    return checked_number(float(rounded) if digits else int(rounded), "round()")


def _extreme(name: str, *values: object, largest: bool) -> int | float:
    given = values[0] if len(values) == 1 and isinstance(values[0], list) else list(values)
    numbers = numbers_in(name, given if isinstance(given, list) else [])
    if not numbers:
        raise EvaluationError(f"{name}() of nothing")
    return max(numbers) if largest else min(numbers)


def _sum(_: Frame, values: list[object]) -> int | float:
    return checked_number(sum(numbers_in("sum", values)), "sum()")


def _average(_: Frame, values: list[object]) -> int | float:
    numbers = numbers_in("average", values)
    if not numbers:
        raise EvaluationError("average() of nothing")
    return checked_number(math.fsum(numbers) / len(numbers), "average()")


NUMBERS: Final[Mapping[str, Function]] = {
    "number": eager(_number, "any", "value", "Text read as a number; true is 1."),
    "round": eager(_round, "number integer", "number, digits", "To so many digits; halves to even.", optional=1),
    "floor": eager(lambda _, value: _whole(value, math.floor), "number", "number", "The next whole number below."),
    "ceil": eager(lambda _, value: _whole(value, math.ceil), "number", "number", "The next whole number above."),
    "abs": eager(lambda _, value: checked_number(abs(value), "abs()"), "number", "number", "Without its sign."),
    "min": eager(
        lambda _, *values: _extreme("min", *values, largest=False), "any", "numbers", "The smallest; of a list, too.",
        rest=True,
    ),
    "max": eager(
        lambda _, *values: _extreme("max", *values, largest=True), "any", "numbers", "The largest; of a list, too.",
        rest=True,
    ),
    "sum": eager(_sum, "list", "list", "All of them together; 0 for an empty list."),
    "average": eager(_average, "list", "list", "Their mean."),
}  # fmt: skip
