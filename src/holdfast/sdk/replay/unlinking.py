"""Breaking the cycles that a failure leaves behind in code that has ended.

Nothing of it would be wrong if it stayed: the garbage collector would find it. But what a workflow held should be gone
when it has failed.
"""

from asyncio import Future
from collections.abc import Iterator
from contextlib import suppress
from operator import methodcaller
from typing import Any

_CANCELLATION_OF = methodcaller("_make_cancelled_error")


def error_of(done: "Future[Any]") -> BaseException | None:
    """What a future has ended with, if that was an error or a cancellation."""
    if not done.cancelled():
        return done.exception()
    # To have it raised would add our own frames to it, and they know all of their callers.
    cancelled: BaseException = _CANCELLATION_OF(done)
    return cancelled


def clear_frames(error: BaseException) -> None:
    """An error holds the frames that it came through; and they, through what they have awaited, the error."""
    for part in _parts(error):
        traceback = part.__traceback__
        while traceback is not None:
            with suppress(RuntimeError):  # what still runs, or is suspended, keeps what it has
                traceback.tb_frame.clear()
            traceback = traceback.tb_next


def _parts(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    left: list[BaseException | None] = [error]
    while left:
        part = left.pop()
        if part is not None and id(part) not in seen:
            seen.add(id(part))
            yield part
            left += [part.__cause__, part.__context__]
            if isinstance(part, BaseExceptionGroup):
                left += part.exceptions
