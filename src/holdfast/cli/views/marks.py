"""The colours and lines that all views share; whatever comes from outside goes through `line` or `text`."""

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from holdfast.cli.escaping import one_line, printable
from holdfast.model.failures import Failure, decode_failure

_COLOURS = {
    "COMPLETED": "green",
    "RESOLVED": "green",
    "OK": "green",
    "RUNNING": "cyan",
    "WAITING": "cyan",
    "PENDING": "yellow",
    "DELAYED": "yellow",
    "WARN": "yellow",
    "CANCELLED": "magenta",
    "TERMINATED": "magenta",
}
"""Everything else is red: it went wrong."""

STACK_LINES = 30
CAUSES = 8


def colour_of(word: str) -> str:
    """The colour of a status."""
    return _COLOURS.get(word, "red")


def status(word: str) -> Text:
    """A status in its colour."""
    return Text(word, style=f"bold {colour_of(word)}")


def line(given: str, style: str = "") -> Text:
    """A text from outside on one line."""
    return Text(one_line(given), style=style)


def table(*columns: str) -> Table:
    """An empty table with these columns."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        # An id is there to be copied: it stays in one piece.
        made.add_column(column, overflow="fold", no_wrap=column == "ID")
    return made


def grid(rows: Sequence[tuple[str, Text]], indent: str = "") -> Table:
    """Names and what they stand for, below each other."""
    made = Table.grid(padding=(0, 2))
    made.add_column(no_wrap=True, style="dim")
    made.add_column(overflow="fold")
    for name, content in rows:
        made.add_row(f"{indent}{name}", content)
    return made


def heading(title: str) -> Text:
    """The title of a part."""
    return Text(f"\n{title}", style="bold")


def failure_lines(data: bytes, indent: str = "  ") -> Text:
    """An error with its traceback and its causes."""
    found = Text()
    failure: Failure | None = decode_failure(data)
    for depth in range(CAUSES):
        if failure is None:
            break
        if depth:
            found.append(f"{indent}caused by\n", style="dim")
        found.append(f"{indent}{one_line(failure.type)}: ", style="bold red")
        found.append(f"{_indented(printable(failure.message), indent)}\n")
        found.append(_stack(failure.stack, indent), style="dim")
        failure = failure.cause
    found.rstrip()
    return found


def _stack(stack: str, indent: str) -> str:
    lines = printable(stack).rstrip().splitlines()
    shown = lines[-STACK_LINES:]
    if len(shown) < len(lines):
        shown.insert(0, f"… {len(lines) - len(shown)} lines more")
    return "".join(f"{indent}  {each}\n" for each in shown)


def _indented(text: str, indent: str) -> str:
    return f"\n{indent}  ".join(text.splitlines()) or ""
