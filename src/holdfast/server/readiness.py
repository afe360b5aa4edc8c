"""Whether this server is to be sent anything: the first thing that ends when it stops."""

from collections.abc import Awaitable, Callable

Listener = Callable[[], Awaitable[None]]


class Readiness:
    """Shared by all front doors of one process."""

    def __init__(self) -> None:
        self.draining = False
        self._listeners: list[Listener] = []

    def on_drain(self, listener: Listener) -> None:
        """Be told when the server is about to stop."""
        self._listeners.append(listener)

    async def drain(self) -> None:
        """The server is about to stop: load balancers are told before doors close."""
        self.draining = True
        for listener in self._listeners:
            await listener()
