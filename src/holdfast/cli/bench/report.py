"""What a person reads: a block for each measurement as it comes, and a table of all figures at the end."""

from collections.abc import Iterator, Sequence

from holdfast.cli.bench.figures import Configuration, Figure, Measurement, Usage, Verdict
from holdfast.cli.bench.machine import VOLATILE
from holdfast.cli.bench.measuring import MUCH

VERDICTS: dict[Verdict, str] = {
    "aim": "aim reached",
    "floor": "floor reached",
    "missed": "BELOW THE FLOOR",
    "none": "no target",
}
WIDE = 140
"""Columns of the table where no terminal says how many there are."""

STYLES: dict[Verdict, str] = {"aim": "green", "floor": "yellow", "missed": "bold red", "none": ""}


def configuration_lines(configuration: Configuration) -> Iterator[str]:
    """What was measured on what."""
    durability = ", ".join(f"{name}={value}" for name, value in configuration.durability.items())
    yield (
        f"Holdfast {configuration.holdfast}, {configuration.python} on {configuration.event_loop}, "
        f"{configuration.database}, {configuration.cores} cores"
    )
    yield f"durability: {durability} (read back), file on {configuration.file_system}"
    if configuration.scale != 1:
        yield f"fixed sizes times {configuration.scale:g}: such figures do not compare with the targets"
    if configuration.file_system in VOLATILE:
        yield "this file system keeps nothing: the figures mean little; name a folder on a disk with --db"
    hosting = "server and worker as processes" if configuration.served else "embedded engine"
    yield (
        f"{hosting}; {configuration.workflow_slots} slots for workflows, {configuration.task_slots} for tasks, "
        f"{configuration.cached_workflows} cached workflows, batches of up to {configuration.largest_batch}, "
        f"switch interval {configuration.switch_interval_ms:g} ms"
    )


def measurement_lines(measurement: Measurement) -> Iterator[str]:
    """Everything about one measurement."""
    yield f"{measurement.workload}  {measurement.title}"
    for figure in measurement.figures:
        yield f"    {figure.name}: {amount(figure.value)} {figure.unit}  {VERDICTS[figure.verdict]}{_beside(figure)}"
        if len(figure.repetitions) > 1:
            yield f"        repetitions {', '.join(amount(value) for value in figure.repetitions)}"
    if measurement.usage is not None:
        yield from _usage_lines(measurement.usage)
        yield from _database_lines(measurement.usage)
    raw = measurement.raw_limit
    if raw is not None:
        written = f"{raw.rows:,} rows in {raw.commits:,} commits"
        yield f"    raw store limit {amount(raw.per_second)}/s ({written}): {raw.reached:.0%} of it"
    yield f"    disk: a synced write takes {measurement.probe.median_us:.0f} µs, p99 {measurement.probe.slow_us:.0f} µs"
    if measurement.limited_by:
        yield f"    limited by {measurement.limited_by}"
    if measurement.details:
        yield "    " + ", ".join(f"{name} {amount(value)}" for name, value in measurement.details.items())


def _beside(figure: Figure) -> str:
    if figure.floor is None:
        return ""
    text = f" (floor {amount(figure.floor)}"
    if figure.aim is not None:
        text += f", aim {amount(figure.aim)}"
    if figure.peer is not None:
        times = "" if figure.times_the_peer is None else f": {figure.times_the_peer:.1f} times as good"
        text += f"; best peer {figure.peer}{times}"
    return text + ")"


def _usage_lines(usage: Usage) -> Iterator[str]:
    parts = [f"event loop {usage.event_loop_cores:.2f}"]
    if usage.writer_cores is not None:
        parts.append(f"writer {usage.writer_cores:.2f}")
    if usage.waiting_cores is not None:
        parts.append(f"both waited for a processor {usage.waiting_cores:.2f}")
    if usage.database_cores is not None:
        parts.append(f"database server beside it {usage.database_cores:.2f}")
    if usage.other_cores is not None:
        parts.append(f"other processes {usage.other_cores:.2f}")
    yield f"    cores used {usage.cores:.2f} ({', '.join(parts)})"
    if usage.items and usage.commits:
        yield (
            f"    for each: {usage.of_an_item(usage.cores * usage.seconds) * 1e6:.0f} µs CPU, "
            f"{usage.of_an_item(usage.rows_written):.2f} rows, {usage.of_an_item(usage.statements):.3f} statements, "
            f"{usage.of_an_item(usage.commits):.4f} commits; {usage.requests / usage.commits:.0f} requests a commit, "
            f"{usage.seconds / usage.commits * 1e3:.2f} ms between commits"
        )


def _database_lines(usage: Usage) -> Iterator[str]:
    if usage.wal_bytes is not None:
        parts = [f"{usage.of_an_item(usage.wal_bytes):,.0f} bytes of WAL"]
        if usage.database_cores is not None:
            parts.append(f"{usage.of_an_item(usage.database_cores * usage.seconds) * 1e6:.0f} µs CPU of the database")
        yield f"    for each: {', '.join(parts)}"


def is_disturbed(measurement: Measurement) -> bool:
    """Whether other processes took so much that the figures say little about Holdfast, good or bad."""
    usage = measurement.usage
    return usage is not None and usage.other_cores is not None and usage.other_cores > MUCH


def _other_cores(measurement: Measurement) -> str:
    usage = measurement.usage
    return "?" if usage is None or usage.other_cores is None else f"{usage.other_cores:.1f}"


def amount(value: float) -> str:
    """A number with as many digits as it deserves."""
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def print_summary(measurements: Sequence[Measurement]) -> None:
    """All figures in one table."""
    from rich.console import Console
    from rich.table import Table

    table = Table("figure", "value", "floor", "aim", "best peer", "of the raw limit", "other cores", "verdict")
    for measurement in measurements:
        for number, figure in enumerate(measurement.figures):
            raw = measurement.raw_limit if number == 0 else None
            table.add_row(
                figure.name,
                f"{amount(figure.value)} {figure.unit}",
                "" if figure.floor is None else amount(figure.floor),
                "" if figure.aim is None else amount(figure.aim),
                figure.peer or "",
                "" if raw is None else f"{raw.reached:.0%}",
                _other_cores(measurement),
                VERDICTS[figure.verdict] + (" (disturbed)" if is_disturbed(measurement) else ""),
                style="dim" if is_disturbed(measurement) else STYLES[figure.verdict],
            )
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDE)
    console.print(table)
