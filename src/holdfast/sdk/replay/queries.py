"""The query machine: what the code says of itself to those who ask, while it stands still."""

from holdfast.model.query_errors import QueryFailed, QueryNotFound
from holdfast.sdk.replay.journal import Journal
from holdfast.sdk.replay.ports import Handler
from holdfast.sdk.replay.user_code import Raised, attempted


class QueryMachine:
    """The query handlers of one execution."""

    __slots__ = ("_handlers", "_journal")

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._handlers: dict[str, Handler] = {}

    def set(self, name: str, handler: Handler) -> None:
        """Let a handler answer the queries of a name from now on."""
        self._handlers[name] = handler

    def forget(self) -> None:
        """Let go of the handlers: they hold what the code held, and so keep it in a cycle."""
        self._handlers.clear()

    def answer(self, name: str, data: bytes) -> bytes:
        """What the handler of a name says."""
        journal = self._journal
        handler = self._handlers.get(name)
        if handler is None:
            raise QueryNotFound(journal.execution_id, name, sorted(self._handlers))
        call = handler(data)
        journal.query = name
        try:
            said = journal.loop.run_beside(lambda: attempted(call))
        finally:
            journal.query = None
        if isinstance(said, Raised):
            told = f"{type(said.error).__name__}: {said.error}"
            raise QueryFailed(journal.execution_id, name, told) from said.error
        if journal.commands or not journal.loop.is_idle:
            raise QueryFailed(journal.execution_id, name, "its handler woke or cancelled something; it may only look")
        return said
