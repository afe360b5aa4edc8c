"""Schedules through the Holdfast that users open, on both hostings: real time, real stores."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from holdfast import Holdfast, WorkflowContext, task, workflow
from holdfast.model.errors import InvalidArgument, ScheduleNotFound, WorkflowNotFound
from holdfast.model.schedules import Overlap, StartsFlow, StartsWorkflow, execution_of_time
from tests.flow.sketches import sketch

LONG = timedelta(days=1)


@task(priority=5)
async def pack(order: str) -> str:
    return f"packed {order}"


@workflow
async def report(ctx: WorkflowContext, about: str) -> str:
    return f"report on {about}"


def opened(url: str) -> Any:
    return Holdfast.open(url, workflows=[report], tasks=[pack])


async def result_of(hf: Any, run_id: str) -> object:
    """The result of a run that may have to begin yet."""
    async with asyncio.timeout(30):
        while True:
            try:
                return await hf.handle(run_id).result()
            except WorkflowNotFound:
                await asyncio.sleep(0.05)


async def test_a_workflow_runs_by_the_clock(url: str) -> None:
    async with opened(url) as hf:
        saved = await hf.save_schedule("reports", report, "sales", every=1)
        assert saved.created
        assert saved.next_at is not None
        run_id = execution_of_time("reports", saved.next_at)
        assert await result_of(hf, run_id) == "report on sales"
        await hf.delete_schedule("reports")
        with pytest.raises(ScheduleNotFound):
            await hf.schedule("reports")


async def test_a_task_is_submitted_by_hand(url: str) -> None:
    async with opened(url) as hf:
        await hf.save_schedule("packing", pack, "order-1", every=LONG)
        first = await hf.trigger_schedule("packing", request_id="today")
        again = await hf.trigger_schedule("packing", request_id="today")
        assert (first.created, again.created, again.run_id) == (True, False, first.run_id)
        assert await hf.task_handle(first.run_id).result() == "packed order-1"


async def test_a_flow_is_started_and_what_it_is_told_is_its_trigger(url: str) -> None:
    async with opened(url) as hf:
        await hf.save_flow(sketch({"told": ("edit", {"value": "$trigger.schedule"})}, name="telling"))
        await hf.save_schedule("telling-daily", StartsFlow("telling"), cron="0 9 * * *", timezone="Europe/Vienna")
        run = await hf.trigger_schedule("telling-daily")
        assert await hf.handle(run.run_id).result() == "telling-daily"


async def test_a_schedule_is_paused_resumed_and_listed(url: str) -> None:
    async with opened(url) as hf:
        await hf.save_schedule("b", report, "b", every=LONG, overlap="buffer_one", note="daily")
        await hf.save_schedule("a", StartsWorkflow("report"), every=LONG, jitter=5, catch_up=60)
        assert [each.id async for each in hf.schedules()] == ["a", "b"]
        assert await hf.pause_schedule("b", "holidays")
        assert not await hf.pause_schedule("b")
        paused = await hf.schedule("b")
        assert (paused.paused, paused.reason, paused.spec.overlap) == (True, "holidays", Overlap.BUFFER_ONE)
        assert await hf.resume_schedule("b")


async def test_a_stretch_is_made_up_for_once(url: str) -> None:
    async with opened(url) as hf:
        begun = datetime(2026, 1, 1, tzinfo=UTC)
        await hf.save_schedule("hourly", report, "it", cron="0 * * * *", not_before=begun, overlap=Overlap.ALLOW)
        until = begun + timedelta(hours=120)
        assert await hf.backfill_schedule("hourly", begun, until) == 121
        assert await hf.backfill_schedule("hourly", begun, until) == 0
        assert await hf.handle("hourly@2026-01-01T05:00:00Z").result() == "report on it"


async def test_what_makes_no_sense_is_refused(url: str) -> None:
    async with opened(url) as hf:
        with pytest.raises(InvalidArgument, match="overlap"):
            await hf.save_schedule("x", report, "it", every=LONG, overlap="sometimes")
        with pytest.raises(InvalidArgument, match="five fields"):
            await hf.save_schedule("x", report, "it", cron="at noon")
        with pytest.raises(InvalidArgument, match="part of what is given"):
            await hf.save_schedule("x", StartsFlow("telling"), "it", every=LONG)
