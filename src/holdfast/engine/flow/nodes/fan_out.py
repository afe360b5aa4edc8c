"""Nodes that open, close and join scopes: split, aggregate, merge, loop."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, assert_never

import msgspec
from msgspec import Meta

from holdfast.engine.flow.definition import MAIN, TIMEOUT
from holdfast.engine.flow.expressions.failures import EvaluationError
from holdfast.engine.flow.expressions.frame import Frame
from holdfast.engine.flow.expressions.kinds import kind_of
from holdfast.engine.flow.nodes.parameters import Parameters, Role
from holdfast.engine.flow.outcomes import Emitted, IterationStarted, SplitOpened
from holdfast.engine.flow.values import Amount, Condition, Duration, Items

MAX_ITEMS = 100_000
MAX_ITERATIONS = 10_000
BODY = "body"

Count = Annotated[int, Meta(ge=1, le=MAX_ITEMS)]
_PERCENT = re.compile(r"(100|[0-9]{1,2})%\Z")


class SplitParameters(Parameters, frozen=True, kw_only=True):
    """Sends out one token per item of a list, or per batch of them."""

    role = Role.SPLIT

    items: Items = Items("$json")
    batch_size: Count = 1
    max_concurrency: Count | None = None
    tolerated_failures: int | str = 0
    """How many items may fail: a number, or a percentage such as "10%"."""
    on_failure: Literal["fail_fast", "collect"] = "fail_fast"
    """Whether one failure too many cancels the other items, or is reported when they have ended."""

    @property
    def reads_input(self) -> bool:
        return False

    def objections(self) -> Iterator[tuple[str, str]]:
        tolerated = self.tolerated_failures
        if isinstance(tolerated, int) and tolerated < 0:
            yield "tolerated_failures", f"must be 0 or more, not {tolerated}"
        if isinstance(tolerated, str) and _PERCENT.match(tolerated) is None:
            yield "tolerated_failures", f"must be a number, or a percentage such as '10%', not {tolerated!r}"

    @property
    def inner_port(self) -> str:
        return MAIN

    def evaluate(self, frame: Frame) -> SplitOpened:
        items = self.items.items(frame)
        if self.batch_size > 1:
            items = [items[start : start + self.batch_size] for start in range(0, len(items), self.batch_size)]
        if len(items) > MAX_ITEMS:
            raise EvaluationError(f"splits into {len(items):,} items; {MAX_ITEMS:,} is all")
        return SplitOpened(items, self.max_concurrency, self._tolerated_of(len(items)), self.on_failure == "fail_fast")

    def _tolerated_of(self, total: int) -> int:
        tolerated = self.tolerated_failures
        return min(tolerated, total) if isinstance(tolerated, int) else total * int(tolerated.removesuffix("%")) // 100


class ItemResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """How one item of a split ended."""

    index: int
    status: Literal["success", "skipped", "failed"]
    """`skipped`: its tokens ended without coming to the aggregate."""
    value: object = None
    error: Mapping[str, object] | None = None

    def plain(self) -> dict[str, object]:
        """The object that stands in the aggregate's list."""
        made: dict[str, object] = {"index": self.index, "status": self.status}
        if self.status == "success":
            made["value"] = self.value
        if self.error is not None:
            made["error"] = self.error
        return made


class AggregateParameters(Parameters, frozen=True, kw_only=True):
    """Closes its split: the results of all items, in their order."""

    role = Role.AGGREGATE

    results: Literal["objects", "values"] = "objects"
    """`objects` have index, status and value or error; `values` are those of the items that succeeded."""
    timeout: Duration | None = None
    """From the opening of the split; items that have not ended by then are skipped."""

    @property
    def reads_input(self) -> bool:
        return False

    def ports(self) -> tuple[str, ...]:
        return (MAIN, TIMEOUT) if self.timeout is not None else (MAIN,)

    def collected(self, results: Sequence[ItemResult]) -> list[object]:
        """The list that the aggregate gives."""
        if self.results == "values":
            return [result.value for result in results if result.status == "success"]
        return [result.plain() for result in results]


class MergeParameters(Parameters, frozen=True, kw_only=True):
    """Joins branches: `all` that can still come, or `any`, the first."""

    role = Role.MERGE

    mode: Literal["all", "any"] = "all"
    combine: Literal["object", "list", "overlay"] = "object"
    """Of `all`: an object by source name, a list in the order of the edges, or one object laid over the other."""
    timeout: Duration | None = None
    """From the first arrival."""

    @property
    def reads_input(self) -> bool:
        return False

    def ports(self) -> tuple[str, ...]:
        return (MAIN, TIMEOUT) if self.timeout is not None else (MAIN,)

    def combined(self, arrivals: Sequence[tuple[str, object]]) -> object:
        """What is made of the values that came, each with the name of the node that sent it, in the edges' order."""
        if self.mode == "any":
            return arrivals[0][1]
        match self.combine:
            case "object":
                return _by_sender(arrivals)
            case "list":
                return [value for _, value in arrivals]
            case "overlay":
                return _overlaid(arrivals)
            case _:
                assert_never(self.combine)


def _by_sender(arrivals: Sequence[tuple[str, object]]) -> dict[str, object]:
    made: dict[str, object] = {}
    for name, value in arrivals:
        made.setdefault(name, value)
    return made


def _overlaid(arrivals: Sequence[tuple[str, object]]) -> dict[str, object]:
    laid: dict[str, object] = {}
    for name, value in arrivals:
        if not isinstance(value, Mapping):
            raise EvaluationError(f"lays objects over each other, but {name!r} sent {kind_of(value)}")
        laid.update(value)
    return laid


class LoopParameters(Parameters, frozen=True, kw_only=True):
    """Runs its body while a condition holds, or a number of times; always bounded."""

    role = Role.LOOP

    condition: Condition | None = None
    """Looked at before each iteration; `$json` is the input, and then what the iteration before gave back."""
    times: Amount | None = None
    max_iterations: Annotated[int, Meta(ge=1, le=MAX_ITERATIONS)] = 100
    on_limit: Literal["fail", "finish"] = "fail"
    """What to do when there should be more iterations than `max_iterations`."""

    @property
    def reads_input(self) -> bool:
        return False

    def iterate(self, entry: Frame, frame: Frame, iteration: int) -> IterationStarted | Emitted:
        """Once more, or on; `times` is reckoned from what the loop was entered with."""
        more = self.condition.holds(frame) if self.condition is not None else iteration < self._times(entry)
        if more and iteration < self.max_iterations:
            return IterationStarted(frame.scope.json)
        if more and self.on_limit == "fail":
            raise EvaluationError(f"is not done after {self.max_iterations} iterations")
        return Emitted(frame.scope.json)

    def _times(self, entry: Frame) -> int:
        assert self.times is not None
        return self.times.whole(entry)

    def ports(self) -> tuple[str, ...]:
        return (BODY, MAIN)

    def objections(self) -> Iterator[tuple[str, str]]:
        if (self.condition is None) == (self.times is None):
            yield "condition", "give exactly one of condition and times"

    @property
    def inner_port(self) -> str:
        return BODY
