"""Tasks that run in a process of their own: only JSON and the function's address cross over."""

import asyncio
import importlib
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import msgspec

from holdfast.model.errors import InvalidArgument
from holdfast.model.failures import Failure, decode_failure, encode_failure
from holdfast.model.requests import TaskClaim
from holdfast.sdk.definitions import TaskDefinition
from holdfast.sdk.failures import failure_of
from holdfast.sdk.task_context import TaskContext
from holdfast.worker.threads import Noting

_CLAIMS = msgspec.json.Decoder(TaskClaim)


class SilentReporter:
    """A task in another process tells nothing while it runs."""

    def report(self, **_: object) -> None:
        """Not from here."""
        raise InvalidArgument("a task with executor='process' cannot report while it runs; use a thread or async task")

    def line(self, channel: str, level: str | None, body: bytes) -> None:
        """Lines go to the standard logging of the process only."""


def address_of(definition: TaskDefinition[..., object]) -> str:
    """Where another process finds the function."""
    qualified_name = str(getattr(definition, "__qualname__", definition.name))
    if "<locals>" in qualified_name or "." in qualified_name:
        raise InvalidArgument(
            f"task {definition.name!r} has executor='process', so it must stand at the top of a module"
        )
    return f"{definition.function_module}:{qualified_name}"


def run_here(address: str, claim: bytes, task_input: bytes) -> tuple[bool, bytes]:
    """In the other process: whether it went well, and the result or the failure."""
    module, _, name = address.partition(":")
    definition = getattr(importlib.import_module(module), name)
    context = TaskContext(_CLAIMS.decode(claim), SilentReporter())
    try:
        return True, definition.encode_output(definition.bound_call(context, task_input)())
    except BaseException as error:  # noqa: BLE001  - the user's error becomes a record; sys.exit() ends the task only
        return False, encode_failure(failure_of(error))


class Processes:
    """A pool of processes, made anew when a task has killed one of them."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._pool: ProcessPoolExecutor | None = None

    async def run(
        self, definition: TaskDefinition[..., object], claim: TaskClaim, on_queued: "Callable[[Future[object]], None]"
    ) -> bytes | Failure:
        """The result of a task's body, or its failure; `on_queued` is given the body's place in the queue."""
        pool = self._pool or self._make_pool()
        plain = msgspec.json.encode(msgspec.structs.replace(claim, input=b"", details=None))
        try:
            loop = asyncio.get_running_loop()
            place = Noting(pool, on_queued)
            ok, answer = await loop.run_in_executor(place, run_here, address_of(definition), plain, claim.input)
        except BrokenProcessPool:
            if self._pool is pool:
                self._pool = None
            return Failure("ProcessDied", f"the process that ran task {definition.name!r} died")
        return answer if ok else decode_failure(answer)

    def close(self) -> None:
        """End the processes: what still runs in them has had its time, and must not hold up the end of this one."""
        pool, self._pool = self._pool, None
        if pool is not None:
            # Before Python 3.14 a pool has no public way to do this.
            processes = list((pool._processes or {}).values())  # noqa: SLF001
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.kill()

    def _make_pool(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(min(self._slots, os.cpu_count() or 1), mp_context=context)
        return self._pool
