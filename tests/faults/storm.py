"""Storms: faults, one after the other, chosen by seeded chance, each of which is mended before the next one comes."""

import asyncio
import random
import signal
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from tests.faults.databases import PostgresCluster
from tests.faults.installation import Installation, Process
from tests.faults.process import LEASE_MS
from tests.faults.proxy import Proxy, Wire

PAST_THE_LEASE = LEASE_MS / 1000 * 1.6

LABOUR_WITHIN = 120.0
"""Seconds in which clients have started a long task, and a worker has begun it."""

Fault = Callable[[Installation, random.Random], Awaitable[None]]


async def kill_and_start(process: Process, chance: random.Random) -> None:
    await process.kill()
    await asyncio.sleep(chance.random() * 0.5)
    await process.start()


async def pause(process: Process) -> None:
    process.signal(signal.SIGSTOP)
    try:
        await asyncio.sleep(PAST_THE_LEASE)
    finally:
        process.signal(signal.SIGCONT)


async def spoil(wire: Proxy, how: Wire, seconds: float) -> None:
    wire.become(how)
    try:
        await asyncio.sleep(seconds)
    finally:
        wire.become("sound")


async def server_killed(site: Installation, chance: random.Random) -> None:
    await kill_and_start(chance.choice(site.servers), chance)


async def worker_killed(site: Installation, chance: random.Random) -> None:
    """In the midst of a long task, which does not end before it is killed, however slow the machine is."""
    with site.labours_held():
        worker = await a_labouring_worker(site, chance)
        await worker.kill()
    await asyncio.sleep(chance.random() * 0.5)
    await worker.start()


async def server_paused(site: Installation, chance: random.Random) -> None:
    await pause(chance.choice(site.servers))


async def worker_paused(site: Installation, chance: random.Random) -> None:
    """Past the lease of a task that it is in the midst of."""
    with site.labours_held():
        await pause(await a_labouring_worker(site, chance))


async def a_labouring_worker(site: Installation, chance: random.Random) -> Process:
    """One of those that are in the midst of a long task, as soon as there are any."""
    async with asyncio.timeout(LABOUR_WITHIN):
        while not (busy := site.labouring()):  # noqa: ASYNC110 - other processes write the ledger
            await asyncio.sleep(0.02)
    return chance.choice(busy)


async def server_cut_off(site: Installation, chance: random.Random) -> None:
    await spoil(chance.choice(site.wires), "cut", chance.uniform(0.2, PAST_THE_LEASE))


async def replies_swallowed(site: Installation, chance: random.Random) -> None:
    await spoil(chance.choice(site.wires), "deaf", chance.uniform(0.1, 1.0))


async def server_killed_while_it_is_not_heard(site: Installation, chance: random.Random) -> None:
    """What it commits meanwhile nobody is told of; and it stays away for longer than clients have patience."""
    number = chance.randrange(len(site.servers))
    site.wires[number].become("deaf")
    await asyncio.sleep(0.5)
    await site.servers[number].kill()
    site.wires[number].become("sound")
    await asyncio.sleep(2.0)
    await site.servers[number].start()


async def all_servers_killed(site: Installation, chance: random.Random) -> None:
    await asyncio.gather(*[kill_and_start(server, chance) for server in site.servers])


EVERYWHERE: tuple[Fault, ...] = (
    server_killed, server_killed, worker_killed, worker_killed, server_paused, worker_paused, server_cut_off,
    replies_swallowed, replies_swallowed, all_servers_killed, server_killed_while_it_is_not_heard,
)  # fmt: skip


async def postgres_killed(site: Installation, _: random.Random) -> None:
    await cluster_of(site).crash()


async def postgres_cut_off(site: Installation, chance: random.Random) -> None:
    await spoil(cluster_of(site).wire, "cut", chance.uniform(0.2, 1.5))


async def postgres_replies_swallowed(site: Installation, chance: random.Random) -> None:
    await spoil(cluster_of(site).wire, "deaf", chance.uniform(0.1, 1.0))


async def connections_ended(site: Installation, _: random.Random) -> None:
    await cluster_of(site).end_connections()


ON_POSTGRES: tuple[Fault, ...] = (
    postgres_killed, postgres_killed, postgres_cut_off, postgres_replies_swallowed, postgres_replies_swallowed,
    connections_ended,
)  # fmt: skip


def cluster_of(site: Installation) -> PostgresCluster:
    assert isinstance(site.database, PostgresCluster)
    return site.database


def faults_of(site: Installation) -> tuple[Fault, ...]:
    """All that may happen to it."""
    return EVERYWHERE + ON_POSTGRES if isinstance(site.database, PostgresCluster) else EVERYWHERE


async def rage(
    site: Installation,
    chance: random.Random,
    *,
    seconds: float,
    among: Sequence[Fault] = (),
    enough: Callable[[], bool] = lambda: True,
) -> Counter[str]:
    """Faults for so long, and longer if that is not enough; what happened, and how often."""
    happened: Counter[str] = Counter()
    faults: list[Fault] = []
    over = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < over or not enough():
        if not faults:
            # Each of them once before any of them twice, so that a short storm has many.
            faults = list(among or faults_of(site))
            chance.shuffle(faults)
            # The first one hits a task for sure: a short storm on a slow machine may have no other.
            faults.sort(key=lambda fault: fault is worker_killed and not happened)
        fault = faults.pop()
        await fault(site, chance)
        happened[fault.__name__] += 1
        await asyncio.sleep(chance.random() * 0.8)
    return happened
