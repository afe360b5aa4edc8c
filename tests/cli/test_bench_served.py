"""The bench of a server runs with tiny sizes and reports every figure."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from holdfast.cli.bench import command, machine
from holdfast.cli.bench.served import SERVED, Bench, chosen
from holdfast.cli.bench.serving import Served
from holdfast.cli.bench.setting import Setting
from holdfast.cli.bench.targets import TARGETS
from tests.cli.test_bench import TINY
from tests.grpc.serving import serving
from tests.services.postgres import postgres_url

pytestmark = [pytest.mark.slow, pytest.mark.processes]
SMALL = ("--seconds", "0.01", "--repetitions", "1", "--scale", "0.01", "--json")


def bench(*words: str) -> set[str]:
    ran = CliRunner().invoke(command.bench, [*words, *SMALL])
    assert ran.exit_code == 0, ran.output
    document = json.loads(ran.stdout)
    return {figure["name"] for measurement in document["measurements"] for figure in measurement["figures"]}


def test_a_server_of_its_own_is_measured_in_everything() -> None:
    assert bench("--served") == {name for name in TARGETS if name.startswith("served ")}


def test_on_postgresql_what_the_database_does_is_told_too(postgres_port: int) -> None:
    ran = CliRunner().invoke(
        command.bench, ["--served", "W1", "--store", postgres_url(postgres_port, "postgres"), *SMALL]
    )
    assert ran.exit_code == 0, ran.output
    document = json.loads(ran.stdout)
    assert document["configuration"]["served"]
    [alone, many] = document["measurements"]
    assert {figure["name"]: figure["floor"] for figure in many["figures"]} == {"served W1": 1_000}
    assert many["details"]["wal_bytes_each"] > 100
    assert alone["details"]["database_cores"] >= 0


async def test_another_server_is_measured_in_what_grpc_tells(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        bench_of = Bench(Setting(tmp_path, TINY), Served(server.url))
        names = [
            figure.name
            for workload in chosen(["W4"])
            async for measurement in workload(bench_of)
            for figure in measurement.figures
        ]
        assert names == ["served W4 process", "served W4 pick-up p99"]
        assert [each async for each in Bench.watchers(bench_of)] == []


def test_names_choose() -> None:
    assert chosen(["W2"]) == [Bench.chains]
    assert len(chosen([])) == len(SERVED)


def test_a_process_that_is_gone_has_used_nothing_known() -> None:
    assert machine.process_seconds(2**22 + 1) is None
