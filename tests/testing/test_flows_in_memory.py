"""Flows in the Holdfast of users' tests: days pass at once, and a test that awaits what cannot come is told why."""

import pytest

from holdfast import task
from holdfast.testing import HoldfastTest
from holdfast.testing.time_travel import Stuck
from tests.flow.sketches import Kind, sketch


@task
async def charge(amount: int) -> str:
    raise AssertionError("a test has no bank")


def fake_charge(amount: int) -> str:
    return f"{amount} charged"


NODES: dict[str, Kind] = {"wait": ("wait", {"amount": 30, "unit": "days"}), "pay": ("task", {"task": "charge"})}


async def test_a_month_passes_and_a_fake_takes_the_task_s_place() -> None:
    async with HoldfastTest(tasks=[charge], replace={charge: fake_charge}) as hf:
        await hf.save_flow(sketch(NODES, "wait > pay", name="monthly"))
        assert await hf.run_flow("monthly", 5) == "5 charged"


async def test_what_a_stuck_flow_waits_for_is_told() -> None:
    async with HoldfastTest(stuck_after=0.05) as hf:
        await hf.save_flow(sketch(NODES, "wait > pay", name="monthly"))
        with pytest.raises(Stuck, match=r"nobody runs task 'charge': pass tasks=\[charge\]") as caught:
            await hf.run_flow("monthly", 5)
    assert "pass workflows" not in str(caught.value)
