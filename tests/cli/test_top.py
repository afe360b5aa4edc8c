"""`holdfast top` and `workflow show --watch`: what changes is shown as it changes."""

import asyncio
import json
import threading
from pathlib import Path

import pytest
from rich.console import Console

from holdfast import Holdfast
from holdfast.cli.overview import Overview
from holdfast.cli.views.top import SHOWN_QUEUES, top_screen
from holdfast.model.ids import QueueName
from holdfast.model.instants import Instant
from holdfast.model.queries import QueueCount
from tests.cli.support import Shop


def screen(overview: Overview, before: Overview | None = None) -> str:
    console = Console(width=160, no_color=True, force_terminal=False)
    with console.capture() as captured:
        console.print(*top_screen(overview, before, Instant(60_000)), sep="\n")
    return captured.get()


def queues(*counts: int) -> Overview:
    found = [
        QueueCount(QueueName(f"q{number}"), "task", "charge", "PENDING", count, Instant(0))
        for number, count in enumerate(counts)
    ]
    return Overview(tuple(found), (), (), (), 0)


def test_top_shows_what_waits_runs_failed_and_wakes_next(shop: Shop) -> None:
    shown = shop.shown("top", "--times", "1")
    assert "1 waiting, 0 running" in shown
    assert "ghost-1" in shown
    assert "failing-1" in shown
    assert "Next to wake" in shown


def test_top_gives_scripts_a_document_for_each_change(shop: Shop) -> None:
    called = shop.call("top", "--times", "3", "--every", "1ms")
    [document] = [json.loads(line) for line in called.stdout.splitlines()]
    assert [each["id"] for each in document["failed"]] == ["failing-1"]
    assert document["timersArmed"] >= 1


def test_top_of_nothing_says_so(shop: Shop, tmp_path: Path) -> None:
    shown = screen(queues())
    assert "no open work" in shown
    assert "nothing has failed" in shown
    assert "nothing runs and nothing waits" in shown


def test_top_shows_how_queues_grow_and_shrink() -> None:
    shown = screen(queues(7, 3, 5), queues(5, 4, 5))
    assert "+2" in shown
    assert "-1" in shown
    assert "+0" not in shown


def test_top_cuts_many_queues() -> None:
    assert "3 more" in screen(queues(*[1] * (SHOWN_QUEUES + 3)))


def test_an_ended_execution_is_shown_once(shop: Shop) -> None:
    shown = shop.shown("workflow", "show", "hello-1", "--watch")
    assert "Timeline" in shown
    assert "━" in shown
    [line] = shop.call("workflow", "show", "hello-1", "--watch").stdout.splitlines()
    assert json.loads(line)["execution"]["status"] == "COMPLETED"


async def _terminate(url: str, execution_id: str) -> None:
    async with Holdfast.open(url) as holdfast:
        await holdfast.terminate(execution_id, "enough")


@pytest.mark.parametrize("terminal", [True, False])
def test_an_open_one_is_watched_until_it_ends(shop: Shop, terminal: bool) -> None:
    ending = threading.Timer(0.3, lambda: asyncio.run(_terminate(shop.url, "ghost-1")))
    ending.start()
    shown = shop.call("workflow", "show", "ghost-1", "--watch", terminal=terminal)
    ending.join()
    assert shown.exit_code == 0
    assert "TERMINATED" in shown.stdout.splitlines()[-1] if not terminal else "TERMINATED" in shown.stdout
