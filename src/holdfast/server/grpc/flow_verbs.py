"""The part of ClientService that is about flows: what there is of them, and where their runs stand."""

from typing import Final

import msgspec
from msgspec.structs import replace

from holdfast.model.errors import WorkflowNotFound
from holdfast.model.flow_requests import DeliverWebhook, PauseFlow, RerunFlow, ResumeFlow, SaveFlow, StartFlow
from holdfast.model.ids import ExecutionId, TenantId
from holdfast.protocol.generated import flows_pb2 as wire
from holdfast.protocol.values import FLOW_VERSION
from holdfast.server.grpc.admission import Call
from holdfast.server.grpc.answering import Behaviour
from holdfast.server.grpc.asking import Asking
from holdfast.server.grpc.checking import DEFAULT_PAGE, page_limit
from holdfast.server.host import EngineHost

NEWEST: Final = 2**31
FIRST: Final = -1

_encoder = msgspec.json.Encoder()


class FlowVerbs:
    """The behaviours of ClientService about flows."""

    def __init__(self, *, engine: EngineHost, asking: Asking) -> None:
        self._engine = engine
        self._asking = asking

    def behaviours(self) -> dict[str, Behaviour]:
        """What each method does."""
        ask = self._asking.verb
        return {
            "SaveFlow": ask(SaveFlow),
            "StartFlow": ask(StartFlow),
            "PauseFlow": ask(PauseFlow),
            "ResumeFlow": ask(ResumeFlow),
            "RerunFlow": ask(RerunFlow),
            "DeliverWebhook": ask(DeliverWebhook),
            "ListFlows": self._list_flows,
            "ListFlowVersions": self._list_versions,
            "ListFrames": self._list_frames,
            "ListScopes": self._list_scopes,
        }

    async def _list_flows(self, message: wire.ListFlowsRequest, call: Call) -> wire.ListFlowsResponse:
        found = await self._engine.store.flows(call.tenant, message.after_name, _limit(message.limit))
        return wire.ListFlowsResponse(flows=[FLOW_VERSION.to_wire(each) for each in found])

    async def _list_versions(self, message: wire.ListFlowVersionsRequest, call: Call) -> wire.ListFlowVersionsResponse:
        before, limit = message.before or NEWEST, _limit(message.limit)
        found = await self._engine.store.flow_versions(call.tenant, message.flow, before, limit)
        return wire.ListFlowVersionsResponse(versions=[FLOW_VERSION.to_wire(each) for each in found])

    async def _list_frames(self, message: wire.ListFramesRequest, call: Call) -> wire.ListFramesResponse:
        key = await self._execution(call, message.execution_id)
        after = message.after_index if message.HasField("after_index") else FIRST
        found = await self._engine.store.frames((*key, message.scope), after, _limit(message.limit))
        if not call.caller.may("DeliverWebhook"):
            found = [replace(each, state=replace(each.state, link_key="")) for each in found]
        return wire.ListFramesResponse(frames=[_encoder.encode(each) for each in found])

    async def _list_scopes(self, message: wire.ListScopesRequest, call: Call) -> wire.ListScopesResponse:
        key = await self._execution(call, message.execution_id)
        found = await self._engine.store.scopes(key, message.after_path, _limit(message.limit))
        return wire.ListScopesResponse(scopes=[_encoder.encode(each) for each in found])

    async def _execution(self, call: Call, execution_id: str) -> tuple[TenantId, ExecutionId]:
        key = call.tenant, ExecutionId(execution_id)
        if await self._engine.store.execution(key) is None:
            raise WorkflowNotFound(execution_id, call.tenant)
        return key


def _limit(asked: int) -> int:
    return page_limit(asked or DEFAULT_PAGE)
