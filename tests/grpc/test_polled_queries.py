"""Queries to workers that poll, call by call."""

import asyncio
from typing import Any

import grpc
import pytest

from holdfast.protocol.generated import client_pb2, values_pb2, worker_pb2
from holdfast.server.grpc import polled_questions
from holdfast.server.grpc.admission import Call
from tests.grpc.serving import WORKER, Refused, Server

QUESTION = client_pb2.QueryWorkflowRequest(execution_id="order-1", name="total", input=b"[1]")


def asking(server: Server) -> "asyncio.Task[Any]":
    return asyncio.create_task(server.call("QueryWorkflow", QUESTION))


async def poll(server: Server, *kinds: str, worker: str = WORKER, **more: Any) -> list[worker_pb2.WorkflowQuery]:
    given = {"worker_id": worker, "kinds": kinds or ["order"], "wait_ms": 10_000, **more}
    return list((await server.call("PollQueries", worker_pb2.PollQueriesRequest(**given))).queries)


async def answer(server: Server, *answers: worker_pb2.QueryAnswer, worker: str = WORKER) -> list[bool]:
    message = worker_pb2.AnswerQueriesRequest(worker_id=worker, answers=answers)
    return [each.changed for each in (await server.call("AnswerQueries", message)).items]


async def is_there(server: Server, **more: Any) -> None:
    """Let a worker poll once, so that it counts as there."""
    assert await poll(server, wait_ms=1, **more) == []


async def test_a_query_goes_to_a_worker_that_polls_and_its_answer_comes_back(server: Server) -> None:
    await server.start()
    await is_there(server)
    waiting = asking(server)
    [query] = await poll(server)
    assert (query.worker_id, query.execution_id, query.kind, query.name) == (WORKER, "order-1", "order", "total")
    assert (query.last_sequence, query.input, query.queue) == (1, b"[1]", "default")
    late = worker_pb2.QueryAnswer(number=77, output=b"3")
    first = worker_pb2.QueryAnswer(number=query.number, output=b"2")
    assert await answer(server, late, first, first) == [False, True, False]
    assert (await waiting).output == b"2"
    assert await answer(server, first) == [False]


async def test_only_the_worker_that_was_asked_may_answer(server: Server) -> None:
    await server.start()
    await is_there(server)
    waiting = asking(server)
    [query] = await poll(server)
    given = worker_pb2.QueryAnswer(number=query.number, output=b"2")
    assert await answer(server, given, worker="another") == [False]
    assert await answer(server, given) == [True]
    await waiting


@pytest.mark.parametrize(
    ("told", "status", "code"),
    [
        ({"error": values_pb2.Error(code="QUERY_NOT_FOUND", message="no")}, "NOT_FOUND", "QUERY_NOT_FOUND"),
        ({"error": values_pb2.Error(code="QUERY_FAILED", message="no")}, "FAILED_PRECONDITION", "QUERY_FAILED"),
        ({"error": values_pb2.Error(code="INTERNAL", message="no")}, "FAILED_PRECONDITION", "QUERY_FAILED"),
        ({"error": values_pb2.Error(code="NO_WORKER", message="no")}, "FAILED_PRECONDITION", "NO_WORKER"),
        ({"output": b"{"}, "FAILED_PRECONDITION", "QUERY_FAILED"),
        ({"output": b"NaN"}, "FAILED_PRECONDITION", "QUERY_FAILED"),
    ],
)
async def test_whatever_a_worker_says_is_no_failure_of_the_server(
    server: Server, told: dict[str, Any], status: str, code: str
) -> None:
    await server.start()
    await is_there(server)
    waiting = asking(server)
    [query] = await poll(server)
    assert await answer(server, worker_pb2.QueryAnswer(number=query.number, **told)) == [True]
    with pytest.raises(Refused) as refused:
        await waiting
    assert (refused.value.status, refused.value.code) == (status, code)


async def test_a_worker_that_polls_no_more_is_not_asked(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    await server.start()
    monkeypatch.setattr(polled_questions, "ABSENCE", 0.2)
    await is_there(server)
    waiting = asking(server)
    # Nobody takes the query: with the worker goes the hope for an answer.
    with pytest.raises(Refused) as refused:
        await waiting
    assert (refused.value.status, refused.value.code) == ("FAILED_PRECONDITION", "NO_WORKER")


async def test_a_query_whose_worker_is_gone_is_asked_of_the_next(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    await server.start()
    monkeypatch.setattr(polled_questions, "ABSENCE", 3_600)
    await is_there(server, worker="other", queues=["elsewhere"])
    with monkeypatch.context() as briefly:
        briefly.setattr(polled_questions, "ABSENCE", 0.2)
        await is_there(server, queues=["default"])
    waiting = asking(server)
    [query] = await poll(server, worker="other", queues=["elsewhere"])
    assert await answer(server, worker_pb2.QueryAnswer(number=query.number, output=b"2"), worker="other") == [True]
    assert (await waiting).output == b"2"


async def test_the_last_poll_says_what_a_worker_can_be_asked(server: Server) -> None:
    await server.start()
    await is_there(server)
    assert await poll(server, "refund", wait_ms=1) == []
    with pytest.raises(Refused) as refused:
        await asking(server)
    assert refused.value.code == "NO_WORKER"


async def test_a_poll_takes_so_many(server: Server) -> None:
    await server.start()
    await is_there(server)
    waiting = [asking(server) for _ in range(3)]
    numbers: list[int] = []
    while len(numbers) < 3:
        taken = await poll(server, max_items=2)
        assert 1 <= len(taken) <= 2
        numbers += [each.number for each in taken]
    await answer(server, *[worker_pb2.QueryAnswer(number=each, output=b"2") for each in numbers])
    assert [(await each).output for each in waiting] == [b"2"] * 3


async def test_a_query_that_nobody_waits_for_any_more_is_passed_over(server: Server) -> None:
    await server.start()
    await is_there(server)
    short = client_pb2.QueryWorkflowRequest(execution_id="order-1", name="old", timeout_ms=1)
    with pytest.raises(Refused) as refused:
        await server.call("QueryWorkflow", short)
    assert (refused.value.status, refused.value.code) == ("DEADLINE_EXCEEDED", "QUERY_TIMED_OUT")
    waiting = asking(server)
    found: list[worker_pb2.WorkflowQuery] = []
    while not found:
        # The first poll may find that what came has been passed over.
        found = await poll(server)
    assert [each.name for each in found] == ["total"]
    await answer(server, worker_pb2.QueryAnswer(number=found[0].number, output=b"2"))
    await waiting


class Gone:
    """The context of a call whose caller leaves once it has been answered, or stays."""

    def __init__(self, is_gone: bool) -> None:
        self._is_gone = is_gone
        self.told: list[Any] = []

    def time_remaining(self) -> None:
        return None

    def cancelled(self) -> bool:
        return self._is_gone

    def add_done_callback(self, callback: Any) -> None:
        self.told.append(callback)


@pytest.mark.parametrize("is_gone", [True, False])
async def test_what_could_not_be_told_is_told_to_the_next_poll(server: Server, is_gone: bool) -> None:
    await server.start()
    questions = polled_questions.PolledQuestions(engine=server.engine, closing=asyncio.Event())
    caller: Any = type("Caller", (), {"tenant": "default"})()
    context: Any = Gone(is_gone)
    message = worker_pb2.PollQueriesRequest(worker_id=WORKER, kinds=["order"], wait_ms=1)
    await questions.poll(message, Call(context, caller))
    waiting = asking(server)
    message.wait_ms = 10_000
    first = await questions.poll(message, Call(context, caller))
    for callback in context.told:
        callback(context)
    message.wait_ms = 1
    again = await questions.poll(message, Call(context, caller))
    assert list(again.queries) == (list(first.queries) if is_gone else [])
    questions.stop()
    with pytest.raises(Refused) as refused:
        await waiting
    assert refused.value.code == "NO_WORKER"


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("PollQueries", worker_pb2.PollQueriesRequest(worker_id=WORKER)),
        ("PollQueries", worker_pb2.PollQueriesRequest(worker_id="", kinds=["order"])),
        ("PollQueries", worker_pb2.PollQueriesRequest(worker_id=WORKER, kinds=["order"], queues=["no queue"])),
        ("PollQueries", worker_pb2.PollQueriesRequest(worker_id=WORKER, kinds=["order"], max_items=1_001)),
        ("PollQueries", worker_pb2.PollQueriesRequest(worker_id=WORKER, kinds=["order"], wait_ms=-1)),
        ("AnswerQueries", worker_pb2.AnswerQueriesRequest(answers=[worker_pb2.QueryAnswer()] * 1_001)),
    ],
)
async def test_what_means_nothing_is_refused(server: Server, method: str, message: Any) -> None:
    with pytest.raises(Refused) as refused:
        await server.call(method, message)
    assert refused.value.status == grpc.StatusCode.INVALID_ARGUMENT.name


async def test_a_tenant_has_only_so_many_workers_that_poll(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polled_questions, "MAX_POLLED_WORKERS", 1)
    await is_there(server)
    await is_there(server)
    with pytest.raises(Refused) as refused:
        await is_there(server, worker="other")
    assert (refused.value.status, refused.value.code) == ("RESOURCE_EXHAUSTED", "LIMIT_EXCEEDED")
