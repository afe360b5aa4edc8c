"""Tasks that are asked for in the same moment are read together."""

import asyncio

from holdfast.model.errors import HoldfastError
from holdfast.model.records import Task
from holdfast.ports.store import Reads, TaskKey

MAX_TOGETHER = 256

Waiting = tuple[TaskKey, "asyncio.Future[Task | None]"]


class TaskReader:
    """Gathers questions while a read is under way."""

    def __init__(self, *, reads: Reads) -> None:
        self._reads = reads
        self._gathering: list[Waiting] = []
        self._reading: asyncio.Task[None] | None = None

    async def read(self, key: TaskKey) -> Task | None:
        """One task as it is now, if there is one."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Task | None] = loop.create_future()
        self._gathering.append((key, future))
        if self._reading is None:
            self._reading = loop.create_task(self._read_all(), name="holdfast-tasks")
        return await future

    async def _read_all(self) -> None:
        try:
            while self._gathering:
                taken, self._gathering = self._gathering[:MAX_TOGETHER], self._gathering[MAX_TOGETHER:]
                await self._read_some(taken)
        finally:
            self._reading = None

    async def _read_some(self, taken: list[Waiting]) -> None:
        try:
            tasks = {(task.tenant, task.id): task for task in await self._reads.tasks([key for key, _ in taken])}
        except HoldfastError as error:
            for _, future in taken:
                if not future.done():
                    future.set_exception(error)
            return
        for key, future in taken:
            if not future.done():
                future.set_result(tasks.get(key))
