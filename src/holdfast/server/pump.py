"""The pump: goes on with what runs of flows have left ready in the database: items to be opened, long chains of nodes.

It sleeps until somebody has committed something ready, and then takes turns, each of which is one transaction.
"""

import asyncio
import logging

from holdfast.model.errors import HoldfastError, Unavailable
from holdfast.model.flow_requests import PumpFlows
from holdfast.model.ids import ALL_TENANTS
from holdfast.ports.store import Changes
from holdfast.server.committer import Committer

logger = logging.getLogger(__name__)

TURN = 256
"""The most frames, and the most scopes, of one transaction."""

PAUSE_AFTER_FAILURE = 0.2


class Pump:
    """Goes on with flows."""

    def __init__(self, *, committer: Committer) -> None:
        self._committer = committer
        self._poked = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin, with what an earlier process may have left."""
        self._poked.set()
        self._task = asyncio.get_running_loop().create_task(self._run(), name="holdfast-pump")

    async def stop(self) -> None:
        """Take no more turns."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    @property
    def idle(self) -> bool:
        """Whether nothing is known to be ready."""
        return not self._poked.is_set()

    def poke(self) -> None:
        """Something may be ready."""
        self._poked.set()

    def look_at(self, changes: Changes) -> None:
        """Something has been committed."""
        if has_ready(changes):
            self._poked.set()

    async def _run(self) -> None:
        while True:
            await self._poked.wait()
            try:
                swept = await self._committer.send(PumpFlows(ALL_TENANTS, TURN))
            except HoldfastError as error:
                level = logging.WARNING if isinstance(error, Unavailable) else logging.ERROR
                logger.log(level, "flows cannot go on for now: %s", error)
                await asyncio.sleep(PAUSE_AFTER_FAILURE)
                continue
            if not swept.count:
                self._poked.clear()


def has_ready(changes: Changes) -> bool:
    """Whether a commit has left frames or scopes that are to be gone on with."""
    rows = (changes.new_frames, changes.changed_frames, changes.new_scopes, changes.changed_scopes)
    return any(row.ready for each in rows for row in each)
