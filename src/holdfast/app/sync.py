"""The sync facade, for scripts and notebooks: the same Holdfast, on the event loop of a thread of its own.

Each method is made from the async one, so there is no second implementation to keep in step; a test compares the two.
It works where a loop is running already (Jupyter), because it never touches the caller's.
"""

import asyncio
import functools
import signal
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from types import FrameType, TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from holdfast.app.asking import AsyncWorkflow, SomeTask, SomeWorkflow
from holdfast.app.handles import TaskHandle, WorkflowHandle
from holdfast.app.holdfast import Holdfast, Opening
from holdfast.app.reading import DEFAULT_TIMEOUT
from holdfast.app.transactions import Transaction
from holdfast.model.errors import InvalidArgument, Stopped
from holdfast.model.ids import ExecutionId, TaskId
from holdfast.model.instants import DurationLike
from holdfast.ports.time import Chance, Clock
from holdfast.protocol.tls import Tls
from holdfast.sdk.at_once import at_once
from holdfast.sdk.nodes import Nodes
from holdfast.worker.registry import AnyTask, AnyWorkflow
from holdfast.worker.settings import WorkerSettings

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")
S = TypeVar("S", bound="Delegate")
A = TypeVar("A")

Asked = Coroutine[Any, Any, R]
"""A call of an async method."""


class LoopThread:
    """A thread that runs an event loop until it is stopped."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._stopped = False
        # A script that forgets to close ends all the same; what was under way goes on when the database is opened.
        self._thread = threading.Thread(target=self._run, name="holdfast-loop", daemon=True)
        self._thread.start()

    def ask(self, coroutine: Asked[R]) -> R:
        """Run a coroutine there, and wait for it here; an interrupt of the wait cancels it."""
        if self._stopped or threading.current_thread() is self._thread:
            coroutine.close()
            if self._stopped:
                raise Stopped("this Holdfast has been closed; nothing was done")
            raise InvalidArgument("a SyncHoldfast would wait for itself here; async code uses Holdfast and awaits it")
        asked = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return asked.result()
        finally:
            asked.cancel()

    def stop(self) -> None:
        """End the loop and its thread."""
        if not self._stopped:
            self._stopped = True
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _run(self) -> None:
        try:
            self._loop.run_forever()
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
        finally:
            self._loop.close()


class Delegate:
    """Something sync that stands for something async."""

    def __init__(self, thread: LoopThread, target: Any) -> None:
        self._thread = thread
        self._target = target

    def __repr__(self) -> str:
        return f"<sync {self._target!r}>"


def blocking(method: Callable[Concatenate[A, P], Asked[R]]) -> Callable[Concatenate[S, P], R]:
    """The method, but it waits."""

    @functools.wraps(method)
    def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._thread.ask(method(self._target, *args, **kwargs))

    return call


def starting(
    method: Callable[Concatenate[A, P], Asked[WorkflowHandle[T]]],
) -> "Callable[Concatenate[S, P], SyncWorkflowHandle[T]]":
    """The method, but it waits and gives a sync handle."""

    @functools.wraps(method)
    def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> SyncWorkflowHandle[T]:
        return SyncWorkflowHandle(self._thread, self._thread.ask(method(self._target, *args, **kwargs)))

    return call


def submitting(
    method: Callable[Concatenate[A, P], Asked[TaskHandle[T]]],
) -> "Callable[Concatenate[S, P], SyncTaskHandle[T]]":
    """The method, but it waits and gives a sync handle."""

    @functools.wraps(method)
    def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> SyncTaskHandle[T]:
        return SyncTaskHandle(self._thread, self._thread.ask(method(self._target, *args, **kwargs)))

    return call


class AtOnce:
    """Requests that are carried out in the thread of whoever makes them."""

    def __init__(self, thread: LoopThread, transaction: Transaction) -> None:
        self._thread = thread
        self._transaction = transaction


def at_once_of(
    method: Callable[Concatenate[Transaction, P], Asked[R]],
) -> "Callable[Concatenate[AtOnce, P], R]":
    """The method, in the thread of whoever calls it, where its connection is."""

    @functools.wraps(method)
    def call(self: AtOnce, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return at_once(method(self._transaction, *args, **kwargs))

    return call


def starting_at_once(
    method: Callable[Concatenate[Transaction, P], Asked[WorkflowHandle[T]]],
) -> "Callable[Concatenate[AtOnce, P], SyncWorkflowHandle[T]]":
    """The same, with a sync handle."""

    @functools.wraps(method)
    def call(self: AtOnce, /, *args: P.args, **kwargs: P.kwargs) -> SyncWorkflowHandle[T]:
        return SyncWorkflowHandle(self._thread, at_once(method(self._transaction, *args, **kwargs)))

    return call


def submitting_at_once(
    method: Callable[Concatenate[Transaction, P], Asked[TaskHandle[T]]],
) -> "Callable[Concatenate[AtOnce, P], SyncTaskHandle[T]]":
    """The same, with a sync handle."""

    @functools.wraps(method)
    def call(self: AtOnce, /, *args: P.args, **kwargs: P.kwargs) -> SyncTaskHandle[T]:
        return SyncTaskHandle(self._thread, at_once(method(self._transaction, *args, **kwargs)))

    return call


def iterating(
    method: Callable[Concatenate[A, P], AsyncIterator[R]],
) -> Callable[Concatenate[S, P], Iterator[R]]:
    """The method, but its iterator waits for each item."""

    @functools.wraps(method)
    def call(self: S, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[R]:
        items = method(self._target, *args, **kwargs)

        async def next_item() -> tuple[R, ...]:
            async for item in items:
                return (item,)
            return ()

        while found := self._thread.ask(next_item()):
            yield found[0]

    return call


class SyncWorkflowHandle(Delegate, Generic[T]):
    """One execution (see WorkflowHandle)."""

    _target: WorkflowHandle[T]

    @property
    def id(self) -> ExecutionId:
        """The execution's id."""
        return self._target.id

    @property
    def created(self) -> bool:
        """Whether this very start made the execution."""
        return self._target.created

    def result(self, *, timeout: float | None = None) -> T:
        """Wait for the end; the result, or the error that says how it ended."""
        return self._thread.ask(self._target.result(timeout=timeout))

    describe = blocking(WorkflowHandle.describe)
    history = blocking(WorkflowHandle.history)
    signal = blocking(WorkflowHandle.signal)
    query = blocking(WorkflowHandle.query)
    cancel = blocking(WorkflowHandle.cancel)
    terminate = blocking(WorkflowHandle.terminate)
    retry = blocking(WorkflowHandle.retry)
    reset = blocking(WorkflowHandle.reset)


class SyncTaskHandle(Delegate, Generic[T]):
    """One standalone task (see TaskHandle)."""

    _target: TaskHandle[T]

    @property
    def id(self) -> TaskId:
        """The task's id."""
        return self._target.id

    @property
    def created(self) -> bool:
        """Whether this very submission made the task."""
        return self._target.created

    def result(self, *, timeout: float | None = None) -> T:
        """Wait for the end; the result, or the error that says how it ended."""
        return self._thread.ask(self._target.result(timeout=timeout))

    describe = blocking(TaskHandle.describe)
    attempts = blocking(TaskHandle.attempts)
    cancel = blocking(TaskHandle.cancel)
    retry = blocking(TaskHandle.retry)
    lines = iterating(TaskHandle.lines)


class SyncTransaction(AtOnce):
    """A user's transaction on a connection of a sync library (see Transaction); nothing of it leaves this thread."""

    start = starting_at_once(Transaction.start)
    signal_with_start = starting_at_once(Transaction.signal_with_start)
    submit_task = submitting_at_once(Transaction.submit_task)
    submit_tasks = at_once_of(Transaction.submit_tasks)
    signal = at_once_of(Transaction.signal)
    cancel = at_once_of(Transaction.cancel)
    resolve_promise = at_once_of(Transaction.resolve_promise)
    reject_promise = at_once_of(Transaction.reject_promise)


class SyncHoldfast(Delegate):
    """A Holdfast for code that is not async: the same methods, but they wait.

    `with SyncHoldfast.open("sqlite:///app.db", workflows=[…], tasks=[…]) as hf:` or, in a notebook, open it in one cell
    and `hf.close()` it in another. Workflows and async tasks run on a background thread.
    """

    _target: Holdfast

    def __init__(self, opening: Opening) -> None:
        """Use `SyncHoldfast.open`."""
        thread = LoopThread()
        self._opening = opening
        try:
            super().__init__(thread, thread.ask(opening.__aenter__()))
        except BaseException:
            thread.stop()
            raise

    @classmethod
    def open(
        cls,
        url: str,
        *,
        workflows: Iterable[AnyWorkflow] = (),
        tasks: Iterable[AnyTask] = (),
        queues: Iterable[str] = (),
        settings: WorkerSettings | None = None,
        nodes: Nodes | None = None,
        clock: Clock | None = None,
        chance: Chance | None = None,
    ) -> Self:
        """Open a database at once (see Holdfast.open)."""
        return cls(
            Holdfast.open(
                url,
                workflows=workflows,
                tasks=tasks,
                queues=queues,
                settings=settings,
                nodes=nodes,
                clock=clock,
                chance=chance,
            )
        )

    @classmethod
    def connect(
        cls,
        url: str,
        *,
        workflows: Iterable[AnyWorkflow] = (),
        tasks: Iterable[AnyTask] = (),
        queues: Iterable[str] = (),
        settings: WorkerSettings | None = None,
        nodes: Nodes | None = None,
        token: str | None = None,
        tls: Tls | None = None,
    ) -> Self:
        """Connect to a server at once (see Holdfast.connect)."""
        return cls(
            Holdfast.connect(
                url,
                workflows=workflows,
                tasks=tasks,
                queues=queues,
                settings=settings,
                nodes=nodes,
                token=token,
                tls=tls,
            )
        )

    def in_transaction(self, connection: object) -> SyncTransaction:
        """Ask for things inside a transaction of your own (see Holdfast.in_transaction), with a sync connection."""
        return SyncTransaction(self._thread, self._target.in_transaction(connection, can_wait=False))

    def close(self) -> None:
        """Let running tasks end within the grace period, and let go of the database."""
        try:
            self._thread.ask(self._opening.__aexit__(None, None, None))
        except Stopped:
            return  # closed before
        finally:
            self._thread.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def serve_until_stopped(self) -> None:
        """Run until SIGTERM or SIGINT comes; only in the main thread, where Python handles signals."""
        stopping = threading.Event()

        def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
            stopping.set()

        before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            stopping.wait()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @overload
    def handle(self, execution_id: str) -> SyncWorkflowHandle[Any]: ...

    @overload
    def handle(self, execution_id: str, workflow: AsyncWorkflow[T]) -> SyncWorkflowHandle[T]: ...

    def handle(self, execution_id: str, workflow: SomeWorkflow | None = None) -> SyncWorkflowHandle[Any]:
        """A handle on an execution that exists; with `workflow` its result is read as that function's type."""
        target = self._target
        made = target.handle(execution_id) if workflow is None else target.handle(execution_id, workflow)
        return SyncWorkflowHandle(self._thread, made)

    def task_handle(self, task_id: str, task: SomeTask | None = None) -> SyncTaskHandle[Any]:
        """A handle on a task that exists."""
        return SyncTaskHandle(self._thread, self._target.task_handle(task_id, task))

    start = starting(Holdfast.start)
    run = blocking(Holdfast.run)
    signal = blocking(Holdfast.signal)

    @overload
    def query(self, execution_id: str, name: str, *args: object, type: type[T], timeout: DurationLike = ...) -> T: ...

    @overload
    def query(
        self, execution_id: str, name: str, *args: object, type: object = ..., timeout: DurationLike = ...
    ) -> Any: ...

    def query(
        self,
        execution_id: str,
        name: str,
        *args: object,
        type: object = object,  # noqa: A002 - as in Holdfast.query
        timeout: DurationLike = DEFAULT_TIMEOUT,
    ) -> Any:
        """What the code of an execution says to a query (see Holdfast.query)."""
        return self._thread.ask(self._target.query(execution_id, name, *args, type=type, timeout=timeout))

    signal_with_start = starting(Holdfast.signal_with_start)
    cancel = blocking(Holdfast.cancel)
    terminate = blocking(Holdfast.terminate)
    retry = blocking(Holdfast.retry)
    reset = blocking(Holdfast.reset)
    resolve_promise = blocking(Holdfast.resolve_promise)
    reject_promise = blocking(Holdfast.reject_promise)
    cancel_timer = blocking(Holdfast.cancel_timer)
    fire_timer = blocking(Holdfast.fire_timer)
    reschedule_timer = blocking(Holdfast.reschedule_timer)
    submit_task = submitting(Holdfast.submit_task)
    submit_tasks = blocking(Holdfast.submit_tasks)
    cancel_task = blocking(Holdfast.cancel_task)
    retry_task = blocking(Holdfast.retry_task)
    complete_task = blocking(Holdfast.complete_task)
    fail_task = blocking(Holdfast.fail_task)
    pause_queue = blocking(Holdfast.pause_queue)
    resume_queue = blocking(Holdfast.resume_queue)
    until_drained = blocking(Holdfast.until_drained)
    workers = blocking(Holdfast.workers)
    drain_worker = blocking(Holdfast.drain_worker)
    save_flow = blocking(Holdfast.save_flow)
    start_flow = starting(Holdfast.start_flow)
    run_flow = blocking(Holdfast.run_flow)
    flow = blocking(Holdfast.flow)
    flows = iterating(Holdfast.flows)
    flow_run = blocking(Holdfast.flow_run)
    pause_flow = blocking(Holdfast.pause_flow)
    resume_flow = blocking(Holdfast.resume_flow)
    rerun_flow = blocking(Holdfast.rerun_flow)
    deliver_webhook = blocking(Holdfast.deliver_webhook)
    describe = blocking(Holdfast.describe)
    list = blocking(Holdfast.list)
    history = blocking(Holdfast.history)
    state = blocking(Holdfast.state)
    promises = blocking(Holdfast.promises)
    timers = blocking(Holdfast.timers)
    describe_task = blocking(Holdfast.describe_task)
    list_tasks = blocking(Holdfast.list_tasks)
    attempts = blocking(Holdfast.attempts)
    task_lines = iterating(Holdfast.task_lines)
    save_schedule = blocking(Holdfast.save_schedule)
    save_schedule_spec = blocking(Holdfast.save_schedule_spec)
    delete_schedule = blocking(Holdfast.delete_schedule)
    pause_schedule = blocking(Holdfast.pause_schedule)
    resume_schedule = blocking(Holdfast.resume_schedule)
    trigger_schedule = blocking(Holdfast.trigger_schedule)
    backfill_schedule = blocking(Holdfast.backfill_schedule)
    schedule = blocking(Holdfast.schedule)
    schedules = iterating(Holdfast.schedules)
    queues = blocking(Holdfast.queues)
