"""A diagnosis, as a person reads it."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from holdfast.cli.verdicts import Diagnosis
from holdfast.cli.views.marks import line, status

SAID = {"OK": "all is well", "WARN": "it works, but look at the warnings", "FAIL": "something has to be put right"}


def diagnosis_view(diagnosis: Diagnosis) -> Iterator[RenderableType]:
    """A line for each check, and what to do below it."""
    rows = Table.grid(padding=(0, 2))
    for check in diagnosis.checks:
        rows.add_row(status(check.verdict), Text(check.name), line(check.finding))
        if check.advice:
            rows.add_row("", "", line(check.advice, "yellow"))
    yield rows
    yield Text.assemble("\n", status(diagnosis.verdict), f"  {SAID[diagnosis.verdict]}")
