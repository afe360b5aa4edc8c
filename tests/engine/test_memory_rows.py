"""The rows in memory refuse what a database would refuse, so that a test of the engine cannot pass on nonsense."""

import pytest
from msgspec.structs import replace

from holdfast.model.instants import Instant
from holdfast.model.statuses import TaskStatus
from holdfast.ports.store import Changes, HeldWanted, Wanted
from holdfast.testing.rows import MemoryRows
from tests.engine.world import ORDER, TENANT, World, offer


def started() -> MemoryRows:
    world = World()
    world.start()
    world.commit(executions_for=[offer()])
    return world.rows


def test_what_is_there_cannot_be_inserted() -> None:
    rows = started()
    with pytest.raises(AssertionError, match="is there already"):
        rows.write(Changes(new_executions=list(rows.executions.values())))


def test_what_is_not_there_cannot_be_changed() -> None:
    with pytest.raises(AssertionError, match="is not there"):
        MemoryRows().write(Changes(changed_executions=list(started().executions.values())))


def test_a_field_that_stores_do_not_write_cannot_be_changed() -> None:
    rows = started()
    altered = replace(rows.executions[TENANT, ORDER], kind="other")
    with pytest.raises(AssertionError, match="kind of"):
        rows.write(Changes(changed_executions=[altered]))


def test_only_what_the_workers_hold_is_held() -> None:
    rows = started()
    found = [rows.load(Wanted(held=HeldWanted(frozenset({worker}), 9))).held_executions for worker in ("w1", "w2")]  # type: ignore[arg-type]  # plain names
    assert found == [[(TENANT, ORDER)], []]


def test_the_next_wake_is_the_earliest_of_all() -> None:
    world = World()
    assert world.rows.next_wake() is None
    world.start(timeout_ms=500)
    world.submit_task(scheduled_at=Instant(world.now + 200))
    assert (world.rows.next_wake(), world.task().status) == (world.now + 200, TaskStatus.PENDING)


def test_a_copy_is_changed_apart() -> None:
    rows = started()
    copied = rows.copy()
    assert copied == rows
    copied.executions.clear()
    assert copied != rows
