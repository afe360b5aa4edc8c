"""The types of arguments and options: JSON inputs, lengths of time, instants, page cursors."""

import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from holdfast.model.instants import Instant, Milliseconds, milliseconds
from holdfast.model.queries import MAX_PAGE, Cursor

if TYPE_CHECKING:
    ParamType = click.ParamType[object]
else:
    ParamType = click.ParamType  # before click 8.5 it is not generic

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|d)?\Z")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3_600.0, "d": 86_400.0, "": 1.0}
LONGEST = 36_500 * 86_400
"""Seconds; a hundred years are more than anyone waits."""


class JsonInput(ParamType):
    """A value as JSON: given directly, in a file (`@order.json`), or on standard input (`-`)."""

    name = "JSON|@file|-"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        """The value that the JSON stands for, as (value,): None is a value too."""
        if isinstance(value, tuple):
            return value
        text = self._text(str(value), param, ctx)
        try:
            return (msgspec.json.decode(text),)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            self.fail(f"this is not JSON: {error}; a text needs its quotes, '\"like this\"'", param, ctx)

    def _text(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> bytes:
        if value == "-":
            return sys.stdin.buffer.read()
        if not value.startswith("@"):
            return value.encode("utf-8", "surrogateescape")
        try:
            return Path(value[1:]).read_bytes()
        except OSError as error:
            self.fail(f"{value[1:]} cannot be read: {error.strerror}", param, ctx)


class Duration(ParamType):
    """A length of time: `250ms`, `30s`, `5m`, `2h`, `1d`; a bare number is seconds."""

    name = "DURATION"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        """The timedelta."""
        if isinstance(value, timedelta):
            return value
        found = _DURATION.match(str(value).strip())
        seconds = float(found[1]) * _SECONDS[found[2] or ""] if found else -1.0
        if not 0 <= seconds <= LONGEST:
            self.fail(f"{value!r} is not a length of time; say 250ms, 30s, 5m, 2h or 1d", param, ctx)
        return timedelta(seconds=seconds)


class Length(ParamType):
    """How long something is kept: a Duration, or `forever`."""

    name = "LENGTH"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Milliseconds | None:
        """Milliseconds; None for ever."""
        if value == "forever":
            return None
        return milliseconds(Duration().convert(value, param, ctx))


class KindLength(ParamType):
    """How long one kind is kept: `checkout=30d`."""

    name = "KIND=LENGTH"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, Milliseconds | None]:
        """The kind, and its Length."""
        kind, separator, length = str(value).rpartition("=")
        if not (kind and separator):
            self.fail(f"{value!r} does not say which kind is kept how long; say checkout=30d", param, ctx)
        return kind, Length().convert(length, param, ctx)


class Moment(ParamType):
    """An instant in ISO 8601; without a time zone it is local time."""

    name = "TIME"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The datetime in UTC."""
        try:
            return datetime.fromisoformat(str(value)).astimezone(UTC)
        except (ValueError, OverflowError, OSError):
            self.fail(f"{value!r} is not a time; say 2027-03-01T09:30 or 2027-03-01T09:30:00+01:00", param, ctx)


class PageCursor(ParamType):
    """Where a page of a list begins, as the page before it said."""

    name = "CURSOR"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Cursor:
        """The cursor."""
        if isinstance(value, Cursor):
            return value
        created_at, separator, identity = str(value).partition(":")
        if not (created_at.isdecimal() and separator and identity):
            self.fail(f"{value!r} is not a cursor; copy it from the end of the page before", param, ctx)
        return Cursor(Instant(int(created_at)), identity)


def cursor_text(cursor: Cursor | None) -> str | None:
    """What PageCursor reads."""
    return None if cursor is None else f"{cursor.created_at}:{cursor.id}"


def only_value(given: tuple[object] | None) -> object:
    """The value of a JsonInput; None if the option was left out."""
    return None if given is None else given[0]


input_option = click.option(
    "--input", "given", type=JsonInput(), help="The input: JSON, @file, or - for standard input."
)
limit_option = click.option(
    "--limit", type=click.IntRange(1, MAX_PAGE), default=50, show_default=True, help="How many at most."
)
cursor_option = click.option("--cursor", type=PageCursor(), help="Go on where the page before ended.")
wait_option = click.option("--wait", is_flag=True, help="Wait for the end, and print the result.")
timeout_option = click.option("--timeout", type=Duration(), help="Wait no longer than this.")
