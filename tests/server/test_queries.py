"""Queries: who is asked, and what is refused."""

import asyncio

import pytest

from holdfast.model.errors import InvalidArgument, LimitExceeded
from holdfast.model.flows import FLOW_KIND
from holdfast.model.ids import DEFAULT_QUEUE, DEFAULT_TENANT, ExecutionId, WorkerId
from holdfast.model.query_errors import NoWorker
from holdfast.model.requests import StartWorkflow
from holdfast.model.workflow_queries import QueryWorkflow, WorkflowQuery
from holdfast.server import queries
from holdfast.server.host import EngineHost
from holdfast.server.queries import Answerer, Ask

QUERY = QueryWorkflow(DEFAULT_TENANT, ExecutionId("w"), "total")


def answerer(name: str, queue: str, ask: Ask) -> Answerer:
    return Answerer(DEFAULT_TENANT, WorkerId(name), frozenset({queue}), frozenset({"order"}), ask)


def saying(text: bytes) -> Ask:
    async def ask(_: WorkflowQuery) -> bytes:
        return text

    return ask


async def gone(query: WorkflowQuery) -> bytes:
    raise NoWorker(query.execution_id, query.kind)


async def start(host: EngineHost, kind: str = "order") -> None:
    await host.send(StartWorkflow(DEFAULT_TENANT, ExecutionId("w"), kind, b"1", DEFAULT_QUEUE))


async def test_workers_of_the_queue_take_turns(host: EngineHost) -> None:
    await start(host)
    host.queries.add(answerer("c", "other", saying(b"3")))
    host.queries.add(answerer("a", "default", saying(b"1")))
    host.queries.add(answerer("b", "default", saying(b"2")))
    assert [await host.query(QUERY) for _ in range(3)] == [b"1", b"2", b"1"]


async def test_a_worker_that_has_gone_leaves_it_to_the_next(host: EngineHost) -> None:
    await start(host)
    host.queries.add(answerer("a", "default", gone))
    host.queries.add(answerer("b", "other", saying(b"2")))
    assert await host.query(QUERY) == b"2"


async def test_runs_of_flows_have_no_code(host: EngineHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "FLOW_KIND", "ord")
    assert FLOW_KIND == "flow:"
    await start(host)
    with pytest.raises(InvalidArgument, match="run of a flow"):
        await host.query(QUERY)


async def test_only_so_many_are_open(host: EngineHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "MAX_OPEN_QUERIES", 1)
    await start(host)
    answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
    reached = asyncio.Event()

    async def ask(_: WorkflowQuery) -> bytes:
        reached.set()
        return await answer

    host.queries.add(answerer("a", "default", ask))
    first = asyncio.create_task(host.query(QUERY))
    await reached.wait()
    with pytest.raises(LimitExceeded, match="open queries"):
        await host.query(QUERY)
    answer.set_result(b"1")
    assert await first == b"1"
    assert await host.query(QUERY) == b"1"
