"""`holdfast dev` as people run it: in processes of its own, with a second terminal beside it."""

import http.client
import json
import signal
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from tests.cli.support import developing, second_terminal

pytestmark = pytest.mark.processes

HEAD = "import asyncio, os, pathlib\nfrom holdfast import task, workflow\n"
GREETING = (
    HEAD + "@task\nasync def greet(name: str) -> str:\n    return 'hello ' + name\n"
    "@workflow\nasync def hello(ctx, name: str) -> str:\n    return await ctx.schedule(greet, name)\n"
)
ASKING = (
    HEAD + "@workflow\nasync def ask(ctx) -> str:\n"
    "    answer = await ctx.promise('answer', str)\n    return 'old ' + answer\n"
)
SLOW = (
    HEAD + "@task(retries=0)\nasync def slow() -> str:\n    pathlib.Path('begun').touch()\n"
    "    while not pathlib.Path('go-on').exists(): await asyncio.sleep(0.01)\n    return 'done'\n"
)
CRASHING = (
    HEAD + "@task\ndef crash() -> str:\n    flag = pathlib.Path('crashed')\n    if flag.exists(): return 'survived'\n"
    "    flag.touch()\n    os._exit(3)\n"
)


def milliseconds_between(first: str, second: str) -> float:
    return (datetime.fromisoformat(second) - datetime.fromisoformat(first)).total_seconds() * 1_000


def test_a_second_terminal_starts_a_workflow_that_is_taken_at_once(tmp_path: Path) -> None:
    with developing(tmp_path, GREETING) as dev:
        dev.until("serving")
        made = second_terminal(tmp_path, "workflow", "start", "hello", "--input", '"Ada"', "--wait")
        history = second_terminal(tmp_path, "workflow", "history", made["id"])
        assert made["result"] == "hello Ada"
        # About 100 ms on a quiet machine; the bound leaves room for a busy one.
        assert milliseconds_between(history[0]["time"], history[1]["time"]) < 1_500
        assert dev.stop() == 0


def test_http_is_served_beside_the_worker(tmp_path: Path) -> None:
    with (
        developing(tmp_path, GREETING) as dev,
        closing(http.client.HTTPConnection(dev.until("serving")["url"][7:])) as web,
    ):
        body = '{"kind": "hello", "input": "Ada", "wait_seconds": 20}'
        web.request("POST", "/api/tenants/default/workflows", body, {"content-type": "application/json"})
        assert json.loads(web.getresponse().read())["output"] == "hello Ada"


def test_a_change_reloads_and_what_was_under_way_goes_on(tmp_path: Path) -> None:
    with developing(tmp_path, ASKING) as dev:
        url = dev.until("serving")["url"]
        second_terminal(tmp_path, "workflow", "start", "ask", "--id", "q1")
        (tmp_path / "app.py").write_text(ASKING.replace("'old '", "'new and longer '"), encoding="utf-8")
        dev.until("reloading")
        assert dev.until("serving")["url"] == url
        second_terminal(tmp_path, "promise", "resolve", "q1", "answer", "--input", '"yes"')
        assert second_terminal(tmp_path, "workflow", "result", "q1", "--timeout", "20s") == "new and longer yes"


def test_a_broken_app_is_shown_and_served_when_it_is_mended(tmp_path: Path) -> None:
    with developing(tmp_path, "import steps\n" + GREETING) as dev:
        dev.until("waiting")
        (tmp_path / "steps.py").write_text("", encoding="utf-8")
        dev.until("serving")
        assert dev.stop(signal.SIGINT) == 0
    assert "No module named 'steps'" in "".join(dev.errors)


def test_sigterm_lets_a_running_task_end(tmp_path: Path) -> None:
    with developing(tmp_path, SLOW) as dev:
        dev.until("serving")
        made = second_terminal(tmp_path, "task", "submit", "slow")
        while not (tmp_path / "begun").exists():
            assert dev.process.poll() is None
        dev.process.send_signal(signal.SIGTERM)
        dev.until("draining")
        (tmp_path / "go-on").touch()
        assert dev.ended() == 0
    found = second_terminal(tmp_path, "task", "show", made["id"])["task"]
    assert (found["status"], found["attempt"], found["output"]) == ("COMPLETED", 1, "done")


def test_a_task_that_kills_its_process_is_tried_again_in_a_fresh_one(tmp_path: Path) -> None:
    with developing(tmp_path, CRASHING) as dev:
        dev.until("serving")
        made = second_terminal(tmp_path, "task", "submit", "crash")
        dev.until("crashed")
        dev.until("serving")
        assert second_terminal(tmp_path, "task", "result", made["id"], "--timeout", "25s") == "survived"


def test_a_supervisor_that_is_killed_takes_its_child_along(tmp_path: Path) -> None:
    with developing(tmp_path, SLOW) as dev:
        dev.until("serving")
        dev.process.kill()
        assert dev.ended() == -signal.SIGKILL
        # Standard output is at its end only when the child, which writes to it too, has ended.
        assert dev.has_said_all()
