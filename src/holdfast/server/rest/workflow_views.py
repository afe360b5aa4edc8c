"""What can be seen of workflow executions: lists, histories, children, tasks, state, promises and timers."""

import msgspec

from holdfast.model.errors import NotSerialisable
from holdfast.model.ids import ExecutionId
from holdfast.model.instants import Milliseconds
from holdfast.model.queries import ExecutionFilter, HistoryWanted, TaskFilter
from holdfast.model.workflow_queries import QueryWorkflow
from holdfast.sdk.payload import NULL, checked_json
from holdfast.server.rest.bodies import MAX_PAGE, AnswerQuery, LinesQuery, PageQuery, QueryBody, WorkflowListQuery
from holdfast.server.rest.calls import Answer, Call
from holdfast.server.rest.cursors import cursor_of, cursor_text
from holdfast.server.rest.documents import (
    AnswerDocument,
    HistoryPage,
    PromiseList,
    StateDocument,
    TimerList,
    WorkflowList,
    WorkflowTaskList,
    event_document,
    promise_document,
    task_document,
    timer_document,
    workflow_document,
)
from holdfast.server.rest.problems import UnreadableRequest
from holdfast.server.rest.receiving import checked_raw, instant_in
from holdfast.server.rest.records import workflow_id_of, workflow_of

WORKFLOW_LIST = "workflows"


async def list_workflows(call: Call, query: WorkflowListQuery) -> Answer:
    """Executions, newest first."""
    wanted = ExecutionFilter(
        call.tenant,
        kind=query.kind,
        statuses=tuple(query.status),
        parent_id=None if query.parent_id is None else ExecutionId(query.parent_id),
        created_from=None if query.created_from is None else instant_in(query.created_from),
        created_before=None if query.created_before is None else instant_in(query.created_before),
        after=cursor_of(query.cursor, of=WORKFLOW_LIST),
        limit=min(query.limit, MAX_PAGE),
        metadata=tuple([_field(each) for each in query.metadata]),
        text=query.text,
    )
    if wanted.parent_id is not None and (wanted.text or wanted.metadata):
        raise UnreadableRequest("children are found by their parent alone - at `?parent_id`")
    return await _workflows(call, wanted)


def _field(given: str) -> tuple[str, bytes]:
    """A field of the metadata and its value, of `name:value`."""
    name, colon, value = given.partition(":")
    if not (name and colon):
        raise UnreadableRequest("a field of the metadata is given as name:value - at `?metadata`")
    try:
        return name, checked_json(value.encode(), what="the value")
    except NotSerialisable:
        return name, msgspec.json.encode(value)


async def list_children(call: Call, query: PageQuery) -> Answer:
    """The children of an execution, newest first."""
    parent = await workflow_of(call)
    after = cursor_of(query.cursor, of=WORKFLOW_LIST)
    limit = min(query.limit, MAX_PAGE)
    return await _workflows(call, ExecutionFilter(call.tenant, parent_id=parent.id, after=after, limit=limit))


async def _workflows(call: Call, wanted: ExecutionFilter) -> Answer:
    page = await call.engine.reads.list_executions(wanted)
    found = [workflow_document(execution) for execution in page.executions]
    return Answer(WorkflowList(found, wanted.limit, cursor_text(page.next, of=WORKFLOW_LIST)))


async def get_workflow(call: Call) -> Answer:
    """An execution."""
    return Answer(workflow_document(await workflow_of(call)))


async def get_history(call: Call, query: LinesQuery) -> Answer:
    """Events of an execution, in order, after a sequence number."""
    execution = await workflow_of(call)
    limit = min(query.limit, MAX_PAGE)
    [events] = await call.engine.histories([HistoryWanted(call.tenant, execution.id, query.after, limit)])
    last = events[-1].sequence if events else query.after
    page = HistoryPage(
        events=[event_document(event) for event in events],
        limit=limit,
        last_sequence=max(execution.last_sequence, last if events else 0),
        next_after=last if last < execution.last_sequence else None,
    )
    return Answer(page)


async def list_workflow_tasks(call: Call, query: PageQuery) -> Answer:
    """The tasks of an execution, newest first."""
    execution = await workflow_of(call)
    limit, of = min(query.limit, MAX_PAGE), f"tasks of {execution.id}"
    after = cursor_of(query.cursor, of=of)
    page = await call.engine.reads.list_tasks(
        TaskFilter(call.tenant, execution_id=execution.id, after=after, limit=limit)
    )
    return Answer(WorkflowTaskList([task_document(task) for task in page.tasks], limit, cursor_text(page.next, of=of)))


async def get_state(call: Call) -> Answer:
    """The state that an execution's code has set."""
    execution = await workflow_of(call)
    snapshot = await call.engine.reads.state((call.tenant, execution.id))
    return Answer(StateDocument({key: msgspec.Raw(value) for key, value in snapshot.entries.items()}))


async def get_answer(call: Call, query: AnswerQuery) -> Answer:
    """What the code of an execution says to a query without input; nothing of it is kept."""
    return await _answer(call, NULL, query.timeout_ms)


async def ask(call: Call, body: QueryBody) -> Answer:
    """What the code of an execution says to a query; nothing of it is kept."""
    return await _answer(call, checked_raw(body.input, "the input"), body.timeout_ms)


async def _answer(call: Call, given: bytes, timeout_ms: int) -> Answer:
    workflow_id, name = workflow_id_of(call), call.names["name"]
    question = QueryWorkflow(call.tenant, workflow_id, name, given, Milliseconds(timeout_ms))
    return Answer(AnswerDocument(msgspec.Raw(await call.while_client_stays(call.engine.query(question)))))


async def list_promises(call: Call) -> Answer:
    """The promises of an execution, in the order of their creation."""
    execution = await workflow_of(call)
    promises = await call.engine.reads.promises((call.tenant, execution.id))
    return Answer(PromiseList([promise_document(promise) for promise in promises]))


async def list_workflow_timers(call: Call) -> Answer:
    """The armed timers of an execution, the next to fire first."""
    execution = await workflow_of(call)
    page = await call.engine.reads.list_timers(call.tenant, execution.id, MAX_PAGE)
    return Answer(TimerList([timer_document(timer) for timer in page.timers], page.total, MAX_PAGE))
