"""Checks of what callers give beside the payload, before anything is sent: a bad value must not reach a batch."""

from datetime import datetime

from holdfast.model.commands import MAX_PRIORITY
from holdfast.model.errors import InvalidArgument, shown
from holdfast.model.ids import DEFAULT_QUEUE, QueueName, checked_id
from holdfast.model.instants import Instant, instant_of

MAX_KEY = 255


def chosen_queue(given: str | None, default: str | None) -> QueueName:
    """The queue that was asked for, or else the definition's, or else the default one."""
    return QueueName(DEFAULT_QUEUE if (name := given or default) is None else checked_id(name, "the queue"))


def checked_key(key: str, what: str) -> str:
    """A key of the caller's own, that can be kept everywhere and shown on one line; it may be empty."""
    if not isinstance(key, str) or len(key) > MAX_KEY or not key.isprintable():
        raise InvalidArgument(f"{what} must be text of up to {MAX_KEY} printable characters, not {shown(key)}")
    return key


def checked_priority(priority: int) -> int:
    """A whole number of 32 bits; the higher, the sooner."""
    if not isinstance(priority, int) or not -MAX_PRIORITY <= priority < MAX_PRIORITY:
        raise InvalidArgument(f"a priority must be a whole number of 32 bits, not {shown(priority)}")
    return priority


def checked_moment(moment: datetime, what: str) -> Instant:
    """The instant of a datetime with a time zone."""
    try:
        return instant_of(moment)
    except (AttributeError, ValueError) as error:
        raise InvalidArgument(f"{what} must be a datetime with a time zone, not {shown(moment)}") from error
