"""What a worker in any language says, call by call."""

import asyncio
import logging
from pathlib import Path
from uuid import uuid4

import pytest
from msgspec import json

from holdfast.protocol.generated import client_pb2, values_pb2, worker_pb2
from tests.grpc.serving import WORKER, Refused, Server, serving


async def submitted(server: Server, *task_types: str) -> list[str]:
    """Standalone tasks, all at once."""
    tasks = [client_pb2.NewTask(id=str(uuid4()), task_type=each, input=b"1") for each in task_types]
    reply = await server.call("SubmitTasks", client_pb2.SubmitTasksRequest(tasks=tasks))
    return [task.id for task in reply.tasks]


async def described(server: Server, task_id: str) -> values_pb2.Task:
    found: values_pb2.Task = await server.call("DescribeTask", client_pb2.DescribeTaskRequest(task_id=task_id))
    return found


async def test_a_worker_registers_and_is_known_until_the_server_forgets(server: Server) -> None:
    capability = worker_pb2.Capability(name="charge", version="2", input_schema=b'{"type": "integer"}')
    told = worker_pb2.RegisterRequest(worker_id=WORKER, queues=["default"], tasks=[capability], client="raw 1.0")
    reply = await server.call("Register", told)
    assert (reply.lease_ms, reply.heartbeat_interval_ms) == (30_000, 10_000)
    [known] = server.engine.directory.workers("default")  # type: ignore[arg-type]  # a tenant is text
    assert (known.told.tasks[0].name, known.told.tasks[0].version, known.client) == ("charge", "2", "raw 1.0")
    assert not (await server.call("HeartbeatWorker", worker_pb2.HeartbeatWorkerRequest(worker_id=WORKER))).unknown
    assert (await server.call("HeartbeatWorker", worker_pb2.HeartbeatWorkerRequest(worker_id="new"))).unknown


async def test_a_heartbeat_carries_drain(server: Server) -> None:
    await server.call("Register", worker_pb2.RegisterRequest(worker_id=WORKER))
    beat = worker_pb2.HeartbeatWorkerRequest(worker_id=WORKER)
    assert not (await server.call("HeartbeatWorker", beat)).drain
    assert server.engine.directory.drain(("default", WORKER))  # type: ignore[arg-type]  # a tenant is text
    assert (await server.call("HeartbeatWorker", beat)).drain


@pytest.mark.parametrize(
    ("capability", "words"),
    [(worker_pb2.Capability(name="no name"), "tasks"), (worker_pb2.Capability(name="t", input_schema=b"{"), "schema")],
)
async def test_a_registration_that_makes_no_sense_is_refused(
    server: Server, capability: worker_pb2.Capability, words: str
) -> None:
    with pytest.raises(Refused) as refused:
        await server.call("Register", worker_pb2.RegisterRequest(worker_id=WORKER, tasks=[capability]))
    assert refused.value.status == "INVALID_ARGUMENT"
    assert words in refused.value.message


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("PollTask", worker_pb2.PollTaskRequest(worker_id=WORKER)),
        ("PollWorkflow", worker_pb2.PollWorkflowRequest(worker_id=WORKER)),
        ("PollTask", worker_pb2.PollTaskRequest(task_types=["charge"])),
        ("PollTask", worker_pb2.PollTaskRequest(worker_id=WORKER, task_types=["no type"])),
        ("PollTask", worker_pb2.PollTaskRequest(worker_id=WORKER, task_types=["charge"], max_items=1_001)),
        ("PollTask", worker_pb2.PollTaskRequest(worker_id=WORKER, task_types=["charge"], wait_ms=-1)),
    ],
)
async def test_a_poll_says_who_asks_and_for_what(
    server: Server, method: str, message: worker_pb2.PollTaskRequest
) -> None:
    with pytest.raises(Refused) as refused:
        await server.call(method, message)
    assert refused.value.status == "INVALID_ARGUMENT"


async def test_a_poll_gives_up_to_so_many_and_only_what_it_asked_for(server: Server) -> None:
    await submitted(server, "charge", "refund", "charge", "charge")
    poll = worker_pb2.PollTaskRequest(worker_id=WORKER, task_types=["charge"], max_items=2)
    assert [task.task_type for task in (await server.call("PollTask", poll)).tasks] == ["charge", "charge"]
    assert len((await server.call("PollTask", poll)).tasks) == 1


async def polling(server: Server) -> "asyncio.Task[worker_pb2.TaskClaim]":
    """A poll that the server has seen."""
    poll = asyncio.create_task(server.claim_task("charge"))
    async with asyncio.timeout(20):
        while not server.engine.committer.dispatch._tasks:  # noqa: ASYNC110 - an offer sets no event
            await asyncio.sleep(0.001)
    return poll


async def test_a_poll_waits_until_something_comes(server: Server) -> None:
    poll = await polling(server)
    [task_id] = await submitted(server, "charge")
    assert (await poll).task_id == task_id


async def test_a_poll_whose_caller_goes_holds_nothing(server: Server) -> None:
    poll = await polling(server)
    poll.cancel()
    await asyncio.wait([poll])
    [task_id] = await submitted(server, "charge")
    assert (await server.claim_task("charge")).task_id == task_id


async def test_a_poll_is_answered_before_its_deadline(server: Server) -> None:
    poll = worker_pb2.PollTaskRequest(worker_id=WORKER, task_types=["charge"], wait_ms=60_000)
    assert not (await server.call("PollTask", poll, timeout=0.5)).tasks


async def test_tasks_are_completed_and_failed_in_batches_and_one_refusal_spoils_nothing(server: Server) -> None:
    ids = await submitted(server, "charge", "charge", "charge")
    poll = worker_pb2.PollTaskRequest(worker_id=WORKER, task_types=["charge"], max_items=10)
    first, second, third = (await server.call("PollTask", poll)).tasks
    done = [
        worker_pb2.CompleteTaskRequest(task_id=first.task_id, token=first.token, output=b"7"),
        worker_pb2.CompleteTaskRequest(task_id=second.task_id, token=second.token + 1, output=b"7"),
    ]
    reply = await server.call("CompleteTasks", worker_pb2.CompleteTasksRequest(tasks=done))
    assert (reply.items[0].changed, reply.items[1].error.code) == (True, "STALE_CLAIM")
    failure = values_pb2.Failure(type="ValueError", message="no", stack="line 1", retryable=False)
    failed = worker_pb2.FailTaskRequest(task_id=third.task_id, token=third.token, failure=failure)
    assert (await server.call("FailTasks", worker_pb2.FailTasksRequest(tasks=[failed]))).items[0].changed
    ended = await described(server, third.task_id)
    assert (ended.status, ended.failure.type, ended.failure.stack) == (
        values_pb2.TASK_STATUS_FAILED, "ValueError", "line 1",
    )  # fmt: skip
    assert (await described(server, first.task_id)).output == b"7"
    assert set(ids) == {first.task_id, second.task_id, third.task_id}


@pytest.mark.parametrize("times", [1, 2, 3])
async def test_an_end_that_is_told_again_has_one_effect(server: Server, times: int) -> None:
    await submitted(server, "charge")
    claim = await server.claim_task("charge")
    done = worker_pb2.CompleteTaskRequest(task_id=claim.task_id, token=claim.token, output=b"7")
    replies = [(await server.call("CompleteTask", done)).changed for _ in range(times)]
    assert replies == [True, False, False][:times]
    attempts = await server.call("ListAttempts", client_pb2.ListAttemptsRequest(task_id=claim.task_id))
    assert len(attempts.attempts) == 1


async def test_reports_carry_progress_lines_and_state_for_the_next_try(server: Server) -> None:
    [task_id] = await submitted(server, "charge")
    claim = await server.claim_task("charge")
    lines = [
        worker_pb2.Line(time_ms=1, channel="log", level="INFO", body=b'"halfway"'),
        worker_pb2.Line(time_ms=2, channel="tokens", body=b'["a"]'),
    ]
    report = worker_pb2.ReportTaskRequest(
        task_id=task_id, token=claim.token, heartbeat=True, details=b'{"at": 5}', progress=0.5, lines=lines,
        progress_message="half",
    )  # fmt: skip
    assert not (await server.call("Heartbeat", report)).cancel
    found = await described(server, task_id)
    assert (found.progress, found.progress_message) == (0.5, "half")
    told = await server.call("ListTaskLines", client_pb2.ListTaskLinesRequest(task_id=task_id))
    assert [(line.channel, line.body) for line in told.lines] == [("log", b'"halfway"'), ("tokens", b'["a"]')]
    failure = values_pb2.Failure(type="E", message="again")
    await server.call("FailTask", worker_pb2.FailTaskRequest(task_id=task_id, token=claim.token, failure=failure))
    second = await server.claim_task("charge", wait_ms=30_000)
    assert (second.attempt, json.decode(second.details)) == (2, {"at": 5})


async def test_a_heartbeat_brings_back_that_the_end_is_wanted(server: Server) -> None:
    [task_id] = await submitted(server, "charge")
    claim = await server.claim_task("charge")
    await server.call("CancelTask", client_pb2.CancelTaskRequest(task_id=task_id))
    report = worker_pb2.ReportTaskRequest(task_id=task_id, token=claim.token)
    assert (await server.call("Heartbeat", report)).cancel
    both = worker_pb2.ReportTasksRequest(tasks=[report, worker_pb2.ReportTaskRequest(task_id=task_id, token=9)])
    told = (await server.call("ReportTasks", both)).tasks
    assert (told[0].cancel, told[1].error.code) == (True, "STALE_CLAIM")
    stopped = worker_pb2.AcknowledgeTaskCancelRequest(task_id=task_id, token=claim.token, reason="as asked")
    reply = await server.call("AcknowledgeTaskCancels", worker_pb2.AcknowledgeTaskCancelsRequest(tasks=[stopped]))
    assert reply.items[0].changed
    assert (await described(server, task_id)).status == values_pb2.TASK_STATUS_CANCELLED


@pytest.mark.parametrize("progress", [-0.1, 1.1, float("nan")])
async def test_progress_lies_between_0_and_1(server: Server, progress: float) -> None:
    await submitted(server, "charge")
    claim = await server.claim_task("charge")
    with pytest.raises(Refused, match="between 0 and 1"):
        await server.call(
            "Heartbeat", worker_pb2.ReportTaskRequest(task_id=claim.task_id, token=claim.token, progress=progress)
        )


async def test_claims_are_extended_and_given_back(server: Server) -> None:
    await server.start()
    claim = await server.claim()
    held = worker_pb2.ClaimedWorkflow(execution_id="order-1", token=claim.token)
    assert (await server.call("ExtendClaims", worker_pb2.ExtendClaimsRequest(executions=[held]))).items[0].changed
    released = worker_pb2.ReleaseWorkflowsRequest(executions=[held])
    assert (await server.call("ReleaseWorkflows", released)).items[0].changed
    assert (await server.call("ReleaseWorkflows", released)).items[0].error.code == "STALE_CLAIM"
    [task_id] = await submitted(server, "charge")
    task = await server.claim_task("charge")
    given_back = worker_pb2.ReleaseTasksRequest(tasks=[{"task_id": task_id, "token": task.token}])
    assert (await server.call("ReleaseTasks", given_back)).items[0].changed
    assert (await server.claim_task("charge")).attempt == 1


async def test_histories_come_in_pages(server: Server) -> None:
    await server.start()
    for number in range(5):
        await server.call(
            "SignalWorkflow", client_pb2.SignalWorkflowRequest(execution_id="order-1", name=f"s{number}", value=b"1")
        )
    wanted = [
        worker_pb2.HistoryWanted(execution_id="order-1", after=2, limit=2),
        worker_pb2.HistoryWanted(execution_id="missing"),
    ]
    pages = (await server.call("GetHistories", worker_pb2.GetHistoriesRequest(wanted=wanted))).pages
    assert [[event.sequence for event in page.events] for page in pages] == [[3, 4], []]
    with pytest.raises(Refused, match="at once"):
        await server.call("GetHistories", worker_pb2.GetHistoriesRequest(wanted=wanted * 200))


async def test_a_long_page_is_cut_where_a_message_would_be_too_long(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.server.grpc.worker_verbs.MAX_PAGE_BYTES", 10)
    await server.start()
    await server.call("SignalWorkflow", client_pb2.SignalWorkflowRequest(execution_id="order-1", name="s", value=b"1"))
    page = await server.call("GetHistory", worker_pb2.HistoryWanted(execution_id="order-1"))
    assert [event.sequence for event in page.events] == [1]


async def test_too_many_items_are_refused(server: Server) -> None:
    done = [worker_pb2.CompleteTaskRequest(task_id=str(uuid4()))] * 1_001
    with pytest.raises(Refused, match="1,000 items"):
        await server.call("CompleteTasks", worker_pb2.CompleteTasksRequest(tasks=done))


class Told:
    """What an observer was told."""

    def __init__(self) -> None:
        self.answers: list[tuple[str, str]] = []

    def answered(self, method: str, code: str, seconds: float) -> None:
        assert seconds >= 0
        self.answers.append((method, code))

    def session_opened(self) -> None:
        self.answers.append(("session", "opened"))

    def session_closed(self) -> None:
        self.answers.append(("session", "closed"))


async def test_submit_task_still_works_and_each_client_is_warned_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    told = Told()
    async with serving(tmp_path, observer=told) as server:
        task_id = str(uuid4())
        old = worker_pb2.SubmitTaskRequest(task_type="charge", input=b"1", task_execution_id=task_id, max_retries=0)
        with caplog.at_level(logging.WARNING, "holdfast.server.grpc.worker_verbs"):
            for _ in range(3):
                assert (await server.call("SubmitTask", old)).task_execution_id == task_id
        assert (await server.claim_task("charge")).task_id == task_id
    warnings = [record.getMessage() for record in caplog.records if "deprecated" in record.getMessage()]
    assert len(warnings) == 1
    assert "2.0" in warnings[0]
    assert told.answers.count(("SubmitTask", "OK")) == 3


def test_submit_task_is_marked_and_its_removal_is_documented() -> None:
    method = worker_pb2.DESCRIPTOR.services_by_name["WorkerService"].methods_by_name["SubmitTask"]
    assert method.GetOptions().deprecated
    documented = (Path(__file__).parents[2] / "docs" / "grpc.md").read_text(encoding="utf-8")
    assert "`SubmitTask`" in documented
    assert "removed in version 2.0" in documented
