"""How functions get their arguments: evaluated, of the kinds that they want, and paid for."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from holdfast.engine.flow.expressions.failures import EvaluationError
from holdfast.engine.flow.expressions.frame import Frame
from holdfast.engine.flow.expressions.kinds import is_number, kind_of
from holdfast.engine.flow.expressions.syntax import Expression, Function

ELEMENTS_A_STEP: Final = 16
ORDINALS: Final = ("first", "second", "third", "fourth")

KINDS: Final[Mapping[str, tuple[str, Callable[[object], bool]]]] = {
    "text": ("text", lambda value: isinstance(value, str)),
    "number": ("a number", is_number),
    "integer": ("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    "list": ("a list", lambda value: isinstance(value, list)),
    "object": ("an object", lambda value: isinstance(value, Mapping)),
    "instant": ("a date", lambda value: isinstance(value, str) or is_number(value)),
    "any": ("a value", lambda _: True),
}


def eager(
    function: Callable[..., object], kinds: str, signature: str, summary: str, *, optional: int = 0, rest: bool = False
) -> Function:
    """A function of values; the last `optional` kinds may be left out, `rest` repeats the last one."""
    wanted = kinds.split()

    def call(frame: Frame, name: str, arguments: tuple[Expression, ...]) -> object:
        values = [argument.evaluate(frame) for argument in arguments]
        for place, value in enumerate(values):
            check(name, place, value, wanted[min(place, len(wanted) - 1)])
        frame.budget.step(1 + sum(size_of(value) for value in values) // ELEMENTS_A_STEP)
        made = function(frame, *values)
        frame.budget.make(size_of(made))
        return made

    return Function(call, signature, summary, len(wanted) - optional, None if rest else len(wanted))


def lazy(
    call: Callable[[Frame, str, tuple[Expression, ...]], object],
    signature: str,
    summary: str,
    least: int,
    most: int | None,
) -> Function:
    """A function that evaluates its arguments itself."""
    return Function(call, signature, summary, least, most)


def check(name: str, place: int, value: object, kind: str) -> None:
    """Refuse an argument of another kind."""
    words, fits = KINDS[kind]
    if not fits(value):
        ordinal = ORDINALS[min(place, len(ORDINALS) - 1)]
        raise EvaluationError(f"{name}() wants {words} as its {ordinal} argument, not {kind_of(value)}")


def size_of(value: object) -> int:
    """How much there is to look at."""
    return len(value) if isinstance(value, str | list | Mapping) else 0


def texts_in(name: str, values: Sequence[object]) -> list[str]:
    """The values, if all of them are texts."""
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) != len(values):
        odd = next(value for value in values if not isinstance(value, str))
        raise EvaluationError(f"{name}() wants a list of texts, but one is {kind_of(odd)}")
    return texts


def numbers_in(name: str, values: Sequence[object]) -> list[int | float]:
    """The values, if all of them are numbers."""
    numbers = [value for value in values if isinstance(value, int | float) and is_number(value)]
    if len(numbers) != len(values):
        odd = next(value for value in values if not is_number(value))
        raise EvaluationError(f"{name}() wants a list of numbers, but one is {kind_of(odd)}")
    return numbers
