"""Commands: what workflow code asked for in one activation, and how the activation ended.

Every id in a command was derived by the workflow (`DerivedIds`), so sending a command twice has one effect.
"""

from typing import Final

import msgspec

from holdfast.model.errors import InvalidArgument, shown
from holdfast.model.failures import Failure
from holdfast.model.ids import ExecutionId, PromiseId, TaskId, TimerId
from holdfast.model.instants import LATEST, Instant, Milliseconds
from holdfast.model.retries import RetryPolicy

MAX_PRIORITY: Final = 1 << 31
"""Priorities are whole numbers of 32 bits: the rank that the stores make of them has room for no more."""


def checked_priority(priority: int) -> int:
    """A whole number of 32 bits; the higher, the sooner."""
    if not isinstance(priority, int) or not -MAX_PRIORITY <= priority < MAX_PRIORITY:
        raise InvalidArgument(f"a priority must be a whole number of 32 bits, not {shown(priority)}")
    return priority


TASK_LIMITS: Final = ("schedule_to_start_ms", "start_to_close_ms", "schedule_to_close_ms", "heartbeat_ms")


class TaskOptions(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """How a task execution is retried and limited, and which trace it is a part of; None means no limit, no trace."""

    retry: RetryPolicy = RetryPolicy()
    schedule_to_start_ms: Milliseconds | None = None
    start_to_close_ms: Milliseconds | None = None
    schedule_to_close_ms: Milliseconds | None = None
    heartbeat_ms: Milliseconds | None = None
    trace: str | None = None
    """The W3C traceparent of what asked for it, and after a space the tracestate if there is one."""
    tries_before: int = 0
    """The tries that the task had had when it was opened again; they do not count against its policy."""

    def __post_init__(self) -> None:
        if self.tries_before < 0:
            raise ValueError(f"tries_before must be 0 or more, not {self.tries_before}")
        for name in TASK_LIMITS:
            limit = getattr(self, name)
            if limit is not None and not 0 < limit <= LATEST:
                raise ValueError(f"{name} must lie between 1 and {LATEST} milliseconds, not {limit}")


DEFAULT_TASK_OPTIONS = TaskOptions()


class Command(msgspec.Struct, frozen=True, gc=False):
    """The base of all commands."""


class ScheduleTask(Command, frozen=True, gc=False):
    """Run a task; `queue` None means the workflow's own."""

    task_id: TaskId
    task_type: str
    input: bytes
    queue: str | None = None
    options: TaskOptions = DEFAULT_TASK_OPTIONS
    priority: int = 0
    delay_ms: Milliseconds | None = None
    idempotency_key: str | None = None


class StartChild(Command, frozen=True, gc=False):
    """Start another workflow as a child."""

    execution_id: ExecutionId
    name: str
    kind: str
    input: bytes
    queue: str | None = None
    timeout_ms: Milliseconds | None = None
    trace: str | None = None


class StartTimer(Command, frozen=True, gc=False):
    """Wake up after a duration, or at an instant: exactly one of them is set."""

    timer_id: TimerId
    duration_ms: Milliseconds | None = None
    fire_at: Instant | None = None


class CreatePromise(Command, frozen=True, gc=False):
    """Open a promise for someone outside to settle."""

    promise_id: PromiseId
    name: str
    timeout_ms: Milliseconds | None = None
    value_schema: bytes | None = None
    """The JSON Schema of its value, for those who make a form of it; None: anything."""


class RecordOperation(Command, frozen=True, gc=False):
    """Keep what a `ctx.run` gave: its result, or the failure it ended with."""

    name: str
    index: int
    result: bytes | None = None
    failure: Failure | None = None


class SetState(Command, frozen=True, gc=False):
    """Set a key of the execution's state."""

    key: str
    value: bytes


class ClearState(Command, frozen=True, gc=False):
    """Remove a key of the execution's state."""

    key: str


class CancelTimer(Command, frozen=True, gc=False):
    """Disarm a timer of this execution."""

    timer_id: TimerId


class ResolvePromise(Command, frozen=True, gc=False):
    """Settle a promise of this execution from inside."""

    promise_id: PromiseId
    value: bytes


class CancelTask(Command, frozen=True, gc=False):
    """Ask for the end of a task of this execution."""

    task_id: TaskId


class CancelChild(Command, frozen=True, gc=False):
    """Ask for the cancellation of a child of this execution."""

    execution_id: ExecutionId


class MarkPatch(Command, frozen=True, gc=False):
    """Keep that the code took the new side of a `ctx.patched`."""

    patch_id: str


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """The base of the ways in which an activation ends."""


class Suspended(Outcome, frozen=True, gc=False):
    """The code waits for events."""


class Continuing(Outcome, frozen=True, gc=False):
    """The code goes on under the same claim as soon as the commands are on disk."""


class Completed(Outcome, frozen=True, gc=False):
    """The code returned."""

    output: bytes
    warnings: tuple[str, ...] = ()


class Failed(Outcome, frozen=True, gc=False):
    """The code raised, or no longer fits its history."""

    failure: Failure
    failure_type: str = "ERROR"
    cause_sequence: int | None = None
    """The event that the code had been given last; 0: the end has to do with no event; None: not known."""
    cause_operation: int | None = None
    """The index of the operation whose end the code had been given last, if it was one."""


class Cancelled(Outcome, frozen=True, gc=False):
    """The code let a requested cancellation pass through."""

    reason: str = ""


ERROR = "ERROR"
DETERMINISM_VIOLATION = "DETERMINISM_VIOLATION"
EXECUTION_TIMEOUT = "EXECUTION_TIMEOUT"
TERMINATED = "TERMINATED"
