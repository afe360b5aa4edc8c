"""The simulation is only as good as the bugs that it catches: each of these was planted, or was ours."""

import gc
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from holdfast.engine import activation, tasks
from holdfast.engine.state import ExecutionKey, State
from holdfast.model.errors import StaleClaim
from holdfast.model.ids import ClaimToken, TaskId, TenantId
from holdfast.model.records import Execution, Task
from holdfast.model.statuses import TaskStatus
from holdfast.sdk.replay.run import WorkflowRun
from holdfast.server.dispatch import Standing
from holdfast.server.host import EngineHost
from holdfast.server.scheduler import Scheduler
from holdfast.testing.faults import FaultRates
from holdfast.worker.cache import Key, RunCache
from tests.simulation.cluster import NEVER, Shape
from tests.simulation.programs import CASES, Case
from tests.simulation.runs import simulate

SEEDS = range(2_000, 2_012)
Plant = Callable[[pytest.MonkeyPatch], None]


def no_fencing_of_executions(planted: pytest.MonkeyPatch) -> None:
    def held(execution: Execution, _: ClaimToken) -> Execution:
        return execution

    planted.setattr(activation, "_held", held)


def no_fencing_of_tasks(planted: pytest.MonkeyPatch) -> None:
    def held(state: State, tenant: TenantId, task_id: TaskId, _: ClaimToken, *__: TaskStatus) -> Task | None:
        task = state.tasks.rows[tenant, task_id]
        return task if task.status is TaskStatus.RUNNING else None

    planted.setattr(tasks, "_held", held)


def leases_never_run_out(planted: pytest.MonkeyPatch) -> None:
    def look(state: State, key: ExecutionKey) -> None:
        state.executions.change(key, replace(state.executions.rows[key], wake_at=None))

    planted.setattr(activation, "look", look)


def an_activation_sent_again_is_applied_again(planted: pytest.MonkeyPatch) -> None:
    def held(execution: Execution, token: ClaimToken) -> Execution:
        if execution.closed or execution.claim_token - token not in (0, 1):
            raise StaleClaim("workflow", execution.id)
        return execution

    planted.setattr(activation, "_accepted_before", lambda execution, token: False)
    planted.setattr(activation, "_held", held)


def a_suspend_forgets_what_came_meanwhile(planted: pytest.MonkeyPatch) -> None:
    real = activation._suspend
    planted.setattr(activation, "_suspend", lambda state, execution, grown: real(state, execution, False))


def an_unclear_commit_is_taken_for_a_failed_one(planted: pytest.MonkeyPatch) -> None:
    planted.setattr(EngineHost, "_may_have_committed", lambda self: None)


def code_in_memory_is_trusted_blindly(planted: pytest.MonkeyPatch) -> None:
    def take(self: RunCache, key: Key, _: ClaimToken) -> WorkflowRun | None:
        kept = self._runs.pop(key, None)
        return None if kept is None else kept.run

    planted.setattr(RunCache, "take", take)


def timers_are_never_looked_for(planted: pytest.MonkeyPatch) -> None:
    planted.setattr(Scheduler, "poke", lambda self, wake: None)


def work_that_nobody_took_is_forgotten(planted: pytest.MonkeyPatch) -> None:
    planted.setattr(Standing, "fits", lambda self, tenant, queue, kind: False)
    planted.setattr(Standing, "look_again", lambda self: None)


DEAF = Shape(engines=1, remote_workers=2, crash_every=NEVER, rates=FaultRates(reply_lost=0.3, longest_delay=0.4))
UNCLEAR = Shape(engines=1, remote_workers=0, crash_every=NEVER, freeze_every=NEVER, rates=FaultRates(unclear=0.3))
HANDED_ROUND = Shape(slots=1, crash_every=NEVER, freeze_every=NEVER, outage_every=NEVER, rates=FaultRates(conflict=0.1))
"""Work rarely finds a free worker at once: it goes through the store, and to another worker each time."""
ZOMBIES = Shape(remote_workers=3, crash_every=NEVER, freeze_every=3, outage_every=NEVER, rates=FaultRates(stall=0.05))
"""Workers sleep longer than their leases last, and then go on as if nothing had happened."""
USUAL = Shape()

LABOUR = {f"labour{number}": CASES["labour"] for number in range(6)}
"""Long tasks whose result tells which try it is of."""

PLANTS: list[tuple[Plant, Shape, dict[str, Case]]] = [
    (no_fencing_of_executions, ZOMBIES, CASES),
    (no_fencing_of_tasks, ZOMBIES, LABOUR),
    (leases_never_run_out, USUAL, CASES),
    (an_activation_sent_again_is_applied_again, DEAF, CASES),
    (a_suspend_forgets_what_came_meanwhile, USUAL, CASES),
    (an_unclear_commit_is_taken_for_a_failed_one, UNCLEAR, CASES),
    (code_in_memory_is_trusted_blindly, HANDED_ROUND, CASES),
    (timers_are_never_looked_for, USUAL, CASES),
    (work_that_nobody_took_is_forgotten, HANDED_ROUND, CASES),
]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # bugs leave things behind
@pytest.mark.parametrize(("plant", "shape", "cases"), PLANTS, ids=[plant.__name__ for plant, _, _ in PLANTS])
def test_it_is_caught(plant: Plant, shape: Shape, cases: dict[str, Case], monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    with pytest.raises(AssertionError):
        run_storms(shape, cases)
    gc.collect()


@pytest.mark.parametrize("shape", [DEAF, UNCLEAR, HANDED_ROUND, ZOMBIES], ids=["deaf", "unclear", "handed", "zombies"])
def test_without_a_bug_the_same_storms_end_well(shape: Shape) -> None:
    simulate(SEEDS[0], shape)


def run_storms(shape: Shape, cases: dict[str, Case]) -> None:
    for seed in SEEDS:
        simulate(seed, shape, cases=cases)
