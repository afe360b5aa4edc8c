"""The bench runs with tiny sizes and reports every field; how fast anything is, is not a test's business."""

import asyncio
import json
import os
import threading
from pathlib import Path

import asyncpg
import msgspec
import pytest
from click.testing import CliRunner

from holdfast.cli.bench import command, report, workloads
from holdfast.cli.bench.figures import Document, Measurement
from holdfast.cli.bench.places import Databases
from holdfast.cli.bench.setting import Setting, Sizes
from holdfast.cli.bench.targets import TARGETS
from tests.services.network import free_port

TINY = Sizes(
    seconds=0.02,
    repetitions=1,
    fans=2,
    fan_width=2,
    wide_fan=4,
    enqueue_batch=4,
    enqueue_batches=2,
    pick_ups=2,
    sleepers=20,
    spread_seconds=0.02,
    history_steps=5,
    recovered=5,
    split_items=5,
    idle_seconds=0.02,
    probe_seconds=0.01,
)
WITH_RAW_LIMIT = ("W1", "W1r", "W2", "W2r", "W3 many", "W3 one", "W4 enqueue", "W4 process", "W5 start")
IN_PROCESS = [name for name in workloads.WORKLOADS if name != "W7"]


async def measured(folder: Path, *names: str) -> list[Measurement]:
    return [each async for each in workloads.measure(Setting(folder, TINY), names)]


def figures_of(measurements: list[Measurement]) -> list[str]:
    return [figure.name for measurement in measurements for figure in measurement.figures]


def targets_of(name: str) -> set[str]:
    return {target for target in TARGETS if target.split()[0] == name}


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_PROCESS)
async def test_a_workload_reports_all_its_figures(tmp_path: Path, name: str) -> None:
    found = await measured(tmp_path, name)
    assert set(figures_of(found)) == targets_of(name)
    assert all(figure.value >= 0 for measurement in found for figure in measurement.figures)


@pytest.mark.slow
@pytest.mark.processes
async def test_a_kill_loses_no_result(tmp_path: Path) -> None:
    [found] = await measured(tmp_path, "W7")
    assert [figure.name for figure in found.figures] == ["W7", "W7 repeated"]
    assert found.details["results"] == TINY.recovered


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({name.split()[0] for name in WITH_RAW_LIMIT}))
async def test_throughput_stands_beside_the_raw_limit(tmp_path: Path, name: str) -> None:
    limited = [each for each in await measured(tmp_path, name) if each.figures[0].name in WITH_RAW_LIMIT]
    raw = [each.raw_limit for each in limited]
    assert all(limit is not None and limit.rows > 0 and limit.commits > 0 for limit in raw)


async def test_a_workflow_with_one_task_writes_eleven_rows_and_tells_of_start_and_end(tmp_path: Path) -> None:
    """A batch that begins or ends executions writes one row of the feed for all of them; here each is alone in its."""
    alone, _ = await measured(tmp_path, "W1")
    assert alone.usage is not None
    assert alone.usage.rows_written == (11 + 2) * alone.usage.items
    assert alone.usage.commits == 4 * alone.usage.items


async def test_nobody_wakes_early(tmp_path: Path) -> None:
    for each in await measured(tmp_path, "W5"):
        assert each.details["woken"] == TINY.sleepers
        assert each.details["early"] == 0


async def test_the_configuration_is_read_back(tmp_path: Path) -> None:
    found = await workloads.configuration(Setting(tmp_path, TINY))
    assert found.durability == {"journal_mode": "wal", "synchronous": "FULL"}
    assert "synchronous=FULL (read back)" in "\n".join(report.configuration_lines(found))


async def test_databases_are_made_on_a_server_and_dropped_again(tmp_path: Path, postgres_database: str) -> None:
    databases = await asyncio.to_thread(Databases, postgres_database)
    setting = Setting(tmp_path, TINY, databases)
    described = await workloads.configuration(setting)
    assert described.durability == {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
    assert described.database.startswith("PostgreSQL ")
    found = [each async for each in workloads.measure(setting, ["W1", "F2"])]
    for each in found:
        assert each.usage is not None
        assert each.usage.wal_bytes is not None
        assert each.usage.wal_bytes > 100 * each.usage.items
        assert "bytes of WAL" in "\n".join(report.measurement_lines(each))
    assert found[-1].details["file_bytes_per_item"] > 0
    assert found[0].figures[0].peer == "DBOS"
    assert found[-1].figures[0].verdict == "none"
    await asyncio.to_thread(databases.close)
    connection = await asyncpg.connect(postgres_database)
    made = "SELECT count(*) FROM pg_database WHERE datname LIKE $1"
    assert await connection.fetchval(made, f"holdfast_bench_{os.getpid()}_%") == 0
    await connection.close()


def test_a_server_that_is_not_there_is_an_error_and_leaves_no_thread() -> None:
    before = threading.active_count()
    with pytest.raises(OSError, match="Connect"):
        Databases(f"postgresql://nobody@127.0.0.1:{free_port()}/nothing")
    assert threading.active_count() == before


def test_json_is_one_document(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        command.bench,
        ["W1r", "--json", "--seconds", "0.02", "--repetitions", "2", "--scale", "0.01", "--db", str(tmp_path)],
    )
    document = msgspec.json.decode(result.stdout, type=Document)
    assert [len(figure.repetitions) for figure in document.measurements[0].figures] == [2]
    assert document.configuration.scale == 0.01
    assert list(tmp_path.iterdir()) == []


def test_a_person_reads_figures_beside_their_targets(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        command.bench, ["W1r", "--seconds", "0.02", "--repetitions", "1", "--db", str(tmp_path)]
    )
    for words in ("W1r:", "floor 2,000, aim 4,000", "best peer Restate", "raw store limit", "limited by", "for each:"):
        assert words in result.output


def test_an_unknown_workload_is_refused() -> None:
    result = CliRunner().invoke(command.bench, ["W99"])
    assert result.exit_code == 2
    assert "W99" in result.output


def test_the_names_of_the_command_are_the_workloads() -> None:
    assert list(command.NAMES) == list(workloads.WORKLOADS)
    assert {name.split()[0] for name in TARGETS} == {*command.NAMES, "served"}


def test_targets_survive_json() -> None:
    assert json.loads(msgspec.json.encode(TARGETS["W6"]))["floor"] == 0.6
