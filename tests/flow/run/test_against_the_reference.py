"""Random flows come to what the plain recursive interpreter says: in any order, with repeats, over crashes."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.engine.flow.loading import load
from tests.faults.soaking import SOAKING
from tests.flow.random_graphs import definitions, stand_in
from tests.flow.reference import Reference, RunFailed, WorkFailed
from tests.flow.run.driving import Driver
from tests.flow.sketches import Parameters

TRIGGER = {"started": True}
FAILED = "failed"


def expected(definition: Parameters) -> object:
    try:
        return Reference(load(definition), stand_in).run(TRIGGER)
    except RunFailed:
        return FAILED


def come_to(driver: Driver) -> object:
    try:
        return driver.run(TRIGGER)
    except WorkFailed:
        return FAILED


def check(definition: Parameters, seed: int, *, repeating: float = 0.0, dying: float = 0.0) -> None:
    driver = Driver(definition, stand_in, seed)
    driver.repeating, driver.dying = repeating, dying
    assert come_to(driver) == expected(definition)
    assert sum(driver.ends().values()) == 1


QUICK = settings(max_examples=3_000 if SOAKING else 60, deadline=None, suppress_health_check=list(HealthCheck))
SEEDS = st.integers(0, 1 << 32)


@QUICK
@given(definitions(), SEEDS)
def test_in_any_order(definition: Parameters, seed: int) -> None:
    check(definition, seed)


@QUICK
@given(definitions(), SEEDS)
def test_with_every_message_coming_again(definition: Parameters, seed: int) -> None:
    check(definition, seed, repeating=0.8)


@QUICK
@given(definitions(), SEEDS)
def test_over_crashes_before_and_after_each_step(definition: Parameters, seed: int) -> None:
    check(definition, seed, repeating=0.3, dying=0.4)
