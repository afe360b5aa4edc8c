"""Runs of flows: started like any execution, and seen as the graph that they go through."""

from http import HTTPStatus

import msgspec

from holdfast.model.flow_requests import PauseFlow, RerunFlow, ResumeFlow, StartFlow
from holdfast.model.ids import ExecutionId, QueueName, checked_id, time_ordered_id
from holdfast.model.instants import Milliseconds
from holdfast.server.rest.bodies import NULL, Body, Key, LimitMs, Name, Text
from holdfast.server.rest.calls import Answer, Call
from holdfast.server.rest.documents import ChangedDocument, StartedDocument
from holdfast.server.rest.flows import VersionNumber
from holdfast.server.rest.receiving import checked_raw
from holdfast.server.rest.workflows import ID_BITS


def _null() -> msgspec.Raw:
    return NULL


class RunBody(Body, frozen=True):
    """A run to be started; the newest version, if none is named."""

    input: msgspec.Raw = msgspec.field(default_factory=_null)
    id: Name | None = None
    version: VersionNumber | None = None
    trigger: Key | None = None
    """The id or name of the trigger that the run begins at."""
    queue: Name = "default"
    timeout_ms: LimitMs | None = None
    metadata: msgspec.Raw = msgspec.field(default_factory=_null)


class RerunBody(Body, frozen=True):
    """The node to go on from again, by id or name: one outside of all splits and loops that the run has come to."""

    node: Key
    reason: Text = ""


async def pause_run(call: Call) -> Answer:
    """Let no token of a run go on until it is resumed; work that is under way may end."""
    run_id = ExecutionId(call.names["workflow_id"])
    done = await call.engine.send(PauseFlow(call.tenant, run_id, call.caller.name))
    return Answer(ChangedDocument(done.changed))


async def resume_run(call: Call) -> Answer:
    """Let a paused run go on."""
    run_id = ExecutionId(call.names["workflow_id"])
    done = await call.engine.send(ResumeFlow(call.tenant, run_id, call.caller.name))
    return Answer(ChangedDocument(done.changed))


async def rerun(call: Call, body: RerunBody) -> Answer:
    """Let a run that has ended go on from a node again, and forget what came after it."""
    run_id = ExecutionId(call.names["workflow_id"])
    done = await call.engine.send(RerunFlow(call.tenant, run_id, body.node, body.reason, call.caller.name))
    return Answer(ChangedDocument(done.changed))


async def start_run(call: Call, body: RunBody) -> Answer:
    """Start a run of a flow; the same id again, with the same flow and input, gives the one that is there."""
    chosen = time_ordered_id(call.engine.clock.now(), call.engine.chance.getrandbits(ID_BITS))
    request = StartFlow(
        call.tenant,
        ExecutionId(checked_id(chosen if body.id is None else body.id, "the run's id")),
        call.names["flow"],
        checked_raw(body.input, "the input"),
        QueueName(checked_id(body.queue, "the queue")),
        body.version,
        body.trigger,
        checked_raw(body.metadata, "the metadata"),
        None if body.timeout_ms is None else Milliseconds(body.timeout_ms),
    )
    started = await call.engine.send(request)
    document = StartedDocument(
        id=started.execution_id,
        tenant_id=call.tenant,
        kind=f"flow:{request.flow}",
        created=started.created,
        status=started.status,
        output=None,
        failure_type=None,
        error=None,
    )
    return Answer(document, HTTPStatus.CREATED if started.created else HTTPStatus.OK)
