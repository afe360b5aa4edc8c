"""What goes on in a tenant, on one screen."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from holdfast.cli.overview import Overview
from holdfast.cli.views.marks import heading, line, status, table
from holdfast.cli.wording import ago, count, duration, local_time
from holdfast.model.instants import Instant

SHOWN_QUEUES = 12

Parts = Iterator[RenderableType]


def top_screen(overview: Overview, before: Overview | None, now: Instant) -> Parts:
    """Counts, queues, what is open, what failed, and what wakes next; rates since the look before."""
    yield Text.assemble(
        ("holdfast", "bold"),
        f"  {local_time(now)}  ",
        (f"{overview.waiting:,} waiting", "yellow"),
        ", ",
        (f"{overview.running:,} running", "cyan"),
        f", {count(overview.timers_armed, 'timer')} armed",
    )
    yield from _queues(overview, before, now)
    yield from _executions("Open, newest first", overview, now, is_failed=False)
    yield from _executions("Failed last", overview, now, is_failed=True)
    yield from _timers(overview, now)


def _queues(overview: Overview, before: Overview | None, now: Instant) -> Parts:
    yield heading("Queues")
    if not overview.queues:
        yield Text("  no open work", style="dim")
        return
    rows = table("QUEUE", "OF", "KIND", "STATUS", "COUNT", "CHANGE", "OLDEST")
    counts = (
        {} if before is None else {(each.queue, each.of, each.kind, each.status): each.count for each in before.queues}
    )
    for each in overview.queues[:SHOWN_QUEUES]:
        oldest = "" if each.oldest is None else ago(each.oldest, now)
        change = each.count - counts.get((each.queue, each.of, each.kind, each.status), each.count)
        rows.add_row(
            line(each.queue), each.of, line(each.kind), status(each.status), f"{each.count:,}", _change(change), oldest
        )
    yield rows
    if len(overview.queues) > SHOWN_QUEUES:
        yield Text(f"  {len(overview.queues) - SHOWN_QUEUES} more", style="dim")


def _change(change: int) -> Text:
    return Text("" if change == 0 else f"{change:+,}", style="yellow" if change > 0 else "green")


def _executions(title: str, overview: Overview, now: Instant, *, is_failed: bool) -> Parts:
    found = overview.failed if is_failed else overview.open
    yield heading(title)
    if not found:
        yield Text("  nothing has failed" if is_failed else "  nothing runs and nothing waits", style="dim")
        return
    rows = table("ID", "KIND", "STATUS", "STARTED", "FOR")
    for each in found:
        lasted = duration((each.closed_at or now) - each.created_at)
        rows.add_row(line(each.id), line(each.kind), status(each.status), ago(each.created_at, now), lasted)
    yield rows


def _timers(overview: Overview, now: Instant) -> Parts:
    if not overview.timers:
        return
    yield heading("Next to wake")
    rows = table("WORKFLOW", "FIRES", "AT")
    for each in overview.timers:
        rows.add_row(line(each.execution_id), ago(each.fire_at, now), local_time(each.fire_at))
    yield rows
