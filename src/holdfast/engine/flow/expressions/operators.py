"""What the signs of expressions do with JSON values: nothing is converted silently."""

import math
from collections.abc import Callable, Mapping
from typing import Final

from holdfast.engine.flow.expressions.failures import EvaluationError
from holdfast.engine.flow.expressions.frame import Budget
from holdfast.engine.flow.expressions.kinds import is_number, kind_of

LARGEST_INTEGER: Final = 2**63 - 1

Operation = Callable[[Budget, object, object], object]


def checked_number(value: int | float, what: str) -> int | float:
    """The number, if JSON and every database can hold it."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise EvaluationError(f"{what} gives no finite number")
    elif abs(value) > LARGEST_INTEGER:
        raise EvaluationError(f"{what} gives a whole number of more than 64 bits")
    return value


def numbers(left: object, right: object, sign: str) -> tuple[int | float, int | float]:
    """Both sides, if both are numbers."""
    if isinstance(left, int | float) and isinstance(right, int | float) and is_number(left) and is_number(right):
        return left, right
    raise EvaluationError(f"{sign} works on numbers, not on {kind_of(left)} and {kind_of(right)}")


def add(budget: Budget, left: object, right: object) -> object:
    """Adds numbers, joins texts and lists."""
    if (isinstance(left, str) and isinstance(right, str)) or (isinstance(left, list) and isinstance(right, list)):
        budget.make(len(left) + len(right))
        return left + right  # type: ignore[operator]
    if is_number(left) and is_number(right):
        first, second = numbers(left, right, "+")
        return checked_number(first + second, "+")
    raise EvaluationError(
        f"+ adds two numbers, two texts or two lists, not {kind_of(left)} and {kind_of(right)}; text(…) makes a text"
    )


def subtract(_: Budget, left: object, right: object) -> object:
    first, second = numbers(left, right, "-")
    return checked_number(first - second, "-")


def multiply(_: Budget, left: object, right: object) -> object:
    first, second = numbers(left, right, "*")
    return checked_number(first * second, "*")


def divide(_: Budget, left: object, right: object) -> object:
    """Whole if both are whole and it comes out even."""
    first, second = numbers(left, right, "/")
    if second == 0:
        raise EvaluationError("division by zero")
    if isinstance(first, int) and isinstance(second, int) and first % second == 0:
        return first // second
    return checked_number(first / second, "/")


def remainder(_: Budget, left: object, right: object) -> object:
    """With the sign of the divisor."""
    first, second = numbers(left, right, "%")
    if second == 0:
        raise EvaluationError("division by zero")
    return checked_number(first % second, "%")


def equal(budget: Budget, left: object, right: object) -> bool:
    """Whether two values are the same JSON; 1 and true are not, 1 and 1.0 are."""
    waiting = [(left, right)]
    while waiting:
        budget.step()
        one, other = waiting.pop()
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            if one.keys() != other.keys():
                return False
            waiting.extend((one[key], other[key]) for key in one)
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            waiting.extend(zip(one, other, strict=True))
        elif isinstance(one, bool) is not isinstance(other, bool) or one != other:
            return False
    return True


def unequal(budget: Budget, left: object, right: object) -> bool:
    return not equal(budget, left, right)


def ordered(left: object, right: object, sign: str) -> tuple[int | float, int | float] | tuple[str, str]:
    """Both sides, if they can be compared: two numbers or two texts."""
    if isinstance(left, str) and isinstance(right, str):
        return left, right
    if is_number(left) and is_number(right):
        return numbers(left, right, sign)
    raise EvaluationError(f"{sign} compares two numbers or two texts, not {kind_of(left)} and {kind_of(right)}")


def less(_: Budget, left: object, right: object) -> bool:
    first, second = ordered(left, right, "<")
    return first < second  # type: ignore[operator]


def less_or_equal(_: Budget, left: object, right: object) -> bool:
    first, second = ordered(left, right, "<=")
    return first <= second  # type: ignore[operator]


def greater(budget: Budget, left: object, right: object) -> bool:
    return less(budget, right, left)


def greater_or_equal(budget: Budget, left: object, right: object) -> bool:
    return less_or_equal(budget, right, left)


def contained(budget: Budget, left: object, right: object) -> bool:
    """Whether a list has an element, a text a part, an object a key."""
    if isinstance(right, list):
        return any(equal(budget, left, each) for each in right)
    if isinstance(right, str) and isinstance(left, str):
        budget.step(1 + len(right) // 64)
        return left in right
    if isinstance(right, Mapping) and isinstance(left, str):
        return left in right
    raise EvaluationError(f"in looks into a list, a text or an object, not for {kind_of(left)} in {kind_of(right)}")


def not_contained(budget: Budget, left: object, right: object) -> bool:
    return not contained(budget, left, right)


BINARY: Final[Mapping[str, Operation]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "%": remainder,
    "==": equal,
    "!=": unequal,
    "<": less,
    "<=": less_or_equal,
    ">": greater,
    ">=": greater_or_equal,
    "in": contained,
    "not in": not_contained,
}


def negated(value: object) -> object:
    """The number with the other sign."""
    if isinstance(value, int | float) and is_number(value):
        return checked_number(-value, "-")
    raise EvaluationError(f"- works on a number, not on {kind_of(value)}")


def truth(value: object, what: str) -> bool:
    """The value itself, if it is true or false."""
    if isinstance(value, bool):
        return value
    raise EvaluationError(f"{what} must be true or false, not {kind_of(value)}; compare it with something")
