"""A log record is one line, in either format."""

import json
import logging
import sys

import pytest

from holdfast.cli.logs import JsonLines, TextLines, set_up_logging


def record(message: str, *args: object, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("holdfast.test", logging.WARNING, "file.py", 1, message, args, None)
    vars(made).update(extra)
    return made


def test_a_name_cannot_forge_a_line() -> None:
    line = TextLines().format(record("task %s failed", "x\nERROR root: \x1b[31mforged"))
    assert "\n" not in line
    assert "\x1b" not in line
    assert r"x\nERROR" in line


def test_a_long_message_is_cut_off() -> None:
    assert len(TextLines().format(record("%s", "x" * 100_000))) < 10_000


def test_json_carries_the_ids() -> None:
    told = json.loads(JsonLines().format(record("done\n", workflow_id="order-1", attempt=2, odd={1})))
    assert (told["level"], told["logger"], told["message"]) == ("WARNING", "holdfast.test", "done\n")
    assert (told["workflow_id"], told["attempt"], told["odd"]) == ("order-1", 2, "{1}")


def test_json_carries_the_traceback() -> None:
    made = record("failed")
    try:
        raise ValueError("why")
    except ValueError:
        made.exc_info = sys.exc_info()
    assert "ValueError: why" in json.loads(JsonLines().format(made))["exception"]


@pytest.mark.parametrize(("name", "kind"), [("", TextLines), ("json", JsonLines)])
def test_the_environment_chooses(name: str, kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    root = logging.getLogger("root of the test")
    root.handlers.clear()
    monkeypatch.setattr(logging, "root", root)
    monkeypatch.setenv("HOLDFAST_LOG_FORMAT", name)
    monkeypatch.setenv("HOLDFAST_LOG_LEVEL", "error")
    set_up_logging()
    assert isinstance(root.handlers[0].formatter, kind)
    assert root.level == logging.ERROR
