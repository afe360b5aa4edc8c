"""The schedules of flows: each schedule trigger of a flow's newest version is a schedule, `flow/<flow>/<node>`.

They are made, changed and removed in the transaction that saves the definition. Whoever pauses or triggers one does so
as with any other.
"""

import msgspec

from holdfast.engine import schedules
from holdfast.engine.flow.graph import GraphNode
from holdfast.engine.flow.loading import load_json
from holdfast.engine.flow.nodes.triggers import ScheduleParameters
from holdfast.engine.flow.run import requests as flows
from holdfast.engine.flow.run.beginning import graph_to_run, newest_version
from holdfast.engine.missing import MoreWanted
from holdfast.engine.state import ScheduleKey, State
from holdfast.model.flow_requests import SavedFlow, SaveFlow
from holdfast.model.instants import Milliseconds
from holdfast.model.schedule_requests import DeleteSchedule, SaveSchedule
from holdfast.model.schedules import Overlap, ScheduleSpec, StartsFlow

_encode = msgspec.json.Encoder().encode


def save(state: State, request: SaveFlow) -> SavedFlow:
    """Save a definition, and let its schedule triggers be schedules."""
    before = _schedules_before(state, request)
    saved = flows.save(state, request)
    if not saved.created:
        return saved
    wanted = {_key(request, node): _spec(request.name, node) for node in load_json(request.document).nodes.values()}
    after = {key: spec for key, spec in wanted.items() if spec is not None}
    _require(state, before | after.keys())
    for tenant, schedule_id in sorted(before - after.keys()):
        if (tenant, schedule_id) in state.schedules.rows:
            schedules.delete(state, DeleteSchedule(tenant, schedule_id))
    for (tenant, schedule_id), spec in after.items():
        schedules.save(state, SaveSchedule(tenant, schedule_id, spec))
    return saved


def _schedules_before(state: State, request: SaveFlow) -> set[ScheduleKey]:
    version = newest_version(state, request.tenant, request.name)
    if version is None:
        return set()
    graph = graph_to_run(state, request.tenant, request.name, version)
    return {_key(request, node) for node in graph.nodes if isinstance(node.parameters, ScheduleParameters)}


def _key(request: SaveFlow, node: GraphNode) -> ScheduleKey:
    return request.tenant, f"flow/{request.name}/{node.id}"


def _spec(flow: str, node: GraphNode) -> ScheduleSpec | None:
    parameters = node.parameters
    if not isinstance(parameters, ScheduleParameters):
        return None
    given = parameters.input.source
    every = parameters.every_seconds
    return ScheduleSpec(
        StartsFlow(flow, None if given is None else msgspec.Raw(_encode(given)), trigger=node.id),
        cron=parameters.cron,
        every_ms=None if every is None else Milliseconds(every * 1_000),
        timezone=parameters.timezone,
        overlap=Overlap(parameters.overlap),
    )


def _require(state: State, keys: set[ScheduleKey]) -> None:
    missing = {key for key in keys if key not in state.schedules.rows and key not in state.looked_for}
    if missing:
        raise MoreWanted(schedules=missing)
