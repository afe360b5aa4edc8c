"""Schedules on a terminal."""

from collections.abc import Sequence

from rich.text import Text

from holdfast.cli.views.marks import grid, line, table
from holdfast.cli.views.tables import Parts
from holdfast.cli.wording import ago, duration, local_time
from holdfast.model.instants import Instant
from holdfast.model.schedules import Schedule, Starts, StartsFlow, StartsWorkflow


def schedules_table(found: Sequence[Schedule], now: Instant) -> Parts:
    """Schedules, and when each is next."""
    rows = table("ID", "STARTS", "WHEN", "NEXT", "STARTED", "SKIPPED", "FAILED")
    for each in found:
        rows.add_row(
            line(each.id), line(_subject(each.spec.starts)), line(_when(each)), _next(each, now), str(each.started),
            str(each.skipped), str(each.failed),
        )  # fmt: skip
    yield rows if found else Text("no schedules")


def schedule_story(schedule: Schedule, now: Instant) -> Parts:
    """A schedule, and its last times."""
    yield line(schedule.id, "bold")
    spec = schedule.spec
    yield grid(
        [
            ("starts", line(_subject(spec.starts))),
            ("when", line(_when(schedule))),
            ("next", _next(schedule, now)),
            ("overlap", line(spec.overlap.value)),
            ("open", line(", ".join(schedule.running) or "nothing")),
            ("note", line(spec.note)),
        ],
        indent="  ",
    )
    rows = table("TIME", "WHAT CAME OF IT", "RUN")
    for each in schedule.recent:
        rows.add_row(local_time(each.nominal), line(each.error or each.outcome.value), line(each.run_id or ""))
    if schedule.recent:
        yield rows


def _subject(starts: Starts) -> str:
    if isinstance(starts, StartsWorkflow):
        return f"workflow {starts.kind}"
    return f"flow {starts.flow}" if isinstance(starts, StartsFlow) else f"task {starts.task_type}"


def _when(schedule: Schedule) -> str:
    spec = schedule.spec
    return f"{spec.cron} {spec.timezone}" if spec.cron is not None else f"every {duration(spec.every_ms or 0)}"


def _next(schedule: Schedule, now: Instant) -> Text:
    if schedule.paused:
        return line(f"paused {schedule.reason}".strip())
    return line("never" if schedule.next_at is None else ago(schedule.next_at, now))
