"""Values in parameters: JSON in which text may be an expression, read once when the flow is saved.

A class says what may come out. A literal of another type is refused at save; an expression that gives another type
fails the node when it runs.
"""

from collections.abc import Mapping
from typing import ClassVar, Self

from holdfast.engine.flow.definition import MILLISECONDS_OF_UNIT
from holdfast.engine.flow.expressions.failures import EvaluationError
from holdfast.engine.flow.expressions.frame import Frame
from holdfast.engine.flow.expressions.functions.dates import instant_of_date
from holdfast.engine.flow.expressions.kinds import is_number, kind_of
from holdfast.engine.flow.expressions.operators import truth
from holdfast.engine.flow.expressions.syntax import Expression
from holdfast.engine.flow.expressions.templates import condition, template
from holdfast.engine.flow.expressions.written import written
from holdfast.engine.flow.problems import hint
from holdfast.model.errors import shown
from holdfast.model.instants import Instant, Milliseconds

MAX_DURATION_MS = 3_660 * 86_400_000
MAX_SECRET_NAME = 200


class Value:
    """Any JSON; text that is a reference or holds `{{ … }}` is evaluated when the node runs."""

    __slots__ = ("expression", "source")

    schema: ClassVar[Mapping[str, object]] = {
        "description": "any JSON; text may be a reference, or hold {{ expression }}"
    }
    binds_item: ClassVar[bool] = False
    """Whether it is evaluated once for each item of a list, with `$item` and `$index` set."""

    def __init__(self, source: object, expression: Expression | None = None) -> None:
        self.source = source
        self.expression = template(source) if expression is None else expression

    @classmethod
    def read(cls, source: object) -> Self:
        """The value as it is written; ValueError if it can never be what is wanted."""
        value = cls(source)
        if value.expression.constant:
            value.check(source)
        return value

    def check(self, literal: object) -> None:
        """ValueError if the literal is not what is wanted."""

    def evaluate(self, frame: Frame) -> object:
        """What it is for this data."""
        try:
            return self.expression.evaluate(frame)
        except EvaluationError as error:
            error.source = error.source or shown(self.source)
            raise

    def refuse(self, value: object, wanted: str) -> EvaluationError:
        """The error for a value of another kind."""
        error = EvaluationError(f"must be {wanted}, not {kind_of(value)}")
        error.source = shown(self.source)
        return error

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Value) and self.source == other.source

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.source!r})"


OF_TEXT: Mapping[str, object] = {"type": "string", "description": "a reference, or text with {{ expression }}"}


def _or_expression(*schemas: Mapping[str, object]) -> Mapping[str, object]:
    return {"anyOf": [*schemas, OF_TEXT]}


class ItemValue(Value):
    """A value that is evaluated for each item of a list."""

    __slots__ = ()
    binds_item = True


class Number(Value):
    """A number."""

    __slots__ = ()
    schema = _or_expression({"type": "number"})

    def check(self, literal: object) -> None:
        if not is_number(literal):
            raise ValueError(f"must be a number or an expression, not {kind_of(literal)}")

    def number(self, frame: Frame) -> int | float:
        value = self.evaluate(frame)
        if isinstance(value, int | float) and is_number(value):
            return value
        raise self.refuse(value, "a number")


class Amount(Number):
    """A number that is not negative."""

    __slots__ = ()
    schema = _or_expression({"type": "number", "minimum": 0})

    def check(self, literal: object) -> None:
        super().check(literal)
        if isinstance(literal, int | float) and literal < 0:
            raise ValueError(f"must be 0 or more, not {literal}")

    def number(self, frame: Frame) -> int | float:
        value = super().number(frame)
        if value < 0:
            error = EvaluationError(f"must be 0 or more, not {value}")
            error.source = shown(self.source)
            raise error
        return value

    def whole(self, frame: Frame) -> int:
        """A whole number that is not negative."""
        value = self.number(frame)
        if value != int(value):
            raise self.refuse(value, "a whole number")
        return int(value)


class Text(Value):
    """Text; numbers, flags and JSON that an expression gives are written out."""

    __slots__ = ()
    schema: ClassVar[Mapping[str, object]] = {"type": "string"}

    def check(self, literal: object) -> None:
        if kind_of(literal) != "text":
            raise ValueError(f"must be text, not {kind_of(literal)}")

    def text(self, frame: Frame) -> str:
        return written(self.evaluate(frame))


class Items(Value):
    """A list."""

    __slots__ = ()
    schema = _or_expression({"type": "array"})

    def check(self, literal: object) -> None:
        if kind_of(literal) != "a list":
            raise ValueError(f"must be a list or an expression, not {kind_of(literal)}")

    def items(self, frame: Frame) -> list[object]:
        value = self.evaluate(frame)
        if isinstance(value, list):
            return value
        raise self.refuse(value, "a list")


class Condition(Value):
    """True or false; text is always an expression, with or without the braces."""

    __slots__ = ()
    schema: ClassVar[Mapping[str, object]] = {"type": ["string", "boolean"], "description": "an expression"}

    def __init__(self, source: object, expression: Expression | None = None) -> None:
        super().__init__(source, condition(source) if expression is None else expression)

    @classmethod
    def read(cls, source: object) -> Self:
        return cls(source)

    def holds(self, frame: Frame) -> bool:
        value = self.evaluate(frame)
        try:
            return truth(value, "it")
        except EvaluationError as error:
            error.source = shown(self.source)
            raise


class ItemCondition(Condition):
    """A condition that is evaluated for each item of a list."""

    __slots__ = ()
    binds_item = True


class Duration(Value):
    """A length of time: a number of seconds, or `{"amount": 2, "unit": "hours"}`."""

    __slots__ = ()
    schema = _or_expression(
        {"type": "number", "minimum": 0},
        {
            "type": "object",
            "properties": {
                "amount": {"anyOf": [{"type": "number", "minimum": 0}, OF_TEXT]},
                "unit": {"enum": list(MILLISECONDS_OF_UNIT)},
            },
            "required": ["amount"],
            "additionalProperties": False,
        },
    )

    @classmethod
    def read(cls, source: object) -> Self:
        value = cls(source)
        if isinstance(source, Mapping):
            _check_duration(source)
            if not template(source["amount"]).constant:
                return value
        if value.expression.constant:
            value.check(source)
        return value

    def check(self, literal: object) -> None:
        try:
            duration_ms(literal)
        except EvaluationError as error:
            raise ValueError(str(error)) from error

    def milliseconds(self, frame: Frame) -> Milliseconds:
        try:
            return duration_ms(self.evaluate(frame))
        except EvaluationError as error:
            error.source = shown(self.source)
            raise


def _check_duration(source: Mapping[object, object]) -> None:
    unknown = [str(key) for key in source if key not in ("amount", "unit")]
    if unknown:
        raise ValueError(f"there is no field {shown(unknown[0])}{hint(unknown[0], ('amount', 'unit'))}")
    if "amount" not in source:
        raise ValueError('must be seconds, or such as {"amount": 2, "unit": "hours"}')


def duration_ms(value: object) -> Milliseconds:
    """The milliseconds of a number of seconds, or of an amount and a unit."""
    amount, unit = (
        (value.get("amount"), value.get("unit", "seconds")) if isinstance(value, Mapping) else (value, "seconds")
    )
    if not isinstance(amount, int | float) or not is_number(amount):
        raise EvaluationError(f'must be seconds, or such as {{"amount": 2, "unit": "hours"}}, not {kind_of(amount)}')
    return milliseconds_of(amount, unit)


def milliseconds_of(amount: int | float, unit: object) -> Milliseconds:
    """So many of a unit, in milliseconds, rounded up; negative ones and those of more than ten years are refused."""
    each = MILLISECONDS_OF_UNIT.get(unit) if isinstance(unit, str) else None
    if each is None:
        raise EvaluationError(f"there is no unit {shown(unit)}{hint(str(unit), MILLISECONDS_OF_UNIT)}")
    if amount < 0:
        raise EvaluationError(f"must be 0 or more, not {amount} {unit}")
    if amount * each > MAX_DURATION_MS:
        raise EvaluationError(f"{amount} {unit} are more than ten years")
    return Milliseconds(-int(-round(amount * each, 3) // 1))


class Moment(Value):
    """An instant: text in ISO 8601 with a time zone, or milliseconds since 1970."""

    __slots__ = ()
    schema = _or_expression({"type": "string", "format": "date-time"}, {"type": "number"})

    def check(self, literal: object) -> None:
        try:
            instant_of_date(literal)
        except EvaluationError as error:
            raise ValueError(str(error)) from error

    def instant(self, frame: Frame) -> Instant:
        value = self.evaluate(frame)
        try:
            return instant_of_date(value)
        except EvaluationError as error:
            error.source = shown(self.source)
            raise


class SecretReference(Value):
    """`{"secret": "name"}`: which secret to put here, never the secret itself."""

    __slots__ = ()
    schema: ClassVar[Mapping[str, object]] = {
        "type": "object",
        "properties": {"secret": {"type": "string", "minLength": 1, "maxLength": MAX_SECRET_NAME}},
        "required": ["secret"],
        "additionalProperties": False,
    }

    @classmethod
    def read(cls, source: object) -> Self:
        name = source.get("secret") if isinstance(source, Mapping) and len(source) == 1 else None
        if not isinstance(name, str) or not 0 < len(name) <= MAX_SECRET_NAME:
            raise ValueError('must be a reference such as {"secret": "name"}; a secret itself is never written here')
        return cls(name, template(None))

    @property
    def name(self) -> str:
        """The secret's name."""
        return str(self.source)
