"""The story of an execution, as a person reads it."""

from collections.abc import Iterator

import msgspec
from rich.console import RenderableType
from rich.text import Text

from holdfast.cli.stories import Story, TaskStory
from holdfast.cli.views.marks import failure_lines, grid, heading, line, status, table
from holdfast.cli.views.tables import attempts_table, progress_of_open
from holdfast.cli.views.timeline import timeline
from holdfast.cli.wording import ago, count, duration, local_time, value
from holdfast.model.instants import Instant
from holdfast.model.records import Execution
from holdfast.model.statuses import ExecutionStatus, PromiseStatus

Parts = Iterator[RenderableType]


def workflow_story(story: Story, now: Instant) -> Parts:
    """Who it is, what it did, what it waits for, how it ended."""
    yield _title(story.execution)
    yield grid(_facts(story, now), indent="  ")
    yield from timeline(story.execution, story.spans, now)
    yield from _tasks(story, now)
    yield from _timers(story, now)
    yield from _promises(story, now)
    yield from _children(story, now)
    yield from _state(story)
    if story.more:
        yield Text()
        yield line(f"only the latest {' and '.join(story.more)} are shown", style="dim")
    yield from _end(story.execution)


def _title(execution: Execution) -> Text:
    return Text.assemble(line(execution.kind, "bold"), "  ", line(execution.id), "  ", status(execution.status))


def _facts(story: Story, now: Instant) -> list[tuple[str, Text]]:
    execution = story.execution
    ended = execution.closed_at
    took = "" if ended is None else f", took {duration(ended - execution.created_at)}"
    facts = [
        ("started", Text(f"{local_time(execution.created_at)} ({ago(execution.created_at, now)}{took})")),
        ("input", Text(value(execution.input))),
        ("queue", line(execution.queue)),
        ("history", Text(count(execution.last_sequence, "event"))),
    ]
    if execution.parent_id is not None:
        facts.append(("parent", line(f"{execution.parent_id} as {execution.child_name}")))
    if execution.deadline_at is not None and ended is None:
        facts.append(("deadline", Text(ago(execution.deadline_at, now))))
    if execution.worker_id is not None:
        facts.append(("worker", line(execution.worker_id)))
    if execution.cancel_requested:
        facts.append(("cancel", Text("has been asked for", style="magenta")))
    if ended is None:
        facts.append(("now", _waits_for(story)))
    return facts


def _waits_for(story: Story) -> Text:
    match story.execution.status:
        case ExecutionStatus.PENDING:
            return Text("waits for a worker to run its code; is `holdfast dev` running?", style="yellow")
        case ExecutionStatus.RUNNING:
            return Text("its code runs")
        case _:
            open_tasks = [each.task.task_type for each in story.tasks if not each.task.closed]
            open_promises = [each.name for each in story.promises if each.status is PromiseStatus.PENDING]
            waits = [f"task {name}" for name in open_tasks] + [f"promise {name}" for name in open_promises]
            waits += ["a timer" for _ in story.timers[:1]]
            waits += [f"child {each.child_name}" for each in story.children if not each.closed]
            return line(f"waits for {', '.join(waits[:10]) or 'a signal'}")


def _tasks(story: Story, now: Instant) -> Parts:
    if story.tasks:
        yield heading("Tasks")
        rows = table("TYPE", "STATUS", "ATTEMPT", "TOOK", "PROGRESS", "RESULT")
        for each in story.tasks:
            rows.add_row(*_task_row(each, now))
        yield rows
    for each in story.tasks:
        if any(attempt.failure is not None for attempt in each.attempts):
            yield Text()
            yield line(f"  attempts of {each.task.task_type} ({each.task.id})", style="dim")
            yield from attempts_table(each.attempts)


def _task_row(story: TaskStory, now: Instant) -> Iterator[RenderableType]:
    task = story.task
    took = "" if task.started_at is None else duration((task.closed_at or now) - task.started_at)
    yield from (line(task.task_type), status(task.status), str(task.attempt), took, progress_of_open(task, now))
    yield Text(value(task.output))


def _timers(story: Story, now: Instant) -> Parts:
    if story.timers:
        yield heading("Timers")
        rows = [
            (timer.id, Text(f"fires {ago(timer.fire_at, now)}, at {local_time(timer.fire_at)}"))
            for timer in story.timers
        ]
        yield grid(rows, indent="  ")


def _promises(story: Story, now: Instant) -> Parts:
    if not story.promises:
        return
    yield heading("Promises")
    for promise in story.promises:
        limit = "" if promise.wake_at is None else f", times out {ago(promise.wake_at, now)}"
        yield Text.assemble("  ", line(promise.name), "  ", status(promise.status), limit)
        if promise.status is PromiseStatus.PENDING and not story.execution.closed:
            command = f"holdfast promise resolve {story.execution.id} {promise.name} --input true"
            yield line(f"    {command}", style="dim")


def _children(story: Story, now: Instant) -> Parts:
    if story.children:
        yield heading("Children")
        rows = table("NAME", "KIND", "STATUS", "STARTED", "ID")
        for each in story.children:
            name = line(each.child_name or "")
            rows.add_row(name, line(each.kind), status(each.status), ago(each.created_at, now), line(each.id))
        yield rows


def _state(story: Story) -> Parts:
    if story.state:
        yield heading("State")
        yield grid([(key, Text(value(msgspec.json.encode(entry)))) for key, entry in story.state.items()], indent="  ")


def _end(execution: Execution) -> Parts:
    if execution.output is not None:
        yield heading("Result")
        yield Text(f"  {value(execution.output)}")
    if execution.failure is not None:
        yield heading(f"Failure ({execution.failure_type or execution.status})")
        yield failure_lines(execution.failure)
    if execution.status is ExecutionStatus.FAILED:
        yield Text()
        yield line(f"  holdfast workflow retry {execution.id}   goes on from here with the code of today", style="dim")
