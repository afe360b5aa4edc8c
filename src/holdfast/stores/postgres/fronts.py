"""Where queues begin: how a claim passes over what has been claimed before it.

The index that claims go by keeps the entry of a claimed row until VACUUM comes, which is once a minute at best. A
search from the beginning walks over all of these: 100,000 of them cost a millisecond or more, in every batch. So while
a queue has more than is asked for, a search begins where the last one found its first row. What this process writes
before that place moves it back; what others write there is found by the search from the beginning that is made from
time to time. A search that finds too little is always made again from the beginning: nothing is overlooked.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal

import msgspec

from holdfast.model.ranks import task_rank
from holdfast.model.statuses import ExecutionStatus
from holdfast.ports.store import Changes

Sort = Literal["execution", "task"]
Place = tuple[str, str, str]
"""Tenant, queue and kind."""

BEGINNING: Final = -(2**63)
CROWDED: Final = 2_000
"""After so many claims from a queue that has always had enough, there is something to pass over."""
EVERY_SECONDS: Final = 0.1
"""Between two searches from the beginning, at least."""
SHARE: Final = 20
"""They take no more than one part in so many of the time."""


class _Front(msgspec.Struct):
    rank: int = BEGINNING
    claimed: int = 0
    looked_at: float = 0.0
    look_seconds: float = 0.0


class Fronts:
    """The beginnings of the queues that this process claims from."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._fronts: dict[tuple[Sort, Place], _Front] = {}
        self._crowded = False

    def starts(self, sort: Sort, places: Sequence[Place]) -> list[int]:
        """The rank from which each of these is to be searched."""
        if not self._crowded:
            return [BEGINNING] * len(places)
        now = self._monotonic()
        return [self._start(sort, place, now) for place in places]

    def _start(self, sort: Sort, place: Place, now: float) -> int:
        front = self._fronts.get((sort, place))
        if front is None or front.claimed < CROWDED:
            return BEGINNING
        pause = max(EVERY_SECONDS, SHARE * front.look_seconds)
        return BEGINNING if now - front.looked_at >= pause else front.rank

    def found(
        self, sort: Sort, limit: int, starts: Mapping[Place, int], ranks: Mapping[Place, Sequence[int]], seconds: float
    ) -> None:
        """A search from these ranks, for so many of each, has found rows of these ranks, and has taken so long."""
        for place, start in starts.items():
            those = ranks.get(place, ())
            if start == BEGINNING and len(those) < limit:
                self._fronts.pop((sort, place), None)
                continue
            front = self._fronts.setdefault((sort, place), _Front())
            front.claimed += len(those)
            if those:
                front.rank = those[0]
            if start == BEGINNING:
                front.looked_at, front.look_seconds = self._monotonic(), seconds
        self._crowded = any(front.claimed >= CROWDED for front in self._fronts.values())

    def written(self, changes: Changes) -> None:
        """This process has committed these: some may be before the beginning of their queue."""
        if not self._crowded:
            return
        for task in (*changes.new_tasks, *changes.changed_tasks):
            if task.ready:
                self._move("task", (task.tenant, task.queue, task.task_type), task_rank(task))
        self._move_executions(changes)

    def _move_executions(self, changes: Changes) -> None:
        for execution in (*changes.new_executions, *changes.changed_executions):
            if execution.status is ExecutionStatus.PENDING:
                place = execution.tenant, execution.queue, execution.kind
                self._move("execution", place, execution.created_at)

    def _move(self, sort: Sort, place: Place, rank: int) -> None:
        front = self._fronts.get((sort, place))
        if front is not None and rank < front.rank:
            front.rank = rank


def too_few(limit: int, starts: Mapping[Place, int], ranks: Mapping[Place, Sequence[int]]) -> bool:
    """Whether a search that did not begin at the beginning has found less than was asked for."""
    return any(start != BEGINNING and len(ranks.get(place, ())) < limit for place, start in starts.items())


def by_place(places: Sequence[Place], found: Iterable[tuple[int, int]]) -> dict[Place, list[int]]:
    """The ranks of rows, whose place is told by its number, counted from 1."""
    ranks: dict[Place, list[int]] = {}
    for number, rank in found:
        ranks.setdefault(places[number - 1], []).append(rank)
    return ranks
