"""The decorators @workflow and @task, and what they make of a function.

A decorated function stays what it was: calling it in a test calls the function. Beside that it knows its name on the
wire, its options, and how its arguments and results become payloads.
"""

import functools
from collections.abc import Callable
from typing import Concatenate, Generic, Literal, ParamSpec, Protocol, Self, TypeVar, cast, overload

from holdfast.model.commands import DEFAULT_TASK_OPTIONS, TaskOptions, checked_priority
from holdfast.model.errors import InvalidArgument
from holdfast.model.ids import checked_id
from holdfast.model.instants import DurationLike, Milliseconds
from holdfast.model.retries import RetryPolicy
from holdfast.sdk.payload import encode
from holdfast.sdk.replay.options import duration_ms, task_options
from holdfast.sdk.retrying import tried
from holdfast.sdk.signatures import Signature, signature_of
from holdfast.sdk.task_context import TaskContext
from holdfast.sdk.workflow_context import WorkflowContext

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

Executor = Literal["auto", "thread", "process"]

NO_RETRIES = RetryPolicy(max_retries=0)
"""A workflow whose code fails has failed, unless it says otherwise."""


class Definition(Generic[P, R_co]):
    """A decorated function; what workflows and tasks have in common."""

    what = "function"

    def __init__(self, function: Callable[P, R_co], *, name: str | None, queue: str | None) -> None:
        self.function = function
        self.name = checked_id(name or function.__name__, f"the name of a {self.what}")
        self.queue = None if queue is None else checked_id(queue, "the queue")
        self._needs_instance = False
        _take_names(self, function)

    def __call__(self, *args: object, **kwargs: object) -> R_co:
        """Call the function itself, with its context if it takes one; nothing is durable about it."""
        function = cast("Callable[..., R_co]", self.function)
        return function(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> Self:
        """A method's definition, bound to an instance: this is what is registered."""
        if instance is None:
            return self
        bound = self._copy()
        method = cast("Callable[..., R_co]", self.function)
        bound.function = cast("Callable[P, R_co]", functools.partial(method, instance))
        _take_names(bound, self.function)
        return bound

    def __repr__(self) -> str:
        return f"<{self.what} {self.name!r} of {self.where}>"

    @property
    def where(self) -> str:
        """Module and name of the function, for messages."""
        return f"{self.function_module}.{getattr(self, '__qualname__', self.name)}"

    @property
    def function_module(self) -> str:
        """The module that the function was written in."""
        return str(getattr(self, "__module__", ""))

    @functools.cached_property
    def signature(self) -> Signature:
        """How the function is called."""
        contexts = (TaskContext, WorkflowContext)
        return signature_of(self.function, what=f"{self.what} {self.name!r}", contexts=contexts)

    def encode_input(self, args: tuple[object, ...], kwargs: dict[str, object]) -> bytes:
        """A call's arguments as a payload."""
        return self.signature.bind(args, kwargs)

    def encode_output(self, value: object) -> bytes:
        """A returned value as a payload."""
        return encode(value, what=f"the result of {self.what} {self.name!r}")

    def decode_output(self, data: bytes) -> object:
        """The returned value that a payload stands for."""
        return self.signature.result.decode(data, what=f"the result of {self.what} {self.name!r}")

    def bound_call(self, context: object, data: bytes) -> Callable[[], object]:
        """The call that a payload asks for."""
        args, kwargs = self.signature.unbind(data)
        if self.signature.takes_context:
            return functools.partial(cast("Callable[..., object]", self.function), context, *args, **kwargs)
        return functools.partial(cast("Callable[..., object]", self.function), *args, **kwargs)

    def _copy(self) -> Self:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.__dict__.pop("signature", None)
        return made


def _take_names(definition: object, function: Callable[..., object]) -> None:
    """Let a definition look like its function to whoever asks for its name, module and documentation."""
    cast("Callable[[object, object], object]", functools.update_wrapper)(definition, function)


class TaskDefinition(Definition[P, R_co]):
    """A function that does the work outside of workflows: it may do anything, and runs at least once."""

    what = "task"

    def __init__(
        self,
        function: Callable[P, R_co],
        *,
        name: str | None = None,
        queue: str | None = None,
        options: TaskOptions = DEFAULT_TASK_OPTIONS,
        priority: int = 0,
        executor: Executor = "auto",
        version: str = "",
    ) -> None:
        super().__init__(function, name=name, queue=queue)
        self.task_type = self.name
        self.options = options
        self.priority = checked_priority(priority)
        self.executor = executor
        self.version = version


class WorkflowDefinition(Definition[P, R_co]):
    """An async function whose progress is durable."""

    what = "workflow"

    def __init__(
        self,
        function: Callable[P, R_co],
        *,
        name: str | None = None,
        queue: str | None = None,
        retry: RetryPolicy = NO_RETRIES,
        timeout_ms: Milliseconds | None = None,
        version: str = "",
    ) -> None:
        super().__init__(function, name=name, queue=queue)
        self.kind = self.name
        self.retry = retry
        self.timeout_ms = timeout_ms
        self.version = version

    def invoke(self, context: WorkflowContext, data: bytes) -> object:
        """The coroutine of a run with this input."""
        call = self.bound_call(context, data)
        return call() if self.retry.max_retries == 0 else tried(call, context, self.retry)


class TaskDecorator(Protocol):
    """What `@task(…)` with options gives."""

    @overload
    def __call__(self, function: Callable[Concatenate[TaskContext, P], R], /) -> TaskDefinition[P, R]: ...

    @overload
    def __call__(self, function: Callable[P, R], /) -> TaskDefinition[P, R]: ...


class WorkflowDecorator(Protocol):
    """What `@workflow(…)` with options gives."""

    @overload
    def __call__(self, function: Callable[Concatenate[WorkflowContext, P], R], /) -> WorkflowDefinition[P, R]: ...

    @overload
    def __call__(self, function: Callable[P, R], /) -> WorkflowDefinition[P, R]: ...


# @task


@overload
def task(function: Callable[Concatenate[TaskContext, P], R], /) -> TaskDefinition[P, R]: ...


@overload
def task(function: Callable[P, R], /) -> TaskDefinition[P, R]: ...


@overload
def task(
    *,
    task_type: str | None = None,
    queue: str | None = None,
    retries: int | RetryPolicy | None = None,
    timeout: DurationLike | None = None,
    schedule_to_start_timeout: DurationLike | None = None,
    schedule_to_close_timeout: DurationLike | None = None,
    heartbeat_timeout: DurationLike | None = None,
    priority: int = 0,
    executor: Executor = "auto",
    version: str = "",
) -> TaskDecorator: ...


def task(  # every option of a task has a name
    function: Callable[P, R] | None = None,
    /,
    *,
    task_type: str | None = None,
    queue: str | None = None,
    retries: int | RetryPolicy | None = None,
    timeout: DurationLike | None = None,
    schedule_to_start_timeout: DurationLike | None = None,
    schedule_to_close_timeout: DurationLike | None = None,
    heartbeat_timeout: DurationLike | None = None,
    priority: int = 0,
    executor: Executor = "auto",
    version: str = "",
) -> object:
    """Make a function a task: `@task`, or `@task(retries=5, timeout=timedelta(seconds=30))`.

    It is known by its `task_type`, which is the function's name unless another is given.
    `timeout` limits one try; `schedule_to_start_timeout` the wait for a worker, `schedule_to_close_timeout` all tries
    together, `heartbeat_timeout` the silence between two `ctx.heartbeat()`. `executor="process"` runs a plain function
    in a process of its own pool. `version` is shown to operators beside the workers that run it.
    """
    options = task_options(
        retries=retries,
        timeout=timeout,
        schedule_to_start_timeout=schedule_to_start_timeout,
        schedule_to_close_timeout=schedule_to_close_timeout,
        heartbeat_timeout=heartbeat_timeout,
    )

    def decorate(decorated: Callable[P, R]) -> TaskDefinition[P, R]:
        _check_callable("task", decorated)
        return TaskDefinition(
            decorated,
            name=task_type,
            queue=queue,
            options=options,
            priority=priority,
            executor=executor,
            version=version,
        )

    return decorate if function is None else decorate(function)


# @workflow


@overload
def workflow(function: Callable[Concatenate[WorkflowContext, P], R], /) -> WorkflowDefinition[P, R]: ...


@overload
def workflow(function: Callable[P, R], /) -> WorkflowDefinition[P, R]: ...


@overload
def workflow(
    *,
    kind: str | None = None,
    queue: str | None = None,
    retries: int | RetryPolicy | None = None,
    timeout: DurationLike | None = None,
    version: str = "",
) -> WorkflowDecorator: ...


def workflow(
    function: Callable[P, R] | None = None,
    /,
    *,
    kind: str | None = None,
    queue: str | None = None,
    retries: int | RetryPolicy | None = None,
    timeout: DurationLike | None = None,
    version: str = "",
) -> object:
    """Make an async function a workflow: `@workflow`, or `@workflow(kind="checkout", timeout=timedelta(days=30))`.

    It is known by its `kind`, which is the function's name unless another is given. With `retries`, a failure runs the
    function again from its beginning after a durable pause; `timeout` limits all tries together.
    """
    retry = NO_RETRIES if retries is None else task_options(retries=retries).retry
    timeout_ms = None if timeout is None else duration_ms(timeout, "timeout")

    def decorate(decorated: Callable[P, R]) -> WorkflowDefinition[P, R]:
        _check_callable("workflow", decorated)
        return WorkflowDefinition(
            decorated, name=kind, queue=queue, retry=retry, timeout_ms=timeout_ms, version=version
        )

    return decorate if function is None else decorate(function)


def _check_callable(what: str, decorated: object) -> None:
    if not callable(decorated):
        raise InvalidArgument(f"@{what} decorates a function; its options are given by name: @{what}(queue=…)")
