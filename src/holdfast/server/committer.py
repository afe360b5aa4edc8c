"""The committer: requests gather while a commit is under way, and go to the store together as one batch.

There is at most one commit under way, so the number of transactions follows the speed of the disk and not the number
of requests. Answers go out, and workers are woken, only after the commit.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import TypeVar, cast

from holdfast.engine.flow.run.graphs import Graphs
from holdfast.model.errors import HoldfastError, OutcomeUnknown, Stopped, StoreRefused, Unavailable
from holdfast.model.ids import TenantId
from holdfast.model.requests import Request
from holdfast.ports.store import Store
from holdfast.ports.time import Chance, Clock
from holdfast.server.batch import Batch, Outcome
from holdfast.server.dispatch import Dispatch

logger = logging.getLogger(__name__)

Reply = TypeVar("Reply")
Waiting = tuple[Request[object], "asyncio.Future[object]"]

MAX_BATCH = 512
"""The most requests in one transaction: keeps the time of a commit, and so everyone's latency, bounded."""

PAUSE_AFTER_FAILURE = 0.2
"""Seconds before waiting workers are offered to a store again that has failed."""


class Committer:
    """Gathers requests and commits them in batches."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        chance: Chance,
        on_commit: Callable[[Outcome], None],
        on_unclear: Callable[[], None],
        tells: bool = False,
    ) -> None:
        """`on_unclear` is called when a batch may have been written without anyone having been told of it; `tells`:
        whether what happens in runs of flows is left in the outbox."""
        self._store = store
        self._clock = clock
        self._chance = chance
        self._tells = tells
        self._graphs = Graphs()
        self._on_commit = on_commit
        self._on_unclear = on_unclear
        self._loop = asyncio.get_running_loop()
        self._gathering: list[Waiting] = []
        self._scheduled = False
        self._running: asyncio.Task[None] | None = None
        self._stopping = False
        self._paused_until = 0.0
        self.dispatch = Dispatch(send=self.send_quietly, kick=self.kick)
        self.commits = 0
        self.requests = 0
        self.failures = 0

    def send(self, request: Request[Reply]) -> asyncio.Future[Reply]:
        """Let a request join the next batch; the reply comes when it is on disk."""
        future: asyncio.Future[Reply] = self._loop.create_future()
        if self._stopping:
            future.set_exception(Stopped("this Holdfast has been closed; nothing was done"))
            return future
        # The reply's type is the request's; the list holds requests of all types.
        self._gathering.append(cast("Waiting", (request, future)))
        self.kick()
        return future

    def send_quietly(self, request: Request[object]) -> asyncio.Future[object]:
        """Send a request whose failure is of no consequence: a lease repairs it."""
        future = self.send(request)
        future.add_done_callback(_note_failure)
        return future

    def kick(self) -> None:
        """See to it that a batch runs soon."""
        if not self._scheduled and self._running is None:
            self._scheduled = True
            self._loop.call_soon(self._begin)

    @property
    def idle(self) -> bool:
        """Whether there is nothing to commit, and nobody to look for work for."""
        return not (self._gathering or self._scheduled or self._running is not None or self.dispatch.hungry)

    async def stop(self) -> None:
        """Commit what has gathered, and refuse what comes later."""
        self._stopping = True
        while self._scheduled or self._running is not None:
            if self._running is not None:
                await asyncio.wait([self._running])
            await asyncio.sleep(0)
        await self._run_all()

    def _begin(self) -> None:
        self._scheduled = False
        if self._running is None:
            self._running = self._loop.create_task(self._run(), name="holdfast-committer")
            self._running.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._running = None
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("the committer failed; it goes on with the next batch", exc_info=error)
        # A kick that came while this run was ending had no effect.
        if not self._stopping and (self._gathering or (self._may_offer() and self.dispatch.hungry)):
            self.kick()

    async def _run(self) -> None:
        await self._run_all()

    async def _run_all(self) -> None:
        while self._gathering or (self._may_offer() and self.dispatch.hungry):
            taken, self._gathering = shared_out(self._gathering, MAX_BATCH)
            await self._commit(taken)

    def _may_offer(self) -> bool:
        return not self._stopping and self._loop.time() >= self._paused_until

    async def _commit(self, taken: list[Waiting]) -> None:
        """Commit one batch and answer its requests."""
        taken = [waiting for waiting in taken if not waiting[1].cancelled()]
        batch = self._batch(taken)
        begun = self._loop.time()
        try:
            await self._store.commit(batch)
        except (Unavailable, StoreRefused) as error:
            self._refuse(taken, error)
        except Exception as error:
            # A defect in one request's decision, or a row that the database refuses, must not take the others along.
            logger.exception("a batch of %d requests could not be decided", len(taken))
            await self._commit_apart(taken, error)
        else:
            batch.seconds = self._loop.time() - begun
            self._answer(taken, batch)

    def _batch(self, taken: list[Waiting]) -> Batch:
        executions, executions_wait, tasks, tasks_wait = (
            self.dispatch.offers() if self._may_offer() else self.dispatch.offer_nothing()
        )
        return Batch(
            requests=[request for request, _ in taken],
            execution_offers=executions,
            task_offers=tasks,
            executions_wait=executions_wait,
            tasks_wait=tasks_wait,
            clock=self._clock,
            chance=self._chance,
            tells=self._tells,
            graphs=self._graphs,
        )

    async def _commit_apart(self, taken: list[Waiting], error: Exception) -> None:
        if not taken:
            self._refuse(taken, HoldfastError(f"the engine failed on an offer: {error!r}"))
        elif len(taken) == 1:
            failed = HoldfastError(f"the engine failed on this request: {error!r}; nothing was done")
            _tell(taken, error if isinstance(error, HoldfastError) else failed)
        else:
            for waiting in taken:
                await self._commit([waiting])

    def _refuse(self, taken: list[Waiting], error: HoldfastError) -> None:
        self.failures += 1
        if isinstance(error, OutcomeUnknown):
            self._on_unclear()
        self._paused_until = self._loop.time() + PAUSE_AFTER_FAILURE
        self._loop.call_later(PAUSE_AFTER_FAILURE, self.kick)
        if not taken:
            logger.warning("work could not be claimed: %s", error)
        _tell(taken, error)

    def _answer(self, taken: list[Waiting], batch: Batch) -> None:
        outcome = batch.outcome
        if outcome is None:
            raise Unavailable("the store did not carry the batch out")
        outcome.seconds = batch.seconds
        self.commits += 1
        self.requests += len(taken)
        for (_, future), reply in zip(taken, outcome.replies, strict=True):
            if future.done():
                continue
            if isinstance(reply, HoldfastError):
                future.set_exception(reply)
            else:
                future.set_result(reply)
        self._on_commit(outcome)


def shared_out(gathered: list[Waiting], most: int) -> tuple[list[Waiting], list[Waiting]]:
    """The next batch, and who waits for a later one: when not all fit in, tenants share the room evenly.

    Requests of one tenant keep their order; signals of one sender arrive in it.
    """
    if len(gathered) <= most:
        return gathered, []
    by_tenant: dict[TenantId, list[Waiting]] = {}
    for waiting in gathered:
        by_tenant.setdefault(waiting[0].tenant, []).append(waiting)
    if len(by_tenant) == 1:
        return gathered[:most], gathered[most:]
    share = _even_share([len(each) for each in by_tenant.values()], most)
    taken = [waiting for each in by_tenant.values() for waiting in each[:share]]
    left = [waiting for each in by_tenant.values() for waiting in each[share:]]
    return taken[:most], [*taken[most:], *left]


def _even_share(wanted: list[int], most: int) -> int:
    """How many each may have at most, so that all that there is room for is used."""
    room, share = most, 1
    for place, count in enumerate(sorted(wanted)):
        share = max(1, room // (len(wanted) - place))
        if count > share:
            break
        room -= count
    return share


def _tell(taken: list[Waiting], error: HoldfastError) -> None:
    for _, future in taken:
        if not future.done():
            future.set_exception(error)


def _note_failure(future: asyncio.Future[object]) -> None:
    if not future.cancelled() and (error := future.exception()) is not None:
        logger.debug("a request without a listener was refused: %s", error)
