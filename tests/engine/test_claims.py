"""Claims: who gets what, in which order, and with which events."""

from collections.abc import Sequence

import pytest

from holdfast.model import commands as ask
from holdfast.model import requests
from holdfast.model.ids import QueueName, TenantId
from holdfast.model.instants import Instant, Milliseconds
from holdfast.model.requests import Offer
from holdfast.testing.clock import ManualClock
from tests.engine.world import ORDER, QUEUE, TENANT, World, offer, task_id, task_offer


@pytest.mark.parametrize(
    ("waiting", "taken"),
    [
        (offer(kinds=["order"]), 1),
        (offer(kinds=["child"]), 0),
        (offer(slots=0), 0),
        (Offer(TENANT, offer().worker_id, QueueName("other"), offer().kinds, 1), 0),
        (Offer(TenantId("other"), offer().worker_id, QUEUE, offer().kinds, 1), 0),
    ],
)
def test_a_worker_gets_only_what_it_asked_for(waiting: Offer, taken: int) -> None:
    world = World()
    start = requests.StartWorkflow(TENANT, ORDER, "order", b"1", QUEUE)
    outcome = world.commit(start, executions_for=[waiting])
    assert len(outcome.executions_given[0]) == taken
    assert [left.id for left in outcome.executions_left] == [ORDER] * (1 - taken)


HOUR_AGO = Instant(ManualClock().now() - 3_600_000)


def claimed(world: World, *offers: Offer) -> list[list[str]]:
    return [[claim.task_id for claim in given] for given in world.commit(tasks_for=offers).tasks_given]


def submitted(**tasks: dict[str, object]) -> World:
    world = World()
    for number, options in tasks.items():
        world.submit_task(int(number[1:]), **options)
        world.clock.set(Instant(world.now + 1))
    return world


@pytest.mark.parametrize(
    ("tasks", "order"),
    [
        ({"t1": {}, "t2": {}}, [1, 2]),
        ({"t1": {"priority": 1}, "t2": {"priority": 2}}, [2, 1]),
        ({"t1": {"scheduled_at": Instant(7_000)}, "t2": {}}, [2, 1]),
        ({"t1": {"scheduled_at": HOUR_AGO}, "t2": {"scheduled_at": Instant(HOUR_AGO - 1_000)}}, [2, 1]),
        ({"t1": {}, "t2": {"scheduled_at": HOUR_AGO, "priority": 1}}, [2, 1]),
    ],
)
def test_tasks_are_given_in_their_order(tasks: dict[str, dict[str, object]], order: Sequence[int]) -> None:
    world = submitted(**tasks)
    assert claimed(world, task_offer(slots=2)) == [[task_id(number) for number in order]]


def test_what_comes_in_one_batch_is_given_in_the_same_order_if_not_all_of_it_fits() -> None:
    world = World()
    new = [
        requests.NewTask(task_id(number), "charge", b"1", QUEUE, priority=priority)
        for number, priority in enumerate([0, 2, 1], 1)
    ]
    outcome = world.commit(requests.SubmitTasks(TENANT, tuple(new)), tasks_for=[task_offer(slots=2)])
    assert [claim.task_id for claim in outcome.tasks_given[0]] == [task_id(2), task_id(3)]


def test_work_is_spread_over_the_workers_that_wait() -> None:
    world = submitted(t1={}, t2={}, t3={})
    assert [len(given) for given in claimed(world, task_offer("w1", 2), task_offer("w2", 2))] == [2, 1]


def test_a_new_claim_brings_the_whole_of_a_short_history() -> None:
    world = World()
    world.start()
    world.activate(ask.SetState("k", b"1"))
    world.ask(requests.SignalWorkflow(TENANT, ORDER, "go", b"1"))
    claim = world.claim()
    assert ([event.sequence for event in claim.events], claim.seen_sequence) == ([1, 2, 3], 2)


def test_a_new_claim_brings_what_is_unseen_of_a_long_history() -> None:
    world = World()
    world.start()
    world.activate(*[ask.SetState("k", b"1")] * 80)
    world.ask(requests.SignalWorkflow(TENANT, ORDER, "go", b"1"))
    assert [event.sequence for event in world.claim().events] == [82]


def test_a_handed_off_claim_brings_the_events_of_its_batch() -> None:
    world = World()
    world.start()
    world.activate(ask.SetState("k", b"1"))
    signal = requests.SignalWorkflow(TENANT, ORDER, "go", b"1")
    ((claim,),) = world.commit(signal, executions_for=[offer()]).executions_given
    assert [event.type for event in claim.events] == ["SIGNAL_RECEIVED"]


def test_a_claim_wakes_the_scheduler_when_its_lease_or_its_limit_ends() -> None:
    world = World()
    world.submit_task(options=ask.TaskOptions(start_to_close_ms=Milliseconds(700)))
    assert world.commit(tasks_for=[task_offer()]).next_wake == world.now + 700
    world.start()
    assert world.commit(executions_for=[offer()]).next_wake == world.now + 30_000
