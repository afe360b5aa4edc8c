"""What people see and what scripts get."""

import sys

import pytest

from holdfast.cli.output import Output
from holdfast.model.errors import InvalidArgument


def look_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a person look at the streams of this test."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")


def test_json_on_a_terminal_is_indented(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    look_at(monkeypatch)
    Output(as_json=True).document({"a": 1})
    assert capsys.readouterr().out == '{\n  "a": 1\n}\n'


def test_a_terminal_gets_tables(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    look_at(monkeypatch)
    assert Output(as_json=None).as_json is False


def test_a_terminal_gets_a_status_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    look_at(monkeypatch)
    with Output(as_json=None).progress("looking") as status:
        assert status is not None


def test_scripts_get_no_status_line_and_no_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(as_json=None)
    with output.progress("looking") as status:
        assert status is None
    output.say("hello")
    assert capsys.readouterr().out == ""


def test_hostile_messages_are_written_out(capsys: pytest.CaptureFixture[str]) -> None:
    Output(as_json=None).error(InvalidArgument("\x1b[31mred"))
    assert "\\x1b[31mred" in capsys.readouterr().err
