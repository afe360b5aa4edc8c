"""Time stands still until the test awaits a result or moves it, and nothing that falls due on the way is skipped."""

import asyncio
from datetime import timedelta

import pytest

from holdfast.model.instants import Instant
from holdfast.model.statuses import ExecutionStatus, TaskStatus
from holdfast.testing import HoldfastTest, ManualClock, Stuck, assert_history
from holdfast.testing.clock import START
from tests.testing.programs import approval, charge, checkout, endless, for_ever, hangs, pack

PAID = {charge: lambda *_, note: "paid"}


async def test_time_passes_while_a_result_is_awaited() -> None:
    async with HoldfastTest(workflows=[approval]) as hf:
        assert await hf.run(approval) == "too late"
        assert hf.now == START + timedelta(days=7)


async def test_time_stands_still_until_then() -> None:
    async with HoldfastTest(workflows=[approval]) as hf:
        handle = await hf.start(approval)
        await hf.settle()
        await hf.resolve_promise(execution_id=handle.id, name="verdict", value="yes")
        assert (await handle.result(), hf.now) == ("yes", START)


async def test_it_is_moved_by_hand() -> None:
    async with HoldfastTest(workflows=[checkout], tasks=[pack], replace=PAID, auto_skip=False) as hf:
        handle = await hf.start(checkout, 5)
        await hf.advance(timedelta(days=2))
        assert (await handle.describe()).status is ExecutionStatus.WAITING
        await hf.advance_to(START + timedelta(days=3))
        assert (await handle.describe()).status is ExecutionStatus.COMPLETED


async def test_each_thing_happens_at_its_own_instant() -> None:
    async with HoldfastTest(workflows=[approval], auto_skip=False) as hf:
        handle = await hf.start(approval)
        await hf.advance(timedelta(days=100))
        end = (await handle.describe()).closed_at
    assert end == ManualClock(START + timedelta(days=7)).now()


async def test_what_runs_keeps_its_lease_however_far_time_moves() -> None:
    async with HoldfastTest(workflows=[hangs], tasks=[endless]) as hf:
        handle = await hf.start(hangs)
        await hf.advance(50)
        task = (await hf.list_tasks(execution_id=handle.id)).tasks[0]
        assert (task.status, task.attempt) == (TaskStatus.RUNNING, 1)


async def test_limits_of_what_runs_are_kept() -> None:
    async with HoldfastTest(workflows=[hangs], tasks=[endless]) as hf:
        handle = await hf.start(hangs)
        await hf.advance(timedelta(minutes=2))
        history = await handle.history()
    assert_history(history, "WORKFLOW_STARTED", "TASK_SCHEDULED", "TASK_TIMED_OUT", "WORKFLOW_FAILED")


async def test_awaiting_what_cannot_come_says_why() -> None:
    async with HoldfastTest(workflows=[for_ever], stuck_after=0.05) as hf:
        with pytest.raises(Stuck, match=r"promise 'verdict' of"):
            await hf.run(for_ever)


async def test_a_workflow_or_task_that_nobody_runs_is_named() -> None:
    async with HoldfastTest(workflows=[hangs], stuck_after=0.05) as hf:
        with pytest.raises(Stuck, match=r"pass tasks=\[endless\]"):
            await hf.run(hangs)
        other = await hf.submit_task(pack, "cups")
        with pytest.raises(Stuck, match=r"pass tasks=\[pack\]"):
            await other.result()


async def test_a_workflow_that_is_not_registered_is_named() -> None:
    async with HoldfastTest(stuck_after=0.05) as hf:
        with pytest.raises(Stuck, match=r"pass workflows=\[for_ever\]"):
            await hf.run(for_ever)


async def test_a_signal_from_elsewhere_in_the_test_ends_the_wait() -> None:
    async with HoldfastTest(workflows=[for_ever], stuck_after=5) as hf:
        handle = await hf.start(for_ever)
        waiting = asyncio.create_task(handle.result())
        await asyncio.sleep(0)
        await hf.resolve_promise(execution_id=handle.id, name="verdict", value="yes")
        assert await waiting == "yes"


def test_the_clock_does_not_go_back() -> None:
    with pytest.raises(ValueError, match="cannot go back"):
        ManualClock().set(Instant(0))
