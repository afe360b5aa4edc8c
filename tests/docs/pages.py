"""Reads the code out of our Markdown.

A comment in the line before a block says what the block is:

    <!-- runs -->               a program of its own; `<!-- runs as shop.py -->` gives its file a name
    <!-- continues -->          the program goes on here
    <!-- prints -->             a text block: what the program prints, with … for what differs from run to run
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).parents[2]
PAGES = (
    REPOSITORY / "README.md",
    REPOSITORY / "ARCHITECTURE.md",
    REPOSITORY / "llms.txt",
    *sorted((REPOSITORY / "docs").rglob("*.md")),
)

_BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"<!-- (runs|continues|prints)(?: as (\S+))? -->\s*\Z")
_LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)")


class Block(NamedTuple):
    """One fenced block."""

    page: Path
    line: int
    language: str
    text: str
    mark: str
    file: str

    @property
    def where(self) -> str:
        """Where a person finds it."""
        return f"{self.page.relative_to(REPOSITORY)}:{self.line}"


class Program(NamedTuple):
    """One or more blocks that run as one file."""

    where: str
    file: str
    source: str
    printed: str | None

    def __str__(self) -> str:
        return self.where


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    for match in _BLOCK.finditer(text):
        mark = _MARK.search(text, 0, match.start())
        line = text.count("\n", 0, match.start()) + 1
        kind, file = (mark[1], mark[2]) if mark is not None else ("", None)
        yield Block(page, line, match[1], match[2], kind, file or "page.py")


def programs(page: Path) -> list[Program]:
    """The programs of a page."""
    found: list[Program] = []
    for block in blocks(page):
        match block.mark:
            case "runs":
                found.append(Program(block.where, block.file, block.text, None))
            case "continues":
                found[-1] = found[-1]._replace(source=found[-1].source + "\n" + block.text)
            case "prints":
                found[-1] = found[-1]._replace(printed=block.text)
            case _:
                pass
    return found


def links(page: Path) -> list[str]:
    """The relative links of a page."""
    return _LINK.findall(_BLOCK.sub("", page.read_text(encoding="utf-8")))
