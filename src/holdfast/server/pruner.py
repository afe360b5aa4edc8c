"""The pruner: removes what tenants need no longer keep, a little at a time.

Every host has one. Between two transactions it rests for many times as long as the last one took, so that it never
has more than a small share of the database, however much there is to remove; and two of them do no harm.
"""

import asyncio
import logging
from typing import Final

from holdfast.model.access import Tenant
from holdfast.model.errors import HoldfastError, Unavailable
from holdfast.model.instants import Instant
from holdfast.model.oversight import WorkSort
from holdfast.model.retention import PruneWanted
from holdfast.ports.access import ServedStore
from holdfast.ports.store import KEPT_NOTICES
from holdfast.ports.time import Chance, Clock

logger = logging.getLogger(__name__)

LOOK_EVERY: Final = 60.0
"""Seconds between two rounds; each host adds up to half of it by chance."""
REST: Final = 19
"""So many times as long as it worked: a twentieth of the time is its own."""
SHORTEST_REST: Final = 0.02


class PruningLoop:
    """Removes what has ended long enough ago, as long as it runs."""

    def __init__(
        self, *, store: ServedStore, clock: Clock, chance: Chance, look_every: float = LOOK_EVERY, rest: float = REST
    ) -> None:
        self._store = store
        self._clock = clock
        self._chance = chance
        self._look_every = look_every
        self._rest = rest
        self._task: asyncio.Task[None] | None = None
        self.removed = 0
        """Executions and tasks, since the host was started."""

    def start(self) -> None:
        """Begin to look."""
        self._task = asyncio.get_running_loop().create_task(self._run(), name="holdfast-pruner")

    async def stop(self) -> None:
        """Look no more; what is being removed is removed."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._look_every * (1 + self._chance.random() / 2))
            try:
                await self.look()
            except HoldfastError as error:
                level = logging.WARNING if isinstance(error, Unavailable) else logging.ERROR
                logger.log(level, "what has ended cannot be removed for now: %s", error)
            except Exception:
                logger.exception("the pruner failed; it goes on")

    async def look(self) -> None:
        """One round: all tenants, all kinds, and the feeds."""
        for tenant in await self._store.tenants():
            await self._store.forget_notices(tenant.id, KEPT_NOTICES)
            for of in WorkSort:
                if tenant.retention.removes(of):
                    await self._remove(tenant, of)

    async def _remove(self, tenant: Tenant, of: WorkSort) -> None:
        for name in await self._store.ended_kinds(tenant.id, of):
            keep_ms = tenant.retention.keep_ms(of, name)
            if keep_ms is not None:
                await self._remove_kind(
                    PruneWanted(tenant.id, of, name, closed_before=Instant(self._clock.now() - keep_ms))
                )

    async def _remove_kind(self, wanted: PruneWanted) -> None:
        loop = asyncio.get_running_loop()
        while True:
            begun = loop.time()
            pruned = await self._store.prune(wanted)
            self.removed += pruned.removed
            if pruned.last is None:
                return
            wanted = wanted.following(pruned.last)
            await asyncio.sleep(max(SHORTEST_REST, (loop.time() - begun) * self._rest))
