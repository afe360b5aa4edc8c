"""Standing offers over the wire: the server delivers, and is told again of each when a stream begins anew."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, TypeVar

from holdfast.model.errors import HoldfastError
from holdfast.model.ids import TaskId
from holdfast.model.requests import Offer
from holdfast.ports.transport import CancelSink, ExecutionSink, TaskSink
from holdfast.protocol.claims import TASK_CLAIM, execution_claim_from_wire
from holdfast.protocol.generated import session_pb2 as wire

logger = logging.getLogger(__name__)

M = TypeVar("M")
C = TypeVar("C")
Room = Callable[[int], wire.FromPeer | None]

ITEM_BYTES: Final = 16
OFFER_BYTES: Final = 512
SLOT_BACK_AFTER: Final = 5.0
"""Seconds for which work that this worker cannot read takes up a slot, so that it is not fetched again at once."""
STOP_WITHIN: Final = 5.0
"""Seconds in which a server has to say that nothing more comes."""


class RemoteSubscription:
    """One standing offer (ports.transport.Subscription)."""

    def __init__(
        self,
        *,
        number: int,
        offer: Offer,
        room: Room,
        executions: ExecutionSink | None = None,
        tasks: TaskSink | None = None,
        cancel: CancelSink | None = None,
    ) -> None:
        self.number = number
        self._offer = offer
        self._room = room
        self._executions = executions
        self._tasks = tasks
        self._cancel = cancel
        self._free = offer.slots
        self._stopping = False
        self.closed = asyncio.Event()
        """Nothing more comes."""

    def announce(self) -> None:
        """Make the offer on the stream that there is now."""
        message = self._room(OFFER_BYTES)
        if message is not None and not self._stopping:
            message.offers.add(
                number=self.number,
                of_tasks=self._tasks is not None,
                worker_id=self._offer.worker_id,
                queue=self._offer.queue,
                kinds=sorted(self._offer.kinds),
                slots=self._free,
            )

    def give_back(self, slots: int) -> None:
        """Offer so many slots more."""
        self._free += slots
        message = self._room(ITEM_BYTES)
        if message is not None and not self._stopping:
            message.more_slots.add(offer=self.number, slots=slots)

    def take(self, delivery: wire.Delivery) -> None:
        """The server has claimed something for this offer."""
        tenant = self._offer.tenant
        if self._executions is not None and delivery.executions:
            self._free -= len(delivery.executions)
            self._executions(self._read(delivery.executions, partial(execution_claim_from_wire, tenant=tenant)))
        if self._tasks is not None and delivery.tasks:
            self._free -= len(delivery.tasks)
            self._tasks(self._read(delivery.tasks, partial(TASK_CLAIM.from_wire, tenant=tenant)))

    def _read(self, messages: Iterable[M], read: Callable[[M], C]) -> list[C]:
        claims: list[C] = []
        for message in messages:
            try:
                claims.append(read(message))
            except HoldfastError as error:
                # Its lease gives it to another worker, of another version perhaps; the slot is free again by then.
                logger.error("claimed work is not understood, and left to others: %s", error)  # noqa: TRY400
                asyncio.get_running_loop().call_later(SLOT_BACK_AFTER, self.give_back, 1)
        return claims

    def cancel_task(self, task_id: TaskId) -> None:
        """The end of a task is asked for; it may be another subscription's."""
        if self._cancel is not None:
            self._cancel(task_id)

    async def stop(self) -> None:
        """Take no more; what is on its way is still delivered."""
        self._stopping = True
        message = self._room(ITEM_BYTES)
        if message is None:
            return
        message.withdrawn_offers.append(self.number)
        try:
            async with asyncio.timeout(STOP_WITHIN):
                await self.closed.wait()
        except TimeoutError:
            # A lease gives back what the server may have claimed in the meantime.
            return
