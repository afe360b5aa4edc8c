"""The database as the execution queue: the pump finds what is ready where it stands."""

from collections.abc import Mapping

from holdfast.ports.queue import Pump, Send
from holdfast.ports.store import Changes


class DatabaseQueue:
    """An execution queue (ports.queue.ExecutionQueue) without messages."""

    tells = False
    carries = False

    async def open(self, send: Send, pump: Pump) -> None:
        """There is nothing to open."""

    async def close(self) -> None:
        """There is nothing to let go of."""

    def tally(self) -> Mapping[str, int]:
        """There is nothing to keep right."""
        return {}

    def note(self, changes: Changes) -> None:
        """What is ready the pump sees by itself."""
