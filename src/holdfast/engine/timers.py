"""The timer machine: an armed timer fires, or is disarmed, or is moved. Only armed ones have a row."""

from msgspec.structs import replace

from holdfast.engine import executions
from holdfast.engine.state import State, TimerKey
from holdfast.model.commands import CancelTimer, StartTimer
from holdfast.model.errors import IdCollision, InvalidArgument, TimerNotFound
from holdfast.model.events import EventData, TimerCancelled, TimerFired, TimerStarted
from holdfast.model.instants import Instant, later
from holdfast.model.records import Execution, Timer
from holdfast.model.requests import DisarmTimer, Done, MoveTimer


def begin(state: State, execution: Execution, command: StartTimer) -> EventData | None:
    """Arm a timer for workflow code; None when the command was sent twice."""
    key = execution.tenant, command.timer_id
    existing = state.timers.rows.get(key)
    if existing is not None:
        if existing.execution_id == execution.id:
            return None
        recorded, attempted = (f"a timer of workflow {name!r}" for name in (existing.execution_id, execution.id))
        raise IdCollision("timer", command.timer_id, recorded, attempted)
    fire_at = fire_time(state.now, command)
    state.timers.create(key, Timer(execution.tenant, command.timer_id, execution.id, fire_at, state.now))
    return TimerStarted(command.timer_id, command.duration_ms, command.fire_at)


def fire_time(now: Instant, timer: StartTimer | TimerStarted) -> Instant:
    """When a timer that is started now fires."""
    if timer.fire_at is not None:
        return timer.fire_at
    if timer.duration_ms is None:
        raise InvalidArgument(f"timer {timer.timer_id} has neither a duration nor an instant")
    return later(now, timer.duration_ms)


def cancel_by_workflow(state: State, execution: Execution, command: CancelTimer) -> EventData | None:
    """Disarm a timer for workflow code; None when it has fired or is gone already."""
    key = execution.tenant, command.timer_id
    timer = state.timers.rows.get(key)
    if timer is None or timer.execution_id != execution.id:
        return None
    state.timers.drop(key)
    return TimerCancelled(command.timer_id)


def disarm(state: State, request: DisarmTimer) -> Done:
    """Disarm a timer from outside."""
    timer = _found(state, request)
    state.timers.drop((request.tenant, timer.id))
    executions.wake(state, (timer.tenant, timer.execution_id), TimerCancelled(timer.id), ended_items=1)
    return Done()


def move(state: State, request: MoveTimer) -> Done:
    """Let a timer fire at another instant, which may be now."""
    timer = _found(state, request)
    key = request.tenant, timer.id
    if request.fire_at <= state.now:
        fire(state, key)
    else:
        state.timers.change(key, replace(timer, fire_at=request.fire_at))
    return Done()


def _found(state: State, request: DisarmTimer | MoveTimer) -> Timer:
    timer = state.timers.rows.get((request.tenant, request.timer_id))
    if timer is None:
        raise TimerNotFound(request.timer_id, request.tenant)
    return timer


def fire(state: State, key: TimerKey) -> None:
    """The timer's instant has come: its workflow hears of it."""
    timer = state.timers.rows[key]
    state.timers.drop(key)
    state.late_ms.append(state.now - timer.fire_at)
    executions.wake(state, (timer.tenant, timer.execution_id), TimerFired(timer.id), ended_items=1)
