"""Random requests in any order, duplicated, late and in batches: the invariants hold in every state."""

import pytest
from hypothesis import HealthCheck, settings

from tests.engine.machine import EngineMachine

TestAnythingAtAnyTime = pytest.mark.slow(EngineMachine.TestCase)
TestAnythingAtAnyTime.settings = settings(
    max_examples=300, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck)
)
