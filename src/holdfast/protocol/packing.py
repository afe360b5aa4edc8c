"""Packing: what is to be sent gathers in a message while the last one is on its way."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from google.protobuf.message import Message

M = TypeVar("M", bound=Message)

MESSAGE_TARGET_BYTES: Final = 1024 * 1024
"""A message is given no more when it has grown so long."""


class Outbox(Generic[M]):
    """What is to be sent, packed into messages of bounded length."""

    def __init__(self, new_message: Callable[[], M]) -> None:
        self._new_message = new_message
        self._full: deque[tuple[M, int]] = deque()
        self._filling = new_message()
        self._bytes = 0
        self._queued = 0
        self._emptier = asyncio.Event()
        self._filled = asyncio.Event()
        self._closed = False

    def room(self, size: int) -> M:
        """The message to put something of so many bytes into."""
        if self._bytes and self._bytes + size > MESSAGE_TARGET_BYTES:
            self._full.append((self._filling, self._bytes))
            self._filling, self._bytes = self._new_message(), 0
        self._bytes += size
        self._queued += size
        self._filled.set()
        return self._filling

    def close(self) -> None:
        """Nothing more comes."""
        self._closed = True
        self._filled.set()

    async def below(self, limit: int) -> None:
        """Wait until less than so many bytes wait to be sent."""
        while self._queued >= limit:
            self._emptier.clear()
            await self._emptier.wait()

    def rest(self) -> list[M]:
        """The messages that have not been taken."""
        return [message for message, _ in self._full] + [self._filling]

    async def next(self) -> M | None:
        """The next message, or None after the last."""
        while not (self._full or self._bytes):
            if self._closed:
                return None
            self._filled.clear()
            await self._filled.wait()
        if self._full:
            taken, size = self._full.popleft()
        else:
            taken, size = self._filling, self._bytes
            self._filling, self._bytes = self._new_message(), 0
        self._queued -= size
        self._emptier.set()
        return taken
