"""Names and values come from anyone; what a terminal would obey is shown, not sent."""

import re

_ASCII_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f"
_UNICODE_CONTROLS = r"\x80-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
"""The second half of ISO 6429, and what turns the direction of text or hides in it."""

_UNSAFE_IN_TEXT = re.compile(f"[{_ASCII_CONTROLS}{_UNICODE_CONTROLS}]")
_UNSAFE_IN_LINE = re.compile(f"[\\t\\n{_ASCII_CONTROLS}{_UNICODE_CONTROLS}]")
_UNSAFE_IN_JSON = re.compile(f"[{_UNICODE_CONTROLS}\\x7f]")


def printable(text: str) -> str:
    """The text with control characters written out; line breaks and tabs stay."""
    return _UNSAFE_IN_TEXT.sub(_written_out, text)


def one_line(text: str) -> str:
    """The text with all control characters written out."""
    return _UNSAFE_IN_LINE.sub(_written_out, text)


def escaped_json(text: str) -> str:
    """JSON that means the same and has no control characters; there they can only be inside of strings."""
    return _UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _written_out(found: "re.Match[str]") -> str:
    return found.group().encode("unicode_escape").decode("ascii")
