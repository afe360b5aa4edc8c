"""A store that fails in every way that a database can, and never lies about what it has written.

Several engines share its rows, each through a store of its own, as servers share a database.
"""

import asyncio
import hashlib
from collections.abc import Callable
from typing import TypeVar

import msgspec

from holdfast.model.errors import OutcomeUnknown, Unavailable
from holdfast.model.ids import WorkerId
from holdfast.ports.store import Changes, Plan
from holdfast.testing.faults import Faults
from holdfast.testing.rows import MemoryRows
from holdfast.testing.store import MemoryStore

Answer = TypeVar("Answer")


class SharedRows:
    """The database behind the stores of all engines; it outlives them."""

    def __init__(self, *, check: Callable[[MemoryRows, Changes], None]) -> None:
        """`check` sees each transaction just before it is written."""
        self.rows = MemoryRows()
        self.commits = 0
        self.is_down = False
        self.gone_workers: set[WorkerId] = set()
        """Workers whose process is known to be dead; others are left to their leases."""
        self._check = check
        self._digest = hashlib.blake2b()

    def write(self, changes: Changes) -> None:
        """One transaction."""
        self._check(self.rows, changes)
        self.rows.write(changes)
        self.commits += 1
        self._digest.update(msgspec.msgpack.encode(changes))

    @property
    def trace(self) -> str:
        """Stands for everything that was ever written, in its order."""
        return self._digest.hexdigest()


class SimulatedStore(MemoryStore):
    """One engine's way to the shared rows."""

    def __init__(self, shared: SharedRows, *, faults: Faults, crash: Callable[[], None]) -> None:
        super().__init__(shared.rows)
        self._shared = shared
        self._faults = faults
        self._crash = crash
        self._seen_commits = shared.commits

    async def commit(self, plan: Plan) -> None:
        """Carry a plan out; or not; or carry it out and fail to say so."""
        faults = self._faults
        await asyncio.sleep(faults.delay())
        self._refuse_when_down()
        changes = self.decide(plan)
        if faults.strikes("conflict"):
            raise Unavailable("the transaction lost against another one")
        self._shared.write(changes)
        self._seen_commits += 1
        if faults.strikes("crash_after_commit"):
            self._crash()
        await asyncio.sleep(faults.delay())
        if faults.strikes("unclear"):
            raise OutcomeUnknown("the connection broke while the commit was under way")

    async def read(self, question: Callable[[], Answer]) -> Answer:
        """The answer is of one moment, and arrives a little later."""
        await asyncio.sleep(self._faults.delay())
        self._refuse_when_down()
        answer = question()
        await asyncio.sleep(self._faults.delay())
        return answer

    async def abandoned_workers(self) -> tuple[WorkerId, ...]:
        """Workers that are known to be dead and hold something."""
        return await self.read(self._abandoned)

    async def changed_outside(self) -> bool:
        """Whether another engine has committed since the last call."""
        changed = self._seen_commits != self._shared.commits
        self._seen_commits = self._shared.commits
        return changed

    def _abandoned(self) -> tuple[WorkerId, ...]:
        held = {row.worker_id for row in self.rows.executions.values()}
        held |= {row.worker_id for row in self.rows.tasks.values()}
        return tuple(sorted(worker for worker in self._shared.gone_workers if worker in held))

    def _refuse_when_down(self) -> None:
        if self._shared.is_down or self._faults.strikes("unavailable"):
            raise Unavailable("the database cannot be reached")
