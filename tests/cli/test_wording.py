"""Durations, instants, values and hostile names in words."""

from datetime import timedelta

import pytest
from click import BadParameter

from holdfast.cli.escaping import escaped_json, one_line, printable
from holdfast.cli.parameters import Duration, JsonInput, Moment, PageCursor, cursor_text
from holdfast.cli.wording import ago, count, duration, iso, value
from holdfast.model.instants import LATEST, Instant
from holdfast.model.queries import Cursor


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (1_234, "1.2 s"),
        (59_999, "59 s"),
        (61_000, "1 min 1 s"),
        (3_600_000, "1 h"),
        (90_061_000, "1 d 1 h"),
        (-5_000, "-5.0 s"),
    ],
)
def test_durations(milliseconds: int, words: str) -> None:
    assert duration(milliseconds) == words


def test_the_past_and_the_future() -> None:
    assert ago(Instant(0), Instant(10_000)) == "10 s ago"
    assert ago(Instant(10_000), Instant(0)) == "in 10 s"


def test_no_instant_is_too_far() -> None:
    assert iso(Instant(0)) == "1970-01-01T00:00:00.000Z"
    assert iso(Instant(LATEST + 10**12)).startswith("9999-12-31")


def test_long_values_are_cut() -> None:
    assert value(None) == ""
    assert value(b"x" * 1_000).endswith("x…")


def test_counts() -> None:
    assert (count(1, "task"), count(2_000, "task")) == ("1 task", "2,000 tasks")


HOSTILE = "a\x1b[2J\r\x9b31m\u202eb\u2028\ud800"


def test_control_characters_are_written_out() -> None:
    assert printable(HOSTILE + "\n\t") == "a\\x1b[2J\\r\\x9b31m\\u202eb\\u2028\\ud800\n\t"
    assert one_line("a\n\tb") == "a\\n\\tb"


def test_json_keeps_its_meaning() -> None:
    assert escaped_json('{"a": "\u202eé\x9b\x7f"}') == '{"a": "\\u202eé\\u009b\\u007f"}'


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("250ms", 0.25), ("30", 30), ("30s", 30), ("5m", 300), ("5min", 300), ("2h", 7200), ("1.5d", 129_600)],
)
def test_lengths_of_time_are_read(text: str, seconds: float) -> None:
    assert Duration().convert(text, None, None) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["soon", "-1s", "1y", "99999999d"])
def test_what_is_no_length_of_time_is_refused(text: str) -> None:
    with pytest.raises(BadParameter, match="say 250ms"):
        Duration().convert(text, None, None)


def test_what_has_been_read_stays() -> None:
    cursor = Cursor(Instant(5), "a:b")
    assert Duration().convert(timedelta(1), None, None) == timedelta(1)
    assert JsonInput().convert((None,), None, None) == (None,)
    assert PageCursor().convert(cursor, None, None) is cursor
    assert PageCursor().convert(cursor_text(cursor), None, None) == cursor


@pytest.mark.parametrize("text", ["", "x:y", "5:", "5"])
def test_what_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(BadParameter, match="cursor"):
        PageCursor().convert(text, None, None)


def test_a_time_without_a_zone_is_local() -> None:
    assert Moment().convert("2027-03-01T09:30:00+01:00", None, None).isoformat() == "2027-03-01T08:30:00+00:00"
    assert Moment().convert("2027-03-01T09:30", None, None).tzinfo is not None
