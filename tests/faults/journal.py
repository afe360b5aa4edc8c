"""What clients were told, line by line, and what the bodies of tasks have noted."""

from collections import defaultdict
from pathlib import Path
from typing import Literal

import msgspec

from tests.faults.programs import BEGUN, ENDED

Outcome = Literal["ok", "failed", "unknown"]
"""failed: the answer said that nothing was done. unknown: it said that this cannot be told."""


class Act(msgspec.Struct, frozen=True):
    """One request of a client, and how it was answered."""

    verb: Literal["start", "signal"]
    execution_id: str
    kind: str
    outcome: Outcome
    word: str = ""
    detail: str = ""


class Body(msgspec.Struct, frozen=True):
    """One start of a task's body."""

    task_id: str
    attempt: int
    name: str


class Journal:
    """The clients' log, in memory and in a file."""

    def __init__(self, file: Path) -> None:
        self.acts: list[Act] = []
        self._file = file.open("ab", buffering=0)
        self._encode = msgspec.json.Encoder().encode

    def write(self, act: Act) -> None:
        """One more line."""
        self.acts.append(act)
        self._file.write(self._encode(act) + b"\n")

    def said(self, outcome: Outcome) -> int:
        """How many were answered so."""
        return sum(act.outcome == outcome for act in self.acts)

    def close(self) -> None:
        """No more lines."""
        self._file.close()


class Ledger:
    """What bodies have noted before they went on."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def lines(self) -> list[list[str]]:
        """All lines, as words."""
        return [line.split() for line in self.file.read_text().splitlines()] if self.file.exists() else []

    def labouring(self) -> set[int]:
        """The processes in which a labour is under way, or was when they ended."""
        going: dict[tuple[str, ...], int] = {}
        for word, *rest in self.lines():
            if word == BEGUN:
                going[tuple(rest)] = int(rest[0])
            elif word == ENDED:
                going.pop(tuple(rest), None)
        return set(going.values())

    def bodies(self) -> dict[str, list[Body]]:
        """The starts of bodies, by task."""
        found: dict[str, list[Body]] = defaultdict(list)
        for line in self.lines():
            if line[0] == "task":
                found[line[1]].append(Body(line[1], int(line[2]), line[3]))
        return found
