"""How the database stands behind a broker: with one in memory that fails, and loses, when a test says so."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import msgspec
import pytest

from holdfast.brokers import guarded
from holdfast.brokers.guarded import GuardedQueue
from holdfast.brokers.outside import Receive
from holdfast.engine.flow.run import requests
from holdfast.engine.state import ExecutionKey, State
from holdfast.model.errors import HoldfastError, Unavailable
from holdfast.model.ids import DEFAULT_TENANT, ExecutionId
from holdfast.model.messages import NodeExecutionMessage, OutboxEntry, Topic
from holdfast.model.requests import Swept
from holdfast.server import wiring
from holdfast.server.clock import SystemClock
from holdfast.server.host import EngineHost
from holdfast.server.metrics.serving import counting
from tests.brokers.running import NAP, WITHIN, carried, check_ends, save, start, until


def message(execution_id: str, frame: str = "r", scope: str | None = None) -> bytes:
    run = DEFAULT_TENANT, ExecutionId(execution_id)
    return msgspec.json.encode(NodeExecutionMessage(*run, "nap", 1, "nap", frame, "1", scope=scope))


class MemoryBroker:
    """A broker (brokers.outside.Broker) that is as good as a test lets it be."""

    def __init__(self) -> None:
        self.published: list[OutboxEntry] = []
        self.failure: Exception | None = None
        self.backlog = 0
        self.brings = True
        self.asked = 0
        self._receive: Receive | None = None
        self._lost: asyncio.Future[str] | None = None
        self._bringing: set[asyncio.Task[bool]] = set()

    async def open(self, receive: Receive) -> None:
        if self.failure is not None:
            raise self.failure
        self._receive = receive
        self._lost = asyncio.get_running_loop().create_future()

    async def close(self) -> None:
        pass

    async def lost(self) -> str:
        assert self._lost is not None
        return await self._lost

    def break_down(self, failure: Exception) -> None:
        """It is gone, until the failure is taken away."""
        self.failure = failure
        assert self._lost is not None
        self._lost.set_result("broken")

    async def publish(self, entries: Sequence[OutboxEntry]) -> None:
        if self.failure is not None:
            raise self.failure
        self.published += entries
        for entry in entries:
            if entry.topic is Topic.EXECUTION and self.brings:
                task = asyncio.ensure_future(self.bring(entry.body))
                self._bringing.add(task)
                task.add_done_callback(self._bringing.discard)

    async def bring(self, body: bytes) -> bool:
        assert self._receive is not None
        return await self._receive(body)

    async def waiting(self) -> int:
        self.asked += 1
        return self.backlog


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> MemoryBroker:
    monkeypatch.setattr(guarded, "PAUSE_AFTER_FAILURE", 0.02)
    monkeypatch.setattr(guarded, "LOOK_SECONDS", 0.05)
    return MemoryBroker()


@pytest.fixture
async def host(broker: MemoryBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[EngineHost]:
    store = wiring.open_store(f"sqlite:///{tmp_path}/flows.db")
    monkeypatch.setattr(
        wiring, "open_queue", lambda *_, **__: GuardedQueue(broker=broker, store=store, clock=SystemClock())
    )
    host = wiring.engine_host(store, broker="amqp://in.memory")
    await host.start()
    await carried(host)
    await save(host, NAP)
    yield host
    await host.stop()


def queue_of(host: EngineHost) -> GuardedQueue:
    assert isinstance(host.queue, GuardedQueue)
    return host.queue


async def test_messages_bring_runs_on(host: EngineHost, broker: MemoryBroker) -> None:
    await check_ends(host, await start(host, "nap", 3))
    assert {entry.topic for entry in broker.published} == set(Topic)
    assert queue_of(host).tally()["repaired"] == 0
    async with counting(host, host.store) as metrics:  # type: ignore[arg-type]  # this one keeps tenants too
        page = (await metrics.page()).decode()
    assert 'holdfast_broker_total{what="repaired"} 0.0' in page


async def test_messages_for_nobody_are_consumed(host: EngineHost, broker: MemoryBroker) -> None:
    assert await broker.bring(message("nobody") + b"\n" + message("nobody", scope="r~1"))


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b'{"tenant": 1}',
        message("run", frame="x"),
        message("run", frame="r~1.x"),
        message("run", frame="r~1"),
        message("run", scope="r~1.0"),
        message("run", scope="~"),
        message("r\0n"),
    ],
)
async def test_messages_that_cannot_be_read_are_refused(host: EngineHost, broker: MemoryBroker, body: bytes) -> None:
    assert not await broker.bring(body)
    assert not await broker.bring(message("nobody") + b"\n" + body)
    assert queue_of(host).counts.unreadable == 2
    await check_ends(host, await start(host, "nap", 1))


@pytest.mark.parametrize("scope", [None, "r~1-0a1b2c3d4e+2.12~7"])
async def test_all_places_of_runs_can_be_read(host: EngineHost, broker: MemoryBroker, scope: str | None) -> None:
    for frame in ("r", "r~4.12", "r~1-0a1b2c3d4e+2.12~7.0"):
        assert await broker.bring(message("nobody", frame=frame, scope=scope))


async def test_a_database_that_is_away_makes_a_message_wait(
    host: EngineHost, broker: MemoryBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = host.committer.send
    refused: list[object] = []

    def refuse_once(request: object) -> object:
        if refused:
            return send(request)  # type: ignore[arg-type]
        refused.append(request)
        future = asyncio.get_running_loop().create_future()
        future.set_exception(Unavailable("away"))
        return future

    monkeypatch.setattr(queue_of(host), "_send", refuse_once)
    assert await broker.bring(message("nobody"))
    assert len(refused) == 1


async def test_only_so_many_messages_are_acted_on_at_a_time(
    host: EngineHost, broker: MemoryBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way: list[asyncio.Future[Swept]] = []

    def take(_: object) -> "asyncio.Future[Swept]":
        under_way.append(asyncio.get_running_loop().create_future())
        return under_way[-1]

    monkeypatch.setattr(queue_of(host), "_send", take)
    brought = [asyncio.ensure_future(broker.bring(message(f"nobody-{number}"))) for number in range(5)]
    for number in range(5):
        await until(lambda: len(under_way) > number)  # noqa: B023 - awaited here
        assert len(under_way) <= number + guarded.ACTED_ON
        under_way[number].set_result(Swept(0))
    assert await asyncio.gather(*brought) == [True] * 5


async def test_a_defect_makes_a_message_come_again(
    host: EngineHost, broker: MemoryBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> object:
        future = asyncio.get_running_loop().create_future()
        future.set_exception(HoldfastError("a defect"))
        return future

    monkeypatch.setattr(queue_of(host), "_send", fail)
    with pytest.raises(HoldfastError, match="a defect"):
        await broker.bring(message("run"))


async def test_messages_that_vanish_are_repaired(host: EngineHost, broker: MemoryBroker) -> None:
    broker.brings = False
    await check_ends(host, await start(host, "nap", 3))
    assert queue_of(host).counts.repaired >= 3


async def test_what_a_busy_broker_still_holds_is_not_missing(host: EngineHost, broker: MemoryBroker) -> None:
    broker.brings, broker.backlog = False, 1
    [run] = await start(host, "nap", 1)
    await until(lambda: any(entry.topic is Topic.EXECUTION for entry in broker.published))
    await until(lambda: broker.asked > 3)
    assert queue_of(host).counts.repaired == 0
    broker.backlog = 0
    await check_ends(host, [run])


async def test_without_the_broker_the_pump_goes_on_and_listeners_are_told_later(
    host: EngineHost, broker: MemoryBroker
) -> None:
    broker.break_down(Unavailable("gone"))
    await until(lambda: not queue_of(host).carries)
    await check_ends(host, await start(host, "nap", 3))
    broker.published.clear()
    broker.failure = None
    async with asyncio.timeout(WITHIN):
        while await host.store.outbox("~", 1):  # noqa: ASYNC110 - another task empties it
            await asyncio.sleep(0.01)
    assert sum(entry.body.count(b'"COMPLETED"') for entry in broker.published) == 3


async def test_a_run_that_the_engine_fails_on_keeps_no_other_from_the_broker(
    host: EngineHost, broker: MemoryBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = requests._pump_run

    def fail_on_bad(state: State, key: ExecutionKey, *rest: object) -> None:
        if key[1].startswith("bad"):
            raise ZeroDivisionError("a defect")
        go_on(state, key, *rest)  # type: ignore[arg-type]  # what the pump has passed

    monkeypatch.setattr(requests, "_pump_run", fail_on_bad)
    broker.break_down(Unavailable("gone"))
    await until(lambda: not queue_of(host).carries)
    await start(host, "nap", 1, prefix="bad")
    await until(lambda: len(host.pump._aside) > 0)
    broker.failure = None
    await carried(host)
    await check_ends(host, await start(host, "nap", 3))


async def test_while_nobody_can_be_told_only_so_much_is_kept(
    host: EngineHost, broker: MemoryBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guarded, "KEPT_FOR_LISTENERS", 1)
    broker.break_down(Unavailable("gone"))
    await until(lambda: not queue_of(host).carries)
    await check_ends(host, await start(host, "nap", 2))
    async with asyncio.timeout(WITHIN):
        while len(await host.store.outbox("~", 10)) > 1:  # noqa: ASYNC110 - another task empties it
            await asyncio.sleep(0.01)
    assert queue_of(host).counts.dropped > 0


async def test_what_there_is_no_room_for_in_memory_waits_in_the_outbox(
    host: EngineHost, broker: MemoryBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guarded, "MOST_AT_HAND", 0)
    monkeypatch.setattr(guarded, "LEFT_AFTER_MS", 0)
    await check_ends(host, await start(host, "nap", 2))
    await until(lambda: sum(entry.body.count(b'"COMPLETED"') for entry in broker.published) == 2)


async def test_a_queue_that_was_never_opened_can_be_closed(broker: MemoryBroker) -> None:
    store = wiring.open_store("sqlite:///unused.db")
    await GuardedQueue(broker=broker, store=store, clock=SystemClock()).close()
