"""How a run begins: its version is pinned, its root frame made, and a token put at each entry."""

from holdfast.engine import closing
from holdfast.engine.flow.graph import GraphNode
from holdfast.engine.flow.loading import load_json
from holdfast.engine.flow.run.drafts import Run
from holdfast.engine.flow.run.graphs import RunGraph
from holdfast.engine.flow.run.tokens import begin_at
from holdfast.engine.missing import MoreWanted
from holdfast.engine.state import ExecutionKey, FlowBegin, State
from holdfast.model.errors import FlowNotFound, InvalidArgument, shown
from holdfast.model.events import WorkflowFailed
from holdfast.model.failures import Failure
from holdfast.model.flows import flow_of
from holdfast.model.ids import TenantId
from holdfast.model.statuses import ExecutionStatus

NEWEST = "newest"
"""Before the names of flows among the keys that have been looked for."""
NO_TRIGGER = -1


def begin(state: State, key: ExecutionKey, asked: FlowBegin, steps: int) -> Run | None:
    """The run of an execution that has just been made; None if there is nothing to run, and so it has failed."""
    execution = state.executions.rows[key]
    try:
        graph = graph_to_run(state, key[0], flow_of(execution.kind) or "", asked.version)
        entries, trigger = entries_of(graph, asked.trigger)
    except (FlowNotFound, InvalidArgument) as error:
        failure = Failure(error.code, str(error), retryable=False)
        fact = WorkflowFailed(failure, error.code)
        closing.close(state, execution, ExecutionStatus.FAILED, fact, failure=failure, failure_type=error.code)
        return None
    run = Run(state, key, graph, steps)
    root = run.begin_root(graph.version, trigger)
    for node in entries:
        begin_at(run, root, node)
    return run


def graph_to_run(state: State, tenant: TenantId, flow: str, version: int | None) -> RunGraph:
    """The graph of a version, or of the newest; FlowNotFound if there is none."""
    if version is None:
        version = newest_version(state, tenant, flow)
    if version is None:
        raise FlowNotFound(flow, tenant)
    graph = state.graphs.get(tenant, flow, version)
    if graph is None:
        for fresh in state.new_flow_versions:
            if (fresh.tenant, fresh.name, fresh.version) == (tenant, flow, version):
                # Saved in this batch, which may fail: so the graph is not kept for others.
                return RunGraph(version, load_json(fresh.document), fresh.document)
        if (tenant, flow, version) in state.looked_for:
            raise FlowNotFound(f"{flow} (version {version})", tenant)
        raise MoreWanted(flow_versions=[(tenant, flow, version)])
    return graph


def newest_version(state: State, tenant: TenantId, flow: str) -> int | None:
    """The number of the newest version; None if there is no such flow."""
    version = state.newest_flows.get((tenant, flow))
    if version is None and (NEWEST, tenant, flow) not in state.looked_for:
        raise MoreWanted(newest_flows=[(tenant, flow)])
    return version


def entries_of(graph: RunGraph, trigger: str | None) -> tuple[list[GraphNode], int]:
    """Where a run begins: at all entries, or at one trigger, by its id or name."""
    entries = [graph.node(each) for each in graph.graph.entries]
    if trigger is None:
        return entries, NO_TRIGGER
    for node in entries:
        if trigger in (node.id, node.name):
            return [node], node.index
    names = ", ".join(repr(node.name) for node in entries)
    raise InvalidArgument(f"the flow has no trigger {shown(trigger)}; it begins at {names}")
