"""Workflow executions: started, signalled, cancelled, terminated and tried again."""

from http import HTTPStatus

from holdfast.model.errors import WorkflowNotFound
from holdfast.model.ids import ExecutionId, QueueName, checked_id, time_ordered_id
from holdfast.model.instants import Milliseconds
from holdfast.model.oversight import WorkSort
from holdfast.model.records import Execution
from holdfast.model.requests import (
    CancelWorkflow,
    ResetWorkflow,
    RetryWorkflow,
    SignalWorkflow,
    Started,
    StartWorkflow,
    TerminateWorkflow,
)
from holdfast.ports.watches import Watch
from holdfast.server.rest.bodies import ReasonBody, RequestedBody, ResetBody, ResultQuery, SignalBody, StartBody
from holdfast.server.rest.calls import Answer, Call
from holdfast.server.rest.documents import ChangedDocument, StartedDocument, result_document
from holdfast.server.rest.receiving import checked_key, checked_raw
from holdfast.server.rest.records import workflow_id_of
from holdfast.server.schemas import check_input

ID_BITS = 74


async def start_workflow(call: Call, body: StartBody) -> Answer:
    """Start an execution; the same id or key again, with the same kind and input, gives the one that is there: 200.

    `reuse_policy` says what else may be done about one that is there, and `key_ttl_ms` how long a key counts as used.
    Another one that follows under a used id gets a number after it, and the answer has its id: `order-17~2`. The same
    `request_id` again gives what that request has started, whatever the policy.
    With `wait_seconds` the answer waits for the end that long, and has the output or the error.
    """
    request = _start_request(call, body)
    check_input(await call.schemas.of(call.tenant), WorkSort.WORKFLOW, request.kind, request.input)
    # The watch is there before the request, so an end cannot be missed, however soon it comes.
    watch = call.engine.executions.watch((call.tenant, request.execution_id))
    started = await call.engine.send(request)
    if started.execution_id != request.execution_id:
        # The key was used before, or the id is given anew: the end of another execution is waited for.
        watch = call.engine.executions.watch((call.tenant, started.execution_id))
    execution = await _end_of(call, started.execution_id, watch, body.wait_seconds) if body.wait_seconds else None
    status = HTTPStatus.CREATED if started.created else HTTPStatus.OK
    return Answer(_started_document(request, started, execution), status)


def _start_request(call: Call, body: StartBody) -> StartWorkflow:
    now, chance = call.engine.clock.now(), call.engine.chance
    given = time_ordered_id(now, chance.getrandbits(ID_BITS)) if body.id is None else body.id
    workflow_id = ExecutionId(checked_id(given, "the workflow id"))
    return StartWorkflow(
        call.tenant,
        workflow_id,
        checked_id(body.kind, "the workflow's kind"),
        checked_raw(body.input, "the input"),
        QueueName(checked_id(body.queue, "the queue")),
        checked_raw(body.metadata, "the metadata"),
        None if body.timeout_ms is None else Milliseconds(body.timeout_ms),
        None if body.signal is None else _signal(call, workflow_id, body.signal),
        None if body.idempotency_key is None else checked_key(body.idempotency_key, "the idempotency key"),
        None if body.key_ttl_ms is None else Milliseconds(body.key_ttl_ms),
        body.reuse_policy,
        checked_key(body.request_id, "the request id") if body.request_id else "",
        call.trace,
    )


def _started_document(request: StartWorkflow, started: Started, execution: Execution | None) -> StartedDocument:
    result = None if execution is None else result_document(execution)
    return StartedDocument(
        id=started.execution_id,
        tenant_id=request.tenant,
        kind=request.kind,
        created=started.created,
        status=started.status if result is None else result.status,
        output=None if result is None else result.output,
        failure_type=None if result is None else result.failure_type,
        error=None if result is None else result.error,
    )


async def get_result(call: Call, query: ResultQuery) -> Answer:
    """How an execution ended: 200; or 202, if it has not ended within `wait_seconds`."""
    workflow_id = workflow_id_of(call)
    watch = call.engine.executions.watch((call.tenant, workflow_id))
    execution = await _end_of(call, workflow_id, watch, query.wait_seconds)
    return Answer(result_document(execution), HTTPStatus.OK if execution.closed else HTTPStatus.ACCEPTED)


async def _end_of(call: Call, workflow_id: ExecutionId, watch: Watch[Execution], seconds: float) -> Execution:
    """The execution once it has ended, or as it is when the time is up."""
    execution = await _execution(call, workflow_id)
    if execution.closed or not seconds:
        return execution
    try:
        return await call.while_client_stays(watch.closed(), seconds=seconds)
    except TimeoutError:
        return await _execution(call, workflow_id)


async def _execution(call: Call, workflow_id: ExecutionId) -> Execution:
    execution = await call.engine.reads.execution((call.tenant, workflow_id))
    if execution is None:
        raise WorkflowNotFound(workflow_id, call.tenant)
    return execution


async def signal_workflow(call: Call, body: SignalBody) -> Answer:
    """Give an execution a value under a name; the same request id again has no effect."""
    done = await call.engine.send(_signal(call, workflow_id_of(call), body))
    return Answer(ChangedDocument(done.changed))


def _signal(call: Call, workflow_id: ExecutionId, body: SignalBody) -> SignalWorkflow:
    name = checked_id(body.name, "the signal's name")
    request_id = checked_key(body.request_id, "the request id") if body.request_id else ""
    return SignalWorkflow(call.tenant, workflow_id, name, checked_raw(body.value, "the value"), request_id)


async def cancel_workflow(call: Call, body: RequestedBody) -> Answer:
    """Ask an execution to end; its code may clean up."""
    request = CancelWorkflow(call.tenant, workflow_id_of(call), body.reason, _requester(body))
    return Answer(ChangedDocument((await call.engine.send(request)).changed))


async def terminate_workflow(call: Call, body: ReasonBody) -> Answer:
    """End an execution at once, without asking its code."""
    request = TerminateWorkflow(call.tenant, workflow_id_of(call), body.reason)
    return Answer(ChangedDocument((await call.engine.send(request)).changed))


async def retry_workflow(call: Call, body: RequestedBody) -> Answer:
    """Let a failed execution go on from where it stands, with the code of today."""
    request = RetryWorkflow(call.tenant, workflow_id_of(call), body.reason, _requester(body))
    return Answer(ChangedDocument((await call.engine.send(request)).changed))


async def reset_workflow(call: Call, body: ResetBody) -> Answer:
    """Send an execution back to an event of its history; its code forgets what came after, and goes on from there."""
    request = ResetWorkflow(call.tenant, workflow_id_of(call), body.to_sequence, body.reason, _requester(body))
    return Answer(ChangedDocument((await call.engine.send(request)).changed))


def _requester(body: RequestedBody) -> str:
    return checked_key(body.requested_by, "requested_by") if body.requested_by else ""
