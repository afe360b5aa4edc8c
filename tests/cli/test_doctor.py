"""`holdfast doctor`: facts in, verdicts and advice out."""

import json
import shutil
import sqlite3
import sys
from typing import Any, NamedTuple

import msgspec
import pytest

from holdfast.cli import diagnosis
from holdfast.cli.verdicts import Check
from holdfast.model.ids import QueueName
from holdfast.model.instants import Instant
from holdfast.model.queries import QueueCount
from holdfast.ports.health import DatabaseReport, Health
from tests.cli.support import Shop

NOW = Instant(2_000_000_000_000)
SOUND = DatabaseReport(
    path="/tmp/shop.db", bytes=5_000_000, log_bytes=0, writable=True, is_ours=True, journal_mode="wal",
    schema=1, known_schema=1, sessions=0,
)  # fmt: skip
WELL = Health(damages=(), counts=(), newest=NOW, next_wake=None)


class Disk(NamedTuple):
    free: int


@pytest.fixture(autouse=True)
def fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "now", lambda: NOW)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Disk(10 * 1024**3))


def verdict(checks: Any, name: str) -> Check:
    [found] = [check for check in checks if check.name == name]
    assert isinstance(found, Check)
    return found


def test_a_sound_machine_file_and_work_are_ok() -> None:
    found = [*diagnosis.machine_checks(), *diagnosis.file_checks(SOUND), *diagnosis.work_checks(0, WELL)]
    assert {check.verdict for check in found} == {"OK"}


@pytest.mark.parametrize(
    ("change", "name", "expected"),
    [
        ({"writable": False}, "file", "FAIL"),
        ({"is_ours": False}, "file", "FAIL"),
        ({"schema": 2}, "schema", "FAIL"),
        ({"schema": 0}, "schema", "WARN"),
        ({"journal_mode": "delete"}, "journal", "WARN"),
        ({"log_bytes": 2**40 * 3}, "log", "WARN"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(change: dict[str, Any], name: str, expected: str) -> None:
    report = msgspec.structs.replace(SOUND, **change)
    found = verdict(diagnosis.file_checks(report), name)
    assert found.verdict == expected
    assert found.advice


@pytest.mark.parametrize(("free", "expected"), [(10, "FAIL"), (500 * 1024**2, "WARN")])
def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch, free: int, expected: str) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Disk(free))
    assert verdict(diagnosis.file_checks(SOUND), "disk").verdict == expected


STUCK = QueueCount(QueueName("mail\x1b"), "workflow", "ghost", "PENDING", 3, Instant(NOW - 7_200_000))


@pytest.mark.parametrize(
    ("change", "name", "expected", "told"),
    [
        ({"damages": ("row 3 is missing",)}, "integrity", "FAIL", "row 3"),
        ({"newest": Instant(NOW + 60_000)}, "clock", "FAIL", "1 min in the future"),
        ({"next_wake": Instant(NOW - 60_000)}, "timers", "WARN", "1 min ago"),
        ({"counts": (STUCK,)}, "work", "WARN", "3 workflows of kind ghost in queue mail\\x1b, the oldest for 2 h"),
    ],
)
def test_what_is_wrong_with_the_work_is_told(change: dict[str, Any], name: str, expected: str, told: str) -> None:
    found = verdict(diagnosis.work_checks(0, msgspec.structs.replace(WELL, **change)), name)
    assert found.verdict == expected
    assert told in found.finding


def test_overdue_timers_of_a_process_that_runs_point_at_it() -> None:
    health = msgspec.structs.replace(WELL, next_wake=Instant(0))
    assert "look at their logs" in verdict(diagnosis.work_checks(1, health), "timers").advice


def test_an_old_machine_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9))
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 30, 0))
    monkeypatch.setattr(diagnosis, "now", lambda: Instant(0))
    assert [check.verdict for check in diagnosis.machine_checks()] == ["FAIL", "FAIL", "FAIL"]


def test_work_without_a_known_age_is_not_stuck() -> None:
    counted = msgspec.structs.replace(STUCK, oldest=None)
    health = msgspec.structs.replace(WELL, counts=(counted,), newest=None)
    assert verdict(diagnosis.work_checks(0, health), "work").finding == "none is stuck, 3 open"


def test_a_real_database_is_examined(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    report = json.loads(shop.call("doctor").stdout)
    assert report["verdict"] in {"OK", "WARN"}
    assert {"file", "schema", "journal", "synchronous", "integrity", "disk"} <= {
        each["name"] for each in report["checks"]
    }


def test_a_person_gets_a_verdict(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "now", lambda: Instant(NOW * 2))
    shown = shop.shown("doctor")
    assert "no worker takes them" in shown
    assert "it works, but look at the warnings" in shown


def failing_checks(shop: Shop) -> dict[str, str]:
    called = shop.call("doctor")
    assert called.exit_code == 1
    return {each["name"]: each["finding"] for each in json.loads(called.stdout)["checks"] if each["verdict"] == "FAIL"}


def test_a_missing_file_fails(shop: Shop) -> None:
    (shop.folder / "shop.db").unlink()
    assert "there is no database" in failing_checks(shop)["file"]


def test_a_file_of_something_else_fails(shop: Shop) -> None:
    (shop.folder / "shop.db").write_text("a diary", encoding="utf-8")
    assert "is not an SQLite database" in failing_checks(shop)["file"]


def test_a_database_of_another_program_fails(shop: Shop) -> None:
    for file in shop.folder.glob("shop.db*"):
        if file.is_file():
            file.unlink()
    with sqlite3.connect(shop.folder / "shop.db") as connection:
        connection.execute("CREATE TABLE diary (day TEXT)")
    connection.close()
    assert "not a database of Holdfast" in failing_checks(shop)["file"]
