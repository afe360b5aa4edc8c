"""The task machine: PENDING -> RUNNING (claimed) -> COMPLETED, or FAILED | TIMED_OUT | CANCELLED, or PENDING again.

A claim's token is good for one attempt. A result is accepted from the holder of the token only; whatever takes the
task away from its worker (lease lost, timed out, taken back) moves the token, so a late worker changes nothing.
"""

import msgspec
from msgspec.structs import replace

from holdfast.engine import executions
from holdfast.engine.deadlines import overrun, wake_time
from holdfast.engine.state import State, TaskKey
from holdfast.model.commands import ScheduleTask
from holdfast.model.errors import (
    AlreadyClosed,
    Conflict,
    IdCollision,
    IdempotencyConflict,
    NotRetryable,
    StaleClaim,
    TaskNotFound,
)
from holdfast.model.events import (
    EventData,
    TaskCancelled,
    TaskCompleted,
    TaskFailed,
    TaskScheduled,
    TaskTimedOut,
)
from holdfast.model.failures import Failure, encode_failure
from holdfast.model.ids import ClaimToken, QueueName, TaskId, TenantId
from holdfast.model.instants import Instant, later
from holdfast.model.oversight import WorkSort
from holdfast.model.records import Attempt, Execution, RequestKey, Task, TaskLine
from holdfast.model.requests import (
    AcknowledgeTaskCancel,
    CancelTaskExecution,
    CompleteTask,
    Done,
    FailTask,
    NewTask,
    ReleaseTask,
    ReportTask,
    RetryTaskExecution,
    SettleTask,
    SubmitTasks,
    SubmittedTask,
    TaskOrders,
)
from holdfast.model.retries import RetriesExhausted, RetryAt, next_try
from holdfast.model.statuses import AttemptStatus, TaskStatus, TimeoutType

LEASE_MS = 30_000
TASK_KEYS = "task"
NULL = b"null"


# Making tasks.


def submit(state: State, request: SubmitTasks) -> tuple[SubmittedTask, ...]:
    """Make standalone tasks, all of them or none."""
    return tuple([_submit_one(state, request, new) for new in request.tasks])


def _submit_one(state: State, request: SubmitTasks, new: NewTask) -> SubmittedTask:
    existing = _submitted_before(state, request, new)
    if existing is not None:
        return SubmittedTask(existing.id, created=False, status=existing.status)
    ready = new.scheduled_at is None or new.scheduled_at <= state.now
    task = Task(
        request.tenant,
        new.id,
        None,
        new.task_type,
        new.queue,
        new.priority,
        new.input,
        new.options,
        new.metadata,
        new.idempotency_key,
        state.now,
        new.scheduled_at,
        TaskStatus.PENDING,
        ready,
    )
    put_new(state, task)
    if new.idempotency_key is not None:
        state.use_key(RequestKey(request.tenant, TASK_KEYS, new.idempotency_key, new.id, state.now))
    return SubmittedTask(new.id, created=True, status=TaskStatus.PENDING)


def _submitted_before(state: State, request: SubmitTasks, new: NewTask) -> Task | None:
    existing = state.tasks.rows.get((request.tenant, new.id))
    if existing is None and new.idempotency_key is not None:
        subject = state.keys.get((request.tenant, TASK_KEYS, new.idempotency_key))
        existing = None if subject is None else state.tasks.rows.get((request.tenant, TaskId(subject)))
    if existing is None:
        return None
    name = new.idempotency_key or new.id
    for what, same in (
        ("workflow", existing.execution_id is None),
        ("task_type", existing.task_type == new.task_type),
        ("input", existing.input == new.input),
    ):
        if not same:
            raise IdempotencyConflict("task", name, what)
    return existing


def schedule(state: State, execution: Execution, command: ScheduleTask) -> EventData | None:
    """A task that workflow code asks for; None when it is there already (the command was sent twice)."""
    key = execution.tenant, command.task_id
    existing = state.tasks.rows.get(key)
    if existing is not None:
        if (existing.task_type, existing.execution_id) == (command.task_type, execution.id):
            return None
        recorded = f"task {existing.task_type!r} of workflow {existing.execution_id!r}"
        attempted = f"task {command.task_type!r} of workflow {execution.id!r}"
        raise IdCollision("task", command.task_id, recorded, attempted)
    scheduled_at = later(state.now, command.delay_ms) if command.delay_ms else None
    task = Task(
        execution.tenant,
        command.task_id,
        execution.id,
        command.task_type,
        execution.queue if command.queue is None else QueueName(command.queue),
        command.priority,
        command.input,
        command.options,
        None,
        command.idempotency_key,
        state.now,
        scheduled_at,
        TaskStatus.PENDING,
        scheduled_at is None,
    )
    put_new(state, task)
    return TaskScheduled(command.task_id, command.task_type, msgspec.Raw(command.input))


def put_new(state: State, task: Task) -> None:
    """Put a new task on record; a worker may have it if its time has come."""
    wake_at = wake_time(task)
    if wake_at is not None:
        task = replace(task, wake_at=wake_at)
    key = task.tenant, task.id
    state.tasks.create(key, task)
    if task.ready:
        state.ready_tasks.append(key)


# What workers say.


def complete(state: State, request: CompleteTask) -> Done:
    """The body has returned: its output is the task's."""
    task = _held(state, request.tenant, request.task_id, request.token, TaskStatus.COMPLETED)
    if task is None:
        return Done(changed=False)
    end_attempt(state, task, AttemptStatus.COMPLETED, output=request.output)
    fact = TaskCompleted(task.id, task.task_type, msgspec.Raw(request.output))
    end(state, task, TaskStatus.COMPLETED, fact, output=request.output)
    return Done()


def fail(state: State, request: FailTask) -> Done:
    """The body has raised: the policy says what follows."""
    settled = TaskStatus.FAILED, TaskStatus.PENDING, TaskStatus.CANCELLED
    task = _held(state, request.tenant, request.task_id, request.token, *settled)
    if task is None:
        return Done(changed=False)
    end_attempt(state, task, AttemptStatus.FAILED, failure=request.failure)
    if task.cancel_requested:
        end_cancelled(state, task, request.failure.message)
    else:
        retry_or_fail(state, task, request.failure)
    return Done()


def acknowledge_cancel(state: State, request: AcknowledgeTaskCancel) -> Done:
    """The body has stopped as it was asked to."""
    task = _held(state, request.tenant, request.task_id, request.token, TaskStatus.CANCELLED, TaskStatus.PENDING)
    if task is None:
        return Done(changed=False)
    end_attempt(state, task, AttemptStatus.CANCELLED)
    if task.cancel_requested:
        end_cancelled(state, task, request.reason)
    else:
        # The wish was taken back, by a retry of the workflow, when the body had already heard of it.
        give_back(state, task, state.now)
    return Done()


def release(state: State, request: ReleaseTask) -> Done:
    """The worker gives the task back unstarted: it costs no attempt."""
    task = _held(state, request.tenant, request.task_id, request.token, TaskStatus.PENDING, TaskStatus.CANCELLED)
    if task is None:
        return Done(changed=False)
    unstarted = replace(task, attempt=task.attempt - 1)
    if task.cancel_requested:
        end_cancelled(state, unstarted, "it was asked to end before it was started")
    else:
        give_back(state, unstarted, state.now)
    return Done()


def report(state: State, request: ReportTask) -> TaskOrders:
    """The worker is alive and may have news; it learns whether the task's end is wanted."""
    task = _held(state, request.tenant, request.task_id, request.token)
    assert task is not None, "a report settles nothing, so it cannot have been accepted before"
    told = replace(
        task,
        lease_expires_at=later(state.now, LEASE_MS),
        heartbeat_at=state.now if request.heartbeat else task.heartbeat_at,
        details=task.details if request.details is None else request.details,
        progress=task.progress if request.progress is None else request.progress,
        progress_message=task.progress_message if request.progress_message is None else request.progress_message,
    )
    state.tasks.change((task.tenant, task.id), replace(told, wake_at=wake_time(told)))
    for line in request.lines:
        entry = TaskLine(task.tenant, task.id, task.attempt, line.time, line.channel, line.level, line.body)
        state.lines.append(entry)
    return TaskOrders(cancel=task.cancel_requested)


def _held(
    state: State, tenant: TenantId, task_id: TaskId, token: ClaimToken, *settled_by_sender: TaskStatus
) -> Task | None:
    """The task, if this token holds it; None, if the same message has been accepted before; else it is refused."""
    task = state.tasks.rows.get((tenant, task_id))
    if task is None:
        raise TaskNotFound(task_id, tenant)
    if task.claim_token == token:
        if task.status is TaskStatus.RUNNING:
            return task
        if task.status in settled_by_sender:
            return None
    raise StaleClaim("task", task_id)


# Ends, and new tries.


def end_attempt(
    state: State,
    task: Task,
    status: AttemptStatus,
    *,
    output: bytes | None = None,
    failure: Failure | None = None,
) -> None:
    """Put the end of the running try on record."""
    started_at = state.now if task.started_at is None else task.started_at
    encoded = None if failure is None else encode_failure(failure)
    state.attempts.append(
        Attempt(task.tenant, task.id, task.attempt, started_at, state.now, status, task.worker_id, output, encoded)
    )


def end(
    state: State,
    task: Task,
    status: TaskStatus,
    fact: EventData,
    *,
    output: bytes | None = None,
    failure: Failure | None = None,
) -> None:
    """Close a task; its workflow, if it has one, hears of it."""
    ended = replace(
        task,
        status=status,
        ready=False,
        lease_expires_at=None,
        wake_at=None,
        output=output,
        failure=None if failure is None else encode_failure(failure),
        closed_at=state.now,
        progress=1.0 if status is TaskStatus.COMPLETED else task.progress,
    )
    state.tasks.change((task.tenant, task.id), ended)
    state.ended_tasks.append((task.tenant, task.id))
    if task.execution_id is None:
        state.note_end(task.tenant, task.id, task.idempotency_key)
    if task.execution_id is not None:
        executions.wake(state, (task.tenant, task.execution_id), fact, ended_items=1)


def end_cancelled(state: State, task: Task, reason: str) -> None:
    """Close a task as cancelled."""
    end(state, task, TaskStatus.CANCELLED, TaskCancelled(task.id, task.task_type, reason))


def end_timed_out(state: State, task: Task, timeout: TimeoutType) -> None:
    """Close a task because it overran a limit."""
    failure = timeout_failure(task, timeout)
    end(state, task, TaskStatus.TIMED_OUT, TaskTimedOut(task.id, task.task_type, timeout), failure=failure)


def timeout_failure(task: Task, timeout: TimeoutType) -> Failure:
    """What is recorded of an overrun limit."""
    return Failure("TaskTimeout", f"overran its {timeout} timeout", attempts=task.attempt)


def retry_or_fail(state: State, task: Task, failure: Failure) -> None:
    """After a failed try: wait for the next one, or close the task."""
    decision = _next_try(state, task, failure)
    if isinstance(decision, RetryAt):
        give_back(state, task, decision.at)
    else:
        final = replace(failure, attempts=task.attempt)
        end(state, task, TaskStatus.FAILED, TaskFailed(task.id, task.task_type, final), failure=final)


def _next_try(state: State, task: Task, failure: Failure) -> RetryAt | RetriesExhausted:
    return next_try(task.options.retry, _counted_tries(task), failure, state.now, state.chance.random())


def _counted_tries(task: Task) -> int:
    return task.attempt - task.options.tries_before


def give_back(state: State, task: Task, at: Instant) -> None:
    """Let a task wait for a worker again, from an instant on."""
    ready = at <= state.now
    # Each wait in the queue has the whole of its schedule-to-start limit.
    counted_anew = not ready or task.options.schedule_to_start_ms is not None
    waiting = replace(
        task,
        status=TaskStatus.PENDING,
        ready=ready,
        scheduled_at=at if counted_anew else task.scheduled_at,
        worker_id=None,
        lease_expires_at=None,
        started_at=None,
        heartbeat_at=None,
    )
    key = task.tenant, task.id
    state.tasks.change(key, replace(waiting, wake_at=wake_time(waiting)))
    if ready:
        state.ready_tasks.append(key)


# What others ask.


def cancel(state: State, request: CancelTaskExecution) -> Done:
    """End a task, or ask its worker to."""
    key = request.tenant, request.task_id
    task = state.tasks.rows.get(key)
    if task is None:
        raise TaskNotFound(request.task_id, request.tenant)
    if task.closed:
        raise AlreadyClosed("task", request.task_id, task.status)
    if request.only_pending and task.status is not TaskStatus.PENDING:
        raise Conflict(f"task {request.task_id!r} is {task.status}; only a PENDING one can be deleted, so cancel it")
    return Done(changed=request_cancel(state, key, request.reason))


def request_cancel(state: State, key: TaskKey, reason: str) -> bool:
    """End a waiting task at once; of a running one, ask its worker to stop it, once."""
    task = state.tasks.rows[key]
    if task.closed or task.cancel_requested:
        return False
    if task.status is TaskStatus.PENDING:
        end_cancelled(state, replace(task, claim_token=ClaimToken(task.claim_token + 1)), reason)
        return True
    state.tasks.change(key, replace(task, cancel_requested=True))
    _order_cancel(state, task)
    return True


def _order_cancel(state: State, task: Task) -> None:
    assert task.worker_id is not None, "a running task has a worker"
    state.cancel_orders.append((task.tenant, task.worker_id, task.id))


def settle(state: State, request: SettleTask) -> Done:
    """End a task by hand; a try that is under way is cut off, and its worker is told to stop."""
    task = state.tasks.rows.get((request.tenant, request.task_id))
    if task is None:
        raise TaskNotFound(request.task_id, request.tenant)
    if task.closed:
        raise AlreadyClosed("task", request.task_id, task.status)
    if task.status is TaskStatus.RUNNING:
        _order_cancel(state, task)
        end_attempt(state, task, AttemptStatus.CANCELLED)
    taken = replace(task, claim_token=ClaimToken(task.claim_token + 1))
    if request.failure is None:
        output = NULL if request.output is None else request.output
        fact = TaskCompleted(task.id, task.task_type, msgspec.Raw(output))
        end(state, taken, TaskStatus.COMPLETED, fact, output=output)
    else:
        final = replace(request.failure, attempts=task.attempt)
        end(state, taken, TaskStatus.FAILED, TaskFailed(task.id, task.task_type, final), failure=final)
    return Done()


def retry(state: State, request: RetryTaskExecution) -> Done:
    """Let a standalone task that did not succeed run again, with its retries unspent."""
    task = state.tasks.rows.get((request.tenant, request.task_id))
    if task is None:
        raise TaskNotFound(request.task_id, request.tenant)
    if task.execution_id is not None or task.status in (TaskStatus.PENDING, TaskStatus.RUNNING, TaskStatus.COMPLETED):
        raise NotRetryable("task", request.task_id, task.status)
    reopen(state, task)
    return Done()


def reopen(state: State, task: Task) -> None:
    """Make a closed task wait for a worker again, with its retries unspent and its limits counted anew."""
    opened = replace(
        task,
        options=replace(task.options, tries_before=task.attempt, schedule_to_close_ms=None),
        claim_token=ClaimToken(task.claim_token + 1),
        cancel_requested=False,
        output=None,
        failure=None,
        closed_at=None,
    )
    give_back(state, opened, state.now)


# What time does.


def look(state: State, key: TaskKey) -> None:
    """The task's wake_at has come: do what that means."""
    task = state.tasks.rows[key]
    overrun_limit = overrun(task, state.now)
    if overrun_limit is not None:
        _time_out(state, task, overrun_limit)
    elif task.status is TaskStatus.RUNNING:
        # It is due and no limit has run out: then it is the lease.
        lose(state, task)
    else:
        now_ready = replace(task, ready=True)
        state.tasks.change(key, replace(now_ready, wake_at=wake_time(now_ready)))
        state.ready_tasks.append(key)


def _time_out(state: State, task: Task, timeout: TimeoutType) -> None:
    taken = replace(task, claim_token=ClaimToken(task.claim_token + 1))
    failure = timeout_failure(task, timeout)
    if task.status is TaskStatus.RUNNING:
        _order_cancel(state, task)
        end_attempt(state, task, AttemptStatus.TIMEOUT, failure=failure)
    if task.cancel_requested:
        end_cancelled(state, taken, "it was being cancelled when it overran its timeout")
        return
    if timeout in (TimeoutType.START_TO_CLOSE, TimeoutType.HEARTBEAT):
        decision = _next_try(state, task, failure)
        if isinstance(decision, RetryAt):
            give_back(state, taken, decision.at)
            return
    end_timed_out(state, taken, timeout)


def lose(state: State, task: Task) -> None:
    """The worker is gone: its try counts, and the task is tried again, the first time at once."""
    failure = Failure("WorkerLost", f"worker {task.worker_id} vanished while it ran the task", attempts=task.attempt)
    end_attempt(state, task, AttemptStatus.LOST, failure=failure)
    state.repairs.append(WorkSort.TASK)
    taken = replace(task, claim_token=ClaimToken(task.claim_token + 1))
    if task.cancel_requested:
        end_cancelled(state, taken, "its worker vanished while it was being cancelled")
    elif _counted_tries(task) == 1 and task.options.retry.max_retries > 0:
        give_back(state, taken, state.now)
    else:
        retry_or_fail(state, taken, failure)
