"""Futures of a workflow; their hashes count from the workflow's start, so that sets of them iterate the same always."""

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from holdfast.sdk.replay.user_code import Raised, attempted

if TYPE_CHECKING:
    from holdfast.sdk.replay.loop import DeterministicLoop

Result = TypeVar("Result")


class LoopFuture(asyncio.Future[Result]):
    """A future of the deterministic loop."""

    __slots__ = ("_number",)

    def __init__(self, loop: "DeterministicLoop") -> None:
        self._number = loop.next_number()
        super().__init__(loop=loop)

    def __hash__(self) -> int:
        return self._number


class DurableFuture(LoopFuture[Result]):
    """The end of something durable: a task, a timer, a child, a promise, an operation, a signal.

    It can be awaited several times, raced, gathered and shielded. Cancelling it asks for the end of what it stands for.
    """

    __slots__ = ("_decode", "_on_cancel", "id", "name")

    def __init__(
        self,
        loop: "DeterministicLoop",
        *,
        id: str,  # noqa: A002 - the word of the public attribute
        name: str,
        decode: Callable[[bytes], object],
        on_cancel: "Callable[[DurableFuture[Result]], None]",
    ) -> None:
        super().__init__(loop)
        self.id = id
        """The id of the task, timer, child or promise; empty for operations and signals."""
        self.name = name
        """The task type, or the name of the child, promise, operation or signal."""
        self._decode = decode
        self._on_cancel = on_cancel

    def abandon(self) -> None:
        """The code that waits for it has been put away; the future lets go of it, and asks for nothing."""
        super().cancel()

    def cancel(self, msg: object = None) -> bool:
        """Cancel the future, and ask for the end of the task, timer or child that it stands for."""
        if not super().cancel(msg):
            return False
        self._on_cancel(self)
        return True

    def resolve(self, data: bytes) -> None:
        """End with a recorded value."""
        value = attempted(lambda: self._decode(data))
        if isinstance(value, Raised):
            self.fail(value.error)
        elif not self.done():
            self.set_result(cast("Result", value))

    def fail(self, error: Exception) -> None:
        """End with an error."""
        if not self.done():
            self.set_exception(error)
            # Nobody has to look at it: what failed is in the history, so asyncio need not complain when it is dropped.
            self._log_traceback = False


def abandon(futures: Iterable[DurableFuture[Any]]) -> None:
    """Let go of the code that waits for these."""
    for future in list(futures):
        future.abandon()
