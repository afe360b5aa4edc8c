"""Claimed work on the wire."""

from holdfast.model.ids import ClaimToken, ExecutionId, QueueName, TenantId
from holdfast.model.requests import ExecutionClaim, TaskClaim
from holdfast.protocol.generated import values_pb2 as values
from holdfast.protocol.generated import worker_pb2 as wire
from holdfast.protocol.mapping import Mapping
from holdfast.protocol.values import event_from_wire, event_to_wire

TASK_CLAIM = Mapping(TaskClaim, wire.TaskClaim)

MAX_EVENTS_BYTES = 1024 * 1024
"""A claim carries no more history than this; whoever needs what was left out asks for it."""


def execution_claim_to_wire(claim: ExecutionClaim) -> wire.WorkflowClaim:
    """A claimed execution, with as many of its latest events as fit."""
    message = wire.WorkflowClaim(
        execution_id=claim.execution_id,
        kind=claim.kind,
        queue=claim.queue,
        token=claim.token,
        seen_sequence=claim.seen_sequence,
        last_sequence=claim.last_sequence,
        parent_id=claim.parent_id,
    )
    kept: list[values.Event] = []
    room = MAX_EVENTS_BYTES
    for event in reversed(claim.events):
        encoded = event_to_wire(event)
        room -= len(encoded.data)
        if room < 0 and kept:
            break
        kept.append(encoded)
    message.events.extend(reversed(kept))
    return message


def execution_claim_from_wire(message: wire.WorkflowClaim, tenant: TenantId) -> ExecutionClaim:
    """The claimed execution."""
    return ExecutionClaim(
        tenant,
        ExecutionId(message.execution_id),
        message.kind,
        QueueName(message.queue),
        ClaimToken(message.token),
        message.seen_sequence,
        message.last_sequence,
        tuple([event_from_wire(event) for event in message.events]),
        ExecutionId(message.parent_id) if message.HasField("parent_id") else None,
    )
