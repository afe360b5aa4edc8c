"""Remembers for a moment what a store has said, so that a door costs one question a second and not one a call."""

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

SECONDS = 1.0
"""After so long a key that another server has revoked opens no door here."""
MAX_REMEMBERED = 10_000


class Remembering(Generic[Key, Value]):
    """Answers of a question, also that there is no answer; an error is never remembered."""

    def __init__(self, ask: Callable[[Key], Awaitable[Value]], *, now: Callable[[], float] = time.monotonic) -> None:
        self._ask = ask
        self._now = now
        self._remembered: OrderedDict[Key, tuple[float, Value]] = OrderedDict()

    async def get(self, key: Key) -> Value:
        """The answer, at most SECONDS old."""
        found = self._remembered.get(key)
        if found is not None and self._now() < found[0]:
            return found[1]
        asked_at = self._now()
        answer = await self._ask(key)
        self._remembered[key] = asked_at + SECONDS, answer
        self._remembered.move_to_end(key)
        if len(self._remembered) > MAX_REMEMBERED:
            self._remembered.popitem(last=False)
        return answer

    def forget(self, key: Key) -> None:
        """Ask again next time."""
        self._remembered.pop(key, None)
