"""All that there is to tell about one execution or one task, gathered; views and documents present it."""

from collections import deque
from typing import TYPE_CHECKING

import msgspec

from holdfast.cli.documents import (
    Document,
    ExecutionDocument,
    attempt_document,
    execution_document,
    line_document,
    promise_document,
    task_document,
    timer_document,
)
from holdfast.cli.spans import Span, spans_of
from holdfast.model.records import Attempt, Execution, Promise, Task, TaskLine, Timer

if TYPE_CHECKING:
    from holdfast.app.holdfast import Holdfast

SHOWN_TASKS = 50
SHOWN_TIMERS = 20
SHOWN_CHILDREN = 50
SHOWN_LINES = 50


class TaskStory(msgspec.Struct, frozen=True):
    """A task, its tries that have ended, and the last lines that it wrote."""

    task: Task
    attempts: tuple[Attempt, ...] = ()
    lines: tuple[TaskLine, ...] = ()


class Story(msgspec.Struct, frozen=True):
    """An execution and all that belongs to it, the oldest first; `more` names what was left out."""

    execution: Execution
    tasks: tuple[TaskStory, ...]
    timers: tuple[Timer, ...]
    promises: tuple[Promise, ...]
    children: tuple[Execution, ...]
    state: dict[str, object]
    spans: tuple[Span, ...]
    more: tuple[str, ...]


async def story_of(holdfast: "Holdfast", execution_id: str) -> Story:
    """The story of an execution."""
    execution = await holdfast.describe(execution_id)
    tasks = await holdfast.list_tasks(execution_id=execution_id, limit=SHOWN_TASKS)
    timers = await holdfast.timers(execution_id, limit=SHOWN_TIMERS)
    children = await holdfast.list(parent_id=execution_id, limit=SHOWN_CHILDREN)
    cut = {"tasks": tasks.next, "children": children.next, "timers": timers.total > SHOWN_TIMERS}
    return Story(
        execution,
        tuple([TaskStory(task, await _attempts(holdfast, task)) for task in reversed(tasks.tasks)]),
        timers.timers,
        tuple(await holdfast.promises(execution_id)),
        tuple(reversed(children.executions)),
        await holdfast.state(execution_id),
        tuple(spans_of(await holdfast.history(execution_id), execution.closed_at)),
        tuple(name for name, left_out in cut.items() if left_out),
    )


async def _attempts(holdfast: "Holdfast", task: Task) -> tuple[Attempt, ...]:
    """Asked for only where there is something to tell: a single try that succeeded is no story."""
    went_smoothly = task.attempt <= 1 and task.failure is None and (task.closed or task.attempt == 0)
    return () if went_smoothly else tuple(await holdfast.attempts(task.id))


async def task_story_of(holdfast: "Holdfast", task_id: str) -> TaskStory:
    """The story of a task."""
    task = await holdfast.describe_task(task_id)
    last: deque[TaskLine] = deque(maxlen=SHOWN_LINES)
    async for line in holdfast.task_lines(task_id):
        last.append(line)
    return TaskStory(task, tuple(await holdfast.attempts(task_id)), tuple(last))


class StoryDocument(Document, frozen=True):
    """What `workflow show --json` prints."""

    execution: ExecutionDocument
    tasks: list[dict[str, object]]
    timers: list[object]
    promises: list[object]
    children: list[ExecutionDocument]
    state: dict[str, object]
    more: tuple[str, ...]


def story_document(story: Story) -> StoryDocument:
    """The story as JSON."""
    return StoryDocument(
        execution_document(story.execution),
        [task_story_document(task) for task in story.tasks],
        [timer_document(timer) for timer in story.timers],
        [promise_document(promise) for promise in story.promises],
        [execution_document(child) for child in story.children],
        story.state,
        story.more,
    )


def task_story_document(story: TaskStory) -> dict[str, object]:
    """A task, its attempts and its lines as JSON."""
    return {
        "task": task_document(story.task),
        "attempts": [attempt_document(each) for each in story.attempts],
        "lines": [line_document(each) for each in story.lines],
    }
