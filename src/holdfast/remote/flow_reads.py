"""Questions about flows and their runs (ports.store.FlowQuestions), asked of a server."""

import msgspec

from holdfast.model.flows import FlowVersion, Frame, Scope, ScopePath
from holdfast.model.ids import TenantId
from holdfast.model.queries import bounded
from holdfast.ports.store import ExecutionKey, FrameKey, ScopeKey
from holdfast.protocol.generated import flows_pb2 as wire
from holdfast.protocol.values import FLOW_VERSION
from holdfast.remote.channel import Caller

_frame_of = msgspec.json.Decoder(Frame).decode
_scope_of = msgspec.json.Decoder(Scope).decode


class RemoteFlowReads:
    """Asks a server about flows."""

    def __init__(self, *, client: Caller) -> None:
        self._client = client

    async def flows(self, tenant: TenantId, after: str, limit: int) -> list[FlowVersion]:
        """The newest version of each flow whose name comes after the one given, by name."""
        message = wire.ListFlowsRequest(after_name=after, limit=bounded(limit))
        reply = await self._client.ask("ListFlows", message, wire.ListFlowsResponse)
        return [FLOW_VERSION.from_wire(each, tenant) for each in reply.flows]

    async def flow_versions(self, tenant: TenantId, name: str, before: int, limit: int) -> list[FlowVersion]:
        """The versions of a flow below the one given, newest first."""
        message = wire.ListFlowVersionsRequest(flow=name, before=before, limit=bounded(limit))
        reply = await self._client.ask("ListFlowVersions", message, wire.ListFlowVersionsResponse)
        return [FLOW_VERSION.from_wire(each, tenant) for each in reply.versions]

    async def frame(self, key: FrameKey) -> Frame | None:
        """One frame of a run."""
        tenant, execution_id, scope, index = key
        found = await self.frames((tenant, execution_id, scope), index - 1, 1)
        return found[0] if found and found[0].item_index == index else None

    async def frames(self, key: ScopeKey, after: int, limit: int) -> list[Frame]:
        """The items of a scope whose index is above `after`, in order."""
        message = wire.ListFramesRequest(execution_id=key[1], scope=key[2], after_index=after, limit=bounded(limit))
        reply = await self._client.ask("ListFrames", message, wire.ListFramesResponse)
        return [_frame_of(each) for each in reply.frames]

    async def scopes(self, key: ExecutionKey, after: ScopePath, limit: int) -> list[Scope]:
        """The scopes of a run whose path comes after the one given, by path."""
        message = wire.ListScopesRequest(execution_id=key[1], after_path=after, limit=bounded(limit))
        reply = await self._client.ask("ListScopes", message, wire.ListScopesResponse)
        return [_scope_of(each) for each in reply.scopes]
