"""Text into tokens, in one pass with no way back."""

import re
from typing import Final, NamedTuple

from holdfast.engine.flow.expressions.failures import ExpressionSyntaxError

_TOKEN: Final = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<number>(?:[0-9]+)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
  | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<reference>\$(?:[^\W\d]\w*)?)
  | (?P<name>[^\W\d]\w*)
  | (?P<sign>\?\?|\|\||&&|==|!=|<=|>=|[-+*/%<>!?:.,()\[\]{}])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\", "/": "/", "b": "\b", "f": "\f"}
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
END: Final = "end"


class Token(NamedTuple):
    """A word of an expression."""

    kind: str
    text: str
    position: int


def next_token(source: str, position: int) -> tuple[Token, int]:
    """The token at a position, spaces passed over, and where it ends."""
    while True:
        if position >= len(source):
            return Token(END, "", position), position
        found = _TOKEN.match(source, position)
        if found is None:
            raise ExpressionSyntaxError(_unreadable(source[position]), source, position)
        if found.lastgroup != "space":
            return Token(str(found.lastgroup), found.group(), position), found.end()
        position = found.end()


def _unreadable(character: str) -> str:
    if character in "\"'":
        return f"the text that begins with {character} does not end"
    if character == "=":
        return "there is no assignment; to compare, write =="
    return f"{character!r} has no meaning here"


def text_of(token: Token, source: str) -> str:
    """What a quoted text stands for."""

    def replaced(found: re.Match[str]) -> str:
        escape = found.group(1)
        if len(escape) == 5:
            return _character(int(escape[1:], 16), source, token)
        if escape not in _ESCAPES:
            raise ExpressionSyntaxError(f"\\{escape} is no escape", source, token.position + found.start())
        return _ESCAPES[escape]

    return _ESCAPE.sub(replaced, token.text[1:-1])


def _character(code: int, source: str, token: Token) -> str:
    if code == 0 or 0xD800 <= code <= 0xDFFF:
        raise ExpressionSyntaxError(f"\\u{code:04x} is no character of text", source, token.position)
    return chr(code)
