"""An exception as the failure that is recorded: bounded, without a Python object in it, and without our own frames."""

import traceback
from itertools import dropwhile

from holdfast.model.errors import InvalidRequest, NotDeterministic, WorkError
from holdfast.model.failures import Failure
from holdfast.sdk.frames import Owner, owner_of

MAX_MESSAGE = 10_000
MAX_STACK = 20_000
MAX_FRAMES = 50
MAX_CAUSES = 5

_CUT = "… (cut) …"


class NonRetryable(Exception):
    """Raise this, or a subclass, when trying again cannot help; `raise NonRetryable(…) from error` keeps the cause."""


def failure_of(error: BaseException) -> Failure:
    """The failure to record for an exception that user code raised."""
    return _failure(error, MAX_CAUSES)


def _failure(error: BaseException, causes_left: int) -> Failure:
    # TracebackException survives a __str__ that raises.
    summary = traceback.TracebackException(
        type(error), error, error.__traceback__, limit=-MAX_FRAMES, compact=True, max_group_width=0
    )
    return Failure(
        type=type(error).__name__,
        message=bounded_text(str(summary), MAX_MESSAGE),
        stack=_stack(summary),
        retryable=_is_retryable(error),
        cause=_cause(error, causes_left),
    )


def _is_retryable(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(_is_retryable(part) for part in error.exceptions)
    return not isinstance(error, NonRetryable | InvalidRequest | NotDeterministic)


def _cause(error: BaseException, causes_left: int) -> Failure | None:
    if isinstance(error, WorkError) and error.failure is not None:
        return error.failure
    cause = _raised_from(error)
    return None if cause is None or causes_left == 0 else _failure(cause, causes_left - 1)


def _raised_from(error: BaseException) -> BaseException | None:
    """What Python would print as the reason, or the first part of a group."""
    if error.__cause__ is not None:
        return error.__cause__
    if isinstance(error, BaseExceptionGroup):
        return error.exceptions[0]
    return None if error.__suppress_context__ else error.__context__


def _stack(summary: traceback.TracebackException) -> str:
    """The frames of the user and of what they called; ours, and the event loop that led to them, say nothing."""
    frames = [frame for frame in summary.stack if owner_of(frame.filename) is not Owner.HOLDFAST]
    relevant = list(dropwhile(lambda frame: owner_of(frame.filename) is Owner.STANDARD, frames)) or frames
    if not relevant:
        return ""
    lines = traceback.StackSummary.from_list(relevant).format()
    return bounded_text("Traceback (most recent call last):\n" + "".join(lines).rstrip("\n"), MAX_STACK)


def bounded_text(text: str, limit: int) -> str:
    """Text that every database can hold; of what is too long the beginning and the end."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")
    if len(text) <= limit:
        return text
    half = (limit - len(_CUT)) // 2
    return f"{text[:half]}{_CUT}{text[-half:]}"
