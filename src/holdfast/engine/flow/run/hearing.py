"""News: what has happened outside of a run is brought to the visit that waits for it, and the run goes on from there.

News is acted on in the transaction that makes it: the end of a task, the tokens that follow, and what these ask for are
one commit. Each id of something awaited names its visit and try, so what comes twice or too late finds nobody waiting.
"""

from holdfast.engine import closing
from holdfast.engine.flow.nodes.parameters import Role
from holdfast.engine.flow.run import items, reviving, tokens, waits, work
from holdfast.engine.flow.run.beginning import begin
from holdfast.engine.flow.run.data import awaited_by
from holdfast.engine.flow.run.drafts import Draft, Run, open_run
from holdfast.engine.flow.run.places import JOIN, place_of
from holdfast.engine.flow.run.stepping import go_on
from holdfast.engine.missing import MoreWanted
from holdfast.engine.state import ExecutionKey, FlowBegin, State
from holdfast.model.events import (
    CancellationRequested,
    ChildWorkflowCancelled,
    ChildWorkflowCompleted,
    ChildWorkflowFailed,
    EventData,
    PromiseRejected,
    PromiseResolved,
    PromiseTimedOut,
    RetryRequested,
    SignalReceived,
    TaskCancelled,
    TaskCompleted,
    TaskFailed,
    TaskTimedOut,
    TimerCancelled,
    TimerFired,
    WorkflowCancelled,
)
from holdfast.model.failures import Failure
from holdfast.model.flows import LIVE, VisitKey
from holdfast.model.statuses import ExecutionStatus

RUN_STEPS = 250
"""So many nodes one decision may bring one run through."""

Fact = EventData | FlowBegin


def act_on_news(state: State) -> None:
    """Let every run act on what it has heard; new news of this come at once as well."""
    while state.flow_news:
        news: dict[ExecutionKey, list[Fact]] = {}
        for key, fact in state.flow_news:
            news.setdefault(key, []).append(fact)
        state.flow_news.clear()
        more = MoreWanted()
        for key, facts in news.items():
            try:
                _tell(state, key, facts)
            except MoreWanted as wanted:
                # All runs ask together, so that the number of rounds does not grow with the number of runs.
                more.join(wanted)
        if more:
            raise more


def _tell(state: State, key: ExecutionKey, facts: list[Fact]) -> None:
    steps = max(0, min(RUN_STEPS, state.flow_steps))
    run: Run | None = None
    for fact in facts:
        if state.executions.rows[key].closed:
            break
        if isinstance(fact, FlowBegin):
            run = begin(state, key, fact, steps)
        else:
            if run is None:
                run = open_run(state, key, steps, _paths(facts))
            _hear(run, fact)
    if run is not None:
        finish(run, steps)


def finish(run: Run, steps: int) -> None:
    """Go on with what is ready, and write it all down."""
    go_on(run)
    run.write()
    run.state.flow_steps -= steps - run.steps


def _paths(facts: list[Fact]) -> list[str]:
    identities = [identity for fact in facts if not isinstance(fact, FlowBegin) and (identity := _about(fact))]
    return [place_of(identity)[0] for identity in identities]


def _about(fact: EventData) -> str | None:
    """What has ended, by its id."""
    match fact:
        case TaskCompleted() | TaskFailed() | TaskTimedOut() | TaskCancelled():
            return fact.task_execution_id
        case ChildWorkflowCompleted() | ChildWorkflowFailed() | ChildWorkflowCancelled():
            return fact.child_workflow_execution_id
        case TimerFired() | TimerCancelled():
            return fact.timer_id
        case PromiseResolved() | PromiseRejected() | PromiseTimedOut():
            return fact.promise_id
        case _:
            return None


def _hear(run: Run, fact: EventData) -> None:
    identity = _about(fact)
    if identity is not None:
        _settle(run, fact, identity)
        return
    record(run, fact)
    if isinstance(fact, SignalReceived):
        waits.signalled(run, fact.signal_name, bytes(fact.value))
    elif isinstance(fact, RetryRequested):
        reviving.revive(run)
    else:
        assert isinstance(fact, CancellationRequested), "runs hear of nothing else"
        _cancel(run, fact.reason)


def _cancel(run: Run, reason: str) -> None:
    failure = Failure("Cancelled", reason, retryable=False)
    fact = WorkflowCancelled(reason)
    closing.close(run.state, run.execution, ExecutionStatus.CANCELLED, fact, failure=failure)


def record(run: Run, fact: EventData) -> None:
    """Put on record what the run has heard."""
    run.state.executions.change(run.key, run.state.append(run.execution, fact))


def _settle(run: Run, fact: EventData, identity: str) -> None:
    path, key = place_of(identity)
    if not isinstance(fact, TimerFired):
        record(run, fact)
    if not run.is_open(path):
        return
    draft = run.draft(path)
    if key.startswith(JOIN):
        _merge_is_due(run, draft, int(key.removeprefix(JOIN)), identity, fact)
        return
    visit = draft.visits.get(key)
    if visit is None or visit.status not in LIVE or awaited_by(run, draft, key) != identity:
        return
    _go_on_with(run, draft, key, fact)


def _go_on_with(run: Run, draft: Draft, key: VisitKey, fact: EventData) -> None:
    match fact:
        case TaskCompleted(result=value) | ChildWorkflowCompleted(output=value) | PromiseResolved(value=value):
            waits.came(run, draft, key, bytes(value))
        case PromiseRejected(error=failure):
            waits.refused(run, draft, key, failure)
        case PromiseTimedOut():
            tokens.time_is_up(run, draft, key)
        case TimerFired():
            _timer_fired(run, draft, key, fact)
        case TimerCancelled():
            waits.timer_cancelled(run, draft, key)
        case _:
            work.failed(run, draft, key, fact)


def _timer_fired(run: Run, draft: Draft, key: VisitKey, fact: TimerFired) -> None:
    role = run.graph.at(draft.visits[key].node).role
    if role is Role.SPLIT:
        record(run, fact)
        items.time_is_up(run, draft, key)
    elif role is Role.WORK:
        record(run, fact)
        work.begin_again(run, draft, key)
    elif waits.is_poll(run, draft, key):
        waits.look_at_condition(run, draft, key)
    else:
        record(run, fact)
        waits.timer_fired(run, draft, key)


def _merge_is_due(run: Run, draft: Draft, node: int, identity: str, fact: EventData) -> None:
    join = draft.joins.get(node)
    if join is None or join.timer_id != identity:
        return
    if isinstance(fact, TimerFired):
        record(run, fact)
        tokens.merge_is_due(run, draft, join)
    else:
        tokens.without_timer(run, draft, join)
