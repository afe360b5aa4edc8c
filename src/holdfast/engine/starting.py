"""Starts: a new execution, or the one that is there under the same id or idempotency key.

An id is that of one execution for ever. An idempotency key is that of one execution at a time: what a start under a
used key does is the reuse policy's to say. A start that is sent again finds its own execution by its id, so it never
ends what it has started itself.
"""

from holdfast.engine import closing, executions
from holdfast.engine.missing import MoreWanted
from holdfast.engine.state import State
from holdfast.model.errors import AlreadyStarted, IdempotencyConflict, InvalidArgument
from holdfast.model.ids import ExecutionId
from holdfast.model.instants import later
from holdfast.model.records import Execution, RequestKey
from holdfast.model.requests import Started, StartWorkflow, TerminateWorkflow
from holdfast.model.statuses import ExecutionStatus, ReusePolicy

WORKFLOW_KEYS = "workflow"
"""Where the idempotency keys of starts are kept."""


def start(state: State, request: StartWorkflow) -> Started:
    """A new execution, or the one that is there."""
    _check(request)
    existing = state.executions.rows.get((request.tenant, request.execution_id))
    if existing is not None:
        if request.reuse_policy is ReusePolicy.REJECT and request.idempotency_key is None:
            raise AlreadyStarted(request.execution_id, existing.id, existing.status)
        return _the_same(existing, request, request.execution_id)
    if request.idempotency_key is None:
        return _create(state, request)
    return _start_under_key(state, request, request.idempotency_key)


def _check(request: StartWorkflow) -> None:
    if request.idempotency_key is None:
        if request.reuse_policy not in (ReusePolicy.RETURN_EXISTING, ReusePolicy.REJECT):
            raise InvalidArgument(
                f"an id is that of one execution for ever; for {request.reuse_policy} give an idempotency key"
            )
    elif request.signal is not None:
        raise InvalidArgument("a start with a signal names its execution by an id, not by an idempotency key")


def _start_under_key(state: State, request: StartWorkflow, key: str) -> Started:
    subject = state.keys.get((request.tenant, WORKFLOW_KEYS, key))
    last = None if subject is None else _loaded(state, request, ExecutionId(subject))
    if last is None or _has_lapsed(state, request, last) or _may_follow(state, request, last, key):
        started = _create(state, request)
        state.use_key(RequestKey(request.tenant, WORKFLOW_KEYS, key, request.execution_id, state.now))
        return started
    return _the_same(last, request, key)


def _loaded(state: State, request: StartWorkflow, execution_id: ExecutionId) -> Execution | None:
    key = request.tenant, execution_id
    found = state.executions.rows.get(key)
    if found is None and key not in state.looked_for:
        raise MoreWanted(executions=[key])
    return found


def _has_lapsed(state: State, request: StartWorkflow, last: Execution) -> bool:
    return request.key_ttl_ms is not None and later(last.created_at, request.key_ttl_ms) <= state.now


def _may_follow(state: State, request: StartWorkflow, last: Execution, key: str) -> bool:
    """Whether another execution may be started under the key; one that is to be ended first, is."""
    match request.reuse_policy:
        case ReusePolicy.RETURN_EXISTING:
            return False
        case ReusePolicy.TERMINATE_AND_START:
            if not last.closed:
                closing.terminate(state, TerminateWorkflow(last.tenant, last.id, "another was started in its place"))
            return True
        case ReusePolicy.ALLOW_AFTER_CLOSE if last.closed:
            return True
        case ReusePolicy.ALLOW_AFTER_FAILURE if last.closed and last.status is not ExecutionStatus.COMPLETED:
            return True
        case _:
            raise AlreadyStarted(key, last.id, last.status)


def _create(state: State, request: StartWorkflow) -> Started:
    executions.create(state, executions.new_execution(state, request), request.trace)
    return Started(request.execution_id, created=True, status=ExecutionStatus.PENDING)


def _the_same(existing: Execution, request: StartWorkflow, name: str) -> Started:
    for what, same in (("kind", existing.kind == request.kind), ("input", existing.input == request.input)):
        if not same:
            raise IdempotencyConflict("workflow", name, what)
    return Started(existing.id, created=False, status=existing.status)
