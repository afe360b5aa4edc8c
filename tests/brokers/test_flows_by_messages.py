"""Runs of flows that messages bring on: whatever happens to the broker, each of them ends, exactly once."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from holdfast.brokers import guarded
from holdfast.brokers.rabbitmq import broker
from holdfast.brokers.rabbitmq.broker import DEAD
from holdfast.model.ids import DEFAULT_TENANT, ExecutionId
from holdfast.model.messages import CompletionMessage, NodeExecutionMessage, NodeStatusMessage, Topic
from holdfast.model.queries import HistoryWanted
from holdfast.server.host import EngineHost
from tests.brokers.looking import bodies, count, delete_queues, put
from tests.brokers.running import NAP, SPREAD, WITHIN, carried, check_ends, ended, engines, queue_of, save, start, until
from tests.services.rabbitmq import RabbitServer

pytestmark = pytest.mark.processes

MANY = 100


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What no message brings is looked for too late for any test, and no confirmation comes too late."""
    monkeypatch.setattr(guarded, "LOOK_SECONDS", 10 * WITHIN)
    monkeypatch.setattr(broker, "TIMEOUT_SECONDS", WITHIN)


Message = TypeVar("Message")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "flows.db"


@pytest.fixture
async def host(file: Path, rabbitmq_queues: str) -> AsyncIterator[EngineHost]:
    """Its broker is in use, and it knows both flows."""
    async with engines(file, rabbitmq_queues) as [host]:
        await carried(host)
        await save(host, NAP)
        await save(host, SPREAD)
        yield host


async def emptied(host: EngineHost) -> None:
    """Wait until everything has been told."""
    async with asyncio.timeout(WITHIN):
        while await host.store.outbox("~", 1):  # noqa: ASYNC110 - another task empties it
            await asyncio.sleep(0.01)


TOPICS: dict[type, Topic] = {CompletionMessage: Topic.COMPLETION, NodeStatusMessage: Topic.NODE_STATUS}


async def told(url: str, kind: type[Message]) -> list[Message]:
    """What listeners were told; they have it now."""
    packs = await bodies(url, TOPICS[kind])
    return [msgspec.json.decode(line, type=kind) for body in packs for line in body.split(b"\n")]


@pytest.mark.usefixtures("patient")
async def test_messages_bring_runs_on_and_nothing_needs_a_repair(host: EngineHost) -> None:
    await check_ends(host, await start(host, "nap", MANY))
    await emptied(host)
    counts = queue_of(host).counts
    assert counts.consumed > 0
    assert (counts.repaired, counts.outages, counts.unreadable, counts.dropped) == (0, 0, 0, 0)


async def test_items_of_splits_go_on_by_messages(host: EngineHost) -> None:
    [run] = await ended(host.store, await start(host, "spread", 1, list(range(30))))
    assert run.output is not None
    assert [each["value"]["item"] for each in msgspec.json.decode(run.output)] == list(range(30))
    await until(lambda: queue_of(host).counts.consumed > 0)


async def test_listeners_are_told_of_each_status_and_of_one_end(host: EngineHost, rabbitmq_queues: str) -> None:
    ids = await start(host, "nap", 3)
    await check_ends(host, ids)
    await emptied(host)
    ends = await told(rabbitmq_queues, CompletionMessage)
    assert sorted((end.execution_id, end.status) for end in ends) == [(each, "COMPLETED") for each in ids]
    statuses = await told(rabbitmq_queues, NodeStatusMessage)
    of_one = [(each.node, each.status) for each in statuses if each.execution_id == ids[0]]
    assert of_one == [
        ("go", "success"),
        ("nap", "waiting"),
        ("nap", "success"),
        ("work", "success"),
        ("doze", "waiting"),
        ("doze", "success"),
    ]
    assert all(each.metadata.resume_at for each in statuses if each.status == "waiting")


@pytest.mark.usefixtures("patient")
async def test_several_servers_share_the_queue(file: Path, rabbitmq_queues: str) -> None:
    async with engines(file, rabbitmq_queues, count=2) as hosts:
        await carried(*hosts)
        await save(hosts[0], NAP)
        await check_ends(hosts[0], await start(hosts[0], "nap", MANY))
        assert [queue_of(each).counts.repaired for each in hosts] == [0, 0]


async def test_every_message_twice_changes_nothing(
    host: EngineHost, rabbitmq_queues: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = queue_of(host)._broker
    publish = outside.publish

    async def twice(entries: object) -> None:
        await publish(entries)  # type: ignore[arg-type]
        await publish(entries)  # type: ignore[arg-type]

    monkeypatch.setattr(outside, "publish", twice)
    ids = [*await start(host, "nap", MANY), *await start(host, "spread", 5, [1, 2, 3], prefix="spread")]
    await check_ends(host, ids)
    await emptied(host)
    ends = await told(rabbitmq_queues, CompletionMessage)
    assert Counter(end.execution_id for end in ends) == dict.fromkeys(ids, 2)
    assert [each async for each in _ends_in_history(host, ids)] == [1] * len(ids)


async def _ends_in_history(host: EngineHost, ids: list[str]) -> AsyncIterator[int]:
    for each in ids:
        [history] = await host.histories([HistoryWanted(DEFAULT_TENANT, ExecutionId(each), 0, 1_000)])
        yield sum(event.type == "WORKFLOW_COMPLETED" for event in history)


async def test_every_queue_deleted_under_load(host: EngineHost, rabbitmq_queues: str) -> None:
    ids = await start(host, "nap", MANY)
    for _ in range(3):
        await carried(host)
        await delete_queues(rabbitmq_queues)
    await check_ends(host, ids)
    await until(lambda: queue_of(host).counts.outages > 0)
    await carried(host)
    await check_ends(host, await start(host, "nap", 5, prefix="again"))


async def test_messages_that_vanish_are_found_in_the_database(
    host: EngineHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = queue_of(host)._broker

    async def swallow(_: object) -> None:
        """Confirms, and keeps nothing."""

    monkeypatch.setattr(outside, "publish", swallow)
    await check_ends(host, await start(host, "nap", MANY))
    assert queue_of(host).counts.repaired >= MANY


async def test_what_cannot_be_read_is_put_aside_and_the_others_go_on(host: EngineHost, rabbitmq_queues: str) -> None:
    stranger = NodeExecutionMessage("default", "nobody", "nap", 1, "nap", "r", "1")  # type: ignore[arg-type]
    await put(rabbitmq_queues, Topic.EXECUTION, b"{", b'{"tenant": 1}', msgspec.json.encode(stranger))
    await check_ends(host, await start(host, "nap", 5))
    await until(lambda: queue_of(host).counts.unreadable == 2)
    async with asyncio.timeout(WITHIN):
        while await count(rabbitmq_queues, DEAD) != 2:  # noqa: ASYNC110 - another process counts
            await asyncio.sleep(0.02)


async def test_the_broker_is_killed_and_restarted_under_load(file: Path, own_rabbitmq: RabbitServer) -> None:
    async with engines(file, own_rabbitmq.url) as [host]:
        await carried(host)
        await save(host, NAP)
        await check_ends(host, await start(host, "nap", 5, prefix="first"))
        before = await start(host, "nap", MANY, prefix="before")
        own_rabbitmq.kill()
        during = await start(host, "nap", MANY, prefix="during")
        await check_ends(host, [*before, *during])
        own_rabbitmq.start()
        await carried(host)
        await check_ends(host, await start(host, "nap", 5, prefix="after"))


async def test_the_broker_is_down_when_the_server_begins(file: Path, own_rabbitmq: RabbitServer) -> None:
    own_rabbitmq.stop()
    async with engines(file, own_rabbitmq.url) as [host]:
        await save(host, NAP)
        await check_ends(host, await start(host, "nap", 10))
        assert not queue_of(host).carries
        own_rabbitmq.start()
        await carried(host)
        await emptied(host)
    ends = await told(own_rabbitmq.url, CompletionMessage)
    assert len(ends) == 10


async def test_what_a_dead_server_left_in_the_outbox_is_told_by_another(
    file: Path, rabbitmq_queues: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.brokers.guarded.LEFT_AFTER_MS", 100)
    async with engines(file, "amqp://guest:guest@127.0.0.1:1/") as [host]:
        await save(host, NAP)
        await check_ends(host, await start(host, "nap", 10))
    async with engines(file, rabbitmq_queues) as [host]:
        await carried(host)
        await emptied(host)
    assert len(await told(rabbitmq_queues, CompletionMessage)) == 10
