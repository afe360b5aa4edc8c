"""Quotas: what is too much is refused over both protocols alike, and nobody else notices."""

import asyncio
from contextlib import ExitStack

import pytest

from holdfast import Holdfast
from holdfast.model.access import Limits, Role
from holdfast.model.errors import LimitExceeded, PayloadQuotaExceeded
from holdfast.protocol.generated import client_pb2, worker_pb2
from holdfast.server.access.quotas import Quota
from holdfast.server.grpc.sessions import PeerSession
from tests.access.serving import ACME, OTHER, Served
from tests.rest.clients import Reply

TASKS = f"/api/tenants/{ACME}/tasks"


class Seconds:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def limited(seconds: Seconds, limits: Limits) -> Quota:
    quota = Quota(now=seconds)
    quota.limit(limits)
    return quota


def refused(quota: Quota) -> bool:
    try:
        quota.count()
    except LimitExceeded:
        return True
    return False


def test_a_bucket_lets_bursts_through_and_then_so_many_a_second() -> None:
    seconds = Seconds()
    quota = limited(seconds, Limits(requests_per_second=10, burst=3))
    assert [refused(quota) for _ in range(4)] == [False, False, False, True]
    seconds.now = 0.1
    assert [refused(quota) for _ in range(2)] == [False, True]
    seconds.now = 60.0
    assert [refused(quota) for _ in range(4)] == [False, False, False, True]
    assert quota.refused == 3


def test_whoever_is_refused_is_told_when_to_come_back() -> None:
    quota = limited(Seconds(), Limits(requests_per_second=0.5))
    quota.count()
    with pytest.raises(LimitExceeded) as caught:
        quota.count()
    assert caught.value.retry_after_ms == 2_000


def test_a_flood_of_refusals_is_held_back_the_longer() -> None:
    seconds = Seconds()
    quota = limited(seconds, Limits(requests_per_second=0.001))
    quota.count()

    def held() -> int:
        with pytest.raises(LimitExceeded) as caught:
            quota.count()
        return caught.value.hold_ms

    assert {held() for _ in range(20)} == {100}
    assert [held() for _ in range(2_000)][-1] == 5_000
    seconds.now = 60.0
    assert held() == 100


def test_limits_that_change_hold_at_once_and_those_that_stay_leave_the_bucket() -> None:
    quota = limited(Seconds(), Limits(requests_per_second=1))
    quota.count()
    quota.limit(Limits(requests_per_second=1))
    assert refused(quota)
    quota.limit(Limits())
    assert not refused(quota)


def test_connections_are_counted_while_they_last() -> None:
    quota = limited(Seconds(), Limits(connections=2))
    with ExitStack() as open_ones:
        for _ in range(2):
            open_ones.enter_context(quota.connection())
        with pytest.raises(LimitExceeded, match="connections"), quota.connection():
            pass
    with quota.connection():
        assert quota.connections == 1


def test_a_request_is_weighed() -> None:
    quota = limited(Seconds(), Limits(payload_bytes=5))
    quota.weigh(client_pb2.GetStateRequest(execution_id="abc"))
    with pytest.raises(PayloadQuotaExceeded):
        quota.weigh(client_pb2.GetStateRequest(execution_id="abcd"))


async def list_tasks(served: Served, token: str, tenant: str = ACME) -> Reply:
    return await served.ask("GET", f"/api/tenants/{tenant}/tasks", token=token)


async def test_too_many_requests_of_one_tenant_are_429_and_the_other_tenant_is_served(served: Served) -> None:
    await served.limit(ACME, Limits(requests_per_second=0.001, burst=2))
    token, other = await served.token(Role.VIEWER), await served.token(Role.VIEWER, tenant=OTHER)
    replies = [await list_tasks(served, token) for _ in range(3)]
    assert [reply.status for reply in replies] == [200, 200, 429]
    assert (replies[2].code, int(replies[2].headers["retry-after"]) > 1) == ("LIMIT_EXCEEDED", True)
    asked = await served.call("CountQueues", token=token)
    assert (asked.status, asked.code) == ("RESOURCE_EXHAUSTED", "LIMIT_EXCEEDED")
    assert (await list_tasks(served, other, OTHER)).status == 200


async def test_a_session_beyond_its_quota_is_not_listened_to_for_a_while(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    await served.limit(ACME, Limits(requests_per_second=0.001, burst=2))
    hold, held, told = PeerSession._hold, list[int](), asyncio.Event()

    async def noted(session: PeerSession) -> None:
        held.append(session._held_ms)
        await hold(session)
        if held[-1]:
            told.set()

    monkeypatch.setattr(PeerSession, "_hold", noted)
    async with Holdfast.connect(served.grpc_url, token=await served.token(Role.OPERATOR)) as hf:
        await hf.start("order", 1)
        with pytest.raises(LimitExceeded):
            await hf.start("order", 1)
        async with asyncio.timeout(20):
            await told.wait()
        assert max(held) == 100


async def test_long_polls_are_connections_over_grpc_too(served: Served) -> None:
    await served.limit(ACME, Limits(connections=1))
    token = await served.token(Role.WORKER)
    poll = worker_pb2.PollTaskRequest(worker_id="w", task_types=["charge"])
    waiting = asyncio.create_task(served.call("PollTask", poll, token=token))
    async with asyncio.timeout(20):
        while not connections(served):  # noqa: ASYNC110 - nothing tells when the poll has begun
            await asyncio.sleep(0.001)
    asked = await served.call("PollTask", poll, token=token)
    assert (asked.status, asked.code) == ("RESOURCE_EXHAUSTED", "LIMIT_EXCEEDED")
    waiting.cancel()
    await asyncio.wait([waiting])


async def test_a_key_that_is_not_good_costs_its_tenant_nothing(served: Served) -> None:
    await served.limit(ACME, Limits(requests_per_second=0.001, burst=1))
    token, worker = await served.token(Role.VIEWER), await served.token(Role.WORKER)
    assert (await list_tasks(served, token[:-1])).status == 401
    assert (await list_tasks(served, worker)).status == 403
    assert (await list_tasks(served, token)).status == 200


async def test_a_large_request_of_a_tenant_with_a_quota_is_429(served: Served) -> None:
    await served.limit(ACME, Limits(payload_bytes=200))
    token = await served.token(Role.OPERATOR)
    replies = [
        await served.ask("POST", TASKS, {"task_type": "a", "input": "x" * size}, token=token) for size in (100, 300)
    ]
    assert [reply.status for reply in replies] == [201, 429]
    assert (replies[1].code, "retry-after" in replies[1].headers) == ("PAYLOAD_QUOTA_EXCEEDED", False)
    asked = await served.call("StartWorkflow", client_pb2.StartWorkflowRequest(input=b"1" * 300), token=token)
    assert (asked.status, asked.code) == ("RESOURCE_EXHAUSTED", "PAYLOAD_QUOTA_EXCEEDED")


async def test_streams_are_connections(served: Served) -> None:
    await served.limit(ACME, Limits(connections=1))
    token = await served.token(Role.VIEWER)
    path = f"/api/tenants/{ACME}/events"
    following = asyncio.create_task(served.ask("GET", path, token=token))
    while not connections(served):  # noqa: ASYNC110 - nothing tells when the stream has begun
        await asyncio.sleep(0)
    reply = await served.ask("GET", path, token=token)
    assert (reply.status, reply.code) == (429, "LIMIT_EXCEEDED")
    following.cancel()
    await asyncio.wait([following])
    assert connections(served) == 0


def connections(served: Served) -> int:
    quota = served.gate.quotas().get(ACME)
    return 0 if quota is None else quota.connections
