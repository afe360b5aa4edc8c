"""Functions that ask what there is, and what to take instead."""

from collections.abc import Mapping
from typing import Final

from holdfast.engine.flow.expressions.failures import EvaluationError, UnknownReference
from holdfast.engine.flow.expressions.frame import Frame
from holdfast.engine.flow.expressions.functions.calling import eager, lazy
from holdfast.engine.flow.expressions.kinds import is_number
from holdfast.engine.flow.expressions.operators import truth
from holdfast.engine.flow.expressions.syntax import Expression, Function, value_or_none
from holdfast.engine.flow.expressions.written import written


def _coalesce(frame: Frame, _: str, arguments: tuple[Expression, ...]) -> object:
    for argument in arguments:
        value = value_or_none(argument, frame)
        if value is not None:
            return value
    return None


def _exists(frame: Frame, _: str, arguments: tuple[Expression, ...]) -> object:
    try:
        arguments[0].evaluate(frame)
    except UnknownReference:
        return False
    return True


def _if(frame: Frame, _: str, arguments: tuple[Expression, ...]) -> object:
    condition, then, otherwise = arguments
    return (then if truth(condition.evaluate(frame), "the condition of if()") else otherwise).evaluate(frame)


def _fail(_: Frame, message: object) -> object:
    raise EvaluationError(written(message))


def _is_empty(frame: Frame, _: str, arguments: tuple[Expression, ...]) -> object:
    value = value_or_none(arguments[0], frame)
    return value is None or (isinstance(value, str | list | Mapping) and not value)


def _type_of(_: Frame, value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if is_number(value):
        return "number"
    if isinstance(value, str):
        return "text"
    return "list" if isinstance(value, list) else "object"


CONDITIONS: Final[Mapping[str, Function]] = {
    "default": lazy(_coalesce, "value, otherwise", "The value; `otherwise`, if it is null or not there.", 2, 2),
    "coalesce": lazy(_coalesce, "value, …", "The first value that is there and not null.", 1, None),
    "exists": lazy(_exists, "reference", "Whether what it refers to is there.", 1, 1),
    "is_empty": lazy(_is_empty, "value", "Whether it is null, not there, or has no length.", 1, 1),
    "if": lazy(_if, "condition, then, otherwise", "One of two values; only that one is evaluated.", 3, 3),
    "type_of": eager(_type_of, "any", "value", "`null`, `boolean`, `number`, `text`, `list` or `object`."),
    "fail": eager(_fail, "any", "message", "Fails the node with this message."),
}
