"""Standalone tasks: made, listed, looked at, cancelled and tried again."""

from http import HTTPStatus

from holdfast.model.commands import TaskOptions
from holdfast.model.failures import Failure
from holdfast.model.ids import QueueName, TaskId, checked_id, checked_uuid, time_ordered_id
from holdfast.model.instants import Milliseconds
from holdfast.model.oversight import WorkSort
from holdfast.model.queries import TaskFilter
from holdfast.model.requests import CancelTaskExecution, NewTask, RetryTaskExecution, SettleTask, SubmitTasks
from holdfast.model.retries import RetryPolicy
from holdfast.server.rest.bodies import (
    MAX_PAGE,
    NULL,
    BulkBody,
    CompleteBody,
    FailBody,
    LinesQuery,
    ReasonBody,
    RetryBody,
    TaskBody,
    TaskListQuery,
)
from holdfast.server.rest.calls import Answer, Call
from holdfast.server.rest.cursors import cursor_of, cursor_text
from holdfast.server.rest.documents import (
    AttemptList,
    BulkDocument,
    ChangedDocument,
    LineList,
    SubmittedDocument,
    TaskList,
    attempt_document,
    line_document,
    task_document,
)
from holdfast.server.rest.problems import UnreadableRequest
from holdfast.server.rest.receiving import checked_key, checked_raw, instant_in
from holdfast.server.rest.records import task_id_of, task_of
from holdfast.server.schemas import check_input

TASK_LIST = "tasks"
ID_BITS = 74


async def submit_task(call: Call, body: TaskBody) -> Answer:
    """Make a task; the same id or idempotency key again gives the task that is there, with 200."""
    new = _new_task(call, body)
    check_input(await call.schemas.of(call.tenant), WorkSort.TASK, new.task_type, new.input)
    [submitted] = await call.engine.send(SubmitTasks(call.tenant, (new,)))
    task = await call.task_reader.read((call.tenant, submitted.id))
    if task is None:
        raise AssertionError(f"task {submitted.id} was made, and is not there")
    return Answer(task_document(task), HTTPStatus.CREATED if submitted.created else HTTPStatus.OK)


async def submit_tasks(call: Call, body: BulkBody) -> Answer:
    """Make up to a thousand tasks in one transaction, all of them or none."""
    new = tuple(_new_task(call, each) for each in body.tasks)
    schemas = await call.schemas.of(call.tenant)
    for number, each in enumerate(new):
        check_input(schemas, WorkSort.TASK, each.task_type, each.input, f"$.tasks[{number}].input")
    submitted = await call.engine.send(SubmitTasks(call.tenant, new))
    return Answer(
        BulkDocument([SubmittedDocument(each.id, each.created, each.status) for each in submitted]),
        HTTPStatus.CREATED,
    )


def _new_task(call: Call, body: TaskBody) -> NewTask:
    key = body.idempotency_key
    return NewTask(
        id=_new_id(call) if body.id is None else TaskId(checked_uuid(body.id, "the task id")),
        task_type=checked_id(body.task_type, "the task type"),
        input=checked_raw(body.input, "the input"),
        queue=QueueName(checked_id(body.queue, "the queue")),
        options=_options(body, call.trace),
        priority=body.priority,
        scheduled_at=None if body.scheduled_at is None else instant_in(body.scheduled_at),
        metadata=None if body.metadata == NULL else checked_raw(body.metadata, "the metadata"),
        idempotency_key=None if key is None else checked_key(key, "the idempotency key"),
    )


def _new_id(call: Call) -> TaskId:
    return TaskId(time_ordered_id(call.engine.clock.now(), call.engine.chance.getrandbits(ID_BITS)))


def _options(body: TaskBody, trace: str | None) -> TaskOptions:
    return TaskOptions(
        retry=_policy(body.max_retries, body.retry),
        schedule_to_start_ms=_ms(body.schedule_to_start_timeout_ms),
        start_to_close_ms=_ms(body.timeout_ms),
        schedule_to_close_ms=_ms(body.schedule_to_close_timeout_ms),
        heartbeat_ms=_ms(body.heartbeat_timeout_ms),
        trace=trace,
    )


def _policy(max_retries: int, given: RetryBody | None) -> RetryPolicy:
    if given is None:
        return RetryPolicy(max_retries)
    return RetryPolicy(
        max_retries,
        Milliseconds(given.initial_interval_ms),
        given.backoff,
        Milliseconds(given.max_interval_ms),
        given.jitter,
        tuple(given.non_retryable),
    )


def _ms(given: int | None) -> Milliseconds | None:
    return None if given is None else Milliseconds(given)


async def list_tasks(call: Call, query: TaskListQuery) -> Answer:
    """Standalone tasks, newest first; those of a workflow are listed with it."""
    if query.offset and query.cursor is not None:
        raise UnreadableRequest("give either an offset or a cursor - at `?cursor`")
    limit = min(query.limit, MAX_PAGE)
    wanted = TaskFilter(
        call.tenant,
        task_type=query.task_type,
        queue=None if query.queue is None else QueueName(query.queue),
        statuses=tuple(query.status),
        after=cursor_of(query.cursor, of=TASK_LIST),
        limit=limit,
        offset=query.offset,
    )
    page = await call.engine.reads.list_tasks(wanted)
    total = await call.engine.reads.count_tasks(wanted)
    tasks = [task_document(task) for task in page.tasks]
    return Answer(TaskList(tasks, total, limit, query.offset, cursor_text(page.next, of=TASK_LIST)))


async def get_task(call: Call) -> Answer:
    """A task, also one of a workflow."""
    return Answer(task_document(await task_of(call)))


async def delete_task(call: Call) -> Answer:
    """End a task that no worker has yet: it is then CANCELLED. One that runs is refused; cancel it."""
    await call.engine.send(CancelTaskExecution(call.tenant, task_id_of(call), "deleted", only_pending=True))
    return Answer(None, HTTPStatus.NO_CONTENT)


async def cancel_task(call: Call, body: ReasonBody) -> Answer:
    """End a task that waits, or ask the worker that runs it to stop it."""
    done = await call.engine.send(CancelTaskExecution(call.tenant, task_id_of(call), body.reason))
    return Answer(ChangedDocument(done.changed))


async def retry_task(call: Call) -> Answer:
    """Let a standalone task that did not succeed run again, with its retries unspent."""
    done = await call.engine.send(RetryTaskExecution(call.tenant, task_id_of(call)))
    return Answer(ChangedDocument(done.changed))


async def complete_task(call: Call, body: CompleteBody) -> Answer:
    """End a task by hand as if it had given this output; whoever runs it has lost it."""
    output = checked_raw(body.output, "the output")
    return await _settled(call, SettleTask(call.tenant, task_id_of(call), output=output))


async def fail_task(call: Call, body: FailBody) -> Answer:
    """End a task by hand as failed, without another try; whoever runs it has lost it."""
    failure = Failure(body.type, body.message, retryable=False)
    return await _settled(call, SettleTask(call.tenant, task_id_of(call), failure=failure))


async def _settled(call: Call, request: SettleTask) -> Answer:
    return Answer(ChangedDocument((await call.engine.send(request)).changed))


async def list_attempts(call: Call) -> Answer:
    """The tries of a task that have ended, in order."""
    task = await task_of(call)
    attempts = await call.engine.reads.attempts((call.tenant, task.id))
    return Answer(AttemptList([attempt_document(attempt) for attempt in attempts]))


async def list_lines(call: Call, query: LinesQuery) -> Answer:
    """Log lines of a task and items that it streamed, in order."""
    task = await task_of(call)
    limit = min(query.limit, MAX_PAGE)
    lines = await call.engine.reads.lines((call.tenant, task.id), query.after, limit)
    return Answer(LineList([line_document(line) for line in lines], limit))
