"""The limit that the store sets: the rows that a workload has written, written once more by a plan that only writes.

A recorder stands before the store and keeps what each batch changed. On another fresh file the same changes are then
committed in the same batches, with nothing to load, decide, answer or run in between.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from holdfast.cli.bench.places import Place
from holdfast.ports.store import Changes, Plan, Rows, Store, Wanted
from holdfast.server import wiring


class Recording(msgspec.Struct):
    """The changes of consecutive batches."""

    before: list[Changes] = msgspec.field(default_factory=list)
    """What has to be there first, and is not timed."""
    batches: list[Changes] = msgspec.field(default_factory=list)


class RecordedPlan:
    """A plan whose changes are kept."""

    def __init__(self, plan: Plan, kept: list[Changes]) -> None:
        self._plan = plan
        self._kept = kept

    @property
    def wanted(self) -> Wanted:
        """What the plan wants."""
        return self._plan.wanted

    def decide(self, rows: Rows) -> Changes | Wanted:
        """What the plan decides."""
        answer = self._plan.decide(rows)
        if isinstance(answer, Changes):
            self._kept.append(answer)
        return answer

    def start_over(self) -> None:
        """SQLite never has to."""
        self._plan.start_over()


class Recorder:
    """A store that keeps what is committed while it is asked to; everything else goes to the store behind it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: list[Changes] | None = None

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    async def commit(self, plan: Plan) -> None:
        """Carry a plan out."""
        await self._store.commit(plan if self._kept is None else RecordedPlan(plan, self._kept))

    @contextmanager
    def into(self, kept: list[Changes]) -> Iterator[None]:
        """Keep the changes of all batches meanwhile."""
        self._kept = kept
        try:
            yield
        finally:
            self._kept = None


class BarePlan:
    """A plan that wants nothing and decides nothing."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes

    @property
    def wanted(self) -> Wanted:
        """Nothing."""
        return Wanted()

    def decide(self, rows: Rows) -> Changes:
        """What was given."""
        del rows
        return self._changes

    def start_over(self) -> None:
        """There is nothing to forget."""


class Written(msgspec.Struct, frozen=True):
    """How a recording was written once more."""

    seconds: float
    commits: int
    rows: int


async def write_again(place: Place, recording: Recording) -> Written:
    """Commit a recording to a fresh file, batch by batch."""
    store = wiring.open_store(place.url)
    await store.open()
    try:
        for changes in recording.before:
            await store.commit(BarePlan(changes))
        commits, rows = store.statistics.commits, store.statistics.rows_written
        start = time.perf_counter()
        for changes in recording.batches:
            await store.commit(BarePlan(changes))
        seconds = time.perf_counter() - start
        return Written(seconds, store.statistics.commits - commits, store.statistics.rows_written - rows)
    finally:
        await store.close()
