"""Shows something until it is over: to a person in place, to a script as one document for each change."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from holdfast.cli.output import Output

if TYPE_CHECKING:
    from rich.console import RenderableType

T = TypeVar("T")

LOOK_EVERY = 0.5
"""Seconds between two looks."""


class Watched(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """What is looked at, how it is shown, and when it is over."""

    look: Callable[[], Awaitable[T]]
    document: Callable[[T], object]
    parts: Callable[[T], "Sequence[RenderableType]"]
    is_over: Callable[[T], bool]
    every: float | None = None
    """Seconds between two looks, if not LOOK_EVERY."""


async def watch(watched: Watched[T], output: Output) -> None:
    """Look and show until it is over."""
    with output.live() as show:
        shown = b""
        while True:
            seen = await watched.look()
            if show is not None:
                show(watched.parts(seen))
            elif (encoded := msgspec.json.encode(watched.document(seen))) != shown:
                output.document(msgspec.Raw(encoded))
                shown = encoded
            if watched.is_over(seen):
                return
            await asyncio.sleep(LOOK_EVERY if watched.every is None else watched.every)
