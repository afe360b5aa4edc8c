"""Which event loop a process of ours runs on."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop


def quick_loop() -> "Callable[[], AbstractEventLoop] | None":
    """Makes an event loop of uvloop; None where it is not installed, as on Windows."""
    if find_spec("uvloop") is None:
        return None
    import uvloop

    return uvloop.Loop
