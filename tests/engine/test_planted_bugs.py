"""The tests of the tests: each bug that engines of this kind have had is planted, and random requests must find it."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from holdfast.engine import activation, closing, executions, promises, resuming, revival, tasks, timers
from holdfast.engine.decide import DECISIONS
from holdfast.engine.state import State
from holdfast.model.errors import HoldfastError
from holdfast.model.requests import Done, MoveTimer, ReleaseTask
from holdfast.model.statuses import ExecutionStatus, TaskStatus
from holdfast.server.batch import Batch
from tests.engine.exploration import Exploration, Scope
from tests.engine.machine import Wanderer

pytestmark = pytest.mark.slow

Plant = Callable[[pytest.MonkeyPatch], None]


def no_fencing_of_tasks(patch: pytest.MonkeyPatch) -> None:
    def held(state: State, tenant: Any, task_id: Any, _token: object, *_: object) -> object:
        task = state.tasks.rows[tenant, task_id]
        return task if task.status is TaskStatus.RUNNING else None

    patch.setattr(tasks, "_held", held)


def no_fencing_of_executions(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(activation, "_held", lambda execution, _: execution)


def a_suspend_forgets_what_came_meanwhile(patch: pytest.MonkeyPatch) -> None:
    conclude = activation._conclude
    patch.setattr(
        activation, "_conclude", lambda state, key, request, _grown, turn: conclude(state, key, request, False, turn)
    )


def wakes_only_who_waits(patch: pytest.MonkeyPatch) -> None:
    wake = executions.wake

    def forgetful(state: State, key: Any, *facts: Any, ended_items: int = 0) -> bool:
        row = state.executions.rows.get(key)
        waits = row is not None and row.status is ExecutionStatus.WAITING
        return waits and wake(state, key, *facts, ended_items=ended_items)

    patch.setattr(executions, "wake", forgetful)


def open_items_are_not_counted_down(patch: pytest.MonkeyPatch) -> None:
    wake = executions.wake

    def uncounted(state: State, key: Any, *facts: Any, **_: int) -> bool:
        return wake(state, key, *facts)

    patch.setattr(executions, "wake", uncounted)


def a_reclaimed_execution_keeps_its_lease(patch: pytest.MonkeyPatch) -> None:
    let_go = activation.let_go

    def kept(execution: Any, status: Any, token_step: int) -> object:
        return replace(let_go(execution, status, token_step), lease_expires_at=execution.lease_expires_at)

    patch.setattr(activation, "let_go", kept)


def a_reclaimed_task_keeps_its_lease(patch: pytest.MonkeyPatch) -> None:
    give_back = tasks.give_back

    def kept(state: State, task: Any, at: Any) -> None:
        give_back(state, task, at)
        key = task.tenant, task.id
        state.tasks.change(key, replace(state.tasks.rows[key], lease_expires_at=task.lease_expires_at))

    patch.setattr(tasks, "give_back", kept)


def a_lost_try_leaves_no_record(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(tasks, "lose", lambda state, task: tasks.give_back(state, task, state.now))


def a_repeated_failure_burns_two_attempts(patch: pytest.MonkeyPatch) -> None:
    held = tasks._held

    def careless(state: State, tenant: Any, task_id: Any, token: Any, *settled: TaskStatus) -> object:
        task = held(state, tenant, task_id, token, *settled)
        repeated = state.tasks.rows[tenant, task_id]
        return repeated if task is None and repeated.status is TaskStatus.PENDING else task

    patch.setattr(tasks, "_held", careless)


def terminating_looks_like_accepting(patch: pytest.MonkeyPatch) -> None:
    close = closing.close
    patch.setattr(closing, "close", lambda *args, **named: close(*args, **(named | {"token_step": 1})))


def closing_leaves_timers_armed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(State, "open_timers", lambda _state, _key: [])


def asking_counts_as_having_loaded(patch: pytest.MonkeyPatch) -> None:
    decide_one = Batch._decide_one

    def hasty(batch: Batch, state: State, request: Any) -> object:
        try:
            return decide_one(batch, state, request)
        except HoldfastError:
            raise
        except Exception as more:
            state.opened.update(getattr(more, "open_items_of", ()))
            raise

    patch.setattr(Batch, "_decide_one", hasty)


def an_error_undoes_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(State, "roll_back", lambda _state, _mark: None)


def the_end_of_a_cancelled_task_counts_as_seen(patch: pytest.MonkeyPatch) -> None:
    cancel_task = activation._cancel_task
    patch.setattr(activation, "_cancel_task", lambda *args: cancel_task(*args) and False)


def timers_fire_early(patch: pytest.MonkeyPatch) -> None:
    def move(state: State, request: Any) -> object:
        timers.fire(state, (request.tenant, request.timer_id))
        return Done()

    patch.setitem(DECISIONS, MoveTimer, move)


def a_signal_counts_every_time(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(State, "use_key", lambda _state, _key: None)


def a_promise_settles_twice(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(promises, "_end", lambda _state, _key, _status: None)


def a_retry_forgets_what_ended_unheard(patch: pytest.MonkeyPatch) -> None:
    open_again = resuming._open_again
    patch.setattr(resuming, "_open_again", lambda *args, **named: open_again(*args, **named)[:0])


def a_reset_opens_nothing_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(resuming, "_open_again", lambda *_, **__: [])


def a_reset_calls_nothing_off(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(resuming, "_call_off", lambda *_: None)


def a_reset_leaves_the_state_as_it_is(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(resuming, "_roll_state_back", lambda *_: None)


def what_is_void_is_not_counted(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(resuming, "_still_ending", lambda *_: 0)


def a_reset_looks_like_an_accepted_activation(patch: pytest.MonkeyPatch) -> None:
    go_on = resuming._go_on

    def keeping_the_token(state: State, key: Any, *args: Any, **named: Any) -> None:
        token = state.executions.rows[key].claim_token
        go_on(state, key, *args, **named)
        state.executions.change(key, replace(state.executions.rows[key], claim_token=token))

    patch.setattr(resuming, "_go_on", keeping_the_token)


def a_child_may_be_retried_apart(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(revival, "is_for_its_parent", lambda _state, _execution: False)


def a_release_costs_an_attempt(patch: pytest.MonkeyPatch) -> None:
    def release(state: State, request: Any) -> object:
        task = tasks._held(state, request.tenant, request.task_id, request.token)
        if task is not None:
            tasks.give_back(state, task, state.now)
        return Done()

    patch.setitem(DECISIONS, ReleaseTask, release)


PLANTS: tuple[Plant, ...] = (
    no_fencing_of_tasks,
    no_fencing_of_executions,
    a_suspend_forgets_what_came_meanwhile,
    wakes_only_who_waits,
    open_items_are_not_counted_down,
    a_reclaimed_execution_keeps_its_lease,
    a_reclaimed_task_keeps_its_lease,
    a_lost_try_leaves_no_record,
    a_repeated_failure_burns_two_attempts,
    terminating_looks_like_accepting,
    closing_leaves_timers_armed,
    asking_counts_as_having_loaded,
    an_error_undoes_nothing,
    the_end_of_a_cancelled_task_counts_as_seen,
    timers_fire_early,
    a_signal_counts_every_time,
    a_promise_settles_twice,
    a_retry_forgets_what_ended_unheard,
    a_reset_opens_nothing_again,
    a_reset_calls_nothing_off,
    a_reset_leaves_the_state_as_it_is,
    a_reset_looks_like_an_accepted_activation,
    what_is_void_is_not_counted,
    a_child_may_be_retried_apart,
    a_release_costs_an_attempt,
)


WALKS, STEPS = 100, 150
MOST_SCENES = 6_000


def walk_on() -> None:
    for seed in range(WALKS):
        Wanderer(seed).walk(STEPS)


def test_without_a_planted_bug_nothing_is_found() -> None:
    walk_on()


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)
def test_a_planted_bug_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    with pytest.raises((AssertionError, KeyError, HoldfastError)):
        walk_on()


@pytest.mark.parametrize(
    "plant",
    [
        no_fencing_of_executions,
        a_suspend_forgets_what_came_meanwhile,
        wakes_only_who_waits,
        open_items_are_not_counted_down,
    ],
    ids=lambda plant: plant.__name__,
)
def test_a_planted_bug_is_found_in_a_small_scope(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    with pytest.raises((AssertionError, HoldfastError)):
        Exploration(Scope(tasks=2, timers=1, failures=1, duplicates=1)).run(MOST_SCENES)
