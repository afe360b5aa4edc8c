"""WorkflowContext: everything durable that workflow code can ask for.

Asking is synchronous. What takes time gives a `DurableFuture` at once; await it when its value is needed, or hand it
to anything that asyncio offers: gather, wait, timeout, TaskGroup, shield, as_completed.
"""

import inspect
import random
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from datetime import datetime
from logging import Logger, LoggerAdapter
from typing import Any, TypeAlias, TypeVar, Unpack, overload

from holdfast.model.errors import InvalidArgument, shown
from holdfast.model.flows import FLOW_KIND
from holdfast.model.ids import ExecutionId, QueueName, TenantId, checked_id
from holdfast.model.instants import LATEST, DurationLike, Instant, datetime_of, instant_of
from holdfast.model.retries import RetryPolicy
from holdfast.sdk.hint_schemas import schema_of
from holdfast.sdk.replay.futures import DurableFuture
from holdfast.sdk.replay.hints import return_hint
from holdfast.sdk.replay.log_adapter import WorkflowLogger
from holdfast.sdk.replay.machine import Machine
from holdfast.sdk.replay.options import duration_ms, task_options
from holdfast.sdk.replay.ports import ChildLike, TaskLike
from holdfast.sdk.replay.scheduling import AS_USUAL, Scheduling, TaskChoices, scheduling_of

Result = TypeVar("Result")
Handler = TypeVar("Handler", bound=Callable[..., object])

Json: TypeAlias = Any
"""What is read without a type: null, a bool, a number, a string, a list or a dict of them."""

MAX_NAME = 255


class WorkflowContext:
    """What a workflow is given as `ctx`; only its own coroutines may use it."""

    __slots__ = ("_journal", "_logger", "_machine", "kind", "parent_id", "queue")

    def __init__(self, machine: Machine, *, kind: str, queue: QueueName, parent_id: ExecutionId | None = None) -> None:
        self._machine = machine
        self._journal = machine.journal
        self._logger: WorkflowLogger | None = None
        self.kind = kind
        """The name of the workflow's function."""
        self.queue = queue
        """Where its tasks and children go unless they name another queue."""
        self.parent_id = parent_id
        """The workflow that started this one as its child."""

    # Tasks.

    @overload
    def schedule(
        self, task: TaskLike[Coroutine[object, object, Result]], *args: object, **choices: Unpack[TaskChoices]
    ) -> DurableFuture[Result]: ...

    @overload
    def schedule(
        self, task: TaskLike[Result], *args: object, **choices: Unpack[TaskChoices]
    ) -> DurableFuture[Result]: ...

    def schedule(self, task: TaskLike[object], *args: object, **choices: Unpack[TaskChoices]) -> DurableFuture[Json]:
        """Schedule a task with its input; what is not chosen is as the task's decorator says.

        Choices: `queue`, `max_retries` or `retry`, `timeout` (of one try), `schedule_to_start_timeout`,
        `schedule_to_close_timeout`, `heartbeat_timeout`, `priority`, `delay` (of the first try), `idempotency_key`.
        The future gives the task's result, or raises TaskFailed, TaskTimedOut or TaskCancelled. Cancelling it asks for
        the end of the task.
        """
        self._journal.enter()
        usual = Scheduling(task.queue, task.options, task.priority)
        return self._machine.tasks.schedule(
            task.task_type, task.encode_input(args, {}), task.decode_output, scheduling_of(choices, usual)
        )

    def schedule_raw(
        self,
        task_type: str,
        input: object = None,  # noqa: A002 - the word of the wire
        **choices: Unpack[TaskChoices],
    ) -> DurableFuture[Json]:
        """Schedule a task by its name, as one that is written elsewhere; choices as for `schedule`."""
        self._journal.enter()
        return self._machine.tasks.schedule(
            checked_id(task_type, "the task type"),
            self._encode(input, f"the input of task {task_type!r}"),
            self._reader(object, "the result of task", task_type),
            scheduling_of(choices, AS_USUAL),
        )

    # Children.

    @overload
    def schedule_workflow(
        self,
        name: str,
        workflow: ChildLike[Coroutine[object, object, Result]],
        *args: object,
        queue: str | None = ...,
        timeout: DurationLike | None = ...,
    ) -> DurableFuture[Result]: ...

    @overload
    def schedule_workflow(
        self,
        name: str,
        workflow: ChildLike[Result],
        *args: object,
        queue: str | None = ...,
        timeout: DurationLike | None = ...,
    ) -> DurableFuture[Result]: ...

    def schedule_workflow(
        self,
        name: str,
        workflow: ChildLike[object],
        *args: object,
        queue: str | None = None,
        timeout: DurationLike | None = None,
    ) -> DurableFuture[Json]:
        """Start another workflow as a child, under a name that says what it is for.

        The future gives its result, or raises ChildFailed; its `id` is the child's execution id. Cancelling the future
        asks for the child's cancellation.
        """
        self._journal.enter()
        return self._machine.children.start(
            _checked_name(name, "a child"),
            workflow.kind,
            workflow.encode_input(args, {}),
            workflow.decode_output,
            queue=workflow.queue if queue is None else checked_id(queue, "the queue"),
            timeout_ms=workflow.timeout_ms if timeout is None else duration_ms(timeout, "timeout"),
        )

    def schedule_workflow_raw(
        self,
        name: str,
        kind: str,
        input: object = None,  # noqa: A002
        *,
        queue: str | None = None,
        timeout: DurationLike | None = None,
    ) -> DurableFuture[Json]:
        """Start a child by its kind, as one that is written elsewhere; input and result are plain JSON."""
        self._journal.enter()
        return self._machine.children.start(
            _checked_name(name, "a child"),
            checked_id(kind, "the kind of a child"),
            self._encode(input, f"the input of child {name!r}"),
            self._reader(object, "the result of child", name),
            queue=None if queue is None else checked_id(queue, "the queue"),
            timeout_ms=None if timeout is None else duration_ms(timeout, "timeout"),
        )

    def schedule_flow(
        self,
        name: str,
        flow: str,
        input: object = None,  # noqa: A002
        *,
        queue: str | None = None,
        timeout: DurationLike | None = None,
    ) -> DurableFuture[Json]:
        """Start a run of a flow, of its newest version, as a child; input and result are plain JSON."""
        kind = FLOW_KIND + checked_id(flow, "the name of a flow")
        return self.schedule_workflow_raw(name, kind, input, queue=queue, timeout=timeout)

    # Time.

    def sleep(self, duration: DurationLike) -> DurableFuture[None]:
        """Wait for a timedelta or a number of seconds; the timer outlives every process.

        Cancelling the future cancels the timer. TimerDisarmed is raised if someone cancels it from outside.
        """
        self._journal.enter()
        return self._machine.timers.sleep(duration_ms=duration_ms(duration, "the duration of a sleep"))

    def sleep_until(self, instant: datetime | Instant) -> DurableFuture[None]:
        """Wait until an instant; one that has passed is over at once."""
        self._journal.enter()
        return self._machine.timers.sleep(fire_at=_checked_instant(instant))

    def current_time_millis(self) -> int:
        """The time of the last event that the code was given, in milliseconds since 1970."""
        return int(self._journal.loop.now)

    def now(self) -> datetime:
        """The time of the last event that the code was given, in UTC."""
        return datetime_of(self._journal.loop.now)

    # Promises.

    @overload
    def promise(
        self,
        name: str,
        type: type[Result],
        timeout: DurationLike | None = ...,
    ) -> DurableFuture[Result]: ...

    @overload
    def promise(
        self,
        name: str,
        type: object = ...,
        timeout: DurationLike | None = ...,
    ) -> DurableFuture[Json]: ...

    def promise(
        self,
        name: str,
        type: object = object,  # noqa: A002 - what callers write: promise("approval", type=Approval)
        timeout: DurationLike | None = None,
    ) -> DurableFuture[Json]:
        """A value that someone outside will supply, by the future's `id` or by the workflow's id and this name.

        The future raises PromiseRejected or PromiseTimedOut if they refuse, or let the timeout pass.
        """
        self._journal.enter()
        return self._machine.promises.create(
            _checked_name(name, "a promise"),
            self._reader(type, "the value of promise", name),
            timeout_ms=None if timeout is None else duration_ms(timeout, "timeout"),
            describe=lambda: schema_of(type),
        )

    def promise_raw(self, name: str, timeout: DurationLike | None = None) -> DurableFuture[Json]:
        """A promise of plain JSON."""
        return self.promise(name, object, timeout)

    def resolve_promise(self, promise: DurableFuture[Result], value: Result) -> None:
        """Settle a promise of this workflow from inside; one that is settled already stays as it is."""
        self._journal.enter()
        self._machine.promises.resolve(promise.id, self._encode(value, f"the value of promise {promise.name!r}"))

    # Operations.

    @overload
    def run(
        self,
        name: str,
        function: Callable[[], Awaitable[Result]],
        *,
        retry: RetryPolicy | int | None = ...,
        deferred: bool = ...,
        type: object = ...,
    ) -> DurableFuture[Result]: ...

    @overload
    def run(
        self,
        name: str,
        function: Callable[[], Result],
        *,
        retry: RetryPolicy | int | None = ...,
        deferred: bool = ...,
        type: object = ...,
    ) -> DurableFuture[Result]: ...

    def run(
        self,
        name: str,
        function: Callable[[], object],
        *,
        retry: RetryPolicy | int | None = None,
        deferred: bool = False,
        type: object = None,  # noqa: A002
    ) -> DurableFuture[Json]:
        """Run a function once, and keep its result: on replay it is not run again.

        The result is on disk before the workflow goes on, so a crash never repeats a finished step. `deferred=True` is
        for cheap plain functions: it runs on the spot, and its result is kept with what the workflow asks for next.
        The function may be async; it must not use `ctx`. `type` says what the result is read as; without it, the
        function's return annotation does, or plain JSON. The future raises OperationFailed if the function raises.
        """
        self._journal.enter()
        decode = self._reader(return_hint(function) if type is None else type, "the result of operation", name)
        checked = _checked_name(name, "an operation")
        if deferred:
            return self._machine.operations.run_now(checked, function, decode)
        return self._machine.operations.run(checked, function, decode, _policy(retry))

    # Signals.

    @overload
    def wait_for_signal(
        self,
        name: str,
        type: type[Result],
        timeout: DurationLike | None = ...,
    ) -> DurableFuture[Result]: ...

    @overload
    def wait_for_signal(
        self,
        name: str,
        type: object = ...,
        timeout: DurationLike | None = ...,
    ) -> DurableFuture[Json]: ...

    def wait_for_signal(
        self,
        name: str,
        type: object = object,  # noqa: A002
        timeout: DurationLike | None = None,
    ) -> DurableFuture[Json]:
        """The value of the next signal of a name, in the order of their arrival; TimeoutError after `timeout`."""
        self._journal.enter()
        signals = self._machine.signals
        future = signals.wait(_checked_name(name, "a signal"), self._reader(type, "the value of signal", name))
        if timeout is not None and not future.done():
            timer = self._machine.timers.sleep(duration_ms=duration_ms(timeout, "timeout"))
            signals.limit(future, timer)
        return future

    def has_signal(self, name: str) -> bool:
        """Whether a signal of the name has come that was not taken yet."""
        self._journal.look()
        return self._machine.signals.has(name)

    @overload
    def drain_signals(self, name: str, type: type[Result]) -> list[Result]: ...

    @overload
    def drain_signals(self, name: str, type: object = ...) -> list[Json]: ...

    def drain_signals(self, name: str, type: object = object) -> list[Json]:  # noqa: A002
        """Take the values of all signals of the name that have come so far."""
        self._journal.enter()
        read = self._reader(type, "the value of signal", name)
        return [read(value) for value in self._machine.signals.drain(name)]

    # Queries.

    def set_query_handler(self, name: str, function: Callable[..., object]) -> None:
        """Let a plain function answer the queries of a name, from here on; another one of the name takes its place.

        It is called while the code stands still, and also when the execution has ended. Its input and output are read
        and written by its hints. It may look at what the code holds and at `get_state`, `state_keys`, `has_signal` and
        `now`; what asks for anything is refused. Nothing of a query is kept, so handlers must not change anything.
        """
        self._journal.enter()
        checked = _checked_name(name, "a query")
        if not callable(function) or inspect.iscoroutinefunction(function):
            raise InvalidArgument(f"the handler of query {checked!r} must be a plain function, not {shown(function)}")
        self._machine.queries.set(checked, self._journal.codec.handler(checked, function))

    @overload
    def query(self, name: str, /) -> Callable[[Handler], Handler]: ...

    @overload
    def query(self, function: Handler, /) -> Handler: ...

    def query(self, named: "str | Handler", /) -> "Handler | Callable[[Handler], Handler]":
        """Decorates a handler: `@ctx.query` under the function's name, or `@ctx.query("name")`."""
        if not isinstance(named, str):
            self.set_query_handler(getattr(named, "__name__", ""), named)
            return named

        def decorate(function: Handler) -> Handler:
            self.set_query_handler(named, function)
            return function

        return decorate

    # State.

    @overload
    def get_state(self, key: str, type: type[Result]) -> Result | None: ...

    @overload
    def get_state(self, key: str, type: type[Result], default: Result) -> Result: ...

    @overload
    def get_state(self, key: str, type: object = ..., default: object = ...) -> Json: ...

    def get_state(self, key: str, type: object = object, default: object = None) -> Json:  # noqa: A002
        """A value of this execution's state; `default` if the key is not set."""
        self._journal.look()
        value = self._machine.state.values.get(key)
        return default if value is None else self._reader(type, "the value of state", key)(value)

    def set_state(self, key: str, value: object) -> None:
        """Set a key of this execution's state, which everyone who sees the execution can read."""
        self._journal.enter()
        data = self._encode(value, f"the value of state {shown(key)}")
        self._machine.state.set(_checked_name(key, "a state key"), data)

    def clear_state(self, key: str) -> None:
        """Remove a key of this execution's state."""
        self._journal.enter()
        self._machine.state.clear(_checked_name(key, "a state key"))

    def state_keys(self) -> list[str]:
        """The keys that are set, in the order in which they were."""
        self._journal.look()
        return list(self._machine.state.values)

    # Chance.

    @property
    def random_generator(self) -> random.Random:
        """A generator seeded by the execution: it gives the same numbers on every replay."""
        self._journal.enter()
        return self._machine.chance.generator

    def random(self) -> float:
        """A number from 0 up to, but not, 1; the same on every replay."""
        return self.random_generator.random()

    def random_uuid(self) -> uuid.UUID:
        """A UUID of version 4; the same on every replay."""
        self._journal.enter()
        return self._machine.chance.uuid()

    # The execution.

    @property
    def execution_id(self) -> ExecutionId:
        """The id of this execution."""
        return self._journal.execution_id

    @property
    def tenant(self) -> TenantId:
        """The tenant that this execution belongs to."""
        return self._journal.tenant

    @property
    def is_replaying(self) -> bool:
        """Whether the code repeats what it did before; only for what is not durable, such as printing."""
        return self._journal.is_replaying

    @property
    def is_cancelled(self) -> bool:
        """Whether someone has asked for this execution's end."""
        return self._machine.cancellation_reason is not None

    @property
    def cancellation_reason(self) -> str | None:
        """Why they asked; None if nobody has."""
        return self._machine.cancellation_reason

    @property
    def logger(self) -> "LoggerAdapter[Logger]":
        """A logger that adds the workflow's kind and id, and is silent while replaying."""
        if self._logger is None:
            self._logger = WorkflowLogger(self._journal, self.kind)
        return self._logger

    def patched(self, patch_id: str) -> bool:
        """Guard a change of code that executions are running: `if ctx.patched("new-fee"): new() else: old()`.

        True where the code has not been yet; False for an execution that went past this line with the old code. The
        first answer holds for the whole execution, on every replay.
        """
        self._journal.enter()
        return self._machine.patches.is_patched(_checked_name(patch_id, "a patch"))

    def __repr__(self) -> str:
        return f"<WorkflowContext of {self.kind!r} {self.execution_id!r}>"

    def _encode(self, value: object, what: str) -> bytes:
        return self._journal.codec.encode(value, what=what)

    def _reader(self, hint: object, what: str, name: str) -> Callable[[bytes], object]:
        decode = self._journal.codec.decode
        return lambda data: decode(data, hint, what=f"{what} {name!r}")


def _checked_name(name: str, what: str) -> str:
    """The name itself, if it can be kept everywhere and shown on one line."""
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME or not name.isprintable():
        raise InvalidArgument(f"the name of {what} must be 1 to {MAX_NAME} printable characters, not {shown(name)}")
    return name


def _checked_instant(instant: datetime | Instant) -> Instant:
    if isinstance(instant, int):
        # One that lies further back is over just as well.
        return Instant(min(max(0, instant), LATEST))
    try:
        return instant_of(instant)
    except (AttributeError, ValueError) as error:
        raise InvalidArgument(f"an instant must be a datetime with a time zone, not {instant!r}") from error


def _policy(retry: RetryPolicy | int | None) -> RetryPolicy | None:
    return None if retry is None else task_options(retries=retry).retry
