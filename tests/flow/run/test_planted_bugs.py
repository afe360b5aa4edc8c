"""Bugs that are planted on purpose: the comparison with the reference must find each of them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from msgspec.structs import replace

from holdfast.engine.flow.loading import load
from holdfast.engine.flow.run import items, stepping, tokens, waits
from holdfast.engine.flow.run.drafts import Draft, Run
from holdfast.model.flows import Join
from tests.flow.random_graphs import stand_in
from tests.flow.reference import Reference, RunFailed, WorkFailed
from tests.flow.run.driving import Driver
from tests.flow.sketches import Kind, Parameters, sketch

Planted = Callable[[], Any]


@contextmanager
def planted(target: object, name: str, bug: object) -> Iterator[None]:
    with patch.object(target, name, bug):
        yield


def counts_arrivals() -> Any:
    """A merge opens when as many have come as it has edges, and not before."""

    def openable(run: Run, draft: Draft) -> Join | None:
        for join in draft.joins.values():
            if len(join.arrivals) >= len(run.graph.at(join.node).incoming):
                return join
        return None

    return planted(stepping, "openable", openable)


def opens_at_the_first() -> Any:
    """A merge opens when somebody has come, though others still can."""
    return planted(stepping, "openable", lambda _, draft: next(iter(draft.joins.values()), None))


def forgets_that_it_opened() -> Any:
    """A late loser finds a merge that has not opened yet."""
    open_merge = tokens.open_merge

    def opened(run: Run, draft: Draft, join: Join) -> str:
        key = open_merge(run, draft, join)
        draft.opened.discard(join.node)
        draft.visits[f"{key}-{len(draft.visits)}"] = draft.visits.pop(key)
        return key

    return planted(tokens, "open_merge", opened)


def counts_ended_items() -> Any:
    """Items are taken in the order of their ends."""
    results_of = items.results_of

    def by_end(run: Run, scope: Any) -> list[Any]:
        found = results_of(run, scope)
        return [replace(each, index=place) for place, each in enumerate(reversed(found))]

    return planted(items, "results_of", by_end)


def takes_dead_ends_for_open() -> Any:
    """An item whose tokens have all ended is not told of, unless one came to the aggregate."""
    item_ended = items.item_ended

    def ended(run: Run, draft: Draft) -> None:
        if draft.frame.result is not None or draft.frame.failure is not None:
            item_ended(run, draft)

    return planted(items, "item_ended", ended)


def loses_signals() -> Any:
    """A signal for which nobody waits yet is forgotten."""
    signalled = waits.signalled

    def heard(run: Run, name: str, value: bytes) -> None:
        signalled(run, name, value)
        run.root.signals.clear()

    return planted(waits, "signalled", heard)


NODES: dict[str, Kind] = {
    "s": ("split", {"items": [0, 1, 2], "tolerated_failures": "100%"}),
    "if": ("conditional", {"condition": "$item != 1"}),
    "a": ("task", {"task": "echoes", "input": "$item"}),
    "b": ("wait", {"amount": "{{ 3 - $item }}"}),
    "m": ("merge", {"combine": "list"}),
    "all": "aggregate",
    "w": ("wait", {"amount": 5}),
    "go": ("wait", {"resume": "signal", "signal": "go"}),
    "first": ("merge", {"mode": "any"}),
    "late": ("wait", {"amount": 9}),
    "end": ("edit", {"value": ["$all", "$go", "any"]}),
}
EDGES = (
    "s > if", "if:true > a > m", "if:true > b > m > all", "all > w > go > first", "late > first > end",
)  # fmt: skip
BRANCHES: dict[str, Kind] = {
    "if": ("conditional", {"condition": "true"}),
    "a": ("wait", {"amount": 1}),
    "b": "log",
    "c": ("edit", {"value": 7}),
    "m": "merge",
}


def flows() -> list[Parameters]:
    return [
        sketch(NODES, *EDGES),
        sketch(BRANCHES, "if:true > a > m", "if:false > b > m", "c > m"),
        sketch(
            {
                "x": ("edit", {"value": 1}),
                "w": ("wait", {"amount": 1}),
                "m": ("merge", {"mode": "any"}),
                "e": ("edit", {"value": 2}),
            },
            "x > m",
            "w > m > e",
        ),
    ]


def is_right(definition: Parameters, seed: int) -> bool:
    """Whether a run comes to what the reference says, each node once for each token."""
    reference = Reference(load(definition), stand_in)
    try:
        expected: object = reference.run()
    except RunFailed:
        expected = "failed"
    driver = Driver(definition, stand_in, seed)
    driver.repeating = 0.5
    try:
        found = driver.run()
    except WorkFailed:
        found = "failed"
    return found == expected and len(driver.all_visits()) == len(reference.ran)


@pytest.mark.parametrize("seed", range(3))
def test_without_a_bug_all_is_right(seed: int) -> None:
    assert all(is_right(definition, seed) for definition in flows())


@pytest.mark.parametrize(
    "bug",
    [
        counts_arrivals,
        opens_at_the_first,
        forgets_that_it_opened,
        counts_ended_items,
        takes_dead_ends_for_open,
    ],
)
def test_a_planted_bug_is_found(bug: Planted) -> None:
    with bug():
        found = 0
        for definition in flows():
            try:
                found += not is_right(definition, 1)
            except Exception:  # noqa: BLE001 - to fall over is to be found, too
                found += 1
    assert found


@pytest.mark.parametrize("bug", [loses_signals])
def test_a_lost_signal_hangs_the_run(bug: Planted) -> None:
    nodes: dict[str, Kind] = {"t": "task", "go": ("wait", {"resume": "signal", "signal": "go"})}
    driver = Driver(sketch(nodes, "t > go"), stand_in)
    driver.signalling = False
    with bug():
        driver.start()
        driver.signal("go", b"1")
        with pytest.raises(AssertionError, match="the run hangs"):
            driver.drive()
