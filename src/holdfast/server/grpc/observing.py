"""Who is told of every call, to count it."""

from typing import Final, Protocol

OK: Final = "OK"

WAITING: Final = frozenset({"PollQueries", "PollWorkflow", "PollTask", "GetResult", "GetTaskResult", "RunWorkflow"})
"""Calls that take as long as they are let."""


class CallObserver(Protocol):
    """Counts calls."""

    def answered(self, method: str, code: str, seconds: float) -> None:
        """A call, alone or inside of a session, has been answered: OK, or the code of the error that refused it."""

    def session_opened(self) -> None:
        """A stream has begun."""

    def session_closed(self) -> None:
        """A stream has ended."""


class Unobserved:
    """Nobody counts."""

    def answered(self, method: str, code: str, seconds: float) -> None:
        """Let it pass."""

    def session_opened(self) -> None:
        """Let it pass."""

    def session_closed(self) -> None:
        """Let it pass."""
