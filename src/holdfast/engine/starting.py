"""Starts: a new execution, or the one that is there under the same id or idempotency key.

What a start under a used key or id does is the reuse policy's to say. An idempotency key is that of one execution at a
time. An id is that of one execution for ever, for ids of commands are derived from it: another one that follows under
a used id gets a number after it (`order-17~2`), and starts and signals under the id find the newest.

A start that is sent again never ends what it has started itself: it finds its own execution by the id that it brought
with an idempotency key, or by its request id.
"""

from typing import Final

from msgspec.structs import replace

from holdfast.engine import closing, executions
from holdfast.engine.missing import MoreWanted
from holdfast.engine.state import State
from holdfast.model.errors import AlreadyStarted, IdempotencyConflict, InvalidArgument
from holdfast.model.ids import ExecutionId, TenantId, checked_id
from holdfast.model.instants import later
from holdfast.model.records import Execution, RequestKey
from holdfast.model.requests import Started, StartWorkflow, TerminateWorkflow
from holdfast.model.statuses import ExecutionStatus, ReusePolicy

WORKFLOW_KEYS: Final = "workflow"
"""Where the idempotency keys of starts are kept, and with them the two kinds of keys that only we can make."""

USED_KEY: Final = "used key"
"""Marks the names of keys among all that a batch has looked for."""

_BETWEEN: Final = "~"
"""Stands between a used id and the number of who follows."""


def key_of_request(request_id: str) -> str:
    """The key under which a start finds what it has started; no idempotency key has a line break."""
    return f"\nrequest {request_id}"


def key_of_followers(execution_id: ExecutionId) -> str:
    """The key under which the newest execution is kept that was started under a used id."""
    return f"\nafter {execution_id}"


def start(state: State, request: StartWorkflow) -> Started:
    """A new execution, or the one that is there."""
    if request.idempotency_key is not None and request.signal is not None:
        raise InvalidArgument("a start with a signal names its execution by an id, not by an idempotency key")
    if request.request_id:
        own = _execution_under(state, request.tenant, key_of_request(request.request_id))
        if own is not None:
            return Started(own.id, created=True, status=own.status)
    existing = state.executions.rows.get((request.tenant, request.execution_id))
    if request.idempotency_key is not None:
        if existing is not None:
            return _the_same(existing, request, request.execution_id)
        return _start_under_key(state, request, request.idempotency_key)
    return _create(state, request) if existing is None else _start_under_id(state, request, existing)


def newest(state: State, execution: Execution) -> Execution:
    """Who was started last under an execution's id: itself, or, once it has ended, one that followed."""
    if not execution.closed:
        return execution
    return _execution_under(state, execution.tenant, key_of_followers(execution.id)) or execution


def _start_under_key(state: State, request: StartWorkflow, key: str) -> Started:
    last = _execution_under(state, request.tenant, key)
    if last is None or _has_lapsed(state, request, last) or _may_follow(state, request, last, key):
        return _create(state, request, key)
    return _the_same(last, request, key)


def _start_under_id(state: State, request: StartWorkflow, existing: Execution) -> Started:
    last = newest(state, existing)
    if not _may_follow(state, request, last, existing.id):
        return _the_same(last, request, existing.id)
    follower = replace(request, execution_id=_free_id(state, existing, last))
    return _create(state, follower, key_of_followers(existing.id))


def _free_id(state: State, first: Execution, last: Execution) -> ExecutionId:
    """The id of who comes after `last`; one that somebody has taken by hand is passed over."""
    prefix = f"{first.id}{_BETWEEN}"
    number = 1 if last.id == first.id else int(last.id.removeprefix(prefix))
    while True:
        number += 1
        name = ExecutionId(checked_id(f"{prefix}{number}", "the id of the execution that follows"))
        if _loaded(state, first.tenant, name) is None:
            return name


def _execution_under(state: State, tenant: TenantId, key: str) -> Execution | None:
    name = tenant, WORKFLOW_KEYS, key
    subject = state.keys.get(name)
    if subject is None and (USED_KEY, *name) not in state.looked_for:
        raise MoreWanted(request_keys=[name])
    return None if subject is None else _loaded(state, tenant, ExecutionId(subject))


def _loaded(state: State, tenant: TenantId, execution_id: ExecutionId) -> Execution | None:
    key = tenant, execution_id
    found = state.executions.rows.get(key)
    if found is None and key not in state.looked_for:
        raise MoreWanted(executions=[key])
    return found


def _has_lapsed(state: State, request: StartWorkflow, last: Execution) -> bool:
    return request.key_ttl_ms is not None and later(last.created_at, request.key_ttl_ms) <= state.now


def _may_follow(state: State, request: StartWorkflow, last: Execution, name: str) -> bool:
    """Whether another execution may be started under the name; one that is to be ended first, is."""
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
            raise AlreadyStarted(name, last.id, last.status)


def _create(state: State, request: StartWorkflow, *keys: str) -> Started:
    """A new execution, which these keys stand for from now on, and the request's own."""
    executions.create(state, executions.new_execution(state, request), request.trace)
    own = (key_of_request(request.request_id),) if request.request_id else ()
    for key in (*keys, *own):
        state.use_key(RequestKey(request.tenant, WORKFLOW_KEYS, key, request.execution_id, state.now))
    return Started(request.execution_id, created=True, status=ExecutionStatus.PENDING)


def _the_same(existing: Execution, request: StartWorkflow, name: str) -> Started:
    for what, same in (("kind", existing.kind == request.kind), ("input", existing.input == request.input)):
        if not same:
            raise IdempotencyConflict("workflow", name, what)
    return Started(existing.id, created=False, status=existing.status)
