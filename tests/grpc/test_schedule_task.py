"""ScheduleTaskCommand, as issue and .proto promise it to workers of any language."""

from typing import Any
from uuid import uuid4

import pytest

from holdfast.model.errors import OutcomeUnknown, Unavailable
from holdfast.model.ids import DEFAULT_TENANT, TaskId
from holdfast.protocol.generated import client_pb2, values_pb2, worker_pb2
from tests.grpc.serving import Refused, Server, activation

NUMBERS = {
    "ScheduleTaskCommand": {
        "task_type": 1, "input": 2, "task_execution_id": 3, "max_retries": 4, "timeout_ms": 5, "queue": 6,
        "priority_seconds": 7,
    },
    "FailWorkflowCommand": {"error": 1, "stack_trace": 2, "failure_type": 3},
    "PollTaskRequest": {"worker_id": 1, "task_types": 2, "queue": 3},
}  # fmt: skip
OPTIONAL = ("max_retries", "timeout_ms", "queue", "priority_seconds")


def schedule(task_id: str, task_type: str = "charge", **more: Any) -> worker_pb2.Command:
    made = worker_pb2.ScheduleTaskCommand(task_type=task_type, input=b"1", task_execution_id=task_id, **more)
    return worker_pb2.Command(schedule_task=made)


async def claimed(server: Server, identity: str = "order-1", **more: Any) -> worker_pb2.WorkflowClaim:
    await server.start(identity, **more)
    return await server.claim()


async def task(server: Server, task_id: str) -> values_pb2.Task:
    found: values_pb2.Task = await server.call("DescribeTask", client_pb2.DescribeTaskRequest(task_id=task_id))
    return found


async def refusal(server: Server, claim: worker_pb2.WorkflowClaim, *commands: worker_pb2.Command) -> Refused:
    with pytest.raises(Refused) as refused:
        await server.submit(claim, *commands)
    return refused.value


@pytest.mark.parametrize("message", NUMBERS)
def test_the_numbers_of_fields_are_those_that_were_promised(message: str) -> None:
    fields = worker_pb2.DESCRIPTOR.message_types_by_name[message].fields_by_name
    assert {name: fields[name].number for name in NUMBERS[message]} == NUMBERS[message]


@pytest.mark.parametrize("field", OPTIONAL)
def test_what_is_optional_can_be_told_from_its_default(field: str) -> None:
    assert worker_pb2.ScheduleTaskCommand.DESCRIPTOR.fields_by_name[field].has_presence


async def test_it_makes_a_task_and_its_event_with_the_defaults(server: Server) -> None:
    claim = await claimed(server, queue="")
    task_id = str(uuid4())
    await server.submit(claim, schedule(task_id))
    made = await task(server, task_id)
    assert (made.task_type, made.execution_id, made.queue, made.priority) == ("charge", "order-1", "default", 0)
    kept = await server.engine.reads.task((DEFAULT_TENANT, TaskId(task_id)))
    assert kept is not None
    assert (kept.options.retry.max_retries, kept.options.start_to_close_ms) == (3, None)
    assert await server.events() == ["WORKFLOW_STARTED", "TASK_SCHEDULED"]


async def test_what_it_says_wins(server: Server) -> None:
    claim = await claimed(server)
    task_id = str(uuid4())
    await server.submit(claim, schedule(task_id, max_retries=0, timeout_ms=500, queue="light", priority_seconds=7))
    made = await task(server, task_id)
    assert (made.queue, made.priority, made.options.start_to_close_ms) == ("light", 7, 500)
    assert made.options.retry.max_retries == 0


async def test_the_same_command_in_a_later_activation_is_skipped(server: Server) -> None:
    claim = await claimed(server)
    task_id = str(uuid4())
    await server.submit(claim, schedule(task_id), status=worker_pb2.ACTIVATION_STATUS_CONTINUING)
    again = worker_pb2.SubmitWorkflowCommandsRequest(
        execution_id="order-1",
        token=claim.token + 1,
        last_sequence=2,
        commands=[schedule(task_id)],
        status="ACTIVATION_STATUS_SUSPENDED",
    )
    await server.call("SubmitWorkflowCommands", again)
    assert await server.events() == ["WORKFLOW_STARTED", "TASK_SCHEDULED"]


async def test_the_same_batch_sent_twice_has_one_effect(server: Server) -> None:
    batch = activation(await claimed(server), schedule(str(uuid4())), schedule(str(uuid4())))
    first = await server.call("SubmitWorkflowCommands", batch)
    assert await server.call("SubmitWorkflowCommands", batch) == first
    assert await server.events() == ["WORKFLOW_STARTED", "TASK_SCHEDULED", "TASK_SCHEDULED"]


async def test_the_same_id_with_another_type_is_refused_and_both_are_named(server: Server) -> None:
    claim = await claimed(server)
    task_id = str(uuid4())
    refused = await refusal(server, claim, schedule(task_id), schedule(task_id, "refund"))
    assert (refused.status, refused.code, refused.index) == ("FAILED_PRECONDITION", "ID_COLLISION", "1")
    assert "'charge'" in refused.message
    assert "'refund'" in refused.message
    assert await server.events() == ["WORKFLOW_STARTED"]


async def test_the_id_of_another_workflow_s_task_is_refused_and_both_are_named(server: Server) -> None:
    task_id = str(uuid4())
    await server.submit(await claimed(server, "order-1"), schedule(task_id))
    refused = await refusal(server, await claimed(server, "order-2"), schedule(task_id))
    assert (refused.status, refused.index) == ("FAILED_PRECONDITION", "0")
    assert "'order-1'" in refused.message
    assert "'order-2'" in refused.message


@pytest.mark.parametrize("task_id", ["", "17", "not-a-uuid", "{2f1c9f4e-0d3a-4a4e-9a3e-1f5f2f5f5f5f}"])
async def test_an_id_that_is_no_uuid_is_an_invalid_argument(server: Server, task_id: str) -> None:
    claim = await claimed(server)
    refused = await refusal(server, claim, schedule(str(uuid4())), schedule(task_id))
    assert (refused.status, refused.index) == ("INVALID_ARGUMENT", "1")
    assert await server.events() == ["WORKFLOW_STARTED"]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (schedule(str(uuid4()), max_retries=-1), "max_retries"),
        (schedule(str(uuid4()), max_retries=1 << 62), "max_retries"),
        (schedule(str(uuid4()), timeout_ms=0), "timeout_ms"),
        (schedule(str(uuid4()), timeout_ms=1 << 62), "timeout_ms"),
        (schedule(str(uuid4()), queue="no queue"), "queue"),
        (schedule(str(uuid4()), ""), "task_type"),
        (schedule(str(uuid4()), priority_seconds=1 << 40), "priority"),
        (worker_pb2.Command(clear_state={"key": "\0"}), "key has a NUL"),
        (worker_pb2.Command(cancel_timer={"timer_id": "a\0b"}), "timer_id has a NUL"),
        (worker_pb2.Command(), "empty"),
        (
            worker_pb2.Command(schedule_task={"task_type": "t", "task_execution_id": str(uuid4()), "input": b"{"}),
            "input",
        ),
        (worker_pb2.Command(start_timer={"timer_id": "t"}), "duration_ms"),
    ],
)
async def test_one_bad_command_refuses_all_with_its_index(
    server: Server, command: worker_pb2.Command, words: str
) -> None:
    claim = await claimed(server)
    refused = await refusal(server, claim, schedule(str(uuid4())), command)
    assert (refused.status, refused.index) == ("INVALID_ARGUMENT", "1")
    assert words in refused.message
    assert await server.events() == ["WORKFLOW_STARTED"]
    # Nothing was applied, and the claim still holds: the corrected batch is accepted.
    await server.submit(claim, schedule(str(uuid4())))


@pytest.mark.parametrize("error", [Unavailable("the disk is full"), OutcomeUnknown("COMMIT failed")])
async def test_a_storage_failure_is_aborted_and_the_same_batch_is_safe_to_send_again(
    server: Server, error: Unavailable, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = activation(await claimed(server), schedule(str(uuid4())))
    commit = server.engine.store.commit

    async def fail_once(plan: object) -> None:
        monkeypatch.setattr(server.engine.store, "commit", commit)
        raise error

    monkeypatch.setattr(server.engine.store, "commit", fail_once)
    with pytest.raises(Refused) as refused:
        await server.call("SubmitWorkflowCommands", batch)
    assert refused.value.status == "ABORTED"
    await server.call("SubmitWorkflowCommands", batch)
    assert await server.events() == ["WORKFLOW_STARTED", "TASK_SCHEDULED"]


async def test_a_stale_token_changes_nothing(server: Server) -> None:
    claim = await claimed(server)
    claim.token += 5
    refused = await refusal(server, claim, schedule(str(uuid4())))
    assert (refused.status, refused.code) == ("FAILED_PRECONDITION", "STALE_CLAIM")
    assert await server.events() == ["WORKFLOW_STARTED"]


async def test_a_determinism_violation_ends_the_execution_without_retry(server: Server) -> None:
    failing = worker_pb2.FailWorkflowCommand(
        error="Task(0) differs", stack_trace="at line 1", failure_type="DETERMINISM_VIOLATION"
    )
    await server.submit(
        await claimed(server),
        worker_pb2.Command(fail_workflow=failing),
        status=worker_pb2.ACTIVATION_STATUS_FAILED,
    )
    found = await server.call("DescribeWorkflow", client_pb2.DescribeWorkflowRequest(execution_id="order-1"))
    assert (found.status, found.failure_type) == (values_pb2.EXECUTION_STATUS_FAILED, "DETERMINISM_VIOLATION")
    assert (found.failure.message, found.failure.stack) == ("Task(0) differs", "at line 1")
    nothing = worker_pb2.PollWorkflowRequest(worker_id="w", kinds=["order"], wait_ms=50)
    assert not (await server.call("PollWorkflow", nothing)).executions


async def test_an_end_must_be_the_last_command_and_go_with_the_status(server: Server) -> None:
    claim = await claimed(server)
    end = worker_pb2.Command(complete_workflow={"output": b"1"})
    assert "can only come last" in (await refusal(server, claim, end, schedule(str(uuid4())))).message
    with pytest.raises(Refused, match="does not go with"):
        await server.submit(claim, schedule(str(uuid4())), status=worker_pb2.ACTIVATION_STATUS_COMPLETED)
    with pytest.raises(Refused, match="does not go with"):
        await server.submit(claim, status=99)  # type: ignore[arg-type]  # no status of ours
