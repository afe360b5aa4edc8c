"""Neighbours: what other processes have committed reaches those who wait in this one.

Some stores tell it as it happens; then a start at one server is work for a worker at another a moment later. A slow
look at everything stays, as the safety net. Other stores can only be asked whether anything has changed.
"""

import asyncio
import logging
from collections.abc import Callable

from holdfast.model.errors import HoldfastError
from holdfast.model.ids import ExecutionId, TaskId, TenantId
from holdfast.model.records import Execution, Task
from holdfast.ports.news import News as FromOutside
from holdfast.ports.store import Store
from holdfast.ports.watches import Watches
from holdfast.server.dispatch import Dispatch
from holdfast.server.news import News

logger = logging.getLogger(__name__)

FOLLOWERS_PAUSE = 0.1
"""Seconds between two wakings of all who follow something, however much the neighbours do."""


class Neighbours:
    """Hears of other processes and wakes who is concerned."""

    def __init__(
        self,
        *,
        store: Store,
        dispatch: Dispatch,
        news: News,
        executions: Watches[Execution],
        tasks: Watches[Task],
        on_missed: Callable[[], None],
    ) -> None:
        """`on_missed` is called when everything has to be looked at."""
        self._store = store
        self._dispatch = dispatch
        self._news = news
        self._executions = executions
        self._tasks = tasks
        self._on_missed = on_missed
        self._ended_executions: set[tuple[str, str]] = set()
        self._ended_tasks: set[tuple[str, str]] = set()
        self._settling: asyncio.Task[None] | None = None
        self._waking: asyncio.TimerHandle | None = None

    def hear(self, told: FromOutside | None) -> None:
        """Another process has committed something; None: nobody knows what."""
        if told is None or told.executions is None or told.tasks is None:
            self._on_missed()
        if told is None or told.work is None:
            self._dispatch.look_again()
        else:
            self._dispatch.look_again_in(frozenset(told.work))
        if told is not None:
            self._ended_executions.update(filter(self._executions.is_open, told.executions or ()))
            self._ended_tasks.update(filter(self._tasks.is_open, told.tasks or ()))
        self._settle_soon()
        if self._waking is None:
            self._waking = asyncio.get_running_loop().call_later(FOLLOWERS_PAUSE, self._wake_followers)

    async def stop(self) -> None:
        """Wake nobody any more."""
        if self._waking is not None:
            self._waking.cancel()
        if self._settling is not None:
            self._settling.cancel()
            await asyncio.wait([self._settling])

    def _wake_followers(self) -> None:
        self._waking = None
        self._news.look_again()

    def _settle_soon(self) -> None:
        if self._settling is None and (self._ended_executions or self._ended_tasks):
            self._settling = asyncio.get_running_loop().create_task(self._settle(), name="holdfast-neighbours")

    async def _settle(self) -> None:
        """Read what has ended, and tell those who wait for it; many ends of one moment are read together."""
        try:
            while self._ended_executions or self._ended_tasks:
                executions, self._ended_executions = self._ended_executions, set()
                tasks, self._ended_tasks = self._ended_tasks, set()
                await self._settle_these(executions, tasks)
        except HoldfastError as error:
            logger.warning("what has ended elsewhere cannot be read for now: %s", error)
            self._on_missed()
        except Exception:
            logger.exception("what has ended elsewhere cannot be told; it is looked for")
            self._on_missed()
        finally:
            self._settling = None

    async def _settle_these(self, executions: set[tuple[str, str]], tasks: set[tuple[str, str]]) -> None:
        if executions:
            keys = [(TenantId(tenant), ExecutionId(identity)) for tenant, identity in executions]
            self._executions.settle(row for row in await self._store.executions(keys) if row.closed)
        if tasks:
            task_keys = [(TenantId(tenant), TaskId(identity)) for tenant, identity in tasks]
            self._tasks.settle(row for row in await self._store.tasks(task_keys) if row.closed)
