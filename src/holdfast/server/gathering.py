"""Reads of history that are asked for in the same moment go to the store as one."""

import asyncio

from holdfast.model.events import Event
from holdfast.model.queries import HistoryWanted
from holdfast.ports.store import Store

MAX_TOGETHER = 256


class HistoryReader:
    """Gathers questions while a read is under way."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._gathering: list[tuple[HistoryWanted, asyncio.Future[list[Event]]]] = []
        self._reading: asyncio.Task[None] | None = None

    async def read(self, wanted: HistoryWanted) -> list[Event]:
        """One page of a history."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[list[Event]] = loop.create_future()
        self._gathering.append((wanted, future))
        if self._reading is None:
            self._reading = loop.create_task(self._read_all(), name="holdfast-history")
        return await future

    async def _read_all(self) -> None:
        try:
            while self._gathering:
                taken, self._gathering = self._gathering[:MAX_TOGETHER], self._gathering[MAX_TOGETHER:]
                await self._read_some(taken)
        finally:
            self._reading = None

    async def _read_some(self, taken: list[tuple[HistoryWanted, asyncio.Future[list[Event]]]]) -> None:
        try:
            pages = await self._store.histories([wanted for wanted, _ in taken])
        except Exception as error:  # noqa: BLE001 - handed to everyone who asked
            for _, future in taken:
                if not future.done():
                    future.set_exception(error)
            return
        for (_, future), page in zip(taken, pages, strict=True):
            if not future.done():
                future.set_result(page)
