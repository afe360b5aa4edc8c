"""Long polls: a poll is a standing offer until something is delivered, its time is over, or the caller goes."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar, cast

from holdfast.model.errors import InvalidArgument
from holdfast.model.ids import TaskId, TenantId, WorkerId, checked_id
from holdfast.model.requests import Done, ExecutionClaim, Offer, ReleaseExecution, ReleaseTask, Request, TaskClaim
from holdfast.ports.transport import Subscription
from holdfast.protocol.claims import TASK_CLAIM, execution_claim_to_wire
from holdfast.protocol.generated import worker_pb2 as wire
from holdfast.server.grpc import checking
from holdfast.server.grpc.admission import Call, Context
from holdfast.server.host import EngineHost

Claim = TypeVar("Claim", ExecutionClaim, TaskClaim)

DEFAULT_WAIT: Final = 30.0
LONGEST_WAIT: Final = 60.0
BEFORE_DEADLINE: Final = 0.1
"""Seconds before a call's own deadline at which it is answered, so that the answer still arrives."""
MAX_ITEMS: Final = 1_000


def patience(wait_ms: int, call: Call) -> float:
    """Seconds for which a call may wait."""
    if wait_ms < 0:
        raise InvalidArgument(f"wait_ms must be 0 or more, not {wait_ms}")
    wait = min(wait_ms / 1000, LONGEST_WAIT) if wait_ms else DEFAULT_WAIT
    left = call.context.time_remaining()
    return wait if left is None else max(0.0, min(wait, left - BEFORE_DEADLINE))


def most_items(given: int) -> int:
    """How many items a poll takes at most; left out, one."""
    most = given or 1
    if not 1 <= most <= MAX_ITEMS:
        raise InvalidArgument(f"max_items must lie between 1 and {MAX_ITEMS:,}, not {most}")
    return most


class Polls:
    """Answers polls."""

    def __init__(self, *, engine: EngineHost, closing: asyncio.Event) -> None:
        self._engine = engine
        self._closing = closing

    async def poll_workflow(self, message: wire.PollWorkflowRequest, call: Call) -> wire.PollWorkflowResponse:
        """Executions whose code is to run."""
        offer = self._offer(message, call.tenant, checking.names(message.kinds, "kinds"))
        waiting: Waiting[ExecutionClaim] = Waiting(self._engine, _release_execution)
        standing = self._engine.take_executions(offer, waiting.deliver)
        claims = await waiting.claims(standing, patience(message.wait_ms, call), self._closing)
        waiting.mind(call.context)
        return wire.PollWorkflowResponse(executions=[execution_claim_to_wire(claim) for claim in claims])

    async def poll_task(self, message: wire.PollTaskRequest, call: Call) -> wire.PollTaskResponse:
        """Tasks whose body is to run."""
        offer = self._offer(message, call.tenant, checking.names(message.task_types, "task_types"))
        waiting: Waiting[TaskClaim] = Waiting(self._engine, _release_task)
        standing = self._engine.take_tasks(offer, waiting.deliver, _pass_over)
        claims = await waiting.claims(standing, patience(message.wait_ms, call), self._closing)
        waiting.mind(call.context)
        return wire.PollTaskResponse(tasks=[TASK_CLAIM.to_wire(claim) for claim in claims])

    def _offer(
        self, message: wire.PollWorkflowRequest | wire.PollTaskRequest, tenant: TenantId, kinds: frozenset[str]
    ) -> Offer:
        worker_id = WorkerId(checked_id(message.worker_id, "worker_id"))
        return Offer(tenant, worker_id, checking.queue(message.queue), kinds, most_items(message.max_items))


class Waiting(list[Claim]):
    """What one poll has been given."""

    def __init__(self, engine: EngineHost, release: Callable[[Claim], Request[Done]]) -> None:
        super().__init__()
        self._engine = engine
        self._release: Callable[[Claim], Request[Done]] = release
        self._came = asyncio.Event()

    def deliver(self, claims: Sequence[Claim]) -> None:
        """Work has been claimed for this poll."""
        self.extend(claims)
        self._came.set()

    async def claims(self, standing: Subscription, seconds: float, closing: asyncio.Event) -> Sequence[Claim]:
        """What comes in time."""
        waits = [asyncio.ensure_future(event.wait()) for event in (self._came, closing)]
        try:
            await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self.give_back()
            raise
        finally:
            for wait in waits:
                wait.cancel()
            await standing.stop()
        return tuple(self)

    def mind(self, context: Context) -> None:
        """Give back what could not be answered any more: a caller who has gone must not hold it."""
        # The stubs declare the callback as an instance of a class that only they know.
        context.add_done_callback(cast("Any", self._ended))

    def _ended(self, context: Context) -> None:
        if context.cancelled():
            self.give_back()

    def give_back(self) -> None:
        """Release everything."""
        for claim in self:
            self._engine.committer.send_quietly(self._release(claim))
        self.clear()


def _release_execution(claim: ExecutionClaim) -> Request[Done]:
    return ReleaseExecution(claim.tenant, claim.execution_id, claim.token)


def _release_task(claim: TaskClaim) -> Request[Done]:
    return ReleaseTask(claim.tenant, claim.task_id, claim.token)


def _pass_over(_: TaskId) -> None:
    """A worker that polls is told with its heartbeats."""
