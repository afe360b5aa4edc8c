"""Claims: which ready work goes to which waiting worker, under a new token and a lease.

Offers are served in turn, oldest work first: executions that waited in the store before this batch, then those that
became ready in it; tasks by their ranks (model/ranks.py).
The queues of all offers have been loaded, so nothing is given away from one that is paused.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from holdfast.engine import queues
from holdfast.engine.activation import LEASE_MS as EXECUTION_LEASE_MS
from holdfast.engine.deadlines import wake_time
from holdfast.engine.state import ExecutionKey, State, TaskKey
from holdfast.engine.tasks import LEASE_MS as TASK_LEASE_MS
from holdfast.model.ids import ClaimToken
from holdfast.model.instants import earliest, later
from holdfast.model.ranks import task_rank
from holdfast.model.records import Execution, Task
from holdfast.model.requests import ExecutionClaim, Offer, TaskClaim
from holdfast.model.statuses import ExecutionStatus, TaskStatus


def claim_executions(
    state: State, offers: Sequence[Offer], waiting: Iterable[ExecutionKey]
) -> tuple[list[list[ExecutionClaim]], list[ExecutionKey]]:
    """The executions that each offer gets, and those that nobody here takes, though somebody might."""
    paused = queues.paused(state)
    given: list[list[ExecutionClaim]] = [[] for _ in offers]
    left: list[ExecutionKey] = []
    for key in dict.fromkeys([*waiting, *state.ready_executions]):
        execution = state.executions.rows.get(key)
        if execution is None or execution.status is not ExecutionStatus.PENDING:
            continue
        if paused and (execution.tenant, execution.queue) in paused:
            continue
        taker = _taker(offers, given, execution.tenant, execution.queue, execution.kind)
        if taker is None:
            left.append(key)
        else:
            given[taker].append(_claim_execution(state, execution, offers[taker]))
    return given, left


def claim_tasks(
    state: State, offers: Sequence[Offer], waiting: Iterable[TaskKey]
) -> tuple[list[list[TaskClaim]], list[TaskKey]]:
    """The tasks that each offer gets, and those that nobody here takes, though somebody might."""
    paused = queues.paused(state)
    given: list[list[TaskClaim]] = [[] for _ in offers]
    left: list[TaskKey] = []
    for key in _in_order(state, offers, waiting):
        task = state.tasks.rows.get(key)
        if task is None or not task.ready:
            continue
        if paused and (task.tenant, task.queue) in paused:
            continue
        taker = _taker(offers, given, task.tenant, task.queue, task.task_type)
        if taker is None:
            left.append(key)
        else:
            given[taker].append(_claim_task(state, task, offers[taker]))
    return given, left


def _in_order(state: State, offers: Sequence[Offer], waiting: Iterable[TaskKey]) -> list[TaskKey]:
    """What waited and what became ready, in the order of ranks if there is not enough room for all of it."""
    keys = list(dict.fromkeys([*waiting, *state.ready_tasks]))
    if state.ready_tasks and len(keys) > sum([offer.slots for offer in offers]):
        rows = state.tasks.rows
        keys = sorted([key for key in keys if key in rows], key=lambda key: (task_rank(rows[key]), key[1]))
    return keys


def _taker(
    offers: Sequence[Offer], given: Sequence[Sequence[object]], tenant: str, queue: str, kind: str
) -> int | None:
    """The offer that fits and has the most room left, so that work spreads over workers."""
    best, room = None, 0
    for index, offer in enumerate(offers):
        free = offer.slots - len(given[index])
        if free > room and kind in offer.kinds and offer.queue == queue and offer.tenant == tenant:
            best, room = index, free
    return best


def _claim_execution(state: State, execution: Execution, offer: Offer) -> ExecutionClaim:
    lease = later(state.now, EXECUTION_LEASE_MS)
    claimed = replace(
        execution,
        status=ExecutionStatus.RUNNING,
        claim_token=ClaimToken(execution.claim_token + 1),
        worker_id=offer.worker_id,
        lease_expires_at=lease,
        wake_at=earliest(lease, execution.deadline_at),
    )
    key = execution.tenant, execution.id
    state.executions.change(key, claimed)
    return ExecutionClaim(
        tenant=execution.tenant,
        execution_id=execution.id,
        kind=execution.kind,
        queue=execution.queue,
        token=claimed.claim_token,
        seen_sequence=execution.seen_sequence,
        last_sequence=execution.last_sequence,
        events=state.known_events(key),
        parent_id=execution.parent_id,
    )


def _claim_task(state: State, task: Task, offer: Offer) -> TaskClaim:
    claimed = replace(
        task,
        status=TaskStatus.RUNNING,
        ready=False,
        attempt=task.attempt + 1,
        claim_token=ClaimToken(task.claim_token + 1),
        worker_id=offer.worker_id,
        lease_expires_at=later(state.now, TASK_LEASE_MS),
        started_at=state.now,
        heartbeat_at=None,
    )
    state.tasks.change((task.tenant, task.id), replace(claimed, wake_at=wake_time(claimed)))
    return TaskClaim(
        tenant=task.tenant,
        task_id=task.id,
        execution_id=task.execution_id,
        task_type=task.task_type,
        queue=task.queue,
        token=claimed.claim_token,
        attempt=claimed.attempt,
        input=task.input,
        options=task.options,
        details=task.details,
        created_at=task.created_at,
        started_at=state.now,
    )
