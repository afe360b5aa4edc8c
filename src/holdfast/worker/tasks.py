"""Runs task bodies: async ones on the loop, plain ones in threads or processes."""

import asyncio
import contextlib
import contextvars
import inspect
import logging
from collections.abc import Awaitable, Callable, Generator, Sequence
from concurrent.futures import Executor, Future
from functools import partial
from typing import cast

from holdfast.model.errors import HoldfastError, InvalidArgument
from holdfast.model.failures import Failure
from holdfast.model.ids import TaskId
from holdfast.model.requests import (
    AcknowledgeTaskCancel,
    CompleteTask,
    FailTask,
    ReleaseTask,
    Request,
    TaskClaim,
)
from holdfast.ports.joining import Join
from holdfast.ports.time import Clock
from holdfast.sdk import tracing
from holdfast.sdk.at_once import at_once
from holdfast.sdk.failures import failure_of
from holdfast.sdk.task_context import TaskContext
from holdfast.worker.processes import Processes
from holdfast.worker.registry import AnyTask, Registry
from holdfast.worker.reporting import TaskReporter
from holdfast.worker.sending import Sender
from holdfast.worker.threads import Noting

logger = logging.getLogger(__name__)

UNDONE = Failure("TransactionUndone", "the transaction in which the task was to complete has not been committed")


class _NothingLeft:
    """What may be awaited, and is done."""

    def __await__(self) -> Generator[None, None, None]:
        yield from ()


NOTHING_LEFT = _NothingLeft()


class RunningTask:
    """A task that this worker runs."""

    __slots__ = (
        "body_runs", "cancelled", "claim", "completed_in", "context", "job", "queued", "released", "reporter", "since",
        "stopping",
    )  # fmt: skip

    def __init__(self, claim: TaskClaim, since: float) -> None:
        self.claim = claim
        self.since = since
        self.job: asyncio.Task[None] | None = None
        self.context: TaskContext | None = None
        self.reporter: TaskReporter | None = None
        self.body_runs = False
        self.cancelled = False
        self.stopping = False
        self.queued: Future[object] | None = None
        """The body's place in the queue of a thread or process, if it runs in one."""
        self.released = False
        """Whether it was taken out of that queue before it had begun."""
        self.completed_in = False
        """Its completion is part of a transaction of the body's own."""

    def cancel(self) -> None:
        """Ask the body to stop, once: a second order must not tear its cleanup."""
        if self.cancelled:
            return
        self.cancelled = True
        if self.context is not None:
            self.context.request_cancel()
        self._interrupt()

    def wait_for(self, queued: "Future[object]") -> None:
        """The body waits for a thread or process."""
        self.queued = queued

    def release(self) -> None:
        """The worker stops: a body that no thread or process has taken up is given back as it came."""
        if self.queued is not None and self.queued.cancel():
            self.stopping = self.released = True

    def stop(self) -> None:
        """The worker stops, and the body has had its time."""
        self.stopping = True
        self._interrupt()

    def _interrupt(self) -> None:
        # Before and after the body there is nothing to interrupt, and the end must be told in any case.
        if self.body_runs and self.job is not None:
            self.job.cancel()


class TaskRunner:
    """Runs claimed tasks."""

    def __init__(
        self,
        *,
        registry: Registry,
        sender: Sender,
        clock: Clock,
        threads: Executor,
        processes: Processes,
        give_back: Callable[[int], None],
        join: Join | None = None,
    ) -> None:
        self._registry = registry
        self._sender = sender
        self._clock = clock
        self._threads = threads
        self._processes = processes
        self._give_back = give_back
        self._join = join
        self._loop = asyncio.get_running_loop()
        self._running: dict[TaskId, RunningTask] = {}
        self._unsettled = 0
        self._idle = asyncio.Event()
        self._stopping = False

    def take(self, claims: Sequence[TaskClaim]) -> None:
        """Run claimed tasks."""
        for claim in claims:
            if self._stopping:
                self._settle(ReleaseTask(claim.tenant, claim.task_id, claim.token))
                continue
            running = RunningTask(claim, self._loop.time())
            self._running[claim.task_id] = running
            running.job = self._loop.create_task(self._run(running), name=f"holdfast-task-{claim.task_type}")

    def cancel(self, task_id: TaskId) -> None:
        """The end of a task is asked for."""
        running = self._running.get(task_id)
        if running is not None:
            running.cancel()

    async def _run(self, running: RunningTask) -> None:
        try:
            request = await self._body(running)
        except asyncio.CancelledError:
            request = self._interrupted(running)
        except KeyboardInterrupt as interrupt:
            # It is the process's, which may live on, as a notebook's does: the task must not seem to run for ever.
            self._let_go(running)
            self._settle(_failed(running.claim, failure_of(interrupt)))
            raise
        running.body_runs = False
        if running.reporter is not None:
            await running.reporter.flush()
        self._let_go(running)
        self._settle(request)

    def _let_go(self, running: RunningTask) -> None:
        if self._running.get(running.claim.task_id) is running:  # and not the next try of the same task
            del self._running[running.claim.task_id]
        # They know it, as it knows them.
        running.context = running.reporter = running.job = None
        # The slot is free as soon as the body has ended: the next claim joins the batch that records this end.
        self._give_back(1)

    async def _body(self, running: RunningTask) -> Request[object]:
        claim = running.claim
        running.body_runs = True
        try:
            if running.cancelled:
                raise asyncio.CancelledError
            definition = self._registry.task(claim.task_type)
            with tracing.span(f"task {claim.task_type}", claim.options.trace, _attributes(claim)):
                if definition.executor == "process":
                    output = await self._processes.run(definition, claim, running.wait_for)
                else:
                    output = definition.encode_output(await self._call(running, definition))
        except asyncio.CancelledError:
            if running.cancelled or running.stopping:
                raise
            output = Failure("CancelledError", "the task's own code raised CancelledError")
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:  # noqa: BLE001 - the user's error; sys.exit() ends the task only
            output = failure_of(error)
        if running.completed_in and not isinstance(output, Failure):
            # If the transaction has committed, the task has ended and this is refused as stale. If not, it is true.
            output = UNDONE
        if isinstance(output, Failure):
            return _failed(claim, output)
        return CompleteTask(claim.tenant, claim.task_id, claim.token, output)

    async def _call(self, running: RunningTask, definition: AnyTask) -> object:
        call = definition.bound_call(self._context(running, definition), running.claim.input)
        if inspect.iscoroutinefunction(definition.function):
            return await cast("Awaitable[object]", call())
        context = contextvars.copy_context()
        # By way of the loop, which in a simulation has threads of its own making.
        value = await self._loop.run_in_executor(Noting(self._threads, running.wait_for), context.run, call)
        return await value if inspect.isawaitable(value) else value

    def _context(self, running: RunningTask, definition: AnyTask) -> TaskContext | None:
        if not definition.signature.takes_context:
            return None
        running.reporter = TaskReporter(
            claim=running.claim, sender=self._sender, clock=self._clock, stop_task=running.cancel
        )
        complete = partial(self._complete_in, running, is_async=inspect.iscoroutinefunction(definition.function))
        running.context = TaskContext(running.claim, running.reporter, complete)
        return running.context

    def _complete_in(
        self, running: RunningTask, connection: object, output: bytes, *, is_async: bool
    ) -> Awaitable[None]:
        running.completed_in = True
        completion = self._completion(running.claim, connection, output, is_async=is_async)
        if is_async:
            return completion
        at_once(completion)
        return NOTHING_LEFT

    async def _completion(self, claim: TaskClaim, connection: object, output: bytes, *, is_async: bool) -> None:
        if self._join is None:
            raise InvalidArgument("this worker cannot join transactions")
        joined = await self._join(connection, can_wait=is_async)
        await joined.send(CompleteTask(claim.tenant, claim.task_id, claim.token, output))

    def _interrupted(self, running: RunningTask) -> Request[object]:
        claim = running.claim
        if running.released:
            return ReleaseTask(claim.tenant, claim.task_id, claim.token)
        if running.cancelled:
            return AcknowledgeTaskCancel(claim.tenant, claim.task_id, claim.token, "its worker stopped it as asked")
        return _failed(claim, Failure("WorkerStopped", "the worker was shut down while it ran the task"))

    def _settle(self, request: Request[object]) -> None:
        self._unsettled += 1

        def settled(reply: object) -> None:
            self._unsettled -= 1
            if isinstance(reply, HoldfastError):
                logger.info("the end of a task was not accepted: %s", reply)
            if not self._unsettled:
                self._idle.set()

        self._sender.send(request, settled)

    def extend(self, older_than: float) -> None:
        """Tell the server that what has been running for a while is still running."""
        for running in list(self._running.values()):
            if running.since > older_than:
                continue
            if running.reporter is None:
                running.reporter = TaskReporter(
                    claim=running.claim, sender=self._sender, clock=self._clock, stop_task=running.cancel
                )
            running.reporter.report()

    async def finish(self) -> None:
        """Wait until nothing runs; nothing new may come meanwhile."""
        while jobs := [running.job for running in self._running.values() if running.job is not None]:
            await asyncio.wait(jobs)

    async def stop(self, grace: float) -> None:
        """Let running tasks end; after the grace period they are interrupted, and tried again elsewhere.

        Those that still wait for a thread or process are given back at once, which costs them no attempt.
        """
        self._stopping = True
        for running in self._running.values():
            running.release()
        jobs = [running.job for running in self._running.values() if running.job is not None]
        if jobs:
            _, late = await asyncio.wait(jobs, timeout=grace)
            for running in list(self._running.values()):
                running.stop()
            if late:
                await asyncio.wait(late, timeout=grace)
        with contextlib.suppress(TimeoutError):  # a store that does not answer must not keep the process alive
            async with asyncio.timeout(grace):
                while self._unsettled:
                    self._idle.clear()
                    await self._idle.wait()


def _failed(claim: TaskClaim, failure: Failure) -> FailTask:
    return FailTask(claim.tenant, claim.task_id, claim.token, failure)


def _attributes(claim: TaskClaim) -> tracing.Attributes:
    ids: dict[str, str | int] = {
        "holdfast.task_id": claim.task_id,
        "holdfast.attempt": claim.attempt,
        "holdfast.queue": claim.queue,
    }
    return ids if claim.execution_id is None else {**ids, "holdfast.workflow_id": claim.execution_id}
