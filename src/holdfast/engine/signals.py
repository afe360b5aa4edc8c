"""Signals: a value under a name for an execution, once per request id."""

import msgspec

from holdfast.engine import executions, starting
from holdfast.engine.state import State
from holdfast.model.events import SignalReceived
from holdfast.model.ids import ExecutionId
from holdfast.model.records import RequestKey
from holdfast.model.requests import Done, SignalWorkflow, Started, StartWorkflow


def scope(execution_id: ExecutionId) -> str:
    """Where the request ids of an execution's signals are kept."""
    return f"signal:{execution_id}"


def send(state: State, request: SignalWorkflow) -> Done:
    """Append the signal; the same request id again changes nothing.

    It is for whoever has the id now: the newest execution that was started under it.
    """
    name = request.tenant, scope(request.execution_id), request.request_id
    if request.request_id and state.keys.get(name) is not None:
        return Done(changed=False)
    key = request.tenant, request.execution_id
    newest = starting.newest(state, executions.found(state, key))
    key = newest.tenant, newest.id
    executions.found_open(state, key)
    executions.wake(state, key, SignalReceived(request.name, msgspec.Raw(request.value), request.request_id))
    if request.request_id:
        state.use_key(RequestKey(*name, request.name, state.now))
    return Done()


def start_with_signal(state: State, request: StartWorkflow) -> Started:
    """Start an execution unless it is there, and give it a signal, if the request has one."""
    started = starting.start(state, request)
    if request.signal is not None:
        send(state, request.signal)
    return started
