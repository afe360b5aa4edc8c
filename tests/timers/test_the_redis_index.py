"""The index in a real Redis: what is claimed is being processed until it is acknowledged, or comes back."""

from collections.abc import AsyncIterator

import pytest

from holdfast.model.errors import InvalidArgument, Unavailable
from holdfast.model.ids import TenantId
from holdfast.model.instants import Instant
from holdfast.model.wakes import WakeSort, WakeUp
from holdfast.timers.redis.index import RedisIndex, redis_index
from tests.services.redis import RedisServer

ACME = TenantId("acme")


def wake(identity: str, due: int, sort: WakeSort = WakeSort.TIMER) -> WakeUp:
    return WakeUp(Instant(due), sort, ACME, identity)


@pytest.fixture
async def index(redis_keys: str) -> AsyncIterator[RedisIndex]:
    index = redis_index(redis_keys)
    assert not await index.open()
    await index.mark_filled()
    yield index
    await index.close()


async def claimed(index: RedisIndex, now: int, limit: int = 10) -> list[str]:
    return [each.id for each in (await index.claim(Instant(now), limit)).wakes]


async def test_what_is_due_is_claimed_once_and_the_earliest_first(index: RedisIndex) -> None:
    await index.put([wake("c", 30), wake("a", 10), wake("b", 20)], [])
    assert await claimed(index, 9) == []
    assert await claimed(index, 25) == ["a", "b"]
    assert await claimed(index, 25) == []


async def test_a_claim_is_bounded_and_says_when_to_claim_next(index: RedisIndex) -> None:
    await index.put([wake("a", 10), wake("b", 20), wake("c", 30)], [])
    first = await index.claim(Instant(50), 2)
    assert ([each.id for each in first.wakes], first.next_due, first.in_hand) == (["a", "b"], 30, 0)
    second = await index.claim(Instant(50), 2)
    assert ([each.id for each in second.wakes], second.next_due, second.in_hand) == (["c"], None, 2)


async def test_the_message_comes_back_as_it_was_frozen(index: RedisIndex) -> None:
    armed = [wake("a", 10), wake("a", 11, WakeSort.TASK), wake("a", 12, WakeSort.PROMISE)]
    await index.put(armed, [])
    assert (await index.claim(Instant(20), 10)).wakes == tuple(armed)


async def test_what_is_armed_again_has_its_new_time(index: RedisIndex) -> None:
    await index.put([wake("a", 10)], [])
    await index.put([wake("a", 40)], [])
    assert await claimed(index, 39) == []
    assert await claimed(index, 40) == ["a"]


async def test_what_is_disarmed_is_gone(index: RedisIndex) -> None:
    await index.put([wake("a", 10), wake("b", 10)], [])
    await index.put([], [wake("a", 10).key])
    assert await claimed(index, 20) == ["b"]


async def test_what_is_not_acknowledged_comes_back(index: RedisIndex) -> None:
    await index.put([wake("a", 10), wake("b", 10)], [])
    await claimed(index, 20)
    await index.acknowledge([wake("a", 10).key])
    assert await index.recover(Instant(20), 10) == 0
    assert await index.recover(Instant(60_000), 10) == 1
    assert await claimed(index, 60_000) == ["b"]


async def test_nothing_is_left_of_what_is_acknowledged(index: RedisIndex) -> None:
    await index.put([wake("a", 10)], [])
    await claimed(index, 20)
    await index.acknowledge([wake("a", 10).key])
    assert [await index._redis.exists(key) for key in index._keys] == [0, 0, 0, 1]


async def test_an_acknowledgement_spares_what_was_armed_meanwhile(index: RedisIndex) -> None:
    await index.put([wake("a", 10)], [])
    await claimed(index, 20)
    await index.put([wake("a", 50)], [])
    await index.acknowledge([wake("a", 10).key])
    assert await claimed(index, 50) == ["a"]


async def test_only_what_is_missing_is_added(index: RedisIndex) -> None:
    await index.put([wake("waits", 100), wake("given", 10)], [])
    await claimed(index, 20)
    assert await index.add_missing([wake("waits", 1), wake("given", 1), wake("lost", 1)]) == 1
    assert await claimed(index, 20) == ["lost"]


async def test_what_lacks_is_told(index: RedisIndex) -> None:
    await index.put([wake("waits", 100), wake("late", 200), wake("given", 10)], [])
    await claimed(index, 20)
    asked = [wake("waits", 100), wake("late", 150), wake("given", 10), wake("lost", 30)]
    assert await index.lacking(asked) == [wake("late", 150), wake("lost", 30)]


async def test_more_than_a_command_takes_goes_in_parts(index: RedisIndex) -> None:
    many = [wake(f"{number:05}", number) for number in range(2_500)]
    await index.put(many[:1_500], [])
    assert await index.add_missing(many) == 1_000
    given = await index.claim(Instant(9_999), 5_000)
    assert given.wakes == tuple(many)
    await index.acknowledge([each.key for each in given.wakes])
    assert (await index.claim(Instant(9_999), 10)).in_hand == 0


async def test_an_emptied_index_says_so(index: RedisIndex) -> None:
    assert (await index.claim(Instant(1), 1)).whole
    await index._redis.delete(*index._keys)
    assert not (await index.claim(Instant(1), 1)).whole


@pytest.mark.parametrize("message", [None, "", "{", '{"due": "soon"}'])
async def test_an_entry_whose_message_is_lost_makes_the_index_broken_once(
    index: RedisIndex, message: str | None
) -> None:
    await index.put([wake("a", 10), wake("b", 10)], [])
    await index._redis.hdel(index._payloads, "timer/acme/a")
    if message is not None:
        await index._redis.hset(index._payloads, "timer/acme/a", message)
    broken = await index.claim(Instant(20), 10)
    assert ([each.id for each in broken.wakes], broken.whole) == (["b"], False)
    assert await index.recover(Instant(60_000), 10) == 1
    assert (await index.claim(Instant(60_000), 10)).whole


async def test_databases_share_a_redis_by_prefixes(redis_keys: str, index: RedisIndex) -> None:
    other = redis_index(redis_keys.replace("prefix=", "prefix=other-"))
    await index.put([wake("a", 10)], [])
    assert await claimed(other, 20) == []
    await other.close()


async def test_a_redis_that_is_gone_or_silent_is_unavailable(
    own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.timers.redis.index.TIMEOUT_SECONDS", 1.0)
    index = redis_index(own_redis.url)
    await index.open()
    own_redis.pause()
    with pytest.raises(Unavailable, match="Redis"):
        await index.put([wake("a", 10)], [])
    own_redis.stop()
    with pytest.raises(Unavailable, match="Redis"):
        await index.claim(Instant(1), 1)
    await index.close()


@pytest.mark.parametrize("url", ["http://localhost", "redis://localhost:port", "amqp://localhost"])
def test_what_is_not_a_redis_is_refused(url: str) -> None:
    with pytest.raises(InvalidArgument, match="redis://"):
        redis_index(url)
