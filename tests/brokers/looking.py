"""Looks into a RabbitMQ from outside, as its operator would."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aio_pika
from aio_pika.abc import AbstractChannel

from holdfast.brokers.rabbitmq.broker import DEAD
from holdfast.model.messages import Topic

QUEUES = (DEAD, *(topic.value for topic in Topic))


def _named(url: str, queue: str) -> str:
    return url.partition("?prefix=")[2] + queue


@asynccontextmanager
async def operator(url: str) -> AsyncIterator[AbstractChannel]:
    """A channel of somebody else."""
    connection = await aio_pika.connect(url.partition("?")[0])
    async with connection:
        yield await connection.channel()


async def delete_queues(url: str) -> None:
    """Every queue, with all that it holds."""
    async with operator(url) as channel:
        for name in QUEUES:
            await channel.queue_delete(_named(url, name))


async def count(url: str, queue: str) -> int:
    """How many messages a queue holds that nobody has in hand."""
    async with operator(url) as channel:
        found = await channel.declare_queue(_named(url, queue), passive=True)
        return found.declaration_result.message_count or 0


async def bodies(url: str, queue: str) -> list[bytes]:
    """Takes all messages out of a queue."""
    taken: list[bytes] = []
    async with operator(url) as channel:
        found = await channel.get_queue(_named(url, queue))
        while (message := await found.get(no_ack=True, fail=False)) is not None:
            taken.append(message.body)
    return taken


async def put(url: str, queue: str, *messages: bytes) -> None:
    """Put messages into a queue."""
    async with operator(url) as channel:
        for body in messages:
            await channel.default_exchange.publish(aio_pika.Message(body), _named(url, queue))
