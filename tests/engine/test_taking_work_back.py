"""Work of a worker that is gone is taken back: only its own tenant's, and only what it has been silent about."""

import pytest

from holdfast.model.ids import ALL_TENANTS, TenantId, WorkerId
from holdfast.model.instants import Instant
from holdfast.model.requests import ExtendClaim, ReclaimWorkers
from holdfast.model.statuses import ExecutionStatus, TaskStatus
from tests.engine.world import TENANT, World

W1 = (WorkerId("w1"),)


def holding() -> World:
    """A worker holds a task and an execution."""
    world = World()
    world.submit_task()
    world.claim_task()
    world.start()
    world.claim()
    return world


def test_what_a_worker_is_silent_about_is_taken_back() -> None:
    world = holding()
    world.clock.set(Instant(world.now + 10))
    world.ask(ReclaimWorkers(TENANT, W1, 10, silent_since=world.now))
    assert world.task().status is TaskStatus.PENDING
    assert world.execution().status is ExecutionStatus.PENDING


def test_what_was_claimed_or_extended_since_is_left_alone() -> None:
    world = World()
    world.start()
    claim = world.claim()
    world.clock.set(Instant(world.now + 10))
    since = world.now
    world.ask(ExtendClaim(TENANT, claim.execution_id, claim.token))
    world.submit_task()
    world.claim_task()
    world.ask(ReclaimWorkers(TENANT, W1, 10, silent_since=since))
    assert world.task().status is TaskStatus.RUNNING
    assert world.execution().status is ExecutionStatus.RUNNING


@pytest.mark.parametrize("tenant", [TENANT, ALL_TENANTS])
def test_one_tenant_or_all(tenant: TenantId) -> None:
    world = holding()
    world.ask(ReclaimWorkers(tenant, W1, 10))
    assert world.task().status is TaskStatus.PENDING


def test_a_worker_of_the_same_name_in_another_tenant_loses_nothing() -> None:
    world = holding()
    world.ask(ReclaimWorkers(TenantId("other"), W1, 10))
    assert world.task().status is TaskStatus.RUNNING
    assert world.execution().status is ExecutionStatus.RUNNING
