"""An execution as a timeline: a line for each thing that it did or waits for."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from holdfast.cli.spans import Scale, Span
from holdfast.cli.views.marks import colour_of, heading, line
from holdfast.cli.wording import ago, duration
from holdfast.model.instants import Instant
from holdfast.model.records import Execution

BAR: Final = 48
MAX_ROWS: Final = 40
MAX_LABEL: Final = 32
WAITS: Final = frozenset({"timer", "promise"})

Parts = Iterator[RenderableType]


def timeline(execution: Execution, spans: Sequence[Span], now: Instant) -> Parts:
    """The spans below each other; the newest, if there are many."""
    if not spans:
        return
    shown = spans[-MAX_ROWS:]
    end = execution.closed_at or now
    scale = Scale([execution.created_at, end, *[at for span in shown for at in (span.start, span.end or end)]], BAR)
    yield heading("Timeline")
    if len(shown) < len(spans):
        yield line(f"  {len(spans) - len(shown):,} earlier ones are left out", style="dim")
    rows = Table.grid(padding=(0, 2))
    rows.add_column(no_wrap=True, max_width=MAX_LABEL, overflow="ellipsis")
    rows.add_column(no_wrap=True, style="dim")
    rows.add_column(no_wrap=True, width=BAR + 1)
    rows.add_column(overflow="fold")
    for span in shown:
        rows.add_row(line(f"  {span.label}"), span.sort, _bar(span, scale, end), _words(span, now))
    yield rows


def _bar(span: Span, scale: Scale, end: Instant) -> Text:
    first = scale.column(span.start)
    last = scale.column(end if span.end is None else span.end)
    bar = Text(" " * min(first, BAR))
    stroke = "╌" if span.sort in WAITS else "━"
    mark = "◆" if span.end == span.start else stroke * max(1, last - first)
    bar.append(mark[: BAR + 1 - len(bar)], style=colour_of(span.status))
    return bar


def _words(span: Span, now: Instant) -> Text:
    if span.end is None:
        said = f"{duration(max(0, now - span.start))} so far"
        if span.due is not None:
            said = f"{'wakes' if span.sort == 'timer' else 'times out'} {ago(span.due, now)}"
        return Text(said, style=colour_of(span.status))
    took = "" if span.end == span.start else duration(span.end - span.start)
    word = "" if span.status in ("COMPLETED", "RESOLVED") else span.status.lower().replace("_", " ")
    return Text(" ".join(part for part in (took, word) if part), style="" if not word else colour_of(span.status))
