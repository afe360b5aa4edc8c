"""SIGTERM drains: what runs may end, what was not begun costs no attempt, and the process goes."""

import asyncio
import signal

import pytest

from holdfast import Holdfast
from holdfast.model.statuses import AttemptStatus, TaskStatus
from tests.processes.support import WITHIN, Street

pytestmark = pytest.mark.processes


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_running_tasks_end_and_the_others_are_left_untouched(street: Street, number: signal.Signals) -> None:
    async with Holdfast.open(street.url) as client:
        ids = await client.submit_tasks("gated", [None] * 10)
        shop = street.open("serves", slots=2)
        street.wait_for_ledger("begin", lines=2)
        shop.signal(number)
        street.gate.touch()
        assert await asyncio.to_thread(shop.ended) == 0
        tasks = [await client.describe_task(each) for each in ids]
    ended = [task for task in tasks if task.status is TaskStatus.COMPLETED]
    waiting = [task for task in tasks if task.status is TaskStatus.PENDING]
    assert len(ended) + len(waiting) == 10
    assert len(ended) == len(street.ledger("begin"))
    assert {task.attempt for task in ended} == {1}
    assert {task.attempt for task in waiting} == {0}


@pytest.mark.parametrize("task_type", ["endless", "deaf"])
async def test_a_task_that_overruns_the_grace_period_is_tried_again_elsewhere(street: Street, task_type: str) -> None:
    shop = street.open("serves", grace=0.05)
    async with Holdfast.open(street.url) as client:
        handle = await client.submit_task(task_type)
        street.wait_for_ledger("begin")
        shop.signal(signal.SIGTERM)
        assert await asyncio.to_thread(shop.ended) == 0
        [attempt] = await handle.attempts()
        street.open("serves")
        street.wait_for_ledger("begin", lines=2)
    assert attempt.status is AttemptStatus.FAILED
    assert b"WorkerStopped" in (attempt.failure or b"")


async def test_an_operation_that_was_interrupted_runs_again(street: Street) -> None:
    shop = street.open("serves")
    async with Holdfast.open(street.url) as client:
        handle = await client.start("operating")
        street.wait_for_ledger("begin")
        shop.signal(signal.SIGTERM)
        assert await asyncio.to_thread(shop.ended) == 0
        street.gate.touch()
        other = street.open("serves")
        assert await handle.result(timeout=WITHIN) == other.pid
