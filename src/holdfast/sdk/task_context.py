"""What a task's body knows about its run, and what it can tell while it runs."""

import asyncio
import logging
import sys
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Protocol, TypeVar, overload

from holdfast.model.errors import InvalidArgument
from holdfast.model.ids import ExecutionId, TaskId, TenantId, checked_id
from holdfast.model.instants import datetime_of
from holdfast.model.requests import TaskClaim
from holdfast.sdk.failures import bounded_text
from holdfast.sdk.payload import decode, encode

T = TypeVar("T")

LOG_CHANNEL = "log"
MAX_MESSAGE = 1_000
MAX_LOG_LINE = 50_000

Complete = Callable[[object, bytes], Awaitable[None]]
"""Completes a task in the transaction that a connection is in."""


class Reporter(Protocol):
    """Takes what a task tells to the engine; may be called from any thread, and never waits."""

    def report(
        self,
        *,
        heartbeat: bool = False,
        details: bytes | None = None,
        progress: float | None = None,
        message: str | None = None,
    ) -> None:
        """The task is alive, and how far it is."""

    def line(self, channel: str, level: str | None, body: bytes) -> None:
        """A log line, or an item of a stream."""


class TaskContext:
    """The context of one try of a task; a task's function may take it as its first parameter."""

    def __init__(self, claim: TaskClaim, reporter: Reporter, complete: Complete | None = None) -> None:
        self._claim = claim
        self._reporter = reporter
        self._complete = complete
        self._cancelled = False
        self.logger = TaskLogger(claim, reporter)
        """Its lines go to the standard logging and are kept with the task."""

    @property
    def tenant(self) -> TenantId:
        """The tenant that the task belongs to."""
        return self._claim.tenant

    @property
    def task_id(self) -> TaskId:
        """The id of the task execution; the same for every try."""
        return self._claim.task_id

    @property
    def execution_id(self) -> ExecutionId | None:
        """The workflow execution that scheduled the task; None for a standalone one."""
        return self._claim.execution_id

    @property
    def task_type(self) -> str:
        """The task's name."""
        return self._claim.task_type

    @property
    def queue(self) -> str:
        """The queue it came through."""
        return self._claim.queue

    @property
    def attempt(self) -> int:
        """Which try this is, from 1."""
        return self._claim.attempt

    @property
    def idempotency_key(self) -> str:
        """A key for outside systems that is the same for every try of this task, and for no other task."""
        return self._claim.task_id

    @property
    def cancelled(self) -> bool:
        """Whether the end of this task has been asked for."""
        return self._cancelled

    def heartbeat(self, details: object = None) -> None:
        """Say that the task is alive; `details` survive to the next try.

        In a plain (threaded) function this is where a requested cancellation comes up, as CancelledError.
        """
        encoded = None if details is None else encode(details, what="the details of a heartbeat")
        self._reporter.report(heartbeat=True, details=encoded)
        self.raise_if_cancelled()

    def raise_if_cancelled(self) -> None:
        """Raise CancelledError if the end of this task has been asked for."""
        if self._cancelled:
            raise asyncio.CancelledError(f"task {self.task_id} was asked to stop")

    @overload
    def last_details(self) -> object: ...

    @overload
    def last_details(self, hint: type[T]) -> T | None: ...

    def last_details(self, hint: type[T] | None = None) -> object:
        """The details of the last heartbeat of the tries before this one, or None."""
        if self._claim.details is None:
            return None
        return decode(self._claim.details, object if hint is None else hint, what="the details of a heartbeat")

    def progress(self, fraction: float, message: str | None = None) -> None:
        """Say how far the task is, from 0 to 1; of a long message, its beginning and end are kept."""
        kept = None if message is None else bounded_text(str(message), MAX_MESSAGE)
        self._reporter.report(progress=min(1.0, max(0.0, fraction)), message=kept)

    def stream(self, item: object, channel: str = "data") -> None:
        """Give an item (a token, a row, …) to those who watch the task."""
        checked = checked_id(channel, "the channel")
        self._reporter.line(checked, None, encode(item, what=f"an item of the stream {channel!r}"))

    def complete_in(self, connection: object, result: object = None) -> Awaitable[None]:
        """Complete this task inside a transaction of your own: its effects and the completion commit together, or not.

        `connection` is as for Holdfast.in_transaction. An async task awaits this; in a plain one it has happened when
        the call returns. It raises StaleClaim if the task is no longer this try's, and then nothing must be committed.
        Let it be the last thing before the commit, for it locks the task and its workflow. What the body returns does
        not count any more; if the transaction was not committed when the body ends, the task is tried again.
        """
        if self._complete is None:
            raise InvalidArgument("this task does not run in a worker, so there is nothing to complete")
        return self._complete(connection, encode(result, what=f"the result of task {self.task_type!r}"))

    def request_cancel(self) -> None:
        """Called by the worker when the end of the task is asked for."""
        self._cancelled = True

    def __repr__(self) -> str:
        claim = self._claim
        created = datetime_of(claim.created_at).isoformat()
        return f"<TaskContext {claim.task_type} {claim.task_id} attempt={claim.attempt} created={created}>"


class TaskLogger(logging.LoggerAdapter[logging.Logger]):
    """A logger whose lines carry the task's ids, and are kept with it."""

    def __init__(self, claim: TaskClaim, reporter: Reporter) -> None:
        ids = {"task_id": claim.task_id, "task_type": claim.task_type, "attempt": claim.attempt}
        super().__init__(logging.getLogger("holdfast.task"), ids)
        self._reporter = reporter

    def process(self, msg: object, kwargs: MutableMapping[str, Any]) -> tuple[object, MutableMapping[str, Any]]:
        """Add the ids to the record."""
        kwargs["extra"] = {**(self.extra or {}), **kwargs.get("extra", {})}
        return msg, kwargs

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:
        """Log a line and keep it, with the stack of an exception; no line is so bad that the task fails of it."""
        text = bounded_text(_words(level, msg, args, kwargs.get("exc_info")), MAX_LOG_LINE)
        self._reporter.line(LOG_CHANNEL, logging.getLevelName(level), encode(text, what="a log line"))
        super().log(level, msg, *args, **kwargs)


def _words(level: int, msg: object, args: tuple[object, ...], exc_info: object) -> str:
    record = logging.LogRecord("holdfast.task", level, "", 0, msg, args, None)
    try:
        words = record.getMessage()
    except (TypeError, ValueError, KeyError):
        # As the standard logging does, which tells of it on stderr.
        words = f"{msg} {args}"
    error = exc_info if isinstance(exc_info, BaseException) else sys.exc_info()[1] if exc_info else None
    return words if error is None else "\n".join([words, *traceback.format_exception(error)]).rstrip("\n")
