"""The index in Redis.

ZSET `scheduler:timers` has what waits: score = due in epoch milliseconds, member = id. HASH `scheduler:payloads` has
the message of each id, frozen when it was armed. ZSET `scheduler:processing` has what has been given out: score = when.
`scheduler:filled` says that nothing has been lost since the index was filled: it goes with everything else.

A claim is one script, so any number of schedulers may claim at once.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from importlib import resources
from itertools import chain, islice
from typing import Final, TypeVar, cast
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

import msgspec
from redis import asyncio as redis
from redis.exceptions import RedisError

from holdfast.model.errors import InvalidArgument, Unavailable
from holdfast.model.instants import Instant
from holdfast.model.wakes import WakeKey, WakeUp
from holdfast.timers.outside import Claimed

Answer = TypeVar("Answer")
Item = TypeVar("Item")

TIMEOUT_SECONDS: Final = 2.0
"""An answer that takes longer counts as none: the database does as well."""

STALE_AFTER_MS: Final = 5_000
"""So long a claim may go unacknowledged. Acting on it is one commit; who acts on it twice does no harm."""

SCHEMES: Final = ("redis", "rediss", "unix")

PART = 1_000
"""The most ids in one command, so that Redis is never busy for long with one of them."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(WakeUp).decode


class RedisIndex:
    """An outside index (timers.outside.OutsideIndex)."""

    def __init__(self, url: str, *, prefix: str = "", stale_after_ms: int = STALE_AFTER_MS) -> None:
        """`prefix` comes before every key, so that several databases can share a Redis."""
        try:
            self._redis = redis.Redis.from_url(
                url,
                decode_responses=True,
                socket_timeout=TIMEOUT_SECONDS,
                socket_connect_timeout=TIMEOUT_SECONDS,
            )
        except ValueError as error:
            raise InvalidArgument(f"{url!r} is not the URL of a Redis; use redis://host:6379/0") from error
        self._stale_after_ms = stale_after_ms
        self._timers, self._payloads, self._processing, self._filled = self._keys = [
            f"{prefix}scheduler:{name}" for name in ("timers", "payloads", "processing", "filled")
        ]
        self._claim = self._redis.register_script(_script("claim"))
        self._acknowledge = self._redis.register_script(_script("acknowledge"))
        self._recover = self._redis.register_script(_script("recover"))
        self._add_missing = self._redis.register_script(_script("add_missing"))

    async def open(self) -> bool:
        """Connect; whether the index is filled."""
        return await _reached(lambda: self._redis.exists(self._filled)) == 1

    async def close(self) -> None:
        """Let go of the connections."""
        await self._redis.aclose()

    async def mark_filled(self) -> None:
        """Everything that the database knows is in."""
        await _reached(lambda: self._redis.set(self._filled, 1))

    async def put(self, armed: Sequence[WakeUp], gone: Sequence[WakeKey]) -> None:
        """All that is armed and disarmed, in as few commands as may be."""
        commands = self._redis.pipeline(transaction=False)
        for some in _parts(armed):
            ids = [id_of(wake.key) for wake in some]
            # The payload first: what can be claimed has one.
            commands.hset(self._payloads, mapping=dict(zip(ids, map(_encode, some), strict=True)))
            commands.zadd(self._timers, {each: wake.due for each, wake in zip(ids, some, strict=True)})
        for keys in _parts(gone):
            ids = [id_of(key) for key in keys]
            commands.zrem(self._timers, *ids)
            commands.hdel(self._payloads, *ids)
        await _reached(commands.execute)

    async def add_missing(self, wakes: Sequence[WakeUp]) -> int:
        """Put in what is neither waiting nor given out."""
        added = 0
        for some in _parts(wakes):
            entries = ((wake.due, id_of(wake.key), _encode(wake)) for wake in some)
            arguments: list[int | str | bytes] = list(chain.from_iterable(entries))
            added += await _reached(lambda: self._add_missing(self._keys[:3], arguments))  # noqa: B023 - awaited here
        return added

    async def lacking(self, wakes: Sequence[WakeUp]) -> list[WakeUp]:
        """Those that are neither given out nor waiting for this time or an earlier one."""
        found: list[WakeUp] = []
        for some in _parts(wakes):
            ids = [id_of(wake.key) for wake in some]
            commands = self._redis.pipeline(transaction=True)
            commands.zmscore(self._timers, ids)
            commands.zmscore(self._processing, ids)
            waiting, given = cast("list[list[float | None]]", await _reached(commands.execute))
            found += [
                wake
                for wake, score, since in zip(some, waiting, given, strict=True)
                if since is None and (score is None or score > wake.due)
            ]
        return found

    async def claim(self, now: Instant, limit: int) -> Claimed:
        """Give out what is due."""
        answer = await _reached(lambda: self._claim(self._keys, [now, limit]))
        whole, in_hand, next_due, ids, payloads = cast("tuple[int, int, str, list[str], list[str | None]]", answer)
        wakes = [wake for payload in payloads if (wake := _read(payload)) is not None]
        if len(wakes) < len(ids):
            # Without its message an entry says nothing: the database will.
            await self._drop([each for each, payload in zip(ids, payloads, strict=True) if _read(payload) is None])
            whole = 0
        return Claimed(tuple(wakes), Instant(int(float(next_due))) if next_due else None, in_hand, bool(whole))

    async def acknowledge(self, keys: Sequence[WakeKey]) -> None:
        """What has been acted on is gone."""
        for some in _parts(keys):
            await self._drop([id_of(key) for key in some])

    async def _drop(self, ids: list[str]) -> None:
        await _reached(lambda: self._acknowledge(self._keys[:3], ids))

    async def recover(self, now: Instant, limit: int) -> int:
        """Let what is stale be claimed again."""
        arguments = [now - self._stale_after_ms, now, limit]
        return int(await _reached(lambda: self._recover(self._keys[:3], arguments)))


def redis_index(url: str) -> RedisIndex:
    """The index at `redis://host:6379/0`; `?prefix=…` comes before each key."""
    parts = urlsplit(url)
    options = parse_qs(parts.query)
    prefix = options.pop("prefix", [""])[-1]
    if parts.scheme not in SCHEMES:
        raise InvalidArgument(f"{url!r} is not the URL of a Redis; use redis://host:6379/0")
    return RedisIndex(urlunsplit(parts._replace(query=urlencode(options, doseq=True))), prefix=prefix)


def id_of(key: WakeKey) -> str:
    """The member of the ZSETs: ids are unique only within their tenant and sort."""
    sort, tenant, identity = key
    return f"{sort.value}/{tenant}/{identity}"


@cache
def _script(name: str) -> str:
    return resources.files("holdfast.timers.redis.scripts").joinpath(f"{name}.lua").read_text(encoding="utf-8")


async def _reached(ask: Callable[[], Awaitable[Answer]]) -> Answer:
    try:
        return await ask()
    except (RedisError, OSError) as error:
        raise Unavailable(f"Redis: {error}") from error


def _read(payload: str | None) -> WakeUp | None:
    try:
        return None if payload is None else _decode(payload)
    except msgspec.DecodeError:
        return None


def _parts(items: Sequence[Item]) -> list[list[Item]]:
    iterator = iter(items)
    parts: list[list[Item]] = []
    while part := list(islice(iterator, PART)):
        parts.append(part)
    return parts
