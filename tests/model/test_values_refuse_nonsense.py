"""Values that cannot mean anything are refused where they are made, or read."""

from typing import Any

import pytest

from holdfast.model.commands import TaskOptions
from holdfast.model.errors import StoreDamaged
from holdfast.model.events import decode_event
from holdfast.model.ids import MAX_COMMANDS_OF_A_TYPE, DerivedIds, ExecutionId, TenantId
from holdfast.model.instants import LATEST, Instant
from holdfast.model.retries import RetryPolicy


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ({"max_retries": -1}, "max_retries must lie between 0 and"),
        ({"max_retries": 2**63}, "max_retries must lie between 0 and"),
        ({"initial_interval_ms": -1}, "intervals must lie between 0 and"),
        ({"max_interval_ms": -1}, "intervals must lie between 0 and"),
        ({"max_interval_ms": LATEST + 1}, "intervals must lie between 0 and"),
        ({"backoff": 0.5}, "backoff must be 1 or more"),
        ({"backoff": float("nan")}, "backoff must be 1 or more, and finite"),
        ({"backoff": float("inf")}, "backoff must be 1 or more, and finite"),
        ({"jitter": 1.5}, "jitter must lie between 0 and 1"),
    ],
)
def test_a_retry_policy_has_bounds(choice: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        RetryPolicy(**choice)


@pytest.mark.parametrize("limit", ["schedule_to_start_ms", "start_to_close_ms", "schedule_to_close_ms", "heartbeat_ms"])
@pytest.mark.parametrize("given", [0, -1, LATEST + 1, 10**30])
def test_the_limits_of_a_task_have_bounds(limit: str, given: int) -> None:
    """An instant that is counted from one that no store can hold would break the transaction that comes to it."""
    with pytest.raises(ValueError, match=f"{limit} must lie between 1 and"):
        TaskOptions(**{limit: given})  # type: ignore[arg-type]  # any of them


def test_no_task_has_had_less_than_no_tries() -> None:
    with pytest.raises(ValueError, match="tries_before must be 0 or more"):
        TaskOptions(tries_before=-1)


def test_an_event_of_a_newer_release_is_refused_and_never_skipped() -> None:
    with pytest.raises(StoreDamaged, match="unknown type 'COFFEE_BREWED'"):
        decode_event(7, "COFFEE_BREWED", 1, b"{}")


def test_an_event_that_does_not_fit_its_type_is_refused() -> None:
    with pytest.raises(StoreDamaged, match=r"event 7 \(TIMER_FIRED\) cannot be read"):
        decode_event(7, "TIMER_FIRED", 1, b"[]")


def test_an_execution_has_a_bounded_number_of_commands() -> None:
    ids = DerivedIds(TenantId("acme"), ExecutionId("order-1"), Instant(1))
    with pytest.raises(OverflowError, match="start a child workflow"):
        ids.task(MAX_COMMANDS_OF_A_TYPE)
