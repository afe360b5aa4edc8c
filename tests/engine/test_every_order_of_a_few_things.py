"""Small scopes, explored in full: whatever the order, the workflow completes, and everything that can happen does."""

import pytest

from tests.engine.exploration import Exploration, Scope

MOST_SCENES = 6_000

SCOPES = {
    "three tasks": (Scope(tasks=3), {"an event raced a suspend", "TASK_COMPLETED"}),
    "two tasks and a crash": (
        Scope(tasks=2, crashes=1),
        {"an event raced a suspend", "a stale message was refused", "a try was lost", "TASK_COMPLETED"},
    ),
    "two timers, a task that they cancel, and a signal": (
        Scope(tasks=1, timers=2, signals=1),
        {"an event raced a suspend", "TIMER_FIRED", "TASK_CANCELLED", "TASK_COMPLETED", "SIGNAL_RECEIVED"},
    ),
    "a task that fails, a crash and a lost lease": (
        Scope(tasks=1, crashes=1, failures=2, lost_leases=1),
        {"a stale message was refused", "a try was lost", "TASK_FAILED", "TASK_COMPLETED"},
    ),
    "messages that come twice": (
        Scope(tasks=2, timers=1, failures=1, duplicates=1),
        {"a duplicate was answered", "a stale message was refused", "TASK_COMPLETED", "TASK_CANCELLED"},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("scope", SCOPES)
def test_every_order(scope: str) -> None:
    size, sometimes = SCOPES[scope]
    exploration = Exploration(size)
    exploration.run(MOST_SCENES)
    assert exploration.noticed >= {"completed", "WORKFLOW_COMPLETED", *sometimes}
