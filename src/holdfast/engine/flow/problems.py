"""What is wrong with a definition, and where: everything at once, so that an author mends it in one go."""

import difflib
from collections.abc import Iterable

import msgspec

from holdfast.model.errors import FlowProblem, InvalidFlow

MAX_PROBLEMS = 100


class Problems:
    """Gathers what is wrong; beyond MAX_PROBLEMS it only counts."""

    def __init__(self) -> None:
        self.found: list[FlowProblem] = []
        self.more = 0

    def add(self, path: str, code: str, message: str) -> None:
        if len(self.found) < MAX_PROBLEMS:
            self.found.append(FlowProblem(path=path, code=code, message=message))
        else:
            self.more += 1

    def raise_if_any(self, flow: str) -> None:
        if self.found:
            raise InvalidFlow(flow, tuple(self.found), self.more)


def hint(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """A "did you mean" for an error message."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else otherwise


def described(error: msgspec.ValidationError, path: str) -> tuple[str, str]:
    """The full path of what msgspec refused, and why."""
    reason, *steps = str(error).split(" - at `$")
    return path + "".join(step.removesuffix("`") for step in reversed(steps)), reason
