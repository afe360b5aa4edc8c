"""The options of a task as a caller gives them, checked and laid over those of its definition."""

from msgspec.structs import replace

from holdfast.model.commands import DEFAULT_TASK_OPTIONS, TaskOptions
from holdfast.model.errors import InvalidArgument
from holdfast.model.instants import LATEST, DurationLike, Milliseconds, milliseconds
from holdfast.model.retries import RetryPolicy


def task_options(
    *,
    default: TaskOptions = DEFAULT_TASK_OPTIONS,
    retries: int | RetryPolicy | None = None,
    timeout: DurationLike | None = None,
    schedule_to_start_timeout: DurationLike | None = None,
    schedule_to_close_timeout: DurationLike | None = None,
    heartbeat_timeout: DurationLike | None = None,
) -> TaskOptions:
    """The options of a task: `default`, with what is given here in its place."""
    limits = (timeout, schedule_to_start_timeout, schedule_to_close_timeout, heartbeat_timeout)
    if retries is None and limits == (None, None, None, None):
        return default
    return TaskOptions(
        retry=_policy(retries, default.retry),
        start_to_close_ms=_limit("timeout", timeout, default.start_to_close_ms),
        schedule_to_start_ms=_limit(
            "schedule_to_start_timeout", schedule_to_start_timeout, default.schedule_to_start_ms
        ),
        schedule_to_close_ms=_limit(
            "schedule_to_close_timeout", schedule_to_close_timeout, default.schedule_to_close_ms
        ),
        heartbeat_ms=_limit("heartbeat_timeout", heartbeat_timeout, default.heartbeat_ms),
    )


def _policy(retries: int | RetryPolicy | None, default: RetryPolicy) -> RetryPolicy:
    match retries:
        case None:
            return default
        case RetryPolicy():
            return retries
        case int() if retries >= 0 and not isinstance(retries, bool):
            return replace(default, max_retries=retries)
        case _:
            raise InvalidArgument(f"retries must be a number from 0 or a RetryPolicy, not {retries!r}")


def _limit(name: str, given: DurationLike | None, default: Milliseconds | None) -> Milliseconds | None:
    if given is None:
        return default
    limit = duration_ms(given, name)
    if limit <= 0:
        raise InvalidArgument(f"{name} must be longer than nothing, not {given}")
    return limit


def duration_ms(given: DurationLike, name: str) -> Milliseconds:
    """A duration that a caller gave, in milliseconds; below zero counts as zero, and for ever as until LATEST."""
    try:
        return Milliseconds(min(max(0, milliseconds(given)), LATEST))
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidArgument(f"{name} must be a timedelta or a number of seconds, not {given!r}") from error
