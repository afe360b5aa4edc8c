"""Testing: a Holdfast in memory whose time a test owns, fakes for tasks, and checks of histories.

```python
async def test_checkout():
    async with HoldfastTest(workflows=[checkout], replace={charge: fake_charge}) as hf:
        handle = await hf.start(checkout, order)
        assert await handle.result() == "shipped"  # three days pass at once
        assert_history(await handle.history(), "WORKFLOW_STARTED", ..., "WORKFLOW_COMPLETED")
```
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.testing.clock import ManualClock
    from holdfast.testing.environment import HoldfastTest, VirtualHoldfast, run_workflow
    from holdfast.testing.histories import EventPattern, assert_history, event
    from holdfast.testing.replaying import ReplayDiffers, check_replay
    from holdfast.testing.time_travel import Stuck

__all__ = [
    "EventPattern",
    "HoldfastTest",
    "ManualClock",
    "ReplayDiffers",
    "Stuck",
    "VirtualHoldfast",
    "assert_history",
    "check_replay",
    "event",
    "run_workflow",
]

_HOMES = {
    "EventPattern": "histories",
    "HoldfastTest": "environment",
    "ManualClock": "clock",
    "ReplayDiffers": "replaying",
    "Stuck": "time_travel",
    "VirtualHoldfast": "environment",
    "assert_history": "histories",
    "check_replay": "replaying",
    "event": "histories",
    "run_workflow": "environment",
}


def __getattr__(name: str) -> object:
    """Load the engine only for tests that use one: pytest loads the plugin of this package in every run."""
    if name not in _HOMES:
        raise AttributeError(f"module 'holdfast.testing' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"holdfast.testing.{_HOMES[name]}"), name)
