"""`holdfast workflow …`: start, watch and steer executions."""

from datetime import timedelta
from typing import TYPE_CHECKING

import click

from holdfast.cli.documents import event_document, execution_list
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
from holdfast.model.statuses import ExecutionStatus, ReusePolicy

if TYPE_CHECKING:
    from holdfast.app.holdfast import Holdfast

_HERE = __name__
QUERY_WITHIN = timedelta(seconds=10)
_id = click.argument("execution_id", metavar="ID")
_reason = click.option("--reason", default="", metavar="TEXT", help="Why; it is kept in the history.")

workflow = LazyGroup(
    name="workflow",
    help="Start, watch and steer workflow executions.",
    lazy={
        "start": LazyCommand(_HERE, "start", "Start an execution."),
        "list": LazyCommand(_HERE, "list_executions", "List executions, newest first."),
        "show": LazyCommand(_HERE, "show", "Tell the story of an execution."),
        "history": LazyCommand(_HERE, "history", "Print the events of an execution."),
        "result": LazyCommand(_HERE, "result", "Wait for the result."),
        "signal": LazyCommand(_HERE, "signal", "Send a signal."),
        "query": LazyCommand(_HERE, "query", "Ask the code of an execution."),
        "cancel": LazyCommand(_HERE, "cancel", "Ask an execution to end; its code may clean up."),
        "terminate": LazyCommand(_HERE, "terminate", "End an execution at once."),
        "retry": LazyCommand(_HERE, "retry", "Let a failed execution go on with the code of today."),
        "reset": LazyCommand(_HERE, "reset", "Send an execution back to a point of its history."),
    },
)


@click.command("start")
@click.argument("kind")
@input_option
@click.option("--id", "execution_id", metavar="ID", help="Its id; the same id again gives the execution that is there.")
@click.option(
    "--reuse", default=ReusePolicy.RETURN_EXISTING.value, help="What to do if the id was used before.",
    type=click.Choice([each.value for each in ReusePolicy], case_sensitive=False),
)  # fmt: skip
@click.option("--queue", metavar="NAME", help="The queue whose workers run it.")
@click.option("--deadline", type=Duration(), help="It fails if it is still open after this.")
@wait_option
@timeout_option
@with_session
def start(
    session: Session,
    kind: str,
    given: tuple[object] | None,
    execution_id: str | None,
    reuse: str,
    queue: str | None,
    deadline: timedelta | None,
    wait: bool,
    timeout: timedelta | None,
) -> None:
    """Start an execution of the workflow KIND. When this returns it is on disk."""

    async def question(holdfast: "Holdfast") -> None:
        from holdfast.cli.waiting import workflow_result

        handle = await holdfast.start(
            kind, only_value(given), id=execution_id, queue=queue, timeout=deadline, reuse=ReusePolicy(reuse)
        )
        session.output.say(f"{'started' if handle.created else 'was there already:'} {handle.id}")
        document: dict[str, object] = {"id": handle.id, "created": handle.created}
        if wait:
            document["result"] = await workflow_result(holdfast, handle, session.output, timeout)
        elif not session.output.as_json:
            session.output.say(f"  holdfast workflow show {handle.id}\n  holdfast workflow result {handle.id}")
        session.answer(document)

    session.ask(question)


@click.command("list")
@click.option(
    "--status", multiple=True, help="Only these.",
    type=click.Choice([each.value for each in ExecutionStatus], case_sensitive=False),
)  # fmt: skip
@click.option("--kind", help="Only this kind.")
@limit_option
@cursor_option
@with_session
def list_executions(
    session: Session, status: tuple[str, ...], kind: str | None, limit: int, cursor: Cursor | None
) -> None:
    """List executions, newest first."""
    statuses = [ExecutionStatus(each) for each in status]
    page = session.ask(lambda holdfast: holdfast.list(kind=kind, status=statuses, limit=limit, after=cursor))
    if session.output.as_json:
        session.output.document(execution_list(page))
        return
    from holdfast.cli.views.tables import executions_table

    session.output.render(*executions_table(page, now()))


@click.command("show")
@_id
@click.option("--watch", "watching", is_flag=True, help="Go on showing it until it has ended.")
@with_session
def show(session: Session, execution_id: str, watching: bool) -> None:
    """Tell the story of an execution: what it did and when, what it waits for, how it ended.

    With --watch it is told anew as it goes on; for a script, one document on a line for each change.
    """
    from holdfast.cli.stories import story_document, story_of

    if watching:
        session.ask(lambda holdfast: _watch(holdfast, execution_id, session))
        return
    story = session.ask(lambda holdfast: story_of(holdfast, execution_id))
    if session.output.as_json:
        session.output.document(story_document(story))
        return
    from holdfast.cli.views.workflow import workflow_story

    session.output.render(*workflow_story(story, now()))


async def _watch(holdfast: "Holdfast", execution_id: str, session: Session) -> None:
    from holdfast.cli.stories import Story, story_document, story_of
    from holdfast.cli.views.workflow import workflow_story
    from holdfast.cli.watching import Watched, watch

    watched: Watched[Story] = Watched(
        look=lambda: story_of(holdfast, execution_id),
        document=story_document,
        parts=lambda story: list(workflow_story(story, now())),
        is_over=lambda story: story.execution.closed,
    )
    await watch(watched, session.output)


@click.command("history")
@_id
@click.option("--after", type=click.IntRange(0), default=0, metavar="NUMBER", help="Only events after this one.")
@with_session
def history(session: Session, execution_id: str, after: int) -> None:
    """Print the events of an execution; with --json as they are stored."""
    events = session.ask(lambda holdfast: holdfast.history(execution_id, after=after))
    if session.output.as_json:
        session.output.document([event_document(event) for event in events])
        return
    from holdfast.cli.views.tables import events_table

    session.output.render(*events_table(events))


@click.command("result")
@_id
@timeout_option
@with_session
def result(session: Session, execution_id: str, timeout: timedelta | None) -> None:
    """Wait for the end of an execution, and print its result as JSON."""

    async def question(holdfast: "Holdfast") -> object:
        from holdfast.cli.waiting import workflow_result

        return await workflow_result(holdfast, holdfast.handle(execution_id), session.output, timeout)

    session.output.document(session.ask(question))


@click.command("signal")
@_id
@click.argument("name")
@input_option
@click.option("--request-id", default="", metavar="ID", help="The same request id again has no effect.")
@with_session
def signal(session: Session, execution_id: str, name: str, given: tuple[object] | None, request_id: str) -> None:
    """Send the signal NAME to an execution."""
    session.ask(lambda holdfast: holdfast.signal(execution_id, name, only_value(given), request_id=request_id))
    session.done(f"sent {name!r} to {execution_id}", id=execution_id, signal=name)


@click.command("query")
@_id
@click.argument("name")
@input_option
@timeout_option
@with_session
def query(
    session: Session, execution_id: str, name: str, given: tuple[object] | None, timeout: timedelta | None
) -> None:
    """Ask the code of an execution for what its handler NAME says, and print that as JSON.

    A worker that runs the workflow answers, so this is asked of a server (--url).
    """

    async def question(holdfast: "Holdfast") -> object:
        limit = QUERY_WITHIN if timeout is None else timeout
        return await holdfast.query(execution_id, name, only_value(given), timeout=limit)

    session.output.document(session.ask(question))


@click.command("cancel")
@_id
@_reason
@with_session
def cancel(session: Session, execution_id: str, reason: str) -> None:
    """Ask an execution to end; its code gets CancelledError and may clean up."""
    changed = session.ask(lambda holdfast: holdfast.cancel(execution_id, reason, requested_by="holdfast cli"))
    said = "asked to end" if changed else "had been asked to end before"
    session.done(f"{execution_id} {said}", id=execution_id, changed=changed)


@click.command("terminate")
@_id
@_reason
@with_session
def terminate(session: Session, execution_id: str, reason: str) -> None:
    """End an execution at once, without asking its code."""
    session.ask(lambda holdfast: holdfast.terminate(execution_id, reason))
    session.done(f"{execution_id} is terminated", id=execution_id)


@click.command("retry")
@_id
@_reason
@wait_option
@timeout_option
@with_session
def retry(session: Session, execution_id: str, reason: str, wait: bool, timeout: timedelta | None) -> None:
    """Let a failed execution go on from where it stands, with the code of today."""

    async def question(holdfast: "Holdfast") -> None:
        from holdfast.cli.waiting import workflow_result

        await holdfast.retry(execution_id, reason, requested_by="holdfast cli")
        document: dict[str, object] = {"id": execution_id}
        session.output.say(f"{execution_id} goes on")
        if wait:
            ended = workflow_result(holdfast, holdfast.handle(execution_id), session.output, timeout)
            document["result"] = await ended
        session.answer(document)

    session.ask(question)


@click.command("reset")
@_id
@click.option("--to", "to_sequence", type=int, metavar="SEQ", help="The last event that stays.")
@click.option("--before-task", metavar="TASK", help="Instead: before the task of this id, or the last of this type.")
@_reason
@with_session
def reset(session: Session, execution_id: str, to_sequence: int | None, before_task: str | None, reason: str) -> None:
    """Send an execution back to a point of its history; it goes on from there with the code of today."""
    session.ask(
        lambda holdfast: holdfast.reset(
            execution_id,
            to_sequence=to_sequence,
            to_before_task=before_task,
            reason=reason,
            requested_by="holdfast cli",
        )
    )
    session.done(f"{execution_id} goes on from there", id=execution_id)
