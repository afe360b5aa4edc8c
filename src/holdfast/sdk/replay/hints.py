"""The type that the result of an operation is read back as, when the caller does not name it."""

import typing
from collections.abc import Awaitable, Callable, Coroutine

_LATER = (Awaitable, Coroutine)


def return_hint(function: Callable[[], object]) -> object:
    """The return annotation of a function; `object`, plain JSON, if it has none that can be read."""
    annotations = getattr(function, "__annotations__", None)
    if not annotations or "return" not in annotations:
        return object
    hint: object = annotations["return"]
    if isinstance(hint, str):
        hint = _resolved(function)
    if hint is None:
        return type(None)
    return typing.get_args(hint)[-1] if typing.get_origin(hint) in _LATER else hint


def _resolved(function: Callable[[], object]) -> object:
    try:
        return typing.get_type_hints(function)["return"]
    except NameError:
        # The type was only imported for the type checker.
        return object
