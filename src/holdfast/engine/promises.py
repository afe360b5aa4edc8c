"""The promise machine: PENDING until it is resolved, rejected, timed out, or its workflow ends."""

import msgspec
from msgspec.structs import replace

from holdfast.engine import executions
from holdfast.engine.state import PromiseKey, State
from holdfast.model.commands import CreatePromise, ResolvePromise
from holdfast.model.errors import AlreadyClosed, IdCollision, InvalidArgument, PromiseNotFound
from holdfast.model.events import NULL, EventData, PromiseCreated, PromiseRejected, PromiseResolved, PromiseTimedOut
from holdfast.model.failures import Failure
from holdfast.model.instants import later
from holdfast.model.records import Execution, Promise
from holdfast.model.requests import Done, SettlePromise
from holdfast.model.statuses import PromiseStatus


def create(state: State, execution: Execution, command: CreatePromise) -> EventData | None:
    """Open a promise for workflow code; None when the command was sent twice."""
    key = execution.tenant, command.promise_id
    existing = state.promises.rows.get(key)
    if existing is not None:
        if (existing.execution_id, existing.name) == (execution.id, command.name):
            return None
        recorded = f"promise {existing.name!r} of workflow {existing.execution_id!r}"
        raise IdCollision("promise", command.promise_id, recorded, f"promise {command.name!r} of {execution.id!r}")
    wake_at = None if command.timeout_ms is None else later(state.now, command.timeout_ms)
    promise = Promise(execution.tenant, command.promise_id, execution.id, command.name, state.now, wake_at=wake_at)
    state.promises.create(key, promise)
    state.promise_names.give((execution.tenant, execution.id, command.name), command.promise_id)
    schema = NULL if command.value_schema is None else msgspec.Raw(command.value_schema)
    return PromiseCreated(command.promise_id, command.name, command.timeout_ms, schema)


def resolve_by_workflow(state: State, execution: Execution, command: ResolvePromise) -> EventData | None:
    """Settle a promise from its own workflow's code; None when it is settled already."""
    key = execution.tenant, command.promise_id
    promise = state.promises.rows.get(key)
    if promise is None or promise.execution_id != execution.id:
        raise PromiseNotFound(command.promise_id, execution.tenant)
    if promise.status is not PromiseStatus.PENDING:
        return None
    _end(state, key, PromiseStatus.RESOLVED)
    return PromiseResolved(command.promise_id, msgspec.Raw(command.value))


def settle(state: State, request: SettlePromise) -> Done:
    """Resolve or reject a promise from outside; the same settlement again changes nothing."""
    key = _key(state, request)
    promise = state.promises.rows.get(key)
    if promise is None:
        raise PromiseNotFound(key[1], request.tenant)
    status, fact = _settlement(promise, request)
    if promise.status is status:
        return Done(changed=False)
    if promise.status is not PromiseStatus.PENDING:
        raise AlreadyClosed("promise", promise.name, promise.status)
    _end(state, key, status)
    executions.wake(state, (promise.tenant, promise.execution_id), fact, ended_items=1)
    return Done()


def _key(state: State, request: SettlePromise) -> PromiseKey:
    if request.promise_id is not None:
        return request.tenant, request.promise_id
    if request.execution_id is None or request.name is None:
        raise InvalidArgument("a promise is named by its id, or by the workflow's id and the promise's name")
    promise_id = state.promise_names.get((request.tenant, request.execution_id, request.name))
    if promise_id is None:
        raise PromiseNotFound(f"{request.execution_id}/{request.name}", request.tenant)
    return request.tenant, promise_id


def _settlement(promise: Promise, request: SettlePromise) -> tuple[PromiseStatus, EventData]:
    match request:
        case SettlePromise(value=bytes() as value, failure=None):
            return PromiseStatus.RESOLVED, PromiseResolved(promise.id, msgspec.Raw(value))
        case SettlePromise(value=None, failure=Failure() as failure):
            return PromiseStatus.REJECTED, PromiseRejected(promise.id, failure)
        case _:
            raise InvalidArgument("a promise is settled with either a value or a failure")


def time_out(state: State, key: PromiseKey) -> None:
    """Nobody has settled the promise in time: its workflow hears of it."""
    promise = state.promises.rows[key]
    _end(state, key, PromiseStatus.TIMED_OUT)
    executions.wake(state, (promise.tenant, promise.execution_id), PromiseTimedOut(promise.id), ended_items=1)


def call_off(state: State, key: PromiseKey) -> None:
    """Nobody waits for the promise any more."""
    _end(state, key, PromiseStatus.CANCELLED)


def _end(state: State, key: PromiseKey, status: PromiseStatus) -> None:
    promise = state.promises.rows[key]
    state.promises.change(key, replace(promise, status=status, wake_at=None, closed_at=state.now))
