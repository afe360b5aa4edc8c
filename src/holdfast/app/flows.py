"""What authors and clients ask about flows: definitions as JSON, and runs of them."""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from holdfast.app.asking import Asking
from holdfast.app.checking import chosen_queue
from holdfast.app.flow_runs import FlowRun, run_of
from holdfast.app.handles import WorkflowHandle
from holdfast.model.errors import FlowNotFound, InvalidArgument
from holdfast.model.flow_requests import (
    DeliverWebhook,
    PauseFlow,
    RerunFlow,
    ResumeFlow,
    SavedFlow,
    SaveFlow,
    StartFlow,
)
from holdfast.model.flows import FlowVersion, flow_of
from holdfast.model.ids import ExecutionId, checked_id, checked_text
from holdfast.model.instants import DurationLike
from holdfast.model.records import NO_METADATA
from holdfast.sdk.nodes import NodeDefinition
from holdfast.sdk.payload import decode, encode
from holdfast.sdk.replay.options import duration_ms
from holdfast.sdk.schemas import input_schema
from holdfast.server.custom_nodes import check_custom_nodes, read_schema

NEWEST = 2**31
FLOWS_PAGE = 200

Definition = Mapping[str, object] | bytes | str


class Flows(Asking):
    """The verbs of flows."""

    async def save_flow(self, definition: Definition) -> SavedFlow:
        """Make a definition the next version of its flow; InvalidFlow tells all that is wrong with it.

        The definition is a dictionary, or JSON. The same definition again makes no new version.
        """
        if isinstance(definition, Mapping):
            document = encode(definition, what="the definition")
        else:
            document = definition.encode() if isinstance(definition, str) else definition
        name = decode(document, object, what="the definition")
        named = name.get("name") if isinstance(name, dict) else None
        if not isinstance(named, str):
            raise InvalidArgument("a definition is an object with a name")
        self._check_nodes(document)
        return await self._engine.send(SaveFlow(self.tenant, named, document))

    def _check_nodes(self, document: bytes) -> None:
        """What is registered here may not be on record yet; the engine looks at what is."""
        own = [each for each in self._registry.tasks.values() if isinstance(each, NodeDefinition)]
        check_custom_nodes(document, {each.name: read_schema(input_schema(each.signature)) for each in own})

    async def start_flow(
        self,
        flow: str,
        input: object = None,  # noqa: A002 - the word users know
        *,
        id: str | None = None,  # noqa: A002 - the word users know
        version: int | None = None,
        trigger: str | None = None,
        queue: str | None = None,
        timeout: DurationLike | None = None,
        metadata: object = None,
    ) -> WorkflowHandle[Any]:
        """Start a run of a flow, of its newest version if none is named. When this returns it is on disk.

        The same `id` again, with the same flow and input, gives the run that is there.
        """
        identity = ExecutionId(self._new_id() if id is None else checked_id(id, "the id of the run"))
        request = StartFlow(
            self.tenant,
            identity,
            checked_id(flow, "the name of the flow"),
            encode(input, what=f"the input of flow {flow!r}"),
            chosen_queue(queue, None),
            version=version,
            trigger=trigger,
            metadata=NO_METADATA if metadata is None else encode(metadata, what="the metadata"),
            timeout_ms=None if timeout is None else duration_ms(timeout, "timeout"),
        )
        # The watch is there before the request, so an end cannot be missed, however soon it comes.
        watch = self._engine.executions.watch((request.tenant, request.execution_id))
        started = await self._engine.send(request)
        read: Callable[[bytes], object] = _plain
        return WorkflowHandle(
            self, identity, decode=read, watch=watch if started.created else None, created=started.created
        )

    async def run_flow(self, flow: str, input: object = None, *, id: str | None = None) -> Any:  # noqa: A002
        """Start a run of a flow and wait for its result."""
        handle = await self.start_flow(flow, input, id=id)
        return await handle.result()

    async def pause_flow(self, run_id: str, *, requested_by: str = "") -> bool:
        """Let no token of a run go on until it is resumed; False if it is paused already."""
        return (await self._engine.send(PauseFlow(self.tenant, ExecutionId(run_id), requested_by))).changed

    async def resume_flow(self, run_id: str, *, requested_by: str = "") -> bool:
        """Let a paused run go on; False if it is not paused."""
        return (await self._engine.send(ResumeFlow(self.tenant, ExecutionId(run_id), requested_by))).changed

    async def rerun_flow(self, run_id: str, node: str, reason: str = "", *, requested_by: str = "") -> None:
        """Let a run that has ended go on from a node again; what came after it is forgotten and done anew."""
        await self._engine.send(
            RerunFlow(
                self.tenant,
                ExecutionId(run_id),
                node,
                checked_text(reason, "the reason"),
                checked_text(requested_by, "requested_by"),
            )
        )

    async def flow(self, name: str, version: int | None = None) -> FlowVersion:
        """A version of a flow; the newest, if none is named."""
        before = NEWEST if version is None else version + 1
        found = await self._engine.reads.flow_versions(self.tenant, name, before, 1)
        if not found or version not in (None, found[0].version):
            raise FlowNotFound(name if version is None else f"{name} (version {version})", self.tenant)
        return found[0]

    async def flows(self) -> AsyncIterator[FlowVersion]:
        """The newest version of each flow, by name."""
        after = ""
        while page := await self._engine.reads.flows(self.tenant, after, FLOWS_PAGE):
            for each in page:
                yield each
            after = page[-1].name

    async def flow_run(self, run_id: str) -> FlowRun:
        """Where the tokens of a run stand: the run itself, and how far its splits and loops are."""
        execution = await self.describe(run_id)
        name = flow_of(execution.kind)
        root = await self._engine.reads.frame((self.tenant, execution.id, "", 0)) if name is not None else None
        if name is None or root is None:
            raise InvalidArgument(f"{run_id!r} is a run of workflow {execution.kind!r}, not of a flow")
        version = await self.flow(name, root.state.version)
        scopes = await self._engine.reads.scopes((self.tenant, execution.id), "", FLOWS_PAGE)
        return run_of(execution, root, version, {each.path: each for each in scopes}, self._engine.clock.now())

    async def deliver_webhook(self, run_id: str, token: str, value: object = None, *, method: str = "POST") -> None:
        """Bring a request to the wait node that it was made for; once."""
        payload = encode(value, what="the body of the request")
        await self._engine.send(DeliverWebhook(self.tenant, ExecutionId(run_id), token, method, payload))


def _plain(data: bytes) -> object:
    return decode(data, object, what="the result of the flow")
