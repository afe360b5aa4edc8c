"""A server in this process, and raw stubs to ask it with: nothing of our client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import msgspec
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from holdfast.protocol.errors import CODE_KEY, FIELDS_KEY, INDEX_KEY, MESSAGE_KEY
from holdfast.protocol.generated import client_pb2, session_pb2, worker_pb2
from holdfast.server import wiring
from holdfast.server.grpc.observing import CallObserver
from holdfast.server.grpc.serving import serve
from holdfast.server.host import EngineHost
from holdfast.testing.clock import ManualClock

METHODS = {
    method.name: (service, method)
    for file in (client_pb2, worker_pb2, session_pb2)
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}
WORKER = "raw-worker"


class Refused(Exception):
    """The error that a call was answered with."""

    def __init__(self, error: grpc.aio.AioRpcError) -> None:
        super().__init__(error.details())
        told = dict(error.trailing_metadata() or ())
        self.status = error.code().name
        self.code = told.get(CODE_KEY)
        self.index = told.get(INDEX_KEY)
        self.message = bytes(told.get(MESSAGE_KEY) or b"").decode()
        self.fields = msgspec.json.decode(told.get(FIELDS_KEY) or b"{}")


class Server:
    """A server, and a channel to it."""

    def __init__(self, engine: EngineHost, url: str) -> None:
        self.engine = engine
        self.url = url
        self.channel = grpc.aio.insecure_channel(url.removeprefix("grpc://"))

    async def call(self, method: str, message: Message | None = None, *, timeout: float = 20.0) -> Any:
        """A unary call by its name; Refused if it is."""
        service, described = METHODS[method]
        request = GetMessageClass(described.input_type)
        stub = self.channel.unary_unary(
            f"/{service.full_name}/{method}",
            request_serializer=request.SerializeToString,
            response_deserializer=GetMessageClass(described.output_type).FromString,
        )
        try:
            return await stub(request() if message is None else message, timeout=timeout)
        except grpc.aio.AioRpcError as error:
            raise Refused(error) from None

    async def start(
        self, identity: str = "order-1", kind: str = "order", **more: Any
    ) -> client_pb2.StartWorkflowResponse:
        """Start an execution."""
        made: client_pb2.StartWorkflowResponse = await self.call(
            "StartWorkflow", client_pb2.StartWorkflowRequest(execution_id=identity, kind=kind, input=b"1", **more)
        )
        return made

    async def claim(self, kind: str = "order", wait_ms: int = 10_000) -> worker_pb2.WorkflowClaim:
        """Poll for one execution."""
        message = worker_pb2.PollWorkflowRequest(worker_id=WORKER, kinds=[kind], wait_ms=wait_ms)
        reply = await self.call("PollWorkflow", message)
        claim: worker_pb2.WorkflowClaim = reply.executions[0]
        return claim

    async def claim_task(self, *task_types: str, wait_ms: int = 10_000) -> worker_pb2.TaskClaim:
        """Poll for one task."""
        message = worker_pb2.PollTaskRequest(worker_id=WORKER, task_types=task_types, wait_ms=wait_ms)
        reply = await self.call("PollTask", message)
        claim: worker_pb2.TaskClaim = reply.tasks[0]
        return claim

    async def submit(
        self,
        claim: worker_pb2.WorkflowClaim,
        *commands: worker_pb2.Command,
        status: worker_pb2.ActivationStatus = worker_pb2.ACTIVATION_STATUS_SUSPENDED,
    ) -> worker_pb2.SubmitWorkflowCommandsResponse:
        """Submit one activation."""
        made: worker_pb2.SubmitWorkflowCommandsResponse = await self.call(
            "SubmitWorkflowCommands", activation(claim, *commands, status=status)
        )
        return made

    async def events(self, identity: str = "order-1") -> list[str]:
        """The types of an execution's events."""
        page = await self.call("GetHistory", worker_pb2.HistoryWanted(execution_id=identity))
        return [event.type for event in page.events]


def start(identity: str = "order-1", **more: Any) -> client_pb2.StartWorkflowRequest:
    """A start as a message."""
    return client_pb2.StartWorkflowRequest(**{"execution_id": identity, "kind": "order", "input": b"1", **more})


def activation(
    claim: worker_pb2.WorkflowClaim,
    *commands: worker_pb2.Command,
    status: worker_pb2.ActivationStatus = worker_pb2.ACTIVATION_STATUS_SUSPENDED,
) -> worker_pb2.SubmitWorkflowCommandsRequest:
    """One activation as a message."""
    return worker_pb2.SubmitWorkflowCommandsRequest(
        execution_id=claim.execution_id,
        token=claim.token,
        last_sequence=claim.last_sequence,
        commands=commands,
        status=status,
    )


@asynccontextmanager
async def serving(
    folder: Path, *, clock: ManualClock | None = None, observer: CallObserver | None = None
) -> AsyncIterator[Server]:
    """Serve a fresh file."""
    engine = wiring.engine_host(wiring.open_store(f"sqlite:///{folder}/app.db"), clock=clock)
    await engine.start()
    try:
        async with serve(engine, port=0, observer=observer) as url:
            server = Server(engine, url)
            try:
                yield server
            finally:
                await server.channel.close()
    finally:
        await engine.stop()
