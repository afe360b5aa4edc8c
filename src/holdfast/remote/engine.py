"""A remote engine: the engine port over one connection to a server."""

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Final, TypeVar

from holdfast.model.errors import Unavailable
from holdfast.model.events import Event
from holdfast.model.ids import DEFAULT_TENANT, TaskId, TenantId
from holdfast.model.queries import HistoryWanted
from holdfast.model.records import Execution, Task
from holdfast.model.requests import Offer, Request
from holdfast.model.workers import WorkerRecord
from holdfast.model.workflow_queries import QueryWorkflow
from holdfast.ports.engine import Guest
from holdfast.ports.store import Questions
from holdfast.ports.time import Chance, Clock
from holdfast.ports.transport import CancelSink, ExecutionSink, Subscription, TaskSink
from holdfast.protocol.generated import client_pb2, values_pb2, worker_pb2
from holdfast.protocol.generated import session_pb2 as wire
from holdfast.protocol.values import EXECUTION, TASK
from holdfast.protocol.workers import WORKER
from holdfast.remote.answering import Answering
from holdfast.remote.channel import Caller, Connection, open_channel
from holdfast.remote.presence import Presence
from holdfast.remote.reads import RemoteReads
from holdfast.remote.session import Session
from holdfast.remote.subscriptions import RemoteSubscription
from holdfast.remote.watching import RemoteWatches

Reply = TypeVar("Reply")

CONNECT_WITHIN: Final = 10.0
SWEEP_EVERY: Final = 5.0
"""Seconds between two looks for watches that nobody holds any more."""
ID_BYTES: Final = 48
BEYOND_QUERY: Final = 5.0
"""Seconds that the server's answer about a query that took too long has for its way."""


class RemoteEngine:
    """An engine in another process (ports.engine.Engine)."""

    def __init__(self, connection: Connection, *, clock: Clock, chance: Chance) -> None:
        self._address = connection.address
        self.tenant = DEFAULT_TENANT
        """Whose things this connection is about, as soon as it stands."""
        self.clock = clock
        self.chance = chance
        self._channel = open_channel(connection)
        client = client_pb2.DESCRIPTOR.services_by_name["ClientService"]
        worker = worker_pb2.DESCRIPTOR.services_by_name["WorkerService"]
        self._client = Caller(channel=self._channel, service=client, connection=connection, chance=chance)
        self._worker = Caller(channel=self._channel, service=worker, connection=connection, chance=chance)
        self._reads = RemoteReads(client=self._client, worker=self._worker)
        self._session = Session(
            channel=self._channel,
            connection=connection,
            chance=chance,
            announce=self._announce,
            receive=self._receive,
            lost=self._lost,
        )
        self.executions: RemoteWatches[Execution] = RemoteWatches(self._watch_execution)
        self.tasks: RemoteWatches[Task] = RemoteWatches(self._watch_task)
        self._guests: list[Guest] = []
        self._answering = Answering(room=self._session.room)
        self._presences: list[Presence] = []
        self._subscriptions: dict[int, RemoteSubscription] = {}
        self._numbers = 0
        self._sweeper: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Connect; Unavailable if nobody answers."""
        self._session.start()
        try:
            async with asyncio.timeout(CONNECT_WITHIN):
                self.tenant = await self._session.tenant
        except TimeoutError as error:
            raise Unavailable(
                f"no Holdfast server answers at {self._address}; is `holdfast server` running?"
            ) from error
        self._sweeper = asyncio.get_running_loop().create_task(self._sweep(), name="holdfast-watch-sweep")

    async def stop(self) -> None:
        """Send what has gathered, and disconnect."""
        for presence in self._presences:
            await presence.stop()
        if self._sweeper is not None:
            self._sweeper.cancel()
            await asyncio.wait([self._sweeper])
        await self._answering.stop()
        await self._session.stop()
        self.executions.give_up()
        self.tasks.give_up()
        for caller in (self._client, self._worker):
            caller.close()
        await self._channel.close()

    @property
    def reads(self) -> Questions:
        """Questions about what there is."""
        return self._reads

    def introduce(self, _: TenantId, guest: Guest) -> None:
        """Make a worker of this process known to the server."""
        self._guests.append(guest)
        self._answering.announce(guest)
        self._presences.append(Presence(caller=self._worker, guest=guest, chance=self.chance))

    async def query(self, query: QueryWorkflow) -> bytes:
        """What the code of an execution says, by a worker that is connected to the same server."""
        message = client_pb2.QueryWorkflowRequest(
            execution_id=query.execution_id, name=query.name, input=query.input, timeout_ms=query.timeout_ms
        )
        limit = query.timeout_ms / 1000 + BEYOND_QUERY
        answer = await self._client.ask("QueryWorkflow", message, client_pb2.QueryWorkflowResponse, timeout=limit)
        return answer.output

    async def workers(self, _: TenantId) -> list[WorkerRecord]:
        """The workers that are connected to the same server."""
        reply = await self._client.ask("ListWorkers", client_pb2.ListWorkersRequest(), client_pb2.ListWorkersResponse)
        return [WORKER.from_wire(each) for each in reply.workers]

    async def drain_worker(self, _: TenantId, worker_id: str) -> bool:
        """Let a worker of the same server take nothing more."""
        message = client_pb2.DrainWorkerRequest(worker_id=worker_id)
        return (await self._client.ask("DrainWorker", message, values_pb2.Done)).changed

    # Transport.

    def send(self, request: Request[Reply]) -> Awaitable[Reply]:
        """Ask the engine for something."""
        return self._session.send(request)

    async def histories(self, wanted: Sequence[HistoryWanted]) -> list[list[Event]]:
        """Pages of history."""
        return await self._reads.histories(wanted)

    def take_executions(self, offer: Offer, sink: ExecutionSink) -> Subscription:
        """Have executions delivered."""
        return self._subscribe(
            RemoteSubscription(number=self._number(), offer=offer, room=self._session.room, executions=sink)
        )

    def take_tasks(self, offer: Offer, sink: TaskSink, cancel: CancelSink) -> Subscription:
        """Have tasks delivered."""
        return self._subscribe(
            RemoteSubscription(number=self._number(), offer=offer, room=self._session.room, tasks=sink, cancel=cancel)
        )

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    def _subscribe(self, subscription: RemoteSubscription) -> RemoteSubscription:
        self._subscriptions[subscription.number] = subscription
        subscription.announce()
        return subscription

    # The session.

    def _announce(self) -> None:
        """A stream begins: the server is told all that is offered and watched."""
        for subscription in self._subscriptions.values():
            subscription.announce()
        for guest in self._guests:
            self._answering.announce(guest)
        self.executions.tell_again()
        self.tasks.tell_again()
        message = self._session.room(1)
        if message is not None:
            message.look_for_ends = True
        for guest in self._guests:
            guest.returned()

    def _lost(self) -> None:
        """A stream has ended: nothing more comes for offers that were being withdrawn."""
        for subscription in self._subscriptions.values():
            subscription.closed.set()

    def _receive(self, message: wire.FromServer) -> None:
        # Orders first: they are meant for the try that ends, not for the next one of the same task.
        for task_id in message.cancelled_tasks:
            for subscription in list(self._subscriptions.values()):
                subscription.cancel_task(TaskId(task_id))
        self._answering.receive(message.queries, self._guests, self.tenant)
        for delivery in message.deliveries:
            taker = self._subscriptions.get(delivery.offer)
            if taker is not None:
                taker.take(delivery)
        self.executions.settle([EXECUTION.from_wire(each, self.tenant) for each in message.ended_executions])
        self.tasks.settle([TASK.from_wire(each, self.tenant) for each in message.ended_tasks])
        for number in message.closed_offers:
            closed = self._subscriptions.pop(number, None)
            if closed is not None:
                closed.closed.set()

    # Watches.

    def _watch_execution(self, execution_id: str) -> None:
        message = self._session.room(ID_BYTES)
        if message is not None:
            message.watched_executions.append(execution_id)

    def _watch_task(self, task_id: str) -> None:
        message = self._session.room(ID_BYTES)
        if message is not None:
            message.watched_tasks.append(task_id)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_EVERY)
            for execution_id in self.executions.dropped():
                self._tell_unwatched("unwatched_executions", execution_id)
            for task_id in self.tasks.dropped():
                self._tell_unwatched("unwatched_tasks", task_id)

    def _tell_unwatched(self, field: str, name: str) -> None:
        message = self._session.room(ID_BYTES)
        if message is not None:
            getattr(message, field).append(name)
