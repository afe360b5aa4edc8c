"""A value as text: text is itself, null is nothing, everything else is its JSON."""

import msgspec

from holdfast.engine.flow.expressions.failures import EvaluationError


def written(value: object) -> str:
    """The text of a value."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return json_text(value)


def json_text(value: object) -> str:
    """The JSON of a value."""
    try:
        return msgspec.json.encode(value).decode()
    except RecursionError as error:
        raise EvaluationError("the value nests too deep to be written") from error
