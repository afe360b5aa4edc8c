"""Runs of six or more lines that stand somewhere else already.

Lines are compared without their indentation; blank lines, comments, imports, docstrings and lines of mere brackets are
left out, for they repeat without anyone having copied. The first place where a run stands is not counted.
"""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tests.quality.source import SourceFile, docstrings

RUN_LENGTH = 6
WORD = re.compile(r"\w")


@dataclass(frozen=True)
class Repeat:
    """A run of lines in one file that an earlier place already has."""

    path: str
    first_line: int
    last_line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.first_line}-{self.last_line}"


def repeated_runs(files: Sequence[SourceFile]) -> list[Repeat]:
    seen: set[tuple[str, ...]] = set()
    runs: list[Repeat] = []
    for file in files:
        runs.extend(repeats_of(file, seen))
    return runs


def repeats_of(file: SourceFile, seen: set[tuple[str, ...]]) -> list[Repeat]:
    """The maximal repeated runs of one file; adds its windows to those seen."""
    lines = comparable_lines(file)
    runs: list[Repeat] = []
    end_of_run = -1
    for start in range(len(lines) - RUN_LENGTH + 1):
        window = tuple(text for _, text in lines[start : start + RUN_LENGTH])
        if window in seen:
            last = lines[start + RUN_LENGTH - 1][0]
            first = lines[start][0]
            if start <= end_of_run:
                runs[-1] = Repeat(file.path, runs[-1].first_line, last)
            else:
                runs.append(Repeat(file.path, first, last))
            end_of_run = start + RUN_LENGTH - 1
        seen.add(window)
    return runs


def comparable_lines(file: SourceFile) -> list[tuple[int, str]]:
    ignored = unremarkable_lines(file.tree)
    numbered = ((number, line.strip()) for number, line in enumerate(file.lines, 1))
    return [
        (number, text)
        for number, text in numbered
        if number not in ignored and WORD.search(text) and not text.startswith("#")
    ]


def unremarkable_lines(tree: ast.Module) -> set[int]:
    documentation = docstrings(tree)
    ignored: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Constant) and (
            not isinstance(node, ast.Constant) or id(node) in documentation
        ):
            ignored.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return ignored
