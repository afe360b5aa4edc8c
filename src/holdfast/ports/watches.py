"""Watches: whoever waits in this process for the end of an execution or a task is told when it is on disk."""

import asyncio
from collections.abc import Iterable
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from holdfast.model.errors import HoldfastError, Stopped
from holdfast.model.records import Execution, Task

Record = TypeVar("Record", Execution, Task)


class Watch(Generic[Record]):
    """One thing that is waited for; it lives as long as someone holds it."""

    def __init__(self, key: tuple[str, str]) -> None:
        self.key = key
        self.record: Record | None = None
        """The closed record, once it is known to this process."""
        self._waiters: list[asyncio.Future[Record]] = []

    @property
    def awaited(self) -> bool:
        """Whether someone waits for the end at this moment."""
        return any(not waiter.done() for waiter in self._waiters)

    def give_up(self, error: HoldfastError | None = None) -> None:
        """The end will not come: whoever waits is told so; without an error, because this Holdfast closes."""
        reason = error or Stopped("this Holdfast was closed before what was awaited had ended")
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_exception(reason)
        self._waiters.clear()

    def settle(self, record: Record) -> None:
        """It has ended: wake everyone."""
        self.record = record
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(record)
        self._waiters.clear()

    def ended(self) -> asyncio.Future[Record]:
        """The end, as a future."""
        waiter: asyncio.Future[Record] = asyncio.get_running_loop().create_future()
        if self.record is not None:
            waiter.set_result(self.record)
        else:
            self._waiters.append(waiter)
        return waiter

    async def closed(self) -> Record:
        """Wait for the end."""
        return self.record if self.record is not None else await self.ended()


class Watches(Generic[Record]):
    """All watches of one sort, by tenant and id."""

    def __init__(self) -> None:
        self._watches: WeakValueDictionary[tuple[str, str], Watch[Record]] = WeakValueDictionary()

    def watch(self, key: tuple[str, str]) -> Watch[Record]:
        """The watch for this key; the caller must hold on to it."""
        watch = self._watches.get(key)
        if watch is None or watch.record is not None:
            watch = Watch(key)
            self._watches[key] = watch
        return watch

    def settle(self, records: Iterable[Record]) -> None:
        """Tell those who wait for these records."""
        for record in records:
            watch = self._watches.get((record.tenant, record.id))
            if watch is not None:
                watch.settle(record)

    def give_up(self) -> None:
        """Tell all who still wait that nothing more will be heard."""
        for watch in list(self._watches.values()):
            watch.give_up()

    def awaited(self) -> list[Watch[Record]]:
        """Those whose end someone waits for at this moment."""
        return [watch for watch in list(self._watches.values()) if watch.awaited]

    def is_open(self, key: tuple[str, str]) -> bool:
        """Whether someone may wait for this one."""
        watch = self._watches.get(key)
        return watch is not None and watch.record is None

    def open(self) -> list[tuple[str, str]]:
        """The keys that someone may wait for."""
        return [watch.key for watch in list(self._watches.values()) if watch.record is None]
