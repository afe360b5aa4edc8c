"""Runs workloads and prints what they find, as it comes or as one document."""

from collections.abc import Iterable, Sequence
from contextlib import nullcontext

import click
import msgspec

from holdfast.cli.bench.figures import Configuration, Document, Measurement
from holdfast.cli.bench.report import configuration_lines, measurement_lines, print_summary
from holdfast.cli.bench.setting import Setting
from holdfast.cli.bench.workloads import beside_targets, configuration, measure


async def run(setting: Setting, names: Sequence[str], *, as_json: bool) -> None:
    """Measure and print."""
    found: list[Measurement] = []
    described = await configuration(setting)
    _echo(configuration_lines(described), to_error=as_json)
    async for measurement in measure(setting, names):
        found.append(measurement)
        _echo(("", *measurement_lines(measurement)), to_error=as_json)
    _print_all(described, found, as_json=as_json)


async def run_served(setting: Setting, names: Sequence[str], url: str | None, *, as_json: bool) -> None:
    """Measure a server, the one at the URL or one that is started for it, and print."""
    from holdfast.cli.bench.served import Bench, chosen
    from holdfast.cli.bench.serving import Served, own_server

    found: list[Measurement] = []
    described = await configuration(setting, served=True)
    _echo(configuration_lines(described), to_error=as_json)
    opening = own_server(setting.place()) if url is None else nullcontext(Served(url))
    async with opening as served:
        bench = Bench(setting, served)
        for workload in chosen(names):
            async for found_there in workload(bench):
                measurement = beside_targets(setting, found_there)
                found.append(measurement)
                _echo(("", *measurement_lines(measurement)), to_error=as_json)
    _print_all(described, found, as_json=as_json)


def _print_all(described: Configuration, found: list[Measurement], *, as_json: bool) -> None:
    if as_json:
        document = Document(configuration=described, measurements=tuple(found))
        click.echo(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())
    else:
        print_summary(found)


def _echo(lines: Iterable[str], *, to_error: bool) -> None:
    """Progress goes to the error stream where the output is for a program."""
    for line in lines:
        click.echo(line, err=to_error)
