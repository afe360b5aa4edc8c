"""The http node in a flow: a real request by a real worker, in the run of a flow, and none without leave."""

from collections.abc import Iterator

import pytest

from holdfast import FlowNodes, Holdfast
from holdfast.model.errors import WorkflowFailed
from tests.flow.sketches import Kind, Parameters, sketch
from tests.worker.nodes.servers import HttpServer, http_server


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with http_server() as started:
        yield started


def fetching(url: str) -> Parameters:
    nodes: dict[str, Kind] = {
        "get": (
            "http",
            {"url": url, "secret_headers": {"X-Key": {"secret": "api-key"}}},
            {"retry": {"max_retries": 0}},
        ),
        "status": ("edit", {"value": {"status": "$json.status", "path": "$json.body.path"}}),
    }
    return sketch(nodes, "get > status", name="fetching")


async def test_a_flow_sends_a_request(file_url: str, server: HttpServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_SECRET_API_KEY", "hush hush")
    async with Holdfast.open(file_url, nodes=FlowNodes(allow=["127.0.0.0/8"])) as hf:
        await hf.save_flow(fetching(server.url("/echo")))
        run = await hf.start_flow("fetching")
        assert await run.result() == {"status": 200, "path": "/echo"}
        assert "hush" not in repr(await run.history())
    assert server.requests[0][2]["X-Key"] == "hush hush"


async def test_it_connects_to_public_addresses_only(file_url: str, server: HttpServer) -> None:
    async with Holdfast.open(file_url, nodes=FlowNodes()) as hf:
        await hf.save_flow(fetching(server.url("/echo")))
        with pytest.raises(WorkflowFailed, match="node 'get'"):
            await hf.run_flow("fetching")
    assert not server.requests
