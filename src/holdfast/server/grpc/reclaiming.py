"""Takes work back long before its lease runs out, when its worker is silent about it."""

import asyncio
import logging
from typing import Final

from holdfast.model.errors import HoldfastError
from holdfast.model.ids import TenantId, WorkerId
from holdfast.model.instants import Instant
from holdfast.model.requests import ReclaimWorkers
from holdfast.server.host import EngineHost

logger = logging.getLogger(__name__)

RETURN_WITHIN: Final = 5.0
"""Seconds in which a worker must have extended what it holds: after its stream broke, and after it came."""
RECLAIM: Final = 512


class Reclaiming:
    """Looks after workers whose streams begin or end.

    A worker that has lost its stream opens another one, here or at another server, and extends all that it holds. What
    has not been extended some seconds later is held by nobody: the worker is gone, or the claim never reached it
    because a server died between the commit and the delivery.
    """

    def __init__(self, engine: EngineHost) -> None:
        self._engine = engine
        self._pending: set[asyncio.Task[None]] = set()

    def look_later(self, tenant: TenantId, worker_id: WorkerId) -> None:
        """A stream of this worker has begun, or ended."""
        pending = asyncio.get_running_loop().create_task(
            self._look(tenant, worker_id, self._engine.clock.now()), name="holdfast-reclaim"
        )
        self._pending.add(pending)
        pending.add_done_callback(self._pending.discard)

    async def _look(self, tenant: TenantId, worker_id: WorkerId, silent_since: Instant) -> None:
        await asyncio.sleep(RETURN_WITHIN)
        request = ReclaimWorkers(tenant, (worker_id,), RECLAIM, silent_since)
        try:
            await self._engine.send(request)
        except HoldfastError as error:
            logger.info("what worker %s held is left to its leases: %s", worker_id, error)

    async def stop(self) -> None:
        """Look no more."""
        for pending in self._pending:
            pending.cancel()
        if self._pending:
            await asyncio.wait(self._pending)
