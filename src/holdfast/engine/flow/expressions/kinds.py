"""The kinds of JSON values, in the words of messages; and equality as JSON means it."""

from collections.abc import Mapping


def kind_of(value: object) -> str:
    """What JSON calls the type of a value."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list() | tuple():
            return "a list"
        case Mapping():
            return "an object"
        case _:
            return f"a {type(value).__name__}"


def is_number(value: object) -> bool:
    """Whether it is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)
