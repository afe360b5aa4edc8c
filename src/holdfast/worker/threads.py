"""Threads for plain functions. Unlike those of ThreadPoolExecutor, the process does not wait for them when it ends.

A thread cannot be interrupted. When a worker has given a task its grace period and reported it as interrupted, a
function that goes on regardless must not hold up the end of the process.
"""

import functools
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import Empty, SimpleQueue
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

Job = tuple[Future[Any], Callable[[], object]]


class Noting(Executor):
    """Another executor, whose futures are told to someone as well: the loop that runs in it keeps them for itself."""

    def __init__(self, executor: Executor, note: Callable[[Future[Any]], None]) -> None:
        self._executor = executor
        self._note = note

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Have a function called by the other one."""
        future = self._executor.submit(fn, *args, **kwargs)
        self._note(future)
        return future


class TaskThreads(Executor):
    """Up to `limit` threads, made as they are needed."""

    def __init__(self, *, limit: int, name: str) -> None:
        self._limit = limit
        self._name = name
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._threads: list[threading.Thread] = []

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Have a function called in a thread."""
        future: Future[R] = Future()
        self._jobs.put((future, functools.partial(fn, *args, **kwargs)))
        if not self._idle.acquire(blocking=False) and len(self._threads) < self._limit:
            name = f"{self._name}-{len(self._threads)}"
            thread = threading.Thread(target=self._work, name=name, daemon=True)
            self._threads.append(thread)
            thread.start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more; with `wait`, let what runs end."""
        if cancel_futures:
            self._cancel_waiting()
        for _ in self._threads:
            self._jobs.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def _cancel_waiting(self) -> None:
        try:
            while (job := self._jobs.get_nowait()) is not None:
                job[0].cancel()
        except Empty:
            return

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            _carry_out(*job)
            del job  # the future and its result must not live until the next one comes
            self._idle.release()


def _carry_out(future: Future[Any], call: Callable[[], object]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = call()
    except BaseException as error:  # noqa: BLE001 - raised again where the result is awaited
        future.set_exception(error)
        # The error knows this frame, which must not know the future that knows the error.
        del future, call
    else:
        future.set_result(result)
