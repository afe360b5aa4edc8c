"""`holdfast top` and `workflow show --watch` at a server, and on PostgreSQL."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from holdfast import Holdfast, WorkflowContext, workflow
from holdfast.cli.program import program
from tests.access.running import LIMIT, Command

PLACES = ("a server over SQLite", "PostgreSQL", "a server over PostgreSQL")


@workflow
async def napping(ctx: WorkflowContext) -> None:
    await ctx.sleep(timedelta(days=3))


@workflow
async def broken(ctx: WorkflowContext) -> None:
    await ctx.sleep(timedelta(milliseconds=1))
    raise ValueError("it is broken")


@contextmanager
def serving(folder: Path, store: str) -> Iterator[str]:
    with Command(folder, "server", "--store", store, "--grpc-port", "0", "--rest-port", "0") as server:
        yield str(server.until("serving")["grpc"])
        server.stop()


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where something sleeps, something has failed, and something waits for a worker that nobody runs."""
    store = f"sqlite:///{tmp_path}/app.db"
    if "PostgreSQL" in request.param:
        store = request.getfixturevalue("emptied_postgres_database")
    if request.param == "PostgreSQL":
        asyncio.run(_work_in(store))
        yield store
        return
    with serving(tmp_path, store) as url:
        asyncio.run(_work_in(url))
        yield url


async def _work_in(url: str) -> None:
    opening = Holdfast.connect if url.startswith("grpc:") else Holdfast.open
    async with opening(url, workflows=[napping, broken]) as holdfast, asyncio.timeout(LIMIT):
        await holdfast.start("napping", id="nap-1")
        failing = await holdfast.start("broken", id="broken-1")
        with pytest.raises(Exception, match="it is broken"):
            await failing.result()
        await holdfast.start("napping", id="ghost-1", queue="far-away")
        while (await holdfast.describe("nap-1")).status != "WAITING":  # noqa: ASYNC110 - it is told by nobody
            await asyncio.sleep(0.01)


def shown(url: str, *words: str, terminal: bool = True) -> str:
    """What a command says."""
    at = "--url" if url.startswith("grpc:") else "--db"
    arguments = ["--no-json" if terminal else "--json", at, url, *words]
    called = CliRunner().invoke(program, arguments, env={"COLUMNS": "200", "TERM": "dumb"}, prog_name="holdfast")
    assert called.exit_code == 0, called.output
    return called.stdout


def test_top_and_a_watch_show_the_same_everywhere(place: str) -> None:
    screen = shown(place, "top", "--times", "1")
    assert "1 waiting, 0 running" in screen
    for word in ("nap-1", "ghost-1", "broken-1", "Next to wake"):
        assert word in screen

    [document] = [json.loads(line) for line in shown(place, "top", "--times", "2", terminal=False).splitlines()]
    assert ([each["id"] for each in document["failed"]], document["timersArmed"]) == (["broken-1"], 1)

    watched = shown(place, "workflow", "show", "broken-1", "--watch")
    assert "Timeline" in watched
    assert "it is broken" in watched
