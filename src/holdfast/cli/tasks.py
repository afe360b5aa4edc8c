"""`holdfast task …`: submit and watch tasks."""

from datetime import timedelta
from typing import TYPE_CHECKING

import click

from holdfast.cli.documents import attempt_document, task_list
from holdfast.cli.lazy import LazyCommand, LazyGroup
from holdfast.cli.parameters import (
    Duration,
    cursor_option,
    input_option,
    limit_option,
    only_value,
    timeout_option,
    wait_option,
)
from holdfast.cli.session import Session, with_session
from holdfast.cli.wording import now
from holdfast.model.queries import Cursor
from holdfast.model.statuses import TaskStatus

if TYPE_CHECKING:
    from holdfast.app.holdfast import Holdfast

_HERE = __name__
_id = click.argument("task_id", metavar="ID")

task = LazyGroup(
    name="task",
    help="Submit and watch tasks.",
    lazy={
        "submit": LazyCommand(_HERE, "submit", "Have a task run without a workflow."),
        "list": LazyCommand(_HERE, "list_tasks", "List standalone tasks, or those of an execution."),
        "show": LazyCommand(_HERE, "show", "Show a task: progress, attempts, lines."),
        "attempts": LazyCommand(_HERE, "attempts", "List the tries of a task that have ended."),
        "result": LazyCommand(_HERE, "result", "Wait for the result."),
        "cancel": LazyCommand(_HERE, "cancel", "End a task, or ask its worker to."),
        "retry": LazyCommand(_HERE, "retry", "Let a failed standalone task run again."),
        "complete": LazyCommand(_HERE, "complete", "End a task by hand, with an output."),
        "fail": LazyCommand(_HERE, "fail", "End a task by hand, as failed."),
    },
)


@click.command("submit")
@click.argument("task_type", metavar="TYPE")
@input_option
@click.option("--id", "task_id", metavar="UUID", help="Its id; the same id again gives the task that is there.")
@click.option("--key", metavar="TEXT", help="An idempotency key: the same key again gives the task that is there.")
@click.option("--queue", metavar="NAME", help="The queue whose workers run it.")
@click.option("--retries", type=click.IntRange(0), help="How often it is tried again.")
@click.option("--try-timeout", type=Duration(), help="How long one try may take.")
@click.option("--delay", type=Duration(), help="Not before this has passed.")
@click.option("--priority", type=int, help="Higher ones go first.")
@wait_option
@timeout_option
@with_session
def submit(
    session: Session,
    task_type: str,
    given: tuple[object] | None,
    task_id: str | None,
    key: str | None,
    queue: str | None,
    retries: int | None,
    try_timeout: timedelta | None,
    delay: timedelta | None,
    priority: int | None,
    wait: bool,
    timeout: timedelta | None,
) -> None:
    """Have a task of this TYPE run without a workflow. When this returns it is on disk."""

    async def question(holdfast: "Holdfast") -> None:
        from holdfast.cli.waiting import task_result

        handle = await holdfast.submit_task(
            task_type,
            only_value(given),
            id=task_id,
            idempotency_key=key,
            queue=queue,
            retries=retries,
            timeout=try_timeout,
            delay=delay,
            priority=priority,
        )
        session.output.say(f"{'submitted' if handle.created else 'was there already:'} {handle.id}")
        document: dict[str, object] = {"id": handle.id, "created": handle.created}
        if wait:
            document["result"] = await task_result(handle, session.output, timeout)
        session.answer(document)

    session.ask(question)


@click.command("list")
@click.option("--workflow", "execution_id", metavar="ID", help="The tasks of this execution, not standalone ones.")
@click.option(
    "--status", multiple=True, help="Only these.",
    type=click.Choice([each.value for each in TaskStatus], case_sensitive=False),
)  # fmt: skip
@click.option("--type", "task_type", metavar="TYPE", help="Only this type.")
@click.option("--queue", metavar="NAME", help="Only this queue.")
@limit_option
@cursor_option
@with_session
def list_tasks(
    session: Session,
    execution_id: str | None,
    status: tuple[str, ...],
    task_type: str | None,
    queue: str | None,
    limit: int,
    cursor: Cursor | None,
) -> None:
    """List standalone tasks, or those of an execution; newest first."""
    statuses = [TaskStatus(each) for each in status]
    page = session.ask(
        lambda holdfast: holdfast.list_tasks(
            execution_id=execution_id, task_type=task_type, queue=queue, status=statuses, limit=limit, after=cursor
        )
    )
    if session.output.as_json:
        session.output.document(task_list(page))
        return
    from holdfast.cli.views.tables import tasks_table

    session.output.render(*tasks_table(page, now()))


@click.command("show")
@_id
@click.option("--watch", "watching", is_flag=True, help="Go on until the task has ended.")
@with_session
def show(session: Session, task_id: str, watching: bool) -> None:
    """Show a task: its progress, its attempts, and the last lines that it wrote."""
    from holdfast.cli.stories import task_story_document, task_story_of

    if watching:
        session.ask(lambda holdfast: _watch(holdfast, task_id, session))
        return
    story = session.ask(lambda holdfast: task_story_of(holdfast, task_id))
    if session.output.as_json:
        session.output.document(task_story_document(story))
        return
    from holdfast.cli.views.task import task_story

    session.output.render(*task_story(story, now()))


async def _watch(holdfast: "Holdfast", task_id: str, session: Session) -> None:
    from holdfast.cli.stories import TaskStory, task_story_document, task_story_of
    from holdfast.cli.views.task import task_story
    from holdfast.cli.watching import Watched, watch

    watched: Watched[TaskStory] = Watched(
        look=lambda: task_story_of(holdfast, task_id),
        document=task_story_document,
        parts=lambda story: tuple(task_story(story, now())),
        is_over=lambda story: story.task.closed,
    )
    await watch(watched, session.output)


@click.command("attempts")
@_id
@with_session
def attempts(session: Session, task_id: str) -> None:
    """List the tries of a task that have ended."""
    ended = session.ask(lambda holdfast: holdfast.attempts(task_id))
    if session.output.as_json:
        session.output.document([attempt_document(each) for each in ended])
        return
    from holdfast.cli.views.tables import attempts_table

    session.output.render(*attempts_table(ended))


@click.command("result")
@_id
@timeout_option
@with_session
def result(session: Session, task_id: str, timeout: timedelta | None) -> None:
    """Wait for the end of a task, and print its result as JSON."""

    async def question(holdfast: "Holdfast") -> object:
        from holdfast.cli.waiting import task_result

        return await task_result(holdfast.task_handle(task_id), session.output, timeout)

    session.output.document(session.ask(question))


@click.command("cancel")
@_id
@click.option("--reason", default="", metavar="TEXT", help="Why; it is kept with the task.")
@with_session
def cancel(session: Session, task_id: str, reason: str) -> None:
    """End a task that waits, or ask the worker that runs it to stop it."""
    changed = session.ask(lambda holdfast: holdfast.cancel_task(task_id, reason))
    said = "is cancelled, or its worker is told" if changed else "had been cancelled before"
    session.done(f"{task_id} {said}", id=task_id, changed=changed)


@click.command("retry")
@_id
@with_session
def retry(session: Session, task_id: str) -> None:
    """Let a standalone task that failed run again."""
    session.ask(lambda holdfast: holdfast.retry_task(task_id))
    session.done(f"{task_id} runs again", id=task_id)


@click.command("complete")
@_id
@input_option
@with_session
def complete(session: Session, task_id: str, given: tuple[object] | None) -> None:
    """End a task by hand as if it had given --input; whoever runs it has lost it."""
    session.ask(lambda holdfast: holdfast.complete_task(task_id, only_value(given)))
    session.done(f"{task_id} is completed", id=task_id)


@click.command("fail")
@_id
@click.option(
    "--reason", default="failed by hand", show_default=True, metavar="TEXT", help="What whoever waits is told."
)
@with_session
def fail(session: Session, task_id: str, reason: str) -> None:
    """End a task by hand as failed, without another try; whoever runs it has lost it."""
    session.ask(lambda holdfast: holdfast.fail_task(task_id, reason))
    session.done(f"{task_id} is failed", id=task_id)
