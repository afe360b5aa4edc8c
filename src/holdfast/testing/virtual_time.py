"""A seeded event loop in virtual time, with processes that can be killed in the middle of anything.

What is ready runs in an order that the seed decides; when nothing is ready the clock jumps to the next timer. So a day
takes as long as its events, and the same seed gives the same run. A callback belongs to the process in whose context
it was made: to kill a process is to drop all of its callbacks, as `kill -9` would.
"""

import asyncio
import contextvars
import math
import random
import selectors
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, NoReturn, Protocol, TypeVar, TypeVarTuple, cast
from weakref import WeakSet

from holdfast.model.instants import Instant

Answer = TypeVar("Answer")
Args = TypeVarTuple("Args")

SIMULATION_START = Instant(1_900_000_000_000)
"""When simulated time begins: in the future, so that the real clock cannot be mistaken for it."""

RESOLUTION = 1e-6
"""Seconds by which two instants may differ and be the same."""

_process: contextvars.ContextVar["Process | None"] = contextvars.ContextVar("holdfast_process", default=None)


class Deadlock(Exception):
    """Nothing is ready, and no timer runs: what the simulation waits for can never come."""


class RealWorld(Exception):
    """Something in the simulation reached for a socket, a file descriptor or another thread."""


class Process:
    """What dies together; `context` is where its callbacks run."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.alive = True
        self.frozen = False
        self.waiting: list[asyncio.Handle] = []
        """What would have run while it was frozen."""
        self.tasks: WeakSet[asyncio.Task[Any]] = WeakSet()
        self.context = contextvars.copy_context()
        self.context.run(_process.set, self)


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An asyncio loop whose clock jumps, and whose order of things comes from a generator."""

    def __init__(self, chance: random.Random) -> None:
        self._now = 0.0
        self._chance = chance
        self._killed: list[asyncio.Task[Any]] = []
        super().__init__(_NoSelector(self._jump))
        self._ready = _Shuffled(chance)
        # Added to the seconds of a year, the nanosecond of a real clock would be rounded away.
        self._clock_resolution = RESOLUTION

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._now

    def run_in_executor(
        self, _executor: Executor | None, func: Callable[[*Args], Answer], *args: *Args
    ) -> "asyncio.Task[Answer]":
        """Runs the function on the loop, after a while, as if a thread had done it."""

        async def thread() -> Answer:
            await asyncio.sleep(self._chance.random() / 100)
            return func(*args)

        return self.create_task(thread())

    def create_task(
        self,
        coro: Generator[Any, None, Answer] | Coroutine[Any, Any, Answer],
        *,
        name: object = None,
        context: contextvars.Context | None = None,
    ) -> "asyncio.Task[Answer]":
        """As always, but the process knows its tasks."""
        task = super().create_task(coro, name=name, context=context)
        process = _process.get() if context is None else context.get(_process)
        if process is not None:
            process.tasks.add(task)
        return task

    def freeze(self, process: Process, seconds: float) -> None:
        """Pauses a process (SIGSTOP): its callbacks wait, though time passes; afterwards it knows nothing of that."""
        process.frozen = True
        self.call_later(seconds, self._thaw, process, context=contextvars.Context())

    def _thaw(self, process: Process) -> None:
        process.frozen = False
        waiting, process.waiting = process.waiting, []
        self._ready.extend(waiting)

    def kill(self, process: Process) -> None:
        """Ends a process where it stands: nothing of it runs any more, not even its finally blocks."""
        process.alive = False
        for task in [task for task in process.tasks if not task.done()]:
            # It is meant to be dropped.
            cast("_Dropped", task)._log_destroy_pending = False  # noqa: SLF001
            self._killed.append(task)

    def close(self) -> None:
        """Puts the coroutines of killed processes away, and then the loop."""
        for task in self._killed:
            coroutine = task.get_coro()
            if coroutine is not None:
                coroutine.close()
        self._killed.clear()
        super().close()

    def _jump(self, seconds: float) -> None:
        self._now += seconds

    def _write_to_self(self) -> None:
        """Nobody sleeps in a selector, so nobody need be woken."""


class VirtualClock:
    """The simulation's time (ports.time.Clock), as one machine sees it."""

    def __init__(self, loop: VirtualTimeLoop, *, ahead_ms: int = 0) -> None:
        self._loop = loop
        self._start = SIMULATION_START + ahead_ms

    def now(self) -> Instant:
        """The instant it is on this machine."""
        # Sums of seconds carry noise; without the rounding a timer would be a millisecond late.
        return Instant(self._start + math.floor(round(self._loop.time() * 1000, 2)))


@contextmanager
def virtual_loop(seed: int) -> Generator[VirtualTimeLoop]:
    """A loop for one run, closed afterwards."""
    loop = VirtualTimeLoop(random.Random(seed))
    try:
        yield loop
    finally:
        loop.close()


class _Nothing(asyncio.Handle):
    """A handle that does nothing."""

    def __init__(self) -> None:
        self._cancelled = True


_NOTHING = _Nothing()


class _Dropped(Protocol):
    """A task, as asyncio's own code sees it."""

    _log_destroy_pending: bool


class _InContext(Protocol):
    """A handle, as asyncio's own code sees it."""

    _context: contextvars.Context


class _Shuffled(deque[asyncio.Handle]):
    """The ready queue: any of them may be next; those of killed processes never are."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self._chance = chance

    def popleft(self) -> asyncio.Handle:
        if len(self) > 1:
            self.rotate(-self._chance.randrange(len(self)))
        handle = super().popleft()
        process = cast("_InContext", handle)._context.get(_process)  # noqa: SLF001
        if process is None or (process.alive and not process.frozen):
            return handle
        if process.alive:
            process.waiting.append(handle)
        # Something must be returned: what a cancelled handle would do is not done.
        return _NOTHING


class _NoSelector(selectors.BaseSelector):
    """In place of waiting for the world, time passes; the loop's own pipe is all that it lets in."""

    def __init__(self, jump: Callable[[float], None]) -> None:
        self._jump = jump
        self._own: selectors.SelectorKey | None = None

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise Deadlock("nothing is ready and nothing is due")
        if timeout > 0:
            self._jump(timeout)
        return []

    def register(self, fileobj: Any, events: int, data: object = None) -> selectors.SelectorKey:
        if self._own is not None:
            _refuse(fileobj)
        self._own = selectors.SelectorKey(fileobj, fileobj, events, data)
        return self._own

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        if self._own is None or self._own.fileobj is not fileobj:
            _refuse(fileobj)
        own, self._own = self._own, None
        return own

    def modify(self, fileobj: Any, _events: int, _data: object = None) -> selectors.SelectorKey:
        _refuse(fileobj)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return {} if self._own is None else {self._own.fileobj: self._own}


def _refuse(fileobj: object) -> NoReturn:
    raise RealWorld(f"a simulation does no I/O, and must not wait for {fileobj!r}")
