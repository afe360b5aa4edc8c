"""A replay, as a person reads it: what is recorded beside what the code asks for."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from holdfast.cli.replay_report import ReplayReport, ViolationDocument
from holdfast.cli.views.marks import heading, line, table
from holdfast.cli.wording import count

Parts = Iterator[RenderableType]

ADVICE = 'Put the code back, guard the change with ctx.patched("…"), or start new executions on a new version; then'


def replay_view(report: ReplayReport) -> Parts:
    """The verdict, and what led to it."""
    verdict = ("the code fits its history", "bold green") if report.fits else ("the code does not fit", "bold red")
    yield Text.assemble(line(report.kind, "bold"), "  ", line(report.id), "  ", verdict)
    yield Text(f"  {count(report.events, 'event')} replayed; the execution is {report.status}", style="dim")
    if report.violation is not None:
        yield from _violation(report, report.violation)
        return
    yield Text.assemble("  today's code: ", (report.outcome, "bold"), " ", line(report.detail))
    if report.new_commands:
        yield heading("New, beyond the history")
        yield from (line(f"  {each}") for each in report.new_commands)
    if report.warnings:
        yield heading("Warnings")
        yield from (line(f"  {each}", "yellow") for each in report.warnings)


def _violation(report: ReplayReport, violation: ViolationDocument) -> Parts:
    yield heading(f"They part at {violation.position}")
    rows = table("RECORDED", "ATTEMPTED", "AT")
    rows.add_row(line(violation.recorded, "green"), line(violation.attempted, "red"), line(violation.place))
    yield rows
    yield Text(f"\n{ADVICE}")
    yield line(f"  holdfast workflow retry {report.id}")
