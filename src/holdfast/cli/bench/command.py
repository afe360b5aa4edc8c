"""The command `holdfast bench`."""

from collections.abc import Sequence
from pathlib import Path

import click

NAMES = ("W1", "W1r", "W2", "W2r", "W3", "W4", "W5", "W6", "W7", "F1", "F2", "idle")


@click.command("bench")
@click.argument("workloads", nargs=-1, metavar="[W1|W1r|W2|W2r|W3|W4|W5|W6|W7|F1|F2|idle]…", type=click.Choice(NAMES))
@click.option("--seconds", type=click.FloatRange(min=0.01), default=3.0, show_default=True, help="About, a repetition.")
@click.option("--repetitions", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document at the end.")
@click.option(
    "--db",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder on the disk to measure; the files in it are removed again.  [default: the temporary folder]",
)
@click.option(
    "--store",
    "store",
    metavar="postgresql://…",
    help="A PostgreSQL server to measure instead of files: databases are created on it, and dropped again.",
)
@click.option(
    "--scale", type=click.FloatRange(min=0.001), default=1.0, help="Fixed sizes times this: for a quick look."
)
@click.option("--served", is_flag=True, help="Measure a server in a process of its own, that the bench starts.")
@click.option("--url", help="Measure the server at this URL, grpc://host:port; on an empty database only.")
@click.option("--uvloop", "on_uvloop", is_flag=True, help="Use the event loop of the uvloop package.")
def bench(
    workloads: Sequence[str],
    seconds: float,
    repetitions: int,
    as_json: bool,
    folder: Path | None,
    store: str | None,
    scale: float,
    served: bool,
    url: str | None,
    on_uvloop: bool,
) -> None:
    """Measure this machine: every workload beside its targets, its peers and the raw limit of the store."""
    import asyncio
    import contextlib
    import tempfile

    from holdfast.cli.bench.places import Databases
    from holdfast.cli.bench.running import run, run_served
    from holdfast.cli.bench.setting import Setting, Sizes
    from holdfast.cli.event_loops import quick_loop

    quick = quick_loop() if on_uvloop else None
    if on_uvloop and quick is None:
        raise click.UsageError("uvloop is not installed; install holdfast[server], or leave --uvloop out")
    sizes = Sizes(seconds=seconds, repetitions=repetitions).scaled(scale)
    with (
        tempfile.TemporaryDirectory(prefix="holdfast-bench-", dir=folder) as place,
        contextlib.closing(Databases(store)) if store else contextlib.nullcontext() as databases,
        asyncio.Runner(loop_factory=quick) as runner,
    ):
        setting = Setting(Path(place), sizes, databases)
        if served or url:
            runner.run(run_served(setting, list(workloads), url, as_json=as_json))
        else:
            runner.run(run(setting, list(workloads) or list(NAMES), as_json=as_json))
