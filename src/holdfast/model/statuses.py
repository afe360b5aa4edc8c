"""The states that an execution, a task, an attempt and a promise can be in."""

from enum import StrEnum
from typing import Final


class ExecutionStatus(StrEnum):
    """PENDING: code is to run. RUNNING: a worker holds it. WAITING: nothing to do until an event comes."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    WAITING = "WAITING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    TERMINATED = "TERMINATED"


class ReusePolicy(StrEnum):
    """What a start does when its idempotency key, or its id, was used before."""

    RETURN_EXISTING = "RETURN_EXISTING"
    """Give the execution that is there."""
    REJECT = "REJECT"
    TERMINATE_AND_START = "TERMINATE_AND_START"
    """End the execution that is there if it is open, and start another one in its place."""
    ALLOW_AFTER_CLOSE = "ALLOW_AFTER_CLOSE"
    """Start another one if the last one has ended, however it ended."""
    ALLOW_AFTER_FAILURE = "ALLOW_AFTER_FAILURE"
    """Start another one if the last one has ended and did not complete."""


class TaskStatus(StrEnum):
    """PENDING: waits for a worker or for its time. RUNNING: a worker holds it. The others are final."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    TIMED_OUT = "TIMED_OUT"
    CANCELLED = "CANCELLED"


class AttemptStatus(StrEnum):
    """How one try of a task ended. LOST: its worker vanished (no answer within the lease)."""

    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    TIMEOUT = "TIMEOUT"
    CANCELLED = "CANCELLED"
    LOST = "LOST"


class PromiseStatus(StrEnum):
    """PENDING until someone settles it, its time runs out, or its execution closes."""

    PENDING = "PENDING"
    RESOLVED = "RESOLVED"
    REJECTED = "REJECTED"
    TIMED_OUT = "TIMED_OUT"
    CANCELLED = "CANCELLED"


class TimeoutType(StrEnum):
    """Which of a task's four limits ran out."""

    SCHEDULE_TO_START = "SCHEDULE_TO_START"
    START_TO_CLOSE = "START_TO_CLOSE"
    SCHEDULE_TO_CLOSE = "SCHEDULE_TO_CLOSE"
    HEARTBEAT = "HEARTBEAT"


CLOSED_EXECUTION: Final = frozenset(
    {ExecutionStatus.COMPLETED, ExecutionStatus.FAILED, ExecutionStatus.CANCELLED, ExecutionStatus.TERMINATED}
)
CLOSED_TASK: Final = frozenset({TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.TIMED_OUT, TaskStatus.CANCELLED})
