"""What a caller of `ctx.schedule` may choose for one task, laid over what the task's definition says."""

from typing import TypedDict

import msgspec

from holdfast.model.commands import DEFAULT_TASK_OPTIONS, TaskOptions, checked_priority
from holdfast.model.errors import InvalidArgument
from holdfast.model.ids import checked_id, checked_key
from holdfast.model.instants import DurationLike, Milliseconds
from holdfast.model.retries import RetryPolicy
from holdfast.sdk.replay.options import duration_ms, task_options


class TaskChoices(TypedDict, total=False):
    """The options of `ctx.schedule`, by name; what is left out is as the task's definition says."""

    queue: str | None
    """Where workers look for it; without one the workflow's own queue."""
    max_retries: int | None
    retry: RetryPolicy | None
    """The whole policy; it wins over `max_retries`."""
    timeout: DurationLike | None
    """Limits one try."""
    schedule_to_start_timeout: DurationLike | None
    schedule_to_close_timeout: DurationLike | None
    heartbeat_timeout: DurationLike | None
    priority: int | None
    delay: DurationLike | None
    """Holds the first try back."""
    idempotency_key: str | None


class Scheduling(msgspec.Struct, frozen=True, gc=False):
    """How one task is to be run."""

    queue: str | None = None
    options: TaskOptions = DEFAULT_TASK_OPTIONS
    priority: int = 0
    delay_ms: Milliseconds | None = None
    idempotency_key: str | None = None


AS_USUAL = Scheduling()


def scheduling_of(choices: TaskChoices, usual: Scheduling) -> Scheduling:
    """The task's usual scheduling, with what is chosen here in its place."""
    if not choices:
        return usual
    unknown = choices.keys() - TaskChoices.__annotations__.keys()
    if unknown:
        raise InvalidArgument(f"a task has no option {min(unknown)!r}; it has {', '.join(TaskChoices.__annotations__)}")
    retry, priority, delay = choices.get("retry"), choices.get("priority"), choices.get("delay")
    queue, key = choices.get("queue"), choices.get("idempotency_key")
    options = task_options(
        default=usual.options,
        retries=choices.get("max_retries") if retry is None else retry,
        timeout=choices.get("timeout"),
        schedule_to_start_timeout=choices.get("schedule_to_start_timeout"),
        schedule_to_close_timeout=choices.get("schedule_to_close_timeout"),
        heartbeat_timeout=choices.get("heartbeat_timeout"),
    )
    return Scheduling(
        queue=usual.queue if queue is None else checked_id(queue, "the queue"),
        options=options,
        priority=usual.priority if priority is None else checked_priority(priority),
        delay_ms=None if delay is None else duration_ms(delay, "delay"),
        idempotency_key=None if key is None else checked_key(key, "the idempotency key"),
    )
