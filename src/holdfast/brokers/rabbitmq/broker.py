"""The broker in RabbitMQ.

`workflow.execution`, `workflow.node.status` and `workflow.completion` are quorum queues. What is published is
persistent, mandatory and confirmed; what has no queue comes back, and then the queues are made again. A message of the
first is acknowledged when what it asked for has been committed. One that cannot be read, and one that was brought
again and again to servers that did not survive it, goes to `workflow.dead`.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

import aio_pika
from aio_pika.abc import AbstractChannel, AbstractConnection, AbstractIncomingMessage, AbstractQueue
from aio_pika.exceptions import AMQPError, ChannelInvalidStateError, PublishError
from aiormq.abc import AbstractChannel as RawChannel
from pamqp.commands import Basic

from holdfast.brokers.outside import Receive
from holdfast.model.errors import InvalidArgument, Unavailable
from holdfast.model.messages import OutboxEntry, Topic

logger = logging.getLogger(__name__)

DEAD: Final = "workflow.dead"

MOST_DELIVERIES: Final = 5
"""So often a message is brought before it is put aside."""

PREFETCH = 32
"""So many messages, of up to 64 tokens each, a server has in hand at most."""

KEPT: Final = 100_000
"""The most messages that a queue without a listener keeps; then the oldest go. The database knows it all."""

TIMEOUT_SECONDS = 5.0
"""An answer that takes longer counts as none."""

CONTENT_TYPE: Final = "application/x-ndjson"

ARGUMENTS: Final[Mapping[Topic, dict[str, str | int]]] = {
    Topic.EXECUTION: {
        "x-delivery-limit": MOST_DELIVERIES,
        "x-dead-letter-exchange": "",
    },
    Topic.NODE_STATUS: {"x-max-length": KEPT, "x-overflow": "drop-head"},
    Topic.COMPLETION: {"x-max-length": KEPT, "x-overflow": "drop-head"},
}

SCHEMES: Final = ("amqp", "amqps")


def rabbit_broker(url: str, *, prefetch: int = PREFETCH) -> "RabbitBroker":
    """The broker at `amqp://user:password@host:5672/vhost`; `?prefix=…` comes before the name of each queue."""
    parts = urlsplit(url)
    options = parse_qs(parts.query)
    prefix = options.pop("prefix", [""])[-1]
    if parts.scheme not in SCHEMES:
        raise InvalidArgument(f"{parts.scheme!r} is not the scheme of a RabbitMQ; use amqp://host:5672/")
    return RabbitBroker(
        urlunsplit(parts._replace(query=urlencode(options, doseq=True))), prefix=prefix, prefetch=prefetch
    )


class RabbitBroker:
    """A broker (brokers.outside.Broker)."""

    def __init__(self, url: str, *, prefix: str = "", prefetch: int = PREFETCH) -> None:
        """`prefix` comes before the name of each queue."""
        self._url = url
        self._prefix = prefix
        self._prefetch = prefetch
        self._connection: AbstractConnection | None = None
        # Each topic has its own: a message that is never confirmed spoils its channel.
        self._publishing: dict[Topic, AbstractChannel] = {}
        self._consuming: AbstractChannel | None = None
        self._lost: asyncio.Future[str] | None = None
        self._is_stuck = False

    async def open(self, receive: Receive) -> None:
        """Connect, make what queues are missing, and consume."""
        self._lost = asyncio.get_running_loop().create_future()
        async with _reached():
            self._connection = await aio_pika.connect(self._url, timeout=TIMEOUT_SECONDS, heartbeat=10)
            self._connection.close_callbacks.add(self._closed)
            self._publishing = {topic: await self._new_channel(self._connection) for topic in Topic}
            self._consuming = await self._connection.channel(publisher_confirms=False)
            await self._consuming.set_qos(prefetch_count=self._prefetch)
            queue = await self._make_queues(self._publishing[Topic.EXECUTION])
            await self._consume(self._consuming, queue, receive)

    async def close(self) -> None:
        """What was brought and not acknowledged, is brought to others."""
        connection, self._connection = self._connection, None
        self._publishing, self._consuming = {}, None
        if connection is not None:
            try:
                await asyncio.wait_for(connection.close(), TIMEOUT_SECONDS)
            except (AMQPError, OSError, RuntimeError) as error:
                logger.debug("the connection to the broker did not end well: %s", error)

    async def lost(self) -> str:
        """Until a connection, a channel, or the consumer is gone, or a message had no queue."""
        assert self._lost is not None, "it has been opened"
        return await self._lost

    async def publish(self, entries: Sequence[OutboxEntry]) -> None:
        """Returns when all are confirmed."""
        for topic in {entry.topic for entry in entries}:
            async with _reached():
                try:
                    await asyncio.gather(*[self._publish(entry) for entry in entries if entry.topic is topic])
                except PublishError:
                    self._lose("a queue is missing")
                    raise
                except TimeoutError:
                    await self._is_silent(topic)
                    raise

    async def _is_silent(self, topic: Topic) -> None:
        """A queue takes nothing, as is seen of quorum queues whose node was killed while they were being made."""
        if topic is Topic.EXECUTION:
            self._is_stuck = True
            self._lose("the execution queue takes nothing")
        elif self._connection is not None:
            self._publishing[topic] = await self._new_channel(self._connection)

    async def _new_channel(self, connection: AbstractConnection) -> AbstractChannel:
        return await connection.channel(publisher_confirms=True, on_return_raises=True)

    async def waiting(self) -> int:
        """What the queue holds that nobody has in hand."""
        channel = self._channel(Topic.EXECUTION)
        async with _reached():
            raw = await channel.get_underlay_channel()
            answer = await raw.queue_declare(self._queue(Topic.EXECUTION), passive=True, timeout=TIMEOUT_SECONDS)
        return answer.message_count or 0

    def _channel(self, topic: Topic) -> AbstractChannel:
        channel = self._publishing.get(topic)
        if channel is None:
            raise Unavailable("RabbitMQ: there is no connection")
        return channel

    async def _publish(self, entry: OutboxEntry) -> None:
        message = aio_pika.Message(
            entry.body,
            content_type=CONTENT_TYPE,
            delivery_mode=aio_pika.DeliveryMode.PERSISTENT,
            message_id=entry.id,
        )
        exchange = self._channel(entry.topic).default_exchange
        await exchange.publish(message, self._queue(entry.topic), mandatory=True, timeout=TIMEOUT_SECONDS)

    def _queue(self, name: str) -> str:
        return f"{self._prefix}{name}"

    async def _make_queues(self, channel: AbstractChannel) -> AbstractQueue:
        quorum = {"x-queue-type": "quorum"}
        if self._is_stuck:
            # What it may hold, the database has.
            await channel.queue_delete(self._queue(Topic.EXECUTION), timeout=TIMEOUT_SECONDS)
            self._is_stuck = False
        dead = self._queue(DEAD)
        await channel.declare_queue(dead, durable=True, arguments={**quorum, "x-max-length": KEPT})
        arguments_of = {**ARGUMENTS, Topic.EXECUTION: {**ARGUMENTS[Topic.EXECUTION], "x-dead-letter-routing-key": dead}}
        queues = {
            topic: await channel.declare_queue(
                self._queue(topic), durable=True, arguments={**quorum, **arguments}, timeout=TIMEOUT_SECONDS
            )
            for topic, arguments in arguments_of.items()
        }
        return queues[Topic.EXECUTION]

    async def _consume(self, channel: AbstractChannel, queue: AbstractQueue, receive: Receive) -> None:
        raw: RawChannel = await channel.get_underlay_channel()
        raw.on_consumer_cancel_callbacks.add(self._cancelled)
        channel.close_callbacks.add(self._closed)
        own = await channel.get_queue(queue.name, ensure=False)

        async def consume(message: AbstractIncomingMessage) -> None:
            await self._settle(message, receive)

        await own.consume(consume, timeout=TIMEOUT_SECONDS)

    async def _settle(self, message: AbstractIncomingMessage, receive: Receive) -> None:
        try:
            try:
                if await receive(message.body):
                    await message.ack()
                else:
                    await message.reject(requeue=False)
            except Exception:
                logger.exception("a message could not be consumed; it is brought again, a few times")
                await message.nack(requeue=True)
        except (AMQPError, OSError, RuntimeError) as error:
            # It is brought again, to whoever is there, and then changes nothing.
            logger.info("a message could not be acknowledged: %s", error)

    def _cancelled(self, _: Basic.Cancel) -> None:
        self._lose("the queue has been deleted")

    def _closed(self, _: object, error: BaseException | None = None) -> None:
        self._lose(f"the connection has ended: {error}")

    def _lose(self, why: str) -> None:
        if self._lost is not None and not self._lost.done():
            self._lost.set_result(why)


@asynccontextmanager
async def _reached() -> AsyncIterator[None]:
    try:
        yield
    except (AMQPError, ChannelInvalidStateError, OSError, RuntimeError) as error:
        raise Unavailable(f"RabbitMQ: {error!r}") from error
