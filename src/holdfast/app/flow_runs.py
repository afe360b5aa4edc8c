"""A run of a flow, as its nodes see it."""

from collections.abc import Mapping

import msgspec

from holdfast.engine.flow.run.links import path_of
from holdfast.engine.flow.run.places import scope_path
from holdfast.model.failures import Failure
from holdfast.model.flows import ROOT, FlowVersion, Frame, Scope, Visit, VisitStatus, flow_of
from holdfast.model.instants import Instant
from holdfast.model.records import Execution
from holdfast.model.statuses import ExecutionStatus


class NodeState(msgspec.Struct, frozen=True):
    """A token at a node, or one that has been there."""

    node: str
    """The node's id."""
    name: str
    type: str
    status: VisitStatus
    started_at: Instant
    ended_at: Instant | None = None
    resume_at: Instant | None = None
    """When its wait ends."""
    link: str | None = None
    """Of a wait for a request: the path, at a server of this database, of the link that ends it once."""
    failure: Failure | None = None
    processed: int | None = None
    """Of a split or loop: how many items have ended."""
    total: int | None = None
    failed: int | None = None


class FlowRun(msgspec.Struct, frozen=True):
    """A run and its nodes, in the order in which tokens came to them; what is inside of splits is told by counts."""

    id: str
    flow: str
    version: int
    status: ExecutionStatus
    paused: bool
    nodes: tuple[NodeState, ...]


class _Parameters(msgspec.Struct, frozen=True):
    resume: object = None


class _Node(msgspec.Struct, frozen=True):
    id: str
    type: str
    name: str = ""
    parameters: _Parameters = _Parameters()


class _Definition(msgspec.Struct, frozen=True):
    nodes: tuple[_Node, ...]


def run_of(
    execution: Execution, root: Frame, version: FlowVersion, scopes: Mapping[str, Scope], now: Instant
) -> FlowRun:
    """The run, of its root frame and the scopes that it has opened."""
    nodes = msgspec.json.decode(version.document, type=_Definition).nodes
    visits = sorted(root.state.visits.items(), key=lambda visit: visit[1].started_at)
    return FlowRun(
        execution.id,
        flow_of(execution.kind) or "",
        version.version,
        execution.status,
        root.state.paused,
        tuple(
            [
                _state(
                    nodes[visit.node],
                    visit,
                    scopes.get(scope_path(ROOT, key, visit.tries)),
                    _link(execution, root, nodes[visit.node], key, visit, now),
                )
                for key, visit in visits
            ]
        ),
    )


def _link(execution: Execution, root: Frame, node: _Node, key: str, visit: Visit, now: Instant) -> str | None:
    is_wait = node.type == "wait" and node.parameters.resume == "webhook"
    return path_of(execution, root, ROOT, key, visit, now) if is_wait and not execution.closed else None


def _state(node: _Node, visit: Visit, scope: Scope | None, link: str | None) -> NodeState:
    counts = (None, None, None) if scope is None else (scope.processed, scope.total, scope.failed.bit_count())
    return NodeState(
        node.id,
        node.name or node.id,
        node.type,
        visit.status,
        visit.started_at,
        visit.ended_at,
        visit.resume_at,
        link,
        visit.failure,
        *counts,
    )
