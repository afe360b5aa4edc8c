"""The story of a task, as a person reads it."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from holdfast.cli.stories import TaskStory
from holdfast.cli.views.marks import failure_lines, grid, heading, line, status
from holdfast.cli.views.tables import attempts_table, progress
from holdfast.cli.wording import ago, duration, local_time, value
from holdfast.model.instants import Instant
from holdfast.model.records import Task, TaskLine

Parts = Iterator[RenderableType]


def task_story(story: TaskStory, now: Instant) -> Parts:
    """Who it is, how far it is, what it tried, what it wrote, how it ended."""
    task = story.task
    yield Text.assemble(line(task.task_type, "bold"), "  ", line(task.id), "  ", status(task.status))
    yield grid(_facts(task, now), indent="  ")
    if story.attempts:
        yield heading("Attempts")
        yield from attempts_table(story.attempts)
    if story.lines:
        yield heading("Lines")
        yield from (_line(each) for each in story.lines)
    yield from _end(story)


def _facts(task: Task, now: Instant) -> list[tuple[str, Text]]:
    facts = [
        ("submitted", Text(f"{local_time(task.created_at)} ({ago(task.created_at, now)})")),
        ("input", Text(value(task.input))),
        ("queue", line(task.queue)),
        ("attempt", Text(f"{task.attempt} (up to {1 + task.options.retry.max_retries})")),
        ("progress", progress(task, now)),
    ]
    if task.execution_id is not None:
        facts.append(("workflow", line(task.execution_id)))
    if task.started_at is not None:
        facts.append(("ran for", Text(duration((task.closed_at or now) - task.started_at))))
    if task.heartbeat_at is not None:
        facts.append(("heartbeat", Text(f"{ago(task.heartbeat_at, now)} {value(task.details)}")))
    if task.worker_id is not None:
        facts.append(("worker", line(task.worker_id)))
    if task.cancel_requested:
        facts.append(("cancel", Text("has been asked for", style="magenta")))
    return facts


def _line(each: TaskLine) -> Text:
    name = each.level or each.channel
    return Text.assemble(("  " + local_time(each.time), "dim"), "  ", line(name, "bold"), "  ", value(each.body))


def _end(story: TaskStory) -> Parts:
    task = story.task
    if task.output is not None:
        yield heading("Result")
        yield Text(f"  {value(task.output)}")
    told = {attempt.failure for attempt in story.attempts}
    if task.failure is not None and task.failure not in told:
        yield heading("Failure")
        yield failure_lines(task.failure)
