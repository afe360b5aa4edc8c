"""What a start does when its id or its idempotency key was used before."""

import pytest
from msgspec.structs import replace

from holdfast.model import errors, requests
from holdfast.model.commands import Completed, Failed, Outcome
from holdfast.model.ids import ExecutionId
from holdfast.model.instants import Milliseconds
from holdfast.model.statuses import ExecutionStatus, ReusePolicy
from tests.engine.world import BOOM, ORDER, QUEUE, TENANT, World

POLICIES = list(ReusePolicy)
DAY = Milliseconds(86_400_000)
FIRST = requests.StartWorkflow(TENANT, ORDER, "order", b"1", QUEUE, idempotency_key="today")


def start(identity: str, policy: ReusePolicy = ReusePolicy.RETURN_EXISTING) -> requests.StartWorkflow:
    return replace(FIRST, execution_id=ExecutionId(identity), reuse_policy=policy)


def world_with(outcome: Outcome | None) -> World:
    world = World()
    world.ask(FIRST)
    if outcome is not None:
        world.activate(outcome=outcome)
    return world


def reply_to(world: World, request: requests.StartWorkflow) -> tuple[str, bool] | type:
    reply = world.commit(request).replies[0]
    return (reply.execution_id, reply.created) if isinstance(reply, requests.Started) else type(reply)


OLD, NEW = (ORDER, False), ("second", True)
REFUSED = errors.AlreadyStarted


@pytest.mark.parametrize(
    ("outcome", "answers"),
    [
        (None, [OLD, REFUSED, NEW, REFUSED, REFUSED]),
        (Completed(b"7"), [OLD, REFUSED, NEW, NEW, REFUSED]),
        (Failed(BOOM), [OLD, REFUSED, NEW, NEW, NEW]),
    ],
)
def test_the_policy_says_what_a_used_key_means(outcome: Outcome | None, answers: list[object]) -> None:
    assert [reply_to(world_with(outcome), start("second", policy)) for policy in POLICIES] == answers


def test_an_open_execution_is_ended_before_another_takes_its_place() -> None:
    world = world_with(None)
    assert reply_to(world, start("second", ReusePolicy.TERMINATE_AND_START)) == NEW
    assert world.rows.executions[TENANT, ORDER].status is ExecutionStatus.TERMINATED
    assert reply_to(world, start("third")) == ("second", False)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_start_that_is_sent_again_finds_its_own_execution(policy: ReusePolicy) -> None:
    world = World()
    assert reply_to(world, start("first", policy)) == ("first", True)
    assert reply_to(world, start("first", policy)) == ("first", False)


def test_a_key_lapses() -> None:
    world = world_with(None)
    again = replace(start("second"), key_ttl_ms=DAY)
    world.wait(DAY - 1)
    assert reply_to(world, again) == OLD
    world.wait(1)
    assert reply_to(world, again) == NEW
    assert reply_to(world, start("third")) == ("second", False)


def test_two_starts_of_one_batch_share_a_key() -> None:
    world = World()
    replies = world.commit(start("first"), start("second")).replies
    assert [(reply.execution_id, reply.created) for reply in replies] == [("first", True), ("first", False)]  # type: ignore[attr-defined]  # each is a Started


def test_the_last_use_of_a_key_in_a_batch_counts() -> None:
    world = World()
    world.commit(start("first"), start("second", ReusePolicy.TERMINATE_AND_START))
    assert reply_to(world, start("third")) == ("second", False)


def test_other_work_under_a_used_key_is_refused() -> None:
    world = world_with(None)
    assert reply_to(world, replace(start("second"), kind="other")) is errors.IdempotencyConflict


def test_a_key_whose_execution_is_gone_is_free() -> None:
    world = world_with(Completed(b"7"))
    del world.rows.executions[TENANT, ORDER]
    assert reply_to(world, start("second")) == NEW


def test_an_id_is_that_of_one_execution() -> None:
    world = world_with(Completed(b"7"))
    again = replace(FIRST, idempotency_key=None)
    assert reply_to(world, replace(again, reuse_policy=ReusePolicy.REJECT)) is errors.AlreadyStarted
    assert reply_to(world, again) == OLD
    assert reply_to(world, replace(again, reuse_policy=ReusePolicy.ALLOW_AFTER_CLOSE)) is errors.InvalidArgument


def test_a_signal_wants_an_id() -> None:
    signal = requests.SignalWorkflow(TENANT, ORDER, "go", b"1")
    assert reply_to(World(), replace(FIRST, signal=signal)) is errors.InvalidArgument
