"""The broker in a real RabbitMQ: what is published is there for good, and is brought until it has been consumed."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from holdfast.brokers.rabbitmq.broker import DEAD, MOST_DELIVERIES, RabbitBroker, rabbit_broker
from holdfast.model.errors import InvalidArgument, Unavailable
from holdfast.model.instants import Instant
from holdfast.model.messages import OutboxEntry, Topic
from tests.brokers.looking import bodies, count, delete_queues
from tests.services.rabbitmq import RabbitServer

pytestmark = pytest.mark.processes

WITHIN = 60.0


def entry(body: bytes, topic: Topic = Topic.EXECUTION) -> OutboxEntry:
    return OutboxEntry(f"id-{body.decode()}", topic, Instant(1), body)


class Consumer:
    """Remembers what it is brought, and does with it what a test says."""

    def __init__(self) -> None:
        self.brought: list[bytes] = []
        self.reads = True
        self.fails = False
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, body: bytes) -> bool:
        self.brought.append(body)
        await self.gate.wait()
        if self.fails:
            raise ValueError("a defect")
        return self.reads

    async def has(self, number: int) -> None:
        async with asyncio.timeout(WITHIN):
            while len(self.brought) < number:  # noqa: ASYNC110 - another process brings it
                await asyncio.sleep(0.005)


@pytest.fixture
def url(rabbitmq_queues: str) -> str:
    return rabbitmq_queues


@pytest.fixture
def consumer() -> Consumer:
    return Consumer()


@pytest.fixture
async def broker(url: str, consumer: Consumer) -> AsyncIterator[RabbitBroker]:
    broker = rabbit_broker(url)
    await broker.open(consumer)
    yield broker
    await broker.close()


async def until_count(url: str, queue: str, expected: int) -> None:
    async with asyncio.timeout(WITHIN):
        while await count(url, queue) != expected:  # noqa: ASYNC110 - another process counts
            await asyncio.sleep(0.02)


async def test_what_is_published_is_brought_and_then_gone(url: str, broker: RabbitBroker, consumer: Consumer) -> None:
    await broker.publish([entry(b"a"), entry(b"b")])
    await consumer.has(2)
    assert sorted(consumer.brought) == [b"a", b"b"]
    await broker.close()
    assert await count(url, Topic.EXECUTION) == 0


async def test_each_topic_has_its_queue(url: str, broker: RabbitBroker) -> None:
    await broker.publish([entry(b"s", Topic.NODE_STATUS), entry(b"c", Topic.COMPLETION)])
    assert await bodies(url, Topic.NODE_STATUS) == [b"s"]
    assert await bodies(url, Topic.COMPLETION) == [b"c"]


async def test_what_was_not_consumed_is_brought_to_the_next_server(
    url: str, broker: RabbitBroker, consumer: Consumer
) -> None:
    consumer.gate.clear()
    await broker.publish([entry(b"a")])
    await consumer.has(1)
    await broker.close()
    second, another = Consumer(), rabbit_broker(url)
    await another.open(second)
    await second.has(1)
    await another.close()
    assert second.brought == [b"a"]


async def test_what_cannot_be_read_is_put_aside(url: str, broker: RabbitBroker, consumer: Consumer) -> None:
    consumer.reads = False
    await broker.publish([entry(b"?")])
    await until_count(url, DEAD, 1)
    assert (consumer.brought, await bodies(url, DEAD)) == ([b"?"], [b"?"])


async def test_poison_is_put_aside_after_a_few_deliveries(url: str, broker: RabbitBroker, consumer: Consumer) -> None:
    consumer.fails = True
    await broker.publish([entry(b"!")])
    await until_count(url, DEAD, 1)
    assert len(consumer.brought) == MOST_DELIVERIES + 1


async def test_the_backlog_is_what_nobody_has_in_hand(url: str, consumer: Consumer) -> None:
    consumer.gate.clear()
    broker = rabbit_broker(url, prefetch=1)
    await broker.open(consumer)
    await broker.publish([entry(b"a"), entry(b"b"), entry(b"c")])
    await consumer.has(1)
    assert await broker.waiting() == 2
    consumer.gate.set()
    await consumer.has(3)
    await broker.close()


async def test_a_deleted_queue_is_noticed_by_who_consumes(url: str, broker: RabbitBroker) -> None:
    await delete_queues(url)
    async with asyncio.timeout(WITHIN):
        assert "deleted" in await broker.lost()


async def test_a_message_without_a_queue_comes_back_and_the_queues_are_made_again(
    url: str, broker: RabbitBroker, consumer: Consumer
) -> None:
    await delete_queues(url)
    with pytest.raises(Unavailable, match="RabbitMQ"):
        await broker.publish([entry(b"s", Topic.NODE_STATUS)])
    await broker.lost()
    await broker.close()
    await broker.open(consumer)
    await broker.publish([entry(b"s", Topic.NODE_STATUS)])
    assert await bodies(url, Topic.NODE_STATUS) == [b"s"]


async def test_what_was_confirmed_survives_a_kill(own_rabbitmq: RabbitServer, consumer: Consumer) -> None:
    broker = rabbit_broker(own_rabbitmq.url)
    consumer.gate.clear()
    await broker.open(consumer)
    await broker.publish([entry(f"{number}".encode()) for number in range(20)])
    own_rabbitmq.kill()
    async with asyncio.timeout(WITHIN):
        assert "ended" in await broker.lost()
    await broker.close()
    with pytest.raises(Unavailable):
        await broker.open(consumer)
    own_rabbitmq.start()
    survivors = Consumer()
    await broker.open(survivors)
    await survivors.has(20)
    await broker.close()
    assert {int(body) for body in survivors.brought} == set(range(20))


async def test_nothing_is_published_without_a_connection(url: str) -> None:
    broker = rabbit_broker(url)
    await broker.close()
    with pytest.raises(Unavailable, match="no connection"):
        await broker.publish([entry(b"a")])
    with pytest.raises(Unavailable, match="no connection"):
        await broker.waiting()


def test_what_is_not_a_rabbitmq_is_refused_without_telling_its_password() -> None:
    with pytest.raises(InvalidArgument, match="amqp://") as refused:
        rabbit_broker("http://guest:secret@localhost")
    assert "secret" not in str(refused.value)


async def test_a_queue_that_takes_nothing_is_made_again(
    own_rabbitmq: RabbitServer, consumer: Consumer, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = rabbit_broker(own_rabbitmq.url)
    await broker.open(consumer)
    monkeypatch.setattr("holdfast.brokers.rabbitmq.broker.TIMEOUT_SECONDS", 0.5)
    own_rabbitmq.pause()
    with pytest.raises(Unavailable, match="Timeout"):
        await broker.publish([entry(b"s")])
    assert "takes nothing" in await broker.lost()
    await broker.close()
    own_rabbitmq.go_on()
    monkeypatch.undo()
    await broker.open(consumer)
    await broker.publish([entry(b"t")])
    await consumer.has(1)
    await broker.close()
    assert b"t" in consumer.brought


async def test_a_listeners_queue_that_takes_nothing_holds_up_no_other(
    broker: RabbitBroker, consumer: Consumer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.brokers.rabbitmq.broker.TIMEOUT_SECONDS", 0)
    with pytest.raises(Unavailable, match="Timeout"):
        await broker.publish([entry(b"s", Topic.NODE_STATUS)])
    monkeypatch.undo()
    await broker.publish([entry(b"e"), entry(b"s", Topic.NODE_STATUS)])
    await consumer.has(1)
