"""The asyncio loop of one workflow: it has no clock, no threads and no I/O, and runs what is ready in order.

Timers are durable: `call_later` and `call_at` go to the timer machine, and come back as events. Tasks and futures hash
to numbers that count from the workflow's start, so sets of them iterate in the same order on every replay.
"""

import asyncio
import contextvars
import logging
import math
import sys
import zlib
from asyncio import _get_running_loop, _set_running_loop
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from sys import _getframe
from types import FrameType
from typing import Any, Protocol, TypeAlias, TypeVar, TypeVarTuple, cast

from holdfast.model.ids import ExecutionId
from holdfast.model.instants import Instant, Milliseconds, milliseconds
from holdfast.sdk.replay.futures import LoopFuture
from holdfast.sdk.replay.refusals import RefusingLoop, refuse
from holdfast.sdk.replay.violations import WorkflowStopped

MAX_TURNS = 1_000_000
"""Callbacks without an event in between; more is a loop around `asyncio.sleep(0)` that would never end."""

MAX_CLOSING_ROUNDS = 8
TASKS_BEFORE_PRUNING = 16
_PUT_AWAY = "this workflow has been put away"

_log = logging.getLogger("holdfast.workflow")

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")


class Ready(asyncio.Handle):
    """A callback in the queue; a plain Handle costs three times as much to make."""

    __slots__ = ()

    def __init__(
        self,
        callback: Callable[..., object],
        args: tuple[object, ...],
        loop: "DeterministicLoop",
        context: contextvars.Context | None,
    ) -> None:
        self._context = contextvars.copy_context() if context is None else context
        self._loop = loop
        self._callback = callback
        self._args = args
        self._cancelled = False
        self._repr = None
        self._source_traceback = None


class TimerCall(asyncio.TimerHandle):
    """A callback that waits for a durable timer."""

    __slots__ = ("args", "callback", "timer_id")

    def __init__(
        self,
        when: float,
        callback: Callable[..., object],
        args: tuple[object, ...],
        loop: "DeterministicLoop",
        context: contextvars.Context | None,
    ) -> None:
        super().__init__(when, callback, args, loop, context)
        self.callback = callback
        self.args = args
        self.timer_id: str | None = None
        """The timer that it waits for, until that has ended."""


class LoopTask(asyncio.Task[Result]):
    """An asyncio task of a workflow."""

    __slots__ = ("_number",)

    def __init__(
        self,
        coro: Coroutine[object, object, Result] | Generator[Any, None, Result],
        loop: "DeterministicLoop",
        name: str | None,
        context: contextvars.Context | None,
    ) -> None:
        self._number = number = loop.next_number()
        super().__init__(coro, loop=loop, name=name or f"Task-{number & 0xFFFFFF}", context=context)
        # Code that waits for months is dropped and read again; asyncio would complain each time.
        self._log_destroy_pending = False

    def __hash__(self) -> int:
        return self._number


AnyTask: TypeAlias = LoopTask[Any]


class Alarms(Protocol):
    """The timer machine, as the loop needs it."""

    def call_later(self, call: TimerCall, delay_ms: Milliseconds) -> None: ...

    def disarm(self, timer_id: str) -> None: ...


class DeterministicLoop(RefusingLoop, asyncio.AbstractEventLoop):
    """An event loop whose only outside world is the history."""

    def __init__(self, execution_id: ExecutionId) -> None:
        self.now = Instant(0)
        self.alarms: Alarms | None = None
        self.is_quiet = False
        """Whether what nobody awaits is left untold, because it was told on the first run."""
        self.is_endless = False
        """Whether the code asked for turn after turn without waiting for anything."""
        self._is_closed = False
        self._ready: deque[asyncio.Handle] = deque()
        self._tasks: list[AnyTask] = []
        self._prune_at = TASKS_BEFORE_PRUNING
        # The execution's part keeps hashes apart in sets that many workflows share, such as asyncio's set of all tasks.
        self._number = zlib.crc32(execution_id.encode()) << 24

    def next_number(self) -> int:
        """A number that no future or task of this workflow has had."""
        self._number = number = self._number + 1
        return number

    # Running.

    def run_until_idle(self) -> None:
        """Run callbacks, first in first out, until none is left; also inside a callback of another running loop."""
        ready = self._ready
        if not ready:
            return
        outer, hooks = _get_running_loop(), sys.get_asyncgen_hooks()
        _set_running_loop(self)
        # Another loop's hooks would run the clean-up of our asynchronous generators over there.
        sys.set_asyncgen_hooks(None, None)
        try:
            self._drain(ready)
        finally:
            sys.set_asyncgen_hooks(*hooks)
            _set_running_loop(outer)

    def _drain(self, ready: deque[asyncio.Handle]) -> None:
        for _ in range(MAX_TURNS):
            if not ready:
                return
            handle = ready.popleft()
            if not handle.cancelled():
                try:
                    handle._run()  # noqa: SLF001 - it gives what a callback raises to our exception handler
                except SystemExit:
                    # The task keeps it as its own end; leaving the process is not a workflow's business.
                    continue
        ready.clear()
        self.is_endless = True

    def halt(self) -> None:
        """Forget what is ready: nothing of it is to run any more."""
        self._ready.clear()

    def run_beside(self, function: Callable[[], Result]) -> Result:
        """Call what is no part of the workflow's run, out of reach of any loop."""
        outer = _get_running_loop()
        _set_running_loop(None)
        try:
            return function()
        finally:
            _set_running_loop(outer)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is ready to run."""
        return not self._ready

    # Scheduling.

    def call_soon(
        self,
        callback: Callable[[*Arguments], object],
        *args: *Arguments,
        context: contextvars.Context | None = None,
    ) -> asyncio.Handle:
        handle = Ready(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def call_later(
        self,
        delay: float,
        callback: Callable[[*Arguments], object],
        *args: *Arguments,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        return self._call_after(milliseconds(delay), callback, args, context)

    def call_at(
        self,
        when: float,
        callback: Callable[[*Arguments], object],
        *args: *Arguments,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        # A float of seconds since 1970 is good for about 0.0003 ms: rounding to 0.1 ms removes the noise.
        delay = Milliseconds(math.ceil(round(when * 1000 - self.now, 1)))
        return self._call_after(delay, callback, args, context)

    def _call_after(
        self,
        delay: Milliseconds,
        callback: Callable[..., object],
        args: tuple[object, ...],
        context: contextvars.Context | None,
    ) -> asyncio.TimerHandle:
        call = TimerCall((self.now + delay) / 1000, callback, args, self, context)
        if self.alarms is None:
            raise WorkflowStopped(_PUT_AWAY)
        if delay <= 0:
            self._ready.append(call)
        else:
            self.alarms.call_later(call, delay)
        return call

    def fire(self, call: TimerCall) -> None:
        """The durable timer of a callback has fired."""
        self._ready.append(call)

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        if isinstance(handle, TimerCall) and handle.timer_id is not None and self.alarms is not None:
            self.alarms.disarm(handle.timer_id)

    def time(self) -> float:
        """The time of the last applied event, in seconds since 1970."""
        return self.now / 1000

    def create_future(self) -> LoopFuture[Any]:
        return LoopFuture(self)

    def create_task(
        self,
        coro: Coroutine[object, object, Result] | Generator[Any, None, Result],
        *,
        name: str | None = None,
        context: contextvars.Context | None = None,
        **_options: object,
    ) -> LoopTask[Result]:
        if self._is_closed:
            coro.close()
            raise WorkflowStopped(_PUT_AWAY)
        _refuse_shuffled(coro)
        task = LoopTask(coro, self, name, context)
        self._tasks.append(task)
        if len(self._tasks) > self._prune_at:
            self._tasks = [task for task in self._tasks if not task.done()]
            self._prune_at = 2 * len(self._tasks) + TASKS_BEFORE_PRUNING
        return task

    def get_task_factory(self) -> None:
        return None

    # What asyncio asks.

    def get_debug(self) -> bool:
        return False

    def set_debug(self, enabled: bool) -> None:
        """Ours has no debug mode: it would only be slow."""

    def is_running(self) -> bool:
        return _get_running_loop() is self

    def is_closed(self) -> bool:
        return self._is_closed

    def get_exception_handler(self) -> None:
        return None

    def default_exception_handler(self, context: dict[str, object]) -> None:
        self.call_exception_handler(context)

    def call_exception_handler(self, context: dict[str, object]) -> None:
        """Tell of an exception that nobody awaits, unless it was told on the first run."""
        error = cast("BaseException | None", context.get("exception"))
        if not self._is_closed and not self.is_quiet:
            _log.error("%s", context.get("message"), exc_info=error)
        elif error is not None:
            # asyncio's frame that caught it has this dict: with its traceback, the two would keep each other.
            error.__traceback__ = None

    async def shutdown_asyncgens(self) -> None:
        """There is nothing to do: generators are closed with the workflow."""

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """There is no executor."""

    # Ending.

    def unfinished_tasks(self) -> list[AnyTask]:
        """The asyncio tasks that still run, oldest first."""
        return [task for task in self._tasks if not task.done()]

    def shut_down(self) -> None:
        """End all coroutines where they stand: their finally blocks run, and nothing is said of them."""
        self._is_closed = True
        self._ready.clear()
        self.alarms = None
        ended = left = self.unfinished_tasks()
        self._tasks = []
        rounds = 0
        # A coroutine that awaits in its finally block, as a TaskGroup does, needs to be told more than once.
        while left and rounds < MAX_CLOSING_ROUNDS:
            for task in reversed(left):
                self.call_soon(task.get_coro().throw, WorkflowStopped(_PUT_AWAY))
            self.run_until_idle()
            left = [task for task in left if getattr(task.get_coro(), "cr_frame", None) is not None]
            rounds += 1
        for task in ended:
            # A task and what it waits for hold each other until the task is told of an end; here nobody is told.
            waited_for = task._fut_waiter  # type: ignore[attr-defined]  # noqa: SLF001 - no other way leads to it
            if waited_for is not None:
                asyncio.Future.cancel(waited_for)
            # So do those who wait for a task, such as a group or asyncio.gather.
            for callback, _ in list(task._callbacks or ()):  # noqa: SLF001 - as above
                task.remove_done_callback(callback)
        self.halt()


def _refuse_shuffled(coro: Coroutine[object, object, object] | Generator[Any, None, object]) -> None:
    """as_completed puts what it is given into a set: coroutines come out of it in an order that no replay repeats."""
    frame: FrameType | None = _getframe(2)
    while frame is not None and frame.f_globals.get("__name__") == "asyncio.tasks":
        if frame.f_code.co_qualname in ("as_completed", "_AsCompletedIterator.__init__"):
            coro.close()
            refuse("asyncio.as_completed() on bare coroutines", "give it futures: asyncio.create_task(…) for each one")
        frame = frame.f_back
