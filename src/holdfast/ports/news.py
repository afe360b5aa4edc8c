"""News: what a commit in another process tells this one. It says where to look, never what happened."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import msgspec


class News(msgspec.Struct, frozen=True, array_like=True):
    """What was committed elsewhere; None for a part says that there was too much to name."""

    session: str
    """Of the store that committed."""
    work: tuple[tuple[str, str], ...] | None = ()
    """Queues, by tenant and name, in which something may wait for a worker."""
    executions: tuple[tuple[str, str], ...] | None = ()
    """Those that have ended, by tenant and id."""
    tasks: tuple[tuple[str, str], ...] | None = ()
    """Standalone ones that have ended, by tenant and id."""


@runtime_checkable
class TellsNews(Protocol):
    """A store that hears of other processes' commits as they happen."""

    def listen(self, hear: Callable[[News | None], None]) -> None:
        """From now on call this with what is heard; with None, when something may have been missed."""
