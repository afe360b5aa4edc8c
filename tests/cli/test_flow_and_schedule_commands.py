"""`holdfast flow …` and `holdfast schedule …` on a database, and at a server."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import Shop
from tests.flow.sketches import sketch

WAITING = sketch({"start": "manual", "w": ("wait", {"amount": 5, "unit": "days"}), "say": "log"}, "start > w > say")
PURE = sketch({"start": "manual", "made": ("edit", {"value": "{{ $json + 1 }}"})}, "start > made", name="pure")
PAID = sketch({"w": ("wait", {"resume": "webhook"})}, name="paid")
EACH = sketch(
    {"each": ("split", {"items": "$trigger"}), "one": "log", "all": "aggregate"}, "each > one > all", name="each"
)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for each in (WAITING, PURE, EACH):
        (tmp_path / f"{each['name']}.json").write_text(json.dumps(each), encoding="utf-8")
    return tmp_path


@pytest.fixture
def flows(shop: Shop, files: Path) -> Shop:
    shop.answer("flow", "apply", *[str(each) for each in sorted(files.glob("*.json"))])
    return shop


def test_definitions_are_applied_listed_shown_and_exported(shop: Shop, files: Path) -> None:
    file = str(files / "pure.json")
    assert shop.answer("flow", "apply", file) == [{"name": "pure", "version": 1, "created": True}]
    assert shop.answer("flow", "apply", file)[0]["created"] is False
    assert [each["name"] for each in shop.answer("flow", "list")] == ["pure"]
    assert shop.answer("flow", "show", "pure")["definition"] == PURE
    target = files / "out.json"
    shop.answer("flow", "export", "pure", "-o", str(target))
    assert json.loads(target.read_text()) == PURE
    assert json.loads(shop.call("flow", "export", "pure", "--version", "1").stdout) == PURE
    assert shop.refusal("flow", "export", "pure", "--version", "7")[0] == 3


def test_people_see_tables(flows: Shop) -> None:
    assert "sketch" in flows.shown("flow", "list")
    assert "leads to" in flows.shown("flow", "show", "pure").lower()


def test_a_definition_is_linted(shop: Shop, files: Path) -> None:
    endless = sketch({"w": ("wait", {"resume": "signal", "signal": "go"})}, name="endless")
    (files / "endless.json").write_text(json.dumps(endless), encoding="utf-8")
    (files / "wrong.json").write_text('{"name": "x", "nodes": [{"id": "a", "type": "lag"}]}', encoding="utf-8")
    assert shop.answer("flow", "lint", str(files / "pure.json"))[0]["warnings"] == []
    (warned,) = shop.answer("flow", "lint", str(files / "endless.json"))
    assert [each["code"] for each in warned["warnings"]] == ["NO_TIMEOUT"]
    assert shop.call("flow", "lint", "--strict", str(files / "endless.json")).exit_code == 1
    wrong = shop.call("flow", "lint", str(files / "wrong.json"), terminal=True)
    assert wrong.exit_code == 1
    assert "UNKNOWN_TYPE" in wrong.stdout + wrong.stderr


def test_graphs_of_others_are_imported(shop: Shop, tmp_path: Path) -> None:
    (tmp_path / "theirs.json").write_text('{"nodes": [{"type": "log", "label": "Say"}]}', encoding="utf-8")
    made = shop.answer("flow", "import", str(tmp_path / "theirs.json"), "--apply", "-o", str(tmp_path / "ours.json"))
    assert (made["name"], made["version"]) == ("theirs", 1)
    assert json.loads((tmp_path / "ours.json").read_text()) == made["definition"]
    assert "assumed" in shop.call("flow", "import", str(tmp_path / "theirs.json"), terminal=True).output


def test_the_schema_is_printed(shop: Shop) -> None:
    assert shop.answer("flow", "schema")["title"] == "Holdfast flow"


def test_a_run_is_started_and_its_result_printed(flows: Shop) -> None:
    answer = flows.answer("flow", "run", "pure", "--input", "41", "--id", "p-1", "--wait")
    assert answer == {"id": "p-1", "created": True, "result": 42}
    assert flows.answer("flow", "run", "pure", "--input", "41", "--id", "p-1")["created"] is False
    assert "p-2" in flows.shown("flow", "run", "pure", "--id", "p-2")


def test_a_run_is_watched_paused_and_resumed(flows: Shop) -> None:
    flows.answer("flow", "run", "sketch", "--id", "s-1")
    seen = flows.answer("flow", "watch", "s-1", "--once")
    assert [(each["node"], each["status"]) for each in seen["nodes"]] == [("start", "success"), ("w", "waiting")]
    assert "waiting" in flows.shown("flow", "watch", "s-1", "--once")
    assert flows.answer("flow", "pause", "s-1")["changed"]
    assert "paused" in flows.shown("flow", "watch", "s-1", "--once")
    assert flows.answer("flow", "resume", "s-1")["changed"]


def test_a_wait_for_a_request_shows_its_link(shop: Shop, tmp_path: Path) -> None:
    (tmp_path / "paid.json").write_text(json.dumps(PAID), encoding="utf-8")
    shop.answer("flow", "apply", str(tmp_path / "paid.json"))
    shop.answer("flow", "run", "paid", "--id", "p-1")
    [node] = shop.answer("flow", "watch", "p-1", "--once")["nodes"]
    assert node["link"].startswith("/waits/")
    assert "/waits/" in shop.shown("flow", "watch", "p-1", "--once")


def test_a_run_that_has_ended_is_watched_to_its_end_and_run_again(flows: Shop) -> None:
    flows.answer("flow", "run", "each", "--input", "[1,2,3]", "--id", "e-1", "--wait")
    assert "3/3" in flows.shown("flow", "watch", "e-1")
    assert flows.answer("flow", "rerun", "e-1", "each")["node"] == "each"
    assert flows.refusal("flow", "watch", "hello-1")[0] == 2
    assert flows.refusal("flow", "watch", "none")[0] == 3


# Schedules.


def save(shop: Shop, *more: str) -> Any:
    return shop.answer("schedule", "set", "nightly", "--cron", "30 9 * * 1-5", "--timezone", "Europe/Vienna", *more)


def test_a_schedule_is_made_changed_and_shown(shop: Shop) -> None:
    assert save(shop, "--workflow", "hello", "--input", '"Ada"')["created"]
    assert not save(shop, "--flow", "pure", "--overlap", "allow", "--note", "daily")["created"]
    shown = shop.answer("schedule", "show", "nightly")
    assert shown["spec"]["starts"]["flow"] == "pure"
    assert [each["id"] for each in shop.answer("schedule", "list")] == ["nightly"]
    assert "flow pure" in shop.shown("schedule", "list")
    assert "Europe/Vienna" in shop.shown("schedule", "show", "nightly")


def test_a_schedule_is_steered(shop: Shop) -> None:
    save(shop, "--task", "greet", "--input", '"Bob"', "--queue", "fast")
    assert shop.answer("schedule", "pause", "nightly", "--reason", "holidays")["changed"]
    assert "holidays" in shop.shown("schedule", "list")
    assert shop.answer("schedule", "resume", "nightly")["changed"]
    first = shop.answer("schedule", "trigger", "nightly", "--request-id", "r")
    assert shop.answer("schedule", "trigger", "nightly", "--request-id", "r") == first | {"created": False}
    assert first["runId"] in shop.shown("schedule", "show", "nightly")
    since = ("--from", "2026-01-05T00:00:00+00:00", "--until", "2026-01-11T00:00:00+00:00")
    assert shop.answer("schedule", "backfill", "nightly", *since)["started"] == 5
    shop.answer("schedule", "delete", "nightly")
    assert shop.refusal("schedule", "show", "nightly")[0] == 3


def test_a_schedule_says_what_and_when(shop: Shop) -> None:
    assert shop.call("schedule", "set", "x", "--every", "5m").exit_code == 2
    assert shop.call("schedule", "set", "x", "--workflow", "a", "--task", "b", "--every", "5m").exit_code == 2
    assert shop.refusal("schedule", "set", "x", "--workflow", "a")[0] == 2
    shop.answer("schedule", "set", "x", "--workflow", "a", "--every", "5m", "--jitter", "1m", "--catch-up", "1h")
    assert "every 5" in shop.shown("schedule", "list")
