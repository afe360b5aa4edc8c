"""Replays a recorded history against a workflow's code, as a worker would without running anything."""

from collections.abc import Sequence

import msgspec

from holdfast.model.commands import Command, Completed, Outcome
from holdfast.model.events import Event
from holdfast.model.ids import DEFAULT_QUEUE, DEFAULT_TENANT, ExecutionId, QueueName, TenantId
from holdfast.sdk.replay.ports import Codec, WorkflowLike
from holdfast.sdk.replay.run import PendingOperation, WorkflowRun
from holdfast.sdk.replay.violations import Violation
from holdfast.sdk.workflow_context import WorkflowContext


class Replayed(msgspec.Struct, frozen=True):
    """What today's code makes of a history; without commands, operations and violation it fits exactly."""

    commands: tuple[Command, ...]
    """What the code asks for beyond the history."""
    outcome: Outcome
    operations: tuple[PendingOperation, ...] = ()
    """The operations that the code waits for and the history does not have; they are not run."""
    warnings: tuple[str, ...] = ()
    violation: Violation | None = None


def replay(
    definition: WorkflowLike[WorkflowContext],
    history: Sequence[Event],
    *,
    execution_id: ExecutionId,
    codec: Codec,
    tenant: TenantId = DEFAULT_TENANT,
    queue: QueueName = DEFAULT_QUEUE,
    parent_id: ExecutionId | None = None,
) -> Replayed:
    """Run the code over the whole history; nothing is sent, run or written."""
    run = WorkflowRun(
        definition=definition, tenant=tenant, execution_id=execution_id, queue=queue, codec=codec, parent_id=parent_id
    )
    last_sequence = history[-1].sequence if history else 0
    activation = run.advance(history, seen_sequence=last_sequence)
    run.close()
    outcome = activation.outcome
    warnings = outcome.warnings if isinstance(outcome, Completed) else ()
    return Replayed(activation.commands, outcome, activation.operations, warnings, run.violation)
