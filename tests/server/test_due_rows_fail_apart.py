"""What is due beside a row that the engine fails on is acted on all the same; that row is tried again later."""

import asyncio
from typing import cast

import pytest
from msgspec.structs import replace

from holdfast.model.errors import HoldfastError, StoreRefused
from holdfast.model.ids import DEFAULT_TENANT
from holdfast.model.instants import Milliseconds
from holdfast.model.requests import FireDue, FireIfDue
from holdfast.model.wakes import WakeKey, WakeSort
from holdfast.ports.store import Plan
from holdfast.server import apart
from holdfast.server.batch import Batch
from holdfast.server.host import EngineHost
from tests.server.support import WITHIN, FailingStore, start

BAD: WakeKey = WakeSort.EXECUTION, DEFAULT_TENANT, "bad"


class Poison:
    """Fails as long as it is active, whenever a plan acts on the bad row."""

    def __init__(self, *errors: Exception) -> None:
        """With these errors in turn, and then with the last of them."""
        self._errors = errors
        self.active = True
        self._met = 0
        self._seen = asyncio.Event()

    def __call__(self, plan: Plan) -> None:
        if self.active and any(map(self._meets, cast("Batch", plan)._requests)):
            self._met += 1
            self._seen.set()
            raise self._errors[min(self._met, len(self._errors)) - 1]

    async def has_met(self, times: int) -> None:
        """Once it has failed so often."""
        async with asyncio.timeout(WITHIN):
            while self._met < times:
                self._seen.clear()
                await self._seen.wait()

    def _meets(self, request: object) -> bool:
        return isinstance(request, FireDue) or (isinstance(request, FireIfDue) and BAD in request.keys)


async def ended(host: EngineHost, *names: str) -> None:
    """Once each of these has overrun its timeout."""
    async with asyncio.timeout(WITHIN):
        for name in names:
            watch = host.executions.watch((DEFAULT_TENANT, name))
            await host.check_watches()
            await watch.closed()


async def start_overdue(host: EngineHost, *names: str) -> None:
    for name in names:
        await host.send(replace(start(name), timeout_ms=Milliseconds(1)))


async def test_a_row_that_breaks_its_sweep_stops_nobody_else(
    host: EngineHost, store: FailingStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.before = Poison(ZeroDivisionError("a defect"))
    others = [f"other-{number}" for number in range(5)]
    await start_overdue(host, *others[:2], "bad", *others[2:])
    await ended(host, *others)
    await start_overdue(host, "later")
    await ended(host, "later")
    assert not (await store.executions([(DEFAULT_TENANT, "bad")]))[0].closed  # type: ignore[list-item]  # a plain text
    told = [each for each in caplog.records if "execution bad of tenant default is due" in each.message]
    assert len(told) == 1


async def test_a_row_that_was_set_aside_is_tried_again(
    host: EngineHost, store: FailingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "ASIDE_MS", Milliseconds(20))
    store.before = poison = Poison(HoldfastError("a defect"))
    await start_overdue(host, "bad")
    await poison.has_met(4)
    poison.active = False
    await ended(host, "bad")


async def test_of_too_many_rows_none_is_noted_and_the_others_are_acted_on(
    host: EngineHost, store: FailingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "MOST_ASIDE", 0)
    monkeypatch.setattr(apart, "PAGE", 1)
    store.before = Poison(ZeroDivisionError("a defect"))
    await start_overdue(host, "bad", "good")
    await ended(host, "good")


async def test_a_database_that_refuses_everything_is_not_the_fault_of_a_row(
    host: EngineHost, store: FailingStore, caplog: pytest.LogCaptureFixture
) -> None:
    """The first sweep breaks; when it is done row by row the database lets nobody in any more, and later it does."""
    store.before = poison = Poison(ZeroDivisionError("a defect"), StoreRefused("the password has been changed"))
    await start_overdue(host, "bad")
    await poison.has_met(3)
    poison.active = False
    await ended(host, "bad")
    assert "timers cannot be fired for now: the password has been changed" in caplog.text
    assert "bad of tenant default is due" not in caplog.text
