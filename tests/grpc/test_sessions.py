"""A session, spoken by hand: many calls in one message, in any order, twice, and wrongly."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import grpc.aio
import pytest

from holdfast.model.errors import Unauthenticated
from holdfast.protocol.errors import CODE_KEY, TENANT_KEY
from holdfast.protocol.generated import client_pb2, session_pb2, worker_pb2
from holdfast.server.grpc import sessions
from tests.grpc.serving import WORKER, Server, start

TASK_ID = "00000000-0000-4000-8000-000000000001"
OFFER = session_pb2.StandingOffer(number=1, worker_id=WORKER, kinds=["order"], slots=10)
TASK_OFFER = session_pb2.StandingOffer(number=2, of_tasks=True, worker_id=WORKER, kinds=["charge"], slots=10)


class Peer:
    """Our end of a stream."""

    def __init__(self, stream: "grpc.aio.StreamStreamCall[Any, Any]") -> None:
        self._stream = stream
        self.heard = session_pb2.FromServer()

    async def say(self, *calls: session_pb2.Call, **more: Any) -> None:
        await self._stream.write(session_pb2.FromPeer(calls=calls, **more))

    async def hear(self) -> session_pb2.FromServer:
        """The next message; all of them gather in `heard`."""
        message = await asyncio.wait_for(self._stream.read(), 20)
        assert isinstance(message, session_pb2.FromServer)
        self.heard.MergeFrom(message)
        return self.heard

    async def replies(self, count: int) -> dict[int, session_pb2.Reply]:
        """So many replies, by number."""
        while len(self.heard.replies) < count:
            await self.hear()
        return {reply.number: reply for reply in self.heard.replies}

    async def claims(self) -> list[worker_pb2.WorkflowClaim]:
        """What has been delivered, as soon as something has."""
        while not self.heard.deliveries:
            await self.hear()
        return [claim for delivery in self.heard.deliveries for claim in delivery.executions]

    async def end(self) -> grpc.aio.AioRpcError | None:
        """Wait until the server ends the stream; the error that it ends with."""
        try:
            while await asyncio.wait_for(self._stream.read(), 20) is not grpc.aio.EOF:
                pass
        except grpc.aio.AioRpcError as error:
            return error
        return None


@asynccontextmanager
async def peer_of(server: Server) -> AsyncIterator[Peer]:
    opening: grpc.aio.StreamStreamMultiCallable[Any, Any] = server.channel.stream_stream(
        "/holdfast.v1.SessionService/Open",
        request_serializer=session_pb2.FromPeer.SerializeToString,
        response_deserializer=session_pb2.FromServer.FromString,
    )
    stream = opening()
    told = dict(await stream.initial_metadata())
    assert told[TENANT_KEY] == "default"
    try:
        yield Peer(stream)
    finally:
        stream.cancel()


@pytest.fixture
async def peer(server: Server) -> AsyncIterator[Peer]:
    async with peer_of(server) as made:
        yield made


def starting(number: int, identity: str = "order-1", **more: Any) -> session_pb2.Call:
    return session_pb2.Call(number=number, start_workflow=start(identity, **more))


async def test_many_calls_of_one_message_are_answered_each(peer: Peer) -> None:
    await peer.say(*[starting(number, f"order-{number}") for number in range(1, 101)])
    replies = await peer.replies(100)
    assert all(replies[number].started.created for number in range(1, 101))


async def test_one_bad_call_spoils_no_other(peer: Peer) -> None:
    await peer.say(starting(1), starting(2, "no id"), session_pb2.Call(number=3), starting(4, "order-4", input=b"{"))
    replies = await peer.replies(4)
    assert replies[1].started.created
    assert [replies[number].error.code for number in (2, 3, 4)] == [
        "INVALID_ID",
        "INVALID_ARGUMENT",
        "NOT_SERIALISABLE",
    ]


async def test_the_same_calls_twice_have_one_effect(server: Server, peer: Peer) -> None:
    signal = client_pb2.SignalWorkflowRequest(execution_id="order-1", name="go", value=b"1", request_id="r")
    calls = [starting(1), session_pb2.Call(number=2, signal_workflow=signal)]
    await peer.say(*calls)
    await peer.say(*calls)
    while len(peer.heard.replies) < 4:
        await peer.hear()
    assert [reply.started.created for reply in peer.heard.replies if reply.number == 1] == [True, False]
    assert [reply.done.changed for reply in peer.heard.replies if reply.number == 2] == [True, False]
    assert await server.events() == ["WORKFLOW_STARTED", "SIGNAL_RECEIVED"]


async def test_calls_out_of_order_are_refused_and_good_when_sent_again(server: Server, peer: Peer) -> None:
    signal = client_pb2.SignalWorkflowRequest(execution_id="order-1", name="go", value=b"1", request_id="r")
    signalling = session_pb2.Call(number=1, signal_workflow=signal)
    await peer.say(signalling)
    assert (await peer.replies(1))[1].error.code == "WORKFLOW_NOT_FOUND"
    await peer.say(starting(2))
    await peer.replies(2)
    signalling.number = 3
    await peer.say(signalling)
    assert (await peer.replies(3))[3].done.changed


async def test_a_submit_that_comes_after_a_later_one_is_stale(server: Server, peer: Peer) -> None:
    await peer.say(starting(1), offers=[OFFER])
    [claim] = await peer.claims()
    first = worker_pb2.SubmitWorkflowCommandsRequest(
        execution_id="order-1", token=claim.token, last_sequence=1, status=worker_pb2.ACTIVATION_STATUS_CONTINUING
    )
    second = worker_pb2.SubmitWorkflowCommandsRequest(
        execution_id="order-1", token=claim.token + 1, last_sequence=1, status=worker_pb2.ACTIVATION_STATUS_SUSPENDED
    )
    await peer.say(*[session_pb2.Call(number=2 + n, submit_commands=each) for n, each in enumerate((first, second))])
    await peer.say(session_pb2.Call(number=4, submit_commands=first))
    replies = await peer.replies(4)
    assert replies[3].HasField("accepted")
    assert replies[4].error.code == "STALE_CLAIM"


async def test_what_had_ended_before_it_was_watched_is_told(server: Server, peer: Peer) -> None:
    await server.start()
    end = worker_pb2.Command(complete_workflow={"output": b"7"})
    await server.submit(await server.claim(), end, status=worker_pb2.ACTIVATION_STATUS_COMPLETED)
    tasks = client_pb2.SubmitTasksRequest(tasks=[client_pb2.NewTask(id=TASK_ID, task_type="charge")])
    await server.call("SubmitTasks", tasks)
    await server.call("CancelTask", client_pb2.CancelTaskRequest(task_id=TASK_ID))
    await peer.say(watched_executions=["order-1", "order-1"], watched_tasks=[TASK_ID])
    while not (peer.heard.ended_executions and peer.heard.ended_tasks):
        await peer.hear()
    assert (peer.heard.ended_executions[0].output, peer.heard.ended_tasks[0].id) == (b"7", TASK_ID)


async def test_what_ends_while_it_is_watched_is_told_and_what_is_not_watched_any_more_is_not(
    server: Server, peer: Peer
) -> None:
    await peer.say(starting(1), starting(2, "order-2"), watched_executions=["order-1", "order-2"])
    await peer.replies(2)
    await peer.say(unwatched_executions=["order-1"], unwatched_tasks=["never watched"])
    for number, identity in enumerate(("order-1", "order-2"), 3):
        end = client_pb2.TerminateWorkflowRequest(execution_id=identity)
        await peer.say(session_pb2.Call(number=number, terminate_workflow=end))
    await peer.replies(4)
    while not peer.heard.ended_executions:
        await peer.hear()
    assert [execution.id for execution in peer.heard.ended_executions] == ["order-2"]


async def test_an_offer_is_used_up_and_filled_again(server: Server, peer: Peer) -> None:
    offer = session_pb2.StandingOffer(number=1, worker_id=WORKER, kinds=["order"], slots=1)
    await peer.say(starting(1), starting(2, "order-2"), offers=[offer])
    await peer.replies(2)
    assert len(await peer.claims()) == 1
    await peer.say(more_slots=[{"offer": 1, "slots": 1}, {"offer": 9, "slots": 1}, {"offer": 1, "slots": -5}])
    while len(await peer.claims()) < 2:
        await peer.hear()


async def test_a_withdrawn_offer_gets_nothing_more(server: Server, peer: Peer) -> None:
    await peer.say(offers=[OFFER])
    await peer.say(withdrawn_offers=[1, 1])
    while list(peer.heard.closed_offers) != [1, 1]:
        await peer.hear()
    await server.start()
    assert (await server.claim()).execution_id == "order-1"


async def test_the_end_of_a_running_task_is_told_to_its_peer(server: Server, peer: Peer) -> None:
    task = client_pb2.SubmitTasksRequest(tasks=[client_pb2.NewTask(id=TASK_ID, task_type="charge")])
    await peer.say(session_pb2.Call(number=1, submit_tasks=task), offers=[TASK_OFFER])
    while not peer.heard.deliveries:
        await peer.hear()
    cancel = client_pb2.CancelTaskRequest(task_id=TASK_ID)
    await peer.say(session_pb2.Call(number=2, cancel_task=cancel))
    while not peer.heard.cancelled_tasks:
        await peer.hear()
    assert list(peer.heard.cancelled_tasks) == [TASK_ID]


@pytest.mark.parametrize(
    "offers",
    [
        [OFFER, OFFER],
        [session_pb2.StandingOffer(number=1, worker_id=WORKER, kinds=["order"], slots=100_000)],
        [session_pb2.StandingOffer(number=1, worker_id=WORKER, slots=1)],
        [session_pb2.StandingOffer(number=1, worker_id="", kinds=["order"], slots=1)],
        [session_pb2.StandingOffer(number=1, worker_id=WORKER, kinds=["order"], queue="no queue", slots=1)],
    ],
)
async def test_an_offer_that_makes_no_sense_ends_the_session(
    peer: Peer, offers: list[session_pb2.StandingOffer]
) -> None:
    await peer.say(offers=offers)
    error = await peer.end()
    assert error is not None
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert str(dict(error.trailing_metadata() or ())[CODE_KEY]).startswith("INVALID_")


async def test_watches_are_bounded(peer: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "MAX_WATCHES", 2)
    await peer.say(watched_executions=["a", "b", "c"])
    error = await peer.end()
    assert error is not None
    assert "watches up to" in (error.details() or "")


async def test_work_of_a_peer_that_has_gone_is_given_to_others(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.server.grpc.reclaiming.RETURN_WITHIN", 0.05)
    async with peer_of(server) as peer:
        await peer.say(starting(1), offers=[OFFER])
        [claim] = await peer.claims()
    assert (await server.claim()).token > claim.token


async def test_a_claim_that_never_left_the_server_is_given_back(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = client_pb2.SubmitTasksRequest(tasks=[client_pb2.NewTask(id=TASK_ID, task_type="charge")])

    async def never(_: object, __: object) -> None:
        await asyncio.Event().wait()

    async with peer_of(server) as peer:
        monkeypatch.setattr(sessions.PeerSession, "write", never)
        async with peer_of(server) as silent:
            await silent.say(offers=[OFFER, TASK_OFFER])
            await peer.say(starting(1), session_pb2.Call(number=2, submit_tasks=task))
            await peer.replies(2)
    assert (await server.claim()).execution_id == "order-1"
    assert (await server.claim_task("charge")).attempt == 1


async def test_a_call_that_is_refused_by_a_defect_is_still_answered(
    server: Server, peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> asyncio.Future[object]:
        future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        future.set_exception(RuntimeError("a defect"))
        return future

    monkeypatch.setattr(server.engine, "send", fail)
    await peer.say(starting(1))
    assert "a defect" in (await peer.replies(1))[1].error.message


async def test_the_server_ends_a_session_that_is_not_let_in_any_more(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "LOOK_AGAIN", 0.05)
    async with peer_of(server) as peer:

        async def refuse(_: object, __: object, ___: object) -> None:
            raise Unauthenticated("the token has been revoked")

        monkeypatch.setattr("holdfast.server.access.gate.Gate.admit", refuse)
        error = await peer.end()
    assert error is not None
    assert error.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_a_peer_that_asks_faster_than_it_is_answered_is_read_slowly(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "MAX_OPEN_CALLS", 1)
    monkeypatch.setattr(sessions, "MAX_QUEUED_BYTES", 1)
    for number in range(1, 11):
        await peer.say(starting(number, f"order-{number}"))
    assert len(await peer.replies(10)) == 10


ANSWERING = session_pb2.AnsweringWorker(worker_id=WORKER, queues=["default"], kinds=["order"])


def asking(server: Server) -> "asyncio.Task[Any]":
    question = client_pb2.QueryWorkflowRequest(execution_id="order-1", name="total", input=b"[1]")
    return asyncio.create_task(server.call("QueryWorkflow", question))


async def asked(peer: Peer) -> worker_pb2.WorkflowQuery:
    while not peer.heard.queries:
        await peer.hear()
    return peer.heard.queries[-1]


async def test_a_query_goes_to_a_worker_of_the_kind_and_its_answer_comes_back(server: Server, peer: Peer) -> None:
    await peer.say(starting(1), answering_workers=[ANSWERING])
    await peer.replies(1)
    answer = asking(server)
    query = await asked(peer)
    assert (query.worker_id, query.execution_id, query.kind, query.name) == (WORKER, "order-1", "order", "total")
    assert (query.last_sequence, query.input) == (1, b"[1]")
    late = worker_pb2.QueryAnswer(number=77, output=b"3")
    await peer.say(query_answers=[late, worker_pb2.QueryAnswer(number=query.number, output=b"2")])
    assert (await answer).output == b"2"


async def test_a_query_whose_worker_is_lost_is_asked_of_the_next(server: Server, peer: Peer) -> None:
    await peer.say(starting(1))
    await peer.replies(1)
    async with peer_of(server) as other:
        await other.say(starting(1), answering_workers=[ANSWERING])
        await other.replies(1)
        answer = asking(server)
        await asked(other)
        await peer.say(starting(2), answering_workers=[ANSWERING])
        await peer.replies(2)
    query = await asked(peer)
    await peer.say(query_answers=[worker_pb2.QueryAnswer(number=query.number, output=b"2")])
    assert (await answer).output == b"2"


async def test_a_session_has_only_so_many_answering_workers(peer: Peer) -> None:
    await peer.say(answering_workers=[ANSWERING] * 101)
    error = await peer.end()
    assert error is not None
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
