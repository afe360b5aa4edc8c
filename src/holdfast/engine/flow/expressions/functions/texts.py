"""Functions on text."""

import base64
import binascii
import hashlib
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote, unquote

from holdfast.engine.flow.expressions.failures import EvaluationError
from holdfast.engine.flow.expressions.frame import Frame
from holdfast.engine.flow.expressions.functions.calling import eager
from holdfast.engine.flow.expressions.syntax import Function
from holdfast.engine.flow.expressions.written import written

WIDEST: Final = 10_000


def _split(_: Frame, text: str, separator: str = " ") -> list[str]:
    if not separator:
        raise EvaluationError("split() needs a separator that is not empty")
    return text.split(separator)


def _join(frame: Frame, values: list[object], separator: str = "") -> str:
    texts = [written(value) for value in values]
    frame.budget.make(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


def _replace(frame: Frame, text: str, old: str, new: str) -> str:
    if not old:
        raise EvaluationError("replace() needs a text to look for that is not empty")
    frame.budget.make(len(text) + text.count(old) * len(new))
    return text.replace(old, new)


def _substring(_: Frame, text: str, start: int, end: int | None = None) -> str:
    return text[start:end]


def _repeat(frame: Frame, text: str, times: int) -> str:
    frame.budget.make(len(text) * max(0, times))
    return text * times


def _pad(text: str, width: int, filling: str, left: bool) -> str:
    if len(filling) != 1:
        raise EvaluationError("the filling must be one character")
    if width > WIDEST:
        raise EvaluationError(f"text is padded to at most {WIDEST:,} characters")
    return text.rjust(width, filling) if left else text.ljust(width, filling)


def _like(frame: Frame, text: str, pattern: str) -> bool:
    """Match `*` and `?` with one memory of the last star: never more than text by pattern steps."""
    at = place = 0
    star, mark = -1, 0
    while at < len(text):
        frame.budget.step()
        if place < len(pattern) and pattern[place] == "*":
            star, mark = place, at
            place += 1
        elif place < len(pattern) and pattern[place] in ("?", text[at]):
            at += 1
            place += 1
        elif star >= 0:
            mark += 1
            at, place = mark, star + 1
        else:
            return False
    return not pattern[place:].strip("*")


def _base64_decode(_: Frame, text: str) -> str:
    try:
        return base64.b64decode(text.encode(), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        raise EvaluationError(f"base64_decode() cannot read it as text in base 64: {error}") from error


def _url_decode(_: Frame, text: str) -> str:
    decoded = unquote(text, errors="replace")
    if "\0" in decoded:
        raise EvaluationError("url_decode() gives text with a NUL character, which no database keeps")
    return decoded


def _concatenated(frame: Frame, *values: object) -> str:
    return _join(frame, list(values))


def _lines(_: Frame, text: str) -> list[str]:
    return text.splitlines()


TEXTS: Final[Mapping[str, Function]] = {
    "text": eager(_concatenated, "any", "value, …", "The values written as one text.", rest=True),
    "upper": eager(lambda _, text: text.upper(), "text", "text", "In capitals."),
    "lower": eager(lambda _, text: text.lower(), "text", "text", "In small letters."),
    "capitalize": eager(lambda _, text: text[:1].upper() + text[1:], "text", "text", "With a capital at the start."),
    "trim": eager(lambda _, text: text.strip(), "text", "text", "Without the spaces around it."),
    "split": eager(_split, "text text", "text, separator", "A list of the parts; at spaces by default.", optional=1),
    "join": eager(_join, "list text", "list, separator", "The elements as one text.", optional=1),
    "replace": eager(_replace, "text text text", "text, old, new", "Every `old` becomes `new`."),
    "substring": eager(
        _substring, "text integer integer", "text, start, end", "The characters from start up to end.", optional=1
    ),
    "starts_with": eager(
        lambda _, text, part: text.startswith(part), "text text", "text, part", "Whether it begins so."
    ),
    "ends_with": eager(lambda _, text, part: text.endswith(part), "text text", "text, part", "Whether it ends so."),
    "position": eager(
        lambda _, text, part: text.find(part), "text text", "text, part", "Where the part begins, or -1."
    ),
    "like": eager(_like, "text text", "text, pattern", "Whether it fits a pattern with `*` and `?`."),
    "repeat": eager(_repeat, "text integer", "text, times", "The text again and again."),
    "pad_left": eager(
        lambda _, text, width, filling=" ": _pad(text, width, filling, left=True),
        "text integer text", "text, width, filling", "Filled up at the left.", optional=1,
    ),
    "pad_right": eager(
        lambda _, text, width, filling=" ": _pad(text, width, filling, left=False),
        "text integer text", "text, width, filling", "Filled up at the right.", optional=1,
    ),
    "lines": eager(_lines, "text", "text", "A list of its lines."),
    "url_encode": eager(lambda _, text: quote(text, safe=""), "text", "text", "For a part of a URL."),
    "url_decode": eager(_url_decode, "text", "text", "From a part of a URL."),
    "base64_encode": eager(
        lambda _, text: base64.b64encode(text.encode()).decode(), "text", "text", "Its UTF-8 in base 64."
    ),
    "base64_decode": eager(_base64_decode, "text", "text", "From base 64 of UTF-8."),
    "sha256": eager(
        lambda _, text: hashlib.sha256(text.encode()).hexdigest(), "text", "text", "Its digest, in hexadecimal."
    ),
}  # fmt: skip
