"""An engine with its timers in Redis: whatever happens to Redis, each timer fires once, never early, none is lost."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.app.handles import WorkflowHandle
from holdfast.model.events import TimerStarted
from holdfast.timers import guarded
from holdfast.timers.redis import index
from tests.services.redis import RedisServer
from tests.timers.running import WITHIN, MovedClock, all_sorts, engine_over, guard_of, sleeper, until, working

MANY = 200
HOUR = 3_600.0


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the index does not know of fires too late for any test, and no answer of Redis comes too late."""
    monkeypatch.setattr(guarded, "GRACE_MS", 10 * WITHIN * 1000)
    monkeypatch.setattr(index, "TIMEOUT_SECONDS", WITHIN)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "app.db"


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
async def hf(file: Path, own_redis: RedisServer, clock: MovedClock) -> AsyncIterator[Holdfast]:
    """Its index can be trusted."""
    async with working(file, own_redis.url, clock) as hf:
        await until(lambda: guard_of(hf.host).trusted)
        yield hf


async def sleepers(hf: Holdfast, seconds: float) -> list[WorkflowHandle[str]]:
    return await asyncio.gather(*[hf.start(sleeper, seconds) for _ in range(MANY)])


async def armed(hf: Holdfast, redis: RedisServer) -> list[WorkflowHandle[str]]:
    """Sleepers whose timers are all in Redis."""
    handles = await sleepers(hf, HOUR)
    with redis.client() as client:
        await until(lambda: client.zcard("scheduler:timers") == MANY)
    return handles


async def check_ends(handles: list[WorkflowHandle[str]]) -> None:
    """Each has slept, once, and long enough."""
    async with asyncio.timeout(WITHIN):
        assert await asyncio.gather(*[handle.result() for handle in handles]) == ["awake"] * len(handles)
    for handle in handles[:: len(handles) // 10]:
        history = await handle.history()
        [due] = [
            event.time + (event.data.duration_ms or 0) for event in history if isinstance(event.data, TimerStarted)
        ]
        [fired] = [event.time for event in history if event.type == "TIMER_FIRED"]
        assert fired >= due


@pytest.mark.usefixtures("patient")
async def test_all_sorts_of_timers_use_the_index_and_none_needs_a_repair(hf: Holdfast) -> None:
    async with asyncio.timeout(WITHIN):
        ends = await asyncio.gather(*[hf.run(all_sorts) for _ in range(20)])
    assert ends == [["int", "TaskTimedOut", "PromiseTimedOut", "NoneType"]] * 20
    counts = guard_of(hf.host).counts
    assert (counts.repaired, counts.recovered, counts.outages) == (0, 0, 0)


async def test_nothing_is_left_in_redis_when_everything_has_ended(hf: Holdfast, own_redis: RedisServer) -> None:
    async with asyncio.timeout(WITHIN):
        await asyncio.gather(*[hf.run(all_sorts) for _ in range(20)])
    with own_redis.client() as client:
        await until(lambda: set(client.keys()) == {"scheduler:filled"})


@pytest.mark.usefixtures("patient")
async def test_redis_emptied_in_the_middle_of_a_load(hf: Holdfast, own_redis: RedisServer, clock: MovedClock) -> None:
    handles = await armed(hf, own_redis)
    own_redis.forget()
    clock.move(HOUR)
    await check_ends(handles)
    counts = guard_of(hf.host).counts
    assert counts.outages == 1
    assert counts.repaired > 0


async def test_redis_restarted_under_load(hf: Holdfast, own_redis: RedisServer) -> None:
    handles = await sleepers(hf, 0.8)
    own_redis.stop()
    handles += await sleepers(hf, 0.4)
    await check_ends(handles)
    own_redis.start()
    await until(lambda: guard_of(hf.host).trusted)
    await check_ends(await sleepers(hf, 0.01))


async def test_redis_silent_under_load(hf: Holdfast, own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    handles = await sleepers(hf, 0.5)
    own_redis.pause()
    await check_ends(handles)
    own_redis.go_on()
    await check_ends(await sleepers(hf, 0.01))


async def test_redis_is_down_when_the_server_begins(file: Path, own_redis: RedisServer) -> None:
    own_redis.stop()
    async with working(file, own_redis.url) as hf:
        await check_ends(await sleepers(hf, 0.05))
        assert not guard_of(hf.host).trusted
        own_redis.start()
        await until(lambda: guard_of(hf.host).trusted)
        await check_ends(await sleepers(hf, 0.05))


async def test_a_new_redis_is_filled_from_the_database(file: Path, own_redis: RedisServer, clock: MovedClock) -> None:
    async with working(file, own_redis.url, clock) as hf:
        await until(lambda: guard_of(hf.host).trusted)
        ids = [handle.id for handle in await armed(hf, own_redis)]
    own_redis.forget()
    async with working(file, own_redis.url, clock) as hf:
        await until(lambda: guard_of(hf.host).trusted)
        assert guard_of(hf.host).counts.filled >= MANY
        clock.move(HOUR)
        await check_ends([hf.handle(identity, sleeper) for identity in ids])


@pytest.mark.usefixtures("patient")
async def test_several_schedulers_share_one_redis_and_one_database(file: Path, own_redis: RedisServer) -> None:
    async with working(file, own_redis.url) as hf, engine_over(file, own_redis.url) as second:
        await until(lambda: guard_of(hf.host).trusted and guard_of(second).trusted)
        await check_ends(await sleepers(hf, 0.3))
        for engine in (hf.host, second):
            assert (guard_of(engine).counts.repaired, guard_of(engine).counts.outages) == (0, 0)


async def test_entries_that_are_lost_one_by_one_are_found_overdue(
    hf: Holdfast, own_redis: RedisServer, clock: MovedClock
) -> None:
    handles = await armed(hf, own_redis)
    with own_redis.client() as client:
        client.delete("scheduler:timers")
    clock.move(HOUR)
    await check_ends(handles)
    assert guard_of(hf.host).counts.repaired >= MANY


@pytest.mark.usefixtures("patient")
async def test_entries_that_are_doubled_or_stale_change_nothing(
    hf: Holdfast, own_redis: RedisServer, clock: MovedClock
) -> None:
    handles = await armed(hf, own_redis)
    with own_redis.client() as client:
        for identity in client.zrange("scheduler:timers", 0, -1):
            client.zadd("scheduler:timers", {str(identity): 1})
        # They are given out, and go back to their time.
        await until(lambda: client.zcount("scheduler:timers", 0, 1) == client.zcard("scheduler:processing") == 0)
        clock.move(HOUR)
        await check_ends(handles)
        await until(lambda: client.zcard("scheduler:processing") == 0)
    assert guard_of(hf.host).counts.repaired == 0
