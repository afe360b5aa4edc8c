"""What programs in any language say, call by call."""

import asyncio
import json
from typing import Any

import pytest

from holdfast.model.errors import OutcomeUnknown, Unavailable
from holdfast.protocol.generated import client_pb2, flows_pb2, schedules_pb2, values_pb2, worker_pb2
from tests.grpc.serving import Refused, Server, start

COMPLETED = worker_pb2.Command(complete_workflow={"output": b"7"})
KEY = "cart-7"


async def ended(server: Server, identity: str = "order-1") -> None:
    """Let a worker end an execution that waits for its code."""
    await server.submit(await server.claim(), COMPLETED, status=worker_pb2.ACTIVATION_STATUS_COMPLETED)


async def describe(server: Server, identity: str = "order-1") -> values_pb2.Execution:
    found: values_pb2.Execution = await server.call(
        "DescribeWorkflow", client_pb2.DescribeWorkflowRequest(execution_id=identity)
    )
    return found


async def refused(server: Server, method: str, message: Any) -> Refused:
    with pytest.raises(Refused) as refusal:
        await server.call(method, message)
    return refusal.value


async def test_the_same_start_again_gives_what_is_there(server: Server) -> None:
    assert [(await server.start()).created for _ in range(3)] == [True, False, False]


async def test_the_same_id_for_other_work_is_refused(server: Server) -> None:
    await server.start()
    conflict = await refused(server, "StartWorkflow", start(input=b"2"))
    assert (conflict.status, conflict.code) == ("FAILED_PRECONDITION", "IDEMPOTENCY_CONFLICT")
    assert conflict.fields["name"] == "order-1"


async def test_a_key_gives_the_execution_that_was_started_under_it(server: Server) -> None:
    first = await server.start("a", idempotency_key=KEY, key_ttl_ms=60_000)
    second = await server.start("b", idempotency_key=KEY, key_ttl_ms=60_000)
    assert (first.execution_id, second.execution_id, second.created) == ("a", "a", False)


async def test_policies_over_the_wire(server: Server) -> None:
    await server.start("a", idempotency_key=KEY)
    reject = start("b", idempotency_key=KEY, reuse_policy=client_pb2.REUSE_POLICY_REJECT)
    refusal = await refused(server, "StartWorkflow", reject)
    assert (refusal.status, refusal.code, refusal.fields["execution_id"]) == ("ALREADY_EXISTS", "ALREADY_STARTED", "a")
    terminate = client_pb2.REUSE_POLICY_TERMINATE_AND_START
    assert (await server.start("b", idempotency_key=KEY, reuse_policy=terminate)).created
    assert (await describe(server, "a")).status == values_pb2.EXECUTION_STATUS_TERMINATED
    # Sent again, it does not end what it has started itself.
    assert not (await server.start("b", idempotency_key=KEY, reuse_policy=terminate)).created
    assert (await describe(server, "b")).status == values_pb2.EXECUTION_STATUS_PENDING


@pytest.mark.parametrize(
    ("error", "status"),
    [(Unavailable("the disk is full"), "UNAVAILABLE"), (OutcomeUnknown("COMMIT failed"), "ABORTED")],
)
async def test_a_store_that_cannot_be_written_is_unavailable(
    server: Server, error: Unavailable, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(plan: object) -> None:
        raise error

    with monkeypatch.context() as down:
        down.setattr(server.engine.store, "commit", fail)
        refusal = await refused(server, "StartWorkflow", start())
    assert (refusal.status, refusal.code) == (status, error.code)
    assert (await server.start()).created


REJECT, TERMINATE = client_pb2.REUSE_POLICY_REJECT, client_pb2.REUSE_POLICY_TERMINATE_AND_START
AFTER_CLOSE, AFTER_FAILURE = client_pb2.REUSE_POLICY_ALLOW_AFTER_CLOSE, client_pb2.REUSE_POLICY_ALLOW_AFTER_FAILURE


async def test_policies_of_a_bare_id_while_it_is_open(server: Server) -> None:
    await server.start()
    assert not (await server.start(reuse_policy=client_pb2.REUSE_POLICY_RETURN_EXISTING)).created
    for policy in (REJECT, AFTER_CLOSE, AFTER_FAILURE):
        refusal = await refused(server, "StartWorkflow", start(reuse_policy=policy))
        assert (refusal.status, refusal.code) == ("ALREADY_EXISTS", "ALREADY_STARTED")
        assert refusal.fields["execution_id"] == "order-1"
    made = await server.start(reuse_policy=TERMINATE)
    assert (made.execution_id, made.created) == ("order-1~2", True)
    assert (await describe(server)).status == values_pb2.EXECUTION_STATUS_TERMINATED
    assert (await describe(server, "order-1~2")).status == values_pb2.EXECUTION_STATUS_PENDING


async def test_policies_of_a_bare_id_when_it_has_ended(server: Server) -> None:
    await server.start()
    await ended(server)
    for policy in (REJECT, AFTER_FAILURE):
        assert (await refused(server, "StartWorkflow", start(reuse_policy=policy))).code == "ALREADY_STARTED"
    made = await server.start(reuse_policy=AFTER_CLOSE)
    assert (made.execution_id, made.created) == ("order-1~2", True)
    failing = worker_pb2.Command(fail_workflow={"error": "boom"})
    await server.submit(await server.claim(), failing, status=worker_pb2.ACTIVATION_STATUS_FAILED)
    assert (await server.start(reuse_policy=AFTER_FAILURE)).execution_id == "order-1~3"
    assert (await describe(server)).output == b"7"
    assert await server.events() == ["WORKFLOW_STARTED", "WORKFLOW_COMPLETED"]


async def test_a_start_of_a_bare_id_that_is_sent_again_has_one_effect(server: Server) -> None:
    await server.start()
    for policy in (TERMINATE, AFTER_CLOSE, REJECT):
        identity = f"order-{policy}"
        made = [await server.start(identity, reuse_policy=policy, request_id=identity) for _ in range(2)]
        assert [(each.execution_id, each.created) for each in made] == [(identity, True)] * 2
    again = [await server.start(reuse_policy=TERMINATE, request_id="another") for _ in range(2)]
    assert [each.execution_id for each in again] == ["order-1~2"] * 2


@pytest.mark.parametrize(
    "more",
    [
        {"idempotency_key": "a\nb"},
        {"idempotency_key": KEY, "key_ttl_ms": 0},
        {"request_id": "a\nb"},
        {"request_id": "x" * 256},
        {"idempotency_key": KEY, "reuse_policy": 99},
        {"idempotency_key": KEY, "signal": {"name": "go"}},
        {"signal": {"name": "go", "execution_id": "another"}},
        {"trace": "x" * 2_000},
        {"execution_id": "no id"},
        {"kind": ""},
        {"input": b"{"},
        {"input": b"NaN"},
        {"metadata": b"1e999"},
        {"timeout_ms": -1},
        {"queue": "no queue"},
    ],
)
async def test_a_start_that_makes_no_sense_is_an_invalid_argument(server: Server, more: dict[str, Any]) -> None:
    assert (await refused(server, "StartWorkflow", start(**more))).status == "INVALID_ARGUMENT"


async def test_start_and_wait_in_one_call(server: Server) -> None:
    run = asyncio.create_task(server.call("RunWorkflow", client_pb2.RunWorkflowRequest(start=start())))
    await ended(server)
    reply = await run
    assert (reply.started.created, reply.execution.output) == (True, b"7")
    again = await server.call("RunWorkflow", client_pb2.RunWorkflowRequest(start=start()))
    assert (again.started.created, again.execution.output) == (False, b"7")


async def test_start_and_wait_gives_up_in_time_and_says_what_was_started(server: Server) -> None:
    await server.start("a", idempotency_key=KEY)
    message = client_pb2.RunWorkflowRequest(start=start("b", idempotency_key=KEY), wait_ms=20)
    reply = await server.call("RunWorkflow", message)
    assert (reply.started.execution_id, reply.HasField("execution")) == ("a", False)


async def test_a_start_may_bring_a_signal_once(server: Server) -> None:
    signal = client_pb2.SignalWorkflowRequest(name="item", value=b'"tea"', request_id="click-1")
    assert [(await server.start(signal=signal)).created for _ in range(2)] == [True, False]
    assert await server.events() == ["WORKFLOW_STARTED", "SIGNAL_RECEIVED"]


async def test_signals_arrive_once_per_request_id(server: Server) -> None:
    await server.start()
    signal = client_pb2.SignalWorkflowRequest(execution_id="order-1", name="go", value=b"1", request_id="r1")
    assert [(await server.call("SignalWorkflow", signal)).changed for _ in range(2)] == [True, False]


async def test_cancel_terminate_retry(server: Server) -> None:
    await server.start()
    cancel = client_pb2.CancelWorkflowRequest(execution_id="order-1", reason="late", requested_by="me")
    assert [(await server.call("CancelWorkflow", cancel)).changed for _ in range(2)] == [True, False]
    terminate = client_pb2.TerminateWorkflowRequest(execution_id="order-1", reason="wrong")
    assert (await server.call("TerminateWorkflow", terminate)).changed
    assert (await refused(server, "TerminateWorkflow", terminate)).code == "ALREADY_CLOSED"
    retry = client_pb2.RetryWorkflowRequest(execution_id="order-1")
    assert (await refused(server, "RetryWorkflow", retry)).code == "NOT_RETRYABLE"


async def test_a_result_is_waited_for(server: Server) -> None:
    await server.start()
    short = client_pb2.GetResultRequest(execution_id="order-1", wait_ms=20)
    assert not (await server.call("GetResult", short)).HasField("execution")
    waiting = asyncio.create_task(server.call("GetResult", client_pb2.GetResultRequest(execution_id="order-1")))
    await ended(server)
    assert (await waiting).execution.output == b"7"
    assert (await server.call("GetResult", short)).execution.output == b"7"


async def test_a_wait_ends_before_the_deadline_of_its_call(server: Server) -> None:
    await server.start()
    message = client_pb2.GetResultRequest(execution_id="order-1", wait_ms=60_000)
    assert not (await server.call("GetResult", message, timeout=0.4)).HasField("execution")


async def test_executions_are_listed_in_pages(server: Server) -> None:
    for number in range(5):
        await server.start(f"order-{number}", kind="order" if number % 2 else "other")
    seen, after = [], None
    while True:
        page = await server.call("ListWorkflows", client_pb2.ListWorkflowsRequest(limit=2, after=after))
        seen += [execution.id for execution in page.executions]
        if not page.HasField("next"):
            break
        after = page.next
    assert sorted(seen) == [f"order-{number}" for number in range(5)]
    only = await server.call("ListWorkflows", client_pb2.ListWorkflowsRequest(kind="other"))
    assert len(only.executions) == 3
    closed = client_pb2.ListWorkflowsRequest(statuses=[values_pb2.EXECUTION_STATUS_COMPLETED])
    assert not (await server.call("ListWorkflows", closed)).executions


def limited(**options: Any) -> client_pb2.SubmitTasksRequest:
    new = {"id": "018f3c1e-5a7b-7c3d-9e2f-0123456789ab", "task_type": "t", "input": b"1", "queue": "default"}
    return client_pb2.SubmitTasksRequest(tasks=[client_pb2.NewTask(**new, options=options)])  # type: ignore[arg-type]


def scheduled(starts: dict[str, object]) -> schedules_pb2.SaveScheduleRequest:
    spec = json.dumps({"starts": starts, "every_ms": 1_000}).encode()
    return schedules_pb2.SaveScheduleRequest(schedule_id="often", spec=spec)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("ListWorkflows", client_pb2.ListWorkflowsRequest(limit=0)),
        ("ListWorkflows", client_pb2.ListWorkflowsRequest(limit=1_001)),
        ("ListWorkflows", client_pb2.ListWorkflowsRequest(statuses=[99])),  # type: ignore[list-item]  # none of ours
        ("ListTasks", client_pb2.ListTasksRequest(offset=-1)),
        ("ListTasks", client_pb2.ListTasksRequest(offset=2_000_000)),
        ("GetWorkflows", client_pb2.GetWorkflowsRequest(execution_ids=["x"] * 1_001)),
        ("GetResult", client_pb2.GetResultRequest(execution_id="order-1", wait_ms=-1)),
        ("SettlePromise", client_pb2.SettlePromiseRequest(promise_id="p")),
        ("SettlePromise", client_pb2.SettlePromiseRequest(value=b"1")),
        ("MoveTimer", client_pb2.MoveTimerRequest(timer_id="t", fire_at_ms=-1)),
        ("SubmitTasks", client_pb2.SubmitTasksRequest(tasks=[{"id": "17", "task_type": "t", "input": b"1"}])),
        ("SubmitTasks", client_pb2.SubmitTasksRequest(tasks=[client_pb2.NewTask()] * 10_001)),
        ("CancelWorkflow", client_pb2.CancelWorkflowRequest(execution_id="a\0b")),
        ("RetryTask", client_pb2.RetryTaskRequest(task_id="\0")),
        ("CancelTimer", client_pb2.CancelTimerRequest(timer_id="\0")),
        ("SettlePromise", client_pb2.SettlePromiseRequest(execution_id="order-1", name="\0", value=b"1")),
        ("SubmitTasks", limited(heartbeat_ms=-(2**63))),
        ("SubmitTasks", limited(retry={"backoff": float("nan")})),
        ("SubmitTasks", limited(retry={"max_interval_ms": 2**63 - 1})),
        ("StartFlow", flows_pb2.StartFlowRequest(execution_id="run", flow="f", version=2**63 - 1)),
        ("SaveSchedule", scheduled({"type": "flow", "flow": "f", "version": 2**62})),
        ("SaveSchedule", scheduled({"type": "task", "task_type": "t", "options": {"heartbeat_ms": -(2**62)}})),
    ],
)
async def test_questions_that_make_no_sense_are_invalid_arguments(server: Server, method: str, message: Any) -> None:
    await server.start()
    assert (await refused(server, method, message)).status == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    ("method", "message", "code"),
    [
        ("DescribeWorkflow", client_pb2.DescribeWorkflowRequest(execution_id="x"), "WORKFLOW_NOT_FOUND"),
        ("GetHistory", worker_pb2.HistoryWanted(execution_id="x"), "WORKFLOW_NOT_FOUND"),
        ("GetState", client_pb2.GetStateRequest(execution_id="x"), "WORKFLOW_NOT_FOUND"),
        ("GetResult", client_pb2.GetResultRequest(execution_id="x"), "WORKFLOW_NOT_FOUND"),
        ("DescribeTask", client_pb2.DescribeTaskRequest(task_id="x"), "TASK_NOT_FOUND"),
        ("CancelTimer", client_pb2.CancelTimerRequest(timer_id="x"), "TIMER_NOT_FOUND"),
        ("SettlePromise", client_pb2.SettlePromiseRequest(promise_id="x", value=b"1"), "PROMISE_NOT_FOUND"),
    ],
)
async def test_what_is_not_there_is_not_found(server: Server, method: str, message: Any, code: str) -> None:
    refusal = await refused(server, method, message)
    assert (refusal.status, refusal.code) == ("NOT_FOUND", code)


async def test_promises_are_settled_by_id_and_by_name(server: Server) -> None:
    await server.start()
    opened = [
        worker_pb2.Command(create_promise={"promise_id": "p1", "name": "approval"}),
        worker_pb2.Command(create_promise={"promise_id": "p2", "name": "photo"}),
    ]
    await server.submit(await server.claim(), *opened)
    listed = await server.call("ListPromises", client_pb2.ListPromisesRequest(execution_id="order-1"))
    assert [promise.name for promise in listed.promises] == ["approval", "photo"]
    by_id = client_pb2.SettlePromiseRequest(promise_id="p1", value=b"true")
    by_name = client_pb2.SettlePromiseRequest(
        execution_id="order-1", name="photo", failure=values_pb2.Failure(type="E", message="no")
    )
    for message in (by_id, by_name):
        assert [(await server.call("SettlePromise", message)).changed for _ in range(2)] == [True, False]
    assert (await server.events())[-2:] == ["PROMISE_RESOLVED", "PROMISE_REJECTED"]


async def test_timers_and_state_are_seen_and_set(server: Server) -> None:
    await server.start()
    asked = [
        worker_pb2.Command(start_timer={"timer_id": "t1", "duration_ms": 3_600_000}),
        worker_pb2.Command(start_timer={"timer_id": "t2", "duration_ms": 3_600_000}),
        worker_pb2.Command(set_state={"key": "at", "value": b'"door"'}),
    ]
    await server.submit(await server.claim(), *asked)
    assert (await server.call("ListTimers", client_pb2.ListTimersRequest(execution_id="order-1"))).total == 2
    state = await server.call("GetState", client_pb2.GetStateRequest(execution_id="order-1"))
    assert dict(state.entries) == {"at": b'"door"'}
    assert (await server.call("CancelTimer", client_pb2.CancelTimerRequest(timer_id="t1"))).changed
    assert (await server.call("MoveTimer", client_pb2.MoveTimerRequest(timer_id="t2", fire_at_ms=0))).changed
    assert (await server.claim()).execution_id == "order-1"
    assert (await server.events())[-2:] == ["TIMER_CANCELLED", "TIMER_FIRED"]


async def test_tasks_are_listed_counted_and_waited_for(server: Server) -> None:
    tasks = [client_pb2.NewTask(id=f"00000000-0000-4000-8000-00000000000{n}", task_type="t") for n in range(3)]
    for created in (True, False):
        reply = await server.call("SubmitTasks", client_pb2.SubmitTasksRequest(tasks=tasks))
        assert [task.created for task in reply.tasks] == [created] * 3
    counted = await server.call("CountTasks", client_pb2.CountTasksRequest(task_type="t"))
    assert counted.count == 3
    page = await server.call("ListTasks", client_pb2.ListTasksRequest(limit=2))
    assert len(page.tasks) == 2
    assert page.HasField("next")
    claim = await server.claim_task("t")
    waiting = asyncio.create_task(server.call("GetTaskResult", client_pb2.GetTaskResultRequest(task_id=claim.task_id)))
    await server.call("CompleteTask", worker_pb2.CompleteTaskRequest(task_id=claim.task_id, token=claim.token))
    assert (await waiting).task.output == b"null"
    both = client_pb2.GetTasksRequest(task_ids=[claim.task_id, "missing"])
    assert len((await server.call("GetTasks", both)).tasks) == 1
    await server.start()
    found = await server.call("GetWorkflows", client_pb2.GetWorkflowsRequest(execution_ids=["order-1", "missing"]))
    assert [execution.id for execution in found.executions] == ["order-1"]
    counts = (await server.call("CountQueues", client_pb2.CountQueuesRequest())).counts
    assert {(count.of, count.status, count.count) for count in counts} == {
        ("task", "PENDING", 2), ("workflow", "PENDING", 1),
    }  # fmt: skip
