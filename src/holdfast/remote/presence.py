"""Keeps a worker known to the server: registers it, tells that it lives, and hears when it is to drain."""

import asyncio
import logging
from typing import Final

from holdfast.model.errors import HoldfastError
from holdfast.model.workers import Capability
from holdfast.ports.engine import Guest
from holdfast.ports.time import Chance
from holdfast.protocol.generated import worker_pb2 as wire
from holdfast.protocol.mapping import Mapping
from holdfast.remote.channel import Caller

logger = logging.getLogger(__name__)

CLIENT: Final = "holdfast-python"
AGAIN_AFTER: Final = 5.0
"""Seconds after which a registration that failed is tried again."""
CAPABILITY = Mapping(Capability, wire.Capability)


class Presence:
    """One worker's."""

    def __init__(self, *, caller: Caller, guest: Guest, chance: Chance) -> None:
        self._caller = caller
        self._guest = guest
        self._chance = chance
        self._worker_id = guest.introduction.worker_id
        self._is_draining = False
        self._keeping = asyncio.get_running_loop().create_task(self._keep(), name="holdfast-presence")

    async def stop(self) -> None:
        """Tell nothing more."""
        self._keeping.cancel()
        await asyncio.wait([self._keeping])

    async def _keep(self) -> None:
        while True:
            try:
                pause = await self._register()
                while await self._heartbeat(pause):
                    pass
            except HoldfastError as error:
                logger.info("the server does not know this worker yet: %s", error)
                await asyncio.sleep(AGAIN_AFTER * (1 + self._chance.random()) / 2)

    async def _register(self) -> float:
        """Seconds between two heartbeats."""
        told = self._guest.introduction
        message = wire.RegisterRequest(
            worker_id=told.worker_id,
            queues=told.queues,
            workflows=[CAPABILITY.to_wire(each) for each in told.workflows],
            tasks=[CAPABILITY.to_wire(each) for each in told.tasks],
            client=CLIENT,
        )
        reply = await self._caller.ask("Register", message, wire.RegisterResponse)
        return max(reply.heartbeat_interval_ms, 100) / 1000

    async def _heartbeat(self, pause: float) -> bool:
        """Whether the server still knows this worker."""
        await asyncio.sleep(pause)
        message = wire.HeartbeatWorkerRequest(worker_id=self._worker_id, draining=self._is_draining)
        reply = await self._caller.ask("HeartbeatWorker", message, wire.HeartbeatWorkerResponse)
        if reply.drain and not self._is_draining:
            self._is_draining = True
            self._guest.drain()
        return not reply.unknown
