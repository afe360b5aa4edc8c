"""`holdfast queue …`: what waits where, and whether workers get any of it."""

import click

from holdfast.cli.documents import queue_documents
from holdfast.cli.lazy import LazyCommand, LazyGroup
from holdfast.cli.session import Session, with_session
from holdfast.cli.wording import now

queue = LazyGroup(
    name="queue",
    help="See what waits in which queue; pause and resume queues.",
    lazy={
        "list": LazyCommand(__name__, "list_queues", "Count open work by queue and kind."),
        "pause": LazyCommand(__name__, "pause", "Give nothing of a queue to workers."),
        "resume": LazyCommand(__name__, "resume", "Let a paused queue run again."),
    },
)

_name = click.argument("name", metavar="QUEUE")


@click.command("list")
@with_session
def list_queues(session: Session) -> None:
    """Count open work: what waits for a worker, waits for its time, and runs."""
    counts = session.ask(lambda holdfast: holdfast.queues())
    if session.output.as_json:
        session.output.document(queue_documents(counts))
        return
    from holdfast.cli.views.tables import queues_table

    session.output.render(*queues_table(counts, now()))


@click.command("pause")
@_name
@click.option("--reason", default="", metavar="TEXT", help="Why; it is kept with the queue.")
@with_session
def pause(session: Session, name: str, reason: str) -> None:
    """Give nothing of a queue to workers until it is resumed; what they have, they may end."""
    changed = session.ask(lambda holdfast: holdfast.pause_queue(name, reason))
    session.done(f"{name} is paused" if changed else f"{name} was paused before", queue=name, changed=changed)


@click.command("resume")
@_name
@with_session
def resume(session: Session, name: str) -> None:
    """Let a paused queue run again."""
    changed = session.ask(lambda holdfast: holdfast.resume_queue(name))
    session.done(f"{name} runs again" if changed else f"{name} was not paused", queue=name, changed=changed)
