"""What authors and clients ask about flows and their runs, and the pump that goes on with what is left ready."""

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from holdfast.engine import executions
from holdfast.engine.flow.loading import load_json
from holdfast.engine.flow.nodes.waiting import WaitParameters
from holdfast.engine.flow.run import rerunning
from holdfast.engine.flow.run.beginning import entries_of, graph_to_run, newest_version
from holdfast.engine.flow.run.data import awaited_by
from holdfast.engine.flow.run.drafts import Draft, Run, open_run
from holdfast.engine.flow.run.ending import clear_scope
from holdfast.engine.flow.run.hearing import RUN_STEPS, finish
from holdfast.engine.flow.run.places import frame_key, is_place, place_of, rows_around
from holdfast.engine.flow.run.waits import came
from holdfast.engine.missing import MoreWanted
from holdfast.engine.state import ExecutionKey, FlowBegin, FrameKey, ScopeKey, State
from holdfast.model.errors import (
    IdempotencyConflict,
    InvalidArgument,
    NotRetryable,
    WaitNotFound,
)
from holdfast.model.flow_requests import (
    DeliverWebhook,
    PauseFlow,
    RerunFlow,
    ResumeFlow,
    SavedFlow,
    SaveFlow,
    StartFlow,
    StepFrames,
)
from holdfast.model.flows import FLOW_KIND, FlowVersion, FramePath, VisitStatus, flow_of
from holdfast.model.instants import later
from holdfast.model.oversight import Notice
from holdfast.model.records import Execution
from holdfast.model.requests import Done, Started, Swept
from holdfast.model.statuses import ExecutionStatus

MIN_STEPS = 20
"""So many nodes the pump goes through for each run, however many runs there are."""

_encoder = msgspec.json.Encoder()


# Definitions.


def save(state: State, request: SaveFlow) -> SavedFlow:
    """Make a definition the next version of its flow; the same as the newest changes nothing."""
    graph = load_json(request.document)
    name = graph.definition.name
    if name != request.name:
        raise InvalidArgument(f"the definition is of flow {name!r}, not of {request.name!r}")
    version = newest_version(state, request.tenant, name)
    document = _encoder.encode(msgspec.json.decode(request.document))
    if version is not None and graph_to_run(state, request.tenant, name, version).document == document:
        return SavedFlow(name, version, created=False)
    row = FlowVersion(request.tenant, name, (version or 0) + 1, document, state.now)
    state.new_flow_versions.append(row)
    state.newest_flows.give((request.tenant, name), row.version)
    state.notices.append((request.tenant, Notice("flow", name, name, "SAVED")))
    return SavedFlow(name, row.version, created=True)


# Runs.


def start(state: State, request: StartFlow) -> Started:
    """A new run, or the one that is there under the same id."""
    key = request.tenant, request.execution_id
    existing = state.executions.rows.get(key)
    kind = FLOW_KIND + request.flow
    if existing is None:
        graph = graph_to_run(state, request.tenant, request.flow, request.version)
        entries_of(graph, request.trigger)
        executions.create(state, _execution(state, request, kind), begin=FlowBegin(graph.version, request.trigger))
        return Started(request.execution_id, created=True, status=ExecutionStatus.WAITING)
    for what, same in (("flow", existing.kind == kind), ("input", existing.input == request.input)):
        if not same:
            raise IdempotencyConflict("flow run", request.execution_id, what)
    return Started(request.execution_id, created=False, status=existing.status)


def _execution(state: State, request: StartFlow, kind: str) -> Execution:
    deadline = None if request.timeout_ms is None else later(state.now, request.timeout_ms)
    return Execution(
        tenant=request.tenant,
        id=request.execution_id,
        kind=kind,
        queue=request.queue,
        input=request.input,
        metadata=request.metadata,
        parent_id=None,
        child_name=None,
        created_at=state.now,
        deadline_at=deadline,
        wake_at=deadline,
    )


def _found_run(state: State, key: ExecutionKey) -> Execution:
    execution = executions.found(state, key)
    if flow_of(execution.kind) is None:
        raise InvalidArgument(f"{execution.id!r} is a run of workflow {execution.kind!r}, not of a flow")
    return execution


def deliver(state: State, request: DeliverWebhook) -> Done:
    """Bring a request to the wait that it was made for."""
    key = request.tenant, request.execution_id
    execution = _found_run(state, key)
    if execution.closed or not is_place(request.token):
        raise WaitNotFound(request.token, request.tenant)
    path, visit_key = place_of(request.token)
    _require_frame(state, key, path)
    run = open_run(state, key, RUN_STEPS, [path])
    place = _waits_there(run, path, visit_key, request)
    if place is None:
        raise WaitNotFound(request.token, request.tenant)
    came(run, place, visit_key, request.value)
    finish(run, RUN_STEPS)
    return Done()


def _waits_there(run: Run, path: FramePath, key: str, request: DeliverWebhook) -> Draft | None:
    """The frame of the wait; other nodes await something under such a name too, and only it is for requests."""
    if not run.is_open(path):
        return None
    draft = run.draft(path)
    visit = draft.visits.get(key)
    if visit is None or visit.status is not VisitStatus.WAITING or awaited_by(run, draft, key) != request.token:
        return None
    parameters = run.graph.at(visit.node).parameters
    if not isinstance(parameters, WaitParameters) or parameters.resume != "webhook":
        return None
    return draft if request.method == parameters.http_method else None


def _require_frame(state: State, key: ExecutionKey, path: FramePath) -> None:
    frames, scopes = rows_around(key, path)
    missing = [each for each in frames if each not in state.frames.rows]
    if any(each in state.looked_for for each in missing):
        raise WaitNotFound(path, key[0])
    if missing:
        raise MoreWanted(frames=missing, scopes=scopes)


def pause(state: State, request: PauseFlow) -> Done:
    """Let no token go on; what is under way may end."""
    run = _open(state, (request.tenant, request.execution_id))
    if run.root.paused:
        return Done(changed=False)
    run.root.paused = True
    run.root.changed = True
    run.write()
    _notice(state, run, "PAUSED")
    return Done()


def resume(state: State, request: ResumeFlow) -> Done:
    """Let a paused run go on, with all that has gathered."""
    run = _open(state, (request.tenant, request.execution_id))
    if not run.root.paused:
        return Done(changed=False)
    run.root.paused = False
    run.root.changed = True
    rerunning.touch_all(run, run.root)
    finish(run, RUN_STEPS)
    _notice(state, run, "RESUMED")
    return Done()


def _open(state: State, key: ExecutionKey) -> Run:
    _found_run(state, key)
    executions.found_open(state, key)
    return open_run(state, key, RUN_STEPS)


def _notice(state: State, run: Run, what: str) -> None:
    state.notices.append((run.key[0], Notice("workflow", run.execution.id, run.execution.kind, what)))


def rerun(state: State, request: RerunFlow) -> Done:
    """Let a run that has ended go on from a node again, and forget what came after it."""
    key = request.tenant, request.execution_id
    execution = _found_run(state, key)
    if not execution.closed:
        raise NotRetryable("flow run", execution.id, execution.status, "it has not ended")
    run = open_run(state, key, RUN_STEPS)
    rerunning.rerun(run, request)
    finish(run, RUN_STEPS)
    return Done()


# The pump.


def step(state: State, request: StepFrames) -> Swept:
    """Go on with these frames and scopes of a run, as far as they are ready."""
    key = request.tenant, request.execution_id
    frames = [frame_key(key, path) for path in request.frames]
    scopes = [(*key, path) for path in request.scopes]
    return pump(
        state,
        [each for each in frames if each in state.frames.rows],
        [each for each in scopes if each in state.scopes.rows],
    )


def pump(state: State, frames: Iterable[FrameKey], scopes: Iterable[ScopeKey]) -> Swept:
    """Go on with all of these that are ready; each run gets its share of the steps."""
    ready_frames = [each for each in frames if state.frames.rows[each].ready]
    ready_scopes = [each for each in scopes if state.scopes.rows[each].ready]
    runs: dict[ExecutionKey, tuple[list[FrameKey], list[ScopeKey]]] = {}
    for frame in ready_frames:
        runs.setdefault(frame[:2], ([], []))[0].append(frame)
    for scope in ready_scopes:
        runs.setdefault(scope[:2], ([], []))[1].append(scope)
    unknown = [key for key in runs if key not in state.executions.rows]
    if unknown:
        raise MoreWanted(executions=unknown)
    more = MoreWanted()
    steps = max(MIN_STEPS, min(RUN_STEPS, state.flow_steps // max(1, len(runs))))
    for key, (of_frames, of_scopes) in runs.items():
        try:
            _pump_run(state, key, of_frames, of_scopes, steps)
        except MoreWanted as wanted:
            more.join(wanted)
    if more:
        raise more
    return Swept(len(ready_frames) + len(ready_scopes))


def _pump_run(state: State, key: ExecutionKey, frames: list[FrameKey], scopes: list[ScopeKey], steps: int) -> None:
    paths = [state.frames.rows[each].path for each in frames]
    around = [*paths, *(f"{scope[2]}.0".rpartition("~")[0] for scope in scopes)]
    run = open_run(state, key, steps, around)
    run.pumps = True
    for path in paths:
        draft = run.draft(path)
        if run.is_open(path) and not run.root.paused:
            run.touch(draft)
        else:
            draft.changed = True
            draft.ready.clear()
    for _, _, path in scopes:
        _pump_scope(run, path)
    finish(run, steps)


def _pump_scope(run: Run, path: str) -> None:
    scope = run.scope(path)
    if run.execution.closed or (run.root.paused and scope.closed_at is None):
        run.put_scope(replace(scope, ready=False))
    elif scope.closed_at is not None:
        clear_scope(run, scope)
    else:
        run.opening.append(path)
