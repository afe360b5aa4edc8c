"""The quota of open executions: over both protocols, and free again when executions end."""

import asyncio

import msgspec
import pytest

from holdfast.model.access import Limits, Role
from holdfast.model.errors import LimitExceeded, Unavailable
from holdfast.model.flow_requests import SaveFlow
from holdfast.model.ids import ExecutionId
from holdfast.model.requests import TerminateWorkflow
from holdfast.protocol.generated import client_pb2
from holdfast.server.access import open_executions
from holdfast.server.access.open_executions import OpenExecutions
from tests.access.serving import ACME, OTHER, Served
from tests.flow.sketches import sketch

WITHIN = 10.0
WORKFLOWS = f"/api/tenants/{ACME}/workflows"


async def start(served: Served, token: str, name: str, tenant: str = ACME) -> int:
    path = f"/api/tenants/{tenant}/workflows"
    return (await served.ask("POST", path, {"kind": "a", "id": name}, token=token)).status


async def test_no_more_than_the_quota_are_open(served: Served) -> None:
    await served.limit(ACME, Limits(open_executions=2))
    token, other = await served.token(Role.OPERATOR), await served.token(Role.OPERATOR, tenant=OTHER)
    assert [await start(served, token, name) for name in "abc"] == [201, 201, 429]
    answer = await served.call("StartWorkflow", client_pb2.StartWorkflowRequest(kind="a"), token=token)
    assert (answer.status, answer.code) == ("RESOURCE_EXHAUSTED", "LIMIT_EXCEEDED")
    waiting = client_pb2.RunWorkflowRequest(start={"execution_id": "d", "kind": "a"}, wait_ms=1)
    answer = await served.call("RunWorkflow", waiting, token=token)
    assert (answer.status, answer.code) == ("RESOURCE_EXHAUSTED", "LIMIT_EXCEEDED")
    assert await start(served, other, "a", OTHER) == 201


async def test_one_that_ends_makes_room(served: Served) -> None:
    await served.limit(ACME, Limits(open_executions=1))
    token = await served.token(Role.OPERATOR)
    assert [await start(served, token, name) for name in "ab"] == [201, 429]
    await served.engine.send(TerminateWorkflow(ACME, ExecutionId("a")))
    async with asyncio.timeout(WITHIN):
        while await start(served, token, "b") == 429:  # noqa: ASYNC110 - it is counted behind the server
            await asyncio.sleep(0.01)


async def test_strangers_use_up_nothing(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does a request that is sent again: only what is started counts."""
    monkeypatch.setenv("HOLDFAST_SECRET_ACME_SHOP", "correct horse")
    monkeypatch.setattr(open_executions, "FRESH_SECONDS", 3_600.0)
    monkeypatch.setattr(open_executions, "FRESH_AT_LIMIT_SECONDS", 3_600.0)
    signed = {"path": "orders", "secret": {"secret": "shop"}}
    flow = sketch({"in": ("webhook", signed), "open": ("webhook", {}), "then": ("wait", {})}, "in > then", name="f")
    await served.engine.send(SaveFlow(ACME, "f", msgspec.json.encode(flow)))
    await served.limit(ACME, Limits(open_executions=2))
    token = await served.token(Role.OPERATOR)
    assert await start(served, token, "a") == 201
    for path in ("f/orders", "f/nowhere", "g/orders"):
        assert (await served.ask("POST", f"/hooks/{ACME}/{path}", {})).status in (401, 404)
    assert [await start(served, token, name) for name in "bc"] == [201, 429]
    assert (await served.ask("POST", f"/hooks/{ACME}/f/open", {})).status == 429


class Counter:
    """What the database says, and the time."""

    def __init__(self) -> None:
        self.open = 0
        self.asked = 0
        self.seconds = 0.0
        self.is_down = False

    async def count(self) -> int:
        self.asked += 1
        if self.is_down:
            raise Unavailable("the database is out of reach")
        return self.open

    def now(self) -> float:
        return self.seconds


async def test_the_database_is_asked_now_and_then_only() -> None:
    counter = Counter()
    opened = OpenExecutions(count=counter.count, now=counter.now)
    await opened.look()
    for _ in range(100):
        opened.start(1_000)
        await asyncio.sleep(0)
    assert counter.asked == 1
    counter.seconds = open_executions.FRESH_SECONDS
    opened.start(1_000)
    await asyncio.sleep(0)
    assert counter.asked == 2


async def test_a_database_that_is_down_leaves_the_last_number(caplog: pytest.LogCaptureFixture) -> None:
    counter = Counter()
    counter.open = 5
    opened = OpenExecutions(count=counter.count, now=counter.now)
    await opened.look()
    counter.is_down, counter.seconds = True, 10.0
    for _ in range(3):
        with pytest.raises(LimitExceeded):
            opened.start(5)
        await asyncio.sleep(0)
    assert "could not be counted" in caplog.text
