"""Runs of flows go on beside one that the engine fails on; that one is tried again later."""

import asyncio
from collections.abc import Callable
from typing import cast

import msgspec
import pytest

from holdfast.engine.flow.run import requests
from holdfast.engine.state import ExecutionKey, State
from holdfast.model.errors import Unavailable
from holdfast.model.flow_requests import SaveFlow, StartFlow, StepFrames
from holdfast.model.ids import DEFAULT_QUEUE, DEFAULT_TENANT, ExecutionId, QueueName
from holdfast.model.instants import Milliseconds
from holdfast.ports.store import Plan
from holdfast.server import apart, pump
from holdfast.server.batch import Batch
from holdfast.server.host import EngineHost
from tests.flow.sketches import sketch
from tests.server.support import FailingStore

WITHIN = 30.0

LOOP = sketch(
    {"go": "manual", "again": ("loop", {"times": 400, "max_iterations": 400}), "note": "log"},
    "go > again",
    "again:body > note > again",
    name="loop",
)
"""More nodes than one request goes through, so that the pump has to go on."""


class Defect:
    """A defect that is met as often as the engine goes on with a run called bad."""

    def __init__(self) -> None:
        self.active = True
        self.met = 0
        self._go_on: Callable[..., None] = requests._pump_run

    def __call__(self, state: State, key: ExecutionKey, *rest: object) -> None:
        if self.active and key[1].startswith("bad"):
            self.met += 1
            raise ZeroDivisionError("a defect")
        self._go_on(state, key, *rest)


@pytest.fixture
def defect(monkeypatch: pytest.MonkeyPatch) -> Defect:
    made = Defect()
    monkeypatch.setattr(requests, "_pump_run", made)
    return made


async def begin(host: EngineHost, *names: str) -> None:
    await host.send(SaveFlow(DEFAULT_TENANT, "loop", msgspec.json.encode(LOOP)))
    for name in names:
        await host.send(StartFlow(DEFAULT_TENANT, ExecutionId(name), "loop", b"null", QueueName(DEFAULT_QUEUE)))


async def ended(host: EngineHost, *names: str) -> None:
    async with asyncio.timeout(WITHIN):
        for name in names:
            watch = host.executions.watch((DEFAULT_TENANT, name))
            await host.check_watches()
            await watch.closed()


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(WITHIN):
        while not holds():  # noqa: ASYNC110 - what is waited for sets no event
            await asyncio.sleep(0.005)


async def test_what_becomes_ready_in_the_commit_of_a_turn_is_not_forgotten(host: EngineHost) -> None:
    """The turn finds nothing, and a start beside it in the same batch leaves the run ready."""
    await begin(host)
    saving = host.send(SaveFlow(DEFAULT_TENANT, "loop", msgspec.json.encode(LOOP)))
    host.pump.poke()
    while not (host.committer._gathering or saving.done()):  # noqa: ASYNC110 - until the turn is in the next batch
        await asyncio.sleep(0)
    await host.send(StartFlow(DEFAULT_TENANT, ExecutionId("beside"), "loop", b"null", QueueName(DEFAULT_QUEUE)))
    await ended(host, "beside")


async def test_a_run_that_breaks_its_turn_stops_no_other(
    host: EngineHost, store: FailingStore, defect: Defect, caplog: pytest.LogCaptureFixture
) -> None:
    await begin(host, "bad", "a", "b")
    await ended(host, "a", "b")
    await begin(host, "later")
    await ended(host, "later")
    assert defect.met
    assert not (await store.executions([(DEFAULT_TENANT, ExecutionId("bad"))]))[0].closed
    told = [each for each in caplog.records if "run bad of tenant default is ready" in each.message]
    assert len(told) == 1


async def test_runs_that_were_set_aside_do_not_hide_others(
    host: EngineHost, defect: Defect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pump, "TURN", 1)
    await begin(host, "bad-1", "bad-2", "bad-3")
    await until(lambda: len(host.pump._aside) == 3)
    await begin(host, "good")
    await ended(host, "good")


async def test_a_run_that_was_set_aside_is_tried_again(
    host: EngineHost, defect: Defect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "ASIDE_MS", Milliseconds(20))
    await begin(host, "bad")
    await until(lambda: defect.met >= 5)
    defect.active = False
    await ended(host, "bad")


async def test_a_store_that_fails_is_not_the_fault_of_a_run(
    host: EngineHost,
    store: FailingStore,
    defect: Defect,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The turn of all breaks; when it is done run by run, what is ready cannot be read, and later it can."""
    read, failures = store.ready_flows, 0

    async def fail_at_first(limit: int) -> object:
        nonlocal failures
        failures += 1
        if failures <= 2:
            raise ZeroDivisionError("the read has a defect")
        return await read(limit)

    monkeypatch.setattr(store, "ready_flows", fail_at_first)
    await begin(host, "bad", "good")
    await ended(host, "good")
    assert "the pump failed; it goes on" in caplog.text


async def test_a_database_that_is_away_sets_no_run_aside(
    host: EngineHost, store: FailingStore, defect: Defect, caplog: pytest.LogCaptureFixture
) -> None:
    """It goes away between the turn of all, which breaks, and that of each."""
    away = 3

    def go_away(plan: Plan) -> None:
        nonlocal away
        if away and any(isinstance(each, StepFrames) for each in cast("Batch", plan)._requests):
            away -= 1
            raise Unavailable("the disk is away")

    store.before = go_away
    await begin(host, "bad", "good")
    await ended(host, "good")
    assert not away
    assert "flows cannot go on for now: the disk is away" in caplog.text
    assert "run good of tenant default is ready" not in caplog.text
