"""Promises are kept or broken from outside; timers are listed, cancelled and moved."""

from holdfast.model.errors import PromiseNotFound
from holdfast.model.failures import Failure
from holdfast.model.ids import ExecutionId
from holdfast.model.instants import Instant
from holdfast.model.requests import DisarmTimer, MoveTimer, SettlePromise
from holdfast.server.rest.bodies import MAX_PAGE, RejectBody, RescheduleBody, ResolveBody, TimerListQuery
from holdfast.server.rest.calls import Answer, Call
from holdfast.server.rest.documents import (
    ChangedDocument,
    TimerList,
    timer_document,
)
from holdfast.server.rest.receiving import checked_raw, instant_in
from holdfast.server.rest.records import is_id, promise_id_of, timer_id_of, workflow_id_of


async def resolve_promise(call: Call, body: ResolveBody) -> Answer:
    """Give a promise its value."""
    value = checked_raw(body.value, "the value")
    return await _settled(call, SettlePromise(call.tenant, promise_id_of(call), value=value))


async def reject_promise(call: Call, body: RejectBody) -> Answer:
    """Let whoever awaits a promise get an error."""
    return await _settled(call, SettlePromise(call.tenant, promise_id_of(call), failure=_failure(body)))


async def resolve_named_promise(call: Call, body: ResolveBody) -> Answer:
    """Give the promise of that name, in that execution, its value."""
    value = checked_raw(body.value, "the value")
    owner, name = workflow_id_of(call), _promise_name(call)
    return await _settled(call, SettlePromise(call.tenant, None, owner, name, value=value))


async def reject_named_promise(call: Call, body: RejectBody) -> Answer:
    """Let whoever awaits the promise of that name, in that execution, get an error."""
    owner, name = workflow_id_of(call), _promise_name(call)
    return await _settled(call, SettlePromise(call.tenant, None, owner, name, failure=_failure(body)))


def _promise_name(call: Call) -> str:
    name = call.names["name"]
    if not is_id(name):
        raise PromiseNotFound(name, call.tenant)
    return name


def _failure(body: RejectBody) -> Failure:
    return Failure(body.type, body.message)


async def _settled(call: Call, request: SettlePromise) -> Answer:
    return Answer(ChangedDocument((await call.engine.send(request)).changed))


async def list_timers(call: Call, query: TimerListQuery) -> Answer:
    """Armed timers, the next to fire first."""
    limit = min(query.limit, MAX_PAGE)
    owner = None if query.workflow_id is None else ExecutionId(query.workflow_id)
    page = await call.engine.reads.list_timers(call.tenant, owner, limit)
    return Answer(TimerList([timer_document(timer) for timer in page.timers], page.total, limit))


async def cancel_timer(call: Call) -> Answer:
    """Disarm a timer; the workflow that waits for it gets an error that says so."""
    return Answer(ChangedDocument((await call.engine.send(DisarmTimer(call.tenant, timer_id_of(call)))).changed))


async def fire_timer(call: Call) -> Answer:
    """Let a timer fire now."""
    return await _moved(call, Instant(0))


async def reschedule_timer(call: Call, body: RescheduleBody) -> Answer:
    """Let a timer fire at another time; one that has passed fires it now."""
    return await _moved(call, instant_in(body.fire_at))


async def _moved(call: Call, fire_at: Instant) -> Answer:
    return Answer(ChangedDocument((await call.engine.send(MoveTimer(call.tenant, timer_id_of(call), fire_at))).changed))
