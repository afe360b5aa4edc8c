"""The schedule machine: what starts when, what overlaps do, outages, hands of operators; each time starts one thing."""

from typing import Any

import msgspec
import pytest

from holdfast.model.commands import Completed
from holdfast.model.errors import HoldfastError, InvalidArgument, InvalidId, ScheduleNotFound
from holdfast.model.flow_requests import SaveFlow
from holdfast.model.ids import ExecutionId, TaskId
from holdfast.model.instants import Instant
from holdfast.model.requests import CompleteTask, FireIfDue, StartWorkflow
from holdfast.model.schedule_requests import (
    BackfillSchedule,
    DeleteSchedule,
    PauseSchedule,
    ResumeSchedule,
    SavedSchedule,
    SaveSchedule,
    TriggerSchedule,
)
from holdfast.model.schedules import (
    KEPT_RUNS,
    Overlap,
    RunOutcome,
    Schedule,
    ScheduleSpec,
    Starts,
    StartsFlow,
    StartsTask,
    StartsWorkflow,
    execution_of_time,
    task_named,
)
from holdfast.model.statuses import ExecutionStatus, TaskStatus
from holdfast.model.wakes import WakeSort
from tests.engine.world import QUEUE, TENANT, World
from tests.flow.sketches import sketch

MINUTE = 60_000
REPORT = StartsWorkflow("order", msgspec.Raw(b'{"a":1}'))
NIGHTLY = "nightly"


def spec(starts: Starts = REPORT, **fields: Any) -> ScheduleSpec:
    return ScheduleSpec(starts, **({"every_ms": MINUTE} | fields))


class Clockwork(World):
    """A world with a schedule in it."""

    def save(self, given: ScheduleSpec, identity: str = NIGHTLY) -> SavedSchedule:
        return self.ask(SaveSchedule(TENANT, identity, given))

    @property
    def schedule(self) -> Schedule:
        return self.rows.schedules[TENANT, NIGHTLY]

    @property
    def outcomes(self) -> list[RunOutcome]:
        """What has become of the nominal times, in their order."""
        return [each.outcome for each in reversed(self.schedule.recent)]

    def started(self) -> list[str]:
        return [identity for _, identity in self.rows.executions]

    def nominal(self, number: int) -> ExecutionId:
        """The id of what belongs to the minute of this number."""
        return execution_of_time(NIGHTLY, Instant(self.schedule.created_at + number * MINUTE))

    def end(self) -> None:
        """Let the execution that waits longest complete."""
        self.activate(outcome=Completed(b"null"))


@pytest.fixture
def world() -> Clockwork:
    return Clockwork()


def test_a_schedule_starts_a_workflow_at_each_of_its_times(world: Clockwork) -> None:
    saved = world.save(spec())
    assert (saved.created, saved.next_at) == (True, world.now + MINUTE)
    world.wait(MINUTE - 1)
    assert world.started() == []
    world.wait(1)
    started = world.execution(world.nominal(1))
    assert (started.kind, started.input, started.status) == ("order", b'{"a":1}', ExecutionStatus.PENDING)
    assert msgspec.json.decode(started.metadata)["schedule"] == NIGHTLY
    world.end()
    world.wait(MINUTE)
    assert world.started() == [world.nominal(1), world.nominal(2)]
    assert (world.schedule.started, world.schedule.next_at) == (2, world.now + MINUTE)


def test_a_schedule_submits_a_task_at_each_of_its_times(world: Clockwork) -> None:
    world.save(spec(StartsTask("pack", msgspec.Raw(b"[1]"), priority=7)))
    world.wait(MINUTE)
    identity = task_named(TENANT, world.nominal(1))
    task = world.rows.tasks[TENANT, identity]
    assert (task.task_type, task.input, task.priority, task.status) == ("pack", b"[1]", 7, TaskStatus.PENDING)
    assert list(world.schedule.running) == [identity]
    claim = world.claim_task()
    world.ask(CompleteTask(TENANT, claim.task_id, claim.token, b"1"))
    assert not world.schedule.running


def test_a_schedule_starts_a_flow_and_tells_it_the_time(world: Clockwork) -> None:
    world.ask(SaveFlow(TENANT, "report", msgspec.json.encode(sketch({"w": ("wait", {"amount": 1})}, name="report"))))
    world.save(spec(StartsFlow("report")))
    world.wait(MINUTE)
    run = world.execution(world.nominal(1))
    assert (run.kind, msgspec.json.decode(run.input)["schedule"]) == ("flow:report", NIGHTLY)
    world.wait(1_000)
    assert world.execution(world.nominal(1)).status is ExecutionStatus.COMPLETED
    assert world.schedule.running == ()


def test_a_flow_is_given_the_input_of_its_schedule(world: Clockwork) -> None:
    world.ask(SaveFlow(TENANT, "report", msgspec.json.encode(sketch({"a": "manual"}, name="report"))))
    world.save(spec(StartsFlow("report", msgspec.Raw(b"[7]"))))
    world.wait(MINUTE)
    assert world.execution(world.nominal(1)).output == b"[7]"


def test_what_cannot_be_started_is_put_on_record_and_stops_nothing(world: Clockwork) -> None:
    world.save(spec(StartsFlow("nothing")))
    world.save(spec(), "sound")
    world.wait(MINUTE)
    assert world.outcomes == [RunOutcome.FAILED]
    assert "nothing" in (world.schedule.recent[0].error or "")
    assert (world.schedule.failed, world.rows.schedules[TENANT, "sound"].started) == (1, 1)


# Overlaps.


def test_while_one_is_open_times_are_skipped(world: Clockwork) -> None:
    world.save(spec())
    for _ in range(3):
        world.wait(MINUTE)
    assert world.started() == [world.nominal(1)]
    assert world.outcomes == [RunOutcome.STARTED, RunOutcome.SKIPPED, RunOutcome.SKIPPED]
    world.end()
    world.wait(MINUTE)
    assert world.started() == [world.nominal(1), world.nominal(4)]


def test_one_time_waits_for_the_end_of_what_is_open(world: Clockwork) -> None:
    world.save(spec(overlap=Overlap.BUFFER_ONE))
    for _ in range(3):
        world.wait(MINUTE)
    assert world.outcomes == [RunOutcome.STARTED, RunOutcome.BUFFERED, RunOutcome.SKIPPED]
    world.end()
    assert world.started() == [world.nominal(1), world.nominal(2)]
    assert (world.schedule.buffered, world.schedule.running) == (None, (world.nominal(2),))


def test_they_may_run_beside_each_other(world: Clockwork) -> None:
    world.save(spec(overlap=Overlap.ALLOW))
    for _ in range(3):
        world.wait(MINUTE)
    assert len(world.started()) == 3


def test_what_is_open_is_asked_to_end_and_the_last_time_follows(world: Clockwork) -> None:
    world.save(spec(overlap=Overlap.CANCEL_OTHER))
    for _ in range(3):
        world.wait(MINUTE)
    assert world.execution(world.nominal(1)).cancel_requested
    assert world.outcomes == [RunOutcome.STARTED, RunOutcome.BUFFERED, RunOutcome.SKIPPED, RunOutcome.BUFFERED]
    world.end()
    assert world.started() == [world.nominal(1), world.nominal(3)]


def test_a_task_that_waits_is_cancelled_at_once_and_the_next_follows(world: Clockwork) -> None:
    world.save(spec(StartsTask("pack"), overlap=Overlap.CANCEL_OTHER))
    world.wait(MINUTE)
    world.wait(MINUTE)
    first, second = (world.rows.tasks[TENANT, task_named(TENANT, world.nominal(each))] for each in (1, 2))
    assert (first.status, second.status) == (TaskStatus.CANCELLED, TaskStatus.PENDING)


def test_what_has_been_removed_is_not_waited_for(world: Clockwork) -> None:
    world.save(spec())
    world.wait(MINUTE)
    world.rows.executions.clear()
    world.wait(MINUTE)
    assert world.started() == [world.nominal(2)]


# Outages.


def test_after_an_outage_times_within_the_window_are_made_up_for(world: Clockwork) -> None:
    world.save(spec(overlap=Overlap.ALLOW, catch_up_ms=3 * MINUTE))
    world.wait(10 * MINUTE)
    assert world.started() == [world.nominal(each) for each in (7, 8, 9, 10)]
    assert (world.schedule.missed, world.schedule.started) == (6, 4)


def test_many_times_are_made_up_for_in_several_transactions(world: Clockwork) -> None:
    world.save(spec(overlap=Overlap.ALLOW))
    world.wait(50 * MINUTE)
    assert 0 < world.schedule.started < 50
    while world.sweep():
        pass
    assert world.schedule.started == 50
    assert len(world.schedule.recent) == KEPT_RUNS


def test_a_schedule_that_ended_during_an_outage_rests(world: Clockwork) -> None:
    world.save(spec(not_after=Instant(world.now + 2 * MINUTE), catch_up_ms=MINUTE))
    world.wait(10 * MINUTE)
    assert (world.schedule.next_at, world.schedule.wake_at, world.schedule.missed) == (None, None, 2)
    assert world.started() == []


def test_the_same_time_starts_one_thing_whoever_acts_on_it(world: Clockwork) -> None:
    world.save(spec())
    world.wait(MINUTE)
    before = world.schedule
    world.rows.schedules[TENANT, NIGHTLY] = msgspec.structs.replace(
        before, next_at=Instant(world.now), wake_at=Instant(world.now), running=()
    )
    world.sweep()
    assert world.started() == [world.nominal(1)]


def test_an_index_fires_it_by_key_and_a_stale_entry_changes_nothing(world: Clockwork) -> None:
    world.save(spec())
    key = (WakeSort.SCHEDULE, TENANT, NIGHTLY)
    ask = FireIfDue(TENANT, (key, (WakeSort.SCHEDULE, TENANT, "gone")))
    (later,) = world.ask(ask).later
    assert (later.due, later.key, world.started()) == (world.now + MINUTE, key, [])
    world.clock.set(Instant(world.now + MINUTE))
    world.ask(ask)
    assert world.started() == [world.nominal(1)]


def test_many_schedules_of_one_moment_need_few_rounds(world: Clockwork) -> None:
    world.ask(SaveFlow(TENANT, "report", msgspec.json.encode(sketch({"a": "manual"}, name="report"))))
    for number in range(100):
        world.save(spec(StartsFlow("report") if number % 2 else REPORT), f"schedule-{number}")
    world.wait(MINUTE)
    assert len(world.started()) == 100
    assert world.rounds < 8


# Hands.


def test_the_same_again_changes_nothing_and_another_specification_counts_from_now(world: Clockwork) -> None:
    world.save(spec())
    again = world.save(spec())
    assert (again.created, again.next_at) == (False, world.now + MINUTE)
    world.wait(MINUTE // 2)
    changed = world.save(spec(every_ms=10 * MINUTE))
    assert (changed.created, changed.next_at) == (False, world.schedule.created_at + 10 * MINUTE)


def test_a_paused_schedule_lets_times_pass(world: Clockwork) -> None:
    world.save(spec())
    assert world.ask(PauseSchedule(TENANT, NIGHTLY, "holidays")).changed
    assert not world.ask(PauseSchedule(TENANT, NIGHTLY)).changed
    assert (world.schedule.reason, world.save(spec()).next_at) == ("holidays", None)
    world.wait(5 * MINUTE + 1)
    assert world.ask(ResumeSchedule(TENANT, NIGHTLY)).changed
    assert not world.ask(ResumeSchedule(TENANT, NIGHTLY)).changed
    world.wait(MINUTE)
    assert world.started() == [world.nominal(6)]


def test_a_paused_schedule_stays_so_when_it_changes(world: Clockwork) -> None:
    world.save(spec())
    world.ask(PauseSchedule(TENANT, NIGHTLY))
    assert world.save(spec(every_ms=2 * MINUTE)).next_at is None
    world.wait(10 * MINUTE)
    assert world.started() == []


def test_what_runs_ends_while_the_schedule_is_paused(world: Clockwork) -> None:
    world.save(spec(overlap=Overlap.BUFFER_ONE))
    world.wait(MINUTE)
    world.wait(MINUTE)
    world.ask(PauseSchedule(TENANT, NIGHTLY))
    world.end()
    assert (world.schedule.running, world.started()) == ((), [world.nominal(1)])


def test_it_is_started_by_hand_once_per_request(world: Clockwork) -> None:
    world.save(spec())
    world.ask(PauseSchedule(TENANT, NIGHTLY))
    first = world.ask(TriggerSchedule(TENANT, NIGHTLY, "r1"))
    again = world.ask(TriggerSchedule(TENANT, NIGHTLY, "r1"))
    assert (first.created, again.created, first.run_id) == (True, False, again.run_id)
    assert world.started() == [first.run_id]
    assert list(world.schedule.running) == [first.run_id]
    world.end()
    assert not world.schedule.running


def test_a_task_is_submitted_by_hand(world: Clockwork) -> None:
    world.save(spec(StartsTask("pack")))
    triggered = world.ask(TriggerSchedule(TENANT, NIGHTLY, "r1"))
    assert (TENANT, TaskId(triggered.run_id)) in world.rows.tasks
    assert not world.ask(TriggerSchedule(TENANT, NIGHTLY, "r1")).created


def test_a_stretch_is_made_up_for_where_nothing_was_started(world: Clockwork) -> None:
    world.save(spec())
    world.wait(MINUTE)
    made = world.schedule.created_at
    asked = BackfillSchedule(TENANT, NIGHTLY, Instant(made), Instant(made + 3 * MINUTE))
    done = world.ask(asked)
    assert (done.started, done.next_at) == (2, None)
    assert world.started() == [world.nominal(1), world.nominal(2), world.nominal(3)]
    assert world.ask(asked).started == 0


def test_a_long_stretch_is_made_up_for_in_parts(world: Clockwork) -> None:
    world.save(spec())
    made = world.schedule.created_at
    first = world.ask(BackfillSchedule(TENANT, NIGHTLY, Instant(made), Instant(made + 150 * MINUTE)))
    assert (first.started, first.next_at) == (100, made + 101 * MINUTE)
    rest = world.ask(BackfillSchedule(TENANT, NIGHTLY, Instant(made + 101 * MINUTE), Instant(made + 150 * MINUTE)))
    assert (rest.started, rest.next_at) == (50, None)


def test_a_deleted_schedule_starts_nothing_more(world: Clockwork) -> None:
    world.save(spec())
    world.wait(MINUTE)
    world.ask(DeleteSchedule(TENANT, NIGHTLY))
    world.end()
    world.wait(MINUTE)
    assert len(world.started()) == 1
    assert world.rows.schedules == {}


@pytest.mark.parametrize(
    "request_of_it",
    [
        DeleteSchedule(TENANT, "none"),
        PauseSchedule(TENANT, "none"),
        ResumeSchedule(TENANT, "none"),
        TriggerSchedule(TENANT, "none", "r"),
        BackfillSchedule(TENANT, "none", Instant(0), Instant(1)),
    ],
    ids=lambda asked: type(asked).__name__,
)
def test_what_is_not_there_is_not_found(world: Clockwork, request_of_it: Any) -> None:
    with pytest.raises(ScheduleNotFound):
        world.ask(request_of_it)


@pytest.mark.parametrize("identity", ["", "a b", "a@b", "x" * 250])
def test_an_id_leaves_room_for_those_that_are_made_of_it(world: Clockwork, identity: str) -> None:
    with pytest.raises((InvalidArgument, InvalidId)):
        world.save(spec(), identity)


def test_a_request_by_hand_has_an_id_and_a_stretch_an_order(world: Clockwork) -> None:
    world.save(spec())
    with pytest.raises(InvalidArgument, match="request id"):
        world.ask(TriggerSchedule(TENANT, NIGHTLY, ""))
    with pytest.raises(HoldfastError):
        world.ask(TriggerSchedule(TENANT, NIGHTLY, "x" * 300))
    with pytest.raises(InvalidArgument, match="earlier"):
        world.ask(BackfillSchedule(TENANT, NIGHTLY, Instant(2), Instant(1)))


def test_executions_whose_ids_look_like_a_schedule_s_end_as_others_do(world: Clockwork) -> None:
    identity = ExecutionId("nobody@2026-01-01T00:00:00Z")
    world.ask(StartWorkflow(TENANT, identity, "order", b"1", QUEUE))
    world.end()
    assert world.execution(identity).status is ExecutionStatus.COMPLETED
    world.save(spec())
    stranger = ExecutionId(f"{NIGHTLY}@2026-01-01T00:00:00Z")
    world.ask(StartWorkflow(TENANT, stranger, "order", b"1", QUEUE))
    world.end()
    assert world.schedule.started == 0
