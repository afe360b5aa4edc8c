"""Who is told of every request, to count it."""

from typing import Final, Protocol

from holdfast.server.rest.calls import Message, Send

NO_VERB: Final = "none"
"""What is asked of paths that lead nowhere, and of pages and files."""
GONE: Final = 499
"""Nobody was there any more to be answered."""


class RequestObserver(Protocol):
    """Counts requests."""

    def answered(self, verb: str, status: int, seconds: float) -> None:
        """A request has been answered, or its stream has ended."""


class Unobserved:
    """Nobody counts."""

    def answered(self, verb: str, status: int, seconds: float) -> None:
        """Let it pass."""


class Noting:
    """Sends, and notes the status that was sent."""

    __slots__ = ("_send", "status")

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = GONE

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        await self._send(message)
