"""The code of suspended executions, kept in memory up to a bound; the least recently used goes first."""

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from holdfast.model.ids import ClaimToken
from holdfast.sdk.replay.run import WorkflowRun

Key = tuple[str, str]


class _Kept(NamedTuple):
    run: WorkflowRun
    next_token: ClaimToken


class RunCache:
    """Suspended runs by tenant and id."""

    def __init__(self, size: int, evict: Callable[[WorkflowRun], None]) -> None:
        self._size = size
        self._evict = evict
        self._runs: OrderedDict[Key, _Kept] = OrderedDict()

    def __len__(self) -> int:
        return len(self._runs)

    def take(self, key: Key, token: ClaimToken) -> WorkflowRun | None:
        """The run, which leaves the cache; None if someone else has had the execution since, and may have run it."""
        kept = self._runs.pop(key, None)
        if kept is None:
            return None
        if kept.next_token != token:
            self._evict(kept.run)
            return None
        return kept.run

    def peek(self, key: Key) -> WorkflowRun | None:
        """The run, which stays in the cache."""
        kept = self._runs.get(key)
        return None if kept is None else kept.run

    def drop(self, key: Key) -> None:
        """Put a run away."""
        kept = self._runs.pop(key, None)
        if kept is not None:
            self._evict(kept.run)

    def keep(self, key: Key, run: WorkflowRun, next_token: ClaimToken) -> None:
        """Keep a suspended run, at the cost of the oldest; it is good for the very next claim of its execution."""
        self._runs[key] = _Kept(run, next_token)
        while len(self._runs) > self._size:
            self._evict(self._runs.popitem(last=False)[1].run)

    def clear(self) -> None:
        """Drop all of them."""
        while self._runs:
            self._evict(self._runs.popitem()[1].run)
