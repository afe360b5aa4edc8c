"""A seed stands for one run and no other, and what a worker remembers makes no difference to any result."""

import msgspec
import pytest

from holdfast.model.errors import StaleClaim
from holdfast.testing.faults import NO_FAULTS
from tests.simulation.cluster import NEVER, Shape
from tests.simulation.runs import simulate

STORMY = Shape()
CALM = Shape(engines=1, remote_workers=0, crash_every=NEVER, freeze_every=NEVER, outage_every=NEVER, rates=NO_FAULTS)


@pytest.mark.parametrize("seed", [1_001, 1_002])
def test_the_same_seed_gives_the_same_trace(seed: int) -> None:
    assert simulate(seed, STORMY).trace == simulate(seed, STORMY).trace


def test_another_seed_gives_another_trace() -> None:
    assert simulate(1_003, STORMY).trace != simulate(1_004, STORMY).trace


@pytest.mark.parametrize("cached", [0, 1])
def test_dropping_the_code_of_suspended_workflows_changes_no_result(cached: int) -> None:
    remembering = simulate(1_005, CALM)
    forgetful = simulate(1_005, msgspec.structs.replace(CALM, cached=cached))
    assert forgetful.results == remembering.results


def test_the_storm_is_one() -> None:
    """A simulation in which nothing goes wrong would pass without proving anything."""
    happened = [simulate(seed, STORMY).happened for seed in range(1_010, 1_014)]
    faults = ("unclear", "conflict", "duplicated", "reply_lost", "request_lost", "stall", "unavailable")
    for what in ("crash", "freeze", "outage", *faults, StaleClaim.code):
        assert sum(each[what] for each in happened) > 0, what
