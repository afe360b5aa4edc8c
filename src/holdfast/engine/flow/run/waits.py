"""Waits: a token is frozen in its visit until a time, a signal, a request, a condition or a person's answer comes."""

from typing import assert_never

import msgspec
from msgspec.structs import replace

from holdfast.engine.flow.evaluation import completed, evaluate
from holdfast.engine.flow.expressions.frame import Scope
from holdfast.engine.flow.nodes.parameters import Role
from holdfast.engine.flow.nodes.waiting import WaitParameters
from holdfast.engine.flow.outcomes import Asked, Emitted, NodeFailed, OnCondition, OnSignal, OnWebhook, Parked
from holdfast.engine.flow.outcomes import UntilInstant as Until
from holdfast.engine.flow.run import clocks
from holdfast.engine.flow.run.data import Passed, awaited_by, decode, scope_of, store, store_bytes
from holdfast.engine.flow.run.drafts import Draft, Run
from holdfast.engine.flow.run.links import KEY_BITS
from holdfast.engine.flow.run.places import place_of
from holdfast.engine.flow.run.tokens import conclude, time_is_up
from holdfast.model.events import EventData, PromiseCreated
from holdfast.model.failures import Failure
from holdfast.model.flows import ROOT, VisitKey, VisitStatus
from holdfast.model.ids import PromiseId
from holdfast.model.instants import Instant, Milliseconds, earliest, later
from holdfast.model.records import Promise

WAIT_CANCELLED = "WAIT_CANCELLED"
ANY_SIGNAL = ""
"""What a condition listens to: every signal may have made it true."""


def park(run: Run, draft: Draft, key: VisitKey, scope: Scope, parked: Parked) -> None:
    """Freeze the token, unless what it waits for has come already."""
    match parked.until:
        case Until(at):
            _until(run, draft, key, scope, at, parked.timeout_at)
        case OnSignal(name):
            _on_signal(run, draft, key, scope, name, parked.timeout_at)
        case OnWebhook():
            _make_link_key(run)
            _freeze(run, draft, key, awaited_by(run, draft, key), parked.timeout_at)
        case OnCondition(every_ms):
            _listen(run, ANY_SIGNAL, awaited_by(run, draft, key))
            # Looked at again as often as asked, and when time is up; `resume_at` is when that is.
            _freeze(run, draft, key, awaited_by(run, draft, key), parked.timeout_at, later(run.now, every_ms))
        case _:
            assert_never(parked.until)


def _until(run: Run, draft: Draft, key: VisitKey, scope: Scope, at: Instant, timeout_at: Instant | None) -> None:
    ends_early = timeout_at is not None and timeout_at < at
    if at <= run.now:
        conclude(run, draft, key, scope, completed(run.graph.at(draft.visits[key].node), scope, None, run.now))
        return
    # What waits for its own timer has what it waited for when that fires; else its time is up.
    _freeze(run, draft, key, "" if ends_early else awaited_by(run, draft, key), earliest(at, timeout_at))


def _on_signal(run: Run, draft: Draft, key: VisitKey, scope: Scope, name: str, timeout_at: Instant | None) -> None:
    root = run.root
    for place, (waiting, value) in enumerate(root.signals):
        if waiting == name:
            del root.signals[place]
            run.touch(root)
            node = run.graph.at(draft.visits[key].node)
            conclude(run, draft, key, scope, completed(node, scope, decode(value), run.now))
            return
    _listen(run, name, awaited_by(run, draft, key))
    _freeze(run, draft, key, f"signal:{name}", timeout_at)


def _make_link_key(run: Run) -> None:
    root = run.root
    if not root.link_key:
        root.link_key = f"{run.state.chance.getrandbits(KEY_BITS):064x}"
        run.touch(root)


def _listen(run: Run, name: str, identity: str) -> None:
    run.root.listeners.append((name, identity))
    run.touch(run.root)


def _freeze(
    run: Run, draft: Draft, key: VisitKey, awaits: str, resume_at: Instant | None, look_at: Instant | None = None
) -> None:
    at = earliest(resume_at, look_at)
    timer_id = None if at is None else awaited_by(run, draft, key)
    if at is not None and timer_id is not None:
        clocks.arm(run, timer_id, at, draft.visits[key].started_at)
    waiting = replace(
        draft.visits[key], status=VisitStatus.WAITING, awaits=awaits, timer_id=timer_id, resume_at=resume_at
    )
    draft.put(key, waiting)


# A person's answer.


def ask(run: Run, draft: Draft, key: VisitKey, asked: Asked) -> None:
    """A promise that somebody settles with the answer."""
    visit = draft.visits[key]
    promise_id = PromiseId(awaited_by(run, draft, key))
    name = promise_name(run, draft, key)
    tenant, execution_id = run.key
    state = run.state
    promise = Promise(tenant, promise_id, execution_id, name, run.now, wake_at=asked.timeout_at)
    state.promises.create((tenant, promise_id), promise)
    state.promise_names.give((tenant, execution_id, name), promise_id)
    timeout_ms = None if asked.timeout_at is None else Milliseconds(asked.timeout_at - run.now)
    opened(run, PromiseCreated(promise_id, name, timeout_ms))
    question = {"title": asked.title, "message": asked.message, "assignees": asked.assignees, "form": asked.form}
    kept = store(run, draft, key, question)
    waiting = replace(
        visit,
        status=VisitStatus.WAITING,
        awaits=promise_id,
        resume_at=asked.timeout_at,
        output=kept.data,
        output_ref=kept.is_name,
    )
    draft.put(key, waiting)


def promise_name(run: Run, draft: Draft, key: VisitKey) -> str:
    """The node's id; inside of splits and loops with the indexes of its items, outermost first."""
    node = run.graph.at(draft.visits[key].node)
    if draft.path == ROOT:
        return node.id
    indexes = [part.partition("~")[0] for part in draft.path.split(".")[1:]]
    return f"{node.id}[{','.join(indexes)}]"


def opened(run: Run, fact: EventData) -> None:
    """The run's history has one thing more that is open."""
    execution = run.state.append(run.execution, fact)
    run.state.executions.change(run.key, replace(execution, open_items=execution.open_items + 1))


# What comes.


def is_poll(run: Run, draft: Draft, key: VisitKey) -> bool:
    """Whether a visit waits for a condition, whose timer is only for looking at it."""
    parameters = run.graph.at(draft.visits[key].node).parameters
    return isinstance(parameters, WaitParameters) and parameters.resume == "condition"


def timer_fired(run: Run, draft: Draft, key: VisitKey) -> None:
    """The timer of a visit: what it waited for, or the end of its patience."""
    visit = draft.visits[key]
    draft.put(key, replace(visit, timer_id=None))
    if visit.awaits == visit.timer_id and _waits_for_time(run, draft, key):
        scope = scope_of(run, draft, visit)
        conclude(run, draft, key, scope, completed(run.graph.at(visit.node), scope, None, run.now))
    else:
        time_is_up(run, draft, key)


def _waits_for_time(run: Run, draft: Draft, key: VisitKey) -> bool:
    parameters = run.graph.at(draft.visits[key].node).parameters
    return isinstance(parameters, WaitParameters) and parameters.resume in ("time_interval", "until")


def look_at_condition(run: Run, draft: Draft, key: VisitKey) -> None:
    """Evaluate a condition once more."""
    visit = draft.visits[key]
    draft.put(key, replace(visit, timer_id=None))
    scope = scope_of(run, draft, visit)
    outcome = evaluate(run.graph.at(visit.node), scope, run.now)
    if isinstance(outcome, Emitted | NodeFailed):
        conclude(run, draft, key, scope, outcome)
    elif visit.resume_at is not None and visit.resume_at <= run.now:
        time_is_up(run, draft, key)
    else:
        assert isinstance(outcome, Parked), "a condition holds, fails, or parks"
        assert isinstance(outcome.until, OnCondition), "and parks for itself"
        at = earliest(later(run.now, outcome.until.every_ms), visit.resume_at)
        assert at is not None, "one of them is set"
        identity = awaited_by(run, draft, key)
        clocks.rearm(run, identity, at, visit.started_at)
        draft.put(key, replace(visit, timer_id=identity))


def timer_cancelled(run: Run, draft: Draft, key: VisitKey) -> None:
    """Somebody has disarmed the timer: a wait for it fails, any other has no timeout any more."""
    visit = draft.visits[key]
    draft.put(key, replace(visit, timer_id=None, resume_at=None))
    if visit.awaits is None or (visit.awaits == visit.timer_id and _waits_for_time(run, draft, key)):
        refused(run, draft, key, Failure(WAIT_CANCELLED, "its timer was cancelled", retryable=False))


def came(run: Run, draft: Draft, key: VisitKey, value: bytes) -> None:
    """What a visit waited for has come, with a value."""
    visit = draft.visits[key]
    if visit.timer_id is not None:
        clocks.disarm(run, visit.timer_id)
    node = run.graph.at(visit.node)
    scope = scope_of(run, draft, visit)
    if node.role is Role.WORK and node.output is None:
        # The result is the output: it is kept as it came.
        result = Passed()
        known = {id(result): store_bytes(run, draft, key, value)}
        conclude(run, draft, key, scope, completed(node, scope, result, run.now), known)
    else:
        conclude(run, draft, key, scope, completed(node, scope, decode(value), run.now))


def refused(run: Run, draft: Draft, key: VisitKey, failure: Failure) -> None:
    """What a visit waited for has failed for good, or will never come."""
    conclude(run, draft, key, scope_of(run, draft, draft.visits[key]), NodeFailed(failure))


def signalled(run: Run, name: str, value: bytes) -> None:
    """A signal goes to the first who waits for it, or is kept for who will; and conditions are looked at again."""
    root = run.root
    root.heard[name] = msgspec.Raw(value)
    run.touch(root)
    for listener in list(root.listeners):
        wanted, identity = listener
        if wanted == name:
            root.listeners.remove(listener)
            place = waiting_at(run, identity)
            if place is not None:
                came(run, *place, value)
                break
    else:
        root.signals.append((name, msgspec.Raw(value)))
    for listener in [each for each in root.listeners if each[0] == ANY_SIGNAL]:
        _look_again(run, listener)


def _look_again(run: Run, listener: tuple[str, str]) -> None:
    place = waiting_at(run, listener[1])
    if place is None:
        run.root.listeners.remove(listener)
        return
    draft, key = place
    visit = draft.visits[key]
    scope = scope_of(run, draft, visit)
    outcome = evaluate(run.graph.at(visit.node), scope, run.now)
    if isinstance(outcome, Emitted | NodeFailed):
        run.root.listeners.remove(listener)
        if visit.timer_id is not None:
            clocks.disarm(run, visit.timer_id)
        conclude(run, draft, key, scope, outcome)


def waiting_at(run: Run, identity: str) -> tuple[Draft, VisitKey] | None:
    """The visit that waits under a name, if it still does."""
    path, key = place_of(identity)
    if not run.is_open(path):
        return None
    draft = run.draft(path)
    visit = draft.visits.get(key)
    if visit is None or visit.status is not VisitStatus.WAITING or awaited_by(run, draft, key) != identity:
        return None
    return draft, key
