"""A pytest plugin of `make test`: each package has a floor of line and branch coverage, and falling below it fails.

The engine and replay are held at 100, everything else at 95. A package that is behind stands in coverage_floors.json
with what it has reached, which may only rise. Every floor is reported as a test of its own, so that pytest's summary
counts it and its exit code tells.
"""

import json
from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / ".tools" / "coverage.json"
BEHIND = Path(__file__).with_name("coverage_floors.json")
GOALS: Mapping[str, float] = {"engine": 100.0, "sdk/replay": 100.0}
GOAL_ELSEWHERE = 95.0


@dataclass(frozen=True)
class Tally:
    """Lines and branches that could run, and those that did."""

    possible: int
    covered: int
    misses: tuple[str, ...] = ()

    @property
    def percent(self) -> float:
        return 100 * self.covered / self.possible if self.possible else 100.0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.possible + other.possible, self.covered + other.covered, self.misses + other.misses)


@dataclass(frozen=True)
class Verdict:
    """One package against its floor."""

    package: str
    floor: float
    tally: Tally

    @property
    def holds(self) -> bool:
        # Rounding must not lift 99.99 to 100.
        return self.tally.percent >= self.floor

    def __str__(self) -> str:
        head = f"holdfast/{self.package} has {self.tally.percent:.2f} % coverage; its floor is {self.floor:g} %"
        return "\n  ".join([head, *self.tally.misses])


def goal_of(package: str) -> float:
    return GOALS.get(package, GOAL_ELSEWHERE)


def package_of(path: str) -> str:
    """The package that a measured file is counted with: the nearest with a goal of its own, or the top one."""
    inside = path.replace("\\", "/").rpartition("holdfast/")[2] if "/holdfast/" in f"/{path}" else path
    for package in GOALS:
        if inside.startswith(f"{package}/"):
            return package
    return inside.split("/")[0] if "/" in inside else "."


def tallies(report: Mapping[str, dict[str, dict[str, object]]]) -> dict[str, Tally]:
    total: dict[str, Tally] = defaultdict(lambda: Tally(0, 0))
    for path, measured in report["files"].items():
        total[package_of(path)] += tally_of(path, measured)
    return dict(total)


def tally_of(path: str, measured: dict[str, object]) -> Tally:
    summary = measured["summary"]
    assert isinstance(summary, dict)
    possible = summary["num_statements"] + summary["num_branches"]
    covered = summary["covered_lines"] + summary["covered_branches"]
    if covered == possible:
        return Tally(possible, covered)
    miss = f"{path}: lines {measured['missing_lines']}, branches {measured.get('missing_branches', [])}"
    return Tally(possible, covered, (miss,))


def verdicts(report: Mapping[str, dict[str, dict[str, object]]], behind: Mapping[str, float]) -> Iterator[Verdict]:
    for package, tally in sorted(tallies(report).items()):
        yield Verdict(package, behind.get(package, goal_of(package)), tally)


def read_behind() -> dict[str, float]:
    floors: dict[str, float] = json.loads(BEHIND.read_text(encoding="utf-8"))["behind"]
    return floors


def raised(behind: Mapping[str, float], reached: Mapping[str, Tally]) -> dict[str, float]:
    """The floors still below their goal, lifted to what is reached; a package that is gone needs none."""
    lifted = {
        package: max(floor, int(reached[package].percent * 10) / 10)
        for package, floor in behind.items()
        if package in reached
    }
    return {package: floor for package, floor in sorted(lifted.items()) if floor < goal_of(package)}


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    """After pytest-cov has written its report, every floor joins the run as one more test."""
    result = yield
    is_worker = hasattr(session.config, "workerinput")
    if is_worker or session.config.option.collectonly:
        return result
    report = json.loads(REPORT.read_text(encoding="utf-8"))
    for verdict in verdicts(report, read_behind()):
        session.config.hook.pytest_runtest_logreport(report=report_of(verdict))
    return result


def report_of(verdict: Verdict) -> pytest.TestReport:
    where = "tests/quality/coverage_floors.py"
    return pytest.TestReport(
        nodeid=f"{where}::{verdict.package}",
        location=(where, 0, verdict.package),
        keywords={},
        outcome="passed" if verdict.holds else "failed",
        longrepr=None if verdict.holds else str(verdict),
        when="call",
    )
