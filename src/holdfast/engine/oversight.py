"""What people are told of a batch: its notices for the feed; and what is put on record for them."""

from collections.abc import Iterator

from holdfast.engine.state import State
from holdfast.model.ids import TenantId
from holdfast.model.oversight import Kind, Notice, Notices
from holdfast.model.records import Promise, Task
from holdfast.model.requests import Done, ForgetOutbox, RecordActivity, RegisterKinds
from holdfast.model.statuses import TaskStatus

MAX_NOTICES = 1_000
"""In one row of the feed; a batch that has more makes several."""

LIFECYCLE = frozenset(
    {
        "WORKFLOW_STARTED",
        "WORKFLOW_COMPLETED",
        "WORKFLOW_FAILED",
        "WORKFLOW_CANCELLED",
        "WORKFLOW_TERMINATED",
        "CANCELLATION_REQUESTED",
        "RETRY_REQUESTED",
        "RESET_REQUESTED",
    }
)
"""The events that are told in the feed: the others are for those who follow the execution."""


def register(state: State, request: RegisterKinds) -> Done:
    """Remember what the workers of a tenant can run; the last word counts."""
    for kind in request.kinds:
        state.kinds.append(
            Kind(
                request.tenant,
                kind.of,
                kind.name,
                kind.version,
                kind.input_schema,
                kind.output_schema,
                state.now,
            )
        )
    return Done(changed=bool(request.kinds))


def record_activity(state: State, request: RecordActivity) -> Done:
    """Add up what a server has seen happen."""
    state.activity.extend(request.entries)
    return Done(changed=bool(request.entries))


def forget_outbox(state: State, request: ForgetOutbox) -> Done:
    """Let go of entries that have been published."""
    state.gone_outbox.extend(request.ids)
    return Done(changed=bool(request.ids))


def feed_of(state: State) -> list[Notices]:
    """The notices of the batch, by tenant, in rows of bounded size."""
    found: dict[TenantId, list[Notice]] = {}
    for tenant, notice in _notices(state):
        found.setdefault(tenant, []).append(notice)
    return [
        Notices(tenant, state.now, tuple(notices[start : start + MAX_NOTICES]))
        for tenant, notices in found.items()
        for start in range(0, len(notices), MAX_NOTICES)
    ]


def _notices(state: State) -> Iterator[tuple[TenantId, Notice]]:
    for entry in state.events:
        what = entry.event.type
        if what in LIFECYCLE:
            kind = state.executions.rows[entry.tenant, entry.execution_id].kind
            yield entry.tenant, Notice("workflow", entry.execution_id, kind, what)
    for task_key in {**state.tasks.created, **state.tasks.changed}:
        task = state.tasks.rows[task_key]
        if task.execution_id is None and _is_news(state, task):
            yield task.tenant, Notice("task", task.id, task.task_type, task.status)
    for promise_key in {**state.promises.created, **state.promises.changed}:
        promise = state.promises.rows[promise_key]
        yield promise.tenant, _promise_notice(promise)
    yield from state.notices


def _is_news(state: State, task: Task) -> bool:
    """A running task that tells of its progress is no news to the tenant."""
    return task.status is not TaskStatus.RUNNING or task.started_at == state.now


def _promise_notice(promise: Promise) -> Notice:
    return Notice("promise", promise.id, promise.name, promise.status)
