"""`holdfast schedule …`: what starts by the clock."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import click
import msgspec

from holdfast.cli.lazy import LazyCommand, LazyGroup
from holdfast.cli.parameters import Duration, Moment, input_option, only_value
from holdfast.cli.session import Session, with_session
from holdfast.cli.wording import iso, now
from holdfast.model.ids import DEFAULT_QUEUE, QueueName
from holdfast.model.instants import Instant
from holdfast.model.schedules import DAY_MS, Overlap, Schedule, Starts, StartsFlow, StartsTask, StartsWorkflow

if TYPE_CHECKING:
    from holdfast.app.holdfast import Holdfast

_HERE = __name__
_id = click.argument("schedule_id", metavar="ID")

schedule = LazyGroup(
    name="schedule",
    help="Start workflows, flows and tasks by the clock.",
    lazy={
        "set": LazyCommand(_HERE, "save", "Make a schedule, or change it."),
        "list": LazyCommand(_HERE, "list_schedules", "List schedules, and when each is next."),
        "show": LazyCommand(_HERE, "show", "Show a schedule, and what came of its last times."),
        "pause": LazyCommand(_HERE, "pause", "Let its times pass."),
        "resume": LazyCommand(_HERE, "resume", "Go on from the next time."),
        "trigger": LazyCommand(_HERE, "trigger", "Start now what it starts."),
        "backfill": LazyCommand(_HERE, "backfill", "Make up for a stretch of time."),
        "delete": LazyCommand(_HERE, "delete", "Start nothing more."),
    },
)


@click.command("set")
@_id
@click.option("--workflow", metavar="KIND", help="Start this workflow.")
@click.option("--flow", metavar="NAME", help="Start a run of this flow.")
@click.option("--task", metavar="TYPE", help="Submit this task.")
@input_option
@click.option("--queue", metavar="NAME", help="The queue whose workers run it.")
@click.option("--cron", metavar="LINE", help="When, as five fields: '30 9 * * 1-5'.")
@click.option("--every", type=Duration(), help="When, as an interval.")
@click.option("--timezone", default="UTC", show_default=True, metavar="ZONE", help="Whose clock the line means.")
@click.option("--from", "not_before", type=Moment(), help="No times before.")
@click.option("--until", "not_after", type=Moment(), help="No times after.")
@click.option("--jitter", type=Duration(), default=timedelta(0), help="Start up to so much later.")
@click.option(
    "--overlap",
    type=click.Choice([each.value for each in Overlap]),
    default=Overlap.SKIP.value,
    show_default=True,
    help="While the last one is still open.",
)
@click.option("--catch-up", type=Duration(), default=timedelta(milliseconds=DAY_MS), help="Make up for so old times.")
@click.option("--note", default="", metavar="TEXT", help="What it is for.")
@with_session
def save(
    session: Session,
    /,
    schedule_id: str,
    workflow: str | None,
    flow: str | None,
    task: str | None,
    given: tuple[object] | None,
    queue: str | None,
    **when: Any,
) -> None:
    """Make the schedule ID, or change it: give one of --workflow, --flow and --task, and one of --cron and --every."""
    starts = _starts(workflow, flow, task, given, DEFAULT_QUEUE if queue is None else QueueName(queue))
    saved = session.ask(lambda holdfast: holdfast.save_schedule(schedule_id, starts, **when))
    following = _text(saved.next_at) or "never"
    session.done(
        f"{schedule_id} {'is made' if saved.created else 'is changed'}; next at {following}",
        id=schedule_id, created=saved.created, nextAt=_text(saved.next_at),
    )  # fmt: skip


def _starts(
    workflow: str | None, flow: str | None, task: str | None, given: tuple[object] | None, queue: QueueName
) -> Starts:
    if sum(each is not None for each in (workflow, flow, task)) != 1:
        raise click.UsageError("give exactly one of --workflow, --flow and --task")
    data = msgspec.Raw(msgspec.json.encode(only_value(given)))
    if workflow is not None:
        return StartsWorkflow(workflow, data, queue)
    if flow is not None:
        return StartsFlow(flow, None if given is None else data, queue)
    return StartsTask(str(task), data, queue)


def _text(instant: Instant | None) -> str | None:
    return None if instant is None else iso(instant)


@click.command("list")
@with_session
def list_schedules(session: Session) -> None:
    """List schedules, and when each is next."""

    async def question(holdfast: "Holdfast") -> list[Schedule]:
        return [each async for each in holdfast.schedules()]

    found = session.ask(question)
    if session.output.as_json:
        session.output.document([_document(each) for each in found])
        return
    from holdfast.cli.views.schedules import schedules_table

    session.output.render(*schedules_table(found, now()))


@click.command("show")
@_id
@with_session
def show(session: Session, schedule_id: str) -> None:
    """Show a schedule, and what came of its last times."""
    found = session.ask(lambda holdfast: holdfast.schedule(schedule_id))
    if session.output.as_json:
        session.output.document(_document(found))
        return
    from holdfast.cli.views.schedules import schedule_story

    session.output.render(*schedule_story(found, now()))


def _document(found: Schedule) -> dict[str, object]:
    recent = [
        {
            "nominal": iso(each.nominal), "at": iso(each.at), "outcome": each.outcome.value, "runId": each.run_id,
            "error": each.error,
        }
        for each in found.recent
    ]  # fmt: skip
    return {
        "id": found.id,
        "spec": msgspec.json.decode(msgspec.json.encode(found.spec)),
        "paused": found.paused,
        "reason": found.reason,
        "nextAt": None if found.paused else _text(found.next_at),
        "buffered": _text(found.buffered),
        "running": list(found.running),
        "started": found.started,
        "skipped": found.skipped,
        "missed": found.missed,
        "failed": found.failed,
        "recent": recent,
    }


@click.command("pause")
@_id
@click.option("--reason", default="", metavar="TEXT", help="Why.")
@with_session
def pause(session: Session, schedule_id: str, reason: str) -> None:
    """Let the times of a schedule pass until it is resumed."""
    changed = session.ask(lambda holdfast: holdfast.pause_schedule(schedule_id, reason))
    session.done(f"{schedule_id} {'is' if changed else 'was'} paused", id=schedule_id, changed=changed)


@click.command("resume")
@_id
@with_session
def resume(session: Session, schedule_id: str) -> None:
    """Go on from the next time of a schedule."""
    changed = session.ask(lambda holdfast: holdfast.resume_schedule(schedule_id))
    session.done(f"{schedule_id} {'goes on' if changed else 'was not paused'}", id=schedule_id, changed=changed)


@click.command("trigger")
@_id
@click.option("--request-id", metavar="ID", help="The same request id again starts nothing more.")
@with_session
def trigger(session: Session, schedule_id: str, request_id: str | None) -> None:
    """Start now what a schedule starts."""
    done = session.ask(lambda holdfast: holdfast.trigger_schedule(schedule_id, request_id=request_id))
    session.done(
        f"{'started' if done.created else 'was started before:'} {done.run_id}", runId=done.run_id, created=done.created
    )


@click.command("backfill")
@_id
@click.option("--from", "since", type=Moment(), required=True, help="The first time.")
@click.option("--until", type=Moment(), required=True, help="The last time.")
@with_session
def backfill(session: Session, schedule_id: str, since: datetime, until: datetime) -> None:
    """Start what belongs to a stretch of time and has not been started, all at once."""
    started = session.ask(lambda holdfast: holdfast.backfill_schedule(schedule_id, since, until))
    session.done(f"{started} started", id=schedule_id, started=started)


@click.command("delete")
@_id
@with_session
def delete(session: Session, schedule_id: str) -> None:
    """Delete a schedule; what it has started goes on."""
    session.ask(lambda holdfast: holdfast.delete_schedule(schedule_id))
    session.done(f"{schedule_id} is deleted", id=schedule_id)
