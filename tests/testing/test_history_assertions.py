"""assert_history says what must have happened, and shows what did."""

import msgspec
import pytest

from holdfast.model.events import Event, TaskCompleted, TaskScheduled, WorkflowCompleted, WorkflowStarted
from holdfast.model.ids import TaskId
from holdfast.model.instants import Instant
from holdfast.testing import assert_history, event
from holdfast.testing.histories import Expected

TASK = TaskId("018f3c1e-5a7b-7c3d-9e2f-0123456789ab")


def history() -> list[Event]:
    facts = [
        WorkflowStarted(msgspec.Raw(b"5")),
        TaskScheduled(TASK, "charge", msgspec.Raw(b"5")),
        TaskCompleted(TASK, "charge", msgspec.Raw(b'"paid"')),
        WorkflowCompleted(msgspec.Raw(b'"done"')),
    ]
    return [Event(number, Instant(0), data) for number, data in enumerate(facts, start=1)]


@pytest.mark.parametrize(
    "expected",
    [
        ("WORKFLOW_STARTED", "TASK_SCHEDULED", "TASK_COMPLETED", "WORKFLOW_COMPLETED"),
        (..., "WORKFLOW_COMPLETED"),
        ("WORKFLOW_STARTED", ...),
        (..., event("TASK_SCHEDULED", task_type="charge", input=5), ..., "WORKFLOW_COMPLETED"),
        (..., event("TASK_COMPLETED", result="paid"), ...),
        (..., "TASK_SCHEDULED", ..., "TASK_COMPLETED", ..., ...),
    ],
)
def test_it_fits(expected: tuple[Expected, ...]) -> None:
    assert_history(history(), *expected)


@pytest.mark.parametrize(
    "expected",
    [
        (),
        ("WORKFLOW_STARTED",),
        (..., "TIMER_STARTED", ...),
        (..., "TASK_COMPLETED", ..., "TASK_SCHEDULED", ...),
        (..., event("TASK_SCHEDULED", task_type="pack"), ...),
        (..., event("TASK_SCHEDULED", colour="red"), ...),
        ("WORKFLOW_STARTED", "WORKFLOW_COMPLETED"),
    ],
)
def test_it_does_not_fit(expected: tuple[Expected, ...]) -> None:
    with pytest.raises(AssertionError):
        assert_history(history(), *expected)


def test_the_message_shows_both() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_history(history(), ..., event("TASK_COMPLETED", result="refused"))
    assert "..., TASK_COMPLETED(result='refused')" in str(caught.value)
    assert "3  TASK_COMPLETED  task_execution_id=" in str(caught.value)
