"""`holdfast dev` and `holdfast worker` do the work of http nodes, and connect where they are told they may."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import FlowNodes, Holdfast
from holdfast.cli.configuration import configure
from holdfast.cli.flow_nodes import allowed, nodes_for
from holdfast.model.errors import InvalidArgument, WorkflowFailed
from holdfast.testing import HoldfastTest
from tests.access.running import LIMIT, Command
from tests.flow.sketches import Kind, Parameters, sketch
from tests.worker.nodes.servers import HttpServer, http_server

LOOPBACK = "127.0.0.0/8"
APP = "from holdfast import task\n@task\nasync def greet() -> str:\n    return 'hello'\n"


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with http_server() as started:
        yield started


def fetching(server: HttpServer) -> Parameters:
    asked: Parameters = {"url": server.url("/echo"), "secret_headers": {"X-Key": {"secret": "api-key"}}}
    nodes: dict[str, Kind] = {
        "get": ("http", asked, {"retry": {"max_retries": 0}}),
        "status": ("edit", {"value": {"status": "$json.status"}}),
    }
    return sketch(nodes, "get > status", name="fetching")


async def fetched(url: str, server: HttpServer) -> object:
    async with Holdfast.open(url) as asking:
        await asking.save_flow(fetching(server))
        return await (await asking.start_flow("fetching")).result(timeout=LIMIT)


@pytest.mark.processes
@pytest.mark.parametrize("words", [("worker", "app.py"), ("dev", "app.py", "--port", "0")])
async def test_a_command_does_the_work_of_http_nodes(
    tmp_path: Path, server: HttpServer, words: tuple[str, ...]
) -> None:
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    url = f"sqlite:///{tmp_path / 'app.db'}"
    with Command(tmp_path, "--db", url, *words, "--allow", LOOPBACK, HOLDFAST_SECRET_API_KEY="hush hush") as command:
        command.until("serving")
        assert await fetched(url, server) == {"status": 200}
        assert command.stop() == 0
    assert server.requests[0][2]["X-Key"] == "hush hush"


@pytest.mark.processes
async def test_without_leave_a_command_connects_to_public_addresses_only(tmp_path: Path, server: HttpServer) -> None:
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    url = f"sqlite:///{tmp_path / 'app.db'}"
    with Command(tmp_path, "--db", url, "worker", "app.py", HOLDFAST_SECRET_API_KEY="hush hush") as command:
        command.until("serving")
        with pytest.raises(WorkflowFailed, match="node 'get'"):
            await fetched(url, server)
    assert not server.requests


def test_options_win_over_variables_and_these_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.holdfast]\nallow = "10.0.0.0/8 mail.example:587"\n', "utf-8")
    of_file = configure(db=None, profile=None, environ={}, folder=tmp_path)
    of_variable = configure(db=None, profile=None, environ={"HOLDFAST_ALLOW": LOOPBACK}, folder=tmp_path)
    assert allowed(of_file, (), does_nodes=True) == ("10.0.0.0/8", "mail.example:587")
    assert allowed(of_variable, (), does_nodes=True) == (LOOPBACK,)
    assert allowed(of_variable, ("intranet",), does_nodes=True) == ("intranet",)


def test_the_work_can_be_left_to_others(tmp_path: Path) -> None:
    found = configure(db=None, profile=None, environ={}, folder=tmp_path)
    assert nodes_for(allowed(found, (LOOPBACK,), does_nodes=False)) is None
    assert nodes_for(allowed(found, (LOOPBACK,), does_nodes=True)) is not None


def test_what_is_no_address_is_refused_at_once(tmp_path: Path) -> None:
    found = configure(db=None, profile=None, environ={}, folder=tmp_path)
    with pytest.raises(InvalidArgument, match="no entry of an allow-list"):
        allowed(found, ("not/an/address",), does_nodes=True)


async def test_flows_in_a_user_s_test_send_requests(server: HttpServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_SECRET_API_KEY", "hush hush")
    async with HoldfastTest(nodes=FlowNodes(allow=[LOOPBACK])) as hf:
        await hf.save_flow(fetching(server))
        assert await hf.run_flow("fetching") == {"status": 200}
