"""Schedule triggers of flows are schedules: made, changed and removed with the definition."""

from typing import Any

import msgspec
import pytest

from holdfast.engine.flow.loading import load
from holdfast.engine.schedules import AT_ONCE
from holdfast.model.errors import InvalidFlow
from holdfast.model.flow_requests import SavedFlow, SaveFlow, StartFlow
from holdfast.model.ids import ALL_TENANTS, ExecutionId
from holdfast.model.instants import Instant
from holdfast.model.requests import FireDue, Started
from holdfast.model.schedule_requests import PauseSchedule
from holdfast.model.statuses import ExecutionStatus
from tests.engine.world import QUEUE, TENANT, World
from tests.flow.sketches import Kind, sketch

ID = "flow/report/clock"


def save(world: World, **nodes: Kind) -> SavedFlow:
    return world.ask(SaveFlow(TENANT, "report", msgspec.json.encode(sketch(nodes, name="report"))))


def clock(**parameters: Any) -> Kind:
    return ("schedule", {"every_seconds": 60} | parameters)


def test_the_clock_starts_the_flow_at_its_trigger() -> None:
    world = World()
    save(world, clock=clock(), other="manual")
    world.wait(60_000)
    (run,) = world.rows.executions.values()
    assert msgspec.json.decode(run.input)["schedule"] == ID
    assert list(msgspec.json.decode(run.output or b"")) == ["clock"]
    save(world, clock=clock(input={"a": 1}), other="manual")
    world.wait(60_000)
    assert [each.input for each in world.rows.executions.values()][1] == b'{"a":1}'


def test_runs_that_end_at_once_do_not_make_one_transaction_make_up_for_a_day() -> None:
    world = World()
    save(world, clock=clock(every_seconds=1, overlap="allow"))
    world.clock.set(Instant(world.now + 3_600_000))
    for sweep in range(1, 4):
        world.commit(FireDue(ALL_TENANTS, 100))
        assert len(world.rows.executions) == sweep * AT_ONCE


def test_versions_of_one_batch_follow_each_other_and_can_be_started_in_it() -> None:
    world = World()
    given = [msgspec.json.encode(sketch({"a": "manual", f"b{each}": "log"}, name="f")) for each in range(2)]
    saves = [SaveFlow(TENANT, "f", each) for each in (*given, given[1])]
    start = StartFlow(TENANT, ExecutionId("run-1"), "f", b"1", QUEUE)
    *saved, started = world.commit(*saves, start).replies
    assert saved == [SavedFlow("f", 1, True), SavedFlow("f", 2, True), SavedFlow("f", 2, False)]
    assert isinstance(started, Started)
    assert world.execution("run-1").status is ExecutionStatus.COMPLETED


def test_a_trigger_that_is_gone_starts_nothing_more_and_one_that_stays_stays_paused() -> None:
    world = World()
    save(world, clock=clock(), second=clock())
    world.ask(PauseSchedule(TENANT, ID, "holidays"))
    save(world, clock=clock(overlap="allow"))
    (schedule,) = world.rows.schedules.values()
    assert (schedule.id, schedule.paused, schedule.spec.overlap) == (ID, True, "allow")
    save(world, clock="manual")
    assert world.rows.schedules == {}


def test_the_same_definition_again_changes_no_schedule() -> None:
    world = World()
    save(world, clock=clock())
    before = dict(world.rows.schedules)
    assert not save(world, clock=clock()).created
    assert world.rows.schedules == before


def test_a_schedule_that_was_deleted_by_hand_comes_back_with_the_next_version() -> None:
    world = World()
    save(world, clock=clock())
    world.rows.schedules.clear()
    save(world, start="manual")
    save(world, clock=clock())
    assert list(world.rows.schedules) == [(TENANT, ID)]


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"every_seconds": None, "cron": "0 9 * *"}, "cron"),
        ({"every_seconds": None}, "cron"),
        ({"cron": "0 9 * * *"}, "cron"),
        ({"every_seconds": 0}, "every_seconds"),
        ({"timezone": "Mars"}, "timezone"),
        ({"input": "{{ 1 + 1 }}"}, "input"),
    ],
)
def test_what_can_never_be_carried_out_is_refused_when_the_flow_is_saved(
    parameters: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidFlow) as refusal:
        load(sketch({"clock": clock(**parameters)}))
    assert refusal.value.problems[0].path == f"nodes[0].parameters.{field}"


def test_a_cron_line_in_a_zone_is_sound() -> None:
    load(sketch({"clock": clock(every_seconds=None, cron="30 9 * * 1-5", timezone="Europe/Vienna")}))
