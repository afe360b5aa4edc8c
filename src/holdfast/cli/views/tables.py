"""Lists as tables."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from holdfast.cli.documents import next_try_at
from holdfast.cli.parameters import cursor_text
from holdfast.cli.views.marks import failure_lines, line, status, table
from holdfast.cli.wording import ago, duration, local_time, value
from holdfast.model.events import Event, encode_event_data
from holdfast.model.instants import Instant
from holdfast.model.queries import Cursor, ExecutionPage, QueueCount, TaskPage, TimerPage
from holdfast.model.records import Attempt, Promise, Task

Parts = Iterator[RenderableType]


def executions_table(page: ExecutionPage, now: Instant) -> Parts:
    """A page of executions."""
    rows = table("ID", "KIND", "STATUS", "STARTED", "TOOK", "EVENTS")
    for each in page.executions:
        took = duration((each.closed_at or now) - each.created_at)
        rows.add_row(
            line(each.id),
            line(each.kind),
            status(each.status),
            ago(each.created_at, now),
            took,
            str(each.last_sequence),
        )
    yield rows if page.executions else Text("no executions")
    yield from _more(page.next)


def tasks_table(page: TaskPage, now: Instant) -> Parts:
    """A page of tasks."""
    rows = table("ID", "TYPE", "STATUS", "ATTEMPT", "PROGRESS", "SUBMITTED", "QUEUE")
    for each in page.tasks:
        rows.add_row(
            line(each.id),
            line(each.task_type),
            status(each.status),
            str(each.attempt),
            progress_of_open(each, now),
            ago(each.created_at, now),
            line(each.queue),
        )
    yield rows if page.tasks else Text("no tasks")
    yield from _more(page.next)


def progress(task: Task, now: Instant) -> Text:
    """How far a task is, or when it goes on."""
    next_at = next_try_at(task)
    if next_at is not None:
        return Text(f"next try {ago(next_at, now)}")
    said = f"{task.progress:.0%}" if task.progress else ""
    return line(f"{said} {task.progress_message or ''}".strip())


def progress_of_open(task: Task, now: Instant) -> Text:
    """The same, where the status says enough about what has ended."""
    return Text() if task.closed else progress(task, now)


def attempts_table(attempts: Sequence[Attempt]) -> Parts:
    """The tries of a task that have ended."""
    if not attempts:
        yield Text("no try has ended yet")
    for each in attempts:
        took = duration(each.finished_at - each.started_at)
        head = Text.assemble(f"{each.attempt}  ", status(each.status), f"  {local_time(each.started_at)}  took {took}")
        head.append(f"  by {each.worker_id}" if each.worker_id else "", style="dim")
        yield head
        if each.failure is not None:
            yield failure_lines(each.failure, "   ")


def events_table(events: Sequence[Event]) -> Parts:
    """A history."""
    rows = table("#", "TIME", "EVENT", "DATA")
    for event in events:
        data = value(encode_event_data(event.data))
        rows.add_row(str(event.sequence), local_time(event.time), event.type, Text(data, style="dim"))
    yield rows if events else Text("no events")


def timers_table(page: TimerPage, now: Instant) -> Parts:
    """The next timers to fire."""
    rows = table("ID", "WORKFLOW", "FIRES", "AT")
    for each in page.timers:
        rows.add_row(line(each.id), line(each.execution_id), ago(each.fire_at, now), local_time(each.fire_at))
    yield rows if page.timers else Text("no timers are armed")
    if page.total > len(page.timers):
        yield Text(f"{page.total - len(page.timers):,} more; see --limit", style="dim")


def promises_table(promises: Sequence[Promise], now: Instant) -> Parts:
    """The promises of an execution."""
    rows = table("ID", "NAME", "STATUS", "CREATED", "TIMES OUT")
    for each in promises:
        limit = "" if each.wake_at is None else ago(each.wake_at, now)
        rows.add_row(line(each.id), line(each.name), status(each.status), ago(each.created_at, now), limit)
    yield rows if promises else Text("no promises")


def queues_table(counts: Sequence[QueueCount], now: Instant) -> Parts:
    """Open work by queue and kind."""
    rows = table("QUEUE", "OF", "KIND", "STATUS", "COUNT", "OLDEST")
    for each in counts:
        oldest = "" if each.oldest is None else ago(each.oldest, now)
        rows.add_row(line(each.queue), each.of, line(each.kind), status(each.status), f"{each.count:,}", oldest)
    yield rows if counts else Text("no open work")


def _more(cursor: Cursor | None) -> Parts:
    if cursor is not None:
        yield line(f"there are more: --cursor {cursor_text(cursor)}", style="dim")
