"""Work: what a node has done outside of the step is a task, or an execution of a workflow or flow, like any other."""

import msgspec
from msgspec.structs import replace

from holdfast.engine import executions, tasks
from holdfast.engine.flow.expressions.frame import Scope
from holdfast.engine.flow.graph import GraphNode
from holdfast.engine.flow.outcomes import NodeFailed, WorkRequested
from holdfast.engine.flow.run import clocks
from holdfast.engine.flow.run.data import awaited_by, encode
from holdfast.engine.flow.run.drafts import Draft, Run
from holdfast.engine.flow.run.places import depth_of
from holdfast.engine.flow.run.tokens import conclude
from holdfast.engine.flow.run.waits import opened, refused
from holdfast.engine.state import FlowBegin
from holdfast.model.commands import TaskOptions
from holdfast.model.events import (
    ChildWorkflowCancelled,
    ChildWorkflowFailed,
    ChildWorkflowInitiated,
    EventData,
    TaskCancelled,
    TaskFailed,
    TaskScheduled,
    TaskTimedOut,
)
from holdfast.model.failures import Failure
from holdfast.model.flows import FLOW_KIND, VisitKey, VisitStatus
from holdfast.model.ids import ExecutionId, QueueName, TaskId
from holdfast.model.instants import Instant, later
from holdfast.model.records import NO_METADATA, Execution, Task
from holdfast.model.retries import RetryAt, RetryPolicy, next_try
from holdfast.model.statuses import TaskStatus

MAX_DEPTH = 8
"""So many flows may call each other: what a run has called ends with it, in one transaction."""
TOO_DEEP = "TOO_DEEP"
CANCELLED = "Cancelled"
TIMED_OUT = "TaskTimeout"


def request(run: Run, draft: Draft, key: VisitKey, sight: Scope, asked: WorkRequested) -> None:
    """Have it done; the visit goes on when it has ended."""
    if asked.kind == "flow" and depth_of(run.execution) >= MAX_DEPTH:
        message = f"flows have called each other {MAX_DEPTH} deep; that is all"
        conclude(run, draft, key, sight, NodeFailed(Failure(TOO_DEEP, message, retryable=False)))
        return
    visit = draft.visits[key]
    node = run.graph.at(visit.node)
    identity = awaited_by(run, draft, key)
    draft.put(key, replace(visit, status=VisitStatus.RUNNING, awaits=identity))
    queue = run.execution.queue if asked.queue is None else QueueName(asked.queue)
    data = encode(asked.input)
    if asked.kind == "task":
        tasks.put_new(run.state, _task(run, node, identity, asked, queue, data))
        opened(run, TaskScheduled(TaskId(identity), asked.name, msgspec.Raw(data)))
        return
    kind = FLOW_KIND + asked.name if asked.kind == "flow" else asked.name
    child = _child(run, node, identity, kind, queue, data)
    executions.create(run.state, child, begin=FlowBegin(asked.version))
    opened(run, ChildWorkflowInitiated(node.name, kind, child.id, msgspec.Raw(data)))


def failed(run: Run, draft: Draft, key: VisitKey, fact: EventData) -> None:
    """Work has failed for good; an execution is started anew if the node's retry policy says so."""
    visit = draft.visits[key]
    policy = run.graph.at(visit.node).written.retry
    failure = failure_of(fact)
    if policy is not None and isinstance(fact, ChildWorkflowFailed):
        decision = next_try(policy, visit.attempts + 1, failure, run.now, run.state.chance.random())
        if isinstance(decision, RetryAt):
            _again(run, draft, key, decision.at)
            return
        failure = replace(failure, attempts=visit.attempts + 1)
    refused(run, draft, key, failure)


def _again(run: Run, draft: Draft, key: VisitKey, at: Instant) -> None:
    """What is begun again has a name of its own, so that nobody takes the end of the one before for its end."""
    draft.generation += 1
    visit = draft.visits[key]
    waiting = replace(
        visit,
        status=VisitStatus.WAITING,
        awaits=None,
        tries=draft.generation,
        attempts=visit.attempts + 1,
        resume_at=at,
    )
    draft.put(key, waiting)
    timer_id = awaited_by(run, draft, key)
    clocks.arm(run, timer_id, at)
    draft.put(key, replace(waiting, timer_id=timer_id))


def begin_again(run: Run, draft: Draft, key: VisitKey) -> None:
    """The time between two tries is over."""
    visit = draft.visits[key]
    draft.put(key, replace(visit, status=VisitStatus.READY, timer_id=None, resume_at=None))
    run.touch(draft)


def _task(run: Run, node: GraphNode, identity: str, asked: WorkRequested, queue: QueueName, data: bytes) -> Task:
    written = node.written
    return Task(
        tenant=run.key[0],
        id=TaskId(identity),
        execution_id=run.key[1],
        task_type=asked.name,
        queue=queue,
        priority=asked.priority,
        input=data,
        options=TaskOptions(written.retry or RetryPolicy(), start_to_close_ms=written.timeout_ms),
        metadata=None,
        idempotency_key=None,
        created_at=run.now,
        scheduled_at=None,
        status=TaskStatus.PENDING,
        ready=True,
    )


def _child(run: Run, node: GraphNode, identity: str, kind: str, queue: QueueName, data: bytes) -> Execution:
    timeout_ms = node.written.timeout_ms
    deadline = None if timeout_ms is None else later(run.now, timeout_ms)
    return Execution(
        tenant=run.key[0],
        id=ExecutionId(identity),
        kind=kind,
        queue=queue,
        input=data,
        metadata=NO_METADATA,
        parent_id=run.key[1],
        child_name=node.name,
        created_at=run.now,
        deadline_at=deadline,
        wake_at=deadline,
    )


def failure_of(fact: EventData) -> Failure:
    """Why work has not been done."""
    match fact:
        case TaskFailed(error=failure) | ChildWorkflowFailed(error=failure):
            return failure
        case TaskTimedOut(timeout_type=timeout):
            return Failure(TIMED_OUT, f"overran its {timeout} timeout")
        case _:
            assert isinstance(fact, TaskCancelled | ChildWorkflowCancelled), "work fails in no other way"
            return Failure(CANCELLED, fact.reason or "it was cancelled", retryable=False)
