"""The execution queue port: how runs of flows go on with what a commit has left ready, and who is told of them.

What is ready stands in the database. A queue only brings it to a server sooner, or to another one: to go on with
something twice, or with something that is not ready any more, changes nothing.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from holdfast.model.requests import Request
from holdfast.ports.store import Changes

Reply = TypeVar("Reply")


class Send(Protocol):
    """Asks the engine of this process for something."""

    def __call__(self, request: Request[Reply], /) -> "asyncio.Future[Reply]":
        """The reply comes when it is on disk."""


Pump = Callable[[], None]
"""Lets this process go on with what is ready in the database."""


class ExecutionQueue(Protocol):
    """Carries what is ready by messages, or leaves it to the pump."""

    @property
    def tells(self) -> bool:
        """Whether batches are to leave messages in the outbox."""

    @property
    def carries(self) -> bool:
        """Whether messages bring what is ready, for now; if not, the pump is to look for it."""

    async def open(self, send: Send, pump: Pump) -> None:
        """Begin; a broker that cannot be reached is not a reason to fail."""

    async def close(self) -> None:
        """Take no more messages, and let go of everything."""

    def tally(self) -> Mapping[str, int]:
        """How many messages there were, and what was needed to bring on what they did not."""

    def note(self, changes: Changes) -> None:
        """This has been committed, with the messages in its outbox."""
