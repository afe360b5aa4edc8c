"""Timers of a run: armed when a token parks, disarmed when it goes on before they fire."""

from msgspec.structs import replace

from holdfast.engine.flow.expressions.failures import EvaluationError
from holdfast.engine.flow.expressions.frame import Budget, Frame, Scope
from holdfast.engine.flow.graph import GraphNode
from holdfast.engine.flow.run.data import scope_of
from holdfast.engine.flow.run.drafts import Draft, Run
from holdfast.engine.flow.run.places import JOIN, awaited, tried
from holdfast.engine.flow.values import Duration
from holdfast.engine.missing import MoreWanted
from holdfast.model.events import TimerCancelled, TimerStarted
from holdfast.model.flows import Join, Visit, VisitStatus
from holdfast.model.ids import TimerId
from holdfast.model.instants import Instant, later
from holdfast.model.records import Timer


def arm(run: Run, timer_id: str, at: Instant, since: Instant | None = None) -> None:
    """A timer of the run, that is on record in its history."""
    _create(run, timer_id, at, run.now if since is None else since)
    execution = run.state.append(run.execution, TimerStarted(TimerId(timer_id), fire_at=at))
    run.state.executions.change(run.key, replace(execution, open_items=execution.open_items + 1))


def rearm(run: Run, timer_id: str, at: Instant, since: Instant) -> None:
    """A timer that has fired is set again: a condition is looked at once more, which is no news."""
    _create(run, timer_id, at, since)
    execution = run.execution
    run.state.executions.change(run.key, replace(execution, open_items=execution.open_items + 1))


def _create(run: Run, timer_id: str, at: Instant, since: Instant) -> None:
    key = run.key[0], TimerId(timer_id)
    run.state.timers.create(key, Timer(*key, run.key[1], at, since))


def disarm(run: Run, timer_id: str) -> None:
    """Nobody waits for the timer any more."""
    key = run.key[0], TimerId(timer_id)
    timers = run.state.timers
    if key not in timers.rows:
        if key not in run.state.looked_for and key not in timers.dropped:
            raise MoreWanted(timers=[key])
        return
    timers.drop(key)
    execution = run.state.append(run.execution, TimerCancelled(key[1]))
    run.state.executions.change(run.key, replace(execution, open_items=execution.open_items - 1))


def arm_merge(run: Run, draft: Draft, join: Join, timeout: Duration) -> Join:
    """The timer of a merge that somebody has come to; a merge whose timeout has no value waits without one."""
    node = run.graph.at(join.node)
    first = join.arrivals[0]
    visit = Visit(join.node, first.edge, (first.visit,), VisitStatus.WAITING, run.now)
    at = deadline(run, node, scope_of(run, draft, visit), timeout)
    if at is None:
        return join
    timer_id = awaited(run.prefix, draft.path, tried(f"{JOIN}{join.node}", draft.generation))
    arm(run, timer_id, at)
    return replace(join, timer_id=timer_id, resume_at=at)


def deadline(run: Run, node: GraphNode, scope: Scope, timeout: Duration) -> Instant | None:
    """When a timeout that is counted from now is over; None if its expression has no value."""
    try:
        return later(run.now, timeout.milliseconds(Frame(scope, node.names, run.now, Budget())))
    except EvaluationError:
        return None
