"""The joining port: requests that are carried out inside a transaction of the user's own."""

from collections.abc import Awaitable
from typing import Protocol, TypeVar

from holdfast.model.requests import Request

Reply = TypeVar("Reply")


class Joined(Protocol):
    """A user's transaction; what is asked of it takes effect when, and if, it commits."""

    async def send(self, request: Request[Reply]) -> Reply:
        """Carry a request out, as an engine would; the reply holds if the transaction commits."""


class Join(Protocol):
    """How a transaction is joined."""

    def __call__(self, connection: object, *, can_wait: bool) -> Awaitable[Joined]:
        """The transaction that a connection, of whichever library, is in.

        Unless the caller can wait, a connection of an async library is refused before anything is done with it: it
        belongs to an event loop, perhaps of another thread, which is reading from it at this moment.
        """
