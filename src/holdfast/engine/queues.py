"""The queue machine: a queue runs or is paused. While it is paused nothing of it is given to workers."""

from holdfast.engine.state import QueueKey, State
from holdfast.model.ids import QueueName, TenantId
from holdfast.model.instants import Instant
from holdfast.model.oversight import Notice, QueueSetting
from holdfast.model.requests import Done, PauseQueue, ResumeQueue


def pause(state: State, request: PauseQueue) -> Done:
    """Give nothing of the queue to workers; what they have, they may end."""
    if _is_paused(state, (request.tenant, request.queue)):
        return Done(changed=False)
    _set(state, request, state.now, request.reason)
    return Done()


def resume(state: State, request: ResumeQueue) -> Done:
    """Let the queue run again."""
    if not _is_paused(state, (request.tenant, request.queue)):
        return Done(changed=False)
    _set(state, request, None, "")
    return Done()


def paused(state: State) -> frozenset[tuple[TenantId, QueueName]]:
    """The queues that are paused, among those loaded."""
    return frozenset(key for key, row in state.queues.rows.items() if row.paused_at is not None)


def _is_paused(state: State, key: QueueKey) -> bool:
    row = state.queues.rows.get(key)
    return row is not None and row.paused_at is not None


def _set(state: State, request: PauseQueue | ResumeQueue, paused_at: Instant | None, reason: str) -> None:
    key = request.tenant, request.queue
    row = QueueSetting(request.tenant, request.queue, paused_at, request.requested_by, reason)
    if key in state.queues.rows:
        state.queues.change(key, row)
    else:
        state.queues.create(key, row)
    what = "RESUMED" if paused_at is None else "PAUSED"
    state.notices.append((request.tenant, Notice("queue", request.queue, request.queue, what)))
