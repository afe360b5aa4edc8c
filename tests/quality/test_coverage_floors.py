"""The floors of coverage: who is held to what, and that falling below is told."""

import json

import pytest

from tests.quality import coverage_floors
from tests.quality.coverage_floors import Tally


def measured(lines: int, covered: int, branches: int = 0, taken: int = 0) -> dict[str, object]:
    summary = {
        "num_statements": lines,
        "covered_lines": covered,
        "num_branches": branches,
        "covered_branches": taken,
    }
    return {"summary": summary, "missing_lines": [], "missing_branches": []}


@pytest.mark.parametrize(
    ("path", "package"),
    [
        ("src/holdfast/engine/flow/step.py", "engine"),
        ("src/holdfast/sdk/replay/loop.py", "sdk/replay"),
        ("src/holdfast/sdk/context.py", "sdk"),
        ("src/holdfast/__init__.py", "."),
    ],
)
def test_each_file_counts_with_its_package(path: str, package: str) -> None:
    assert coverage_floors.package_of(path) == package


@pytest.mark.parametrize(("package", "goal"), [("engine", 100), ("sdk/replay", 100), ("sdk", 95), ("server", 95)])
def test_the_core_is_held_at_a_hundred(package: str, goal: float) -> None:
    assert coverage_floors.goal_of(package) == goal


def test_one_missed_branch_of_the_engine_fails() -> None:
    report = {"files": {"src/holdfast/engine/task.py": measured(10_000, 10_000, 2_000, 1_999)}}
    [verdict] = coverage_floors.verdicts(report, behind={})
    assert not verdict.holds
    assert "engine/task.py" in str(verdict)
    assert coverage_floors.report_of(verdict).failed


def test_files_of_a_package_are_counted_together() -> None:
    report = {"files": {"src/holdfast/cli/a.py": measured(50, 50), "src/holdfast/cli/b.py": measured(50, 45)}}
    [verdict] = coverage_floors.verdicts(report, behind={})
    assert verdict.tally.percent == 95
    assert verdict.holds


def test_a_package_that_is_behind_has_the_floor_it_reached() -> None:
    report = {"files": {"src/holdfast/cli/a.py": measured(100, 80)}}
    [below] = coverage_floors.verdicts(report, behind={"cli": 81})
    [above] = coverage_floors.verdicts(report, behind={"cli": 80})
    assert (below.holds, above.holds) == (False, True)


def test_floors_only_rise_until_the_goal_is_reached() -> None:
    reached = {"cli": Tally(100, 90), "server": Tally(100, 96), "worker": Tally(100, 70)}
    behind = {"cli": 80.0, "server": 90.0, "worker": 75.0, "gone": 50.0}
    assert coverage_floors.raised(behind, reached) == {"cli": 90.0, "worker": 75.0}


def test_the_recorded_floors_are_below_their_goals() -> None:
    behind = json.loads(coverage_floors.BEHIND.read_text(encoding="utf-8"))["behind"]
    assert [package for package, floor in behind.items() if floor >= coverage_floors.goal_of(package)] == []
