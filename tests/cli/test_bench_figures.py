"""Figures are judged against their targets in the right direction, and explained by what was used."""

import asyncio
from pathlib import Path

import pytest

from holdfast.cli.bench import machine
from holdfast.cli.bench.figures import Measurement, Probe, Usage, figure
from holdfast.cli.bench.measuring import closed_loop, count_for, limit_of
from holdfast.cli.bench.places import url_of
from holdfast.cli.bench.report import amount, is_disturbed
from holdfast.cli.bench.setting import Sizes


def usage(*, loop: float = 0.1, writer: float | None = 0.1, other: float = 0.0, commits: int = 10) -> Usage:
    return Usage(
        seconds=1.0,
        cores=loop + (writer or 0.0),
        event_loop_cores=loop,
        writer_cores=writer,
        waiting_cores=0.0,
        other_cores=other,
        commits=commits,
        statements=100,
        rows_written=110,
        requests=40,
        items=10,
    )


@pytest.mark.parametrize(
    ("name", "value", "verdict"),
    [
        ("W1", 1_999, "missed"),
        ("W1", 2_000, "floor"),
        ("W1", 4_000, "aim"),
        ("W6", 0.61, "missed"),
        ("W6", 0.6, "floor"),
        ("W6", 0.2, "aim"),
        ("idle cpu", 0.04, "aim"),
        ("W4 pick-up p99", 1.0, "none"),
        ("W7 repeated", 100, "floor"),
        ("W7 repeated", 101, "missed"),
    ],
)
def test_a_verdict_looks_in_the_right_direction(name: str, value: float, verdict: str) -> None:
    assert figure(name, [value]).verdict == verdict


def test_the_value_is_the_median_of_the_repetitions() -> None:
    assert figure("W1", [1.0, 9_000.0, 3_000.0]).value == 3_000.0


@pytest.mark.parametrize(("name", "value", "times"), [("W1", 2_652, 2.0), ("W6", 0.9, 2.0), ("idle cpu", 1.0, None)])
def test_better_than_the_peer_is_above_one(name: str, value: float, times: float | None) -> None:
    assert figure(name, [value]).times_the_peer == times


@pytest.mark.parametrize(
    ("used", "reason"),
    [
        (usage(loop=0.9), "CPU of the event loop"),
        (usage(writer=0.9), "CPU of the writer"),
        (usage(loop=0.5, writer=0.5), "the interpreter's lock"),
        (usage(commits=6_000), "the disk"),
        (usage(), "waiting between"),
        (usage(writer=None), "waiting between"),
        (usage(other=0.5), "disturbed by other processes"),
    ],
)
def test_the_limit_is_inferred_from_what_was_used(used: Usage, reason: str) -> None:
    assert reason in limit_of(used, 100.0)


async def test_a_closed_loop_keeps_to_its_bound() -> None:
    under_way, most = 0, 0

    async def call(number: int) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1

    loop = await closed_loop(20, 3, call)
    assert len(loop.calls) == 20
    assert most == 3


def test_a_loop_is_sized_by_its_rate() -> None:
    assert count_for(1_000, 2.0, least=10, most=5_000) == 2_000
    assert count_for(1, 2.0, least=10, most=5_000) == 10
    assert count_for(1e6, 2.0, least=10, most=5_000) == 5_000


@pytest.mark.parametrize(("value", "text"), [(12_345.6, "12,346"), (12.34, "12.3"), (1.234, "1.23"), (3.0, "3")])
def test_numbers_have_the_digits_they_deserve(value: float, text: str) -> None:
    assert amount(value) == text


def test_the_disk_is_probed_and_left_clean(tmp_path: Path) -> None:
    probe = machine.probe_disk(tmp_path, seconds=0.0)
    assert 0 < probe.median_us <= probe.slow_us
    assert list(tmp_path.iterdir()) == []


def test_a_system_that_tells_nothing_is_not_guessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "PROC", tmp_path)
    assert machine.busy_seconds() is None
    assert machine.parent_of(1, "init") is None
    assert machine.family_seconds(1) == 0.0
    assert machine.own_seconds() is None
    assert machine.file_system(tmp_path) == "unknown"
    assert machine.memory_bytes() > 0


def test_the_memory_of_this_process_is_found() -> None:
    assert machine.memory_bytes() > 1_000_000


def test_sizes_are_scaled_but_the_repetitions_stay() -> None:
    scaled = Sizes(repetitions=3).scaled(0.01)
    assert (scaled.sleepers, scaled.history_steps, scaled.recovered, scaled.repetitions) == (100, 50, 10, 3)


def test_a_path_with_spaces_is_a_url() -> None:
    assert url_of(Path("/a folder/bench.db")) == "sqlite:////a%20folder/bench.db"


@pytest.mark.parametrize(("other", "disturbed"), [(0.1, False), (1.5, True)])
def test_a_busy_machine_is_not_held_against_a_figure(other: float, disturbed: bool) -> None:
    probe = Probe(median_us=100.0, slow_us=200.0)
    found = Measurement(workload="W1", title="", figures=(), details={}, probe=probe, usage=usage(other=other))
    assert is_disturbed(found) is disturbed
