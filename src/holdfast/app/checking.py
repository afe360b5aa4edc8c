"""Checks of what callers give beside the payload, before anything is sent: a bad value must not reach a batch."""

from datetime import datetime

from holdfast.model.errors import InvalidArgument, shown
from holdfast.model.ids import DEFAULT_QUEUE, QueueName, checked_id
from holdfast.model.instants import Instant, instant_of


def chosen_queue(given: str | None, default: str | None) -> QueueName:
    """The queue that was asked for, or else the definition's, or else the default one."""
    return QueueName(DEFAULT_QUEUE if (name := given or default) is None else checked_id(name, "the queue"))


def checked_moment(moment: datetime, what: str) -> Instant:
    """The instant of a datetime with a time zone."""
    try:
        return instant_of(moment)
    except (AttributeError, ValueError) as error:
        raise InvalidArgument(f"{what} must be a datetime with a time zone, not {shown(moment)}") from error
