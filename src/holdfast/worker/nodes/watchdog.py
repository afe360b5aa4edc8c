"""An end to talks that go on for too long, however slowly the other side drips."""

import socket
import threading
import time
from types import TracebackType
from typing import Self


class Watchdog:
    """Shuts a connection at its deadline, or when told to; whoever waits for it then gets an error."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._timer = threading.Timer(max(0.0, self.left), self.bite)
        self._timer.daemon = True
        self._watched: socket.socket | None = None
        self._bitten = threading.Event()

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self._deadline - time.monotonic()

    @property
    def has_bitten(self) -> bool:
        """Whether time is up, or someone has ended it."""
        return self._bitten.is_set()

    def watch(self, connected: socket.socket) -> socket.socket:
        """Watch over this connection from now on."""
        self._watched = connected
        if self.has_bitten:
            _shut(connected)
        return connected

    def bite(self) -> None:
        """Time is up."""
        self._bitten.set()
        if self._watched is not None:
            _shut(self._watched)

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()


def _shut(connected: socket.socket) -> None:
    try:
        connected.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it is not connected any more, which is what was wanted
