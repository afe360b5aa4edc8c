"""A user's transaction: what is asked for in it takes effect when it commits, and never if it does not."""

from collections.abc import Awaitable, Callable
from typing import NoReturn, TypeVar

from holdfast.app.asking import Asking, SomeWorkflow
from holdfast.model.errors import InvalidArgument
from holdfast.model.ids import TenantId
from holdfast.model.records import Execution, Task
from holdfast.model.requests import Request
from holdfast.ports.engine import Engine
from holdfast.ports.joining import Joined
from holdfast.ports.watches import Watch
from holdfast.worker.registry import Registry

Reply = TypeVar("Reply")


class Transaction(Asking):
    """What `Holdfast.in_transaction` gives: the same requests, written by the user's own connection.

    Rows, ids and idempotency keys are as everywhere. Workers hear of the work when the transaction commits. Questions
    (describe, list, results of handles) are answered from what is committed, so they do not see what is asked for here.
    """

    def __init__(
        self, engine: Engine, tenant: TenantId, registry: Registry, *, join: Callable[[], Awaitable[Joined]]
    ) -> None:
        """Use `Holdfast.in_transaction`."""
        super().__init__(engine, tenant, registry)
        self._join = join
        self._joined: Joined | None = None

    async def _send(self, request: Request[Reply]) -> Reply:
        if self._joined is None:
            self._joined = await self._join()
        return await self._joined.send(request)

    def _watch_new_execution(self, key: tuple[str, str]) -> Watch[Execution] | None:
        """Nobody waits before the commit, which may never come."""

    def _watch_new_task(self, key: tuple[str, str]) -> Watch[Task] | None:
        """Nobody waits before the commit, which may never come."""

    async def run(self, workflow: SomeWorkflow | str, *args: object, id: str | None = None) -> NoReturn:  # noqa: A002, ARG002
        """Not here: it would wait for what begins only when the transaction has committed."""
        raise InvalidArgument("run waits for a result, and nothing runs before the transaction commits; use start")
