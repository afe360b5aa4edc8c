"""`holdfast timer …`: durable wake-ups as objects."""

from datetime import datetime, timedelta

import click

from holdfast.cli.documents import timer_list
from holdfast.cli.lazy import LazyCommand, LazyGroup
from holdfast.cli.parameters import Duration, Moment, limit_option
from holdfast.cli.session import Session, with_session
from holdfast.cli.wording import iso, now
from holdfast.model.instants import datetime_of, instant_of, later, milliseconds

_HERE = __name__
_id = click.argument("timer_id", metavar="ID")

timer = LazyGroup(
    name="timer",
    help="List, fire, cancel and move timers.",
    lazy={
        "list": LazyCommand(_HERE, "list_timers", "List armed timers, the next to fire first."),
        "fire": LazyCommand(_HERE, "fire", "Let a timer fire now."),
        "cancel": LazyCommand(_HERE, "cancel", "Disarm a timer."),
        "reschedule": LazyCommand(_HERE, "reschedule", "Let a timer fire at another time."),
    },
)


@click.command("list")
@click.option("--workflow", "execution_id", metavar="ID", help="Only those of this execution.")
@limit_option
@with_session
def list_timers(session: Session, execution_id: str | None, limit: int) -> None:
    """List armed timers, the next to fire first."""
    page = session.ask(lambda holdfast: holdfast.timers(execution_id, limit=limit))
    if session.output.as_json:
        session.output.document(timer_list(page))
        return
    from holdfast.cli.views.tables import timers_table

    session.output.render(*timers_table(page, now()))


@click.command("fire")
@_id
@with_session
def fire(session: Session, timer_id: str) -> None:
    """Let a timer fire now."""
    session.ask(lambda holdfast: holdfast.fire_timer(timer_id))
    session.done(f"{timer_id} fires now", id=timer_id)


@click.command("cancel")
@_id
@with_session
def cancel(session: Session, timer_id: str) -> None:
    """Disarm a timer; the workflow that sleeps on it gets an error that says so."""
    session.ask(lambda holdfast: holdfast.cancel_timer(timer_id))
    session.done(f"{timer_id} is disarmed", id=timer_id)


@click.command("reschedule")
@_id
@click.option("--at", "moment", type=Moment(), help="The time.")
@click.option("--in", "delay", type=Duration(), help="How long from now.")
@with_session
def reschedule(session: Session, timer_id: str, moment: datetime | None, delay: timedelta | None) -> None:
    """Let a timer fire at another time: give --at or --in."""
    if (moment is None) == (delay is None):
        raise click.UsageError("give either --at or --in")
    if delay is not None:
        moment = datetime_of(later(now(), milliseconds(delay)))
    assert moment is not None
    fire_at = moment
    session.ask(lambda holdfast: holdfast.reschedule_timer(timer_id, fire_at))
    when = iso(instant_of(fire_at))
    session.done(f"{timer_id} fires at {when}", id=timer_id, fireAt=when)
