"""Calls of user code outside of its coroutines: what it raises becomes a value, so that no machine is torn."""

from collections.abc import Callable
from types import TracebackType
from typing import TypeVar

Result = TypeVar("Result")


class Raised:
    """What user code raised instead of returning."""

    __slots__ = ("error",)

    def __init__(self, error: Exception) -> None:
        self.error = error


class _Catcher:
    """Keeps the exception that leaves its block; interrupts and exits pass."""

    __slots__ = ("error",)

    def __init__(self) -> None:
        self.error: Exception | None = None

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self.error = error
        return True


def attempted(function: Callable[[], Result]) -> Result | Raised:
    """What the function returns, or what it raised."""
    catcher = _Catcher()
    with catcher:
        return function()
    assert catcher.error is not None
    return Raised(catcher.error)
