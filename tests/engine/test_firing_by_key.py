"""An index names rows that it takes for due; the rows decide."""

from holdfast.model.commands import CreatePromise, StartTimer
from holdfast.model.ids import PromiseId
from holdfast.model.instants import Instant, Milliseconds
from holdfast.model.requests import ExtendClaim, FireIfDue, NotYet
from holdfast.model.statuses import ExecutionStatus, PromiseStatus
from holdfast.model.wakes import WakeKey, WakeSort, WakeUp
from tests.engine.world import ORDER, TENANT, World, task_id, timer_id

TIMER = WakeSort.TIMER, TENANT, timer_id(1)
TASK = WakeSort.TASK, TENANT, task_id(1)
PROMISE = WakeSort.PROMISE, TENANT, "promise-1"
EXECUTION = WakeSort.EXECUTION, TENANT, ORDER
ALL = (TIMER, TASK, PROMISE, EXECUTION)


def with_something_of_each_sort() -> World:
    """All of it is due 500 ms after now, the execution for its deadline."""
    world = World()
    world.start(timeout_ms=500)
    promise = CreatePromise(PromiseId("promise-1"), "approval", Milliseconds(500))
    world.activate(StartTimer(timer_id(1), Milliseconds(500)), promise)
    world.submit_task(scheduled_at=Instant(world.now + 500))
    return world


def fire(world: World, *keys: WakeKey) -> NotYet:
    return world.ask(FireIfDue(TENANT, keys))


def test_nothing_fires_before_its_time_and_the_index_is_told_when_that_is() -> None:
    world = with_something_of_each_sort()
    before = world.rows.copy()
    due = Instant(world.now + 500)
    assert fire(world, *ALL) == NotYet(tuple(WakeUp(due, *key) for key in ALL))
    assert world.rows == before


def test_each_sort_of_row_is_acted_on_when_it_is_due() -> None:
    world = with_something_of_each_sort()
    world.clock.set(Instant(world.now + 500))
    assert fire(world, TIMER, TASK, PROMISE) == NotYet(())
    assert world.task().ready
    assert world.promise().status is PromiseStatus.TIMED_OUT
    assert world.events()[-2:] == ["TIMER_FIRED", "PROMISE_TIMED_OUT"]


def test_an_overdue_execution_ends_with_all_that_it_leaves_open() -> None:
    world = with_something_of_each_sort()
    world.clock.set(Instant(world.now + 500))
    assert fire(world, EXECUTION) == NotYet(())
    assert (world.execution().status, world.rows.timers) == (ExecutionStatus.FAILED, {})


def test_what_was_named_twice_or_fired_before_or_never_was_changes_nothing() -> None:
    world = with_something_of_each_sort()
    world.clock.set(Instant(world.now + 500))
    fire(world, TIMER, TIMER)
    before = world.rows.copy()
    never = tuple((sort, TENANT, "no-such-row") for sort in WakeSort)
    assert fire(world, TIMER, *never) == NotYet(())
    assert world.rows == before
    assert world.events().count("TIMER_FIRED") == 1


def test_a_lease_that_is_extended_in_the_same_batch_is_not_taken() -> None:
    world = World()
    world.start()
    claim = world.claim()
    world.clock.set(Instant(world.now + 30_000))
    extend = ExtendClaim(TENANT, claim.execution_id, claim.token)
    replies = world.commit(extend, FireIfDue(TENANT, (EXECUTION,))).replies
    assert replies[1] == NotYet((WakeUp(Instant(world.now + 30_000), *EXECUTION),))
    assert world.execution().claim_token == claim.token
