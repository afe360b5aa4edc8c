"""The best values reached so far: they stand in ratchet.json, and may only shrink."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.quality.measures import file_lengths, functions, total_lines
from tests.quality.repeats import repeated_runs
from tests.quality.source import SourceFile

RATCHET = Path(__file__).with_name("ratchet.json")
GOALS: Mapping[str, float] = {
    "longest_function_lines": 70,
    "longest_file_lines": 600,
    "repeated_runs_per_10000_lines": 60.0,
}


def reached(files: Sequence[SourceFile]) -> dict[str, float]:
    """What the code keeps now."""
    return {
        "longest_function_lines": max((function.body_lines for function in functions(files)), default=0),
        "longest_file_lines": max(file_lengths(files).values(), default=0),
        "repeated_runs_per_10000_lines": round(10_000 * len(repeated_runs(files)) / max(total_lines(files), 1), 1),
    }


def recorded() -> dict[str, float]:
    values: dict[str, float] = json.loads(RATCHET.read_text(encoding="utf-8"))
    return values


def tightened(best: Mapping[str, float], now: Mapping[str, float]) -> dict[str, float]:
    """The new record: never above the old one."""
    return {signal: min(best[signal], now[signal]) for signal in GOALS}
