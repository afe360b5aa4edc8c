"""The determinism check: does today's code make of a history what it made of it when it was recorded?"""

import contextlib
from collections.abc import Iterator, Sequence

import msgspec

from holdfast.model import events
from holdfast.model.commands import (
    DETERMINISM_VIOLATION,
    EXECUTION_TIMEOUT,
    Cancelled,
    Completed,
    Continuing,
    Failed,
    Outcome,
    Suspended,
)
from holdfast.model.events import Event, EventData
from holdfast.model.ids import DEFAULT_QUEUE, DEFAULT_TENANT, ExecutionId, QueueName, TenantId
from holdfast.sdk import guards
from holdfast.sdk.failures import failure_of
from holdfast.sdk.payload import decode, encode
from holdfast.sdk.query_handlers import query_handler
from holdfast.sdk.replay.ports import Codec
from holdfast.sdk.replay.replayer import Replayed, replay
from holdfast.worker.registry import AnyWorkflow

CODEC = Codec(encode=encode, decode=decode, failure_of=failure_of, handler=query_handler)


class ReplayDiffers(AssertionError):
    """The code does not do again what its history says it did."""


def check_replay(
    workflow: AnyWorkflow,
    history: Sequence[Event],
    *,
    execution_id: str,
    tenant: TenantId = DEFAULT_TENANT,
    queue: str = DEFAULT_QUEUE,
    parent_id: str | None = None,
    guarded: bool = False,
) -> None:
    """Run the workflow's code over a recorded history; ReplayDiffers says where they part.

    Nothing is sent, run or written. The execution's id is part of what the code computes with (ids, dice), so it must
    be the one of the recording. `guarded` refuses time.time and its like, as a worker does.
    """
    with _guards() if guarded else contextlib.nullcontext():
        replayed = replay(
            workflow,
            history,
            execution_id=ExecutionId(execution_id),
            codec=CODEC,
            tenant=tenant,
            queue=QueueName(queue),
            parent_id=None if parent_id is None else ExecutionId(parent_id),
        )
    if replayed.violation is not None and not _violated_then(history):
        raise ReplayDiffers(replayed.violation.message(ExecutionId(execution_id)))
    difference = _difference(replayed, history)
    if difference is not None:
        raise ReplayDiffers(f"replaying workflow {workflow.kind!r} {execution_id!r}: {difference}")


@contextlib.contextmanager
def _guards() -> Iterator[None]:
    guards.enter()
    try:
        yield
    finally:
        guards.leave()


def _difference(replayed: Replayed, history: Sequence[Event]) -> str | None:
    last = history[-1].data if history else None
    if _violated_then(history) or _was_refused(replayed, last):
        return None
    expected = _expected(last)
    if expected is None:
        return None
    if not isinstance(replayed.outcome, expected):
        return f"the code {_ENDS[type(replayed.outcome)]}, but its history ends with {_type_of(last)}"
    if replayed.commands and not isinstance(replayed.outcome, Suspended | Continuing):
        return f"the code asks for more than its history has: {', '.join(map(str, replayed.commands))}"
    return _other_result(replayed.outcome, last)


def _expected(last: EventData | None) -> tuple[type[Outcome], ...] | None:
    """How the code must end; None if it was ended from outside, in the middle of anything."""
    match last:
        case events.WorkflowCompleted():
            return (Completed,)
        case events.WorkflowFailed(failure_type=failure_type) if failure_type != EXECUTION_TIMEOUT:
            return (Failed,)
        case events.WorkflowCancelled():
            return (Cancelled,)
        case events.WorkflowFailed() | events.WorkflowTerminated():
            return None
        case _:
            return (Suspended, Continuing)


def _other_result(outcome: Outcome, last: EventData | None) -> str | None:
    if isinstance(outcome, Completed) and isinstance(last, events.WorkflowCompleted):
        now, then = msgspec.json.decode(outcome.output), msgspec.json.decode(last.output)
        return None if now == then else f"the code returns {now!r}; it returned {then!r}"
    if isinstance(outcome, Failed) and isinstance(last, events.WorkflowFailed):
        # Messages may hold what differs in every process, such as an address.
        fails, failed = outcome.failure.type, last.error.type
        return None if fails == failed else f"the code fails with {fails}; it failed with {failed}"
    return None


def _violated_then(history: Sequence[Event]) -> bool:
    last = history[-1].data if history else None
    return isinstance(last, events.WorkflowFailed) and last.failure_type == DETERMINISM_VIOLATION


def _was_refused(replayed: Replayed, last: EventData | None) -> bool:
    """Whether the execution failed because of what the code asked for, which the history therefore does not have."""
    waits = isinstance(replayed.outcome, Suspended | Continuing)
    return isinstance(last, events.WorkflowFailed) and waits and bool(replayed.commands)


def _type_of(last: EventData | None) -> str:
    return "nothing" if last is None else last.event_type


_ENDS: dict[type[Outcome], str] = {
    Suspended: "waits",
    Continuing: "waits for a ctx.run",
    Completed: "returns",
    Failed: "fails",
    Cancelled: "lets itself be cancelled",
}
