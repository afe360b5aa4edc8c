"""What a start does when its id or its idempotency key was used before."""

from typing import Any

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


BARE = replace(FIRST, idempotency_key=None)
SECOND, THIRD = f"{ORDER}~2", f"{ORDER}~3"


def bare(policy: ReusePolicy, **more: Any) -> requests.StartWorkflow:
    return replace(BARE, reuse_policy=policy, **more)


def remove(world: World, identity: str) -> None:
    """As retention does."""
    for rows in (world.rows.executions, world.rows.history):
        del rows[TENANT, ExecutionId(identity)]


def bare_world(outcome: Outcome | None) -> World:
    world = World()
    world.ask(BARE)
    if outcome is not None:
        world.activate(outcome=outcome)
    return world


@pytest.mark.parametrize(
    ("outcome", "answers"),
    [
        (None, [OLD, REFUSED, (SECOND, True), REFUSED, REFUSED]),
        (Completed(b"7"), [OLD, REFUSED, (SECOND, True), (SECOND, True), REFUSED]),
        (Failed(BOOM), [OLD, REFUSED, (SECOND, True), (SECOND, True), (SECOND, True)]),
    ],
)
def test_the_policy_says_what_a_used_id_means(outcome: Outcome | None, answers: list[object]) -> None:
    assert [reply_to(bare_world(outcome), bare(policy)) for policy in POLICIES] == answers


def test_who_has_ended_keeps_its_history_when_another_follows() -> None:
    world = bare_world(Completed(b"7"))
    before = world.execution(), world.events()
    world.ask(bare(ReusePolicy.ALLOW_AFTER_CLOSE, input=b"2"))
    assert (world.execution(), world.events()) == before
    assert (world.execution(SECOND).input, world.events(SECOND)) == (b"2", ["WORKFLOW_STARTED"])


def test_starts_under_a_used_id_find_the_newest() -> None:
    world = bare_world(None)
    assert reply_to(world, bare(ReusePolicy.TERMINATE_AND_START)) == (SECOND, True)
    assert reply_to(world, bare(ReusePolicy.RETURN_EXISTING)) == (SECOND, False)
    assert reply_to(world, bare(ReusePolicy.ALLOW_AFTER_CLOSE)) is REFUSED
    assert reply_to(world, bare(ReusePolicy.TERMINATE_AND_START)) == (THIRD, True)
    ended = [world.execution(each).status is ExecutionStatus.TERMINATED for each in (ORDER, SECOND, THIRD)]
    assert ended == [True, True, False]


def test_two_starts_of_one_batch_follow_each_other() -> None:
    world = bare_world(Completed(b"7"))
    again = bare(ReusePolicy.ALLOW_AFTER_CLOSE)
    first, second = world.commit(again, again).replies
    assert first == requests.Started(ExecutionId(SECOND), True, ExecutionStatus.PENDING)
    assert isinstance(second, errors.AlreadyStarted)


def test_an_id_that_somebody_has_taken_is_passed_over() -> None:
    world = bare_world(Completed(b"7"))
    world.ask(replace(BARE, execution_id=ExecutionId(SECOND)))
    assert reply_to(world, bare(ReusePolicy.ALLOW_AFTER_CLOSE)) == (THIRD, True)


def test_an_id_that_leaves_no_room_for_a_number_is_refused() -> None:
    world, longest = World(), ExecutionId("x" * 255)
    world.ask(replace(BARE, execution_id=longest))
    again = bare(ReusePolicy.TERMINATE_AND_START, execution_id=longest)
    assert reply_to(world, again) is errors.InvalidId
    assert not world.execution(longest).closed


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("outcome", [None, Failed(BOOM)])
def test_the_same_request_finds_what_it_has_started(outcome: Outcome | None, policy: ReusePolicy) -> None:
    world = World() if outcome is None else bare_world(outcome)
    request = bare(policy, request_id="once")
    first = reply_to(world, request)
    again = reply_to(world, request)
    assert again == first
    assert sum(not row.closed for row in world.rows.executions.values()) <= 1


def test_a_request_id_whose_execution_is_gone_starts_anew() -> None:
    world = World()
    world.ask(bare(ReusePolicy.REJECT, request_id="once"))
    remove(world, ORDER)
    assert reply_to(world, bare(ReusePolicy.REJECT, request_id="once")) == (ORDER, True)


def test_what_followed_may_be_gone() -> None:
    world = bare_world(None)
    world.ask(bare(ReusePolicy.TERMINATE_AND_START))
    remove(world, SECOND)
    assert reply_to(world, bare(ReusePolicy.RETURN_EXISTING)) == OLD
    assert reply_to(world, bare(ReusePolicy.ALLOW_AFTER_CLOSE)) == (SECOND, True)


def signal_to(identity: str = ORDER) -> requests.SignalWorkflow:
    return requests.SignalWorkflow(TENANT, ExecutionId(identity), "go", b"1", "once")


def test_a_signal_reaches_who_has_the_id_now() -> None:
    world = bare_world(Completed(b"7"))
    world.ask(bare(ReusePolicy.ALLOW_AFTER_CLOSE))
    world.commit(signal_to(), signal_to())
    assert world.events(SECOND) == ["WORKFLOW_STARTED", "SIGNAL_RECEIVED"]
    world.ask(requests.TerminateWorkflow(TENANT, ExecutionId(SECOND)))
    with pytest.raises(errors.AlreadyClosed):
        world.ask(replace(signal_to(), request_id="another"))


def test_what_ends_an_execution_is_about_no_other() -> None:
    world = bare_world(Completed(b"7"))
    world.ask(bare(ReusePolicy.ALLOW_AFTER_CLOSE))
    with pytest.raises(errors.AlreadyClosed):
        world.ask(requests.TerminateWorkflow(TENANT, ORDER))


def test_a_start_with_a_signal_gives_it_to_what_it_starts() -> None:
    world = bare_world(None)
    request = bare(ReusePolicy.TERMINATE_AND_START, signal=signal_to(), request_id="start")
    assert [reply_to(world, request) for _ in range(2)] == [(SECOND, True)] * 2
    assert world.events(SECOND) == ["WORKFLOW_STARTED", "SIGNAL_RECEIVED"]


def test_a_signal_wants_an_id() -> None:
    signal = requests.SignalWorkflow(TENANT, ORDER, "go", b"1")
    assert reply_to(World(), replace(FIRST, signal=signal)) is errors.InvalidArgument
