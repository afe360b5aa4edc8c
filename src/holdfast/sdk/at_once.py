"""Runs a coroutine that never waits, where there is no event loop."""

from collections.abc import Coroutine
from typing import TypeVar

from holdfast.model.errors import InvalidArgument

T = TypeVar("T")


def at_once(work: Coroutine[object, None, T]) -> T:
    """What the coroutine comes to; a refusal if it would have to wait."""
    try:
        work.send(None)
    except StopIteration as ended:
        value: T = ended.value
        return value
    work.close()
    raise InvalidArgument("a connection of an async library needs async code; use one of a sync library here")
