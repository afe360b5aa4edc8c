"""Everything that a client can ask to happen."""

from collections.abc import Callable, Coroutine, Iterable
from datetime import datetime
from typing import Any, TypeVar, overload

import msgspec

from holdfast.app.checking import checked_moment, chosen_queue
from holdfast.app.handles import TaskHandle, WorkflowHandle
from holdfast.app.reading import Reading
from holdfast.model.commands import TaskOptions, checked_priority
from holdfast.model.errors import InvalidArgument
from holdfast.model.failures import Failure
from holdfast.model.ids import (
    ExecutionId,
    PromiseId,
    QueueName,
    TaskId,
    TenantId,
    TimerId,
    checked_id,
    checked_key,
    checked_text,
    checked_uuid,
    time_ordered_id,
)
from holdfast.model.instants import DurationLike, Instant, later
from holdfast.model.records import NO_METADATA, Execution, Task
from holdfast.model.requests import (
    CancelTaskExecution,
    CancelWorkflow,
    DisarmTimer,
    MoveTimer,
    NewTask,
    PauseQueue,
    Request,
    ResetWorkflow,
    ResumeQueue,
    RetryTaskExecution,
    RetryWorkflow,
    SettlePromise,
    SettleTask,
    SignalWorkflow,
    StartWorkflow,
    SubmitTasks,
    TerminateWorkflow,
)
from holdfast.model.reset_rule import point_before_task
from holdfast.model.retries import RetryPolicy
from holdfast.model.statuses import ReusePolicy
from holdfast.ports.engine import Engine
from holdfast.ports.watches import Watch
from holdfast.sdk import tracing
from holdfast.sdk.definitions import TaskDefinition, WorkflowDefinition
from holdfast.sdk.failures import failure_of
from holdfast.sdk.payload import decode, encode
from holdfast.sdk.replay.options import duration_ms, task_options
from holdfast.worker.registry import Registry

T = TypeVar("T")
Reply = TypeVar("Reply")

AsyncWorkflow = WorkflowDefinition[..., Coroutine[Any, Any, T]]
"""A workflow whose result is a T."""

SomeWorkflow = WorkflowDefinition[..., Any]
SomeTask = TaskDefinition[..., Any]

ID_BITS = 74


class Asking(Reading):
    """The requests of a Holdfast."""

    def __init__(self, engine: Engine, tenant: TenantId, registry: Registry) -> None:
        super().__init__(engine, tenant)
        self._registry = registry

    async def _send(self, request: Request[Reply]) -> Reply:
        return await self._engine.send(request)

    def _watch_new_execution(self, key: tuple[str, str]) -> Watch[Execution] | None:
        return self._engine.executions.watch(key)

    def _watch_new_task(self, key: tuple[str, str]) -> Watch[Task] | None:
        return self._engine.tasks.watch(key)

    # Workflows.

    @overload
    async def start(
        self,
        workflow: AsyncWorkflow[T],
        *args: object,
        id: str | None = ...,
        queue: str | None = ...,
        timeout: DurationLike | None = ...,
        metadata: object = ...,
        idempotency_key: str | None = ...,
        key_ttl: DurationLike | None = ...,
        reuse: ReusePolicy = ...,
    ) -> WorkflowHandle[T]: ...

    @overload
    async def start(
        self,
        workflow: str,
        *args: object,
        id: str | None = ...,
        queue: str | None = ...,
        timeout: DurationLike | None = ...,
        metadata: object = ...,
        idempotency_key: str | None = ...,
        key_ttl: DurationLike | None = ...,
        reuse: ReusePolicy = ...,
    ) -> WorkflowHandle[Any]: ...

    async def start(
        self,
        workflow: SomeWorkflow | str,
        *args: object,
        id: str | None = None,  # noqa: A002 - the word users know
        queue: str | None = None,
        timeout: DurationLike | None = None,
        metadata: object = None,
        idempotency_key: str | None = None,
        key_ttl: DurationLike | None = None,
        reuse: ReusePolicy = ReusePolicy.RETURN_EXISTING,
    ) -> WorkflowHandle[Any]:
        """Start an execution. When this returns it is on disk.

        The same `id` again, with the same workflow and input, gives the execution that is there: so a start may be
        repeated safely. With other input it is an IdempotencyConflict. Starts with the same `idempotency_key` are about
        the same execution too, within `key_ttl` if that is given. `reuse` says when another one may take the place of
        the one under the key, or without a key under the id: it then gets an id of its own, such as `order-17~2`, and
        starts and signals under the id find the newest.
        """
        request, read = self._start_request(workflow, args, id, queue, timeout, metadata)
        keyed = msgspec.structs.replace(
            request,
            idempotency_key=None if idempotency_key is None else checked_key(idempotency_key, "the idempotency key"),
            key_ttl_ms=None if key_ttl is None else duration_ms(key_ttl, "key_ttl"),
            reuse_policy=reuse,
            request_id="" if reuse is ReusePolicy.RETURN_EXISTING else self._new_id(),
        )
        return await self._start(keyed, read)

    @overload
    async def run(self, workflow: AsyncWorkflow[T], *args: object, id: str | None = ...) -> T: ...

    @overload
    async def run(self, workflow: str, *args: object, id: str | None = ...) -> Any: ...

    async def run(
        self,
        workflow: SomeWorkflow | str,
        *args: object,
        id: str | None = None,  # noqa: A002 - the word users know
    ) -> Any:
        """Start an execution and wait for its result."""
        request, read = self._start_request(workflow, args, id, None, None, None)
        handle = await self._start(request, read)
        return await handle.result()

    async def signal_with_start(
        self,
        workflow: SomeWorkflow | str,
        *args: object,
        id: str,  # noqa: A002 - the word users know
        signal: str,
        value: object = None,
        request_id: str = "",
        queue: str | None = None,
    ) -> WorkflowHandle[Any]:
        """Give an execution a signal, and start it first if it is not there, in one transaction."""
        request, read = self._start_request(workflow, args, id, queue, None, None)
        sent = self._signal(request.execution_id, signal, value, request_id)
        return await self._start(msgspec.structs.replace(request, signal=sent), read)

    async def _start(self, request: StartWorkflow, read: Callable[[bytes], object]) -> WorkflowHandle[Any]:
        # The watch is there before the request, so an end cannot be missed, however soon it comes.
        watch = self._watch_new_execution((request.tenant, request.execution_id))
        started = await self._send(request)
        return WorkflowHandle(
            self,
            started.execution_id,
            decode=read,
            # Who follows under a used id has got an id of its own.
            watch=watch if started.created and started.execution_id == request.execution_id else None,
            created=started.created,
        )

    def _start_request(
        self,
        workflow: SomeWorkflow | str,
        args: tuple[object, ...],
        execution_id: str | None,
        queue: str | None,
        timeout: DurationLike | None,
        metadata: object,
    ) -> tuple[StartWorkflow, Callable[[bytes], object]]:
        given = None if timeout is None else duration_ms(timeout, "timeout")
        request_id = self._new_id() if execution_id is None else checked_id(execution_id, "the workflow id")
        described = NO_METADATA if metadata is None else encode(metadata, what="the metadata")
        definition = self._workflow(workflow)
        if definition is None:
            kind, default_queue, timeout_ms = checked_id(str(workflow), "the workflow's kind"), None, given
            payload, read = _plain_input(str(workflow), args), _plain
        else:
            kind, default_queue = definition.kind, definition.queue
            timeout_ms = definition.timeout_ms if given is None else given
            payload, read = definition.encode_input(args, {}), definition.decode_output
        chosen = chosen_queue(queue, default_queue)
        identity = ExecutionId(request_id)
        request = StartWorkflow(
            self.tenant, identity, kind, payload, chosen, described, timeout_ms, trace=tracing.current_trace()
        )
        return request, read

    def _workflow(self, workflow: SomeWorkflow | str) -> SomeWorkflow | None:
        if not isinstance(workflow, str):
            return workflow
        # Without workflows of its own this process only asks; it need not know what others run.
        return self._registry.workflow(workflow) if self._registry.workflows else None

    @overload
    def handle(self, execution_id: str) -> WorkflowHandle[Any]: ...

    @overload
    def handle(self, execution_id: str, workflow: AsyncWorkflow[T]) -> WorkflowHandle[T]: ...

    def handle(self, execution_id: str, workflow: AsyncWorkflow[T] | None = None) -> WorkflowHandle[Any]:
        """A handle on an execution that exists; with `workflow` its result is read as that function's type."""
        read = _plain if workflow is None else workflow.decode_output
        return WorkflowHandle(self, ExecutionId(execution_id), decode=read)

    async def signal(self, execution_id: str, name: str, value: object = None, *, request_id: str = "") -> None:
        """Give an execution a value under a name; the same `request_id` again has no effect."""
        await self._send(self._signal(ExecutionId(execution_id), name, value, request_id))

    def _signal(self, execution_id: ExecutionId, name: str, value: object, request_id: str) -> SignalWorkflow:
        payload = encode(value, what=f"the value of signal {name!r}")
        once = checked_key(request_id, "the request id")
        return SignalWorkflow(self.tenant, execution_id, checked_id(name, "the signal's name"), payload, once)

    async def cancel(self, execution_id: str, reason: str = "", *, requested_by: str = "") -> bool:
        """Ask an execution to end; False if that has been asked before."""
        request = CancelWorkflow(self.tenant, ExecutionId(execution_id), *_why(reason, requested_by))
        return (await self._send(request)).changed

    async def terminate(self, execution_id: str, reason: str = "") -> None:
        """End an execution at once, without asking its code."""
        await self._send(TerminateWorkflow(self.tenant, ExecutionId(execution_id), checked_text(reason, "the reason")))

    async def retry(self, execution_id: str, reason: str = "", *, requested_by: str = "") -> None:
        """Let a failed execution go on from where it stands, with the code of today."""
        await self._send(RetryWorkflow(self.tenant, ExecutionId(execution_id), *_why(reason, requested_by)))

    async def reset(
        self,
        execution_id: str,
        *,
        to_sequence: int | None = None,
        to_before_task: str | None = None,
        reason: str = "",
        requested_by: str = "",
    ) -> None:
        """Send an execution back to an event of its history, or to before a task (the last of that type, or by id).

        Its code forgets what came after, and goes on from there with the code of today.
        """
        if (to_sequence is None) == (to_before_task is None):
            raise InvalidArgument("a reset needs either to_sequence or to_before_task")
        point = to_sequence
        if to_before_task is not None:
            point = point_before_task(await self.history(execution_id), to_before_task)
            if point is None:
                raise InvalidArgument(f"workflow {execution_id!r} has scheduled no task {to_before_task!r}")
        await self._send(ResetWorkflow(self.tenant, ExecutionId(execution_id), point or 0, *_why(reason, requested_by)))

    # Promises and timers.

    async def resolve_promise(
        self,
        promise_id: str | None = None,
        value: object = None,
        *,
        execution_id: str | None = None,
        name: str | None = None,
    ) -> None:
        """Give a promise its value; name it by its id, or by execution and name."""
        payload = encode(value, what="the value of a promise")
        await self._send(self._settlement(promise_id, execution_id, name, payload, None))

    async def reject_promise(
        self,
        promise_id: str | None = None,
        error: BaseException | str = "rejected",
        *,
        execution_id: str | None = None,
        name: str | None = None,
    ) -> None:
        """Let whoever awaits a promise get PromiseRejected."""
        failure = Failure("Rejected", checked_text(error, "the error")) if isinstance(error, str) else failure_of(error)
        await self._send(self._settlement(promise_id, execution_id, name, None, failure))

    def _settlement(
        self,
        promise_id: str | None,
        execution_id: str | None,
        name: str | None,
        value: bytes | None,
        failure: Failure | None,
    ) -> SettlePromise:
        if (promise_id is None) == (execution_id is None or name is None):
            raise InvalidArgument("name a promise by its id, or by execution_id and name")
        owner = None if execution_id is None else ExecutionId(execution_id)
        identity = None if promise_id is None else PromiseId(promise_id)
        return SettlePromise(self.tenant, identity, owner, name, value, failure)

    async def cancel_timer(self, timer_id: str) -> None:
        """Disarm a timer; the workflow that waits for it gets an error that says so."""
        await self._send(DisarmTimer(self.tenant, TimerId(timer_id)))

    async def fire_timer(self, timer_id: str) -> None:
        """Let a timer fire now."""
        await self._send(MoveTimer(self.tenant, TimerId(timer_id), Instant(0)))

    async def reschedule_timer(self, timer_id: str, moment: datetime) -> None:
        """Let a timer fire at another time."""
        await self._send(MoveTimer(self.tenant, TimerId(timer_id), checked_moment(moment, "the moment")))

    # Standalone tasks.

    async def submit_task(
        self,
        task: SomeTask | str,
        *args: object,
        id: str | None = None,  # noqa: A002 - the word users know
        queue: str | None = None,
        retries: int | RetryPolicy | None = None,
        timeout: DurationLike | None = None,
        delay: DurationLike | None = None,
        scheduled_at: datetime | None = None,
        priority: int | None = None,
        idempotency_key: str | None = None,
        metadata: object = None,
    ) -> TaskHandle[Any]:
        """Have a task run without a workflow. When this returns it is on disk."""
        definition = self._task(task)
        new = self._new_task(
            task if definition is None else definition,
            args,
            task_id=id,
            queue=queue,
            retries=retries,
            timeout=timeout,
            scheduled_at=self._when(delay, scheduled_at),
            priority=priority,
            idempotency_key=idempotency_key,
            metadata=metadata,
        )
        watch = self._watch_new_task((self.tenant, new.id))
        submitted = (await self._send(SubmitTasks(self.tenant, (new,))))[0]
        read = _plain if definition is None else definition.decode_output
        return TaskHandle(
            self, submitted.id, decode=read, watch=watch if submitted.created else None, created=submitted.created
        )

    async def submit_tasks(
        self, task: SomeTask | str, inputs: Iterable[object], *, queue: str | None = None
    ) -> list[TaskId]:
        """Have a task run once for each input, all in one transaction; gives their ids."""
        definition = self._task(task)
        if definition is None:
            new = [self._new_task(task, (value,), queue=queue) for value in inputs]
        else:
            chosen = chosen_queue(queue, definition.queue)
            name, options, priority, bind = (
                definition.task_type,
                _traced(definition.options),
                definition.priority,
                definition.signature.bind,
            )
            new = [
                NewTask(TaskId(self._new_id()), name, bind((value,), {}), chosen, options, priority) for value in inputs
            ]
        submitted = await self._send(SubmitTasks(self.tenant, tuple(new)))
        return [each.id for each in submitted]

    def _task(self, task: SomeTask | str) -> SomeTask | None:
        if not isinstance(task, str):
            return task
        return self._registry.task(task) if self._registry.tasks else None

    def _new_task(
        self,
        task: SomeTask | str,
        args: tuple[object, ...],
        *,
        task_id: str | None = None,
        queue: str | None = None,
        retries: int | RetryPolicy | None = None,
        timeout: DurationLike | None = None,
        scheduled_at: Instant | None = None,
        priority: int | None = None,
        idempotency_key: str | None = None,
        metadata: object = None,
    ) -> NewTask:
        if isinstance(task, str):
            name, options = checked_id(task, "the task type"), task_options(retries=retries, timeout=timeout)
            payload, default_queue, default_priority = _plain_input(task, args), None, 0
        else:
            name, options = task.task_type, task_options(default=task.options, retries=retries, timeout=timeout)
            payload, default_queue, default_priority = task.encode_input(args, {}), task.queue, task.priority
        return NewTask(
            id=TaskId(self._new_id() if task_id is None else checked_uuid(task_id, "the task id")),
            task_type=name,
            input=payload,
            queue=chosen_queue(queue, default_queue),
            options=_traced(options),
            priority=default_priority if priority is None else checked_priority(priority),
            scheduled_at=scheduled_at,
            metadata=None if metadata is None else encode(metadata, what="the metadata"),
            idempotency_key=None if idempotency_key is None else checked_key(idempotency_key, "the idempotency key"),
        )

    def _when(self, delay: DurationLike | None, scheduled_at: datetime | None) -> Instant | None:
        if delay is not None and scheduled_at is not None:
            raise InvalidArgument("give either delay or scheduled_at")
        if delay is not None:
            return later(self._engine.clock.now(), duration_ms(delay, "delay"))
        return None if scheduled_at is None else checked_moment(scheduled_at, "scheduled_at")

    def task_handle(self, task_id: str, task: SomeTask | None = None) -> TaskHandle[Any]:
        """A handle on a task that exists."""
        return TaskHandle(self, TaskId(task_id), decode=_plain if task is None else task.decode_output)

    async def cancel_task(self, task_id: str, reason: str = "") -> bool:
        """End a task that waits, or ask the worker that runs it to stop it."""
        return (
            await self._send(CancelTaskExecution(self.tenant, TaskId(task_id), checked_text(reason, "the reason")))
        ).changed

    async def retry_task(self, task_id: str) -> None:
        """Let a standalone task that did not succeed run again."""
        await self._send(RetryTaskExecution(self.tenant, TaskId(task_id)))

    async def complete_task(self, task_id: str, output: object = None) -> None:
        """End a task by hand as if it had given this output; whoever runs it has lost it."""
        payload = encode(output, what="the output of a task")
        await self._send(SettleTask(self.tenant, TaskId(task_id), output=payload))

    async def fail_task(self, task_id: str, error: BaseException | str = "failed by hand") -> None:
        """End a task by hand as failed, without another try; whoever runs it has lost it."""
        failure = (
            Failure("FailedByHand", checked_text(error, "the error")) if isinstance(error, str) else failure_of(error)
        )
        await self._send(SettleTask(self.tenant, TaskId(task_id), failure=failure))

    # Queues.

    async def pause_queue(self, queue: str, reason: str = "", *, requested_by: str = "") -> bool:
        """Give nothing of a queue to workers until it is resumed; False if it was paused already."""
        name = QueueName(checked_id(queue, "queue"))
        return (await self._send(PauseQueue(self.tenant, name, *_why(reason, requested_by)))).changed

    async def resume_queue(self, queue: str, *, requested_by: str = "") -> bool:
        """Let a paused queue run again; False if it was not paused."""
        name = QueueName(checked_id(queue, "queue"))
        return (await self._send(ResumeQueue(self.tenant, name, checked_text(requested_by, "requested_by")))).changed

    async def drain_worker(self, worker_id: str) -> bool:
        """Let a worker end what it has and take nothing more; False if it has been told to already."""
        return await self._engine.drain_worker(self.tenant, worker_id)

    def _new_id(self) -> str:
        return time_ordered_id(self._engine.clock.now(), self._engine.chance.getrandbits(ID_BITS))


def _why(reason: str, requested_by: str) -> tuple[str, str]:
    return checked_text(reason, "the reason"), checked_text(requested_by, "requested_by")


def _plain(data: bytes) -> object:
    return decode(data, object, what="the result")


def _plain_input(name: str, args: tuple[object, ...]) -> bytes:
    if len(args) > 1:
        raise InvalidArgument(f"{name!r} is given by its name, so it takes one JSON value as input, not {len(args)}")
    return encode(args[0] if args else None, what=f"the input of {name!r}")


def _traced(options: TaskOptions) -> TaskOptions:
    """The options of a task that is a part of the caller's trace."""
    trace = tracing.current_trace()
    return options if trace is None else msgspec.structs.replace(options, trace=trace)
