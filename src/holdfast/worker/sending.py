"""Sending what must not get lost: a request whose outcome is unclear is sent again until it is clear."""

import asyncio
import logging
from collections.abc import Callable
from typing import TypeVar

from holdfast.model.errors import HoldfastError, Stopped, Unavailable
from holdfast.model.requests import Request
from holdfast.ports.transport import Transport

logger = logging.getLogger(__name__)

Reply = TypeVar("Reply")

FIRST_PAUSE = 0.05
LONGEST_PAUSE = 5.0


class Sender:
    """Sends requests and tells a callback how each one ended."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._loop = asyncio.get_running_loop()

    def send(
        self,
        request: Request[Reply],
        settled: Callable[[Reply | HoldfastError], None],
        pause: float = FIRST_PAUSE,
    ) -> None:
        """Send a request; `settled` gets the reply, or the error that refused it for good."""
        future = asyncio.ensure_future(self._transport.send(request))

        def ended(done: asyncio.Future[Reply]) -> None:
            if done.cancelled():
                settled(Stopped("the request was given up"))
                return
            match done.exception():
                case None:
                    settled(done.result())
                case Stopped() as error:
                    settled(error)
                case Unavailable() as error:
                    logger.warning("%s is sent again in %.2f s: %s", type(request).__name__, pause, error)
                    self._loop.call_later(pause, self.send, request, settled, min(pause * 2, LONGEST_PAUSE))
                case HoldfastError() as error:
                    settled(error)
                case error:
                    logger.error("%s failed", type(request).__name__, exc_info=error)
                    settled(HoldfastError(f"{type(request).__name__} failed: {error!r}"))

        future.add_done_callback(ended)
