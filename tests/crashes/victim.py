"""A server over a database, a Redis and a RabbitMQ, as a process of its own, that dies at a step that a test names.

    python -m tests.crashes.victim DATABASE REDIS RABBITMQ STEP RUNS

It starts RUNS runs of a flow, says "started", and serves until it is killed; STEP "never" means that it does not die.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from holdfast.brokers.guarded import GuardedQueue
from holdfast.brokers.rabbitmq.broker import RabbitBroker
from holdfast.timers.guarded import GuardedTimers
from holdfast.timers.redis.index import RedisIndex
from tests.brokers.running import NAP, carried, engines, save, start
from tests.timers.running import guard_of, until

Act = Callable[..., Awaitable[Any]]


def die() -> None:
    """As suddenly as can be."""
    os.kill(os.getpid(), signal.SIGKILL)


def dies_before(owner: type, name: str) -> None:
    """The process is killed when it is about to do this."""

    def act(*_: object, **__: object) -> None:
        die()

    setattr(owner, name, act)


def dies_after(owner: type, name: str, *, with_result: bool = False) -> None:
    """The process is killed when it has done this, before anything follows from it."""
    act: Act = getattr(owner, name)

    async def act_and_die(self: object, *arguments: object, **named: object) -> object:
        result = await act(self, *arguments, **named)
        if not with_result or result is not None:
            die()
        return result

    setattr(owner, name, act_and_die)


STEPS: dict[str, Callable[[], None]] = {
    "never": lambda: None,
    "before timers are put into the index": lambda: dies_before(RedisIndex, "put"),
    "after timers were claimed": lambda: dies_after(GuardedTimers, "claim", with_result=True),
    "after timers were acted on, before they are acknowledged": lambda: dies_before(GuardedTimers, "settle"),
    "after timers were acknowledged": lambda: dies_after(RedisIndex, "acknowledge"),
    "after the commit, before messages are published": lambda: dies_before(RabbitBroker, "publish"),
    "after messages were confirmed, before the outbox is told": lambda: dies_after(RabbitBroker, "publish"),
    "after a message has come, before its effect is committed": lambda: dies_before(GuardedQueue, "_step"),
    "after its effect is committed, before it is acknowledged": lambda: dies_after(GuardedQueue, "_receive"),
}
"""Where a server may die."""


async def main(file: str, redis: str, rabbitmq: str, step: str, runs: str) -> None:
    """Serve."""
    STEPS[step]()
    async with engines(Path(file), rabbitmq, timers=redis) as [host]:
        await carried(host)
        await until(lambda: guard_of(host).trusted)
        await save(host, NAP)
        await start(host, "nap", int(runs))
        print("started", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
