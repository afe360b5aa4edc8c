"""kill -9 at any moment: whatever was acknowledged gets its result, and bodies run at least once, with attempts."""

import asyncio
import random
import signal
from collections import defaultdict

import pytest

from holdfast import Holdfast
from holdfast.model.statuses import AttemptStatus, ExecutionStatus
from tests.processes.shop import order
from tests.processes.support import WITHIN, Street

pytestmark = pytest.mark.processes

ROUNDS = 6


def accepted_until_killed(street: Street, prefix: str, lines: int) -> list[str]:
    """What a shop under load has acknowledged until it is killed, in the middle of its work."""
    shop = street.open("floods", prefix)
    names = [name for _ in range(lines) for name in shop.line().split()]
    shop.signal(signal.SIGKILL)
    assert shop.ended() == -signal.SIGKILL
    while line := shop.line():
        names += line.split()
    return names


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_everything_acknowledged_gets_its_result(street: Street, seed: int) -> None:
    chance = random.Random(seed)
    accepted = [
        name
        for number in range(ROUNDS)
        for name in accepted_until_killed(street, f"r{number}", chance.randrange(1, 30))
    ]
    street.open("serves")
    async with Holdfast.open(street.url) as client, asyncio.timeout(WITHIN):
        results = [await client.handle(name, order).result() for name in accepted]
    assert results == [f"{name}/first {name}/second {name}/third" for name in accepted]
    check_ledger(street, accepted)


def check_ledger(street: Street, accepted: list[str]) -> None:
    """Each step has run, each of its runs was another attempt, and all of them had one key."""
    runs: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for _, name, attempt, key in street.ledger("step"):
        runs[name].append((int(attempt), key))
    for name in accepted:
        for step in ("first", "second", "third"):
            attempts, keys = zip(*runs[f"{name}/{step}"], strict=True)
            assert list(attempts) == sorted(set(attempts))
            assert len(set(keys)) == 1
    assert {line[1] for line in street.ledger("operation")} >= set(accepted)


async def test_tries_that_were_killed_are_on_record(street: Street) -> None:
    shop = street.open("serves")
    async with Holdfast.open(street.url) as client:
        handle = await client.submit_task("gated")
        street.wait_for_ledger("begin")
        shop.signal(signal.SIGKILL)
        shop.ended()
        street.gate.touch()
        street.open("serves")
        await handle.result(timeout=WITHIN)
        attempts = [(each.attempt, each.status) for each in await handle.attempts()]
    assert attempts == [(1, AttemptStatus.LOST), (2, AttemptStatus.COMPLETED)]


@pytest.mark.parametrize("moment", ["start", "complete"])
async def test_killed_between_commit_and_reply_the_same_request_again_is_safe(street: Street, moment: str) -> None:
    shop = street.open("dies", moment, "only-one")
    assert shop.ended() == -signal.SIGKILL
    street.open("serves")
    async with Holdfast.open(street.url) as client:
        handle = await client.start(order, "only-one", id="only-one")
        assert not handle.created
        assert await handle.result(timeout=WITHIN) == "only-one/first only-one/second only-one/third"
        types = [event.type for event in await handle.history()]
        assert len((await client.list(status=ExecutionStatus.COMPLETED)).executions) == 1
    assert types.count("TASK_SCHEDULED") == types.count("TASK_COMPLETED") == 3
    assert len(street.ledger("step", "only-one/first")) == 1
