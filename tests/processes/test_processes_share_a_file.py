"""Several processes on one file share its work, and one that has lost its lease changes nothing."""

import asyncio
import signal

import pytest

from holdfast import Holdfast
from holdfast.app.handles import TaskHandle, WorkflowHandle
from holdfast.model.statuses import AttemptStatus
from tests.processes.support import WITHIN, Shop, Street

pytestmark = pytest.mark.processes

LEASE = 400


async def test_two_processes_share_the_work(street: Street) -> None:
    shops = [street.open("serves", slots=1), street.open("serves", slots=1)]
    async with Holdfast.open(street.url) as client:
        handles = [await client.submit_task("gated") for _ in range(6)]
        await asyncio.to_thread(street.wait_for_ledger, "begin", lines=2)
        street.gate.touch()
        pids = [await handle.result(timeout=WITHIN) for handle in handles]
    assert set(pids) == {shop.pid for shop in shops}
    assert len(street.ledger("end")) == 6


async def paused_past_its_lease(street: Street, handle: TaskHandle[int] | WorkflowHandle[int]) -> tuple[Shop, Shop]:
    """The first shop sleeps until another has done its work, then wakes and ends its own."""
    zombie = next(shop for shop in street.shops if [str(shop.pid)] == [line[1] for line in street.ledger("begin")])
    zombie.signal(signal.SIGSTOP)
    heir = street.open("serves", lease=LEASE)
    await asyncio.to_thread(street.wait_for_ledger, "begin", heir.pid)
    street.gate.touch()
    assert await handle.result(timeout=WITHIN) == heir.pid
    zombie.signal(signal.SIGCONT)
    return zombie, heir


async def test_a_zombie_cannot_complete_its_task(street: Street) -> None:
    street.open("serves", lease=LEASE)
    async with Holdfast.open(street.url) as client:
        handle: TaskHandle[int] = await client.submit_task("gated")
        await asyncio.to_thread(street.wait_for_ledger, "begin")
        zombie, heir = await paused_past_its_lease(street, handle)
        zombie.signal(signal.SIGTERM)
        assert await asyncio.to_thread(zombie.ended) == 0
        attempts = [(each.attempt, each.status) for each in await handle.attempts()]
        assert await client.task_handle(handle.id).result() == heir.pid
    assert attempts == [(1, AttemptStatus.LOST), (2, AttemptStatus.COMPLETED)]


async def test_a_zombie_cannot_record_its_operation(street: Street) -> None:
    street.open("serves", lease=LEASE)
    async with Holdfast.open(street.url) as client:
        handle: WorkflowHandle[int] = await client.start("operating")
        await asyncio.to_thread(street.wait_for_ledger, "begin")
        zombie, heir = await paused_past_its_lease(street, handle)
        zombie.signal(signal.SIGTERM)
        assert await asyncio.to_thread(zombie.ended) == 0
        types = [event.type for event in await handle.history()]
        assert await client.handle(handle.id).result() == heir.pid
    assert types == ["WORKFLOW_STARTED", "OPERATION_COMPLETED", "WORKFLOW_COMPLETED"]
