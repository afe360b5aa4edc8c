"""What a broker must be able to do; GuardedQueue makes an execution queue of it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from holdfast.model.messages import OutboxEntry

Receive = Callable[[bytes], Awaitable[bool]]
"""Consumes the body of one message; whether it could be read. An error means that it is to be brought again."""


class Broker(Protocol):
    """A broker that may be slow, unreachable, or lose all that it was given."""

    async def open(self, receive: Receive) -> None:
        """Connect, make what queues are missing, and bring messages; Unavailable if that cannot be done."""

    async def close(self) -> None:
        """Let go of the connection; what was brought and is not yet consumed, it brings to others."""

    async def lost(self) -> str:
        """Returns when the broker is of no use any more until it is opened again, and says why."""

    async def publish(self, entries: Sequence[OutboxEntry]) -> None:
        """Returns when the broker has all of them for good; Unavailable if it may not have some."""

    async def waiting(self) -> int:
        """How many messages it could still bring to somebody."""
